"""Edges as rows of a figure, the first on top, each with its name on the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mrflearn.plot._save import figure_of, new_figure, one_warning_for_glyphs
from mrflearn.plot._style import DARK, OTHER, SMALL, cut, legend_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes_for_rows", "edge_label", "text_widths", "write_rows"]

_ROW_INCHES = 0.19
_TALLEST = 100.0
"""Inches; taller pictures have more dots than files of some kinds can hold."""


def edge_label(source: str, target: str) -> str:
    """Return the name of an edge."""
    return f"{cut(source)} – {cut(target)}"


def axes_for_rows(
    labels: Sequence[str], note: tuple[str, str] | None, n_legend_lines: int, above: float
) -> Axes:
    """Return axes in a figure of their own, as high as the rows and as wide as the names need.

    A note takes one more row; `above` is the room above the axes in inches.
    """
    names = [*labels, note[0]] if note else labels
    left = max(text_widths(names)) + 0.12
    across, right = 3.3, 0.15
    rows = min((len(names) + 0.4) * _ROW_INCHES, _TALLEST)
    below = legend_height(n_legend_lines)
    width, height = left + across + right, below + rows + above
    figure = new_figure(width, height)
    return figure.add_axes((left / width, below / height, across / width, rows / height))


def write_rows(
    ax: Axes, labels: Sequence[str], note: tuple[str, str] | None, until: float = 1.0
) -> None:
    """Write the name of each row beside it; a note takes the row below, beside and inside.

    A line leads from each name to the right, until a share of the width of the axes.
    """
    n_rows = len(labels) + (note is not None)
    inches = ax.get_window_extent().height / figure_of(ax).dpi
    size = float(np.clip(0.8 * 72 * inches / (n_rows + 0.4), 3.0, SMALL))
    names = [*labels, note[0]] if note else list(labels)
    ax.set_ylim(n_rows - 0.3, -0.7)
    # A dollar sign in a name is no formula.
    texts: dict[str, Any] = {"fontsize": size, "parse_math": False}
    with one_warning_for_glyphs():
        ax.set_yticks(range(n_rows), names, **texts)
    ax.tick_params(axis="y", length=0, pad=4)
    if note:
        ax.get_yticklabels()[-1].set_color(DARK)
        ax.text(
            0.02,
            len(labels),
            note[1],
            transform=ax.get_yaxis_transform(),
            va="center_baseline",
            fontsize=size,
            color=DARK,
            style="italic",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            zorder=5,
        )
    for row in range(len(labels)):  # leads the eye from a name to its mark
        ax.axhline(row, xmax=until, color=OTHER, linewidth=0.4, alpha=0.4, zorder=0)


def text_widths(labels: Sequence[str]) -> list[float]:
    """Return how wide texts are, in inches."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.text import Text

    figure = new_figure(1.0, 1.0)
    renderer: Any = RendererAgg(16, 16, figure.dpi)
    widths = []
    with one_warning_for_glyphs():
        for label in labels:
            text = Text(0, 0, label, fontsize=SMALL, parse_math=False, figure=figure)
            widths.append(text.get_window_extent(renderer).width / figure.dpi)
    return widths
