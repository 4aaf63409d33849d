"""The mixed pairwise model against its definition written out, closed forms and other solvers."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.parametric import jose, mixed_pairwise
from mrflearn.table import as_table

few = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def continuous_data(seed, n_samples=120, n_variables=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        X[:, j] += rng.choice([-0.7, 0.7]) * X[:, j - 1]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(n_variables)])


def mixed_frame(seed, n_samples=150):
    """Two continuous and three discrete columns, in turns, each depending on the one before."""
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n_samples)
    x = a + rng.normal(size=n_samples)
    b = np.clip(np.round(x + rng.normal(size=n_samples)), 0, 2).astype(int)
    y = 0.5 * x - b + rng.normal(size=n_samples)
    c = np.where(rng.random(n_samples) < 0.5, b, rng.integers(4, size=n_samples))
    return pd.DataFrame(
        {
            "a": pd.Categorical(a),
            "x": x,
            "b": pd.Categorical(b),
            "y": 10.0 + 3.0 * y,
            "c": pd.Categorical(c),
        }
    )


def fit_at(frame, lam, **options):
    (fit,) = mixed_pairwise.path(as_table(frame, scale=None), [lam], **options)
    return fit


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


# --- The definition, written out -----------------------------------------------------------------


def loss(X, Y, parameters):
    """Mean negative log pseudolikelihood from the parameters by name; X numbers, Y codes."""
    alpha, beta, rho, gamma, phi, starts = (
        parameters[name] for name in ("alpha", "beta", "rho", "gamma", "phi", "starts")
    )
    at = starts[:-1] + Y  # the row of each level observed
    total = 0.0
    for s in range(X.shape[1]):
        mean = alpha[s] + rho[s][at].sum(axis=1)
        for t in range(X.shape[1]):
            if t != s:
                mean = mean - beta[s, t] * X[:, t]
        mean = mean / beta[s, s]
        squares = beta[s, s] * (X[:, s] - mean) ** 2
        total += 0.5 * (squares - math.log(beta[s, s]) + math.log(2 * math.pi)).mean()
    for j in range(Y.shape[1]):
        own = np.arange(starts[j], starts[j + 1])
        scores = gamma[own] + X @ rho[:, own]
        for r in range(Y.shape[1]):
            if r != j:
                scores = scores + phi[at[:, r]][:, own]
        chosen = scores[np.arange(len(Y)), Y[:, j]]
        total += (np.log(np.exp(scores).sum(axis=1)) - chosen).mean()
    return total


def scales_by_hand(X, Y, calibrated):
    if not calibrated:
        return np.ones(X.shape[1]), np.ones(Y.shape[1])
    shares = [np.bincount(column) / len(column) for column in Y.T]
    return X.std(axis=0), np.array([math.sqrt((p * (1 - p)).sum()) for p in shares])


def edges_of(parameters):
    """Each pair as (name of the parameters, rows, columns, kind and position of both ends)."""
    starts = parameters["starts"]
    levels = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
    n_numbers = len(parameters["beta"])
    for s, t in itertools.combinations(range(n_numbers), 2):
        yield "beta", [s], [t], ("x", s), ("x", t)
    for s, j in itertools.product(range(n_numbers), range(len(levels))):
        yield "rho", [s], levels[j], ("x", s), ("y", j)
    for r, j in itertools.combinations(range(len(levels)), 2):
        yield "phi", levels[r], levels[j], ("y", r), ("y", j)


def slope(function, entries, size=1e-5):
    entries = np.asarray(entries, dtype=float)
    gradient = np.empty(entries.shape)
    for at in np.ndindex(entries.shape):
        up, down = entries.copy(), entries.copy()
        up[at] += size
        down[at] -= size
        gradient[at] = (function(up) - function(down)) / (2 * size)
    return gradient


def residual_and_penalty_by_hand(X, Y, parameters, lam, calibrated):
    of_numbers, of_levels = scales_by_hand(X, Y, calibrated)
    scale = {"x": of_numbers, "y": of_levels}

    def changed(name, rows, columns):
        def function(entries):
            matrix = parameters[name].copy()
            matrix[np.ix_(rows, columns)] = entries
            if name != "rho":
                matrix[np.ix_(columns, rows)] = entries.T
            return loss(X, Y, {**parameters, name: matrix})

        return function

    worst = penalty = 0.0
    for name in ("alpha", "gamma"):
        gradient = slope(lambda v, name=name: loss(X, Y, {**parameters, name: v}), parameters[name])
        worst = max(worst, np.abs(gradient).max(initial=0.0))
    for s in range(X.shape[1]):
        gradient = slope(changed("beta", [s], [s]), parameters["beta"][[s]][:, [s]])
        worst = max(worst, abs(gradient[0, 0]))
    for name, rows, columns, one, other in edges_of(parameters):
        block = parameters[name][np.ix_(rows, columns)]
        weight = scale[one[0]][one[1]] * scale[other[0]][other[1]]
        gradient = slope(changed(name, rows, columns), block)
        norm = np.linalg.norm(block)
        if norm > 0:
            violation = np.linalg.norm(gradient + lam * weight * block / norm)
        else:
            violation = np.linalg.norm(gradient) - lam * weight
        worst, penalty = max(worst, violation), penalty + weight * norm
    return worst, penalty


def split(frame):
    X = frame.select_dtypes("number").to_numpy(dtype=float)
    Y = frame.select_dtypes("category")
    return X, np.column_stack([Y[name].cat.codes for name in Y]).astype(int)


@pytest.mark.parametrize("calibrated", [True, False])
@pytest.mark.parametrize(("lam", "tol"), [(0.03, 1e-7), (0.03, 1e-3), (0.2, 1e-7)])
def test_the_residual_and_the_objective_are_those_of_the_definition(lam, tol, calibrated):
    frame = mixed_frame(0)
    X, Y = split(frame)
    fit = fit_at(frame, lam, calibrated=calibrated, tol=tol)
    residual, penalty = residual_and_penalty_by_hand(
        standardised(X), Y, fit.parameters, lam, calibrated
    )
    assert fit.converged
    assert fit.residual == pytest.approx(residual, abs=2e-9)
    value = loss(standardised(X), Y, fit.parameters)
    assert fit.objective == pytest.approx(value + lam * penalty, abs=1e-12)


@pytest.mark.parametrize("calibrated", [True, False])
def test_kept_units_are_those_of_the_columns(calibrated):
    frame = mixed_frame(1)
    X, Y = split(frame)
    fit = fit_at(frame, 0.05, standardize=False, calibrated=calibrated)
    residual, penalty = residual_and_penalty_by_hand(X, Y, fit.parameters, 0.05, calibrated)
    assert fit.converged
    assert residual <= 1e-4  # by raw parameters, whose gradients are as large as the columns
    assert fit.objective == pytest.approx(loss(X, Y, fit.parameters) + 0.05 * penalty, abs=1e-10)


def test_too_few_steps_are_reported():
    fit = fit_at(mixed_frame(0), 0.03, max_iter=2)
    assert not fit.converged
    assert fit.residual > 1e-7


def test_weights_are_the_norms_of_the_parameters_at_their_places():
    frame = mixed_frame(0)
    fit = fit_at(frame, 0.05)
    assert fit.parameters["continuous"].tolist() == [1, 3]
    assert fit.parameters["discrete"].tolist() == [0, 2, 4]
    position = {"x": fit.parameters["continuous"], "y": fit.parameters["discrete"]}
    expected = np.zeros((5, 5))
    for name, rows, columns, one, other in edges_of(fit.parameters):
        i, j = position[one[0]][one[1]], position[other[0]][other[1]]
        norm = np.linalg.norm(fit.parameters[name][np.ix_(rows, columns)])
        expected[i, j] = expected[j, i] = norm
    np.testing.assert_allclose(fit.weights, expected, atol=1e-12)
    np.testing.assert_array_equal(fit.adjacency, expected != 0)


# --- Continuous columns alone --------------------------------------------------------------------


def test_without_a_penalty_numbers_give_the_inverse_of_their_correlations():
    """Regressions that agree on a pair are those of the inverse: no pair needs a compromise."""
    frame = continuous_data(0)
    fit = fit_at(frame, 0.0)
    assert fit.converged
    expected = np.linalg.inv(np.corrcoef(frame.to_numpy().T))
    np.testing.assert_allclose(fit.parameters["beta"], expected, atol=1e-7)
    raw = fit_at(frame, 0.0, standardize=False)
    expected = np.linalg.inv(np.cov(frame.to_numpy().T, bias=True))
    np.testing.assert_allclose(raw.parameters["beta"], expected, atol=1e-7)
    means = np.linalg.solve(raw.parameters["beta"], raw.parameters["alpha"])
    np.testing.assert_allclose(means, frame.mean(), atol=1e-7)


@pytest.mark.parametrize("lam", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_agree_with_scipy_on_the_gaussian_pseudolikelihood(seed, lam):
    """Through the correlations, with positive and negative parts, by L-BFGS-B."""
    from scipy.optimize import minimize

    frame = continuous_data(seed)
    correlations = np.corrcoef(frame.to_numpy().T)
    n = len(correlations)
    upper = np.triu_indices(n, 1)
    n_pairs = len(upper[0])

    def objective(u):
        beta = np.zeros((n, n))
        beta[upper] = u[n : n + n_pairs] - u[n + n_pairs :]
        beta = beta + beta.T + np.diag(u[:n])
        # Mean of (Σ_t β_st x_t)² / β_ss - ln β_ss, over two, summed over s.
        product = beta @ correlations
        squares = np.einsum("st,st->s", product, beta)
        value = 0.5 * (squares / u[:n] - np.log(u[:n])).sum()
        gradient = product / u[:n, None]
        by_pair = (gradient + gradient.T)[upper]
        by_diagonal = np.diag(gradient) - 0.5 * squares / u[:n] ** 2 - 0.5 / u[:n]
        return value + lam * u[n:].sum(), np.concatenate(
            [by_diagonal, by_pair + lam, -by_pair + lam]
        )

    start = np.concatenate([np.ones(n), np.zeros(2 * n_pairs)])
    other = minimize(
        objective,
        start,
        jac=True,
        bounds=[(1e-3, None)] * n + [(0, None)] * (2 * n_pairs),
        method="L-BFGS-B",
        options={"ftol": 0, "gtol": 1e-11, "maxiter": 10_000, "maxcor": 50},
    )
    fit = fit_at(frame, lam)
    assert fit.converged
    constant = n * 0.5 * math.log(2 * math.pi)
    assert fit.objective == pytest.approx(other.fun + constant, abs=1e-9)
    beta = fit.parameters["beta"]
    theta = other.x[n : n + n_pairs] - other.x[n + n_pairs :]
    np.testing.assert_allclose(beta[upper], theta, atol=1e-6)
    np.testing.assert_allclose(np.diag(beta), other.x[:n], atol=1e-6)


def test_more_numbers_than_samples_have_no_minimum_without_a_penalty():
    frame = continuous_data(0, n_samples=10, n_variables=15)
    without, little = mixed_pairwise.path(as_table(frame, scale=None), [0.0, 0.05])
    assert not without.converged
    assert little.converged


def test_a_column_given_twice_is_fitted_with_a_penalty():
    frame = continuous_data(0)
    frame["again"] = frame["x0"]
    fit = fit_at(frame, 0.1)
    assert fit.converged
    assert fit.weights[0, 5] == fit.weights.max()


# --- Discrete columns alone ----------------------------------------------------------------------


@few
@given(seed=seeds, share=st.floats(0.02, 1.1))
def test_binary_columns_are_jose_at_half_of_lambda(seed, share):
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=(150, 4))
    a[:, 1] ^= a[:, 0] & (rng.random(150) < 0.6)
    table = as_table(a, kinds=dict.fromkeys(range(4), "nominal"), scale=None)
    top = jose.largest_lam(table)
    assert mixed_pairwise.largest_lam(table, calibrated=False) == pytest.approx(2 * top)
    (one,) = jose.path(table, [share * top], tol=1e-9, form="binary")
    (other,) = mixed_pairwise.path(table, [2 * share * top], tol=1e-9, calibrated=False)
    np.testing.assert_allclose(one.weights, 2 * other.weights, atol=1e-6)
    assert one.objective == pytest.approx(other.objective, abs=1e-9)


def test_ordinal_columns_count_as_levels():
    rng = np.random.default_rng(0)
    grades = rng.integers(1, 4, size=100)
    frame = pd.DataFrame({"grade": grades, "x": (grades == 2) + rng.normal(size=100)})
    fit = fit_at(frame, 0.05)
    assert fit.parameters["discrete"].tolist() == [0]
    assert fit.parameters["codes"].tolist() == [1, 2, 3]
    low, middle, high = fit.parameters["rho"][0]
    assert middle > max(low, high)


# --- Known models --------------------------------------------------------------------------------


def test_a_known_mixed_model_comes_back():
    """Two levels that shift a normal pair: ρ and β follow from the joint distribution."""
    rng = np.random.default_rng(0)
    beta = np.array([[1.0, -0.4], [-0.4, 1.5]])
    rho = np.array([[0.6, -0.6], [0.0, 0.0]])  # x0 alone is tied to the level
    covariance = np.linalg.inv(beta)
    means = covariance @ rho
    # The marginal of the levels: exp(½ ρ(l)' Σ ρ(l)), alike for both.
    level = rng.integers(2, size=200_000)
    X = means[:, level].T + rng.multivariate_normal([0, 0], covariance, size=200_000)
    frame = pd.DataFrame({"x0": X[:, 0], "level": pd.Categorical(level), "x1": X[:, 1]})
    fit = fit_at(frame, 0.0, standardize=False)
    assert fit.converged
    np.testing.assert_allclose(fit.parameters["beta"], beta, atol=0.02)
    np.testing.assert_allclose(fit.parameters["rho"], rho, atol=0.02)
    sparse = fit_at(frame, 0.05)
    assert sparse.adjacency.tolist() == [
        [False, True, True],
        [True, False, False],
        [True, False, False],
    ]


def test_levels_that_never_meet_leave_no_minimum_without_a_penalty():
    frame = mixed_frame(0)
    frame["d"] = pd.Categorical(frame["b"].cat.codes == 1)
    without, little = mixed_pairwise.path(as_table(frame, scale=None), [0.0, 0.01])
    assert not without.converged
    assert little.converged


def test_levels_that_a_number_tells_apart_still_have_a_minimum():
    """The number's own distribution holds their parameters."""
    x = np.linspace(-1, 1, 40)
    frame = pd.DataFrame({"x": x, "side": pd.Categorical(x > 0)})
    X, Y = split(frame)
    fit = fit_at(frame, 0.0)
    assert fit.converged
    residual, _ = residual_and_penalty_by_hand(standardised(X), Y, fit.parameters, 0.0, True)
    assert residual <= 1e-8


