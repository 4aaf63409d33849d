"""How far long work has come: told by those who do it, heard by whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["listening", "report", "tracked"]

Listener = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and of how much."""

Item = TypeVar("Item")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(phase: str, done: int, total: int) -> None:
    """Say how far a phase has come."""
    listener = _listener.get()
    if listener is not None:
        listener(phase, done, total)


def tracked(phase: str, items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
    """Yield the items of a phase, and report each when it is done."""
    n_items = len(items) if isinstance(items, Sequence) else total or 0
    report(phase, 0, n_items)
    for done, item in enumerate(items, start=1):
        yield item
        report(phase, done, n_items)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a listener hear all reports."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
