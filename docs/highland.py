"""The example of how-gs-mple-works.md: a made-up highland, and the numbers that the page quotes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mrflearn import GSMPLE, as_table
from mrflearn.datasets import GaussianWorld
from mrflearn.dependence import Memo, OracleGaussian, resolve
from mrflearn.plot._rows import edge_label
from mrflearn.search import SearchResult

Pair = tuple[int, int]

NAMES = ("altitude", "frost", "wind", "light", "rain", "lichen", "reindeer", "wolves")
ALTITUDE, FROST, WIND, LIGHT, RAIN, LICHEN, REINDEER, WOLVES = range(8)
BETWEEN = (FROST, WIND, LIGHT, RAIN)
N_SAMPLES, LAM = 500, 0.025


def make_world() -> GaussianWorld:
    """Return the world: partial correlations are minus the entries of its precision matrix."""
    partial = {(ALTITUDE, middle): 0.33 for middle in BETWEEN}
    partial |= {(middle, LICHEN): 0.33 for middle in BETWEEN}
    partial |= {(LICHEN, REINDEER): 0.25, (REINDEER, WOLVES): 0.4}
    precision = np.eye(len(NAMES))
    for (i, j), size in partial.items():
        precision[i, j] = precision[j, i] = -size
    return GaussianWorld(precision, NAMES, "highland")


def name(edge: Pair) -> str:
    """Return the name of an edge."""
    return edge_label(NAMES[edge[0]], NAMES[edge[1]])


def tell_run(world: GaussianWorld, sample: pd.DataFrame, found: SearchResult, n_asked: int) -> None:
    """Print the steps of the search and what it cost."""
    n_pairs = len(NAMES) * (len(NAMES) - 1) // 2
    print(f"{N_SAMPLES} rows, lambda {LAM}; the truth has {world.adjacency.sum() // 2} edges")
    n_grown = sum(step.phase == "grow" for step in found.trace)
    chosen = GSMPLE().fit(sample)
    print(f'  lam="auto" chooses {chosen.lam_:.4f}: same graph', end=" ")
    print((chosen.adjacency_ == found.adjacency).all())
    for at, step in enumerate(found.trace, 1):
        kind = "true" if world.adjacency[step.edge] else "false"
        print(f"  {at:2d} {step.phase:6s} {name(step.edge):20s} {kind:5s}", end=" ")
        print(f"{step.score:7.4f}  objective {step.objective:.4f}")
    print(f"  graph is the true one: {(found.adjacency == world.adjacency).all()}")
    afresh = sum(2 * (n_pairs - t) for t in range(n_grown + 1))
    print(f"  values asked for: {n_asked}; growing with all scores afresh each time: {afresh}")
    exact = OracleGaussian(world.covariance)
    for i, j, given in (
        (ALTITUDE, LICHEN, ()),
        (ALTITUDE, FROST, ()),
        (FROST, WIND, ()),
        (ALTITUDE, LICHEN, BETWEEN),
    ):
        behind = f" | {', '.join(NAMES[z] for z in given)}" if given else ""
        print(f"  exact I({NAMES[i]}; {NAMES[j]}{behind}) = {exact.cmi(i, j, given):.3f}", end="")
        print("" if given else f", correlation {_correlation(world, i, j):.2f}")


def _correlation(world: GaussianWorld, i: int, j: int) -> float:
    covariance = world.covariance
    return float(covariance[i, j] / np.sqrt(covariance[i, i] * covariance[j, j]))


def tell_exclusive_or() -> None:
    """Print what a search finds of two coins and whether they differ."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(2, size=(2, N_SAMPLES))
    coins = pd.DataFrame({"x": x, "y": y, "differ": x ^ y})
    memo = Memo(resolve("auto").bind(as_table(coins)))
    print("exclusive or")
    for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        print(f"  I({coins.columns[i]}; {coins.columns[j]}) = {memo.cmi(i, j):.4f}", end="; ")
        print(f"given {coins.columns[k]} {memo.cmi(i, j, [k]):.4f}")
    for refine in (None, "alternate", "swap", "pairs"):
        graph = GSMPLE(lam=0.05, refine=refine).fit(coins).graph_
        print(f"  refine={refine!r}: {[(edge.source, edge.target) for edge in graph.edges]}")
