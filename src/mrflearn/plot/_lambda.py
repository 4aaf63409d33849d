"""The axis of lambda: logarithmic, large to small, with the number of edges above it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._words import counted
from mrflearn.graph import GraphPath
from mrflearn.plot._results import ResultLike
from mrflearn.plot._style import ACCENT, LABEL, SMALL, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["chosen_lambda", "chosen_words", "count_edges_above", "lambda_axis", "mark_lambda"]

_MOST_TICKS = 7


def lambda_axis(ax: Axes, lams: Sequence[float]) -> NDArray[np.float64]:
    """Make the x-axis one of lambda, and return where on it each lambda is.

    That is the lambda itself, but for infinite ones, which stand a little outside of the others.
    Where some are 0 or negative, the axis is logarithmic on both sides of 0 and linear near it.
    """
    given = np.asarray(lams, dtype=float)
    below, above = np.isneginf(given), np.isposinf(given)
    finite = np.unique(given[np.isfinite(given)])
    shown = finite if len(finite) else np.zeros(1)
    _set_scale(ax, shown)
    transform = ax.xaxis.get_transform()
    inverse = transform.inverted().transform
    low, high = transform.transform(shown[[0, -1]])
    # A lone lambda has room on both sides: half of itself, or a factor of 1.6 on a log axis.
    span = high - low or (max(abs(high) / 2, 1e-3) if ax.get_xscale() == "linear" else 0.4)
    rim = 0.04 * span if len(shown) > 1 else span / 2
    outside = 0.12 * span
    minus, plus = inverse(np.array([low - outside, high + outside]))
    places = np.where(above, plus, np.where(below, minus, given))
    # Round numbers in the rim are fine, unless an infinite lambda stands there.
    reach = [low - rim * (not below.any()), high + rim * (not above.any())]
    ticks = _ticks(ax, *inverse(np.array(reach))) if len(finite) > 1 else finite.tolist()
    labels = {tick: number(tick, 6) for tick in ticks}
    if below.any():
        labels[minus] = number(-math.inf)
    if above.any():
        labels[plus] = number(math.inf)
    ends = [low - rim - outside * below.any(), high + rim + outside * above.any()]
    right, left = inverse(np.array(ends))
    ax.set_xlim(left, right)
    ax.set_xticks(list(labels), list(labels.values()))
    ax.set_xlabel(r"penalty $\lambda$", fontsize=LABEL, labelpad=3)
    return places


def count_edges_above(ax: Axes, path: GraphPath, places: NDArray[np.float64]) -> None:
    """Write the number of edges above the axes, at both ends of the path and at some between."""
    along = ax.xaxis.get_transform().transform(places)
    wanted = np.linspace(along.max(), along.min(), _MOST_TICKS)
    gap = np.ptp(along) / (2 * _MOST_TICKS)
    ticks: dict[float, str] = {}
    last = math.inf
    for place in wanted:
        nearest = int(np.abs(along - place).argmin())
        if last - along[nearest] >= gap:  # few lambdas: some are nearest to several places
            last = along[nearest]
            ticks[float(places[nearest])] = str(len(path[nearest].edges))
    above = ax.secondary_xaxis("top")
    if ax.get_xscale() == "symlog":  # of which matplotlib copies the name, not the threshold
        scale: Any = ax.xaxis.get_transform()
        above.set_xscale("symlog", linthresh=scale.linthresh)
    above.set_xticks(list(ticks), list(ticks.values()))
    above.minorticks_off()
    above.tick_params(length=2.5, width=0.6, pad=2.5, labelsize=SMALL)
    above.set_xlabel("number of edges", fontsize=LABEL, labelpad=4)
    above.spines[:].set_linewidth(0.6)


def chosen_lambda(result: ResultLike) -> float | None:
    """Return the lambda of the graph, None where no point of the path has it."""
    if result.choice is None:
        return None if math.isnan(result.lam) else result.lam
    return None if result.choice.position is None else result.path.lams[result.choice.position]


def mark_lambda(ax: Axes, place: float) -> None:
    """Draw the line of the lambda chosen."""
    ax.axvline(place, color=ACCENT, linewidth=0.9, zorder=2)


def chosen_words(result: ResultLike) -> str:
    """Return in words which lambda is marked, and the graph there."""
    lam, edges = chosen_lambda(result), counted(len(result.graph.edges), "edge")
    if lam is None:
        return rf"no $\lambda$ of these chosen; graph of {edges}"
    way = "given" if result.choice is None else "chosen"
    return rf"{way}: $\lambda$ = {number(lam)}, {edges}"


def _set_scale(ax: Axes, finite: NDArray[np.float64]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    sizes = np.abs(finite[finite != 0])
    if finite[0] > 0:
        ax.set_xscale("log")
    elif len(finite) > 1:
        # A tiny lambda must not stretch the axis over hundreds of decades.
        ax.set_xscale("symlog", linthresh=max(sizes.min(), sizes.max() / 1e6))
    else:
        ax.set_xscale("linear")
    decades = ax.get_xscale() == "log" and finite[0] < finite[-1] < 1e6 * finite[0]
    between = LogLocator(subs=np.arange(2.0, 10.0).tolist()) if decades else NullLocator()
    ax.xaxis.set_minor_locator(between)
    ax.xaxis.set_minor_formatter(NullFormatter())


def _ticks(ax: Axes, low: float, high: float) -> list[float]:
    """Return round numbers between two others."""
    from matplotlib.ticker import MaxNLocator

    if ax.get_xscale() == "log":
        for digits, stride in _LADDERS:
            found = _powers(low, high, digits, stride)
            if len(found) <= _MOST_TICKS:
                break
    else:
        least = float(ax.xaxis.get_transform().linthresh)  # type: ignore[attr-defined]
        for stride in range(1, 400):
            found = [0.0] if low <= 0 <= high else []
            found += _powers(max(low, least), high, (1,), stride)
            found += [-tick for tick in _powers(max(-high, least), -low, (1,), stride)]
            if len(found) <= _MOST_TICKS:
                break
    if len(found) < 2:  # less than a decade, without a round number
        evenly = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        found = [float(tick) for tick in evenly if low <= tick <= high]
    return found


_LADDERS: tuple[tuple[tuple[int, ...], int], ...] = (
    ((1, 2, 5), 1),
    ((1, 3), 1),
    *(((1,), stride) for stride in range(1, 400)),
)
"""Digits of ticks, and from how many decades to how many: dense ones first."""


def _powers(low: float, high: float, digits: tuple[int, ...], stride: int) -> list[float]:
    """Return the digits times each power of ten between two positive numbers."""
    if not 0 < low <= high:
        return []
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    powers = [power for power in exponents if power % stride == 0]
    ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
