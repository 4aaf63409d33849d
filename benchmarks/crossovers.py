"""Times behind the constants of `neighbours`: where one kernel overtakes another.

Microseconds of a whole question, `knn` with k = 5 on Gaussian columns that depend on each other,
one core, columns sorted already, settings in turn, the best of several rounds. Whatever the
setting, the counts are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numba
import numpy as np
from _measure import describe_machine, print_table, time_in_turn, use_one_core

from mrflearn.dependence import KNN, neighbours
from mrflearn.dependence._lanes import LANES, LEVELS, keep_smallest
from mrflearn.table import as_table


def ask(
    n_samples: int, n_given: int, n_candidates: int, settings: Mapping[str, Mapping[str, Any]]
) -> dict[str, float]:
    """Return the microseconds of one question with each setting of the constants."""
    rng = np.random.default_rng(0)
    n_variables = 1 + n_given + n_candidates
    mixing = np.eye(n_variables) + 0.15 * rng.normal(size=(n_variables, n_variables))
    dependence = KNN(5).bind(as_table(rng.normal(size=(n_samples, n_variables)) @ mixing))
    given, candidates = range(1, 1 + n_given), range(1 + n_given, n_variables)

    def answer(constants: Mapping[str, Any]) -> None:
        before = {name: getattr(neighbours, name) for name in constants}
        for name, value in constants.items():
            setattr(neighbours, name, value)
        dependence.cmi_many(0, candidates, given)
        for name, value in before.items():
            setattr(neighbours, name, value)

    tasks = {name: partial(answer, constants) for name, constants in settings.items()}
    for task in tasks.values():
        task()
    rounds = max(3, min(60, 30_000 // (n_samples * n_candidates**0.5).__ceil__()))
    return {name: 1e6 * min(taken) for name, taken in time_in_turn(tasks, rounds).items()}


def compare_few() -> None:
    rows = []
    every = {"FEW_CANDIDATES": 99, "FEW": 10**9}
    for n_samples in (100, 300, 1000, 3000):
        for n_candidates in (1, 2, 4, 8):
            times = ask(n_samples, 2, n_candidates, {"lists": {"FEW": 0}, "few": every})
            ratio = times["lists"] / times["few"]
            rows.append([n_samples, n_candidates, ratio, times["lists"], times["few"]])
    headings = ["N", "candidates", "lists / few", "lists", "few"]
    print_table("Lists, or everything compared (|Z| = 2): microseconds", headings, rows)


def compare_leaves() -> None:
    rows = []
    for n_samples in (256, 512, 1024, 2048, 4096):
        for n_given in (1, 3, 6):
            settings = {"one": {"LEAVES_FROM": 10**9}} | {
                str(size): {"LEAVES_FROM": 0, "LEAF_SIZE": size} for size in (16, 32, 64)
            }
            times = ask(n_samples, n_given, 30, settings)
            rows.append([n_samples, n_given, times["one"] / times["32"], *times.values()])
    headings = ["N", "|Z|", "one / leaves of 32", "one leaf", "of 16", "of 32", "of 64"]
    print_table("One leaf or many, 30 candidates: microseconds", headings, rows)


def compare_lengths() -> None:
    rows = []
    for n_samples in (300, 1000, 3000):
        for n_given in (1, 3, 6):
            settings = {str(length): {"LIST_LENGTH": length} for length in (2.0, 3.0, 4.0, 6.0)}
            times = ask(n_samples, n_given, 30, settings)
            rows.append([n_samples, n_given, *times.values()])
    headings = ["N", "|Z|", "2", "3", "4", "6"]
    print_table("LIST_LENGTH, 30 candidates: microseconds", headings, rows)


def compare_strips() -> None:
    rows = []
    for n_samples in (100, 1000, 10000):
        settings = {str(width): {"STRIP_WIDTH": width} for width in (4.0, 8.0, 16.0, 32.0)}
        rows.append([n_samples, *ask(n_samples, 0, 30, settings).values()])
    print_table("STRIP_WIDTH, 30 pairs: microseconds", ["N", "4", "8", "16", "32"], rows)


@numba.njit
def keep_in_plain_loops(near, index, rows, here, n_entries, smallest):  # type: ignore
    """Do what `keep_smallest` does, as one would write it."""
    for p in range(n_entries):
        for c in range(LANES):
            gap = abs(rows[index[p], c] - here[c])
            distance = gap if gap > near[p] else near[p]
            for level in range(LEVELS):
                kept = smallest[level, c]
                smallest[level, c] = distance if distance < kept else kept
                distance = kept if kept > distance else distance


@numba.njit
def keep_in_vectors(near, index, rows, here, n_entries, smallest):  # type: ignore
    keep_smallest(near, index, rows, here, 0, n_entries, smallest)


@numba.njit
def repeat(kernel, near, index, rows, smallest):  # type: ignore
    for m in range(len(rows)):
        for level in range(LEVELS):
            for c in range(LANES):
                smallest[level, c] = np.inf
        kernel(near, index, rows, rows[m], 70, smallest)


def compare_vectors() -> None:
    rng = np.random.default_rng(0)
    rows, near = rng.normal(size=(1000, LANES)), np.sort(rng.random(1000))
    index, smallest = rng.permutation(1000), np.empty((LEVELS, LANES))
    kernels = {"plain loops": keep_in_plain_loops, "vectors": keep_in_vectors}
    tasks = {
        name: partial(repeat, kernel, near, index, rows, smallest)
        for name, kernel in kernels.items()
    }
    for task in tasks.values():
        task()
    per_entry = 1e9 / (1000 * 70 * LANES)
    best = {name: per_entry * min(taken) for name, taken in time_in_turn(tasks, 50).items()}
    print_table(
        "The innermost loop, nanoseconds for an entry and a candidate",
        ["plain / vectors", *best],
        [[best["plain loops"] / best["vectors"], *best.values()]],
    )


def main() -> None:
    use_one_core()
    print(describe_machine())
    compare_few()
    compare_leaves()
    compare_lengths()
    compare_strips()
    compare_vectors()


if __name__ == "__main__":
    main()
