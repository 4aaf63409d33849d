"""The executor that a user asked for."""

from __future__ import annotations

from typing import Any

from joblib import effective_n_jobs

from mrflearn.errors import InputError, unknown
from mrflearn.work.base import Executor, Serial, Threads

__all__ = ["as_executor"]

NAMES = ("serial", "threads", "processes")


def _check_n_jobs(n_jobs: Any) -> int:
    """Return how many workers a user asked for; None is 1, and -1 is as many as cores."""
    try:
        return int(effective_n_jobs(n_jobs))
    except (TypeError, ValueError):
        raise InputError(
            f"n_jobs must be a positive number of workers, or -1 for all cores; got {n_jobs!r}"
        ) from None


def _check_executor(executor: Any) -> None:
    """Refuse what is no executor."""
    if executor is None or isinstance(executor, Executor) or _is_client(executor):
        return
    if isinstance(executor, str) and (executor in NAMES or "://" in executor):
        return
    if isinstance(executor, str):
        raise unknown("executor", executor, (*NAMES, "tcp://host:port of a Dask scheduler"))
    raise InputError(
        f"executor must be one of {', '.join(map(repr, NAMES))}, the address of a Dask scheduler "
        f"or a dask.distributed.Client; got {executor!r}"
    )


def as_executor(executor: Any, n_jobs: Any, usual: str) -> Executor:
    """Return who does the work.

    Parameters
    ----------
    executor : str, dask.distributed.Client, Executor or None
        What the user asked for; None for the usual.
    n_jobs : int or None
        Workers of this machine; a cluster has its own.
    usual : {"threads", "processes"}
        What this work is best done by on one machine.
    """
    _check_executor(executor)
    if isinstance(executor, Executor):
        return executor
    if _is_client(executor):
        from mrflearn.work.on_dask import OnDask

        return OnDask(executor)
    name = executor or usual
    if "://" in name:
        from mrflearn.work.on_dask import connect

        return connect(name)
    n_workers = _check_n_jobs(n_jobs)
    if name == "serial" or n_workers == 1:
        return Serial()
    if name == "threads":
        return Threads(n_workers)
    from mrflearn.work.processes import Processes

    return Processes(n_workers)


def _is_client(executor: Any) -> bool:
    """Whether this is a client of Dask, without importing Dask."""
    return any(
        base.__module__.startswith("distributed.") and base.__name__ == "Client"
        for base in type(executor).__mro__
    )
