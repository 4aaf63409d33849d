"""How nodes and edges look: colours and shapes by kind, widths by strength, paler if unsure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "EDGE_COLOUR",
    "LOOKS",
    "UNSURE",
    "edge_opacity",
    "edge_width",
    "largest_weight",
    "width_legend",
]

# Colours of Okabe and Ito (2008), which colour-blind readers tell apart; shapes, for grey print.
LOOKS = {
    "continuous": ("#0072B2", "o"),
    "ordinal": ("#009E73", "D"),
    "nominal": ("#E69F00", "s"),
    "mixed": ("#CC79A7", "h"),
    "": ("#7F7F7F", "o"),
}
"""Colour of a node and matplotlib's name of its shape, by kind; "" where that is not known."""
EDGE_COLOUR = "#7A7A7A"
_THINNEST, _WIDEST = 0.7, 5.0
"""Widths of edges, in points."""

UNSURE = "not sure"
"""Label of dashed edges: a q-value above 0.05, or none since the edge cannot be tested."""

_PALEST = 0.2
"""Opacity of an edge that no subsample has; that of one which all have is 1."""


def edge_opacity(confidence: float | None) -> float:
    """Return the opacity of an edge that a share of the subsamples has; 1 if that is unknown.

    `report/picture.js` has the same formula.
    """
    return 1.0 if confidence is None else _PALEST + (1 - _PALEST) * confidence


def largest_weight(weights: Sequence[float]) -> float:
    """Return the largest finite weight, 0 if none is positive."""
    return max((weight for weight in weights if 0 < weight < math.inf), default=0.0)


def edge_width(weight: float, largest: float) -> float:
    """Return the width of an edge in points, proportional to its weight down to the thinnest."""
    if math.isnan(weight):
        return 1.5
    if weight <= 0:
        return _THINNEST
    return max(_THINNEST, _WIDEST * min(weight / largest, 1.0)) if largest else _WIDEST


def width_legend(weights: Sequence[float]) -> list[tuple[float, Literal["-", "--"], str]]:
    """Return width, style and label of lines that explain the widths of edges."""
    from matplotlib.ticker import MaxNLocator

    unknown_weights = [weight for weight in weights if math.isnan(weight)]
    if len(unknown_weights) == len(weights):
        return []
    largest = largest_weight(weights)
    lines: list[tuple[float, Literal["-", "--"], str]] = []
    if largest:
        ticks = MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]).tick_values(0.0, largest)
        lines = [
            (edge_width(tick, largest), "-", f"{tick:g}") for tick in ticks if 0 < tick <= largest
        ]
    if min(weight for weight in weights if not math.isnan(weight)) <= 0:
        lines.insert(0, (_THINNEST, "-", "0 or less"))
    if math.inf in weights:
        lines.append((_WIDEST, "-", "infinite"))
    if unknown_weights:
        lines.append((edge_width(math.nan, largest), "--", "unknown"))
    return lines
