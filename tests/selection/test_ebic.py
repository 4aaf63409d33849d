"""The extended BIC by hand, node by node, and on worlds whose graphs are known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from mrflearn import JOSE, GLasso, MixedPairwise, NodewiseLasso, NodewiseLogistic, Skeptic, Space
from mrflearn.datasets import gaussian_on, ising_on, shapes, sparse_gaussian
from mrflearn.errors import InputError
from mrflearn.metrics import f1
from mrflearn.parametric.base import decades
from mrflearn.selection.ebic import FORMS, choose, criteria
from mrflearn.table import as_table


def chosen(estimator, frame, gamma=0.5, lams=None):
    """Return the choice on the path of an estimator, and its fits."""
    table = as_table(frame, scale=None)
    if lams is None:
        lams = decades(estimator._method.largest_lam(table, **estimator._of_method()))
    fits = estimator._fits(table, tuple(lams))
    return estimator._choose_by_ebic(table, fits, gamma), fits


# --- Values ---------------------------------------------------------------------------------------


def test_values_are_those_of_foygel_and_drton():
    found = criteria([-250.0, -240.0], [0, 3], [0, 3], n_samples=100, n_variables=10, gamma=0.5)
    # 3 ln 100 = 13.815511, 4 * 0.5 * 3 ln 10 = 13.815511
    np.testing.assert_allclose(found, [500.0, 480.0 + 27.631021], rtol=1e-8)


def test_gamma_zero_is_bic():
    found = criteria([-240.0], [3], [3], n_samples=100, n_variables=10, gamma=0)
    np.testing.assert_allclose(found, [480.0 + 3 * math.log(100)])


@pytest.mark.parametrize("gamma", [0.0, 0.25, 1.0])
def test_regressions_have_the_sum_over_nodes_of_ising_fit(gamma):
    rng = np.random.default_rng(0)
    likelihoods, sizes, n_samples, n_variables = -rng.random(6) * 90, rng.integers(0, 6, 6), 80, 6
    by_node = [
        -2 * own + size * math.log(n_samples) + 2 * gamma * size * math.log(n_variables - 1)
        for own, size in zip(likelihoods, sizes, strict=True)
    ]
    total = likelihoods.sum(), sizes.sum(), sizes.sum()
    found = criteria(*([one] for one in total), n_samples, n_variables, gamma, "nodewise")
    assert found[0] == pytest.approx(sum(by_node))


def test_an_edge_between_levels_is_one_choice_of_many_parameters():
    found = criteria([-240.0], [12], [2], n_samples=100, n_variables=10, gamma=0.5, form="nodewise")
    np.testing.assert_allclose(found, [480.0 + 12 * math.log(100) + 2 * math.log(9)])


def test_a_node_with_one_other_has_no_choice_to_pay_for():
    found = criteria([-240.0], [2], [2], n_samples=100, n_variables=2, gamma=1.0, form="nodewise")
    np.testing.assert_allclose(found, [480.0 + 2 * math.log(100)])


def test_for_two_numbers_the_conditional_forms_see_everything_twice():
    """ln p(x | y) + ln p(y | x) is ln p(x) + ln p(y) plus twice the information of the pair."""
    rng = np.random.default_rng(1)
    frame = rng.normal(size=(90, 2)) @ [[1, 0.3], [0, 1]]
    empty, edge = chosen(GLasso(), frame, 0.0, [2.0, 0.0])[0].values
    assert edge != pytest.approx(empty)
    for other in (NodewiseLasso(), NodewiseLasso(rule="paired"), Space(), MixedPairwise()):
        without, with_edge = chosen(other, frame, 0.0, [2.0, 0.0])[0].values
        assert with_edge - without == pytest.approx(2 * (edge - empty), rel=1e-6)


def test_for_two_coins_the_conditional_forms_are_twice_the_likelihood_ratio():
    counts = np.array([[30, 14], [18, 28]])
    frame = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], counts.ravel(), axis=0)
    n = counts.sum()
    alone = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / n
    ratio = 2 * (counts * np.log(counts / alone)).sum()  # the G statistic
    for estimator in (JOSE(), JOSE(form="group"), NodewiseLogistic(), MixedPairwise()):
        empty, edge = chosen(estimator, frame.astype(str), 0.0, [9.0, 0.0])[0].values
        assert edge - empty == pytest.approx(2 * (math.log(n) - ratio), rel=1e-6)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_glasso_has_the_criterion_of_the_best_density_with_its_graph(gamma):
    """On a tree that is a product of densities of pairs, over those of what they share."""
    frame = CHAIN.sample(800, random_state=0)
    found, fits = chosen(GLasso(), frame, gamma)
    Z = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    at = next(k for k, fit in enumerate(fits) if (fit.adjacency == CHAIN.adjacency).all())
    density = norm.logpdf(Z[:, 0]).sum()
    for j in range(1, 8):
        r = np.corrcoef(Z[:, j - 1], Z[:, j])[0, 1]
        density += norm.logpdf(Z[:, j], r * Z[:, j - 1], math.sqrt(1 - r * r)).sum()
    price = 7 * math.log(800) + 4 * gamma * 7 * math.log(8)
    assert found.values[at] == pytest.approx(-2 * density + price, rel=1e-7)


def test_a_lasso_has_the_sum_of_the_criteria_of_its_least_squares():
    frame = sparse_gaussian(6).sample(150, random_state=0)
    found, fits = chosen(NodewiseLasso(), frame)
    Z = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    for value, fit in zip(found.values, fits, strict=True):
        total = 0.0
        for i, row in enumerate(fit.adjacency):
            left = Z[:, i] - Z[:, row] @ np.linalg.lstsq(Z[:, row], Z[:, i], rcond=None)[0]
            own = norm.logpdf(left, scale=math.sqrt((left**2).mean())).sum()
            total += -2 * own + row.sum() * (math.log(150) + 2 * 0.5 * math.log(5))
        assert value == pytest.approx(total, rel=1e-6)


# --- Choices --------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(FORMS), st.floats(0, 2))
def test_the_choice_is_the_smallest_value_and_of_equals_the_largest_lambda(seed, form, gamma):
    rng = np.random.default_rng(seed)
    n_lams = rng.integers(1, 8)
    lams = rng.permutation(n_lams) / 10
    likelihoods, sizes = -rng.integers(1, 4, n_lams) * 10.0, rng.integers(0, 3, n_lams)
    found = choose(lams, likelihoods, sizes, sizes, 30, 5, gamma, form)
    values = criteria(likelihoods, sizes, sizes, 30, 5, gamma, form)
    best = max((lams[k], k) for k in range(n_lams) if values[k] <= min(values) * (1 + 1e-12))[1]
    assert found.position == best
    assert found.values == tuple(values)
    assert (found.selection, found.criterion, found.limit) == ("ebic", "extended BIC", None)
    assert f"lambda {lams[best]:.4g} has the smallest extended BIC of {n_lams}" in found.reason


def test_rounding_does_not_make_a_denser_graph_better():
    likelihoods = [-123.456, np.nextafter(-123.456, 0)]
    assert choose([0.2, 0.1], likelihoods, [0, 0], [0, 0], 30, 5).position == 0
    assert choose([0.1, 0.2], likelihoods[::-1], [0, 0], [0, 0], 30, 5).position == 1


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e6])
def test_values_are_equal_in_proportion(size):
    for apart, position in ((1e-10, 0), (1e-8, 1)):
        likelihoods = [-size - apart * max(size, 1), -size]
        assert choose([0.2, 0.1], likelihoods, [0, 0], [0, 0], 30, 5).position == position


def test_a_term_that_all_likelihoods_share_changes_no_choice():
    likelihoods = np.array([-100.0, -90.0, -70.0, -69.0])
    positions = {
        choose([4, 3, 2, 1], likelihoods + shift, [0, 1, 2, 3], [0, 1, 2, 3], 50, 6).position
        for shift in (-1e4, 0.0, 300.0)
    }
    assert positions == {2}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(FORMS))
def test_a_larger_gamma_chooses_no_more_parameters(seed, form):
    rng = np.random.default_rng(seed)
    likelihoods, sizes = np.sort(-rng.random(9) * 90), np.sort(rng.integers(0, 20, 9))
    lams = np.linspace(1, 0.1, 9)
    along = [
        sizes[choose(lams, likelihoods, sizes, sizes, 40, 8, gamma, form).position]
        for gamma in (0, 0.25, 0.5, 1, 4)
    ]
    assert along == sorted(along, reverse=True)


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_a_likelihood_that_is_not_finite_is_never_chosen(odd):
    assert choose([0.2, 0.1, 0.0], [-50.0, -40.0, odd], [0, 1, 9], [0, 1, 9], 30, 5).position == 1
    nothing = choose([0.2, 0.1], [odd, odd], [0, 1], [0, 1], 30, 5)
    assert nothing.position is None
    assert "small against the table" in nothing.reason


@pytest.mark.parametrize("rule", ["and", "or", "paired"])
@pytest.mark.parametrize("shape", [(20, 40), (30, 60)])
def test_noise_of_few_rows_is_not_told_by_regressions_that_fit_it_without_error(rule, shape):
    """Two dozen rows are told exactly by forty columns: the likelihood of that knows no bound."""
    frame = np.random.default_rng(1).normal(size=shape)
    found, fits = chosen(NodewiseLasso(rule=rule), frame)
    assert fits[-1].adjacency.sum(axis=1).max() > shape[0] / 2
    assert found.values[-1] == math.inf
    # Some false edges there are: gamma = 1/2 is a low price for 780 pairs and 20 rows.
    assert fits[found.position].adjacency.sum(axis=1).mean() <= shape[0] / 10
    stricter, _ = chosen(NodewiseLasso(rule=rule), frame, gamma=2)
    assert not fits[stricter.position].adjacency.any()


def test_a_column_that_is_there_twice_hides_no_other_edge():
    frame = CHAIN.sample(400, random_state=0)
    frame["again"] = frame.iloc[:, 0]
    for estimator in (GLasso(), NodewiseLasso(), MixedPairwise()):
        found, fits = chosen(estimator, frame)
        adjacency = fits[found.position].adjacency
        assert adjacency[0, 8]
        assert f1(CHAIN.adjacency[1:8, 1:8], adjacency[1:8, 1:8]) > 0.9


@pytest.mark.parametrize("gamma", [-0.1, math.nan, math.inf, "0.5", None])
def test_gamma_out_of_range_is_refused(gamma):
    with pytest.raises(InputError, match="gamma must be a finite number that is not negative"):
        choose([0.1], [-1.0], [0], [0], 30, 5, gamma)


def test_an_unknown_form_is_refused():
    with pytest.raises(InputError, match="form"):
        criteria([-1.0], [0], [0], 30, 5, 0.5, "quasi")


def test_one_variable_has_no_price_to_pay():
    for form in FORMS:
        assert criteria([0.0], [0], [0], 1, 1, 0.5, form).tolist() == [0.0]


# --- Worlds ---------------------------------------------------------------------------------------

NUMBERS = sparse_gaussian()
CHAIN = gaussian_on(shapes.chain(8), strength=0.3, random_state=0)
COINS = ising_on(shapes.chain(8), coupling=0.5)

# For each: an estimator, a world, and the F1 that its choice reaches at least. The graphical lasso
# has false edges on its path before the weakest true ones, and takes both.
WORLDS = {
    "glasso": (GLasso(), NUMBERS, 0.85),
    "glasso-chain": (GLasso(), CHAIN, 0.9),
    "skeptic": (Skeptic(), NUMBERS, 0.85),
    "space": (Space(), NUMBERS, 0.9),
    "space-residual": (Space(weights="residual"), NUMBERS, 0.9),
    "lasso-and": (NodewiseLasso(), NUMBERS, 0.9),
    "lasso-paired": (NodewiseLasso(rule="paired"), NUMBERS, 0.9),
    "mixed": (MixedPairwise(), NUMBERS, 0.9),
    "logistic-and": (NodewiseLogistic(), COINS, 0.95),
    "logistic-or": (NodewiseLogistic(rule="or"), COINS, 0.95),
    "logistic-paired": (NodewiseLogistic(rule="paired"), COINS, 0.95),
    "jose": (JOSE(), COINS, 0.95),
    "jose-group": (JOSE(form="group"), COINS, 0.95),
}


@pytest.mark.parametrize("case", WORLDS)
@pytest.mark.parametrize("seed", range(2))
def test_of_many_samples_the_choice_has_every_edge_and_few_others(case, seed):
    estimator, world, least = WORLDS[case]
    found, fits = chosen(estimator, world.sample(2000, random_state=seed))
    adjacency = fits[found.position].adjacency
    assert (adjacency | ~world.adjacency).all()
    assert f1(world.adjacency, adjacency) >= least


@pytest.mark.parametrize("case", WORLDS)
def test_of_independent_columns_the_choice_has_no_edge(case):
    estimator, world, _ = WORLDS[case]
    rng = np.random.default_rng(3)
    shape = (300, world.n_variables)
    frame = rng.integers(2, size=shape) if world is COINS else rng.normal(size=shape)
    found, fits = chosen(estimator, frame)
    assert not fits[found.position].adjacency.any()
    assert found.position == 0
