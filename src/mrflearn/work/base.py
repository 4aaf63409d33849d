"""One way to ask for work: many items, one function, answers in the order they are finished.

What the items have in common, a table or a dependence, is *shared*: it travels to each worker once.
Whoever asks puts answers in their places, so that results depend on no executor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from mrflearn.errors import InputError

__all__ = ["Executor", "Serial", "Shared", "Threads", "WorkError"]

Work = Callable[[Any, Any], Any]
"""What is done: it gets what is shared, and an item. At the top of a module, so that it travels."""

WAITING = 2
"""Items handed out for each worker: one is done while the next is on its way."""


class WorkError(InputError):
    """Work that could not be done where it was sent: a worker died of it, or none is left."""


class Shared:
    """What all items of some work have in common, as the executor keeps it."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Executor(ABC):
    """Whoever does work.

    Attributes
    ----------
    n_workers : int
        Items done at the same time.
    elsewhere : bool
        Whether work is done in other processes, with copies of what is shared.
    overhead : float
        Seconds it takes to send an item and to receive its answer, about.
    """

    n_workers: int
    elsewhere: bool = False
    overhead: float = 0.0

    def share(self, value: Any) -> Shared:
        """Make a value known to all workers, for as long as what is returned lives."""
        return Shared(value)

    @abstractmethod
    def answers(
        self, work: Work, shared: Shared, items: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield the number of an item and work(shared, item), for all items, as they are finished.

        Items are drawn as they are needed, `WAITING` for each worker ahead. An exception of the
        work is raised here, as is `KeyboardInterrupt`; what was not begun then is not done.
        """


class Serial(Executor):
    """One item after the other, in this process."""

    n_workers = 1

    def answers(
        self, work: Work, shared: Shared, items: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield answers in the order of the items."""
        for number, item in enumerate(items):
            yield number, work(shared.value, item)


class Threads(Executor):
    """Threads of this process: for work that holds no interpreter lock."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers

    def answers(
        self, work: Work, shared: Shared, items: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield answers as they are finished."""
        pool = ThreadPoolExecutor(self.n_workers)
        try:
            yield from as_finished(
                lambda item: pool.submit(work, shared.value, item), items, self.n_workers
            )
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def as_finished(
    submit: Callable[[Any], Future[Any]], items: Iterable[Any], n_workers: int
) -> Iterator[tuple[int, Any]]:
    """Yield the number of each item and its answer, with few items handed out at a time."""
    numbered = enumerate(items)
    running: dict[Future[Any], int] = {}
    while True:
        while len(running) < WAITING * n_workers:
            number, item = next(numbered, (None, None))
            if number is None:
                break
            running[submit(item)] = number
        if not running:
            return
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in sorted(finished, key=running.__getitem__):
            yield running.pop(future), future.result()
