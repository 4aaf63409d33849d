"""The Gaussian of largest likelihood with a given graph, against closed forms and an optimiser."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from mrflearn.datasets import shapes
from mrflearn.parametric.covariance_selection import covariance, refit

SEEDS = st.integers(0, 2**32 - 1)


def correlations(rng, n_variables, n_samples=60, strength=0.5):
    X = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        X[:, j] += strength * X[:, :j].sum(axis=1)
    return np.corrcoef(X.T), X


def random_graph(rng, n_variables):
    upper = np.triu(rng.random((n_variables, n_variables)) < rng.random(), 1)
    return upper | upper.T


def log_determinant(matrix, members=slice(None)):
    return np.linalg.slogdet(np.atleast_2d(matrix[members][:, members]))[1]


def graph_of(n_variables, edges):
    graph = np.zeros((n_variables, n_variables), dtype=bool)
    for i, j in edges:
        graph[i, j] = graph[j, i] = True
    return graph


# --- The matrix -----------------------------------------------------------------------------------


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 9))
def test_it_agrees_with_the_data_at_edges_and_its_inverse_is_zero_elsewhere(seed, n_variables):
    """These two conditions have one solution, which is the maximum (Dempster 1972)."""
    rng = np.random.default_rng(seed)
    S, _ = correlations(rng, n_variables, strength=rng.uniform(-1, 1))
    S = np.atleast_2d(S)
    graph = random_graph(rng, n_variables)
    W = covariance(S, graph)
    fixed = graph | np.eye(n_variables, dtype=bool)
    np.testing.assert_allclose(W[fixed], S[fixed], atol=1e-12)
    T = np.linalg.inv(W)
    scale = np.sqrt(np.outer(T.diagonal(), T.diagonal()))
    np.testing.assert_allclose((T / scale)[~fixed], 0.0, atol=1e-5)
    assert np.linalg.eigvalsh(W)[0] > 0


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(4))
def test_a_cycle_has_the_likelihood_that_an_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    S, _ = correlations(rng, 6)
    graph = graph_of(6, [(i, (i + 1) % 6) for i in range(6)])
    free = np.argwhere(np.triu(graph | np.eye(6, dtype=bool)))

    def matrix(theta):
        T = np.zeros((6, 6))
        T[free[:, 0], free[:, 1]] = T[free[:, 1], free[:, 0]] = theta
        return T

    def loss(theta):
        T = matrix(theta)
        if np.linalg.eigvalsh(T)[0] <= 0:
            return math.inf, np.zeros_like(theta)
        slope = S - np.linalg.inv(T)
        doubled = np.where(free[:, 0] == free[:, 1], 1.0, 2.0)
        return (S * T).sum() - log_determinant(T), doubled * slope[free[:, 0], free[:, 1]]

    start = np.where(free[:, 0] == free[:, 1], 1.0, 0.0)
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    assert log_determinant(covariance(S, graph)) + 6 == pytest.approx(found.fun, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_has_a_factor_for_each_edge(seed):
    S, _ = correlations(np.random.default_rng(seed), 8)
    edges = [(0, 1), (0, 2), (2, 3), (2, 4), (4, 5), (1, 6), (6, 7)]
    expected = sum(math.log(1 - S[i, j] ** 2) for i, j in edges)
    assert log_determinant(covariance(S, graph_of(8, edges))) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_cliques_in_a_row_have_their_determinants_over_those_between(seed):
    S, _ = correlations(np.random.default_rng(seed), 6)
    cliques, between = ([0, 1, 2], [1, 2, 3], [3, 4, 5]), ([1, 2], [3])
    edges = [(i, j) for own in cliques for i in own for j in own if i < j]
    expected = sum(log_determinant(S, own) for own in cliques)
    expected -= sum(log_determinant(S, own) for own in between)
    assert log_determinant(covariance(S, graph_of(6, edges))) == pytest.approx(expected)


# --- Likelihoods ----------------------------------------------------------------------------------


def test_the_likelihood_is_that_of_the_density():
    S, X = correlations(np.random.default_rng(0), 5)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    graphs = np.array([random_graph(np.random.default_rng(k), 5) for k in range(6)])
    found = refit(S, len(X), graphs)
    assert found.form == "likelihood"
    for value, graph in zip(found.log_likelihoods, graphs, strict=True):
        density = multivariate_normal(cov=covariance(S, graph)).logpdf(Z).sum()
        assert value == pytest.approx(density, abs=1e-3)  # NOISE
    np.testing.assert_array_equal(found.n_parameters, [np.triu(g).sum() for g in graphs])
    np.testing.assert_array_equal(found.n_choices, found.n_parameters)


def test_a_sparse_graph_needs_no_more_rows_than_columns():
    """Of ten rows and thirty columns, a chain has the closed form of a tree all the same."""
    S, _ = correlations(np.random.default_rng(1), 30, n_samples=10, strength=0.1)
    (found,) = refit(S, 10, np.asarray(shapes.chain(30))[None]).log_likelihoods
    determinant = sum(math.log(1 - S[j, j + 1] ** 2) for j in range(29))
    assert found == pytest.approx(-5 * (determinant + 30 * (math.log(2 * math.pi) + 1)), abs=1e-4)


def test_a_graph_too_dense_for_the_rows_has_none():
    S, _ = correlations(np.random.default_rng(2), 8, n_samples=12)
    star = graph_of(8, [(0, j) for j in range(1, 8)])
    smaller = graph_of(8, [(0, j) for j in range(1, 7)])
    found = refit(S, 12, np.array([star, smaller])).log_likelihoods
    assert found[0] == -math.inf
    assert math.isfinite(found[1])


def test_a_column_that_is_there_twice_is_worth_the_same_to_all_graphs_that_join_it():
    rng = np.random.default_rng(3)
    _, X = correlations(rng, 4)
    S = np.corrcoef(np.column_stack([X, X[:, 0]]).T)
    twice, other = graph_of(5, [(0, 4)]), graph_of(5, [(1, 2), (2, 3)])
    graphs = np.array([0 * other, other, twice, twice | other], dtype=bool)
    empty, chain, joined, both = refit(S, 60, graphs).log_likelihoods
    assert math.isfinite(both)
    assert joined > empty + 300
    assert both - joined == pytest.approx(chain - empty, abs=1e-3)