# --- What must not matter ------------------------------------------------------------------------


@few
@given(seed=seeds)
def test_the_order_of_columns_does_not_matter(seed):
    frame = mixed_frame(seed)
    order = np.random.default_rng(seed).permutation(5)
    one, other = fit_at(frame, 0.06, tol=1e-9), fit_at(frame.iloc[:, order], 0.06, tol=1e-9)
    np.testing.assert_allclose(other.weights, one.weights[np.ix_(order, order)], atol=1e-6)


@few
@given(seed=seeds, scale=st.sampled_from([1e-6, 1e-3, 7.0, 1e6]), shift=st.floats(-3, 3))
def test_units_do_not_matter_to_standardised_columns(seed, scale, shift):
    frame = mixed_frame(seed)
    one = fit_at(frame, 0.06, tol=1e-9)
    frame["y"] = scale * (frame["y"] + shift)
    other = fit_at(frame, 0.06, tol=1e-9)
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-6)
    kept = fit_at(frame, 0.06, tol=1e-9, standardize=False)
    np.testing.assert_array_equal(kept.adjacency, one.adjacency)  # calibrated: units cancel


@few
@given(seed=seeds)
def test_names_of_levels_do_not_matter(seed):
    frame = mixed_frame(seed)
    one = fit_at(frame, 0.06, tol=1e-9)
    frame["c"] = pd.Categorical(np.array([2, 0, 3, 1])[frame["c"].cat.codes])
    np.testing.assert_allclose(fit_at(frame, 0.06, tol=1e-9).weights, one.weights, atol=1e-6)


