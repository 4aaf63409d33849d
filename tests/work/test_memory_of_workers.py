"""A bound on memory holds for all workers together, or is refused before they begin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from answers import in_order
from contents import content

from mrflearn import GSMPLE, stability
from mrflearn._memory import as_bytes
from mrflearn.dependence import KNN
from mrflearn.errors import InputError
from mrflearn.work import Serial, processes
from mrflearn.work.processes import Processes

N_SAMPLES = 20_000
N_COLUMNS = 26


def draw(dependence, n_samples, n_columns=N_COLUMNS):
    """Return a table of one edge, whose ends are asked about all other columns."""
    X = np.random.default_rng(0).normal(size=(n_samples, n_columns))
    X[:, 1] += X[:, 0] ** 2 + X[:, 0]
    if dependence == "plugin":
        X = np.clip(np.round(X), -2, 2).astype(int)
    return pd.DataFrame(X, columns=[f"v{c}" for c in range(n_columns)])


def least_bound(**options):
    """Return the bound that a refusal says would do."""
    with pytest.raises(InputError, match="would do") as error:
        GSMPLE(0.1, max_memory=2**20, **options).fit(draw(options["dependence"], N_SAMPLES))
    return re.search(r"max_memory=([\d.]+ \w+) would do", str(error.value))[1]


@pytest.fixture
def workers(monkeypatch):
    """Processes that give back what they do not need, and get half of all questions at a time."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "0")
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")
    monkeypatch.setattr("mrflearn.dependence.remote.WORTH", 0.0)
    monkeypatch.setattr("mrflearn.dependence.remote.FIRST", 1000)
    monkeypatch.setattr("mrflearn.dependence.remote.PIECE", 1000.0)
    processes.stop_all()
    yield {"n_jobs": 2, "executor": "processes"}
    processes.stop_all()


def fit(dependence, max_memory, workers):
    """Return what a fit found, and the most bytes that its processes took for it."""
    workers = {**workers, "refine": None}  # pairs of edges ask the same questions, many times
    estimator = GSMPLE(0.1, dependence=dependence, max_memory=max_memory, **workers)
    for n_samples in (60, 1100):  # all is compiled, and larger tables are forgotten
        GSMPLE(0.1, dependence=dependence, **workers).fit(draw(dependence, n_samples))
    at_work = list(processes._pools[2]._processes)
    for worker in at_work:
        Path(f"/proc/{worker}/clear_refs").write_text("5")  # the peak is what is held now
    before = sum(_memory(worker, "VmRSS") for worker in at_work)
    estimator.fit(draw(dependence, N_SAMPLES))
    assert sorted(processes._pools[2]._processes) == sorted(at_work)
    return content(estimator), sum(_memory(worker, "VmHWM") for worker in at_work) - before


def _memory(process, what):
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")
@pytest.mark.parametrize("dependence", ["knn", "auto", "plugin", "gaussian"])
def test_two_processes_keep_to_the_least_bound_and_find_the_same(dependence, workers):
    bound = as_bytes(least_bound(dependence=dependence, **workers))
    free, unbound = fit(dependence, None, workers)
    found, used = fit(dependence, bound, workers)
    print(f"{dependence}: {used:,} bytes of {bound:,}; without a bound {unbound:,}")
    tables = 2 * 8 * N_SAMPLES * N_COLUMNS
    assert found == free
    assert used <= bound + tables
    if dependence == "knn":  # who answers in smaller portions; else none is smaller
        assert used < 0.9 * unbound


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_a_bound_too_little_for_workers_is_refused_with_their_share_and_what_would_do(
    kind, dask_client, monkeypatch
):
    dask_client.wait_for_workers(2, timeout=60)  # a test before may have killed some
    executor = {"processes": "processes", "dask": dask_client}[kind]
    monkeypatch.setattr("mrflearn.dependence.remote.Remote.cmi_batch", None)  # no work begins
    message = (
        r"with 2 workers each process may take 1 MB of max_memory=3 MB, and max_memory=1 MB is too "
        r"little: a question about 20000 rows takes at least 24.* MB beside the table: "
        r"max_memory=7\d.* MB would do"
    )
    with pytest.raises(InputError, match=message):
        GSMPLE(0.1, dependence="knn", n_jobs=2, executor=executor, max_memory="3 MB").fit(
            draw("knn", N_SAMPLES, 4)
        )


def test_subsamples_too_large_for_a_share_are_refused_before_any_is_learned_from():
    with pytest.raises(InputError, match="with 2 workers each fit may take 1 MB of max_memory=2"):
        stability(
            draw("knn", 10_000, 4),
            dependence="knn",
            max_memory="2 MB",
            n_jobs=2,
            executor="processes",
            quiet=True,
        )


BOUNDS: list[tuple[int, int | None]] = []


@dataclass(frozen=True)
class Recorded(KNN):
    """A dependence whose bounds are known, with the rows of their tables."""

    def bind(self, table, max_memory=None):
        BOUNDS.append((table.n_samples, max_memory))
        return super().bind(table, max_memory)


class Two(Serial):
    """One who works as if there were another."""

    n_workers = 2


def test_subsamples_learned_from_at_the_same_time_share_the_bound():
    BOUNDS.clear()
    stability(
        draw("knn", 80, 3),
        lam=0.1,
        dependence=Recorded(),
        max_memory=8_000_000,
        executor=Two(),
        n_subsamples=3,
        quiet=True,
    )
    assert set(BOUNDS) == {(40, 4_000_000)}


def test_a_choice_by_subsamples_shares_the_bound_with_the_search_before_it():
    BOUNDS.clear()
    frame = draw("knn", 80, 3)
    GSMPLE(selection="stars", dependence=Recorded(), max_memory=8_000_000, executor=Two()).fit(
        frame
    )
    whole, *parts = dict.fromkeys(bound for bound in BOUNDS if bound[1] is not None)
    assert whole == (80, 1_000_000)
    assert {n_bytes for _, n_bytes in parts} == {2_000_000}


def count_kept(shared, item):
    return len(processes._kept)


def test_a_process_forgets_what_is_shared_no_more():
    processes.stop_all()
    executor = Processes(2)
    for _ in range(3):
        assert set(in_order(executor, count_kept, executor.share(None), range(8))) == {1}
