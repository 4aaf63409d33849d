"""Seconds of one GS-MPLE fit with 1, 2, 4, … threads, up to the cores there are.

`python benchmarks/threads.py [N] [D]`, by default 1,000 and 100, on a sparse Gaussian table with
about 1.5 edges a node; `knn`, numbers of threads in turn, median of rounds.
"""

from __future__ import annotations

import sys
from functools import partial

from _measure import (
    count_cores,
    describe_machine,
    print_table,
    take_medians,
    time_in_turn,
    use_one_core,
)
from fits import LAM, draw_sparse, warm_up

from mrflearn import GSMPLE
from mrflearn.dependence import KNN


def main(n_samples: int = 1000, n_variables: int = 100, rounds: int = 3) -> None:
    use_one_core()
    print(describe_machine())
    data = draw_sparse(n_samples, n_variables)
    warm_up(data)
    jobs = [1]
    while 2 * jobs[-1] <= count_cores():
        jobs.append(2 * jobs[-1])
    estimators = {str(n): GSMPLE(LAM, dependence=KNN(), n_jobs=n) for n in jobs}
    tasks = {name: partial(estimator.fit, data) for name, estimator in estimators.items()}
    seconds = take_medians(time_in_turn(tasks, rounds))
    n_evaluations = estimators["1"].n_evaluations_
    edges = {estimator.graph_.edges for estimator in estimators.values()}
    print_table(
        f"One fit, N = {n_samples}, D = {n_variables}, {len(estimators['1'].graph_.edges)} edges",
        ["threads", "one / this", "seconds", "evaluations a second"],
        [
            [name, seconds["1"] / taken, taken, float(n_evaluations) / taken]
            for name, taken in seconds.items()
        ],
    )
    print("The graphs are equal." if len(edges) == 1 else "THE GRAPHS DIFFER.")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
