"""A progress bar on the terminal, for whoever is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mrflearn._progress import listening

__all__ = ["shown"]


@contextmanager
def shown(quiet: bool = False) -> Iterator[None]:
    """Show reports of progress on standard error, one bar a phase, if it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars: dict[str, int] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in bars:
                bars[phase] = progress.add_task(phase, total=total)
            progress.update(bars[phase], completed=done, total=total)  # type: ignore[arg-type]

        with listening(show):
            yield
