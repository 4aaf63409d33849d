"""Graphs without a penalty, one variable given its neighbours: against other fits of the same."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from mrflearn import JOSE, GLasso, MixedPairwise, NodewiseLasso, NodewiseLogistic, Skeptic, Space
from mrflearn.parametric import jose, regressions
from mrflearn.parametric.refit import each_once
from mrflearn.parametric.regressions import Regressions
from mrflearn.selection.ebic import FORMS
from mrflearn.table import as_table

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20, deadline=None)

# For each: an estimator, and the kind of table it takes.
CASES = {
    "glasso": (GLasso(), "numbers"),
    "skeptic": (Skeptic(), "numbers"),
    "skeptic-kendall": (Skeptic(rank="kendall"), "numbers"),
    "space": (Space(), "numbers"),
    "lasso": (NodewiseLasso(), "numbers"),
    "logistic": (NodewiseLogistic(), "binary"),
    "jose": (JOSE(), "binary"),
    "jose-group": (JOSE(form="group"), "levels"),
    "mixed-numbers": (MixedPairwise(), "numbers"),
    "mixed-levels": (MixedPairwise(), "levels"),
    "mixed": (MixedPairwise(), "mixed"),
}


def frame_of(kind, seed=0, n_samples=120):
    """Return columns that follow one another, with ties where they are discrete."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 5))
    for j in range(1, 5):
        X[:, j] += 0.7 * X[:, j - 1]
    frame = pd.DataFrame(X * [1, 30, 0.1, 2, 5] + [0, 7, 1, -3, 0], columns=list("abcde"))
    levels = {"numbers": {}, "binary": dict.fromkeys("abcde", 2)}.get(
        kind, {"a": 3, "b": 2, "c": 4} | ({"d": 2, "e": 3} if kind == "levels" else {})
    )
    for name, n in levels.items():
        frame[name] = pd.Categorical(pd.qcut(frame[name], n, labels=False))
    return frame


def random_graphs(seed=0, n_graphs=6):
    """Return graphs of five variables, the first without an edge and the last with all."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_graphs, 5, 5)) < np.linspace(0, 1, n_graphs)[:, None, None], 1)
    return upper | upper.transpose(0, 2, 1)


def refits_of(name, frame, graphs):
    return CASES[name][0]._refit(as_table(frame, scale=None), graphs)


def standardised(column):
    values = column.to_numpy(float)
    return (values - values.mean()) / values.std()


def dummies(frame):
    """Return the columns of some variables: standardised numbers, indicators of levels."""
    parts = [np.empty((len(frame), 0))]
    for name in frame:
        if frame[name].dtype == "category":
            parts.append(pd.get_dummies(frame[name], drop_first=True).to_numpy(float))
        else:
            parts.append(standardised(frame[name])[:, None])
    return np.hstack(parts)


@pytest.fixture(params=CASES)
def case(request):
    return request.param, frame_of(CASES[request.param][1])


# --- Log-likelihoods ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_a_number_has_the_density_around_its_least_squares(kind):
    frame = frame_of(kind)
    of = Regressions(as_table(frame, scale=None), levels=True)
    aim = standardised(frame["d"])
    for given_others in [(), (0,), (2, 4), (0, 1, 2, 4)]:
        design = np.column_stack([np.ones(len(frame)), dummies(frame.iloc[:, list(given_others)])])
        means = design @ np.linalg.lstsq(design, aim, rcond=None)[0]
        density = norm.logpdf(aim, means, math.sqrt(((aim - means) ** 2).mean())).sum()
        assert of(3, given_others) == pytest.approx(density, abs=1e-4)


@pytest.mark.parametrize("kind", ["binary", "levels", "mixed"])
def test_levels_have_the_log_loss_of_scikit_learn(kind):
    frame = frame_of(kind, n_samples=400)
    of = Regressions(as_table(frame, scale=None), levels=True)
    for i, given_others in itertools.product(range(3), [(3,), (3, 4)]):
        design, codes = dummies(frame.iloc[:, list(given_others)]), frame.iloc[:, i].to_numpy(int)
        model = LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000).fit(design, codes)
        loss = log_loss(codes, model.predict_proba(design), normalize=False)
        assert of(i, given_others) == pytest.approx(-loss, abs=1e-3)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(2, 4), st.integers(2, 4), st.integers(12, 60))
def test_levels_given_one_other_have_the_shares_in_its_rows(seed, n_levels, n_given, n_samples):
    """With cells that are empty as well: then there is no maximum, but this is its bound."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(n_levels, size=n_samples), rng.integers(n_given, size=n_samples)
    b[:n_given], a[:n_levels] = np.arange(n_given), np.arange(n_levels)  # each level occurs
    counts = np.zeros((n_levels, n_given))
    np.add.at(counts, (a, b), 1)
    seen = counts > 0
    expected = (counts * np.log(np.where(seen, counts, 1) / counts.sum(axis=0)))[seen].sum()
    frame = pd.DataFrame({"a": pd.Categorical(a), "b": pd.Categorical(b)})
    of = Regressions(as_table(frame, scale=None), levels=True)
    assert of(0, (1,)) == pytest.approx(expected, abs=1e-4)


def test_levels_that_are_told_without_error_have_likelihood_one():
    frame = frame_of("levels")
    frame["b"] = frame["a"].cat.rename_categories(list("xyz"))
    of = Regressions(as_table(frame, scale=None), levels=True)
    for given_others in [(1,), (1, 2), (1, 2, 3, 4)]:
        assert of(0, given_others) == pytest.approx(0.0, abs=1e-4)


