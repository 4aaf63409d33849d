"""What figures share: sizes, colours, names that fit, and legends below the axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mrflearn.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = [
    "ACCENT",
    "CHOSEN",
    "DARK",
    "DASHES",
    "LABEL",
    "OTHER",
    "SMALL",
    "check_most",
    "cut",
    "legend_below",
    "legend_height",
    "line",
    "mark",
    "number",
    "thin",
]

LABEL, SMALL = 9.0, 8.0
"""Sizes of letters in points: titles and labels of axes; numbers and legends."""
CHOSEN, ACCENT = "#0072B2", "#D55E00"
"""Blue and vermilion of Okabe and Ito (2008), which colour-blind readers tell apart."""
OTHER, DARK = "#8C8C8C", "#333333"
DASHES: Any = (0, (4, 2))
"""Of limits and thresholds."""
_LINE_INCHES = 0.165
"""Height of one line of a legend."""
_BELOW_AXES = 0.42
"""Inches that the numbers and the label of the x-axis take."""


def cut(name: str, most: int = 22) -> str:
    """Return a name on one line, without its middle if it is long: ends often tell names apart."""
    # Half of a character, which text in Python may hold, is none to a font or a file.
    whole = name.encode(errors="backslashreplace").decode()
    text = " ".join(whole.split()) or whole
    if len(text) <= most:
        return text
    head = 2 * most // 3
    return f"{text[:head]}…{text[head + 1 - most :]}"


def check_most(most: Any) -> int:
    """Return how many edges to show."""
    from numbers import Integral

    if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
        raise InputError(f"most must be a whole number of edges to show, from 1; got {most!r}")
    return int(most)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as a figure shows it, a dash where it is not known."""
    if value is None or value != value:
        return "–"
    return f"{value:.{digits}g}".replace("-", "−").replace("inf", "∞")


def thin(ax: Axes, title: str | None) -> None:
    """Give axes the thin lines and small numbers of a paper, and a title on the left."""
    ax.tick_params(length=2.5, width=0.6, pad=2.5, labelsize=SMALL)
    ax.tick_params(which="minor", length=1.5, width=0.4)
    ax.spines[:].set_linewidth(0.6)
    if title is not None:
        ax.set_title(title, fontsize=LABEL, loc="left")


def mark(colour: str, filled: bool, label: str, width: float = 1.2) -> Line2D:
    """Return what a legend shows for a row: a line and the mark at its end."""
    from matplotlib.lines import Line2D

    face = colour if filled else "white"
    style: dict[str, Any] = {"markersize": 5.0, "markerfacecolor": face, "markeredgewidth": 1.0}
    return Line2D([], [], color=colour, linewidth=width, marker="o", label=label, **style)


def line(label: str, colour: str = DARK, dashed: bool = True) -> Line2D:
    """Return what a legend shows for a line across the axes."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color=colour, linewidth=0.9, linestyle=DASHES if dashed else "-", label=label
    )


def legend_below(
    ax: Axes,
    handles: Sequence[Any],
    labels: Sequence[str] | None = None,
    below: float = _BELOW_AXES,
) -> None:
    """Explain colours and lines below the label of the x-axis, where nothing is hidden.

    Artists of one tuple stand side by side, and need `labels`; `below` is how far below the axes,
    in inches.
    """
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.transforms import ScaledTranslation

    if not handles:
        return
    figure: Any = ax.figure
    ax.legend(
        handles,
        [one.get_label() for one in handles] if labels is None else labels,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=ax.transAxes + ScaledTranslation(0.0, -below, figure.dpi_scale_trans),
        frameon=False,
        fontsize=SMALL,
        borderpad=0.0,
        borderaxespad=0.0,
        labelspacing=0.35,
        handlelength=2.4,
        handletextpad=0.7,
    )


def legend_height(n_lines: int) -> float:
    """Return the inches needed below axes: numbers, their label, and lines of a legend."""
    return _BELOW_AXES + n_lines * _LINE_INCHES + 0.05
