"""Nodewise logistic regression: closed forms, other solvers, optimality conditions, symmetries."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.parametric.base import decades
from mrflearn.parametric.nodewise_logistic import largest_lam, path
from mrflearn.table import as_table

RULES = ("and", "or", "paired")


def coins(n_samples=150, n_variables=5, seed=0, strength=0.8):
    """Return columns of 0 and 1, each pulled towards the one before."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        Z[:, j] += strength * Z[:, j - 1]
    X = (rng.normal(scale=0.3, size=n_variables) < Z).astype(int)
    X[0], X[1] = 0, 1  # none is constant
    return X


def two_coins(counts):
    """Return a table with so many rows (0, 0), (0, 1), (1, 0) and (1, 1)."""
    return np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], counts, axis=0)


def table(X):
    return as_table(X, scale=None)


def fit(X, lam, **options):
    return path(table(X), [lam], **options)[0]


def node_loss(X, i, intercept, row):
    eta = intercept + np.delete(X, i, axis=1) @ np.delete(row, i)
    return np.mean(np.logaddexp(0, eta) - X[:, i] * eta)


def smooth_objective(X, intercepts, couplings):
    return sum(node_loss(X, i, intercepts[i], couplings[i]) for i in range(X.shape[1]))


def logit(p):
    return math.log(p / (1 - p))


def regress_one_on_other(X, node, lam):
    """Return coupling and intercept of one of two coins: both conditional shares move by lam."""
    other = X[:, 1 - node]
    share = [X[other == level, node].mean() for level in (0, 1)]
    towards = math.copysign(lam, share[1] - share[0])
    low = share[0] + towards / (1 - other.mean())
    high = share[1] - towards / other.mean()
    if (high - low) * towards <= 0 < lam:
        return 0.0, logit(X[:, node].mean())
    return logit(high) - logit(low), logit(low)


