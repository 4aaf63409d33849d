"""Whole GS-MPLE fits against depynd, the authors' program: seconds and edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from _measure import Task, print_table, run_with_limit, take_medians, time_in_turn
from fits_tables import LAM, Row, build_row, draw_sparse
from peers import import_depynd

from mrflearn import GSMPLE
from mrflearn.dependence import Dependence, MixedKSG, Specification
from mrflearn.table import Table

DEPYND_LIMIT = 90.0
"""Seconds after which a fit of depynd is given up."""


def draw_chain(seed: int, n_samples: int = 100) -> np.ndarray:
    """Return a chain of five variables and, for all but the last, an observation of each."""
    rng = np.random.default_rng(seed)
    chain = [rng.normal(size=n_samples)]
    for _ in range(4):
        chain.append(0.8 * chain[-1] + 0.6 * rng.normal(size=n_samples))
    observed = [0.8 * state + 0.6 * rng.normal(size=n_samples) for state in chain[:-1]]
    return np.column_stack([*chain, *observed])


@dataclass(frozen=True)
class AsDepyndAsks(Specification):
    """depynd's estimate, and its order: of a pair it takes the later variable for X in both terms.

    I(X; Y | Z) is estimated as I((X, Z); Y) - I(Y; Z), which is not symmetric. We take for X the
    node whose neighbours are Z, in either term.
    """

    n_neighbors: int = 3

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        return _BoundAsDepyndAsks(MixedKSG(self.n_neighbors, "depynd").bind(table))


class _BoundAsDepyndAsks(Dependence):
    symmetric = False

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables

    def _cmi_many(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> np.ndarray:
        return np.array([self.inner.cmi(max(i, j), min(i, j), given) for j in candidates])


def load_depynd() -> Callable[[np.ndarray, float], frozenset[tuple[int, int]]]:
    """Return depynd's GS-MPLE, with the neighbour estimate that is its default for such data."""
    import_depynd()
    from depynd.markov_networks import _gsmple

    def fit(data: np.ndarray, lam: float) -> frozenset[tuple[int, int]]:
        options = {"mi_estimator": "knn", "is_discrete": False, "n_neighbors": 3}
        return as_edges(_gsmple(data, lam, **options))

    return fit


def as_edges(adjacency: np.ndarray) -> frozenset[tuple[int, int]]:
    return frozenset(zip(*np.nonzero(np.triu(adjacency)), strict=True))


def measure_paper(quick: bool) -> list[Row]:
    """Time fits at N = 100, D = 9, and compare the edges with depynd's."""
    rounds, n_tables, lam = (2, 3, 0.2) if quick else (5, 20, 0.2)
    estimators = {
        'MixedKSG(3, "depynd")': GSMPLE(lam, dependence=MixedKSG(3, "depynd"), scale=None),
        "the same, in depynd's order": GSMPLE(lam, dependence=AsDepyndAsks(), scale=None),
        "KNN()": GSMPLE(lam, dependence="knn", scale=None),
    }
    data = draw_chain(0)
    tasks: dict[str, Task] = {
        name: partial(estimator.fit, data) for name, estimator in estimators.items()
    }
    lams = np.geomspace(1.0, lam, 50)
    tasks["KNN(), path of 50 lambdas"] = partial(
        GSMPLE(dependence="knn", scale=None).path, data, lams
    )
    for task in tasks.values():
        task()
    try:
        depynd = load_depynd()
    except Exception as error:  # whatever others' code may raise
        print(f"\ndepynd not measured: {type(error).__name__}: {error}")
    else:
        tasks["depynd"] = partial(depynd, data, lam)
    seconds = take_medians(time_in_turn(tasks, rounds))
    print_table(
        f"Fits at N = 100, D = 9, lambda = {lam}, one core: milliseconds",
        ["", "depynd / this", "ms", "evaluations", "edges"],
        [
            [
                name,
                seconds["depynd"] / taken if "depynd" in seconds else None,
                1e3 * taken,
                getattr(estimators.get(name), "n_evaluations_", None),
                len(estimators[name].graph_.edges) if name in estimators else None,
            ]
            for name, taken in seconds.items()
        ],
    )
    ratio = seconds["KNN(), path of 50 lambdas"] / seconds["KNN()"]
    print(f"\nA path of 50 lambdas takes {ratio:.2f} times as long as its smallest alone.")
    if "depynd" in seconds:
        compare_edges(depynd, estimators, n_tables, lam)
    return [build_row("paper", name, 100, 9, seconds=taken) for name, taken in seconds.items()]


def compare_edges(
    depynd: Callable[[np.ndarray, float], frozenset[tuple[int, int]]],
    estimators: dict[str, GSMPLE],
    n_tables: int,
    lam: float,
) -> None:
    """Print in how many tables an estimator finds depynd's edges, and how many edges differ."""
    tables = [draw_chain(seed) for seed in range(1, 1 + n_tables)]
    theirs = [depynd(data, lam) for data in tables]
    body = []
    for name, estimator in estimators.items():
        ours = [as_edges(estimator.fit(data).adjacency_) for data in tables]
        differing = [len(a ^ b) for a, b in zip(ours, theirs, strict=True)]
        body.append([name, f"{differing.count(0)} of {n_tables}", sum(differing)])
    print_table(
        f"The same edges as depynd, which finds {sum(map(len, theirs))} in {n_tables} tables",
        ["", "same graph", "edges that differ"],
        body,
    )


def measure_depynd(groups: Sequence[Sequence[tuple[int, int]]]) -> list[Row]:
    """Time depynd on the same tables, each group in order until one takes longer than the limit."""
    found: dict[tuple[int, int], float | None] = {}
    for group in groups:
        for size in group:
            if size not in found:
                try:
                    found[size] = run_with_limit(DEPYND_LIMIT, time_depynd, *size)
                except Exception as error:  # whatever others' code may raise
                    print(f"\ndepynd not measured: {type(error).__name__}: {error}")
                    return []
            if found[size] is None:
                break
    late = f"not finished in {DEPYND_LIMIT:.0f} s"
    print_table(
        "depynd's GS-MPLE on the same tables, one core; larger ones not tried",
        ["D", "N", "seconds"],
        [[d, n, late if seconds is None else seconds] for (n, d), seconds in found.items()],
    )
    return [
        build_row("sizes", "depynd", n, d, **({"note": late} if s is None else {"seconds": s}))
        for (n, d), s in found.items()
    ]


def time_depynd(n_samples: int, n_variables: int) -> float:
    """Return the seconds of one fit; for a fresh process."""
    task = partial(load_depynd(), draw_sparse(n_samples, n_variables), LAM)
    return time_in_turn({"fit": task}, 1)["fit"][0]
