"""A graph as a heat map of its adjacency, variables that belong together side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._as_graph import as_graph
from mrflearn.graph import Graph
from mrflearn.plot._save import figure_of, new_figure, one_warning_for_glyphs
from mrflearn.plot._style import DARK, LABEL, SMALL, cut, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["communities", "plot_adjacency"]

_CELL_INCHES = 0.22
_MOST_INCHES = 9.0
"""Side of the map in a new figure, at most; names are left out where they would not fit."""


def plot_adjacency(graph: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the weights of a graph as a matrix, ordered by community and framed.

    Communities are groups of variables with more edges among themselves than by chance (greedy
    modularity, Clauset, Newman and Moore 2004), the largest first; within each, the variable with
    the most edges comes first. The same graph gives the same picture.

    Parameters
    ----------
    graph : Graph, Result or fitted estimator
        The graph, or what has one. An edge without a weight is drawn like the weakest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of a fitting size unless given.
    title : str, optional
        Title above the picture.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`.

    Examples
    --------
    >>> graph = Graph(("rain", "wind", "wet"), (("wet", "rain", 0.4),))
    >>> axes = plot_adjacency(graph)
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['rain', 'wet', 'wind']
    """
    graph = as_graph(graph, "plot_adjacency")
    groups = communities(graph)
    order = [node for group in groups for node in group]
    n_nodes = len(order)
    if ax is None:
        ax = _new_axes(n_nodes, max((len(cut(graph.nodes[i])) for i in order), default=0))
    weights = _weights(graph)[np.ix_(order, order)]
    image = ax.imshow(
        np.ma.masked_invalid(weights), cmap="viridis_r", vmin=0.0, interpolation="nearest"
    )
    _frame(ax, [group for group in groups if graph.adjacency[group[0]].any()])
    thin(ax, title)
    _write_names(ax, [cut(graph.nodes[i]) for i in order])
    if graph.edges and not all(math.isnan(edge.weight) for edge in graph.edges):
        bar = figure_of(ax).colorbar(image, ax=ax, fraction=0.04, pad=0.03)
        bar.set_label(f"weight ({graph.unit})", fontsize=LABEL)
        bar.ax.tick_params(labelsize=SMALL, length=2.5, width=0.6)
        bar.outline.set_linewidth(0.6)
    return ax


def communities(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """Return groups of nodes by position, the largest first, isolated nodes together at the end.

    Examples
    --------
    >>> communities(Graph(("a", "b", "c", "d"), (("a", "d"), ("b", "c"))))
    ((0, 3), (1, 2))
    """
    import networkx as nx

    adjacency = graph.adjacency
    n_edges = adjacency.sum(axis=1)
    network = nx.from_numpy_array(np.asarray(adjacency, dtype=int))
    network.remove_nodes_from([i for i in range(len(adjacency)) if not n_edges[i]])
    found = nx.community.greedy_modularity_communities(network) if network.edges else []
    groups = [tuple(sorted(group, key=lambda i: (-n_edges[i], i))) for group in found]
    groups.sort(key=lambda group: (-len(group), min(group)))
    alone = tuple(np.flatnonzero(n_edges == 0).tolist())
    return tuple([*groups, alone] if alone else groups)


def _weights(graph: Graph) -> NDArray[np.float64]:
    """Return the weight of each pair, NaN where there is no edge."""
    weights = np.full((len(graph.nodes),) * 2, np.nan)
    known = [edge.weight for edge in graph.edges if math.isfinite(edge.weight)]
    least, most = min(known, default=1.0), max(known, default=1.0)
    for edge in graph.edges:
        i, j = graph.index(edge.source), graph.index(edge.target)
        weight = least if math.isnan(edge.weight) else min(edge.weight, most)
        weights[i, j] = weights[j, i] = max(weight, 0.0)
    return weights


def _new_axes(n_nodes: int, longest: int) -> Axes:
    side = min(max(_CELL_INCHES * n_nodes, 1.5), _MOST_INCHES)
    names = 0.075 * longest + 0.15
    width, height = names + side + 0.9, names + side + 0.3
    figure = new_figure(width, height)
    return figure.add_axes((names / width, names / height, (side + 0.6) / width, side / height))


def _frame(ax: Axes, groups: Sequence[Sequence[int]]) -> None:
    """Draw a frame around each community."""
    from matplotlib.patches import Rectangle

    begin = 0
    for group in groups:
        size, corner = len(group), (begin - 0.5, begin - 0.5)
        ax.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=DARK, linewidth=0.7))
        begin += size


def _write_names(ax: Axes, names: Sequence[str]) -> None:
    """Write the names of rows and columns, unless there are too many to read."""
    box = ax.get_window_extent()
    points = 72 * box.height / figure_of(ax).dpi / max(len(names), 1)
    size = min(SMALL, 0.85 * points)
    if size < 3.5:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_ylabel(f"{len(names)} variables", fontsize=LABEL)
        return
    places = range(len(names))
    with one_warning_for_glyphs():
        ax.set_xticks(places, names, rotation=90, fontsize=size, parse_math=False)
        ax.set_yticks(places, names, fontsize=size, parse_math=False)
    ax.tick_params(length=0)
