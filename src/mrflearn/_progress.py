"""How far long work has come: told by those who do it, heard by whoever wants to show it.

Work comes in phases, one after another or one within another. A phase begins with a report of
nothing done and ends with one of all done; it may begin anew. What is expected may turn out to be
less, or a little more, but the share that is done never falls.

Searches do not see how their questions are answered. So a phase may be `shared` with whoever
answers: each `answered` then counts for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

__all__ = ["Count", "answered", "heard", "listening", "tracked", "unheard"]

Listener = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and of how much."""

MOST_REPORTS = 200
"""Reports of a phase whose parts are quick: more than anyone can see, too few to cost time."""

SECONDS = 0.2
"""Between reports of a phase whose parts are slow."""

Item = TypeVar("Item")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_answers: ContextVar[Callable[[int], None] | None] = ContextVar("answers", default=None)


class Count:
    """How much of a phase is done. Begins it.

    Parameters
    ----------
    phase : str
        What is being done, for people.
    expected : int
        How much there is to do, as far as is known.
    """

    def __init__(self, phase: str, expected: int) -> None:
        self.phase, self.expected, self.done = phase, expected, 0
        self._listener = _listener.get()
        self._report()

    def advance(self, by: int = 1, left: int | None = None) -> None:
        """Say that more is done, and how much is left where that is known better now."""
        self.done += by
        if left is not None:
            # Never more than before, but for the next one: so the share that is done grows.
            known = min(self.expected, self.done + left)
            self.expected = max(known, self.done + (left > 0))
        n_new = self.done - self._reported
        if (
            self.done == self.expected
            or MOST_REPORTS * n_new >= self.expected
            or (n_new and monotonic() - self._when >= SECONDS)
        ):
            self._report()

    def finish(self) -> None:
        """Say that all is done, though there was less to do than expected."""
        if self.done < self.expected:
            self.done = self.expected
            self._report()

    @contextmanager
    def shared(self, parts: int | None = None, answers: int | None = None) -> Iterator[None]:
        """Let answers given meanwhile count, and all parts when it ends.

        Parameters
        ----------
        parts : int, optional
            Parts of the phase that are done meanwhile; all that is left, unless given.
        answers : int, optional
            Answers that they take, about; as many as parts, unless given.
        """
        if self._listener is None:
            yield
            return
        begun = self.done
        own = self.expected - begun if parts is None else parts
        needed = max(1, own if answers is None else answers)
        given = 0

        def count(n_answers: int) -> None:
            nonlocal given
            given = min(given + n_answers, needed)
            if (by := begun + own * given // needed - self.done) > 0:
                self.advance(by)

        before = _answers.set(count)
        try:
            yield
        finally:
            _answers.reset(before)
        if (by := begun + own - self.done) > 0:
            self.advance(by)

    def _report(self) -> None:
        self._reported, self._when = self.done, monotonic()
        if self._listener is not None:
            self._listener(self.phase, self.done, self.expected)


def answered(n_answers: int) -> None:
    """Say that some answers are known, if anyone counts them."""
    count = _answers.get()
    if count is not None:
        count(n_answers)


def tracked(phase: str, items: Iterable[Item], expected: int | None = None) -> Iterator[Item]:
    """Yield the items of a phase, each of which is done when the next is asked for."""
    n_items = len(items) if isinstance(items, Sequence) else expected or 0
    count = Count(phase, n_items)
    for item in items:
        yield item
        count.advance()
    count.finish()


def heard() -> bool:
    """Return whether anyone listens."""
    return _listener.get() is not None


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Let a listener hear of all phases that begin meanwhile; None for nobody."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def unheard() -> AbstractContextManager[None]:
    """Let nobody hear of the phases that begin meanwhile, as they are parts of another one."""
    return listening(None)
