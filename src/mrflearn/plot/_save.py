"""What all figures share: a canvas that needs no display, and files of three kinds."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrflearn._files import write_atomically
from mrflearn.errors import InputError, unknown, warn_user

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FIGURES",
    "figure_bytes",
    "figure_of",
    "new_figure",
    "one_warning_for_glyphs",
    "save_figure",
]

FIGURES = (".png", ".svg", ".pdf")
"""Suffixes that `save_figure` knows."""


def save_figure(figure: Figure | Axes, path: str | os.PathLike[str]) -> Path:
    """Write a figure to a PNG (200 dots an inch), SVG or PDF file.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
        The figure, such as `plot_roc_panels` returns, or axes in it, such as `plot_graph` returns.
    path : str or path
        The file; its suffix says which kind. It is never half written, and the same figure gives
        the same bytes.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If the suffix is unknown or the file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FIGURES:
        error = unknown("file type", target.suffix, FIGURES)
        raise InputError(f"cannot write {str(target)!r}: {error}")
    return write_atomically(target, figure_bytes(figure, suffix))


def figure_bytes(figure: Figure | Axes, suffix: str) -> bytes:
    """Return what `save_figure` writes."""
    import matplotlib as mpl

    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    stream = io.BytesIO()
    # Journals ask for TrueType fonts in a PDF; the salt makes the ids in an SVG the same each time.
    with (
        mpl.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "mrflearn"}),
        one_warning_for_glyphs(),
    ):
        figure_of(figure).savefig(
            stream,
            format=suffix[1:],
            dpi=200,
            bbox_inches="tight",
            pad_inches=0.1,
            metadata=dates.get(suffix),
        )
    return stream.getvalue()


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sizes in inches, that pyplot does not know and no display shows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def figure_of(drawn: Figure | Axes) -> Figure:
    """Return the whole figure that a figure, a part of one, or axes belong to."""
    holder: Any = drawn.figure
    return holder.figure  # axes may be in a subfigure; the figure of a figure is itself


@contextmanager
def one_warning_for_glyphs() -> Iterator[None]:
    """Say once, not for each character, that the font cannot show some of the names."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    lacking = [entry for entry in caught if str(entry.message).startswith("Glyph ")]
    for entry in caught:
        if entry not in lacking:
            warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)
    if lacking:
        warn_user(
            "the font of the figure lacks some characters of the names, which show as boxes: "
            "choose another with matplotlib's font.family",
        )
