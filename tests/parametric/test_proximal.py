"""The solver on problems whose minimum is known, and its honesty about those it has not reached."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn.parametric.proximal import GroupPenalty, minimise

seeds = st.integers(0, 2**32 - 1)


def singles(n, free=0):
    return GroupPenalty(np.arange(free, free + n + 1), np.ones(n))


def quadratic(matrix, aim):
    """½ (u - aim)' matrix (u - aim)."""
    return lambda u: (0.5 * (u - aim) @ matrix @ (u - aim), matrix @ (u - aim))


def random_regression(seed, n_samples=60, n_features=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    y = X @ (rng.normal(size=n_features) * (rng.random(n_features) < 0.5))
    return X, y + rng.normal(size=n_samples)


def least_squares(X, y):
    def smooth(u):
        errors = X @ u - y
        return errors @ errors / (2 * len(y)), X.T @ errors / len(y)

    return smooth


def residual_by_hand(penalty, theta, gradient, lam):
    worst = max(np.abs(gradient[: penalty.starts[0]]), default=0.0)
    for g, scale in enumerate(penalty.scales):
        part = slice(penalty.starts[g], penalty.starts[g + 1])
        norm = np.linalg.norm(theta[part])
        if norm > 0:
            violation = np.linalg.norm(gradient[part] + lam * scale * theta[part] / norm)
        else:
            violation = max(0.0, np.linalg.norm(gradient[part]) - lam * scale)
        worst = max(worst, violation)
    return worst


# --- The penalty ---------------------------------------------------------------------------------


def test_norms_are_taken_over_each_group_and_weighed():
    penalty = GroupPenalty(np.array([1, 3, 4]), np.array([10.0, 0.5]))
    theta = np.array([99.0, 3.0, -4.0, -2.0])
    np.testing.assert_allclose(penalty.norms(theta), [5.0, 2.0])
    assert penalty.value(theta) == 51.0


def test_prox_moves_each_group_towards_zero_and_stops_there():
    penalty = GroupPenalty(np.array([1, 3, 4, 5]), np.array([1.0, 2.0, 0.0]))
    theta = np.array([99.0, 3.0, -4.0, -3.0, 7.0])
    np.testing.assert_allclose(penalty.prox(theta, 1.0), [99.0, 2.4, -3.2, -1.0, 7.0])
    np.testing.assert_array_equal(penalty.prox(theta, 5.0), [99.0, 0.0, 0.0, 0.0, 7.0])
    np.testing.assert_array_equal(penalty.prox(theta, math.inf), [99.0, 0.0, 0.0, 0.0, 7.0])
    assert not np.signbit(penalty.prox(theta, 5.0)).any()


@given(seed=seeds, threshold=st.floats(0, 3))
def test_prox_is_the_minimiser_it_says_it_is(seed, threshold):
    rng = np.random.default_rng(seed)
    penalty = GroupPenalty(np.array([1, 2, 5]), rng.random(2))
    theta = rng.normal(size=5)

    def value(u):
        return 0.5 * (u - theta) @ (u - theta) + threshold * penalty.value(u)

    best = penalty.prox(theta, threshold)
    others = best + rng.normal(size=(20, 5)) * 10.0 ** rng.integers(-4, 1, size=(20, 1))
    assert all(value(best) <= value(other) + 1e-12 for other in others)


@given(seed=seeds, lam=st.floats(0, 3))
def test_residual_is_the_largest_violation_written_out(seed, lam):
    rng = np.random.default_rng(seed)
    penalty = GroupPenalty(np.array([2, 3, 5, 9]), rng.random(3))
    theta, gradient = rng.normal(size=(2, 9))
    theta[3:5] = 0.0
    expected = residual_by_hand(penalty, theta, gradient, lam)
    assert penalty.residual(theta, gradient, lam) == pytest.approx(expected, rel=1e-12)


def test_an_infinite_penalty_forgives_only_zeros():
    penalty = singles(2)
    assert penalty.residual(np.zeros(2), np.ones(2), math.inf) == 0.0
    assert penalty.residual(np.array([0.0, 1.0]), np.ones(2), math.inf) == math.inf


# --- Minima that are known -----------------------------------------------------------------------


@given(seed=seeds, lam=st.floats(0.01, 2))
def test_lasso_with_orthogonal_columns_is_soft_thresholding(seed, lam):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.normal(size=(40, 6)))[0] * math.sqrt(40)
    y = X @ rng.normal(size=6) + rng.normal(size=40)
    solution = minimise(least_squares(X, y), singles(6), lam, np.zeros(6))
    plain = X.T @ y / 40
    expected = np.sign(plain) * np.maximum(np.abs(plain) - lam, 0.0)
    assert solution.converged
    np.testing.assert_allclose(solution.theta, expected, atol=1e-6)


