"""ROC curves as a figure for a paper: methods differ in colour, line and mark alike."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.metrics import RocCurve, area_under_roc
from mrflearn.plot._save import new_figure, one_warning_for_glyphs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

__all__ = ["Look", "assign_looks", "plot_roc", "plot_roc_panels"]

# Colours of Okabe and Ito (2008), which colour-blind readers tell apart, without the yellow that
# fades on white paper; lines and marks, for grey print. There are 6, 7 and 8, so that two methods
# share all three only if 168 apart.
_LINES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (5, 1.4, 1.2, 1.4)),
    (0, (1.2, 1.3)),
    (0, (5, 1.2, 1.2, 1.2, 1.2, 1.2)),
    (0, (2.6, 1.1)),
)
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "p")
_MARK_SCALE = {"s": 0.88, "D": 0.8, "P": 1.1, "X": 1.1}
"""Diameters at which the marks look equally large."""

_LABEL, _SMALL = 9.0, 8.0
"""Sizes of letters in points: titles and labels of axes; numbers and legends."""
_GREY = "#9A9A9A"


@dataclass(frozen=True)
class Look:
    """How the curve of one method is drawn.

    Attributes
    ----------
    color : str
        Any colour that matplotlib knows.
    linestyle : str or tuple
        As matplotlib has it: `"-"`, `"--"`, `(0, (5, 2))`.
    marker : str
        Mark on some points of the curve; `""` for none.
    linewidth : float, default 1.4
        In points.
    """

    color: str
    linestyle: Any = "-"
    marker: str = ""
    linewidth: float = 1.4


def assign_looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name, fixed by its place: give the result to every figure.

    Examples
    --------
    >>> looks = assign_looks(["GS-MPLE", "GSMN", "GS-MPLE"])
    >>> looks["GSMN"].color, looks["GSMN"].marker
    ('#D55E00', 's')
    """
    return {
        name: Look(
            _COLOURS[place % len(_COLOURS)],
            _LINES[place % len(_LINES)],
            _MARKS[place % len(_MARKS)],
        )
        for place, name in enumerate(dict.fromkeys(names))
    }


def plot_roc(
    curves: Mapping[str, RocCurve],
    ax: Axes | None = None,
    *,
    title: str | None = None,
    areas: bool = True,
    styles: Mapping[str, Look] | None = None,
) -> Axes:
    """Draw ROC curves: sorted by FPR, from (0, 0) to (1, 1), as `area_under_roc` takes them.

    Parameters
    ----------
    curves : dict from name to RocCurve
        One curve for each method, such as `metrics.roc` and `metrics.average_roc` return.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of the width of a column unless given.
    title : str, optional
        Title above the panel.
    areas : bool, default True
        Whether the legend gives the area under each curve as it is drawn.
    styles : dict from name to Look, optional
        Looks of some or all methods, which may name others besides. Methods without one take the
        look of their place among the curves; `assign_looks` keeps looks the same across figures.

    Returns
    -------
    matplotlib Axes
        Save it with `save_figure`.

    Examples
    --------
    >>> good = RocCurve([0.2, 0.1], [0.0, 0.2], [0.6, 0.9])
    >>> axes = plot_roc({"good": good}, title="One method")
    >>> axes.get_legend().get_texts()[0].get_text()
    'good (0.910)'
    """
    looks = _looks([curves], styles)
    if ax is None:
        side = 3.4 - 0.52 - 0.1
        figure = new_figure(3.4, side + 0.45 + 0.3)
        ax = _add_axes(figure, 0.52, 0.45, side)
    lines = _draw_panel(ax, curves, looks)
    if title is not None:
        ax.set_title(title, fontsize=_LABEL, loc="left")
    labels = [f"{name} ({_area(curve)})" if areas else name for name, curve in curves.items()]
    _inner_legend(ax, lines, labels, "Method (area under curve)" if areas else None)
    return ax


