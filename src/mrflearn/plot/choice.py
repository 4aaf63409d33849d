"""Why this lambda, as a figure: what was looked at along the path, its limit, the point chosen."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.plot._lambda import chosen_words, count_edges_above, lambda_axis, mark_lambda
from mrflearn.plot._results import ResultLike
from mrflearn.plot._save import new_figure
from mrflearn.plot._style import (
    ACCENT,
    CHOSEN,
    DASHES,
    LABEL,
    OTHER,
    legend_below,
    legend_height,
    line,
    number,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["plot_choice"]


def plot_choice(result: ResultLike, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw what was looked at to choose lambda: the criterion, its limit, and the point chosen.

    Lambda falls to the right, and the number of edges is written above. Where the criterion was
    not looked at, the line has a gap; where it is infinite, an arrow is at the rim.

    Parameters
    ----------
    result : Result
        What `learn` returns, if it chose lambda.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of the width of a column unless given.
    title : str, optional
        Title above the picture.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`.

    Raises
    ------
    InputError
        If lambda was given, or none was asked for, so that nothing was chosen.

    Examples
    --------
    >>> from mrflearn import learn
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> X = np.column_stack([a, a + rng.normal(size=200), rng.normal(size=200)])
    >>> plot_choice(learn(X, dependence="gaussian", n_jobs=1, quiet=True)).get_ylabel()
    'expected share of false edges'
    """
    from matplotlib.ticker import MaxNLocator

    if not isinstance(result, ResultLike):
        raise InputError(f"plot_choice takes what learn returns, got {type(result).__name__}")
    choice = result.choice
    if choice is None and result.lam == -math.inf:
        raise InputError(
            "no lambda was asked for, so none was chosen and there is nothing to draw: call learn "
            "with lam='auto'"
        )
    if choice is None:
        raise InputError(
            f"lambda {result.lam:g} was given, so nothing was chosen: call learn without lam="
        )
    values = np.array(choice.values, dtype=float)
    if len(values) != len(result.path):
        raise InputError(
            f"the choice has {len(values)} values for a path of {len(result.path)} lambdas"
        )
    if np.isnan(values).all():
        raise InputError(
            f"the {choice.criterion} is known at no lambda of the path, so there is nothing to "
            "draw: the table may be too small for this selection="
        )
    handles = [_point(chosen_words(result), drawn=choice.position is not None)]
    if choice.limit is not None:
        handles.append(line(f"limit {number(choice.limit)}", OTHER))
    if ax is None:
        ax = _new_axes(len(handles), title)
    places = lambda_axis(ax, result.path.lams)
    _draw_values(ax, places, values)
    if choice.limit is not None:
        ax.axhline(choice.limit, color=OTHER, linewidth=0.9, linestyle=DASHES, zorder=1)
    if choice.position is not None:
        at = places[choice.position]
        mark_lambda(ax, float(at))
        ax.plot([at], [values[choice.position]], **_POINT, clip_on=False, zorder=4)
    thin(ax, title)
    ax.margins(y=0.07)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    ax.set_ylabel(textwrap.fill(choice.criterion, 36), fontsize=LABEL, labelpad=3)
    count_edges_above(ax, result.path, places)
    legend_below(ax, handles)
    return ax


_POINT: dict[str, Any] = {
    "color": ACCENT,
    "linestyle": "",
    "marker": "D",
    "markersize": 6.0,
    "markeredgecolor": "white",
    "markeredgewidth": 0.8,
}


def _point(label: str, drawn: bool) -> Line2D:
    """Return what the legend shows for the point chosen: nothing, if none was."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **(_POINT if drawn else {"linestyle": ""}))


def _new_axes(n_legend_lines: int, title: str | None) -> Axes:
    """Return axes in a figure of their own, sizes in inches."""
    left, right, across, high = 0.72, 0.12, 3.0, 2.3
    above, below = 0.45 if title is None else 0.65, legend_height(n_legend_lines)
    width, height = left + across + right, below + high + above
    figure = new_figure(width, height)
    return figure.add_axes((left / width, below / height, across / width, high / height))


def _draw_values(ax: Axes, places: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """Draw the criterion in the order of lambda, whatever the order of the path."""
    order = np.argsort(-places, kind="stable")
    x, y = places[order], values[order]
    known = np.where(np.isfinite(y), y, np.nan)
    ax.plot(x, known, color=CHOSEN, linewidth=1.2, marker="o", markersize=2.4, zorder=3)
    for rim, arrow, there in ((1.0, "^", np.isposinf(y)), (0.0, "v", np.isneginf(y))):
        if there.any():
            ax.plot(
                x[there],
                np.full(there.sum(), rim),
                color=CHOSEN,
                linestyle="",
                marker=arrow,
                markersize=4.0,
                transform=ax.get_xaxis_transform(),
                clip_on=False,
                zorder=3,
            )
