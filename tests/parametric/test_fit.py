"""What a fit says of its likelihood and its parameters, against densities written out."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.metrics import log_loss

from mrflearn import MixedPairwise, NodewiseLogistic
from mrflearn.estimators import ESTIMATORS, ParametricEstimator
from mrflearn.parametric import (
    glasso,
    jose,
    mixed_pairwise,
    nodewise_lasso,
    nodewise_logistic,
    skeptic,
    space,
)
from mrflearn.parametric.base import decades
from mrflearn.selection.ebic import FORMS
from mrflearn.table import as_table

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20, deadline=None)

# For each: the method, its options, and the kind of table it takes.
CASES = {
    "glasso": (glasso, {}, "numbers"),
    "skeptic": (skeptic, {}, "numbers"),
    "space": (space, {}, "numbers"),
    "space-residual": (space, {"weights": "residual"}, "numbers"),
    "lasso-and": (nodewise_lasso, {}, "numbers"),
    "lasso-or": (nodewise_lasso, {"rule": "or"}, "numbers"),
    "lasso-paired": (nodewise_lasso, {"rule": "paired"}, "numbers"),
    "logistic-and": (nodewise_logistic, {}, "binary"),
    "logistic-or": (nodewise_logistic, {"rule": "or"}, "binary"),
    "logistic-paired": (nodewise_logistic, {"rule": "paired"}, "binary"),
    "jose": (jose, {}, "binary"),
    "jose-group": (jose, {"form": "group"}, "levels"),
    "mixed-numbers": (mixed_pairwise, {}, "numbers"),
    "mixed-levels": (mixed_pairwise, {}, "levels"),
    "mixed": (mixed_pairwise, {}, "mixed"),
}

LEAST_SQUARES_OF_ALL = {"space", "space-residual", "lasso-paired"}
"""They trade the squares of one node for those of another, which no likelihood need follow."""


def frame_of(kind, seed=0, n_samples=120):
    """Return columns that follow one another, with ties where they are discrete."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 5))
    for j in range(1, 5):
        X[:, j] += 0.7 * X[:, j - 1]
    frame = pd.DataFrame(X * [1, 30, 0.1, 2, 5] + [0, 7, 1, -3, 0], columns=list("abcde"))
    levels = {"numbers": {}, "binary": dict.fromkeys("abcde", 2)}.get(
        kind, {"a": 3, "b": 2, "c": 4} | ({"d": 2, "e": 3} if kind == "levels" else {})
    )
    for name, n in levels.items():
        frame[name] = pd.Categorical(pd.qcut(frame[name], n, labels=False))
    return frame


def fits_of(name, frame, lams=None, **options):
    method, given_options, _ = CASES[name]
    table = as_table(frame, scale=None)
    if lams is None:
        largest = method.largest_lam(table, **given_options)
        lams = [1.1 * largest, 0.6 * largest, 0.2 * largest]
    return method.path(table, lams, **given_options, **options)


@pytest.fixture(params=CASES)
def case(request):
    return request.param, frame_of(CASES[request.param][2])


def standardised(frame):
    values = frame.to_numpy(float)
    return (values - values.mean(axis=0)) / values.std(axis=0)


# --- Log-likelihoods ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_glasso_has_the_density_of_a_gaussian(seed):
    frame = frame_of("numbers", seed)
    for fit in fits_of("glasso", frame, [2.0, 0.3, 0.05, 0.0]):
        gaussian = multivariate_normal(cov=fit.parameters["covariance"])
        expected = gaussian.logpdf(standardised(frame)).sum()
        assert fit.log_likelihood == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_skeptic_has_the_density_of_gaussian_rows_with_its_correlations(seed):
    frame = frame_of("numbers", seed)
    rows = np.random.default_rng(seed).normal(size=frame.shape)
    rows -= rows.mean(axis=0)
    rows = rows @ np.linalg.inv(np.linalg.cholesky(rows.T @ rows / len(rows))).T
    for fit in fits_of("skeptic", frame):
        alike = rows @ np.linalg.cholesky(fit.parameters["correlation"]).T
        expected = multivariate_normal(cov=fit.parameters["covariance"]).logpdf(alike).sum()
        assert fit.log_likelihood == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("rule", ["and", "or", "paired"])
def test_a_lasso_has_normal_conditionals_with_the_best_variances(rule):
    frame = frame_of("numbers")
    Z = standardised(frame)
    for fit in fits_of(f"lasso-{rule}", frame):
        means = Z @ fit.parameters["coefficients"].T
        best = norm.logpdf(Z, means, np.sqrt(((Z - means) ** 2).mean(axis=0)))
        assert fit.log_likelihood == pytest.approx(best.sum(), rel=1e-10)
        for factor in (0.99, 1.01):
            other = norm.logpdf(Z, means, factor * np.sqrt(((Z - means) ** 2).mean(axis=0)))
            assert other.sum() < fit.log_likelihood


