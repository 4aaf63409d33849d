"""What a CUDA card is worth: milliseconds a value, whole fits, and learning a mixed table.

`make bench-gpu`, on a machine with a card. Everything is compared with the processor of the same
machine: values of whole questions, on one core and on all; of large fits, a sample of the questions
that the fit asked, since the processor would take hours for all of them. Times on the card are by
CUDA events from the first launch to the last, and by the clock with all that Python does around.

    python benchmarks/gpu.py [--parts values crossover fits learn]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from _measure import count_cores, describe_machine, print_table, use_one_core

from mrflearn import GSMPLE, as_table, learn
from mrflearn.dependence import KNN, Question, Threaded

PARTS = ("values", "crossover", "fits", "learn")
SIZES = {1_000: 300, 10_000: 20, 50_000: 3}
"""Samples, and questions asked together."""

CONDITIONS = (0, 1, 3, 6)
N_CANDIDATES = 25
TARGETS = {1_000: 0.003, 10_000: 0.15, 50_000: 3.0}
"""Milliseconds a value given three variables that were asked for."""


def correlated(n_samples: int, n_columns: int, seed: int = 0) -> np.ndarray:
    """Return columns that share something."""
    rng = np.random.default_rng(seed)
    return 0.5 * rng.normal(size=(n_samples, 1)) + rng.normal(size=(n_samples, n_columns))


def network(n_samples: int, n_columns: int, n_edges: int, seed: int = 0) -> np.ndarray:
    """Return columns that depend on each other by a random graph, not linearly."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_samples, n_columns))
    parents: list[list[int]] = [[] for _ in range(n_columns)]
    left, most = n_edges, 2 * n_edges // n_columns
    while left:
        i, j = sorted(rng.choice(n_columns, size=2, replace=False))
        if i not in parents[j] and len(parents[j]) < most:
            parents[j].append(int(i))
            left -= 1
    for j in range(n_columns):
        X[:, j] = rng.normal(size=n_samples)
        for i in parents[j]:
            X[:, j] += np.tanh(2 * X[:, i])
    return X


