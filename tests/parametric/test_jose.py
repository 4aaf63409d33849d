"""JOSE against its definition written out, other solvers, and models whose couplings are known."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.parametric import jose
from mrflearn.table import as_table

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def binary_data(seed, n_samples=150, n_variables=5):
    """A chain with flips, so that neighbours depend; every pair of values occurs."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(2, size=n_samples)]
    for _ in range(n_variables - 1):
        columns.append(columns[-1] ^ (rng.random(n_samples) < rng.choice([0.3, 0.7])))
    return np.column_stack(columns)


def levels_data(seed, n_samples=200, sizes=(2, 3, 4, 3)):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(sizes[0], size=n_samples)]
    for size in sizes[1:]:
        kept = rng.random(n_samples) < 0.4
        columns.append(np.where(kept, columns[-1] % size, rng.integers(size, size=n_samples)))
    return np.column_stack(columns)


def table_of(X):
    kinds = dict.fromkeys(range(np.shape(X)[1]), "nominal")
    return as_table(X, kinds=kinds, scale=None)


def fit_at(X, lam, **options):
    (fit,) = jose.path(table_of(X), [lam], **options)
    return fit


# --- The definition, written out -----------------------------------------------------------------


def binary_loss(X, intercepts, couplings):
    """(1/N) Σ_m Σ_j [ln(1 + e^η) - x η], by loops."""
    total = 0.0
    for x in X:
        for j in range(len(x)):
            eta = intercepts[j] + sum(couplings[j, k] * x[k] for k in range(len(x)) if k != j)
            total += math.log1p(math.exp(eta)) - x[j] * eta
    return total / len(X)


def group_loss(X, starts, alpha, blocks):
    """Mean negative log pseudolikelihood with a score for each level, by loops over variables."""
    total = 0.0
    for j in range(X.shape[1]):
        own = np.arange(starts[j], starts[j + 1])
        scores = np.tile(alpha[own], (len(X), 1))
        for k in range(X.shape[1]):
            if k != j:
                scores += blocks[own][:, starts[k] + X[:, k]].T
        chosen = scores[np.arange(len(X)), X[:, j]]
        total += (np.log(np.exp(scores).sum(axis=1)) - chosen).mean()
    return total


def slope(function, entries, size=1e-5):
    """Central differences of a function of a list of numbers."""
    gradient = np.empty(len(entries))
    for at in range(len(entries)):
        up, down = np.array(entries), np.array(entries)
        up[at] += size
        down[at] -= size
        gradient[at] = (function(up) - function(down)) / (2 * size)
    return gradient


def binary_residual(X, fit, lam):
    n = X.shape[1]
    upper = np.triu_indices(n, 1)

    def loss(entries):
        couplings = np.zeros((n, n))
        couplings[upper] = entries[n:]
        return binary_loss(X, entries[:n], couplings + couplings.T)

    theta = fit.parameters["couplings"][upper]
    gradient = slope(loss, np.concatenate([fit.parameters["intercepts"], theta]))
    by_pair = gradient[n:]
    violations = np.where(
        theta != 0, np.abs(by_pair + lam * np.sign(theta)), np.maximum(np.abs(by_pair) - lam, 0)
    )
    return max(np.abs(gradient[:n]).max(), violations.max())


def group_residual(X, fit, lam):
    starts, blocks = fit.parameters["starts"], fit.parameters["blocks"]
    alpha = fit.parameters["intercepts"]
    worst = np.abs(slope(lambda a: group_loss(X, starts, a, blocks), alpha)).max()
    for j, k in itertools.combinations(range(X.shape[1]), 2):
        rows, columns = np.arange(starts[j], starts[j + 1]), np.arange(starts[k], starts[k + 1])
        phi = blocks[np.ix_(rows, columns)]

        def loss(entries, rows=rows, columns=columns):
            changed = blocks.copy()
            changed[np.ix_(rows, columns)] = entries.reshape(len(rows), len(columns))
            changed[np.ix_(columns, rows)] = changed[np.ix_(rows, columns)].T
            return group_loss(X, starts, alpha, changed)

        gradient = slope(loss, phi.ravel()).reshape(phi.shape)
        norm = np.linalg.norm(phi)
        if norm > 0:
            violation = np.linalg.norm(gradient + 2 * lam * phi / norm)
        else:
            violation = np.linalg.norm(gradient) - 2 * lam
        worst = max(worst, violation)
    return worst


