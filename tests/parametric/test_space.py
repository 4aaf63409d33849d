"""SPACE: closed forms, sample partial correlations, scikit-learn's lasso, symmetries."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.parametric.base import decades, unit_columns
from mrflearn.parametric.space import largest_lam, path
from mrflearn.table import as_table

WEIGHTS = ("uniform", "residual")


def chain(n_samples=80, n_variables=6, seed=0, strength=0.7):
    """Return columns that follow one another, on different scales."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        X[:, j] += strength * X[:, j - 1]
    return X * rng.uniform(0.1, 30, n_variables) + rng.normal(size=n_variables)


def table(X):
    return as_table(X, scale=None)


def fit(X, lam, **options):
    return path(table(X), [lam], **options)[0]


def parts(result):
    """Return partial correlations without their diagonal, and precisions."""
    rho = result.parameters["partial_correlations"]
    return rho - np.eye(len(rho)), result.parameters["precisions"]


def residuals(X, rho, omega):
    """Return x_i - sum_j rho_ij sqrt(omega_j / omega_i) x_j, one column for each i."""
    Z = unit_columns(X)
    left = np.empty_like(Z)
    for i in range(Z.shape[1]):
        left[:, i] = Z[:, i]
        for j in range(Z.shape[1]):
            left[:, i] -= rho[i, j] * math.sqrt(omega[j] / omega[i]) * Z[:, j]
    return left


def sample_partial_correlations(X):
    precision = np.linalg.inv(np.corrcoef(X.T))
    scale = np.sqrt(np.diag(precision))
    partial = -precision / np.outer(scale, scale)
    np.fill_diagonal(partial, 1.0)
    return partial, np.diag(precision)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("shape", [(40, 2), (80, 6), (60, 12)])
def test_without_a_penalty_the_partial_correlations_are_those_of_the_sample(weights, shape):
    X = chain(*shape)
    result = fit(X, 0.0, weights=weights, tol=1e-9)
    partial, precisions = sample_partial_correlations(X)
    assert result.converged
    np.testing.assert_allclose(result.parameters["partial_correlations"], partial, atol=1e-6)
    np.testing.assert_allclose(result.parameters["precisions"], precisions, rtol=1e-6)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("lam", [0.0, 0.2, 0.8, 1.9])
def test_two_variables_have_their_correlation_soft_thresholded(weights, lam):
    # Both regressions hold the one partial correlation, so each carries half of its penalty.
    X = chain(n_variables=2, strength=0.9)
    r = np.corrcoef(X.T)[0, 1]
    rho, omega = parts(fit(X, lam, weights=weights, tol=1e-10))
    weight = omega[0] if weights == "residual" else 1.0
    expected = max(r - lam / (2 * weight), 0)
    np.testing.assert_allclose(rho, [[0, expected], [expected, 0]], atol=1e-8)
    np.testing.assert_allclose(omega, 1 / (1 - 2 * rho[0, 1] * r + rho[0, 1] ** 2), rtol=1e-8)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("lam", [0.1, 0.4])
