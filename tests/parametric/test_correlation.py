"""Rank correlations of Gaussian copulas, and the nearest correlation matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from mrflearn.errors import InputError
from mrflearn.parametric import skeptic
from mrflearn.parametric.correlation import (
    RANKS,
    correlation,
    nearest_correlation,
    skeptic_correlation,
)
from mrflearn.table import as_table


def test_correlations_are_numpys():
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1, 1e-150, 1e150, 5]
    expected = np.corrcoef((X / [1, 1e-150, 1e150, 5] + 3).T)
    np.testing.assert_allclose(correlation(X), expected, atol=1e-12)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("r", [-0.8, 0.0, 0.3, 0.9])
def test_a_gaussian_copula_gives_its_correlation_whatever_the_margins(rank, r):
    n_samples = 4000
    X = np.random.default_rng(7).multivariate_normal([0, 0], [[1, r], [r, 1]], size=n_samples)
    bent = np.column_stack([np.exp(3 * X[:, 0]), X[:, 1] ** 3])
    estimate = skeptic_correlation(bent, rank)
    np.testing.assert_array_equal(estimate, skeptic_correlation(X, rank))
    assert estimate[0, 1] == pytest.approx(r, abs=4.5 / np.sqrt(n_samples))
    if abs(r) > 0.2:  # the correlation of the bent values is another
        assert abs(correlation(bent)[0, 1] - r) > 0.05


@given(seed=st.integers(0, 10_000), levels=st.integers(2, 30))
@settings(deadline=None, max_examples=40)
def test_ranks_are_scipys_ties_included(seed, levels):
    X = np.random.default_rng(seed).integers(levels, size=(25, 3)).astype(float)
    X[0], X[1] = 0, 1  # no column is constant
    rho, tau = (f(X[:, 0], X[:, 1]).statistic for f in (spearmanr, kendalltau))
    assert skeptic_correlation(X)[0, 1] == pytest.approx(2 * np.sin(np.pi / 6 * rho), abs=1e-12)
    assert skeptic_correlation(X, "kendall")[0, 1] == pytest.approx(
        np.sin(np.pi / 2 * tau), abs=1e-12
    )


def test_the_nearest_correlation_matrix_is_highams():
    # Higham (2002), section 4: to four digits.
    found = nearest_correlation(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]]))
    expected = [[1, 0.7607, 0.1573], [0.7607, 1, 0.7607], [0.1573, 0.7607, 1]]
    np.testing.assert_allclose(found, expected, atol=6e-5)


@pytest.mark.parametrize("seed", range(5))
def test_repair_gives_a_correlation_matrix_near_by(seed):
    X = np.random.default_rng(seed).normal(size=(30, 50))
    raw = skeptic_correlation(X)
    assert np.linalg.eigvalsh(raw)[0] < 0, "there must be something to mend"
    mended = nearest_correlation(raw)
    assert np.linalg.eigvalsh(mended)[0] >= -1e-10
    np.testing.assert_array_equal(np.diag(mended), 1.0)
    values, vectors = np.linalg.eigh(raw)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    scale = np.sqrt(np.diag(clipped))
    clipped /= np.outer(scale, scale)
    assert np.linalg.norm(mended - raw) <= np.linalg.norm(clipped - raw) + 1e-8


def test_a_correlation_matrix_is_left_as_it_is():
    matrix = correlation(np.random.default_rng(0).normal(size=(50, 4)))
    assert nearest_correlation(matrix) is matrix


def test_an_unknown_rank_is_refused():
    with pytest.raises(InputError, match="did you mean 'spearman'"):
        skeptic_correlation(np.eye(3), "spearmann")


@pytest.mark.parametrize("rank", RANKS)
def test_skeptic_is_the_graphical_lasso_on_ranks(rank):
    X = np.random.default_rng(3).normal(size=(80, 4)) @ (np.eye(4) + 0.5)
    plain, bent = (
        skeptic.path(as_table(data, scale=None), [0.1], rank=rank)[0] for data in (X, np.exp(X))
    )
    np.testing.assert_array_equal(plain.weights, bent.weights)
    assert plain.converged
    assert plain.parameters["correlation"].shape == (4, 4)
    table = as_table(X, scale=None)
    largest = skeptic.largest_lam(table, rank=rank)
    none, some = skeptic.path(table, [largest, 0.999 * largest], rank=rank)
    assert not none.adjacency.any()
    assert some.adjacency.any()