@pytest.mark.parametrize("tol", [1e-3, 1e-7])
@pytest.mark.parametrize("lam", [0.0, 0.02, 0.1, math.inf])
def test_the_residual_of_the_binary_form_is_that_of_the_definition(lam, tol):
    X = binary_data(0, n_samples=60, n_variables=4)
    fit = fit_at(X, lam, tol=tol, max_iter=200)
    expected = binary_residual(X, fit, lam) if lam < math.inf else 0.0
    assert fit.residual == pytest.approx(expected, abs=2e-9)
    assert fit.converged == (fit.residual <= tol)
    loss = binary_loss(X, fit.parameters["intercepts"], fit.parameters["couplings"])
    penalty = np.abs(np.triu(fit.parameters["couplings"])).sum()
    penalised = lam * penalty if penalty else 0.0
    assert fit.objective == pytest.approx(loss + penalised, abs=1e-12)


@pytest.mark.parametrize("tol", [1e-3, 1e-7])
@pytest.mark.parametrize("lam", [0.005, 0.05])
def test_the_residual_of_the_group_form_is_that_of_the_definition(lam, tol):
    X = levels_data(0)
    fit = fit_at(X, lam, tol=tol)
    assert fit.residual == pytest.approx(group_residual(X, fit, lam), abs=2e-9)
    assert fit.converged
    loss = group_loss(X, *(fit.parameters[name] for name in ("starts", "intercepts", "blocks")))
    penalty = np.triu(fit.weights).sum()
    assert fit.objective == pytest.approx(loss + lam * penalty, abs=1e-12)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_too_few_steps_are_reported_with_their_residual(max_iter):
    X = binary_data(1, n_samples=60, n_variables=4)
    fit = fit_at(X, 0.01, tol=1e-12, max_iter=max_iter)
    assert not fit.converged
    assert fit.residual == pytest.approx(binary_residual(X, fit, 0.01), abs=2e-9)


# --- Other solvers -------------------------------------------------------------------------------


def stacked(X):
    """The joint problem as one logistic regression: N·D rows, D intercepts and D(D-1)/2 pairs."""
    n_samples, n = X.shape
    pairs = list(itertools.combinations(range(n), 2))
    design = np.zeros((n_samples * n, n + len(pairs)))
    for j in range(n):
        rows = slice(j * n_samples, (j + 1) * n_samples)
        design[rows, j] = 1
        for at, (a, b) in enumerate(pairs):
            if j in (a, b):
                design[rows, n + at] = X[:, a + b - j]
    return design, X.T.ravel(), n


def logistic_loss(design, response, n_samples):
    def loss(theta):
        eta = design @ theta
        chances = 1 / (1 + np.exp(-eta))
        value = (np.logaddexp(0, eta) - response * eta).sum() / n_samples
        return value, design.T @ (chances - response) / n_samples

    return loss


@pytest.mark.parametrize(("n_variables", "lam"), [(2, 0.05), (5, 0.02), (5, 0.1), (8, 0.01)])
@pytest.mark.parametrize("form", ["binary", "group"])
def test_the_fit_is_that_of_one_stacked_regression_solved_by_scipy(n_variables, lam, form):
    """l1 with positive and negative parts, by L-BFGS-B."""
    from scipy.optimize import minimize

    X = binary_data(3, n_variables=n_variables)
    design, response, n = stacked(X)
    loss = logistic_loss(design, response, len(X))
    n_pairs = design.shape[1] - n

    def split(u):
        theta = np.concatenate([u[:n], u[n : n + n_pairs] - u[n + n_pairs :]])
        value, gradient = loss(theta)
        return value + lam * u[n:].sum(), np.concatenate(
            [gradient[:n], gradient[n:] + lam, -gradient[n:] + lam]
        )

    bounds = [(None, None)] * n + [(0, None)] * (2 * n_pairs)
    other = minimize(
        split,
        np.zeros(n + 2 * n_pairs),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 0, "gtol": 1e-10, "maxiter": 10_000, "maxcor": 50},
    )
    theta = other.x[n : n + n_pairs] - other.x[n + n_pairs :]
    fit = fit_at(X, lam, form=form)
    assert fit.converged
    assert fit.objective == pytest.approx(other.fun, abs=1e-9)
    np.testing.assert_allclose(fit.weights[np.triu_indices(n, 1)], np.abs(theta), atol=1e-6)
    if form == "binary":
        couplings = fit.parameters["couplings"]
        np.testing.assert_allclose(couplings[np.triu_indices(n, 1)], theta, atol=1e-6)
        np.testing.assert_allclose(fit.parameters["intercepts"], other.x[:n], atol=1e-6)


