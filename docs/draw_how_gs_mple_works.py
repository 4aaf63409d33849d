"""Draw the pictures of how-gs-mple-works.md into images/how-*.png, and print the numbers it quotes.

All come from one table of 500 rows: a made-up Gaussian world of eight variables, in which altitude
tells about lichen through frost, wind, light and rain alone, and wolves through reindeer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from highland import (
    ALTITUDE,
    FROST,
    LAM,
    LICHEN,
    LIGHT,
    N_SAMPLES,
    NAMES,
    RAIN,
    REINDEER,
    WIND,
    Pair,
    make_world,
    name,
    tell_exclusive_or,
    tell_run,
)
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mrflearn import GSMPLE, as_table
from mrflearn.datasets import GaussianWorld
from mrflearn.dependence import KNN, Dependence, Memo, MixedKSG, OracleGaussian, resolve
from mrflearn.graph import Edge, Graph, GraphPath, Step
from mrflearn.metrics import best_f1
from mrflearn.plot import plot_graph, save_figure
from mrflearn.plot._lambda import count_edges_above, lambda_axis
from mrflearn.plot._rows import axes_for_rows, write_rows
from mrflearn.plot._save import new_figure
from mrflearn.plot._style import (
    ACCENT,
    CHOSEN,
    DARK,
    DASHES,
    LABEL,
    OTHER,
    SMALL,
    legend_below,
    line,
    mark,
    number,
    thin,
)
from mrflearn.search import SearchResult, gs_mple
from mrflearn.search.base import neighbours_after

IMAGES = Path(__file__).parent / "images"
PLACES = np.array(
    [(0, 0), (1.5, 1.5), (1.5, 0.65), (1.5, -0.65), (1.5, -1.5), (3, 0), (4.2, 0.9), (4.2, -0.9)]
)
LABELS = ((-12, -17), (0, 8), (0, -14), (0, 7), (0, -16), (13, -16), (0, 8), (0, -16))
"""Where names stand beside their nodes, in points: in no panel on an edge."""
PALE, SHADE = "#C9C9C9", "#F1F1F1"
"""True edges not found yet, and the ground of the shrink phase."""


def main() -> None:
    """Draw all pictures and print what the page says about them."""
    world = make_world()
    sample = world.sample(N_SAMPLES, random_state=0)
    truth = set(zip(*np.nonzero(np.triu(world.adjacency)), strict=True))
    memo = Memo(resolve("auto").bind(as_table(sample)))
    found = gs_mple.run(memo, LAM)
    n_asked = memo.n_evaluations
    tell_run(world, sample, found, n_asked)
    draw_growing(found, truth)
    draw_shrinking(memo, found)
    draw_objective(world, found, truth)
    draw_path(sample, truth)
    draw_two_sides(world, sample)
    tell_exclusive_or()


def save(axes: Axes, file: str) -> None:
    """Write a picture, and say how large it is."""
    target = save_figure(axes, IMAGES / f"how-{file}.png")
    print(f"  wrote {target.name}, {target.stat().st_size / 1000:.0f} KB")


# --- 1. Growing -----------------------------------------------------------------------------------


def draw_growing(found: SearchResult, truth: set[Pair]) -> None:
    """Draw the graph after some steps of growing, and after shrinking."""
    steps = found.trace
    n_grown = sum(step.phase == "grow" for step in steps)
    figure = new_figure(6.8, 4.0)
    titles = {
        0: "before the first step",
        1: "1 step",
        2: "2 steps",
        4: "4 steps",
        n_grown: f"all {n_grown} steps of growing",
        len(steps): "after shrinking",
    }
    for at, (n_steps, title) in enumerate(titles.items()):
        row, column = divmod(at, 3)
        ax = figure.add_axes((column / 3 + 0.005, 0.54 - 0.465 * row, 0.323, 0.41))
        draw_state(ax, steps[:n_steps], truth, {step.edge for step in steps})
        ax.set_title(title, fontsize=LABEL, loc="left", x=0.03, pad=0.0)
    figure.legend(
        handles=[
            Line2D([], [], color=CHOSEN, linewidth=2.2, label="edge found, true"),
            Line2D([], [], color=ACCENT, linewidth=2.2, linestyle=DASHES, label="found, false"),
            Line2D([], [], color=PALE, linewidth=1.0, label="true, not found yet"),
        ],
        ncols=3,
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
        fontsize=LABEL,
        handlelength=2.6,
    )
    save(ax, "growing")


def draw_state(ax: Axes, steps: Sequence[Step], truth: set[Pair], ever: set[Pair]) -> None:
    """Draw the graph that steps led to: all edges there ever are, shown by what they are now."""
    now = {
        (i, j) for i, near in enumerate(neighbours_after(steps, len(NAMES))) for j in near if i < j
    }
    edges = sorted(truth | ever)
    graph = Graph(NAMES, tuple(Edge(NAMES[i], NAMES[j]) for i, j in edges))
    plot_graph(graph, ax, places=PLACES)
    for label, offset in zip(ax.texts, LABELS, strict=True):
        label.set_position(offset)
    ax.set_xlim(-1.1, 4.95)
    ax.set_ylim(-2.15, 2.15)
    lines = next(artist for artist in ax.collections if isinstance(artist, LineCollection))
    looks = [_look(edge in now, edge in truth) for edge in edges]
    lines.set_color([colour for colour, _, _ in looks])
    lines.set_linewidth([width for _, width, _ in looks])
    lines.set_linestyle([style for _, _, style in looks])


def _look(found: bool, true: bool) -> tuple[str, float, Any]:
    """Return colour, width and style of an edge."""
    if found:
        return (CHOSEN, 2.2, "-") if true else (ACCENT, 2.2, DASHES)
    return (PALE, 1.0, "-") if true else ("none", 0.0, "-")


# --- 2. Shrinking ---------------------------------------------------------------------------------


def draw_shrinking(memo: Memo, found: SearchResult) -> None:
    """Draw how much some edges are worth as others come."""
    followed = {
        (ALTITUDE, LICHEN): (ACCENT, "o"),
        (FROST, WIND): ("#CC79A7", "s"),
        (LIGHT, LICHEN): (CHOSEN, "D"),
    }
    figure = new_figure(7.2, 3.7)
    ax = figure.add_axes((0.08, 0.32, 0.9, 0.63))
    print("worth of some edges after each step")
    for edge, (colour, marker) in followed.items():
        worth = worth_along(memo, found.trace, edge)
        ax.plot(
            list(worth),
            list(worth.values()),
            color=colour,
            marker=marker,
            markersize=4.5,
            linewidth=1.3,
            label=name(edge) + (" (true)" if edge in found.edges else " (false)"),
            zorder=3,
        )
        print(f"  {name(edge)}:", ", ".join(f"{at}: {v:.3f}" for at, v in worth.items()))
        if edge not in found.edges:
            last = max(worth)
            ax.plot(last, worth[last], "x", color=DARK, markersize=9, markeredgewidth=1.4, zorder=4)
    ax.axhline(LAM, color=DARK, linewidth=0.9, linestyle=DASHES)
    ax.set_ylabel("what the edge is worth (nats)", fontsize=LABEL)
    step_axis(ax, found.trace)
    handles, _ = ax.get_legend_handles_labels()
    removed = Line2D(
        [], [], color=DARK, linestyle="", marker="x", markersize=8, label="removed in the next step"
    )
    ax.legend(
        handles=[*handles, line(rf"$\lambda$ = {LAM}"), removed],
        loc="upper right",
        bbox_to_anchor=(0.84, 1.0),
        frameon=False,
        fontsize=LABEL,
    )
    save(ax, "shrinking")


def worth_along(memo: Memo, steps: Sequence[Step], edge: Pair) -> dict[int, float]:
    """Return what an edge is worth after each step while it is there: what shrinking would ask."""
    worth: dict[int, float] = {}
    i, j = edge
    for at in range(1, len(steps) + 1):
        near = neighbours_after(steps[:at], len(NAMES))
        if j in near[i]:
            worth[at] = memo.cmi(i, j, near[i] - {j}) + memo.cmi(j, i, near[j] - {i})
    return worth


def step_axis(ax: Axes, steps: Sequence[Step], words: bool = True) -> None:
    """Name the edge of each step below it, and shade the phase of shrinking."""
    thin(ax, None)
    n_grown = sum(step.phase == "grow" for step in steps)
    ax.set_xlim(0.4, len(steps) + 0.6)
    ax.axvspan(n_grown + 0.5, len(steps) + 0.6, color=SHADE, linewidth=0, zorder=0)
    phases = {"grow": n_grown / 2 + 0.5, "shrink": (n_grown + len(steps)) / 2 + 0.5}
    for word, middle in phases.items() if words else ():
        ax.annotate(
            word,
            (middle, 1.0),
            xycoords=ax.get_xaxis_transform(),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=LABEL,
        )
    labels = [("+ " if step.phase == "grow" else "− ") + name(step.edge) for step in steps]
    ax.set_xticks(range(1, len(steps) + 1), labels, rotation=40, ha="right", rotation_mode="anchor")


# --- 3. The objective -----------------------------------------------------------------------------


def draw_objective(world: GaussianWorld, found: SearchResult, truth: set[Pair]) -> None:
    """Draw the objective after each step, and the score of each step."""
    steps = found.trace
    n_grown = sum(step.phase == "grow" for step in steps)
    at = np.arange(len(steps) + 1)
    n_edges = np.cumsum([0, *(1 if step.phase == "grow" else -1 for step in steps)])
    fit = np.array([0.0, *(step.objective for step in steps)])
    total = fit + LAM * n_edges
    print("objective with the price of edges:", ", ".join(f"{value:.3f}" for value in total))
    exact = OracleGaussian(world.covariance)
    least = -sum(
        exact.information([i], [j for j in range(len(NAMES)) if j != i]) for i in range(len(NAMES))
    )
    print(f"  least objective that any graph has, exact: {least:.3f}; the search: {fit[-1]:.3f}")

    figure = new_figure(7.2, 5.4)
    above = figure.add_axes((0.08, 0.57, 0.9, 0.38))
    below = figure.add_axes((0.08, 0.22, 0.9, 0.28))
    for ax in (above, zoom(above, n_grown, total)):
        ax.step(at, total, where="post", color=PALE, linewidth=0.8, zorder=1)
        for phase, part in (("grow", at <= n_grown), ("shrink", at > n_grown)):
            ax.plot(
                at[part],
                total[part],
                "o" if phase == "grow" else "v",
                color=CHOSEN if phase == "grow" else ACCENT,
                markersize=5.5,
                zorder=3,
            )
    above.set_ylabel(r"$J + \lambda\,|E|$ (nats)", fontsize=LABEL)
    step_axis(above, steps)
    above.set_xlim(-0.4, len(steps) + 0.6)
    above.set_xticks(range(len(steps) + 1), [str(t) for t in at], rotation=0, ha="center")
    draw_scores(below, steps, truth)
    step_axis(below, steps, words=False)
    below.set_xlim(-0.4, len(steps) + 0.6)
    save(above, "objective")


def zoom(ax: Axes, n_grown: int, total: np.ndarray) -> Axes:
    """Return axes inside others that show the last steps larger."""
    inside = ax.inset_axes((0.49, 0.36, 0.35, 0.58))
    thin(inside, None)
    first = n_grown - 2
    inside.set_xlim(first - 0.4, len(total) - 0.6)
    shown = total[first:]
    rim = 0.12 * np.ptp(shown)
    inside.set_ylim(shown.min() - rim, shown.max() + rim)
    inside.axvspan(n_grown + 0.5, len(total), color=SHADE, linewidth=0, zorder=0)
    inside.set_xticks(range(first, len(total)))
    inside.text(
        0.97,
        0.95,
        "the last steps, larger",
        transform=inside.transAxes,
        ha="right",
        va="top",
        fontsize=SMALL,
    )
    return inside


def draw_scores(ax: Axes, steps: Sequence[Step], truth: set[Pair]) -> None:
    """Draw the score of each step as a bar, with its number."""
    for at, step in enumerate(steps, 1):
        true = step.edge in truth
        ax.bar(at, step.score, width=0.7, color=CHOSEN if true else ACCENT, zorder=2)
        ax.text(
            at,
            max(step.score, LAM) + 0.02,
            f"{step.score:.2f}" if step.phase == "grow" else number(round(step.score, 3)),
            ha="center",
            va="bottom",
            fontsize=SMALL,
        )
    ax.axhline(LAM, color=DARK, linewidth=0.9, linestyle=DASHES, zorder=3)
    ax.set_ylim(-0.03, 1.15 * max(step.score for step in steps))
    ax.set_ylabel("score (nats)", fontsize=LABEL)
    ax.legend(
        handles=[
            Patch(color=CHOSEN, label="true edge"),
            Patch(color=ACCENT, label="false edge"),
            line(rf"$\lambda$ = {LAM}"),
        ],
        loc="upper right",
        bbox_to_anchor=(0.855, 1.0),
        ncols=3,
        frameon=False,
        fontsize=LABEL,
    )


# --- 4. The path ----------------------------------------------------------------------------------


def draw_path(sample: pd.DataFrame, truth: set[Pair]) -> None:
    """Draw which edges are there at which lambda."""
    lams = np.geomspace(1.2, 0.005, 200)
    estimator = GSMPLE()
    path = estimator.path(sample, lams)
    pairs = sorted(
        (pair for pair in combinations(range(len(NAMES)), 2) if path.adjacencies[:, *pair].any()),
        key=lambda pair: -path.entry[pair],
    )
    handles = [
        mark(CHOSEN, True, "true edge"),
        mark(ACCENT, False, "false edge"),
        line(rf"$\lambda$ = {LAM}, as in the other pictures"),
    ]
    ax = axes_for_rows([name(pair) for pair in pairs], None, len(handles), 0.45)
    places = lambda_axis(ax, path.lams)
    ax.axvline(LAM, color=DARK, linewidth=0.9, linestyle=DASHES, zorder=2)
    print("path")
    for row, pair in enumerate(pairs):
        present = path.adjacencies[:, *pair]
        draw_presence(ax, row, places, present, pair in truth)
        parts = np.split(np.arange(len(lams)), np.flatnonzero(np.diff(present)) + 1)
        there = [f"{lams[at[0]]:.3f} to {lams[at[-1]]:.3f}" for at in parts if present[at[0]]]
        print(f"  {name(pair):20s} {'true' if pair in truth else 'false':5s}", end=" ")
        print("from", ", and from ".join(there))
    exactly = np.array([set(_edges(path, at)) == truth for at in range(len(path))])
    right = np.array(path.lams)[exactly]
    print(f"  the true graph from lambda {right.max():.3f} to {right.min():.3f}")
    thin(ax, None)
    write_rows(ax, [name(pair) for pair in pairs], None)
    count_edges_above(ax, path, places)
    legend_below(ax, handles)
    save(ax, "path")


def _edges(path: GraphPath, at: int) -> list[Pair]:
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(path.adjacencies[at]))]


def draw_presence(ax: Axes, row: int, places: np.ndarray, present: np.ndarray, true: bool) -> None:
    """Draw a line where an edge is there, and a mark where it comes."""
    colour = CHOSEN if true else ACCENT
    changes = np.diff(present.astype(int), prepend=0, append=0)
    starts, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    for start, end in zip(starts, ends, strict=True):
        ax.plot(
            [places[start], places[min(int(end), len(places) - 1)]],
            [row, row],
            color=colour,
            linewidth=1.6 if true else 1.2,
            marker="o",
            markevery=[0],
            markersize=5.0,
            markerfacecolor=colour if true else "white",
            solid_capstyle="butt",
            zorder=3,
        )


# --- 5. Two sides of an edge ----------------------------------------------------------------------


def draw_two_sides(world: GaussianWorld, sample: pd.DataFrame) -> None:
    """Draw what both ends of each edge say, and what one question gives asked both ways."""
    table = as_table(sample)
    asked: dict[str, tuple[Dependence, str, str]] = {
        "exact": (OracleGaussian(world.covariance), DARK, "|"),
        "knn": (KNN().bind(table), CHOSEN, "o"),
        "mixed-ksg": (MixedKSG().bind(table), ACCENT, "s"),
    }
    edges = [(int(i), int(j)) for i, j in np.argwhere(np.triu(world.adjacency))]
    near = [set(np.flatnonzero(row).tolist()) for row in world.adjacency]
    figure = new_figure(7.7, 4.2)
    sides = figure.add_axes((0.15, 0.19, 0.41, 0.75))
    ways = figure.add_axes((0.66, 0.19, 0.33, 0.75))
    print("two sides of an edge, and one question both ways")
    for at, (label, (dependence, colour, marker)) in enumerate(asked.items()):
        height = {"exact": -0.27, "knn": 0.0, "mixed-ksg": 0.27}[label]
        for row, (i, j) in enumerate(edges):
            ends = [dependence.cmi(i, j, near[i] - {j}), dependence.cmi(j, i, near[j] - {i})]
            sides.plot(ends, [row + height] * 2, color=colour, linewidth=1.0, alpha=0.7, zorder=2)
            sides.plot(
                ends,
                [row + height] * 2,
                marker,
                color=colour,
                markersize=6.0 if marker == "|" else 4.0,
                zorder=3 + at,
                label=label if row == 0 else None,
            )
            if (i, j) in ((ALTITUDE, FROST), (RAIN, LICHEN), (LICHEN, REINDEER)):
                print(f"  {label:10s} {name((i, j))}: {ends[0]:.3f} and {ends[1]:.3f}")
        if label != "exact":
            both = np.array(
                [
                    (dependence.cmi(i, j, near[i] - {j}), dependence.cmi(j, i, near[i] - {j}))
                    for i in range(len(NAMES))
                    for j in range(len(NAMES))
                    if i != j and near[i] - {j}
                ]
            )
            gap = np.abs(both[:, 0] - both[:, 1])
            print(f"  {label}: {len(both)} questions, both ways differ by {gap.mean():.3f}", end="")
            print(f" on average, {gap.max():.3f} at most; negative: {(both < 0).mean():.2f}")
            ways.plot(*both.T, marker, color=colour, markersize=4.0, alpha=0.75, label=label)
    sides.set_yticks(range(len(edges)), [name(edge) for edge in edges])
    sides.set_ylim(len(edges) - 0.4, -0.6)
    for row in range(1, len(edges)):
        sides.axhline(row - 0.5, color=PALE, linewidth=0.5, zorder=0)
    sides.axvline(0, color=OTHER, linewidth=0.6, zorder=0)
    sides.set_xlabel("conditional mutual information (nats)", fontsize=LABEL)
    thin(sides, "The two sides of an edge")
    low, high = ways.get_xlim()
    low, high = min(low, ways.get_ylim()[0]), max(high, ways.get_ylim()[1])
    ways.plot([low, high], [low, high], color=OTHER, linewidth=0.8, zorder=0)
    ways.set_xlim(low, high)
    ways.set_ylim(low, high)
    ways.set_aspect("equal", anchor="N")
    ways.set_xlabel("I(i; j | Z) (nats)", fontsize=LABEL)
    ways.set_ylabel("I(j; i | Z) (nats)", fontsize=LABEL)
    thin(ways, "One question, asked both ways")
    ways.set_xticks([-0.1, 0.0, 0.1])
    ways.set_yticks([-0.1, 0.0, 0.1])
    figure.legend(
        *sides.get_legend_handles_labels(),
        ncols=3,
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
        fontsize=LABEL,
    )
    save(sides, "two-sides")
    for label in ("auto", "knn", "mixed-ksg"):
        path = GSMPLE(dependence=label).path(sample, np.linspace(1.2, -0.6, 181))
        lam, best = best_f1(world.graph, path)
        print(f"  best F1 on the path with {label}: {best:.2f}, at lambda {lam:.2f}")


if __name__ == "__main__":
    main()