def plot_roc_panels(
    panels: Mapping[str, Mapping[str, RocCurve]],
    *,
    ncols: int = 2,
    width: float = 7.0,
    areas: bool = True,
    styles: Mapping[str, Look] | None = None,
) -> Figure:
    """Draw panels of ROC curves, titled (a), (b), (c) and so on, above one legend for all.

    A method has the same look in every panel.

    Parameters
    ----------
    panels : dict from title to dict from name to RocCurve
        The panels, by rows. A method may be missing from some.
    ncols : int, default 2
        Panels in a row.
    width : float, default 7.0
        Width of the figure in inches; its height follows.
    areas : bool, default True
        Whether each panel lists the areas under its curves, over what lies in its lower right.
    styles : dict from name to Look, optional
        As for `plot_roc`; methods without a look take that of their place of first appearance.

    Returns
    -------
    matplotlib Figure
        Save it with `save_figure`.

    Examples
    --------
    >>> good = RocCurve([0.2, 0.1], [0.0, 0.2], [0.6, 0.9])
    >>> fair = RocCurve([0.2, 0.1], [0.1, 0.4], [0.3, 0.7])
    >>> figure = plot_roc_panels({"Ising": {"A": good, "B": fair}, "Gaussian": {"B": good}})
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['(a) Ising', '(b) Gaussian']
    """
    if not isinstance(panels, Mapping) or not 0 < len(panels) <= len(string.ascii_lowercase):
        raise InputError("panels must be a dict of 1 to 26 panels, from title to a dict of curves")
    looks = _looks(panels.values(), styles)
    n_columns = max(1, min(ncols, len(panels)))
    n_rows = math.ceil(len(panels) / n_columns)
    left, right, gap, above, below = 0.52, 0.12, 0.22, 0.3, 0.45  # in inches
    side = (width - left - right - gap * (n_columns - 1)) / n_columns
    if ncols < 1 or not 0.5 <= side <= 20:
        raise InputError(
            f"ncols={ncols} and width={width} do not fit: give at least one column, and between "
            "1 and 20 inches of width for each"
        )
    figure = new_figure(width, 1.0)
    with one_warning_for_glyphs():
        legend = _shared_legend(figure, looks)
    bottom = _height(legend) + 0.04 + below
    height = bottom + n_rows * (side + above)
    figure.set_size_inches(width, height)
    for place, (letter, (title, curves)) in enumerate(
        zip(string.ascii_lowercase, panels.items(), strict=False)
    ):
        row, column = divmod(place, n_columns)
        y = bottom + (n_rows - 1 - row) * (side + above)
        ax = _add_axes(figure, left + column * (side + gap), y, side)
        lines = _draw_panel(ax, curves, looks)
        ax.set_title(f"({letter}) {title}".rstrip(), fontsize=_LABEL, loc="left")
        if areas:
            _inner_legend(ax, lines, list(map(_area, curves.values())), "Area")
        if column:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
        if place + n_columns < len(panels):  # another panel is below
            ax.set_xlabel("")
            ax.tick_params(labelbottom=False)
    return figure


# --- Parts of a panel -----------------------------------------------------------------------------


def _looks(
    panels: Iterable[Mapping[str, RocCurve]], styles: Mapping[str, Look] | None
) -> dict[str, Look]:
    """Return the look of each method in the order of first appearance, and check the curves."""
    names: list[str] = []
    for curves in panels:
        if not isinstance(curves, Mapping) or not curves:
            raise InputError(
                f"curves must be a dict from name to RocCurve, got {curves!r:.60}: "
                "write {'method': curve}"
            )
        for name, curve in curves.items():
            if not isinstance(curve, RocCurve):
                raise InputError(f"the curve of {name!r} must be a RocCurve, got {curve!r:.60}")
        names += curves
    for name, look in (styles or {}).items():
        if not isinstance(look, Look):
            raise InputError(f"the style of {name!r} must be a Look, got {look!r:.60}")
    looks = assign_looks(names)
    return {name: (styles or {}).get(name, look) for name, look in looks.items()}


def _area(curve: RocCurve) -> str:
    return f"{area_under_roc(curve):.3f}"