def test_without_a_penalty_it_is_the_pseudolikelihood_estimate():
    from scipy.optimize import minimize

    X = binary_data(5, n_samples=400)
    design, response, n = stacked(X)
    loss = logistic_loss(design, response, len(X))
    other = minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS")
    fit = fit_at(X, 0.0)
    assert fit.converged
    np.testing.assert_allclose(fit.parameters["intercepts"], other.x[:n], atol=1e-4)
    couplings = fit.parameters["couplings"][np.triu_indices(n, 1)]
    np.testing.assert_allclose(couplings, other.x[n:], atol=1e-4)
    near = fit_at(X, 1e-6).parameters["couplings"][np.triu_indices(n, 1)]
    np.testing.assert_allclose(near, couplings, atol=1e-3)


# --- Known models --------------------------------------------------------------------------------


def states_by_probability(score, n_states, n_variables, n_samples=100_000):
    """All joint states, each as often as its probability says, to the nearest whole number."""
    states = np.array(list(itertools.product(range(n_states), repeat=n_variables)))
    weights = np.exp([score(state) for state in states])
    counts = np.round(n_samples * weights / weights.sum()).astype(int)
    return np.repeat(states, counts, axis=0)


def test_couplings_of_a_known_ising_model_come_back_with_their_signs():
    theta = np.array(
        [[0.3, 0.8, 0.0, -0.5], [0.8, -0.2, 1.2, 0.0], [0.0, 1.2, 0.1, -0.9], [-0.5, 0.0, -0.9, 0]]
    )
    X = states_by_probability(
        lambda x: (
            x @ np.diag(theta) + sum(theta[i, j] * x[i] * x[j] for j in range(4) for i in range(j))
        ),
        n_states=2,
        n_variables=4,
    )
    fit = fit_at(X, 0.0)
    couplings = theta - np.diag(np.diag(theta))
    np.testing.assert_allclose(fit.parameters["couplings"], couplings, atol=2e-3)
    np.testing.assert_allclose(fit.parameters["intercepts"], np.diag(theta), atol=2e-3)
    np.testing.assert_array_equal(fit_at(X, 0.005).adjacency, couplings != 0)


def test_a_random_sample_of_a_known_ising_model_has_the_right_graph_and_signs():
    rng = np.random.default_rng(0)
    X = states_by_probability(
        lambda x: 0.8 * x[0] * x[1] - 1.5 * x[1] * x[2] + 0.5 * x[3] - 0.2 * x[0], 2, 4
    )
    sample = X[rng.integers(len(X), size=5000)]
    couplings = fit_at(sample, 0.02).parameters["couplings"]
    assert couplings[0, 1] > 0.5
    assert couplings[1, 2] < -1.0
    assert np.count_nonzero(np.triu(couplings)) == 2


def test_blocks_of_a_known_three_level_model_come_back():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 3, 3)) / 2
    X = states_by_probability(lambda x: first[x[0], x[1]] + second[x[1], x[2]], 3, 3)
    fit = fit_at(X, 0.0)
    starts, blocks = fit.parameters["starts"], fit.parameters["blocks"]

    def centred(block):
        block = block - block.mean(axis=0)
        return block - block.mean(axis=1, keepdims=True)

    for (j, k), truth in {(0, 1): first, (1, 2): second, (0, 2): np.zeros((3, 3))}.items():
        found = blocks[starts[j] : starts[j + 1], starts[k] : starts[k + 1]]
        np.testing.assert_allclose(found, centred(truth), atol=3e-3)
    assert fit.converged
    np.testing.assert_array_equal(
        fit_at(X, 0.005).adjacency,
        [[False, True, False], [True, False, True], [False, True, False]],
    )