def mixed(n_samples: int, n_columns: int, seed: int = 0) -> pd.DataFrame:
    """Return a table of continuous, ordinal and nominal columns along a chain with branches."""
    rng = np.random.default_rng(seed)
    frame, latent = {}, []
    for c in range(n_columns):
        values = rng.normal(size=n_samples)
        if c:
            values += 0.9 * latent[(c - 1) // 2]
        latent.append((values - values.mean()) / values.std())
        if c % 3 == 1:
            frame[f"v{c}"] = pd.cut(latent[-1], [-9, -0.8, 0, 0.8, 9], labels=False)
        elif c % 3 == 2:
            frame[f"v{c}"] = np.array(list("abc"))[np.digitize(latent[-1], [-0.5, 0.5])]
        else:
            frame[f"v{c}"] = latent[-1]
    return pd.DataFrame(frame)


def questions_of(n_columns: int, n_given: int, n_questions: int) -> list[Question]:
    """Return questions about random variables."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(n_questions):
        order = rng.permutation(n_columns).tolist()
        given = tuple(sorted(order[1 : 1 + n_given]))
        found.append(Question(order[0], tuple(order[-N_CANDIDATES:]), given))
    return found


def clocked(call: Callable[[], Any]) -> float:
    """Return how many seconds a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def by_events(call: Callable[[], Any]) -> float:
    """Return how many seconds pass on the card during a call."""
    from numba import cuda

    begun, ended = cuda.event(), cuda.event()
    begun.record()
    call()
    ended.record()
    ended.synchronize()
    return float(cuda.event_elapsed_time(begun, ended)) / 1_000


def median(measure: Callable[[Callable[[], Any]], float], call: Callable[[], Any]) -> float:
    """Return the median of five measurements, after one that does not count."""
    call()
    return float(np.median([measure(call) for _ in range(5)]))


def measure_values(n_jobs: int) -> None:
    """Print milliseconds a value."""
    rows = []
    for n_samples, n_questions in SIZES.items():
        table = as_table(correlated(n_samples, 32))
        on_card, here = KNN(device="cuda").bind(table), KNN().bind(table)
        threaded = Threaded(here, n_jobs)
        for n_given in CONDITIONS:
            asked = questions_of(32, n_given, n_questions)
            few = asked[: 4 if n_samples == 1_000 else 1]
            on_the_card, on_all = (
                partial(on_card.cmi_batch, asked),
                partial(threaded.cmi_batch, few),
            )
            wall, events = (median(how, on_the_card) for how in (clocked, by_events))
            on_all()  # compiled
            expected: list[Any] = []
            one = clocked(lambda few=few, to=expected: to.extend(here.cmi_batch(few)))  # noqa: B023
            every = clocked(on_all)
            assert [a.tobytes() for a in on_card.cmi_batch(few)] == [a.tobytes() for a in expected]
            card, one, every = (
                1e3 * seconds / (N_CANDIDATES * len(whose))
                for seconds, whose in ((wall, asked), (one, few), (every, few))
            )
            events *= 1e3 / (N_CANDIDATES * len(asked))
            target = TARGETS[n_samples] if n_given == 3 else None
            row = [n_samples, n_given, events, card, target, one, every, one / card, every / card]
            rows.append(row)
            print(*row, flush=True)
    head = ["N", "given", "card, events", "card, clock", "asked for", "1 core", f"{n_jobs} cores"]
    print_table(
        f"Milliseconds a value, k = 5, {N_CANDIDATES} candidates a question, many together",
        [*head, "ratio to 1", f"ratio to {n_jobs}"],
        rows,
    )


def measure_crossover() -> None:
    """Print a step of a fit, two questions, on the card and on one core."""
    rows = []
    for n_samples in (100, 200, 500, 1_000, 2_000, 5_000):
        table = as_table(correlated(n_samples, 32))
        asked = questions_of(32, 2, 2)
        card, core = (
            1e3 * median(clocked, partial(KNN(device=device).bind(table).cmi_batch, asked))
            for device in ("cuda", "cpu")
        )
        rows.append([n_samples, card, core, core / card])
    print_table(
        f"Two questions of {N_CANDIDATES} candidates, given two variables: milliseconds",
        ["N", "card", "1 core", "ratio"],
        rows,
    )


def measure_fits(n_jobs: int) -> None:
    """Print seconds of whole fits with about 150 edges."""
    rows = []
    for n_samples, n_columns, lam, n_sampled in ((10_000, 100, 0.1, 6), (50_000, 50, 0.06, 2)):
        X = network(n_samples, n_columns, 150)
        estimator = GSMPLE(lam, dependence="knn", device="cuda")
        GSMPLE(lam, dependence="knn", device="cuda").fit(X[:500])  # compiled
        seconds = clocked(lambda: estimator.fit(X))  # noqa: B023
        table, sample = as_table(X), sampled(estimator, n_columns, n_sampled)
        here = KNN().bind(table)
        KNN().bind(as_table(X[:1_100])).cmi_batch(sample)  # compiled
        share = sum(len(asked.candidates) for asked in sample) / estimator.n_evaluations_
        one, every = (
            clocked(partial(bound.cmi_batch, sample)) / share
            for bound in (here, Threaded(here, n_jobs))
        )
        n_edges, n_values = len(estimator.graph_.edges), estimator.n_evaluations_
        row = [n_samples, n_columns, n_edges, n_values, seconds, one, every]
        rows.append([*row, one / seconds, every / seconds])
        print(*rows[-1], flush=True)
    last = [f"ratio to {n_jobs}"]
    print_table(
        "Whole GS-MPLE fits, the processor by a sample of the questions: seconds",
        [*"ND", "edges", "values", "card", "1 core", f"{n_jobs} cores", "ratio to 1", *last],
        rows,
    )


def sampled(estimator: GSMPLE, n_columns: int, n_questions: int) -> list[Question]:
    """Return some questions that a fit asked: of all pairs, or of an end of an edge that changed.

    As many of either, for the values they stand for, as the fit has.
    """
    members: list[set[int]] = [set() for _ in range(n_columns)]
    asked = []
    for step in estimator.trace_:
        for one, other in (step.edge, step.edge[::-1]):
            if step.phase == "shrink":
                members[one].discard(other)
            else:
                members[one].add(other)
            others = [v for v in range(n_columns) if v != one and v not in members[one]]
            asked.append(Question(one, others, sorted(members[one])))
    places = np.linspace(0, len(asked) - 1, n_questions + 2)[1:-1].astype(int)
    return [asked[at] for at in places]


def measure_learn() -> None:
    """Print seconds of `learn` on a mixed table."""
    frame = mixed(5_000, 30)
    rows = []
    for device, what in (("cuda", "cuda"), ("cuda", "cuda, again"), ("cpu", "cpu")):
        begun = time.perf_counter()
        found = learn(frame, device=device, quiet=True)
        rows.append([what, len(found.graph.edges), time.perf_counter() - begun])
        print(*rows[-1], flush=True)
    title = "learn, all cores, N = 5,000, D = 30 mixed: seconds"
    print_table(title, ["device", "edges", "seconds"], rows)


def main() -> None:
    """Measure all, or what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parts = parser.parse_args().parts
    use_one_core()
    warnings.simplefilter("ignore")  # Numba finds small grids too small for a large card
    from numba import cuda

    print(describe_machine())
    print(cuda.get_current_device().name)
    n_jobs = count_cores()
    if "values" in parts:
        measure_values(n_jobs)
    if "crossover" in parts:
        measure_crossover()
    if "fits" in parts:
        measure_fits(n_jobs)
    if "learn" in parts:
        measure_learn()


if __name__ == "__main__":
    main()
