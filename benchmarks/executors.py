"""What two workers are worth, and what it costs to send them work.

One worker and two take turns on the same work; shown are medians of their ratio, and for one large
fit how much was answered ahead in vain. The overhead of a piece is that of pieces that do nothing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
from _measure import describe_machine, print_table

from mrflearn import GSMPLE, stability
from mrflearn.work import Executor, Serial, Threads
from mrflearn.work.on_dask import OnDask
from mrflearn.work.processes import Processes

REPEATS = 3
N_EMPTY = 400


def nothing(shared: Any, item: int) -> int:
    """Do no work."""
    return item


def seconds(function: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


@contextmanager
def clusters():
    """Yield clients of a Dask cluster with one worker and of one with two."""
    from distributed import Client, LocalCluster

    def cluster(n_workers):
        return LocalCluster(
            n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        )

    with cluster(1) as one, cluster(2) as two, Client(one) as alone, Client(two) as pair:
        yield alone, pair


def _answer_all(executor: Executor, shared: Any) -> None:
    for _ in executor.answers(nothing, shared, range(N_EMPTY)):
        pass


def overheads(executors: dict[str, Executor]) -> list[list[Any]]:
    """Return milliseconds that a piece of no work takes, by each executor."""
    rows = []
    for name, executor in executors.items():
        shared = executor.share(None)
        _answer_all(executor, shared)
        taken = [
            seconds(lambda: _answer_all(executor, shared))  # noqa: B023
            for _ in range(REPEATS)
        ]
        rows.append([name, 1e3 * statistics.median(taken) / N_EMPTY])
    return rows


def worth(work: Callable[[Any], Any], pairs: dict[str, tuple[Any, Any]]) -> list[list[Any]]:
    """Return seconds of one worker and of two, and the median of their ratios."""
    rows = []
    for name, (one, two) in pairs.items():
        work(two)
        times = [(seconds(lambda: work(one)), seconds(lambda: work(two))) for _ in range(REPEATS)]  # noqa: B023
        alone, both = (statistics.median(column) for column in zip(*times, strict=True))
        rows.append([name, alone, both, statistics.median(a / b for a, b in times)])
    return rows


def main() -> None:
    """Print overheads, and what two workers are worth for stability and for one fit."""
    print(describe_machine())
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 40))
    for j in range(1, 40):
        X[:, j] += X[:, rng.integers(j)]
    small = X[:300, :12]

    def repeated(executor: Any) -> None:
        stability(small, n_subsamples=16, executor=executor, quiet=True)

    waste: dict[str, tuple[int, int, int]] = {}

    def fitted(executor: Any) -> None:
        found = GSMPLE(0.05, dependence="knn", executor=executor).fit(X)
        waste[type(executor).__name__] = found.n_evaluations_, found.n_ahead_, found.n_foreseen_

    # Processes first: those of a cluster keep the cores busy even when nobody asks for work.
    heads = ["workers", "one, s", "two, s", "ratio"]
    executors: dict[str, Executor] = {"serial": Serial(), "2 threads": Threads(2)}
    executors["2 processes"] = Processes(2)
    sent = overheads(executors)
    pairs: dict[str, tuple[Any, Any]] = {"processes": (Serial(), Processes(2))}
    again = worth(repeated, pairs)
    large = worth(fitted, {"threads": (Serial(), Threads(2)), **pairs})
    with clusters() as (alone, pair):
        sent += overheads({"Dask, 2 workers": OnDask(pair)})
        again += worth(repeated, {"Dask": (OnDask(alone), OnDask(pair))})
        large += worth(fitted, {"Dask": (OnDask(alone), OnDask(pair))})
    print_table("Overhead", ["executor", "ms a piece"], sent)
    print_table("Stability, 16 parts of 300 rows, 12 variables", heads, again)
    print_table("One fit, 2,500 rows, 40 variables", heads, large)
    for name, (n_asked, n_ahead, n_foreseen) in waste.items():
        print(f"{name}: {n_asked} values asked for, {n_ahead - n_foreseen} answered in vain")


if __name__ == "__main__":
    main()
