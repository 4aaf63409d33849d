"""Every search and selection gives the same result, to the last byte, whoever does the work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from contents import content

from mrflearn import learn, stability
from mrflearn.estimators import ESTIMATORS, as_estimator
from mrflearn.selection import Stars
from mrflearn.work import Executor, Serial
from mrflearn.work.processes import Processes

KINDS = ("threads", "processes", "dask", "shuffled")
SEARCHES = ("gsmple", "gsmn", "iamb", "greedy-entropy", "chow-liu")


class ConditionalPermutation(Executor):
    """One that finishes its work in any order."""

    elsewhere = True
    n_workers = 3

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def answers(self, work, shared, items):
        done = [(number, work(shared.value, item)) for number, item in enumerate(items)]
        for at in self.rng.permutation(len(done)):
            yield done[at]


@pytest.fixture(scope="module")
def alone():
    """Return a function that fits in this process, once for each method and its options."""
    known = {}

    def fit(method, data, **options):
        key = (method, tuple(data.columns), repr(options))
        if key not in known:
            known[key] = content(as_estimator(method, {**options, "executor": "serial"}).fit(data))
        return known[key]

    return fit


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    a = rng.normal(size=120)
    b = a + rng.normal(size=120)
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "c": np.sin(2 * b) + 0.3 * rng.normal(size=120),
            "d": np.where(a + rng.normal(size=120) > 0, "yes", "no"),
            "e": rng.integers(4, size=120),
            "f": rng.normal(size=120),
        }
    )


@pytest.fixture(params=KINDS)
def workers(request, dask_client):
    return {
        "threads": {"n_jobs": 2, "executor": "threads"},
        "processes": {"n_jobs": 2, "executor": "processes"},
        "dask": {"executor": dask_client},
        "shuffled": {"executor": ConditionalPermutation()},
    }[request.param]


@pytest.fixture(autouse=True)
def _all_is_sent(monkeypatch):
    """Little work would stay here."""
    monkeypatch.setattr("mrflearn.dependence.remote.WORTH", 0.0)


@pytest.mark.parametrize("method", SEARCHES)
def test_searches_do_not_depend_on_who_works(method, workers, frame, alone):
    assert content(as_estimator(method, dict(workers)).fit(frame)) == alone(method, frame)


@pytest.mark.parametrize("method", ["gsmple", "iamb"])
def test_screened_searches_do_not_depend_on_who_works(method, workers, frame, alone):
    found = as_estimator(method, {"screen": 2, **workers}).fit(frame)
    assert content(found) == alone(method, frame, screen=2)


@pytest.mark.parametrize("method", ["gsmple", "glasso"])
@pytest.mark.parametrize("selection", [Stars(n_subsamples=6), "heldout"], ids=["stars", "heldout"])
def test_selections_do_not_depend_on_who_works(method, selection, workers, frame, alone):
    numbers = frame[["a", "b", "c", "f"]]
    options = {"selection": selection, "random_state": 3}
    if method == "gsmple":
        options["dependence"] = "gaussian"
    found = as_estimator(method, {**options, **workers}).fit(numbers)
    assert content(found) == alone(method, numbers, **options)


def test_learn_does_not_depend_on_who_works(workers, frame, tmp_path):
    options = {"n_subsamples": 3, "quiet": True}
    learn(frame, executor="serial", **options).save(tmp_path / "one.json")
    learn(frame, **workers, **options).save(tmp_path / "other.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()


def test_stability_does_not_depend_on_who_works(workers, frame):
    options = {"n_subsamples": 4, "dependence": "knn", "quiet": True}
    one = stability(frame[["a", "b", "c", "f"]], executor="serial", **options)
    other = stability(frame[["a", "b", "c", "f"]], **workers, **options)
    np.testing.assert_array_equal(one.frequencies, other.frequencies)


def test_every_estimator_takes_an_executor_and_keeps_it_when_cloned(dask_client):
    from sklearn.base import clone

    for name in ESTIMATORS:
        estimator = as_estimator(name, {"executor": dask_client})
        assert clone(estimator).executor is dask_client


def test_an_estimator_with_a_client_can_be_saved(dask_client, frame):
    import pickle

    fitted = as_estimator("gsmple", {"lam": 0.1, "dependence": "gaussian"}).fit(frame[["a", "b"]])
    fitted.set_params(executor=dask_client)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.executor is None
    assert again.graph_ == fitted.graph_


def test_executors_of_ones_own_are_taken(frame):
    class Own(Serial):
        pass

    assert as_estimator("iamb", {"executor": Own()}).fit(frame).graph_.nodes
    assert isinstance(Processes(2), Executor)