# --- The two forms -------------------------------------------------------------------------------


@few
@given(seed=seeds, share=st.floats(0.01, 1.1))
def test_the_two_forms_are_one_model_for_binary_columns(seed, share):
    X = binary_data(seed)
    top = jose.largest_lam(table_of(X), form="binary")
    assert jose.largest_lam(table_of(X), form="group") == pytest.approx(top, rel=1e-12)
    lam = share * top
    one = fit_at(X, lam, form="binary", tol=1e-9)
    other = fit_at(X, lam, form="group", tol=1e-9)
    assert one.objective == pytest.approx(other.objective, abs=1e-9)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-6)
    couplings, blocks = one.parameters["couplings"], other.parameters["blocks"]
    odds = np.array([-1.0, 1.0])  # log-odds of the higher level
    for j, k in itertools.combinations(range(X.shape[1]), 2):
        phi = blocks[2 * j : 2 * j + 2, 2 * k : 2 * k + 2]
        assert odds @ phi @ odds == pytest.approx(couplings[j, k], abs=1e-6)


def test_auto_takes_the_binary_form_only_for_two_levels_everywhere():
    assert "blocks" not in fit_at(binary_data(0), 0.05).parameters
    assert "blocks" in fit_at(levels_data(0), 0.05).parameters


@few
@given(seed=seeds)
def test_reported_blocks_sum_to_zero_over_the_levels_of_each_end(seed):
    fit = fit_at(levels_data(seed), 0.01)
    starts, blocks = fit.parameters["starts"], fit.parameters["blocks"]
    np.testing.assert_allclose(np.add.reduceat(blocks, starts[:-1], axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(blocks, blocks.T)


# --- What must not matter ------------------------------------------------------------------------


@few
@given(seed=seeds, column=st.integers(0, 4))
def test_swapping_the_values_of_a_column_flips_its_couplings(seed, column):
    X = binary_data(seed)
    swapped = X.copy()
    swapped[:, column] = 1 - swapped[:, column]
    one, other = fit_at(X, 0.03, tol=1e-9), fit_at(swapped, 0.03, tol=1e-9)
    signs = np.ones(5)
    signs[column] = -1
    expected = np.outer(signs, signs) * one.parameters["couplings"]
    np.testing.assert_allclose(other.parameters["couplings"], expected, atol=1e-6)
    np.testing.assert_array_equal(other.adjacency, one.adjacency)


@few
@given(seed=seeds)
def test_names_of_levels_do_not_matter(seed):
    X = levels_data(seed)
    rng = np.random.default_rng(seed)
    renamed = np.column_stack([rng.permutation(int(column.max()) + 1)[column] for column in X.T])
    one, other = fit_at(X, 0.02, tol=1e-9), fit_at(renamed, 0.02, tol=1e-9)
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-6)


@few
@given(seed=seeds, levels=st.booleans())
def test_the_order_of_columns_does_not_matter(seed, levels):
    X = levels_data(seed) if levels else binary_data(seed)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    one, other = fit_at(X, 0.03, tol=1e-9), fit_at(X[:, order], 0.03, tol=1e-9)
    np.testing.assert_allclose(other.weights, one.weights[np.ix_(order, order)], atol=1e-6)


def test_a_level_that_never_occurs_does_not_matter():
    X = levels_data(0)
    labels = np.array(["a", "b", "c", "d"])[X]
    plain = pd.DataFrame(labels).astype("category")
    padded = plain.apply(lambda column: column.cat.add_categories(["Z"]))
    padded = padded.apply(
        lambda column: column.cat.reorder_categories(sorted(column.cat.categories))
    )
    one, other = (jose.path(as_table(frame, scale=None), [0.02])[0] for frame in (plain, padded))
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.parameters["starts"], other.parameters["starts"])


def test_repeating_every_row_does_not_matter():
    X = levels_data(0)
    one, other = fit_at(X, 0.02), fit_at(np.vstack([X, X, X]), 0.02)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-7)


