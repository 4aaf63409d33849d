"""How sure edges are, as a figure: in how many subsamples each was found, the surest on top."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.plot._results import ResultLike, StabilityLike
from mrflearn.plot._rows import axes_for_rows, edge_label, write_rows
from mrflearn.plot._style import (
    ACCENT,
    CHOSEN,
    DARK,
    DASHES,
    LABEL,
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

__all__ = ["plot_stability"]


def plot_stability(
    stability_or_result: StabilityLike | ResultLike,
    at_least: float = 0.5,
    most: int = 40,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw in how many subsamples each edge was found.

    Of a result, edges of its graph are blue and filled, also those that no subsample has; edges
    that only subsamples have are vermilion and hollow. Of a stability alone, those that reach the
    threshold are blue, others grey.

    Parameters
    ----------
    stability_or_result : Stability or Result
        What `stability` returns, or `learn` with `n_subsamples`.
    at_least : float, default=0.5
        Threshold to draw, a share of the subsamples.
    most : int, default=40
        Edges to show, the surest; how many are left out is said below them.
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
        If the result has no subsamples, or nothing was found in any.

    Examples
    --------
    >>> from mrflearn.stability import Stability
    >>> shares = np.array([[0.0, 0.9, 0.2], [0.9, 0.0, 0.0], [0.2, 0.0, 0.0]])
    >>> axes = plot_stability(Stability(("rain", "wet", "wind"), shares, 10, 0.5))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['rain – wet', 'rain – wind']
    """
    most = check_most(most)
    if isinstance(at_least, bool) or not isinstance(at_least, Real) or not 0 < at_least <= 1:
        raise InputError(f"at_least must be a share between 0 and 1, got {at_least!r}")
    found, graph = _parts(stability_or_result)
    shares = found.frequencies
    chosen = shares >= at_least if graph is None else graph.adjacency
    pairs = _ordered(shares, np.zeros_like(chosen) if graph is None else chosen)
    if not pairs:
        raise InputError(
            f"no edge was found in any of the {found.n_subsamples} subsamples: there is nothing to "
            "draw; take larger ones (fraction=0.8) or a smaller lambda"
        )
    shown, hidden = pairs[:most], pairs[most:]
    labels = [edge_label(found.nodes[i], found.nodes[j]) for i, j in shown]
    if graph is None:
        looks = {
            True: (CHOSEN, f"in at least {at_least:g} of the subsamples"),
            False: (OTHER, "in fewer"),
        }
    else:
        looks = {
            True: (CHOSEN, "in the graph of all rows"),
            False: (ACCENT, "in subsamples only"),
        }
    handles = [
        mark(colour, filled, label)
        for filled, (colour, label) in looks.items()
        if any(chosen[pair] == filled for pair in shown)
    ]
    handles.append(line(f"threshold {at_least:g}"))
    note = _note(shares, None if graph is None else chosen, hidden)
    if ax is None:
        ax = axes_for_rows(labels, note, len(handles), 0.12 if title is None else 0.3)
    for row, pair in enumerate(shown):
        filled = bool(chosen[pair])
        ax.plot(
            [0, shares[pair]],
            [row, row],
            color=looks[filled][0],
            linewidth=1.2,
            marker="o",
            markevery=[1],
            markersize=5.0,
            markerfacecolor=looks[filled][0] if filled else "white",
            markeredgewidth=1.0,
            solid_capstyle="butt",
            clip_on=False,  # marks at 0 and 1 are whole
            zorder=3,
        )
    ax.axvline(at_least, color=DARK, linewidth=0.9, linestyle=DASHES, zorder=1)
    thin(ax, title)
    ax.set_xlim(0, 1)
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xlabel(f"share of {found.n_subsamples} subsamples", fontsize=LABEL, labelpad=3)
    ax.spines[["top", "right"]].set_visible(False)
    write_rows(ax, labels, note)
    legend_below(ax, handles)
    return ax


def _parts(given: StabilityLike | ResultLike) -> tuple[StabilityLike, Graph | None]:
    """Return the shares, and the graph of all rows where there is one."""
    if isinstance(given, StabilityLike):
        return given, None
    if not isinstance(given, ResultLike):
        raise InputError(
            f"plot_stability takes what learn or stability returns, got {type(given).__name__}: "
            "call learn(data, n_subsamples=50)"
        )
    if given.stability is None:
        raise InputError(
            "the result has no subsamples, so nothing says how sure its edges are: call "
            "learn(data, n_subsamples=50)"
        )
    if given.stability.nodes != given.graph.nodes:
        raise InputError("the graph and the subsamples of the result have different variables")
    return given.stability, given.graph


def _ordered(shares: np.ndarray, known: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs found at all, the surest first, and among equals those of the graph."""
    one, other = np.nonzero(np.triu((shares > 0) | known, 1))
    order = np.lexsort((~known[one, other], -shares[one, other]))  # the last key counts most
    return [(int(one[k]), int(other[k])) for k in order]


def _note(
    shares: np.ndarray, chosen: np.ndarray | None, hidden: list[tuple[int, int]]
) -> tuple[str, str] | None:
    """Return what is said of edges left out, if any are."""
    if not hidden:
        return None
    n_chosen = 0 if chosen is None else sum(bool(chosen[pair]) for pair in hidden)
    text = f"in at most {number(shares[hidden[0]])} of them"
    return f"… {len(hidden)} more", text + (f"; {n_chosen} in the graph" if n_chosen else "")