def test_given_the_precisions_it_is_a_lasso_of_all_regressions_stacked(weights, lam):
    from sklearn.linear_model import Lasso

    X = chain(seed=1)
    Z = unit_columns(X)
    n_samples, n = Z.shape
    rho, omega = parts(fit(X, lam, weights=weights, tol=1e-9))
    root = np.sqrt(omega if weights == "residual" else np.ones(n))
    pairs = list(itertools.combinations(range(n), 2))
    design = np.zeros((n_samples * n, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        for one, other in ((i, j), (j, i)):
            rows = slice(one * n_samples, (one + 1) * n_samples)
            design[rows, column] = root[one] * math.sqrt(omega[other] / omega[one]) * Z[:, other]
    # scikit-learn divides by the number of rows, here n times as many.
    lasso = Lasso(alpha=lam / n, fit_intercept=False, tol=1e-13, max_iter=100_000)
    lasso.fit(design, (Z * root).T.ravel())
    np.testing.assert_allclose([rho[pair] for pair in pairs], lasso.coef_, atol=1e-6)
    assert 0 < np.count_nonzero(rho) < n * (n - 1)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("lam", [0.05, 0.5, math.inf])
def test_precisions_and_objective_are_those_of_the_definition(weights, lam):
    X = chain(seed=2)
    result = fit(X, lam, weights=weights, tol=1e-9)
    rho, omega = parts(result)
    mean_squares = (residuals(X, rho, omega) ** 2).mean(axis=0)
    np.testing.assert_allclose(omega * mean_squares, 1, atol=2e-9)
    node_weights = omega if weights == "residual" else np.ones(6)
    norm = np.abs(rho).sum() / 2
    expected = (node_weights * mean_squares).sum() / 2 + (lam * norm if norm else 0)
    assert result.objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_are_absolute_partial_correlations(weights):
    result = fit(chain() * [1, -1, 1, 1, -1, 1], 0.2, weights=weights)
    rho, _ = parts(result)
    np.testing.assert_array_equal(result.weights, np.abs(rho))
    np.testing.assert_array_equal(result.weights, result.weights.T)
    np.testing.assert_array_equal(np.diag(result.parameters["partial_correlations"]), 1)
    assert (rho < 0).any()
    assert result.neighbourhoods is None


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_lambda_is_where_the_first_edge_enters(weights, seed):
    X = table(chain(seed=seed))
    lam = largest_lam(X, weights=weights)
    above, at, below = path(X, [1.0001 * lam, lam, 0.9999 * lam], weights=weights)
    assert not above.adjacency.any()
    assert not at.adjacency.any()
    assert below.adjacency.any()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_fits_come_in_the_order_of_the_lambdas_and_do_not_depend_on_it(weights):
    X = table(chain())
    lams = [0.2, math.inf, 0.0, 0.6, 0.2]
    fits = path(X, lams, weights=weights, tol=1e-9)
    assert [one.lam for one in fits] == lams
    assert not fits[1].adjacency.any()
    assert all(one.converged and one.residual <= 1e-9 for one in fits)
    for one in fits:
        [alone] = path(X, [one.lam], weights=weights, tol=1e-9)
        np.testing.assert_allclose(one.weights, alone.weights, atol=1e-7)


@given(seed=st.integers(0, 1000), lam=st.floats(0.05, 1.0), weights=st.sampled_from(WEIGHTS))
@settings(max_examples=25, deadline=None)
def test_order_sign_and_scale_of_columns_do_not_matter(seed, lam, weights):
    X = chain(seed=seed)
    rng = np.random.default_rng(seed)
    order, signs = rng.permutation(6), rng.choice([-1, 1], 6)
    rho, omega = parts(fit(X, lam, weights=weights, tol=1e-10))
    other, permuted = parts(fit((X * signs * 3)[:, order], lam, weights=weights, tol=1e-10))
    np.testing.assert_allclose(
        other, (rho * np.outer(signs, signs))[np.ix_(order, order)], atol=1e-6
    )
    np.testing.assert_allclose(permuted, omega[order], rtol=1e-6)


def test_the_graph_of_a_chain_is_found():
    truth = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) == 1
    for weights in WEIGHTS:
        result = fit(chain(2000), 0.3, weights=weights)
        np.testing.assert_array_equal(result.adjacency, truth)


def test_fewer_rows_than_columns_are_enough():
    X = table(chain(15, 20))
    for one in path(X, decades(largest_lam(X), 15, ratio=0.1)):
        assert one.converged


@pytest.mark.parametrize("weights", WEIGHTS)
def test_where_precisions_grow_without_end_the_fit_has_not_converged(weights):
    X = chain(n_variables=3)
    result = fit(np.column_stack([X, X[:, 0]]), 0.0, weights=weights)
    assert not result.converged
    assert np.isfinite(result.objective)
    assert np.isfinite(result.weights).all()


def test_a_fit_that_has_not_converged_does_not_spoil_the_next():
    X = table(chain(8, 9))
    lams = decades(largest_lam(X), 4, ratio=0.2)
    fits = path(X, lams, weights="residual", max_iter=30)
    for one in fits:
        if one.converged:
            [alone] = path(X, [one.lam], weights="residual", max_iter=200)
            np.testing.assert_allclose(one.weights, alone.weights, atol=1e-5)
    assert fits[0].converged
    assert not fits[-1].converged


@pytest.mark.parametrize("weights", WEIGHTS)
def test_too_few_turns_are_reported(weights):
    result = fit(chain(), 0.1, weights=weights, max_iter=1)
    assert not result.converged
    assert result.n_iterations == 1
    assert result.residual > 1e-7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "unifrom"}, "unknown weights 'unifrom'; did you mean 'uniform'"),
        ({"lam": -0.1}, "must not be negative"),
        ({"kinds": {"x1": "nominal"}}, "Space takes numbers, and column 'x1' is nominal"),
        ({"groups": {"ab": ["x0", "x1"]}}, "'ab' is a group of 2"),
    ],
)
def test_bad_input_is_named(options, message):
    X = np.column_stack([chain(), np.arange(80) % 3])[:, [0, 6, 1]]
    made = as_table(X, kinds=options.get("kinds"), groups=options.get("groups"), scale=None)
    with pytest.raises(InputError, match=message):
        path(made, [options.get("lam", 0.1)], weights=options.get("weights", "uniform"))


def test_the_largest_lambda_refuses_unknown_weights():
    with pytest.raises(InputError, match="unknown weights"):
        largest_lam(table(chain()), weights="degree")