@given(seed=seeds, lam=st.floats(0.01, 2))
def test_group_lasso_with_orthogonal_columns_is_group_thresholding(seed, lam):
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.normal(size=(40, 6)))[0] * math.sqrt(40)
    y = X @ rng.normal(size=6) + rng.normal(size=40)
    penalty = GroupPenalty(np.array([1, 3, 6]), np.array([1.0, math.sqrt(3)]))
    solution = minimise(least_squares(X, y), penalty, lam, np.zeros(6))
    expected = X.T @ y / 40
    for part, scale in [(slice(1, 3), 1.0), (slice(3, 6), math.sqrt(3))]:
        expected[part] *= max(0.0, 1 - lam * scale / np.linalg.norm(expected[part]))
    assert solution.converged
    np.testing.assert_allclose(solution.theta, expected, atol=1e-6)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_without_a_penalty_a_quadratic_is_solved(condition):
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.normal(size=(20, 20)))[0]
    matrix = turned * np.geomspace(1, 1 / condition, 20) @ turned.T
    aim = rng.normal(size=20)
    solution = minimise(quadratic(matrix, aim), singles(20), 0.0, np.zeros(20), tol=1e-9)
    assert solution.converged
    np.testing.assert_allclose(solution.theta, aim, atol=1e-8 * condition)