# --- The path ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"calibrated": False}, {"standardize": False}])
@pytest.mark.parametrize("seed", range(4))
def test_the_largest_lambda_is_where_the_graph_becomes_empty(seed, options):
    table = as_table(mixed_frame(seed), scale=None)
    top = mixed_pairwise.largest_lam(table, **options)
    above, below = mixed_pairwise.path(table, [top * (1 + 1e-9), top * (1 - 1e-4)], **options)
    assert not above.adjacency.any()
    assert below.adjacency.sum() == 2


def test_the_empty_model_has_the_moments_of_the_columns():
    frame = mixed_frame(0)
    X, Y = split(frame)
    fit = fit_at(frame, math.inf, standardize=False)
    assert fit.converged
    parameters, starts = fit.parameters, fit.parameters["starts"]
    precisions = np.diag(parameters["beta"])
    np.testing.assert_allclose(1 / precisions, X.var(axis=0))
    np.testing.assert_allclose(parameters["alpha"] / precisions, X.mean(axis=0))
    for j in range(3):
        chances = np.exp(parameters["gamma"][starts[j] : starts[j + 1]])
        np.testing.assert_allclose(chances / chances.sum(), np.bincount(Y[:, j]) / len(Y))


def test_fits_come_in_the_order_of_the_lambdas_and_do_not_depend_on_it():
    table = as_table(mixed_frame(0), scale=None)
    lams = [0.02, 0.5, 0.1, math.inf]
    fits = mixed_pairwise.path(table, lams)
    assert [fit.lam for fit in fits] == lams
    for lam, fit in zip(lams, fits, strict=True):
        (alone,) = mixed_pairwise.path(table, [lam])
        np.testing.assert_allclose(fit.weights, alone.weights, atol=1e-5)
        np.testing.assert_array_equal(fit.weights, fit.weights.T)


