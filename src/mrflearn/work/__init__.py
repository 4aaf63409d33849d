"""Who does independent pieces of work: this process, threads, processes, or a Dask cluster."""

from mrflearn.work.base import Executor, Serial, Shared, Threads, WorkError
from mrflearn.work.choose import as_executor
from mrflearn.work.pieces import do_pieces

__all__ = [
    "Executor",
    "Serial",
    "Shared",
    "Threads",
    "WorkError",
    "as_executor",
    "do_pieces",
]
