"""The test of one conditional independence, against closed forms and where it should say no."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mrflearn import InputError, conditional_mutual_information, independence_test, learn
from mrflearn.dependence import KNN, MixedKSG, PlugIn, Sieve


def _triple(n_samples=200, seed=0, edge=0.0):
    """x and y with two causes in common, one of them a label."""
    rng = np.random.default_rng(seed)
    z = pd.DataFrame({"a": rng.normal(size=n_samples), "b": rng.choice(["p", "q"], n_samples)})
    cause = z["a"] + (z["b"] == "p")
    x = cause + rng.normal(size=n_samples)
    return x, cause + edge * x + rng.normal(size=n_samples), z


@pytest.mark.parametrize(
    "method", ["auto", Sieve(basis="linear"), "knn", KNN(8), MixedKSG(), "copula"]
)
def test_the_estimate_is_that_of_the_function(method):
    x, y, z = _triple(100)
    found = independence_test(x, y, z, method=method)
    one, other = (
        conditional_mutual_information(*ends, z, method=method) for ends in ((x, y), (y, x))
    )
    assert found.information == pytest.approx((one + other) / 2)
    assert found.information > found.by_chance or found.p_value > 0.3


def test_what_the_condition_explains_is_not_significant():
    p_values = [independence_test(*_triple(seed=seed), n_shuffles=50).p_value for seed in range(20)]
    assert np.sum(np.array(p_values) <= 0.05) <= 4  # more have a chance of 0.003
    x, y, _ = _triple()
    assert independence_test(x, y).p_value < 1e-6


def test_an_edge_is_significant():
    p_values = [independence_test(*_triple(seed=seed, edge=0.6)).p_value for seed in range(5)]
    assert np.median(p_values) < 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_of_gaussians_the_p_value_is_about_that_of_a_correlation(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 300))
    y = y + 0.14 * x
    found = independence_test(x, y, method="gaussian", n_shuffles=1000)
    exact = stats.pearsonr(x, y).pvalue
    assert found.p_value == pytest.approx(exact, rel=0.35, abs=0.01)


def test_of_labels_the_p_value_is_about_that_of_a_table():
    rng = np.random.default_rng(5)
    x = rng.integers(3, size=400)
    y = np.where(rng.random(400) < 0.16, x, rng.integers(3, size=400))
    found = independence_test(x, y, method=PlugIn(), n_shuffles=1000)
    counts = np.histogram2d(x, y, bins=3)[0]
    exact = stats.chi2_contingency(counts, lambda_="log-likelihood").pvalue
    assert found.information == pytest.approx(
        stats.chi2_contingency(counts, lambda_="log-likelihood").statistic / 800
    )
    assert found.p_value == pytest.approx(exact, rel=0.5, abs=0.005)


def test_it_is_the_test_that_learn_makes():
    """Given the neighbours there: one condition of two columns is as good as two conditions."""
    x, y, z = _triple(300, edge=0.25)
    frame = z.assign(x=x, y=y)[["x", "y", "a", "b"]]
    required = [("x", "y"), *((end, cause) for end in "xy" for cause in "ab")]
    graph = learn(frame, lam=np.inf, required=required, quiet=True).graph
    (edge,) = (edge for edge in graph.edges if {edge.source, edge.target} == {"x", "y"})
    found = independence_test(x, y, z)
    assert found.p_value == pytest.approx(edge.p_value, rel=1e-6)


def test_the_same_seed_gives_the_same_answer():
    x, y, z = _triple(80)
    one, same, other = (
        independence_test(x, y, z, method="knn", random_state=seed) for seed in (1, 1, 2)
    )
    assert one == same
    assert one.information == other.information
    assert one.by_chance != other.by_chance
    assert independence_test(x, y, z, random_state=1) == independence_test(x, y, z, random_state=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_shuffles": 3}, "n_shuffles must be a whole number of at least 20, got 3"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"method": "knm"}, "did you mean 'knn'"),
        ({"z": np.zeros(3)}, "z has 3 rows and x has 20"),
        ({"kinds": {"w": "nominal"}}, "unknown variable in kinds= 'w'"),
    ],
)
def test_mistakes_are_one_sentence(options, words):
    x, y = np.random.default_rng(0).normal(size=(2, 20))
    with pytest.raises(InputError, match=words):
        independence_test(x, y, **options)


@pytest.mark.filterwarnings("error")
def test_a_constant_tells_nothing():
    x = np.random.default_rng(0).normal(size=50)
    assert independence_test(x, np.ones(50)).p_value == 1.0
    assert independence_test(x, np.ones(50), x).p_value is None  # x is known


@pytest.mark.parametrize(
    ("case", "note"),
    [
        ("constant", "y is constant: it tells nothing of any variable"),
        ("determined", "z determines x, which has nothing left to share"),
        ("few", "6 rows are too few for regressions on z: take fewer conditions"),
        ("copy", "x and y tell the same: one is a function of the other"),
        ("usual", ""),
    ],
)
def test_a_test_that_says_little_says_why(case, note):
    rng = np.random.default_rng(0)
    n_samples = 6 if case == "few" else 120
    x, y = rng.normal(size=(2, n_samples))
    z = pd.DataFrame(rng.normal(size=(n_samples, 9 if case == "few" else 1)))
    z.columns = list("abcdefghi")[: z.shape[1]]
    if case == "constant":
        y = np.ones(n_samples)
    elif case == "determined":
        z["a"] = 2 * x + 1
    elif case == "copy":
        y = 3 * x
    found = independence_test(x, y, z)
    assert found.note == note
    assert (found.p_value is None) == (case == "determined")
    if case == "copy":
        assert 0 < found.p_value < 1e-100