@pytest.mark.parametrize("name", ["space", "space-residual"])
def test_space_has_normal_conditionals_with_its_precisions(name):
    frame = frame_of("numbers")
    Z = standardised(frame)
    for fit in fits_of(name, frame):
        omega = fit.parameters["precisions"]
        rho = fit.parameters["partial_correlations"] - np.eye(5)
        means = Z @ (rho * np.sqrt(omega / omega[:, None])).T
        expected = norm.logpdf(Z, means, 1 / np.sqrt(omega)).sum()
        assert fit.log_likelihood == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("rule", ["and", "or", "paired"])
def test_logistic_regressions_have_the_log_loss_of_scikit_learn(rule):
    frame = frame_of("binary")
    X = frame.to_numpy(int)
    for fit in fits_of(f"logistic-{rule}", frame):
        odds = X @ fit.parameters["couplings"].T + fit.parameters["intercepts"]
        losses = [log_loss(X[:, i], expit(odds[:, i]), normalize=False) for i in range(5)]
        assert fit.log_likelihood == pytest.approx(-sum(losses), rel=1e-10)


def conditionals(joint, rows):
    """Return the sum over rows and variables of ln p(x_i | the others), from a table of p."""
    total = 0.0
    for axis in range(joint.ndim):
        given_others = np.log(joint / joint.sum(axis=axis, keepdims=True))
        total += sum(given_others[tuple(row)] for row in rows)
    return total


def test_jose_has_the_conditionals_of_its_ising_model():
    frame = frame_of("binary")
    X = frame.to_numpy(int)
    for fit in fits_of("jose", frame):
        theta, a = fit.parameters["couplings"], fit.parameters["intercepts"]
        joint = np.empty((2,) * 5)
        for x in itertools.product(range(2), repeat=5):
            joint[x] = math.exp(np.dot(a, x) + np.dot(x, theta @ x) / 2)
        assert fit.log_likelihood == pytest.approx(conditionals(joint, X), rel=1e-10)


@pytest.mark.parametrize("name", ["jose-group", "mixed-levels"])
def test_levels_have_the_conditionals_of_their_joint_distribution(name):
    frame = frame_of("levels")
    X = frame.to_numpy(int)
    sizes = X.max(axis=0) + 1
    for fit in fits_of(name, frame):
        mixed = name == "mixed-levels"
        blocks, alpha = (
            fit.parameters[key] for key in (("phi", "gamma") if mixed else ("blocks", "intercepts"))
        )
        joint = np.empty(sizes)
        for x in itertools.product(*map(range, sizes)):
            at = fit.parameters["starts"][:-1] + x
            joint[x] = math.exp(alpha[at].sum() + blocks[np.ix_(at, at)].sum() / 2)
        assert fit.log_likelihood == pytest.approx(conditionals(joint, X), rel=1e-10)


@pytest.mark.parametrize("standardize", [True, False])
def test_mixed_has_the_conditionals_of_its_joint_density(standardize):
    """A conditional of the joint density is that density along one axis, made to integrate to 1."""
    frame = frame_of("mixed", n_samples=40)
    numbers = frame[["d", "e"]]
    values = standardised(numbers) if standardize else numbers.to_numpy()
    codes = frame[["a", "b", "c"]].to_numpy(int)
    for fit in fits_of("mixed", frame, standardize=standardize):
        beta, rho, phi, alpha, gamma, starts = (
            fit.parameters[key] for key in ("beta", "rho", "phi", "alpha", "gamma", "starts")
        )

        def log_density(x, y, beta=beta, rho=rho, phi=phi, alpha=alpha, gamma=gamma, starts=starts):
            at = starts[:-1] + y
            levels = gamma[at].sum() + phi[np.ix_(at, at)].sum() / 2
            return levels + alpha @ x + (x @ rho[:, at]).sum() - x @ beta @ x / 2

        total = 0.0
        for x, y in zip(values, codes, strict=True):
            for s in range(2):  # a quadratic, known from three of its values
                step = np.eye(2)[s]
                low, here, high = (log_density(x + shift * step, y) for shift in (-1, 0, 1))
                precision, slope = 2 * here - low - high, (high - low) / 2
                total += norm.logpdf(0, slope / precision, 1 / math.sqrt(precision))
            for j, n_levels in enumerate((3, 2, 4)):
                scores = [
                    log_density(x, np.where(np.arange(3) == j, m, y)) for m in range(n_levels)
                ]
                total += scores[y[j]] - np.logaddexp.reduce(scores)
        assert fit.log_likelihood == pytest.approx(total, rel=1e-8)


def test_without_edges_the_likelihood_is_that_of_single_columns(case):
    name, frame = case
    (fit,) = fits_of(name, frame, [math.inf])
    expected = 0.0
    for column in frame:
        if frame[column].dtype == "category":
            shares = frame[column].value_counts(normalize=True)
            expected += len(frame) * float((shares * np.log(shares)).sum())
        else:
            expected -= len(frame) / 2 * (math.log(2 * math.pi) + 1)
    assert fit.log_likelihood == pytest.approx(expected, rel=1e-10)
    assert fit.n_parameters == 0