# --- The path ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", [binary_data, levels_data])
def test_the_largest_lambda_is_where_the_graph_becomes_empty(data, seed):
    table = table_of(data(seed))
    top = jose.largest_lam(table)
    above, below = jose.path(table, [top * (1 + 1e-9), top * (1 - 1e-4)])
    assert not above.adjacency.any()
    assert below.adjacency.sum() == 2


def test_the_largest_lambda_of_binary_columns_is_twice_their_largest_covariance():
    X = binary_data(2)
    covariance = np.cov(X.T, bias=True)
    expected = 2 * np.abs(covariance[np.triu_indices(5, 1)]).max()
    assert jose.largest_lam(table_of(X)) == pytest.approx(expected, rel=1e-12)


def test_fits_come_in_the_order_of_the_lambdas_and_do_not_depend_on_it():
    table = table_of(binary_data(0))
    lams = [0.01, 0.2, 0.05, math.inf, 0.05]
    fits = jose.path(table, lams)
    assert [fit.lam for fit in fits] == lams
    for lam, fit in zip(lams, fits, strict=True):
        (alone,) = jose.path(table, [lam])
        np.testing.assert_allclose(fit.weights, alone.weights, atol=1e-5)
    assert not fits[3].adjacency.any()


def test_weights_are_symmetric_and_not_negative_with_zeros_off_the_graph():
    for data in (binary_data, levels_data):
        fit = fit_at(data(0), 0.05)
        np.testing.assert_array_equal(fit.weights, fit.weights.T)
        assert (fit.weights >= 0).all()
        assert 0 < fit.adjacency.sum() < fit.adjacency.size - len(fit.weights)


def test_the_empty_model_has_the_shares_of_the_values():
    X = binary_data(0)
    chances = 1 / (1 + np.exp(-fit_at(X, math.inf).parameters["intercepts"]))
    np.testing.assert_allclose(chances, X.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("form", ["binary", "group"])
def test_values_that_never_meet_leave_no_minimum_without_a_penalty(form):
    X = np.array([[0, 0], [0, 1], [1, 1], [1, 1]] * 10)
    without, tiny, little = jose.path(table_of(X), [0.0, 1e-9, 1e-3], form=form)
    assert not without.converged
    assert not tiny.converged
    assert little.converged


def test_separation_by_several_variables_is_seen_too():
    """Every pair of values occurs, yet the last variable is the majority of the others.

    Couplings t with the last, -t/2 among the others and an intercept of -3t/2 for the last lower
    the loss for every t.
    """
    states = np.array(list(itertools.product((0, 1), repeat=3)))
    votes = np.column_stack([states, states.sum(axis=1) > 1])
    assert not fit_at(np.repeat(votes, 10, axis=0), 0.0).converged
    every_state = list(itertools.product((0, 1), repeat=4))
    assert fit_at(np.vstack([np.repeat(votes, 10, axis=0), every_state]), 0.0).converged


# --- Input ---------------------------------------------------------------------------------------


def test_a_continuous_column_is_refused_by_name():
    frame = pd.DataFrame({"sex": ["f", "m"] * 10, "mass": np.linspace(0, 1, 20)})
    for call in (lambda t: jose.path(t, [0.1]), jose.largest_lam):
        with pytest.raises(InputError, match=r"'mass' is continuous.*MixedPairwise.*'nominal'"):
            call(as_table(frame, scale=None))


def test_the_binary_form_refuses_more_levels_by_name():
    frame = pd.DataFrame({"sex": ["f", "m", "f"] * 10, "island": ["a", "b", "c"] * 10})
    with pytest.raises(InputError, match=r"'island' has 3.*form='group'"):
        jose.path(as_table(frame, scale=None), [0.1], form="binary")


def test_an_unknown_form_gets_a_suggestion():
    with pytest.raises(InputError, match="did you mean 'group'"):
        jose.largest_lam(table_of(binary_data(0)), form="grup")


def test_groups_of_columns_and_negative_lambdas_are_refused():
    X = pd.DataFrame(binary_data(0), columns=list("abcde"))
    with pytest.raises(InputError, match="'pair' is a group"):
        jose.path(as_table(X, groups={"pair": ["a", "b"]}, scale=None), [0.1])
    with pytest.raises(InputError, match="negative"):
        jose.path(as_table(X, scale=None), [-0.1])
