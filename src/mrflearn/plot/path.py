"""A path as a figure: which edges come when lambda falls, and which of them were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.graph import GraphPath
from mrflearn.plot._lambda import (
    chosen_lambda,
    chosen_words,
    count_edges_above,
    lambda_axis,
    mark_lambda,
)
from mrflearn.plot._results import ResultLike
from mrflearn.plot._rows import axes_for_rows, edge_label, write_rows
from mrflearn.plot._style import (
    ACCENT,
    CHOSEN,
    OTHER,
    check_most,
    legend_below,
    line,
    mark,
    number,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["plot_path"]


def plot_path(
    path_or_result: GraphPath | ResultLike,
    most: int = 40,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw which edges a path has at which lambda, the first to come on top.

    Each edge is a row: a mark where it comes, and a line as long as it stays. Lambda falls to the
    right, and the number of edges is written above. Of a result, its lambda is a line, and
    edges of its graph are blue and filled, others grey and hollow.

    Parameters
    ----------
    path_or_result : GraphPath or Result
        What `path` of an estimator returns, or `learn`.
    most : int, default=40
        Edges to show, the first to come; how many are left out is said below them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, as high as its rows need, unless given.
    title : str, optional
        Title above the picture.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`.

    Raises
    ------
    InputError
        If the path has no edges.

    Examples
    --------
    >>> from mrflearn.graph import Graph
    >>> nodes = ("rain", "wet", "wind")
    >>> sparse, dense = Graph(nodes, (("rain", "wet"),)), Graph.from_adjacency(1 - np.eye(3), nodes)
    >>> axes = plot_path(GraphPath((0.5, 0.1), (sparse, dense)))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['rain – wet', 'rain – wind', 'wet – wind']
    """
    most = check_most(most)
    path, result = _parts(path_or_result)
    present = path.adjacencies[np.argsort(-np.array(path.lams), kind="stable")]
    pairs = _ordered(path, present)
    if not pairs:
        raise InputError(
            f"the path has no edge at any lambda down to {min(path.lams):g}, so there is nothing "
            "to draw: give smaller lambdas"
        )
    chosen = np.ones_like(present[0]) if result is None else result.graph.adjacency
    shown, hidden = pairs[:most], pairs[most:]
    labels = [edge_label(path.nodes[i], path.nodes[j]) for i, j in shown]
    handles = [] if result is None else _handles(result, {bool(chosen[pair]) for pair in shown})
    note = _note(path, hidden, 0 if result is None else sum(bool(chosen[at]) for at in hidden))
    if ax is None:
        above = 0.45 if title is None else 0.65
        ax = axes_for_rows(labels, note, len(handles), above)
    places = _lambdas(ax, path, result)
    down = np.sort(places)[::-1]
    for row, pair in enumerate(shown):
        _draw_row(ax, row, down, present[:, pair[0], pair[1]], bool(chosen[pair]))
    thin(ax, title)
    write_rows(ax, labels, note)
    count_edges_above(ax, path, places)
    legend_below(ax, handles)
    return ax


def _parts(given: GraphPath | ResultLike) -> tuple[GraphPath, ResultLike | None]:
    if isinstance(given, GraphPath):
        return given, None
    if not isinstance(given, ResultLike):
        raise InputError(
            f"plot_path takes a GraphPath or what learn returns, got {type(given).__name__}: of a "
            "fitted estimator, give its path_"
        )
    if given.path.nodes != given.graph.nodes:
        raise InputError("the graph and the path of the result have different variables")
    return given.path, given


def _ordered(path: GraphPath, present: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the edges of a path, the first to come first, among equals those that stay longer."""
    one, other = np.nonzero(np.triu(present.any(axis=0), 1))
    stays = present.sum(axis=0)[one, other]
    order = np.lexsort((-stays, -path.entry[one, other]))  # the last key counts most
    return [(int(one[k]), int(other[k])) for k in order]


def _handles(result: ResultLike, drawn: set[bool]) -> list[Line2D]:
    """Return what the legend explains: of marks those drawn, and the line of lambda."""
    handles = []
    if True in drawn:
        handles.append(
            mark(CHOSEN, True, "in the graph chosen" if result.choice else "in the graph")
        )
    if False in drawn:
        handles.append(mark(OTHER, False, "elsewhere on the path", 1.0))
    colour = "none" if chosen_lambda(result) is None else ACCENT
    return [*handles, line(chosen_words(result), colour, dashed=False)]


def _lambdas(ax: Axes, path: GraphPath, result: ResultLike | None) -> NDArray[np.float64]:
    """Draw the axis, and lambda of the result if it is on it; return the places of the path."""
    lam = None if result is None else chosen_lambda(result)
    if lam is None:
        return lambda_axis(ax, path.lams)
    *places, at = lambda_axis(ax, (*path.lams, lam))
    mark_lambda(ax, float(at))
    return np.array(places)


def _draw_row(
    ax: Axes, row: int, down: NDArray[np.float64], present: NDArray[np.bool_], chosen: bool
) -> None:
    """Draw where an edge is present: from each lambda that has it to the next smaller one."""
    colour = CHOSEN if chosen else OTHER
    edges = np.diff(present.astype(int), prepend=0, append=0)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    for start, end in zip(starts, ends, strict=True):
        first = start == starts[0]
        ax.plot(
            [down[start], down[min(int(end), len(down) - 1)]],
            [row, row],
            color=colour,
            linewidth=1.6 if chosen else 1.0,
            marker="o" if first else "",
            markevery=[0],
            markersize=5.0,
            markerfacecolor=colour if chosen else "white",
            markeredgewidth=1.0,
            solid_capstyle="butt",
            zorder=3,
        )


def _note(path: GraphPath, hidden: list[tuple[int, int]], n_chosen: int) -> tuple[str, str] | None:
    """Return what is said of edges left out, if any are."""
    if not hidden:
        return None
    text = rf"from $\lambda$ = {number(path.entry[hidden[0]])} on"
    return f"… {len(hidden)} more", text + (f"; {n_chosen} in the graph" if n_chosen else "")
