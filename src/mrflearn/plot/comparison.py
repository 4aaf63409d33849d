"""Graphs of several methods side by side: which edges they agree on, the surest on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._as_graph import as_graph
from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.plot._rows import axes_for_rows, edge_label, text_widths, write_rows
from mrflearn.plot._save import one_warning_for_glyphs
from mrflearn.plot._style import LABEL, SMALL, check_most, cut, legend_below, thin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

__all__ = ["plot_comparison"]

_FAINTEST = 0.25
"""Where on the colour map the weakest edge lies, so that it is told from none."""
_FOR_COUNTS = 0.23
"""Room for the counts on the right, as a share of that for the squares."""


def plot_comparison(
    graphs: Mapping[str, Any],
    most: int = 40,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw which methods found which edges.

    Each edge is a row, each method a column. A square is the darker, the stronger the edge is
    beside the strongest of the same method, as units differ; no square means no edge. How many
    methods agree is written on the right, and edges that more of them found stand above. Below, a
    legend says what colours mean.

    Parameters
    ----------
    graphs : dict from str to Graph, Result or fitted estimator
        The graph of each method, or what has one, all of the same variables.
    most : int, default=40
        Edges to show; how many are left out is said below them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, as high as its rows need, unless given.
    title : str, optional
        Title, below the picture: the names of the methods stand above.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`.

    Raises
    ------
    InputError
        If there is no graph, no edge in any, or the graphs have different variables.

    Examples
    --------
    >>> nodes = ("rain", "wet", "wind")
    >>> one, other = Graph(nodes, (("rain", "wind"),)), Graph(nodes, (("rain", "wet"),))
    >>> axes = plot_comparison({"a": one, "b": Graph(nodes, one.edges + other.edges)})
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['rain – wind', 'rain – wet']
    """
    most = check_most(most)
    graphs = _check_graphs(graphs)
    strengths = _strengths(graphs)
    nodes = next(iter(graphs.values())).nodes
    counts = (~np.isnan(strengths)).sum(axis=0)
    pairs = _ordered(strengths, counts)
    if not pairs:
        raise InputError("no method found an edge, so there is nothing to draw")
    shown, hidden = pairs[:most], pairs[most:]
    labels = [edge_label(nodes[i], nodes[j]) for i, j in shown]
    note = (f"… {len(hidden)} more", "") if hidden else None
    if ax is None:
        above = max(text_widths([cut(name) for name in graphs])) + 0.15
        ax = axes_for_rows(labels, note, 1, above)
    cells = np.array([strengths[:, i, j] for i, j in shown])
    image = ax.imshow(
        np.ma.masked_invalid(_on_map(cells)),
        cmap="Blues",  # one hue from light to dark: told apart by any eye, and in grey
        vmin=0.0,
        vmax=1.0,
        aspect="auto",
        interpolation="nearest",
        zorder=2,
    )
    thin(ax, None)
    write_rows(ax, labels, note, until=1 / (1 + _FOR_COUNTS))
    _write_columns(ax, list(graphs), title)
    for at in range(1, len(graphs)):
        ax.axvline(at - 0.5, color="white", linewidth=1.5, zorder=3)
    for row, (i, j) in enumerate(shown):
        ax.axhline(row + 0.5, color="white", linewidth=0.8, zorder=3)
        ax.annotate(
            f"{counts[i, j]} of {len(graphs)}",
            (len(graphs) - 0.5, row),
            (5.0, 0.0),  # points
            textcoords="offset points",
            fontsize=ax.get_yticklabels()[0].get_fontsize(),
            va="center_baseline",
        )
    _explain_colours(ax, image.cmap, below=0.1 if title is None else 0.3)
    return ax


def _check_graphs(graphs: Any) -> dict[str, Graph]:
    if not isinstance(graphs, Mapping) or not graphs:
        raise InputError("plot_comparison takes a dict from methods to their graphs, not empty")
    return {
        name: as_graph(graph, f"plot_comparison for {name!r}") for name, graph in graphs.items()
    }


def _on_map(shares: Any) -> Any:
    """Return where shares of the strongest edge lie on the colour map."""
    return _FAINTEST + (1 - _FAINTEST) * shares


def _strengths(graphs: Mapping[str, Graph]) -> NDArray[np.float64]:
    """Return the weights as shares of the largest of each graph, NaN where there is no edge."""
    known = next(iter(graphs.values()))
    strengths = np.full((len(graphs), len(known.nodes), len(known.nodes)), np.nan)
    for at, (name, graph) in enumerate(graphs.items()):
        if graph.nodes != known.nodes:
            raise InputError(
                f"the graph of {name!r} has other variables than the first: compare graphs of the "
                "same table"
            )
        weights = np.abs([edge.weight for edge in graph.edges])
        largest = max((w for w in weights if np.isfinite(w)), default=0.0) or 1.0
        for edge, weight in zip(graph.edges, weights, strict=True):
            i, j = graph.index(edge.source), graph.index(edge.target)
            share = min(weight / largest, 1.0) if not np.isnan(weight) else 1.0
            strengths[at, i, j] = strengths[at, j, i] = share
    return strengths


def _ordered(strengths: NDArray[np.float64], counts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the edges, those of most methods first, among equals the stronger."""
    one, other = np.nonzero(np.triu(counts > 0, 1))
    total = np.nansum(strengths, axis=0)[one, other]
    order = np.lexsort((-total, -counts[one, other]))  # the last key counts most
    return [(int(one[k]), int(other[k])) for k in order]


def _write_columns(ax: Axes, names: list[str], title: str | None) -> None:
    """Write the methods above their columns, upright so that any number of them fits."""
    ax.set_xlim(-0.5, (1 + _FOR_COUNTS) * len(names) - 0.5)
    with one_warning_for_glyphs():
        shown = [cut(name) for name in names]
        ax.set_xticks(range(len(names)), shown, rotation=90, fontsize=SMALL, parse_math=False)
    ax.tick_params(axis="x", length=0, pad=3, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    if title is not None:
        ax.set_xlabel(title, fontsize=LABEL)


def _explain_colours(ax: Axes, colours: Colormap, below: float) -> None:
    from matplotlib.patches import Patch

    shades = tuple(Patch(color=colours(_on_map(share))) for share in np.linspace(0.0, 1.0, 5))
    legend_below(ax, [shades], ["strength relative to the method's strongest edge"], below)
