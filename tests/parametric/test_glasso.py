"""The graphical lasso: R's solutions, closed forms and optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from mrflearn.errors import InputError
from mrflearn.parametric import _likelihood, glasso
from mrflearn.parametric.correlation import correlation
from mrflearn.table import as_table

IRIS = load_iris().data


def _random_table(seed, n_samples=60, n_columns=6):
    rng = np.random.default_rng(seed)
    mixing = np.eye(n_columns) + 0.4 * rng.normal(size=(n_columns, n_columns))
    return rng.normal(size=(n_samples, n_columns)) @ mixing


def _fit(matrix, lam, **options):
    names = [f"x{i}" for i in range(len(matrix))]
    (fit,) = glasso.solve(matrix, [lam], names, **options)
    return fit


def test_iris_is_solved_as_by_r():
    # glasso(cov, rho = 1, penalize.diagonal = FALSE) in R, covariances with divisor N.
    expected = [
        [1.5190747, 0.0, -0.1304475, 0.0],
        [0.0, 5.299055, 0.0, 0.0],
        [-0.1304475, 0.0, 0.3498624, -0.1683946],
        [0.0, 0.0, -0.1683946, 1.8164353],
    ]
    fit = _fit(np.cov(IRIS.T, bias=True), 1.0)
    np.testing.assert_allclose(fit.parameters["precision"], expected, atol=2e-6)
    assert fit.converged


def test_a_singular_part_of_iris_is_solved_as_by_r():
    # The same with rho = 0.01 on rows 11 to 13, where three rows cannot span four columns.
    expected = [
        [24.42244057, -16.831679593, 0.0, 0.0],
        [-16.83168201, 24.351841681, -6.206896552, -12.5],
        [0.0, -6.206896171, 153.103448276, 0.0],
        [0.0, -12.499999143, 0.0, 462.5],
    ]
    fit = _fit(np.cov(IRIS[10:13].T, bias=True), 0.01)
    np.testing.assert_allclose(fit.parameters["precision"], expected, atol=1e-3)
    np.testing.assert_array_equal(fit.adjacency[0], [False, True, False, False])


@given(r=st.floats(-0.95, 0.95), lam=st.floats(0.01, 1.2))
@settings(deadline=None, max_examples=60)
def test_two_variables_have_a_closed_form(r, lam):
    fit = _fit(np.array([[1.0, r], [r, 1.0]]), lam)
    left = np.sign(r) * max(abs(r) - lam, 0)
    exact = np.linalg.inv([[1.0, left], [left, 1.0]])
    np.testing.assert_allclose(fit.parameters["precision"], exact, atol=1e-5)
    if abs(abs(r) - lam) > 1e-9:
        assert fit.adjacency[0, 1] == (abs(r) > lam)


@pytest.mark.parametrize("seed", range(5))
def test_every_solution_of_a_path_is_optimal(seed):
    matrix = correlation(_random_table(seed))
    lams = [0.5, 0.01, 0.2, 0.05, np.inf, 0.1]
    for lam, fit in zip(lams, glasso.solve(matrix, lams, "abcdef"), strict=True):
        precision = fit.parameters["precision"]
        gap = np.linalg.inv(precision) - matrix
        np.testing.assert_allclose(np.diag(gap), 0, atol=1e-6)
        off = ~np.eye(len(matrix), dtype=bool)
        on = fit.adjacency
        assert (np.abs(gap[off & ~on]) <= lam + 1e-6).all()
        np.testing.assert_allclose(gap[on], lam * np.sign(precision[on]), atol=1e-6)
        assert fit.converged
        assert fit.residual <= 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_components_change_nothing(seed):
    matrix = correlation(_random_table(seed, n_samples=40, n_columns=8))
    lam = float(np.quantile(np.abs(matrix[np.triu_indices(8, 1)]), 0.85))
    whole, _ = _likelihood.minimise(matrix, lam, np.eye(8), 1e-9, 200)
    np.testing.assert_allclose(_fit(matrix, lam).parameters["precision"], whole, atol=1e-5)


@pytest.mark.parametrize("lam", [0.3, 0.05, 0.01])
def test_our_own_solver_agrees_with_scikit_learn(lam):
    matrix = correlation(_random_table(3))
    ours, n_steps = _likelihood.minimise(matrix, lam, np.eye(6), 1e-9, 200)
    theirs, _ = glasso._scikit_learn(matrix, lam, 500)
    np.testing.assert_allclose(ours, theirs, atol=2e-5)
    assert 0 < n_steps < 1000
    assert glasso.residual(matrix, lam, ours, np.linalg.inv(ours)) <= 1e-9


@pytest.mark.parametrize("few", [0, 30])
@pytest.mark.parametrize("breaks_down", [False, True])
def test_both_solvers_give_the_same_whichever_goes_first(monkeypatch, few, breaks_down):
    matrix = correlation(_random_table(1))
    expected = _fit(matrix, 0.1).parameters["precision"]
    monkeypatch.setattr(glasso, "FEW", few)
    if breaks_down:
        monkeypatch.setattr(glasso, "_scikit_learn", lambda *_: None)
    fit = _fit(matrix, 0.1)
    assert fit.converged
    np.testing.assert_allclose(fit.parameters["precision"], expected, atol=1e-5)


def test_a_solution_that_falls_short_is_not_called_converged():
    fit = _fit(correlation(_random_table(1)), 0.01, max_iter=2)
    assert not fit.converged
    assert fit.residual > 1e-6
    assert fit.n_iterations == 2


def test_no_penalty_gives_the_inverse():
    matrix = correlation(_random_table(0))
    fit = _fit(matrix, 0.0)
    np.testing.assert_allclose(fit.parameters["precision"], np.linalg.inv(matrix), atol=1e-9)
    partial = fit.parameters["partial_correlations"]
    residuals = [
        x - others @ np.linalg.lstsq(others, x, rcond=None)[0]
        for X in [_random_table(0) - _random_table(0).mean(axis=0)]
        for x, others in [(X[:, 0], X[:, 2:]), (X[:, 1], X[:, 2:])]
    ]
    assert partial[0, 1] == pytest.approx(np.corrcoef(*residuals)[0, 1], abs=1e-9)
    assert fit.weights[0, 1] == abs(partial[0, 1])


def test_no_penalty_on_a_singular_matrix_names_the_columns():
    X = _random_table(0)[:, :3]
    X = np.column_stack([X, X[:, 1]])
    with pytest.raises(InputError, match=r"'x1', 'x3' determine each other .* choose lam > 0"):
        _fit(correlation(X), 0.0)
    assert _fit(correlation(X), 0.1).converged


def test_more_columns_than_rows_need_a_penalty():
    X = _random_table(0, n_samples=5, n_columns=8)
    assert _fit(correlation(X), 0.3).converged
    with pytest.raises(InputError, match="fewer rows than columns"):
        _fit(correlation(X), 0.0)


def test_the_largest_lambda_is_where_edges_begin():
    table = as_table(_random_table(2), scale=None)
    largest = glasso.largest_lam(table)
    none, some = glasso.path(table, [largest, 0.999 * largest])
    assert not none.adjacency.any()
    assert some.adjacency.any()


def test_units_do_not_matter():
    X = _random_table(4)
    plain = glasso.path(as_table(X, scale=None), [0.1])[0]
    scaled = glasso.path(as_table(X * [1e-200, 1, 1e200, 3, 1e5, 1], scale=None), [0.1])[0]
    np.testing.assert_allclose(plain.weights, scaled.weights, atol=1e-6)