def test_without_edges_the_likelihood_is_that_of_single_columns(case):
    name, frame = case
    found = refits_of(name, frame, random_graphs()[:1])
    expected = 0.0
    for column in frame:
        if frame[column].dtype == "category":
            shares = frame[column].value_counts(normalize=True)
            expected += len(frame) * float((shares * np.log(shares)).sum())
        else:
            expected -= len(frame) / 2 * (math.log(2 * math.pi) + 1)
    assert found.log_likelihoods[0] == pytest.approx(expected, abs=1e-4)
    assert found.n_parameters[0] == found.n_choices[0] == 0


@FEW
@given(seed=SEEDS, name=st.sampled_from(sorted(CASES)), twice=st.booleans())
def test_another_edge_never_makes_a_graph_less_likely(seed, name, twice):
    frame = frame_of(CASES[name][1], seed % 5, n_samples=60)
    if twice:
        frame["c"] = frame["a"]
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.argwhere(np.triu(np.ones((5, 5)), 1)))
    graphs = np.zeros((11, 5, 5), dtype=bool)
    for k, (i, j) in enumerate(order):
        graphs[k + 1 :, i, j] = graphs[k + 1 :, j, i] = True
    found = refits_of(name, frame, graphs).log_likelihoods
    found = found[np.isfinite(found)]
    assert all(b > a - 1e-3 for a, b in itertools.pairwise(found))


def test_the_free_pseudolikelihood_is_no_less_than_that_of_agreeing_ends():
    """And no more than a little, as both are estimates of one coupling."""
    frame = frame_of("binary", n_samples=500)
    table = as_table(frame, scale=None)
    (fit,) = jose.path(table, [0.0])
    (free,) = jose.refit(table, random_graphs()[-1:]).log_likelihoods
    assert -500 * fit.objective <= free + 1e-4
    assert -500 * fit.objective == pytest.approx(free, abs=10)


def test_a_graph_is_too_dense_where_columns_are_half_the_rows_or_parameters_as_many():
    rng = np.random.default_rng(0)
    numbers = as_table(rng.normal(size=(12, 8)), scale=None)
    graphs = np.zeros((2, 8, 8), dtype=bool)
    graphs[0, 0, 1:7] = graphs[0, 1:7, 0] = True
    graphs[1, 0, 1:] = graphs[1, 1:, 0] = True
    found = regressions.refit(numbers, graphs, levels=False).log_likelihoods
    assert np.isfinite(found).tolist() == [True, False]
    for n_levels, fits in [(5, True), (6, False)]:  # 4 * 4 and 5 * 5 parameters for 20 rows
        codes = np.column_stack([np.arange(20) % n_levels, rng.permutation(20) % n_levels])
        edge = ~np.eye(2, dtype=bool)[None]
        found = regressions.refit(as_table(codes.astype(str), scale=None), edge, levels=True)
        assert np.isfinite(found.log_likelihoods[0]) == fits


def test_equal_graphs_are_fitted_once():
    asked = []

    def count(graph):
        asked.append(graph.sum() // 2)
        return -float(graph.sum())

    graphs = random_graphs()[[0, 3, 3, 5, 0]]
    found = each_once(graphs, count)
    np.testing.assert_array_equal(found, -graphs.sum(axis=(1, 2)))
    assert len(asked) == 3


# --- Parameters and choices -----------------------------------------------------------------------


def test_parameters_of_edges_are_counted(case):
    name, frame = case
    sizes = [
        frame[column].nunique() - 1 if frame[column].dtype == "category" else 1 for column in frame
    ]
    graphs = random_graphs()
    found = refits_of(name, frame, graphs)
    assert found.form in FORMS
    ends = 2 if found.form == "nodewise" else 1
    for at, graph in enumerate(graphs):
        edges = np.argwhere(np.triu(graph))
        assert found.n_choices[at] == ends * len(edges)
        assert found.n_parameters[at] == ends * sum(sizes[i] * sizes[j] for i, j in edges)


# --- What must not matter -------------------------------------------------------------------------


def assert_alike(one, other, times=1.0):
    expected = times * one.log_likelihoods
    np.testing.assert_allclose(other.log_likelihoods, expected, atol=1e-3)
    np.testing.assert_array_equal(other.n_parameters, one.n_parameters)


def test_rows_that_are_there_twice_count_twice(case):
    name, frame = case
    graphs = random_graphs()
    both = pd.concat([frame, frame])
    assert_alike(refits_of(name, frame, graphs), refits_of(name, both, graphs), times=2.0)


@FEW
@given(seed=SEEDS, name=st.sampled_from(sorted(CASES)))
def test_order_names_and_units_do_not_matter(seed, name):
    frame = frame_of(CASES[name][1], seed % 7)
    rng = np.random.default_rng(seed)
    order = rng.permutation(5)
    moved = frame.iloc[rng.permutation(len(frame)), order].copy()
    for column in moved:
        if moved[column].dtype == "category":
            labels = rng.permutation(moved[column].cat.categories)
            moved[column] = moved[column].cat.rename_categories(labels)
        else:
            moved[column] = moved[column] * rng.uniform(0.1, 10) + rng.normal()
    graphs = random_graphs(seed)
    turned = graphs[:, order][:, :, order]
    assert_alike(refits_of(name, frame, graphs), refits_of(name, moved, turned))


@pytest.mark.parametrize("estimator", [GLasso(), NodewiseLasso(), MixedPairwise()])
def test_a_constant_changes_no_choice(estimator):
    frame = frame_of("numbers")
    plain = estimator.fit(frame).choice_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = estimator.fit(frame.assign(constant=1.0)).choice_
        alone = estimator.fit(frame.assign(a=1.0, b=2.0)[["a", "b"]])
    assert wide.position == plain.position
    np.testing.assert_allclose(wide.values, plain.values)
    assert not alone.adjacency_.any()