@pytest.mark.parametrize("name", sorted(CASES.keys() - LEAST_SQUARES_OF_ALL))
def test_the_likelihood_rises_as_lambda_falls(name):
    frame = frame_of(CASES[name][2])
    method, options, _ = CASES[name]
    lams = decades(method.largest_lam(as_table(frame, scale=None), **options), 12)
    likelihoods = [fit.log_likelihood for fit in fits_of(name, frame, lams)]
    assert all(b > a - 1e-6 for a, b in itertools.pairwise(likelihoods))
    assert likelihoods[-1] > likelihoods[0] + 10


def test_without_a_penalty_all_gaussian_regressions_are_one():
    frame = frame_of("numbers")
    names = ("space", "space-residual", "lasso-and", "lasso-paired", "mixed-numbers")
    found = [fits_of(name, frame, [0.0])[0].log_likelihood for name in names]
    precision = np.linalg.inv(np.corrcoef(frame.T))
    expected = -len(frame) / 2 * (np.log(2 * np.pi / precision.diagonal()) + 1).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("rule", ["and", "paired"])
def test_a_lasso_that_leaves_nothing_has_an_infinite_likelihood(rule):
    frame = frame_of("numbers")
    frame["b"] = frame["a"]
    free, shrunk = fits_of(f"lasso-{rule}", frame, [0.0, 0.1])
    assert free.log_likelihood == math.inf
    assert math.isfinite(shrunk.log_likelihood)


# --- Parameters -----------------------------------------------------------------------------------


def edges(fit):
    return np.argwhere(np.triu(fit.adjacency, 1))


def test_parameters_of_edges_are_counted(case):
    name, frame = case
    sizes = [
        frame[column].nunique() - 1 if frame[column].dtype == "category" else 1 for column in frame
    ]
    for fit in fits_of(name, frame):
        assert type(fit.n_parameters) is int
        if name.startswith(("lasso", "logistic")):
            b = fit.parameters.get("coefficients", fit.parameters.get("couplings"))
            assert fit.n_parameters == (b != 0).sum()
            assert fit.n_parameters == 2 * len(edges(fit)) or "paired" not in name
        else:
            assert fit.n_parameters == sum(sizes[i] * sizes[j] for i, j in edges(fit))
    assert fit.n_parameters > 0


def test_and_and_or_count_the_same_regressions():
    frame = frame_of("numbers", n_samples=40)
    lams = np.geomspace(0.5, 0.02, 15)
    both, either = (fits_of(f"lasso-{rule}", frame, lams) for rule in ("and", "or"))
    for a, o in zip(both, either, strict=True):
        assert a.n_parameters == o.n_parameters == len(edges(a)) + len(edges(o))
        assert a.log_likelihood == o.log_likelihood
    assert any(len(edges(a)) < len(edges(o)) for a, o in zip(both, either, strict=True))


# --- What must not matter -------------------------------------------------------------------------


def assert_alike(one, other, times=1.0):
    for a, b in zip(one, other, strict=True):
        assert b.log_likelihood == pytest.approx(times * a.log_likelihood, rel=1e-6)
        assert b.n_parameters == a.n_parameters


def test_rows_that_are_there_twice_count_twice(case):
    name, frame = case
    assert_alike(fits_of(name, frame), fits_of(name, pd.concat([frame, frame])), times=2.0)


@FEW
@given(seed=SEEDS, name=st.sampled_from(sorted(CASES)))
def test_order_names_and_units_do_not_matter(seed, name):
    frame = frame_of(CASES[name][2], seed % 7)
    rng = np.random.default_rng(seed)
    moved = frame.iloc[rng.permutation(len(frame)), rng.permutation(5)].copy()
    for column in moved:
        if moved[column].dtype == "category":
            labels = rng.permutation(moved[column].cat.categories)
            moved[column] = moved[column].cat.rename_categories(labels)
        else:
            moved[column] = moved[column] * rng.uniform(0.1, 10) + rng.normal()
    assert_alike(fits_of(name, frame), fits_of(name, moved))


def test_both_forms_of_jose_agree_about_binary_columns():
    frame = frame_of("binary")
    table = as_table(frame, scale=None)
    lams = [0.2, 0.05, 0.02]
    assert_alike(jose.path(table, lams), jose.path(table, lams, form="group"))


# --- Through the estimators -----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [NodewiseLogistic(), MixedPairwise()])
def test_a_constant_adds_nothing(estimator):
    frame = frame_of("binary")
    wide = frame.assign(constant=1)
    lams = (0.2, 0.05)
    tables = [as_table_quietly(one) for one in (frame, wide)]
    plain, more = (estimator._fits(table, lams) for table in tables)
    assert_alike(plain, more)
    (alone, _) = estimator._fits(tables[1].take([0, 5]), lams)
    assert (alone.log_likelihood, alone.n_parameters) == (0.0, 0)


def as_table_quietly(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return as_table(frame, scale=None)


def test_every_estimator_says_what_its_likelihood_is():
    found = {cls for cls in ESTIMATORS.values() if issubclass(cls, ParametricEstimator)}
    assert all(cls._likelihood in FORMS for cls in found)
