"""Who does independent pieces of work: this process, threads, processes, or a Dask cluster."""

from mrflearn.work.base import Executor, Serial, Shared, WorkError
from mrflearn.work.choose import as_executor, check_executor

__all__ = ["Executor", "Serial", "Shared", "WorkError", "as_executor", "check_executor"]
