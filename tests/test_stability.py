"""How often edges are found again: counted by hand, the same for any number of jobs."""

import numpy as np
import pytest

from mrflearn import GSMPLE, Graph, InputError, stability
from mrflearn.selection.subsamples import draw_rows
from mrflearn.stability import Stability
from mrflearn.table import as_table


def _columns(n_samples=80):
    rng = np.random.default_rng(3)
    a = rng.normal(size=n_samples)
    return np.column_stack([a, 0.5 * a + rng.normal(size=n_samples), rng.normal(size=n_samples)])


def test_frequencies_are_those_of_fits_to_the_parts():
    X = _columns()
    estimator = GSMPLE(0.25, dependence="gaussian", scale=None)
    found = stability(X, estimator, n_subsamples=6, random_state=4, n_jobs=1, quiet=True)
    by_hand = [estimator.fit(X[draw_rows(80, 40, number, 4)]).adjacency_ for number in range(6)]
    assert np.allclose(found.frequencies, np.mean(by_hand, axis=0))
    assert 0 < found.frequencies[0, 1] < 1, "a table that tells nothing"


def test_lambda_is_chosen_anew_in_each_part():
    X = _columns()
    estimator = GSMPLE(dependence="gaussian")
    found = stability(X, estimator, n_subsamples=4, n_jobs=1, quiet=True)
    table = as_table(X)
    by_hand = [
        estimator._select(
            table.at_rows(draw_rows(80, 40, number, 0)), estimator._check_lam()
        ).graph.adjacency
        for number in range(4)
    ]
    assert np.array_equal(found.frequencies, np.mean(by_hand, axis=0))


def test_jobs_and_the_estimator_given_change_nothing():
    estimator = GSMPLE(dependence="copula", n_jobs=2)
    one = stability(_columns(), estimator, n_subsamples=3, n_jobs=1, quiet=True)
    two = stability(_columns(), estimator, n_subsamples=3, n_jobs=2, quiet=True)
    assert np.array_equal(one.frequencies, two.frequencies)
    assert estimator.n_jobs == 2
    first = stability(_columns(), estimator, n_subsamples=5, n_jobs=1, quiet=True)
    assert not np.array_equal(one.frequencies, first.frequencies) or one.n_subsamples == 3


FOUND = Stability(("a", "b", "c"), np.array([[0, 0.9, 0.5], [0.9, 0, 0.0], [0.5, 0.0, 0]]), 10, 0.5)


def test_a_graph_of_sure_edges_and_a_frame_of_all():
    assert [edge[:2] for edge in FOUND.graph(0.6).edges] == [("a", "b")]
    assert [edge.confidence for edge in FOUND.graph(0.5).edges] == [0.9, 0.5]
    frame = FOUND.to_pandas()
    assert frame["frequency"].tolist() == [0.9, 0.5]
    assert repr(FOUND) == (
        "Stability(3 nodes, 10 subsamples of 50%, 2 edges in at least half of them)"
    )


def test_edges_of_another_graph_get_their_frequencies():
    graph = Graph(("a", "b", "c"), (("a", "b", 0.4), ("b", "c", 0.1)), 0.1)
    found = FOUND.of(graph)
    assert [edge.confidence for edge in found.edges] == [0.9, 0.0]
    assert found.lam == 0.1
    with pytest.raises(InputError, match="different variables"):
        FOUND.of(Graph(("x", "y")))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_subsamples": 1}, "n_subsamples must be a whole number of at least 2, got 1"),
        ({"fraction": 0.0}, "fraction must be between 0 and 1"),
        ({"fraction": 0.01}, "a subsample of 0 rows of 80"),
        ({"random_state": "x"}, "random_state must be a whole number"),
        ({"method": "nothing"}, "unknown method"),
    ],
)
def test_mistakes_are_one_sentence(options, words):
    with pytest.raises(InputError, match=words):
        stability(_columns(), **{"dependence": "gaussian", "quiet": True, **options})


@pytest.mark.parametrize("at_least", [0, 1.1, "half"])
def test_a_threshold_is_a_share(at_least):
    with pytest.raises(InputError, match="at_least must be a share between 0 and 1"):
        FOUND.graph(at_least)