@pytest.mark.parametrize("lam", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("seed", range(5))
def test_lasso_agrees_with_scikit_learn(seed, lam):
    from sklearn.linear_model import Lasso

    X, y = random_regression(seed)
    solution = minimise(least_squares(X, y), singles(8), lam, np.zeros(8), tol=1e-9)
    other = Lasso(alpha=lam, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(solution.theta, other.coef_, atol=1e-7)
    np.testing.assert_array_equal(solution.theta != 0, other.coef_ != 0)


def test_more_unknowns_than_samples_still_reach_the_conditions_of_a_minimum():
    X, y = random_regression(0, n_samples=20, n_features=60)
    penalty = GroupPenalty(np.arange(0, 61, 3), np.ones(20))
    smooth = least_squares(X, y)
    solution = minimise(smooth, penalty, 0.05, np.zeros(60))
    assert solution.converged
    assert residual_by_hand(penalty, solution.theta, smooth(solution.theta)[1], 0.05) <= 1e-7


def test_the_domain_of_the_smooth_part_is_kept():
    """-ln u + a u has its minimum at 1 / a, and none of its points at u <= 0."""

    def smooth(u):
        if u[0] <= 0:
            return math.inf, np.zeros(2)
        return -math.log(u[0]) + 500 * u[0] + 0.5 * u[1] ** 2, np.array([500 - 1 / u[0], u[1]])

    penalty = GroupPenalty(np.array([1, 2]), np.ones(1))
    solution = minimise(smooth, penalty, 0.1, np.array([3.0, 3.0]))
    assert solution.converged
    np.testing.assert_allclose(solution.theta, [1 / 500, 0.0], rtol=1e-6)
    with pytest.raises(ValueError, match="start"):
        minimise(smooth, penalty, 0.1, np.array([-1.0, 0.0]))


def test_an_infinite_penalty_leaves_the_free_entries():
    matrix, aim = np.diag([1.0, 2.0, 3.0]), np.array([5.0, 6.0, 7.0])
    solution = minimise(quadratic(matrix, aim), singles(2, free=1), math.inf, np.ones(3))
    assert solution.converged
    np.testing.assert_allclose(solution.theta, [5.0, 0.0, 0.0], atol=1e-7)
    assert solution.objective == pytest.approx(0.5 * (2 * 36 + 3 * 49))


# --- Second derivatives --------------------------------------------------------------------------


@given(seed=seeds, lam=st.floats(0.001, 1))
def test_with_a_hessian_the_minimum_is_the_same(seed, lam):
    X, y = random_regression(seed)
    smooth, gram = least_squares(X, y), X.T @ X / len(y)
    penalty = GroupPenalty(np.array([1, 2, 5, 8]), np.array([1.0, 2.0, 0.5]))
    without = minimise(smooth, penalty, lam, np.zeros(8), tol=1e-9)
    with_it = minimise(smooth, penalty, lam, np.zeros(8), tol=1e-9, hessian=lambda u: gram)
    assert without.converged
    assert with_it.converged
    np.testing.assert_allclose(without.theta, with_it.theta, atol=1e-7)


def test_with_a_hessian_a_quadratic_without_penalty_takes_one_step_from_anywhere():
    rng = np.random.default_rng(0)
    matrix = np.diag(np.geomspace(1, 1e-4, 10))
    aim = rng.normal(size=10)
    solution = minimise(
        quadratic(matrix, aim), singles(10), 0.0, np.ones(10), hessian=lambda u: matrix
    )
    assert solution.converged
    assert solution.n_iterations == 1


@pytest.mark.parametrize("wrong", [np.zeros((8, 8)), -np.eye(8), np.full((8, 8), np.nan)])
def test_a_useless_hessian_does_no_harm(wrong):
    X, y = random_regression(1)
    smooth = least_squares(X, y)
    right = minimise(smooth, singles(8), 0.1, np.zeros(8))
    solution = minimise(smooth, singles(8), 0.1, np.zeros(8), hessian=lambda u: wrong)
    assert solution.converged
    np.testing.assert_allclose(solution.theta, right.theta, atol=1e-6)


# --- Honesty -------------------------------------------------------------------------------------


@given(seed=seeds, max_iter=st.integers(0, 30), tol=st.sampled_from([1e-3, 1e-7, 1e-12, 0.0]))
def test_no_solution_claims_more_than_its_residual(seed, max_iter, tol):
    X, y = random_regression(seed)
    smooth = least_squares(X, y)
    penalty = GroupPenalty(np.array([1, 3, 8]), np.ones(2))
    start = np.random.default_rng(seed).normal(size=8)
    solution = minimise(smooth, penalty, 0.1, start, tol=tol, max_iter=max_iter)
    value, gradient = smooth(solution.theta)
    by_hand = residual_by_hand(penalty, solution.theta, gradient, 0.1)
    assert solution.residual == pytest.approx(by_hand, rel=1e-9, abs=1e-15)
    assert solution.converged == (solution.residual <= tol)
    assert solution.objective == pytest.approx(value + 0.1 * penalty.value(solution.theta))
    assert solution.n_iterations <= max_iter


def test_too_few_steps_are_reported():
    X, y = random_regression(0)
    solution = minimise(least_squares(X, y), singles(8), 0.01, np.zeros(8), max_iter=1)
    assert not solution.converged
    assert solution.residual > 1e-7
    assert solution.n_iterations == 1


@pytest.mark.parametrize("seed", range(5))
def test_no_step_raises_the_objective(seed):
    X, y = random_regression(seed)
    smooth = least_squares(X, y)
    penalty = GroupPenalty(np.arange(0, 9, 2), np.ones(4))
    objectives = [
        minimise(smooth, penalty, 0.05, np.ones(8), max_iter=n, tol=1e-10).objective
        for n in range(25)
    ]
    assert np.all(np.diff(objectives) <= 1e-12)


def test_a_start_at_the_minimum_stays():
    aim = np.array([3.0, 0.5])
    solution = minimise(quadratic(np.eye(2), aim), singles(2), 1.0, np.array([2.0, 0.0]))
    assert solution.n_iterations == 0
    assert solution.converged


def test_the_start_is_not_changed():
    start = np.ones(2)
    minimise(quadratic(np.eye(2), np.zeros(2)), singles(2), 1.0, start)
    np.testing.assert_array_equal(start, np.ones(2))