@pytest.mark.parametrize("lam", [0.0, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("counts", [(30, 10, 15, 45), (5, 40, 30, 25)])
def test_two_coins_have_their_closed_form(counts, lam):
    X = two_coins(counts)
    result = fit(X, lam, tol=1e-10)
    for node in (0, 1):
        coupling, intercept = regress_one_on_other(X, node, lam)
        assert result.parameters["couplings"][node, 1 - node] == pytest.approx(coupling, abs=1e-7)
        assert result.parameters["intercepts"][node] == pytest.approx(intercept, abs=1e-7)


@pytest.mark.parametrize("lam", [0.01, 0.05, 0.1])
def test_a_pair_of_two_exchangeable_coins_has_its_closed_form(lam):
    # Both couplings are equal, so the norm of the pair is sqrt(2) times one of them, and each of
    # the two equal losses carries half of it.
    X = two_coins((40, 10, 10, 30))
    coupling, _ = regress_one_on_other(X, 0, lam / math.sqrt(2))
    result = fit(X, lam, rule="paired", tol=1e-10)
    np.testing.assert_allclose(
        result.parameters["couplings"], [[0, coupling], [coupling, 0]], atol=1e-7
    )
    assert result.weights[0, 1] == pytest.approx(coupling, abs=1e-7)


@pytest.mark.parametrize("rule", RULES)
def test_without_a_penalty_each_node_has_the_maximum_likelihood_of_scikit_learn(rule):
    from sklearn.linear_model import LogisticRegression

    X = coins(400)
    result = fit(X, 0.0, rule=rule, tol=1e-10)
    for i in range(5):
        model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
        model.fit(np.delete(X, i, axis=1), X[:, i])
        np.testing.assert_allclose(
            np.delete(result.parameters["couplings"][i], i), model.coef_[0], atol=1e-6
        )
        assert result.parameters["intercepts"][i] == pytest.approx(model.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("shape", [(150, 5), (12, 8)])
@pytest.mark.parametrize("lam", [0.02, 0.08])
def test_each_node_has_the_minimum_that_a_quasi_newton_solver_finds(shape, lam):
    from scipy.optimize import minimize

    X = coins(*shape, seed=1).astype(float)
    result = fit(X.astype(int), lam, tol=1e-10)
    n = shape[1] - 1
    for i in range(shape[1]):
        others, y = np.delete(X, i, axis=1), X[:, i]

        def split(parameters, others=others, y=y):
            """A coefficient is a difference of two that are not negative, |it| their sum."""
            up, down, intercept = parameters[:n], parameters[n:-1], parameters[-1]
            eta = intercept + others @ (up - down)
            excess = 1 / (1 + np.exp(-eta)) - y
            slopes = others.T @ excess / len(y)
            value = np.mean(np.logaddexp(0, eta) - y * eta) + lam * (up + down).sum()
            return value, np.concatenate([slopes + lam, lam - slopes, [excess.mean()]])

        found = minimize(
            split, np.zeros(2 * n + 1), jac=True, method="L-BFGS-B",
            bounds=[(0, None)] * (2 * n) + [(None, None)],
            options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 50_000, "maxfun": 50_000},
        )  # fmt: skip
        row = result.parameters["couplings"][i]
        ours = node_loss(X, i, result.parameters["intercepts"][i], row) + lam * np.abs(row).sum()
        assert ours == pytest.approx(found.fun, abs=1e-10)
        if shape == (150, 5):  # 12 rows have equal columns among 8: many minima
            np.testing.assert_allclose(np.delete(row, i), found.x[:n] - found.x[n:-1], atol=1e-6)
            assert result.parameters["intercepts"][i] == pytest.approx(found.x[-1], abs=1e-6)


@pytest.mark.parametrize("lam", [0.02, 0.06])
def test_pairs_satisfy_the_conditions_of_a_minimum(lam):
    X = coins(seed=2)
    result = fit(X, lam, rule="paired", tol=1e-9)
    couplings, intercepts = result.parameters["couplings"], result.parameters["intercepts"]
    step = 1e-5

    def slope(i, j):
        move = np.zeros_like(couplings)
        move[i, j] = step
        rise = smooth_objective(X, intercepts, couplings + move)
        return (rise - smooth_objective(X, intercepts, couplings - move)) / (2 * step)

    for i, j in itertools.combinations(range(5), 2):
        slopes = np.array([slope(i, j), slope(j, i)])
        pair = np.array([couplings[i, j], couplings[j, i]])
        if pair.any():
            np.testing.assert_allclose(slopes, -lam * pair / np.hypot(*pair), atol=1e-8)
        else:
            assert np.hypot(*slopes) <= lam + 1e-8
    for i in range(5):
        move = step * np.eye(5)[i]
        rise = smooth_objective(X, intercepts + move, couplings)
        assert abs(rise - smooth_objective(X, intercepts - move, couplings)) < 2 * step * 1e-8
    assert 0 < result.adjacency.sum() < 20


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lam", [0.0, 0.05, math.inf])
def test_the_objective_is_that_of_the_definition(rule, lam):
    X = coins()
    result = fit(X, lam, rule=rule)
    t = result.parameters["couplings"]
    norm = np.hypot(t, t.T).sum() / 2 if rule == "paired" else np.abs(t).sum()
    expected = smooth_objective(X, result.parameters["intercepts"], t) + (lam * norm if norm else 0)
    assert result.objective == pytest.approx(expected, rel=1e-10)


def test_an_infinite_penalty_leaves_the_shares():
    X = coins()
    result = fit(X, math.inf)
    assert not result.adjacency.any()
    np.testing.assert_allclose(
        1 / (1 + np.exp(-result.parameters["intercepts"])), X.mean(axis=0), rtol=1e-12
    )


def test_and_wants_both_ends_and_or_wants_one():
    X = coins(60, 8, seed=3)
    differ = 0
    for lam in (0.01, 0.02, 0.04):
        both, either = fit(X, lam, rule="and"), fit(X, lam, rule="or")
        chosen = both.parameters["couplings"] != 0
        np.testing.assert_array_equal(both.adjacency, chosen & chosen.T)
        np.testing.assert_array_equal(either.adjacency, chosen | chosen.T)
        assert both.neighbourhoods == tuple(tuple(np.flatnonzero(row)) for row in chosen)
        differ += (both.adjacency != either.adjacency).any()
    assert differ


def test_pairs_vanish_together_and_have_no_directed_neighbourhoods():
    result = fit(coins(60, 8, seed=3), 0.05, rule="paired")
    present = result.parameters["couplings"] != 0
    np.testing.assert_array_equal(present, result.adjacency)
    assert result.neighbourhoods is None


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_lambda_is_where_the_first_edge_enters(rule, seed):
    X = table(coins(151, seed=seed))
    lam = largest_lam(X, rule=rule)
    above, at, below = path(X, [1.0001 * lam, lam, 0.999 * lam], rule=rule)
    assert not above.adjacency.any()
    assert not at.adjacency.any()
    assert below.adjacency.any()


@pytest.mark.parametrize("rule", RULES)
def test_fits_come_in_the_order_of_the_lambdas_and_do_not_depend_on_it(rule):
    X = table(coins())
    lams = [0.05, math.inf, 0.0, 0.1, 0.05]
    fits = path(X, lams, rule=rule, tol=1e-9)
    assert [one.lam for one in fits] == lams
    assert all(one.converged and one.residual <= 1e-9 for one in fits)
    for one in fits:
        [alone] = path(X, [one.lam], rule=rule, tol=1e-9)
        for name in ("couplings", "intercepts"):
            np.testing.assert_allclose(one.parameters[name], alone.parameters[name], atol=1e-6)


@given(seed=st.integers(0, 1000), lam=st.floats(0.005, 0.2), rule=st.sampled_from(RULES))
@settings(max_examples=25, deadline=None)
def test_order_and_codes_of_columns_do_not_matter(seed, lam, rule):
    X = coins(seed=seed)
    rng = np.random.default_rng(seed)
    order, flipped = rng.permutation(5), rng.integers(0, 2, 5)
    signs = 1 - 2 * flipped
    couplings = fit(X, lam, rule=rule, tol=1e-10).parameters["couplings"]
    other = fit((X ^ flipped)[:, order], lam, rule=rule, tol=1e-10).parameters["couplings"]
    np.testing.assert_allclose(
        other, (couplings * np.outer(signs, signs))[np.ix_(order, order)], atol=1e-6
    )


@given(seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_the_order_of_rows_does_not_matter(seed):
    X = coins(seed=seed)
    shuffled = np.random.default_rng(seed).permutation(X)
    np.testing.assert_array_equal(fit(X, 0.03).weights, fit(shuffled, 0.03).weights)


def test_any_two_levels_are_taken():
    X = coins(n_variables=3)
    frame = pd.DataFrame({"a": np.where(X[:, 0] == 1, "yes", "no"), "b": 3 + 4 * X[:, 1]})
    frame["c"] = pd.Categorical.from_codes(2 * X[:, 2], ["low", "never seen", "high"], ordered=True)
    np.testing.assert_allclose(fit(frame, 0.03).weights, fit(X, 0.03).weights, atol=1e-7)


def test_the_graph_of_an_ising_chain_is_found():
    rng = np.random.default_rng(0)
    states = np.array(list(itertools.product([0, 1], repeat=6)))
    energy = sum(1.5 * states[:, i] * states[:, i + 1] for i in range(5)) - 1.2 * states.sum(axis=1)
    chances = np.exp(energy) / np.exp(energy).sum()
    X = states[rng.choice(len(states), size=20_000, p=chances)]
    truth = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) == 1
    for rule in RULES:
        np.testing.assert_array_equal(fit(X, 0.02, rule=rule).adjacency, truth)
    couplings = fit(X, 0.0).parameters["couplings"]
    np.testing.assert_allclose(couplings, 1.5 * truth, atol=0.15)


@pytest.mark.parametrize("rule", RULES)
def test_fewer_rows_than_columns_are_enough(rule):
    X = table(coins(12, 16))
    for one in path(X, decades(largest_lam(X, rule=rule), 15), rule=rule):
        assert one.converged


@pytest.mark.parametrize("rule", RULES)
def test_a_copy_of_a_column_needs_a_penalty(rule):
    X = coins(n_variables=3)
    copied = table(np.column_stack([X, X[:, 0]]))
    without, small, large = path(copied, [0.0, 0.001, 0.1], rule=rule)
    assert not without.converged
    assert without.residual == math.inf
    assert np.isfinite(without.objective)
    assert small.converged
    assert large.converged
    assert large.adjacency[0, 3]


@pytest.mark.parametrize("tol", [1e-4, 1e-7, 1e-9])
@pytest.mark.parametrize("counts", [(30, 10, 0, 40), (10_000, 1, 0, 1)])
def test_an_empty_cell_has_no_fit_without_a_penalty(counts, tol):
    without, small = path(table(two_coins(counts)), [0.0, 1e-6], tol=tol)
    assert not without.converged
    assert small.converged


def test_an_almost_empty_cell_has_a_fit_without_a_penalty():
    X = two_coins((10_000, 1, 1, 1))
    result = fit(X, 0.0)
    assert result.converged
    assert result.parameters["couplings"][0, 1] == pytest.approx(math.log(10_000), abs=1e-2)


@pytest.mark.parametrize("rule", RULES)
def test_too_few_steps_are_reported(rule):
    result = fit(coins(), 0.001, rule=rule, max_iter=1)
    assert not result.converged
    assert result.n_iterations == 1
    assert result.residual > 1e-7


@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (np.arange(150) % 3, {}, r"'last' has 3: use JOSE\(form='group'\)"),
        (np.arange(150) / 7, {}, "'last' is continuous: use MixedPairwise, or NodewiseLasso"),
        (
            np.arange(150) % 2 + 0.5,
            {"kinds": {"last": "continuous"}},
            r"two values: declare it with kinds=\{'last': 'nominal'\}",
        ),
        (np.arange(150) % 2, {"rule": "pared"}, "unknown rule 'pared'; did you mean 'paired'"),
        (np.arange(150) % 2, {"lam": -1}, "must not be negative"),
    ],
)
def test_bad_input_is_named(column, options, message):
    frame = pd.DataFrame(coins(), columns=list("abcde")).assign(last=column)
    declared = as_table(frame, kinds=options.get("kinds"), scale=None)
    with pytest.raises(InputError, match=message):
        path(declared, [options.get("lam", 0.1)], rule=options.get("rule", "and"))


def test_groups_are_refused():
    grouped = as_table(coins(), groups={"both": ["x0", "x1"]}, scale=None)
    with pytest.raises(InputError, match="'both' is a group of 2"):
        largest_lam(grouped)