def test_many_parameters_are_fitted_without_newton_steps_alike(monkeypatch):
    from mrflearn.parametric import _pairwise

    frame = mixed_frame(0)
    newton = fit_at(frame, 0.05, tol=1e-9)
    monkeypatch.setattr(_pairwise, "NEWTON", 0)
    other = fit_at(frame, 0.05, tol=1e-9)
    assert other.converged
    assert other.n_iterations > newton.n_iterations
    np.testing.assert_allclose(other.weights, newton.weights, atol=1e-7)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("n_numbers", "n_discrete"), [(0, 3), (3, 0), (2, 3)])
def test_derivatives_are_those_of_the_value(n_numbers, n_discrete, binary):
    from mrflearn.parametric._curvature import Hessian
    from mrflearn.parametric.pseudolikelihood import Pseudolikelihood

    rng = np.random.default_rng(0)
    numbers = standardised(rng.normal(size=(40, n_numbers))).T
    codes = [np.arange(40) % (2 if binary else 2 + j) for j in range(n_discrete)]
    model = Pseudolikelihood(numbers, [rng.permutation(code) for code in codes], binary=binary)
    vector = model.null()
    vector = vector + 0.1 * rng.normal(size=len(vector))
    np.testing.assert_allclose(model(vector)[1], slope(lambda v: model(v)[0], vector), atol=1e-8)
    columns = [
        (model(vector + step)[1] - model(vector - step)[1]) / 2e-5
        for step in 1e-5 * np.eye(len(vector))
    ]
    np.testing.assert_allclose(Hessian(model)(vector), np.array(columns), atol=1e-8)


# --- Input ---------------------------------------------------------------------------------------


def test_groups_of_columns_and_negative_lambdas_are_refused():
    frame = mixed_frame(0)
    grouped = as_table(frame, groups={"point": ["x", "y"]}, scale=None)
    with pytest.raises(InputError, match="'point' is a group"):
        mixed_pairwise.path(grouped, [0.1])
    with pytest.raises(InputError, match="negative"):
        fit_at(frame, -1.0)
