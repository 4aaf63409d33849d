"""Nodewise lasso: closed forms, scikit-learn's lasso, optimality conditions, rules, symmetries."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn._edges import symmetrise
from mrflearn.errors import InputError
from mrflearn.parametric import _nodewise
from mrflearn.parametric.base import decades, unit_columns
from mrflearn.parametric.nodewise_lasso import largest_lam, path
from mrflearn.table import as_table

RULES = ("and", "or", "paired")


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


def coefficients(X, lam, **options):
    return fit(X, lam, **options).parameters["coefficients"]


def smooth_objective(X, b):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return sum(
        ((Z[:, i] - sum(b[i, j] * Z[:, j] for j in range(Z.shape[1]))) ** 2).sum() / (2 * len(Z))
        for i in range(Z.shape[1])
    )


def pair_norm(b):
    n = len(b)
    return sum(math.hypot(b[i, j], b[j, i]) for i in range(n) for j in range(i + 1, n))


@pytest.mark.parametrize("lam", [0.0, 0.1, 0.3, 0.9])
@pytest.mark.parametrize("sign", [-1, 1])
def test_two_variables_have_their_correlation_soft_thresholded(lam, sign):
    X = chain(n_variables=2, strength=0.9) * [1, sign]
    r = np.corrcoef(X.T)[0, 1]
    expected = sign * max(abs(r) - lam, 0)
    b = coefficients(X, lam)
    np.testing.assert_allclose(b, [[0, expected], [expected, 0]], atol=1e-7)


@pytest.mark.parametrize("lam", [0.0, 0.1, 0.3, 1.2])
def test_a_pair_of_two_variables_is_soft_thresholded_as_a_group(lam):
    X = chain(n_variables=2, strength=0.9)
    r = np.corrcoef(X.T)[0, 1]
    expected = r * max(1 - lam / (math.sqrt(2) * abs(r)), 0)
    result = fit(X, lam, rule="paired")
    np.testing.assert_allclose(
        result.parameters["coefficients"], [[0, expected], [expected, 0]], atol=1e-7
    )
    np.testing.assert_allclose(result.weights[0, 1], expected, atol=1e-7)


@pytest.mark.parametrize("shape", [(80, 6), (15, 25)])
@pytest.mark.parametrize("lam", [0.05, 0.2])
def test_each_node_has_the_lasso_of_scikit_learn(shape, lam):
    from sklearn.linear_model import Lasso

    X = chain(*shape, seed=1)
    Z = unit_columns(X)
    b = coefficients(X, lam, tol=1e-9)
    for i in range(shape[1]):
        others = np.delete(np.arange(shape[1]), i)
        lasso = Lasso(alpha=lam, fit_intercept=False, tol=1e-13, max_iter=100_000)
        np.testing.assert_allclose(b[i, others], lasso.fit(Z[:, others], Z[:, i]).coef_, atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_without_a_penalty_the_coefficients_are_least_squares(rule):
    X = chain()
    Z = unit_columns(X)
    b = coefficients(X, 0.0, rule=rule, tol=1e-10)
    for i in range(6):
        others = np.delete(np.arange(6), i)
        expected = np.linalg.lstsq(Z[:, others], Z[:, i], rcond=None)[0]
        np.testing.assert_allclose(b[i, others], expected, atol=1e-7)


@pytest.mark.parametrize("shape", [(60, 5), (8, 7)])
@pytest.mark.parametrize("lam", [0.05, 0.3])
def test_pairs_satisfy_the_conditions_of_a_minimum(shape, lam):
    X = chain(*shape, seed=2)
    result = fit(X, lam, rule="paired", tol=1e-9)
    b = result.parameters["coefficients"]
    gradient, step = np.zeros_like(b), 1e-6
    for i, j in zip(*np.nonzero(~np.eye(shape[1], dtype=bool)), strict=True):
        move = np.zeros_like(b)
        move[i, j] = step
        rise = smooth_objective(X, b + move) - smooth_objective(X, b - move)
        gradient[i, j] = rise / (2 * step)
    for i in range(shape[1]):
        for j in range(i + 1, shape[1]):
            slope = np.array([gradient[i, j], gradient[j, i]])
            pair = np.array([b[i, j], b[j, i]])
            if pair.any():
                np.testing.assert_allclose(slope, -lam * pair / np.hypot(*pair), atol=1e-7)
            else:
                assert np.hypot(*slope) <= lam + 1e-7
    assert 0 < result.adjacency.sum() < shape[1] * (shape[1] - 1)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lam", [0.0, 0.1, math.inf])
def test_the_objective_is_that_of_the_definition(rule, lam):
    X = chain()
    result = fit(X, lam, rule=rule)
    b = result.parameters["coefficients"]
    norm = pair_norm(b) if rule == "paired" else np.abs(b).sum()
    expected = smooth_objective(X, b) + (lam * norm if norm else 0)
    assert result.objective == pytest.approx(expected, rel=1e-12)


@given(seed=st.integers(0, 1000), lam=st.floats(0.01, 0.5), rule=st.sampled_from(RULES))
@settings(max_examples=25, deadline=None)
def test_no_other_coefficients_have_a_lower_objective(seed, lam, rule):
    X = chain(seed=seed, n_variables=4)
    result = fit(X, lam, rule=rule)
    b = result.parameters["coefficients"]
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-1):
        other = b + size * rng.normal(size=b.shape) * rng.integers(0, 2, b.shape)
        np.fill_diagonal(other, 0)
        norm = pair_norm(other) if rule == "paired" else np.abs(other).sum()
        assert smooth_objective(X, other) + lam * norm >= result.objective - 1e-10


def test_and_wants_both_ends_and_or_wants_one():
    X = chain(n_samples=40, n_variables=9, seed=3)
    differ = 0
    for lam in (0.05, 0.1, 0.2):
        both, either = fit(X, lam, rule="and"), fit(X, lam, rule="or")
        assert both.neighbourhoods == either.neighbourhoods
        chosen = both.parameters["coefficients"] != 0
        np.testing.assert_array_equal(both.adjacency, chosen & chosen.T)
        np.testing.assert_array_equal(either.adjacency, chosen | chosen.T)
        assert both.neighbourhoods == tuple(tuple(np.flatnonzero(row)) for row in chosen)
        assert len(symmetrise(both.neighbourhoods, "and")) == both.adjacency.sum() / 2
        differ += (both.adjacency != either.adjacency).any()
    assert differ


@pytest.mark.parametrize("rule", RULES)
def test_weights_are_means_over_both_ends(rule):
    result = fit(chain(n_samples=40, seed=3), 0.1, rule=rule)
    b = np.abs(result.parameters["coefficients"])
    mean = np.hypot(b, b.T) / math.sqrt(2) if rule == "paired" else (b + b.T) / 2
    np.testing.assert_allclose(result.weights, np.where(result.adjacency, mean, 0), rtol=1e-12)
    np.testing.assert_array_equal(result.weights, result.weights.T)


def test_pairs_vanish_together_and_have_no_directed_neighbourhoods():
    result = fit(chain(n_samples=40, n_variables=9, seed=3), 0.2, rule="paired")
    present = result.parameters["coefficients"] != 0
    np.testing.assert_array_equal(present, present.T)
    np.testing.assert_array_equal(present, result.adjacency)
    assert result.neighbourhoods is None


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_lambda_is_where_the_first_edge_enters(rule, seed):
    X = table(chain(seed=seed))
    lam = largest_lam(X, rule=rule)
    above, at, below = path(X, [1.0001 * lam, lam, 0.9999 * lam], rule=rule)
    assert not above.adjacency.any()
    assert not at.adjacency.any()
    assert below.adjacency.sum() == 2


@pytest.mark.parametrize("rule", RULES)
def test_fits_come_in_the_order_of_the_lambdas_and_do_not_depend_on_it(rule):
    X = table(chain())
    lams = [0.1, math.inf, 0.0, 0.3, 0.1]
    fits = path(X, lams, rule=rule, tol=1e-9)
    assert [one.lam for one in fits] == lams
    assert not fits[1].adjacency.any()
    assert all(one.converged and one.residual <= 1e-9 for one in fits)
    for one in fits:
        [alone] = path(X, [one.lam], rule=rule, tol=1e-9)
        np.testing.assert_allclose(
            one.parameters["coefficients"], alone.parameters["coefficients"], atol=1e-7
        )


@given(seed=st.integers(0, 1000), lam=st.floats(0.02, 0.6), rule=st.sampled_from(RULES))
@settings(max_examples=30, deadline=None)
def test_order_sign_and_scale_of_columns_do_not_matter(seed, lam, rule):
    X = chain(seed=seed, n_samples=30)
    rng = np.random.default_rng(seed)
    order, signs = rng.permutation(6), rng.choice([-1, 1], 6)
    b = coefficients(X, lam, rule=rule, tol=1e-10)
    other = coefficients((X * signs * 2.0**seed)[:, order], lam, rule=rule, tol=1e-10)
    np.testing.assert_allclose(other, (b * np.outer(signs, signs))[np.ix_(order, order)], atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_fewer_rows_than_columns_are_enough(rule):
    X = table(chain(n_samples=10, n_variables=20))
    for one in path(X, decades(largest_lam(X, rule=rule), 20), rule=rule):
        assert one.converged
        assert np.isfinite(one.objective)


@pytest.mark.parametrize("rule", RULES)
def test_nearly_collinear_columns_are_solved(rule):
    # The smallest eigenvalue of the correlations is about 1e-5.
    X = chain(n_samples=100, n_variables=7, strength=2.5)
    fits = path(table(X), decades(1.0, 20), rule=rule)
    assert all(one.converged for one in fits)
    assert max(one.n_iterations for one in fits) < 200


def test_a_copy_of_a_column_is_its_only_neighbour():
    X = chain(n_variables=3)
    b = coefficients(np.column_stack([X, X[:, 0]]), 0.2)
    np.testing.assert_allclose(b[0], [0, 0, 0, 0.8], atol=1e-7)
    np.testing.assert_allclose(b[3], [0.8, 0, 0, 0], atol=1e-7)


@pytest.mark.parametrize("rule", RULES)
def test_rounding_makes_no_edge_to_either_of_two_equal_columns(rule):
    X = chain(n_variables=4)
    copied = table(np.column_stack([X, X[:, 0]]))
    for one in path(copied, decades(largest_lam(copied), 40, ratio=0.001), rule=rule):
        assert one.converged
        assert one.weights[one.adjacency].min(initial=1.0) > 1e-9


@pytest.mark.parametrize("rule", RULES)
def test_too_few_sweeps_are_reported(rule):
    result = fit(chain(), 0.01, rule=rule, max_iter=1)
    assert not result.converged
    assert result.n_iterations == 1
    assert result.residual > 1e-7


@pytest.mark.parametrize("form", list(_nodewise.Form))
def test_compiled_sweeps_are_those_of_the_plain_loops(form):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4, 20, 4))
    grams = np.matmul(Z.transpose(0, 2, 1), Z) / 20
    linear, scales = rng.normal(size=(4, 4)), rng.uniform(0.5, 2, 4)
    if form == _nodewise.Form.TIED:
        linear = linear + linear.T
    start = np.zeros((4, 4))
    plain, gradient = start.copy(), -linear
    n_sweeps = _nodewise._descend(grams, scales, plain, gradient, 0.3, int(form), 1e-9, 1000)
    quadratic = _nodewise.Quadratic(grams, scales, linear)
    compiled, same = quadratic._sweep(start, 0.3, form, 1e-9, 1000)
    np.testing.assert_allclose(compiled, plain, atol=1e-12)
    np.testing.assert_allclose(quadratic.gradient(plain), gradient, atol=1e-12)
    assert n_sweeps == same
    assert _nodewise.violation(plain, quadratic.gradient(plain), 0.3, form) < 1e-8


def test_binary_labels_are_numbers():
    X = chain()
    labels = np.where(X[:, :1] > np.median(X[:, 0]), "yes", "no")
    import pandas as pd

    frame = pd.DataFrame(X[:, 1:]).assign(label=labels[:, 0])
    numbers = np.column_stack([X[:, 1:], labels[:, 0] == "yes"])
    np.testing.assert_allclose(coefficients(frame, 0.1), coefficients(numbers, 0.1), atol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "adn"}, "unknown rule 'adn'; did you mean 'and'"),
        ({"lam": -0.1}, "must not be negative"),
        ({"kinds": {"x1": "nominal"}}, "NodewiseLasso takes numbers, and column 'x1' is nominal"),
        ({"groups": {"ab": ["x0", "x1"]}}, "'ab' is a group of 2"),
    ],
)
def test_bad_input_is_named(options, message):
    X = np.column_stack([chain(), np.arange(80) % 3])[:, [0, 6, 1]]
    made = as_table(X, kinds=options.get("kinds"), groups=options.get("groups"), scale=None)
    with pytest.raises(InputError, match=message):
        path(made, [options.get("lam", 0.1)], rule=options.get("rule", "and"))


def test_the_largest_lambda_refuses_an_unknown_rule():
    with pytest.raises(InputError, match="unknown rule"):
        largest_lam(table(chain()), rule="xor")
