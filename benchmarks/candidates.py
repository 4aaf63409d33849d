"""Milliseconds per conditional mutual information: shared neighbour lists against all distances.

One question, 30 candidates (and 1, 4, 8 for the crossover), k = 5, on Gaussian columns that depend
on each other; the two kernels interleaved, best of repeats, one core. Both give the same counts.
"""

from __future__ import annotations

import time

import numpy as np

from mrflearn.dependence import knn
from mrflearn.dependence.knn import KNN
from mrflearn.table import as_table


def milliseconds(n_samples: int, n_given: int, n_candidates: int, repeats: int) -> list[float]:
    """Return the best time per value without and with lists."""
    rng = np.random.default_rng(0)
    n_variables = 1 + n_given + n_candidates
    mixing = np.eye(n_variables) + 0.15 * rng.normal(size=(n_variables, n_variables))
    dependence = KNN(5).bind(as_table(rng.normal(size=(n_samples, n_variables)) @ mixing))
    given, candidates = range(1, 1 + n_given), range(1 + n_given, n_variables)
    best = [np.inf, np.inf]
    for _ in range(repeats):
        for which, threshold in enumerate((10**9, 1)):
            knn.LISTS_FROM_CANDIDATES = threshold
            start = time.perf_counter()
            dependence.cmi_many(0, candidates, given)
            best[which] = min(best[which], time.perf_counter() - start)
    return [1e3 * seconds / n_candidates for seconds in best]


def main() -> None:
    chosen = knn.LISTS_FROM_CANDIDATES
    milliseconds(50, 1, 4, 1)  # compile
    print(f"{'N':>6} {'|Z|':>4} {'candidates':>10} {'all':>9} {'lists':>9} {'ratio':>6}")
    for n_samples, repeats in ((100, 20), (300, 10), (1000, 5), (3000, 2)):
        for n_given in (1, 3, 6):
            plain, lists = milliseconds(n_samples, n_given, 30, repeats)
            print(
                f"{n_samples:6d} {n_given:4d} {30:10d} {plain:9.4f} {lists:9.4f} "
                f"{plain / lists:6.1f}"
            )
    print(f"\nCrossover (chosen: {chosen} candidates)")
    for n_samples in (100, 1000):
        for n_candidates in (1, 2, 4, 8):
            plain, lists = milliseconds(n_samples, 3, n_candidates, 5)
            print(
                f"{n_samples:6d} {3:4d} {n_candidates:10d} {plain:9.4f} {lists:9.4f} "
                f"{plain / lists:6.1f}"
            )


if __name__ == "__main__":
    main()
