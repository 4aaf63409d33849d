"""A graph as a figure for a paper: nodes coloured by kind, edges as wide as they are strong.

The less sure an edge is, the paler it is drawn, where that is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mrflearn._as_graph import as_graph
from mrflearn.errors import InputError, unknown
from mrflearn.graph import Graph
from mrflearn.plot._labels import label_offsets
from mrflearn.plot._layout import Positions, layout
from mrflearn.plot._looks import (
    EDGE_COLOUR,
    LOOKS,
    UNSURE,
    edge_opacity,
    edge_width,
    largest_weight,
    width_legend,
)
from mrflearn.plot._save import figure_of, new_figure, one_warning_for_glyphs
from mrflearn.plot._style import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["place_nodes", "plot_graph"]

_EDGE_INCHES = 0.9
"""Length of an edge in a new figure."""


def plot_graph(
    graph: Any,
    ax: Axes | None = None,
    *,
    kinds: Mapping[str, str] | Sequence[str] | None = None,
    title: str | None = None,
    places: Positions | None = None,
) -> Axes:
    """Draw a graph. The same graph gives the same picture every time.

    Parameters
    ----------
    graph : Graph, Result or fitted estimator
        The graph, or what has one. Nodes without an edge stand in rows below the others.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of a fitting size unless given. The picture fills the axes as
        large as they are now, so set the size of the figure first.
    kinds : dict from node to kind, or sequence of kinds in the order of the nodes, optional
        `"continuous"`, `"ordinal"`, `"nominal"` or `"mixed"`, as in `Table.kinds`: colours nodes.
        Edges are the paler, the fewer subsamples have them, where `Edge.confidence` is known.
    title : str, optional
        Title above the picture.
    places : ndarray of shape (n_nodes, 2), optional
        Where the nodes stand, an edge about one unit long; found by `place_nodes` unless given.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`; in a notebook, `plot_graph(graph).figure` shows it.

    Examples
    --------
    >>> graph = Graph(("rain", "sprinkler", "wet"), (("wet", "rain", 0.4), ("wet", "sprinkler")))
    >>> axes = plot_graph(graph, kinds={"rain": "continuous"}, title="A wet lawn")
    >>> axes.get_title()
    'A wet lawn'
    """
    graph = as_graph(graph, "plot_graph")
    of_kind = _check_kinds(graph, kinds)
    places = place_nodes(graph) if places is None else places
    if ax is None:
        ax = _new_axes(places, 0.6 if _has_confidence(graph) else 0.36)
    ax.set_axis_off()
    if title is not None:
        ax.set_title(title)
    size = _marker_size(places, ax)
    _set_limits(ax, places, size)
    _draw_edges(ax, graph, places)
    _draw_nodes(ax, places, of_kind, size)
    with one_warning_for_glyphs():
        _draw_labels(ax, graph, places, size)
    _draw_legends(ax, graph, of_kind)
    return ax


def _check_kinds(graph: Graph, kinds: Mapping[str, str] | Sequence[str] | None) -> list[str]:
    """Return the kind of each node, "" where it is not known."""
    if kinds is None:
        return [""] * len(graph.nodes)
    if isinstance(kinds, Mapping):
        for node in kinds:
            graph.index(node)
        of_kind = [kinds.get(node, "") for node in graph.nodes]
    else:
        of_kind = list(kinds)
        if len(of_kind) != len(graph.nodes):
            raise InputError(
                f"kinds= has {len(of_kind)} kinds for {len(graph.nodes)} nodes: give one for each, "
                "or a dict from node to kind"
            )
    for kind in of_kind:
        if kind not in LOOKS:
            raise unknown("kind", kind, [known for known in LOOKS if known])
    return of_kind


# --- Figure, marks and labels ---------------------------------------------------------------------


def place_nodes(graph: Graph) -> Positions:
    """Return a place for each node, isolated ones as far apart as their labels need."""
    alone = [node for node, row in zip(graph.nodes, graph.adjacency, strict=True) if not row.any()]
    longest = max((len(cut(node)) for node in alone), default=0)
    label = longest * 0.6 * _font_size(graph) / 72  # in inches, and about
    return layout(graph.adjacency, max(label / _EDGE_INCHES + 0.2, 0.9))


def _new_axes(places: Positions, legend: float) -> Axes:
    """Return axes in a figure of their own, about an inch to an edge and no larger than a page.

    Below them are `legend` inches and a quarter for legends.
    """
    extent = np.ptp(places, axis=0) if len(places) else np.zeros(2)
    inches = np.clip(extent * _EDGE_INCHES + [1.4, 0.8], [3.2, 1.0], [16.0, 16.0])
    legend += 0.24
    figure = new_figure(float(inches[0]), float(inches[1]) + legend)
    bottom = legend / (inches[1] + legend)
    return figure.add_axes((0.0, float(bottom), 1.0, float(1 - bottom)))


def _inches(ax: Axes) -> Positions:
    """Return width and height of the axes in inches."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) / figure_of(ax).dpi


def _marker_size(places: Positions, ax: Axes) -> float:
    """Return the diameter of a node in points."""
    room = math.sqrt(float(np.prod(_inches(ax))) / max(len(places), 1))
    return float(np.clip(0.13 * 72 * room, 4.0, 13.0))


def _set_limits(ax: Axes, places: Positions, size: float) -> None:
    """Let the places fill the axes, with room for marks and labels at the rim."""
    if not len(places):
        return
    rim = np.minimum(np.array([0.55, 0.3]) + size / 144, _inches(ax) / 4)
    extent = np.ptp(places, axis=0)
    unit = extent / (_inches(ax) - 2 * rim)
    # A little stretching helps the picture fill the axes; more would mislead about distances.
    unit = np.maximum(unit, unit.max() / 1.3) if unit.any() else np.ones(2)
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    half = unit * _inches(ax) / 2
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])


def _has_confidence(graph: Graph) -> bool:
    """Return whether it is known how sure edges are."""
    return any(edge.confidence is not None for edge in graph.edges)


def _draw_edges(ax: Axes, graph: Graph, places: Positions) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    weights = [edge.weight for edge in graph.edges]
    largest = largest_weight(weights)
    some_known = not all(map(math.isnan, weights))
    unsure = set(graph.unsure)
    ax.add_collection(
        LineCollection(
            list(_segments(graph, places)),
            linewidths=[edge_width(weight, largest) for weight in weights],
            linestyles=[
                "--" if edge in unsure or (some_known and math.isnan(edge.weight)) else "-"
                for edge in graph.edges
            ],
            colors=[to_rgba(EDGE_COLOUR, edge_opacity(edge.confidence)) for edge in graph.edges],
            capstyle="round",
            zorder=1,
        ),
        autolim=False,
    )


def _segments(graph: Graph, places: Positions) -> Positions:
    """Return the two ends of each edge, shape (n_edges, 2, 2)."""
    ends = [(graph.index(edge.source), graph.index(edge.target)) for edge in graph.edges]
    return places[np.array(ends, dtype=np.intp).reshape(-1, 2)]


_MARKER_SCALE = {"o": 1.0, "D": 0.8, "s": 0.88, "h": 1.05}
"""Diameters at which the shapes look equally large."""


def _draw_nodes(ax: Axes, places: Positions, of_kind: list[str], size: float) -> None:
    for kind, (colour, marker) in LOOKS.items():
        chosen = [position for position, own in enumerate(of_kind) if own == kind]
        if chosen:
            ax.scatter(
                places[chosen, 0],
                places[chosen, 1],
                s=(size * _MARKER_SCALE[marker]) ** 2,
                c=colour,
                marker=marker,
                edgecolors="white",
                linewidths=0.8,
                zorder=2,
            )


def _font_size(graph: Graph) -> float:
    """Return the size of labels in points: the more of them, the smaller."""
    return float(np.interp(len(graph.nodes), [20, 60, 200], [9.0, 7.5, 5.5]))


def _draw_labels(ax: Axes, graph: Graph, places: Positions, size: float) -> None:
    """Write each name next to its node, where it covers least."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.patheffects import withStroke

    if not graph.nodes:
        return
    font = _font_size(graph)
    labels = [
        ax.annotate(
            cut(node),
            (float(x), float(y)),
            xytext=(0, 0),
            textcoords="offset points",
            ha="center",
            va="baseline",
            fontsize=font,
            parse_math=False,  # a dollar sign in a name is no formula
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
            zorder=3,
        )
        for node, (x, y) in zip(graph.nodes, places, strict=True)
    ]
    points = 72 / figure_of(ax).dpi
    renderer: Any = RendererAgg(16, 16, figure_of(ax).dpi)
    widths = [label.get_window_extent(renderer).width * points for label in labels]
    offsets = label_offsets(
        ax.transData.transform(places) * points,
        ax.transData.transform(_segments(graph, places).reshape(-1, 2)).reshape(-1, 2, 2) * points,
        np.array([(width, 1.1 * font) for width in widths]),
        size,
    )
    for label, (right, up) in zip(labels, offsets, strict=True):
        label.xyann = (float(right), float(up) - 0.33 * font)  # from the middle to the baseline


def _draw_legends(ax: Axes, graph: Graph, of_kind: list[str]) -> None:
    """Explain colours, widths and opacity in up to three rows below the picture."""
    from matplotlib.lines import Line2D

    shown = [kind for kind in LOOKS if kind in of_kind]
    rows = []
    if shown not in ([], [""]):
        rows.append(
            [
                Line2D(
                    [],
                    [],
                    linestyle="",
                    color=LOOKS[kind][0],
                    marker=LOOKS[kind][1],
                    markersize=8 * _MARKER_SCALE[LOOKS[kind][1]],
                    markeredgecolor="white",
                    label=kind or "unknown kind",
                )
                for kind in shown
            ]
        )
    if widths := width_legend([edge.weight for edge in graph.edges]):
        heading = Line2D([], [], linestyle="", label=f"weight ({graph.unit})")
        lines = [
            Line2D([], [], color=EDGE_COLOUR, linewidth=width, linestyle=style, label=label)
            for width, style, label in widths
        ]
        if graph.unsure:
            lines.append(Line2D([], [], color=EDGE_COLOUR, linestyle="--", label=UNSURE))
        rows.append([heading, *lines])
    if _has_confidence(graph):
        heading = Line2D([], [], linestyle="", label="share of subsamples with it")
        shares = [
            Line2D(
                [],
                [],
                color=EDGE_COLOUR,
                alpha=edge_opacity(share),
                linewidth=3,
                label=f"{share:.0%}",
            )
            for share in (0.0, 0.5, 1.0)
        ]
        rows.append([heading, *shares])
    for position, handles in enumerate(rows):
        if (earlier := ax.get_legend()) is not None:
            ax.add_artist(earlier)  # axes have one legend; another is an artist among others
            earlier.set_clip_on(False)
        ax.legend(
            handles=handles,
            ncols=len(handles),
            loc="upper center",
            bbox_to_anchor=(0.5, -(0.02 + 0.24 * position) / float(_inches(ax)[1])),
            frameon=False,
            fontsize=8.5,
            borderpad=0.0,
            borderaxespad=0.0,
            columnspacing=1.4,
            handletextpad=0.5,
            handlelength=2.0,
        )
