"""A Dask cluster, by native futures: a worker that dies costs the items it had, nothing else.

What is shared is the answer of a first piece of work, which workers fetch from each other, each
once. Scattered data would be lost with the workers that hold them, and all that waits for them
would be cancelled; an answer is made again by the scheduler.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import Any

from mrflearn.work.base import WAITING, Executor, Shared, Work, WorkError

__all__ = ["OnDask", "connect"]

PATIENCE = 20.0
"""Seconds to wait for a worker where none is left."""

LOOK = 1.0
"""Seconds between two looks whether there are workers."""

CONNECTING = 10.0
"""Seconds that a scheduler has to answer."""


class OnDask(Executor):
    """The workers of a `dask.distributed` client."""

    elsewhere = True
    overhead = 0.008  # benchmarks/executors.py, on two cores that workers and scheduler share

    def __init__(self, client: Any) -> None:
        self.client = client
        self._look_for_workers()

    @property
    def n_workers(self) -> int:  # type: ignore[override]
        """Threads of all workers there are now."""
        return max(1, sum(self.client.nthreads().values()))

    def share(self, value: Any) -> Shared:
        """Give a value to the scheduler, from whom workers have it."""
        return _OnWorkers(self.client, value)

    def answers(
        self, work: Work, shared: Shared, items: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield answers as they are finished."""
        from distributed.scheduler import KilledWorker

        if not isinstance(shared, _OnWorkers):
            raise TypeError("what is shared was not shared by this executor")
        numbered = enumerate(items)
        finished: SimpleQueue[Any] = SimpleQueue()
        running: dict[Any, tuple[int, Any]] = {}
        most = WAITING * self.n_workers

        def hand_out(number: int, item: Any) -> None:
            future = self.client.submit(_do, work, shared.future, item, pure=False)
            running[future] = (number, item)
            future.add_done_callback(finished.put)

        try:
            while True:
                while len(running) < most and (task := next(numbered, None)) is not None:
                    hand_out(*task)
                if not running:
                    return
                future = self._next_of(finished)
                if future not in running:  # cancelled below
                    continue
                number, item = running.pop(future)
                try:
                    answer = future.result()
                except KilledWorker:  # this one, or one that was with it each time
                    suspects = sorted([(number, item), *running.values()], key=itemgetter(0))
                    self.client.cancel(list(running), force=True)
                    running.clear()
                    yield from self._one_by_one(work, shared, suspects)
                    continue
                except CancelledError:
                    raise WorkError(
                        "the Dask cluster cancelled work: its scheduler was restarted, or another "
                        "client asked for that; run it again"
                    ) from None
                yield number, answer
        finally:
            if running:
                self.client.cancel(list(running), force=True)

    def _one_by_one(
        self, work: Work, shared: _OnWorkers, suspects: list[tuple[int, Any]]
    ) -> Iterator[tuple[int, Any]]:
        """Do again what was on its way when workers died, so that the one they died of is known."""
        from distributed.scheduler import KilledWorker

        for number, item in suspects:
            finished: SimpleQueue[Any] = SimpleQueue()
            future = self.client.submit(_do, work, shared.future, item, pure=False)
            future.add_done_callback(finished.put)
            try:
                yield number, self._next_of(finished).result()
            except KilledWorker:
                raise WorkError(
                    "workers of the Dask cluster died again and again at the same piece of work, "
                    f"number {number + 1}: it may need more memory than they have; see their "
                    "logs, or use a bound (max_memory)"
                ) from None

    def _next_of(self, finished: SimpleQueue[Any]) -> Any:
        """Wait for a future, and see to it that somebody is there to work."""
        while True:
            try:
                return finished.get(timeout=LOOK)
            except Empty:
                self._look_for_workers()

    def _look_for_workers(self) -> None:
        begun = time.monotonic()
        while not self.client.nthreads():
            if time.monotonic() - begun > PATIENCE:
                raise WorkError(
                    f"the Dask cluster at {self.client.scheduler.address} has no worker: start one "
                    "with `dask worker ADDRESS`"
                )
            time.sleep(LOOK)


class _OnWorkers(Shared):
    """A value that each worker fetches when it first needs it."""

    def __init__(self, client: Any, value: Any) -> None:
        import dask.config

        super().__init__(value)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            self.future = client.submit(_same, value, pure=False)


def _same(value: Any) -> Any:
    return value


def _do(work: Work, shared: Any, item: Any) -> Any:
    return work(shared, item)


_clients: dict[str, Any] = {}


def connect(address: str) -> OnDask:
    """Return the workers of the cluster whose scheduler listens at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise WorkError(
            "Dask is not installed: pip install 'mrflearn[dask]', or choose another executor"
        ) from None
    client = _clients.get(address)
    if client is None or client.status != "running":
        try:
            client = Client(address, timeout=CONNECTING, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkError(
                f"no Dask scheduler answers at {address!r}: {str(error).splitlines()[0]}; start "
                "one with `dask scheduler`, and give its address, such as tcp://127.0.0.1:8786"
            ) from None
        _clients[address] = client
    return OnDask(client)
