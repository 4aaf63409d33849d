"""A progress bar on the terminal, for whoever is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mrflearn._progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["bars", "shown"]


@contextmanager
def shown(quiet: bool = False) -> Iterator[None]:
    """Show reports of progress on standard error if it is a terminal, a bar for each phase.

    A phase that is done makes room for the next; those around it stay.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    with bars(transient=True) as progress, listening(_Phases(progress)):
        yield


class _Phases:
    """Tells a display what it hears."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._shown: dict[str, TaskID] = {}
        self._finished: set[str] = set()

    def __call__(self, phase: str, done: int, expected: int) -> None:
        if phase not in self._shown or done == 0:
            for over in self._finished | ({phase} & self._shown.keys()):
                self._progress.remove_task(self._shown.pop(over))
            self._finished.clear()
            self._shown[phase] = self._progress.add_task(phase, total=expected)
        self._progress.update(self._shown[phase], completed=done, total=expected)
        if done == expected:
            self._finished.add(phase)


def bars(**options: Any) -> Progress:
    """Return bars on standard error: phase, bar, done and expected, time spent and left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description:<23}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        # What is written to a pipe meanwhile must not come out on the terminal instead.
        redirect_stdout=sys.stdout.isatty(),
        **options,
    )
