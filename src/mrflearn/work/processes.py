"""Processes of this machine, by loky: they are kept for the next work, and replaced when they die.

What is shared is written once to a file that only this user can read, and each process reads it
when it meets it first. Should a process die, all items that were on their way are done again, one
at a time, so that the one it died of is known.
"""

from __future__ import annotations

import atexit
import os
import pickle
import shutil
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend.reduction import dump
from joblib.externals.loky.process_executor import BrokenProcessPool

from mrflearn.work.base import WAITING, Executor, Shared, Work, WorkError

__all__ = ["Processes", "stop_all"]

IDLE = 300
"""Seconds after which a process that nobody needs ends."""

KEPT = 4
"""Shared values that a process keeps."""

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)
"""Processes are as many as cores: what they call must not start threads of its own."""

_pools: dict[int, ProcessPoolExecutor] = {}
_numbers = count()


class Processes(Executor):
    """Processes of this machine."""

    elsewhere = True
    overhead = 0.0007  # benchmarks/executors.py

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers

    def share(self, value: Any) -> Shared:
        """Write a value to a private file, which goes when what is returned does."""
        return _InFile(value)

    def answers(
        self, work: Work, shared: Shared, items: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        """Yield answers as they are finished."""
        if not isinstance(shared, _InFile):
            raise TypeError("what is shared was not shared by this executor")
        numbered = enumerate(items)
        running: dict[Future[Any], tuple[int, Any]] = {}
        try:
            while True:
                while len(running) < WAITING * self.n_workers:
                    number, item = next(numbered, (None, None))
                    if number is None:
                        break
                    running[self._submit(shared, work, item)] = (number, item)
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(finished, key=lambda future: running[future][0]):
                    number, item = running.pop(future)
                    try:
                        answer = future.result()
                    except BrokenProcessPool:
                        suspects = sorted([(number, item), *running.values()], key=itemgetter(0))
                        running = {}
                        yield from self._one_by_one(shared, work, suspects)
                        break
                    yield number, answer
        except BaseException:  # an interrupt, or an error of the work: nothing is left running
            _stop(self.n_workers)
            raise

    def _submit(self, shared: _InFile, work: Work, item: Any) -> Future[Any]:
        pool = _pools.get(self.n_workers)
        if pool is None:
            pool = ProcessPoolExecutor(self.n_workers, timeout=IDLE, env=ONE_THREAD)
            _pools[self.n_workers] = pool
        return pool.submit(_do, shared.number, str(shared.path), work, item)

    def _one_by_one(
        self, shared: _InFile, work: Work, suspects: list[tuple[int, Any]]
    ) -> Iterator[tuple[int, Any]]:
        """Do again what was on its way when a process died."""
        _stop(self.n_workers)
        for number, item in suspects:
            try:
                yield number, self._submit(shared, work, item).result()
            except BrokenProcessPool:
                _stop(self.n_workers)
                raise WorkError(
                    f"a process died twice at the same piece of work, number {number + 1}: it may "
                    "need more memory than there is; use fewer processes (n_jobs) or a bound "
                    "(max_memory)"
                ) from None


def _stop(n_workers: int) -> None:
    """End the processes of a pool at once."""
    pool = _pools.pop(n_workers, None)
    if pool is not None:
        pool.shutdown(wait=True, kill_workers=True)


@atexit.register
def stop_all() -> None:
    """End all processes, which were kept for the next work."""
    for n_workers in list(_pools):
        _stop(n_workers)


class _InFile(Shared):
    """A value in a file of its own, in a folder that only this user can read."""

    def __init__(self, value: Any) -> None:
        self.number = (os.getpid(), next(_numbers))
        folder = tempfile.mkdtemp(prefix="mrflearn-")
        self._finalizer = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / "shared"
        try:
            with open(self.path, "wb") as stream:
                dump(value, stream)
        except OSError as error:
            raise WorkError(
                f"cannot write {self.path.stat().st_size if self.path.exists() else 0:,} bytes "
                f"for processes to {folder!r}: {error.strerror}; make room there, or set TMPDIR"
            ) from None


_kept: OrderedDict[tuple[int, int], tuple[str, Any]] = OrderedDict()


def _do(number: tuple[int, int], path: str, work: Work, item: Any) -> Any:
    """Do one item, in a process that may not know yet what is shared."""
    if number not in _kept:
        for other in [other for other, (place, _) in _kept.items() if not os.path.exists(place)]:
            del _kept[other]  # its file is gone: nobody will ask about it again
        while len(_kept) >= KEPT:
            _kept.popitem(last=False)
        with open(path, "rb") as stream:
            _kept[number] = (path, pickle.load(stream))
    _kept.move_to_end(number)
    return work(_kept[number][1], item)