def _add_axes(figure: Figure, left: float, bottom: float, side: float) -> Axes:
    """Return square axes at a place in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes((left / width, bottom / height, side / width, side / height))


def _draw_panel(
    ax: Axes, curves: Mapping[str, RocCurve], looks: Mapping[str, Look]
) -> list[Line2D]:
    """Draw the square, the diagonal of chance and the curves; return the lines of these."""
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    labels = [f"{tick:g}" for tick in ticks]
    ax.set_xticks(ticks, labels, fontsize=_SMALL)
    ax.set_yticks(ticks, labels, fontsize=_SMALL)
    ax.tick_params(length=2.5, width=0.6, pad=2.5)
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="equal")
    ax.set_xlabel("False positive rate", fontsize=_LABEL, labelpad=3)
    ax.set_ylabel("True positive rate", fontsize=_LABEL, labelpad=3)
    ax.spines[:].set_linewidth(0.6)
    ax.plot([0, 1], [0, 1], color=_GREY, linewidth=0.6, zorder=1)
    lines = []
    for place, (name, curve) in enumerate(curves.items()):
        try:
            x, y = curve.line()
        except InputError as error:
            raise InputError(f"{name!r}: {error}") from None
        line = _line(looks[name], x, y)
        line.set(
            label=name,
            zorder=3 + (len(curves) - place) / len(curves),  # the first on top
            # Curves run along the rims of the square: a clipped line would be half as wide there.
            clip_on=False,
            markevery=_marked(x, y, place / len(curves)),
        )
        lines.append(ax.add_line(line))
    return lines


def _marked(x: NDArray[np.float64], y: NDArray[np.float64], shift: float) -> list[int]:
    """Return points at about even distances along a curve, its two added ends left out.

    Methods differ in `shift`, from 0 to 1, so that not all have their marks in the same places.
    """
    if len(x) <= 2:
        return []
    along = np.hypot(np.diff(x), np.diff(y))[:-1].cumsum()  # of the points between the ends
    gap = 0.15
    wanted = np.arange(gap * (0.25 + shift), along[-1], gap)
    return sorted({int(np.abs(along - place).argmin()) + 1 for place in wanted})


def _line(look: Look, x: Any = (), y: Any = ()) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D(
        x,
        y,
        color=look.color,
        linestyle=look.linestyle,
        linewidth=look.linewidth,
        marker=look.marker,
        markersize=4.2 * _MARK_SCALE.get(look.marker, 1.0),
        markerfacecolor="white",
        markeredgewidth=0.9,
        solid_joinstyle="round",
    )


# --- Legends --------------------------------------------------------------------------------------


def _inner_legend(ax: Axes, lines: list[Line2D], labels: list[str], title: str | None) -> None:
    """Explain the lines in the lower right, where few curves pass."""
    ax.legend(
        lines,
        labels,
        title=title,
        loc="lower right",
        alignment="left",
        fontsize=_SMALL,
        title_fontsize=_SMALL,
        handlelength=4.0,
        handletextpad=0.6,
        labelspacing=0.3,
        borderpad=0.4,
        borderaxespad=0.6,
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
    )


def _shared_legend(figure: Figure, looks: Mapping[str, Look]) -> Legend:
    """Name the methods at the foot of the figure, in as few rows as fit its width."""
    lines = [_line(look) for look in looks.values()]
    for n_rows in range(1, len(looks) + 1):
        legend = figure.legend(
            lines,
            list(looks),
            loc="lower center",
            ncols=math.ceil(len(looks) / n_rows),
            fontsize=_SMALL,
            frameon=False,
            handlelength=4.0,
            handletextpad=0.6,
            columnspacing=1.6,
            labelspacing=0.4,
            borderpad=0.0,
            borderaxespad=0.2,
        )
        if legend.get_window_extent().width <= 0.98 * figure.bbox.width:
            break
        if n_rows < len(looks):
            legend.remove()
    return legend


def _height(legend: Legend) -> float:
    """Return the height of a legend in inches."""
    figure: Any = legend.figure
    return float(legend.get_window_extent().height) / figure.dpi
