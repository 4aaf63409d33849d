"""What the plug-in estimate costs, against what NumPy needs to count one table for each.

Prints microseconds for one conditional mutual information, of a question with 30 candidates to a
dependence that remembers nothing, and for `np.bincount` of codes of its joint cells that are there
already. Then the same for a whole GS-MPLE fit of a sparse discrete network, part by part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn import GSMPLE
from mrflearn.dependence import Dependence, PlugIn, Question
from mrflearn.search import gs_mple
from mrflearn.table import as_table

N_CANDIDATES = 30
N_ROUNDS = 15
N_TABLES = 20
LAM = 0.02


class Recorder(Dependence):
    """The same dependence; remembers what it was asked."""

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables
        self.symmetric = dependence.symmetric
        self.asked: list[Question] = []

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        self.asked.append(Question(i, candidates, given))
        return self.inner.cmi_many(i, candidates, given)


def network(n_samples: int, n_variables: int, n_levels: int, seed: int) -> NDArray[np.int64]:
    """Return noisy copies along a random tree; one variable in four copies now one, now another."""
    rng = np.random.default_rng(seed)
    data = rng.integers(n_levels, size=(n_samples, n_variables))
    for i in range(1, n_variables):
        parents = rng.integers(i, size=1 if i % 4 else 2)
        copied = data[np.arange(n_samples), rng.choice(parents, size=n_samples)]
        data[:, i] = np.where(rng.random(n_samples) < 0.6, copied, data[:, i])
    return data


def nominal(data: NDArray[np.int64]) -> dict[int, str]:
    return dict.fromkeys(range(data.shape[1]), "nominal")


def joint_codes(data: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes 0, 1, … of the rows of a table."""
    return np.unique(data, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def count_all(tables: Sequence[NDArray[np.int64]]) -> None:
    for codes in tables:
        np.bincount(codes)


def measure_questions() -> None:
    print(f"{'N':>6} {'levels':>6} {'given':>5} {'ours':>8} {'bincount':>8} {'ratio':>6}")
    candidates = range(10, 10 + N_CANDIDATES)
    for n_samples in (1000, 10_000):
        for n_levels in (2, 4, 10):
            data = network(n_samples, 10 + N_CANDIDATES, n_levels, seed=0)
            table = as_table(data, kinds=nominal(data))
            for n_given in (0, 1, 3, 6):
                given = range(1, 1 + n_given)
                tables = [joint_codes(data[:, [0, j, *given]]) for j in candidates]
                ours, theirs = [], []
                for _ in range(N_ROUNDS + 1):
                    dependence = PlugIn().bind(table)
                    dependence.cmi(38, 39)  # the first question after a while is a slow one
                    ours.append(seconds(lambda: dependence.cmi_many(0, candidates, given)))  # noqa: B023
                    theirs.append(seconds(lambda: count_all(tables)))  # noqa: B023
                a, b = (np.median(taken[1:]) / N_CANDIDATES * 1e6 for taken in (ours, theirs))
                print(f"{n_samples:6d} {n_levels:6d} {n_given:5d} {a:8.2f} {b:8.2f} {a / b:6.2f}")


def measure_fit() -> None:
    data = network(10_000, 50, 4, seed=1)
    specification = PlugIn(correction="df")
    estimator = GSMPLE(LAM, dependence=specification, kinds=nominal(data)).fit(data)
    table = as_table(data, kinds=nominal(data))
    recorder = Recorder(specification.bind(table))
    gs_mple.run(recorder, LAM)
    single = [(q.i, j, *q.given) for q in recorder.asked for j in q.candidates]
    chosen = np.random.default_rng(0).choice(len(single), size=N_TABLES, replace=False)
    # Few tables again and again: they stay in the cache, which is best for NumPy.
    tables = [joint_codes(data[:, single[at]]) for at in chosen]
    tables = (tables * len(single))[: len(single)]

    def ask_all(method: str) -> None:
        for question in recorder.asked:
            getattr(bound, method)(*question)

    times: dict[str, list[float]] = {}
    for _ in range(N_ROUNDS):
        for name, task in {
            "bincount, as many tables": lambda: count_all(tables),
            "fit": lambda: estimator.fit(data),
            "  of which table": lambda: as_table(data, kinds=nominal(data)),
            "  of which bind": lambda: specification.bind(table),
            "  of which search": lambda: gs_mple.run(bound, LAM),  # noqa: B023
            "    of which dependence": lambda: ask_all("cmi_many"),
            "      of which counting": lambda: ask_all("_cmi_many"),
        }.items():
            bound = specification.bind(table)
            bound.cmi(0, 1)
            times.setdefault(name, []).append(seconds(task))
    medians = {name: np.median(taken) for name, taken in times.items()}
    baseline = medians["bincount, as many tables"]
    print(
        f"\nGS-MPLE, N=10000, D=50, 4 levels, lam={LAM}: {len(estimator.graph_.edges)} edges, "
        f"{estimator.n_evaluations_} conditional mutual informations in {len(recorder.asked)} "
        "questions\n"
    )
    print(f"{'':25} {'ms':>8} {'us each':>8} {'ratio':>6}")
    for name, taken in medians.items():
        each = taken / len(single) * 1e6
        print(f"{name:25} {taken * 1e3:8.1f} {each:8.2f} {taken / baseline:6.2f}")


def main() -> None:
    measure_questions()
    measure_fit()


if __name__ == "__main__":
    main()
