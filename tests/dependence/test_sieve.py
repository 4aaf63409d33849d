"""The sieve against a slow, literal twin, closed forms, and what must change nothing."""

import itertools
import math
import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from mrflearn.dependence import Gaussian, Memo, Sieve, _terms
from mrflearn.dependence import sieve as sieve_module
from mrflearn.dependence._features import FeatureMap, most_functions, n_functions
from mrflearn.dependence._latent import hermite_coefficients, latent_correlation
from mrflearn.dependence.null import log_tail, one_degree_quantile
from mrflearn.dependence.statistics import SufficientStatistics
from mrflearn.estimators import GSMPLE, IAMB
from mrflearn.estimators.searching import _warn_of_suspicions
from mrflearn.search import SearchResult
from mrflearn.table import as_table


def mixed_frame(n_samples, seed, n_labels=3):
    """Return continuous, ordinal, nominal, rare, constant and collinear columns, with ties."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_samples)
    label = rng.integers(n_labels, size=n_samples)
    rare = np.where(
        np.arange(n_samples) < 3, "odd", np.where(rng.random(n_samples) < 0.5, "a", "b")
    )
    return pd.DataFrame(
        {
            "x": x,
            "square": x**2 + 0.3 * rng.normal(size=n_samples),
            "tied": np.round(x + rng.normal(size=n_samples), 0) + 0.25,
            "grade": np.digitize(x + label + rng.normal(size=n_samples), [-1, 0, 1, 2]),
            "label": np.array(list("pqrs"))[label],
            "coin": rng.integers(2, size=n_samples).astype(bool),
            "rare": rare,
            "twin": 3 * x + 1,
            "constant": 1.0,
        }
    )


def bound(frame, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Sieve(**options).bind(as_table(frame))


# The twin: one regression by least squares after the other, on features it makes itself.


def residuals(block, conditions):
    """Return what least squares on a constant and the conditions leaves of each column."""
    design = np.column_stack([np.ones(len(block)), conditions])
    design = design / np.linalg.norm(design, axis=0).clip(1e-300)
    slopes, *_ = np.linalg.lstsq(design, block, rcond=1e-6)
    return block - design @ slopes


def literal_likelihood_ratio(a, b, conditions):
    """Return -sum ln(1 - r^2) over the canonical correlations of two blocks of residuals."""
    left, right = residuals(a, conditions), residuals(b, conditions)

    def basis(block):
        u, s, _ = np.linalg.svd(block, full_matrices=False)
        return u[:, s > 1e-3 * math.sqrt(len(block))]

    u, v = basis(left), basis(right)
    squares = np.linalg.svd(u.T @ v, compute_uv=False) ** 2
    return -np.log1p(-np.minimum(squares, 1 - 1e-12)).sum(), u.shape[1], v.shape[1]


def all_columns(sieve):
    """Return features and products of all rows."""
    rows = sieve.features.features(sieve.table, slice(None))
    return sieve._columns(np.arange(len(sieve.covariance)), rows)


def literal_conditions(sieve, rows, given_variables):
    """Return the columns of what stands for some variables in regressions."""
    columns = [rows[:, sieve.entering[s]] for s in given_variables]
    for pair in itertools.combinations(sorted(given_variables), 2):
        if pair in sieve.products:
            columns.append(rows[:, sieve.products[pair][2]])
    return np.column_stack(columns) if columns else np.empty((len(rows), 0))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([60, 150, 400]))
def test_likelihood_ratios_are_those_of_regressions_by_least_squares(seed, n_samples):
    sieve = bound(mixed_frame(n_samples, seed))
    rows = all_columns(sieve)
    rng = np.random.default_rng(seed)
    order = rng.permutation(8)
    i, candidates, given_variables = int(order[0]), order[1:3], tuple(sorted(order[3:6].tolist()))
    regression = sieve._regression(given_variables)
    conditions = literal_conditions(sieve, rows, given_variables)
    for j in candidates:
        for way in sieve._ways(i, [int(j)], regression):
            beyond = rows[:, way.beyond[0]]
            ratio, r, p = literal_likelihood_ratio(
                rows[:, way.response],
                rows[:, way.predictors[0]],
                np.column_stack([conditions, beyond]),
            )
            n_used = len(regression.features) + beyond.shape[1]
            left = max(n_samples - 1 - n_used - (r + p + 1) / 2, 0.0)
            assert way.degrees[0] == r * p
            assert way.statistic[0] == pytest.approx(left * ratio, rel=1e-5, abs=1e-4)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([150, 400]))
def test_products_are_checked_with_what_conditions_leave_of_the_candidate(seed, n_samples):
    rng = np.random.default_rng(seed)
    x, y, z = rng.normal(size=(3, n_samples))
    label = np.array(list("pqr"))[rng.integers(3, size=n_samples)]
    noise = rng.normal(size=n_samples)
    frame = pd.DataFrame({"x": x, "y": x * y + noise, "z": z, "label": label, "w": y})
    sieve = bound(frame)
    rows = all_columns(sieve)
    i, j, *known = rng.permutation(5).tolist()
    given_variables = tuple(sorted(known))
    regression = sieve._regression(given_variables)
    conditions = literal_conditions(sieve, rows, given_variables)
    owner = np.repeat(np.arange(5), np.diff(sieve.features.starts))
    n_features = sieve.features.n_features
    for way in sieve._ways(i, [j], regression):
        if way.group != "product":
            continue
        columns = []
        for k in way.predictors[0].tolist():
            factors = [k]
            if k >= n_features:
                factors = [sieve._left[k - n_features], sieve._right[k - n_features]]
            ((own,),) = [[f for f in factors if owner[f] == j]]
            column = residuals(rows[:, [own]], conditions)[:, 0]
            for factor in factors:
                if factor != own:
                    column = column * rows[:, factor]
            columns.append(column)
        left = residuals(rows[:, way.response], conditions)
        bases = []
        for block in (left, np.column_stack(columns)):
            u, s, _ = np.linalg.svd(block, full_matrices=False)
            bases.append(u[:, s**2 > 1e-7 * n_samples])
        squares = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False) ** 2
        n_left = n_samples - 1 - len(regression.features)
        n_left -= (bases[0].shape[1] + bases[1].shape[1] + 1) / 2
        expected = -n_left * np.log1p(-np.minimum(squares, 1 - 1e-12)).sum()
        asked = i, j, way.response, way.predictors[0], way.beyond[0], regression
        assert sieve._of_residual_products(*asked) is None  # few rows
        with patch.object(sieve_module, "MISFIT_ROWS", 0):
            found = sieve._of_residual_products(*asked)
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-4)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([150, 400]))
def test_a_spread_is_checked_with_squares_of_what_conditions_leave(seed, n_samples):
    sieve = bound(mixed_frame(n_samples, seed))
    rows = all_columns(sieve)
    i, j, *known = np.random.default_rng(seed).permutation(7).tolist()
    known = tuple(sorted(known[: 1 + seed % 3]))
    regression = sieve._regression(known)
    conditions = literal_conditions(sieve, rows, known)
    for way in sieve._ways(i, [j], regression):
        found = sieve._of_residual_squares(
            i, j, way.response, way.predictors[0], way.beyond[0], regression
        )
        blocks, n_squares = [], 0
        for k, block in ((i, way.response), (j, way.predictors[0])):
            columns = []
            for feature in block.tolist():
                squared = feature in sieve.low[k][len(sieve.first[k]) :]
                of = sieve.first[k][:1] if squared else [feature]
                column = residuals(rows[:, of], conditions)
                columns.append(residuals(column**2, conditions) if squared else column)
                n_squares += squared
            blocks.append(np.column_stack(columns))
        has_products = (way.predictors[0] >= sieve.features.n_features).any()
        if not n_squares or way.beyond.shape[1] or has_products:
            assert found is None
            continue
        e, f = ((block - block.mean(axis=0)) for block in blocks)
        ranks, bases = [], []
        for block in (e, f):
            u, size, _ = np.linalg.svd(block, full_matrices=False)
            bases.append(u[:, size**2 > 1e-7 * n_samples])
            ranks.append(bases[-1].shape[1])
        squares = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False) ** 2
        n_left = n_samples - 1 - len(regression.features) - (sum(ranks) + 1) / 2
        expected = -max(n_left, 0) * np.log1p(-np.minimum(squares, 1 - 1e-12)).sum()
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("is_test", [True, False])
def test_variances_are_those_of_squares_regressed_on_the_conditions(is_test):
    rng = np.random.default_rng(0)
    z = rng.integers(2, size=(1_500, 3))
    parity = (z[:, 0] + z[:, 1]) % 2
    deviation = np.where(parity == 1, 1.0, 0.2)
    frame = pd.DataFrame(z, columns=list("abc")).assign(
        x=deviation * rng.normal(size=1_500),
        y=np.where(parity == 1, z[:, 2], 0) + rng.normal(size=1_500),
    )
    sieve = bound(frame)
    rows = all_columns(sieve)
    known = sieve._regression((0, 1, 2))
    assert len(known.features) > 3  # products enter, since y depends on them
    regression = sieve_module.replace(known, is_test=is_test, known={})
    rank, excess, variances = sieve._variances(sieve.first[3], sieve.first[3][:0], regression)
    e = residuals(rows[:, sieve.first[3]], rows[:, known.features])
    e /= e.std()
    used = np.concatenate([sieve.low[s] for s in (0, 1, 2)])
    if is_test:
        used = np.union1d(used, known.features)
    squares = e**2
    explained = squares - residuals(squares, rows[:, used]) - 1
    by_chance = (squares.var() - explained.var()) * len(used) / len(e)
    expected = 1 + explained * max(1 - by_chance / explained.var(), 0)
    assert rank == 1
    assert excess == pytest.approx((e**4).mean() - 3, rel=1e-6)
    assert variances == pytest.approx(np.maximum(expected, sieve_module.LEAST_VARIANCE), rel=1e-4)
    within = [variances[parity == k].mean() for k in (0, 1)]
    assert (within[1] > 5 * within[0]) == is_test


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([120, 450]))
def test_variables_have_many_functions_where_literal_tests_ask_for_them(seed, n_samples):
    frame = mixed_frame(n_samples, seed)
    rng = np.random.default_rng(seed)
    frame["wave"] = np.sin(4 * frame["x"]) + (0.3 + seed % 3) * rng.normal(size=n_samples)
    sieve = bound(frame)
    few = FeatureMap.fit(sieve.table, n_functions(n_samples))
    many = FeatureMap.fit(sieve.table, most_functions(n_samples))
    rows, finer = (features.features(sieve.table, slice(None)) for features in (few, many))
    for s in range(sieve.n_variables):
        own = np.arange(few.starts[s], few.starts[s + 1])
        every = np.arange(many.starts[s], many.starts[s + 1])
        n_own = len(sieve.all[s])
        if len(every) == len(own):
            assert n_own == len(own)
            continue
        low = [
            np.arange(few.starts[j], few.starts[j] + few.n_low[j])
            for j in range(sieve.n_variables)
            if j != s
        ]
        least = literal_log_p(rows, finer[:, every], rows[:, own], low)
        level = math.log(_terms.MANY_LEVEL)
        if abs(least - level) > 1e-3:
            assert n_own == (len(every) if least < level else len(own))


def test_waves_of_the_same_cause_are_independent_given_it():
    rng = np.random.default_rng(0)
    z, x, y, w = rng.normal(size=(4, 1_000))
    waves = np.sin(3 * z)
    frame = pd.DataFrame({"z": z, "x": waves + 0.5 * x, "y": waves + 0.5 * y, "w": w})
    sieve = bound(frame)
    assert len(sieve.all[0]) >= most_functions(1_000) - 1  # a knot at 0 is z and its modulus
    assert len(sieve.all[3]) == n_functions(1_000)
    tail = sieve.null(1, [2], (0,)).tail(sieve.tested_cmi(1, 2, [0]))
    assert tail[0] > 0.05
    assert sieve.null(1, [0], ()).tail(sieve.cmi(1, 0))[0] < 1e-100


def test_a_node_shows_independence_below_the_tolerance_less_two_standard_errors():
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 20_000))
    coin = rng.integers(2, size=20_000)
    frame = pd.DataFrame({"x": x, "y": x + y, "sum": x + z, "z": z, "coin": coin})
    sieve = bound(frame)
    n_left = 20_000 - len(sieve.conditions((0,)))
    expected = (math.sqrt(5e-4) - 2 / math.sqrt(2 * n_left)) ** 2
    assert sieve.independence_bound(1, {0}) == pytest.approx(expected, rel=1e-12)
    never = -math.inf
    assert sieve.independence_bound(2, {0, 3}) == never  # the neighbors determine it
    assert sieve.independence_bound(0, {4}) == never  # a regression on two values is exact
    assert sieve.independence_bound(0, set()) == never
    assert bound(frame, tolerance=0.0).independence_bound(1, {0}) == never
    assert bound(frame[:3_000]).independence_bound(1, {0}) == never  # too few rows to tell


def test_where_cells_give_each_mean_nothing_is_tolerated():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(3, size=(2_000, 4))).assign(x=rng.normal(size=2_000))
    sieve = bound(frame.astype({0: str, 1: str, 2: str, 3: str}))
    mean_of_one = 1 / sieve._rows_left(0, [3], sieve._regression((1, 2)))[0] / 2
    assert sieve.null(0, [3], (1, 2)).mean[0] == pytest.approx(mean_of_one, rel=1e-9)
    given_more = sieve.null(0, [3], (4,))
    rows = sieve._rows_left(0, [3], sieve._regression((4,)))[0]
    assert given_more.mean[0] == pytest.approx(0.5 / rows + 5e-4, rel=1e-9)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([80, 300]))
def test_a_test_is_a_search_that_checks_all_answers_and_squares_by_all_conditions(seed, n_samples):
    sieve = bound(mixed_frame(n_samples, seed))
    i, j, *known = np.random.default_rng(seed).permutation(8).tolist()
    known = known[: seed % 4]
    searched, tested = sieve.cmi(i, j, known), sieve.tested_cmi(i, j, known)
    by_few = sieve_module.BoundSieve._variances

    def by_all(self, block, beyond, regression):
        return by_few(self, block, beyond, sieve_module.replace(regression, is_test=True))

    with (
        patch.object(sieve_module, "WORTH_CHECKING", 0.0),
        patch.object(sieve_module.BoundSieve, "_variances", by_all),
    ):
        sieve._pairs.clear()
        assert sieve.cmi(i, j, known) == tested
    if not known:
        assert tested <= searched
    assert sieve.tested_cmi(8, j, known) == sieve.tested_cmi(j, 8, known) == 0.0  # a constant


def literal_log_p(rows, predictors, conditions, blocks):
    """Return the least log p-value of Pillai's traces of blocks, after Bonferroni's correction."""
    n, found = len(rows), []
    used = conditions.shape[1]
    left = residuals(predictors, conditions)
    for block in blocks:
        if not len(block):
            continue
        right = residuals(rows[:, block], conditions)
        bases = []
        for columns in (left, right):
            u, s, _ = np.linalg.svd(columns, full_matrices=False)
            bases.append(u[:, s**2 > 1e-7 * n])
        u, v = bases
        trace = np.sum((u.T @ v) ** 2)
        r, p = u.shape[1], v.shape[1]
        if r and p:
            statistic = max(n - 1 - used - (r + p + 1) / 2, 0) * trace
            found.append(stats.chi2.logsf(statistic, r * p))
        else:
            found.append(0.0)
    return min(min(found) + math.log(len(found)), 0.0) if found else 0.0


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), n_samples=st.sampled_from([80, 300]))
def test_terms_of_conditions_are_those_that_literal_tests_choose(seed, n_samples):
    sieve = bound(mixed_frame(n_samples, seed))
    rows = sieve.features.features(sieve.table, slice(None))
    n = sieve.n_variables
    for s in range(n):
        first, low, every = sieve.first[s], sieve.low[s], sieve.all[s]
        sets = [part for part in (low[len(first) :], every[len(first) :]) if len(part)]
        others = [sieve.low[j] for j in range(n) if j != s]
        least = min(
            (literal_log_p(rows, rows[:, part], rows[:, first], others) for part in sets),
            default=0.0,
        )
        level = math.log(_terms.FUNCTION_LEVEL / max(len(sets), 1))
        if abs(least - level) > 1e-3:
            assert (len(sieve.entering[s]) > len(first)) == (least < level)
    for s, t in itertools.combinations(range(n), 2):
        blocks = _terms.Blocks(sieve.first, sieve.low, sieve.all, sieve.numeric)
        n_first, one, other = _terms._factors(s, t, blocks)
        products = rows[:, one] * rows[:, other]
        conditions = np.column_stack([rows[:, sieve.entering[s]], rows[:, sieve.entering[t]]])
        conditions = residuals(conditions, np.empty((len(rows), 0)))
        least = []
        for size, of in ((n_first, sieve.first), (len(one), sieve.low)):
            if size:
                others = [own for k, own in enumerate(of) if k not in (s, t)]
                least.append(literal_log_p(rows, products[:, :size], conditions, others))
        log_p = min(least, default=0.0) + math.log(max(len(least), 1))
        level = math.log(_terms.PRODUCT_LEVEL)
        if abs(log_p - level) > 1e-3:
            assert ((s, t) in sieve.products) == (log_p < level)


def test_the_answers_of_both_ends_rise_and_fall_together_as_it_says():
    """A chain a - b - c - d and noise: at the ends of b - d the neighbors differ."""
    rng, coefficients, stated = np.random.default_rng(0), [], []
    for _ in range(300):
        a = rng.normal(size=200)
        b = a + rng.normal(size=200)
        e = rng.normal(size=200)
        f = 1.5 * e + rng.normal(size=200)
        table = as_table(np.column_stack([a, b, e, f]))
        sieve = Sieve(basis="linear").bind(table)
        left = []
        for known in ([0], [2]):
            rows = sieve._columns(np.arange(4), sieve.features.features(table, slice(None)))
            one, other = residuals(rows[:, [1, 3]], rows[:, known]).T
            left.append(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        coefficients.append(left)
        ((share, correlation),) = sieve.null_correlations([[1], [0], [3], [2]])
        assert share == 1.0
        assert correlation[0, 1] == 1.0  # neighbors
        assert np.allclose(correlation, correlation.T)
        stated.append(correlation[1, 3])
    observed = np.corrcoef(np.array(coefficients).T)[0, 1]
    assert np.mean(stated) == pytest.approx(math.sqrt(0.5 / 3.25), abs=0.02)
    assert observed == pytest.approx(np.mean(stated), abs=3 / math.sqrt(300))


def test_a_spread_that_two_variables_set_together_is_seen():
    """An observation with mean x and deviation |y|: x and y depend given it, by products alone."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 600))
    table = as_table(np.column_stack([x, y, x + np.abs(y) * rng.normal(size=600)]))
    sieve = Sieve().bind(table)
    assert sieve.cmi(0, 1) < 0.01
    assert sieve.cmi(0, 1, [2]) > 0.03


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_sieve_is_the_closed_form_of_a_gaussian_copula(seed):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6))
    linear = Sieve(basis="linear").bind(as_table(data))
    scores = np.array([linear.features.features(linear.table, slice(None))[:, i] for i in range(6)])
    closed = Gaussian().bind(as_table(scores.T))
    for i, j in itertools.permutations(range(6), 2):
        others = [k for k in range(6) if k not in (i, j)]
        for size in range(4):
            known = others[:size]
            assert linear.cmi(i, j, known) == pytest.approx(closed.cmi(i, j, known), abs=1e-9)


def test_features_are_orthonormal_and_grow_with_the_rows():
    frame = mixed_frame(500, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = as_table(frame)
    features = FeatureMap.fit(table, n_functions(500))
    rows = features.features(table, slice(None))
    assert np.abs(rows.mean(axis=0)).max() < 1e-9
    for i in range(table.n_variables):
        own = rows[:, features.starts[i] : features.starts[i + 1]]
        assert np.allclose(own.T @ own / 500, np.eye(own.shape[1]), atol=1e-7)
    assert features.starts[-1] == features.starts[-2]  # a constant has none
    assert [n_functions(n) for n in (100, 1_000, 100_000)] == [3, 7, 17]


def test_statistics_of_chunks_add_up_to_those_of_the_whole():
    rows = np.random.default_rng(0).normal(size=(1_000, 7))
    whole = SufficientStatistics.of(rows)
    chunks = SufficientStatistics.of_chunks(rows[at : at + 130] for at in range(0, 1_000, 130))
    added = SufficientStatistics.of(rows[:300]) + SufficientStatistics.of(rows[300:])
    for other in (chunks, added):
        assert other.n_samples == 1_000
        assert np.allclose(other.covariance, whole.covariance, atol=1e-14)


@pytest.mark.parametrize("change", ["monotone", "labels", "rows", "columns"])
def test_what_carries_no_information_changes_nothing(change):
    frame = mixed_frame(300, 3).drop(columns="constant")
    rng, other = np.random.default_rng(0), mixed_frame(300, 3).drop(columns="constant")
    columns = list(range(frame.shape[1]))
    if change == "monotone":
        other["x"], other["square"] = np.exp(frame["x"]), np.cbrt(frame["square"])
    if change == "labels":
        other["label"] = frame["label"].map({"p": "z", "q": "a", "r": "m", "s": "k"})
    if change == "rows":
        other = other.iloc[rng.permutation(300)]
    if change == "columns":
        columns = rng.permutation(len(columns)).tolist()
        other = other.iloc[:, columns]
    one, two = bound(frame), bound(other)
    place = {column: at for at, column in enumerate(columns)}
    for i, j, s, t in itertools.islice(itertools.permutations(range(8), 4), 0, 1680, 37):
        for known in ((), (s,), (s, t)):
            expected = one.cmi(i, j, known)
            found = two.cmi(place[i], place[j], [place[k] for k in known])
            assert found == pytest.approx(expected, abs=1e-7)


def test_the_objective_is_the_likelihood_of_the_graph_at_every_step():
    frame = mixed_frame(400, 1)[["x", "square", "grade", "label", "coin"]]
    sieve = bound(frame)
    fitted = GSMPLE(lam=0.01).fit(frame)
    near = [set() for _ in range(5)]
    assert any(step.phase == "grow" for step in fitted.trace_)
    for step in fitted.trace_:
        i, j = step.edge
        for a, b in ((i, j), (j, i)):
            (near[a].discard if step.phase == "shrink" else near[a].add)(b)
        likelihood = sum(sieve.node_likelihood(a, known) for a, known in enumerate(near))
        assert step.objective == pytest.approx(-likelihood, abs=1e-9)
    blankets = IAMB(lam=0.01).fit(frame)
    found = [
        sieve.node_likelihood(a, [blankets.graph_.nodes.index(name) for name in members])
        for a, members in enumerate(blankets.neighbourhoods_)
    ]
    assert blankets.objective_ == pytest.approx(-sum(found), abs=1e-9)


def test_conditions_are_nested():
    sieve = bound(mixed_frame(300, 2))
    for i in range(4):
        others = [k for k in range(8) if k != i]
        for size in range(len(others)):
            smaller, larger = others[:size], others[: size + 1]
            inner, outer = sieve.conditions(smaller), sieve.conditions(larger)
            assert set(inner.tolist()) <= set(outer.tolist())
            assert sieve.node_likelihood(i, smaller) <= sieve.node_likelihood(i, larger) + 1e-9


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(mixed_frame(6, 0), id="fewer rows than a regression needs"),
        pytest.param(pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}), id="two rows"),
        pytest.param(
            pd.DataFrame(np.random.default_rng(0).normal(size=(30, 40))),
            id="more columns than rows",
        ),
        pytest.param(
            pd.DataFrame({"id": [f"k{k % 1000}" for k in range(2_100)], "v": range(2_100)}),
            id="1,000 labels",
        ),
        pytest.param(
            pd.DataFrame({"a": [0.0] * 99 + [1.0], "b": ["n"] * 99 + ["y"], "c": range(100)}),
            id="a level seen once",
        ),
    ],
)
def test_hopeless_tables_get_finite_answers(frame):
    sieve = bound(frame)
    n = sieve.n_variables
    for i in range(min(n, 6)):
        others = [j for j in range(min(n, 6)) if j != i]
        for size in range(len(others)):
            values = sieve.cmi_many(i, others[size:], others[:size])
            assert np.isfinite(values).all()
            assert np.isfinite(sieve.node_likelihood(i, others[:size]))
            null = sieve.null(i, others[size:], others[:size])
            assert ((null.tail(values) >= 0) & (null.tail(values) <= 1)).all()


def test_what_conditions_determine_shares_nothing_more():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    frame = pd.DataFrame({"x": x, "copy": x, "y": y, "sum": x + y, "child": x + y})
    linear = bound(frame, basis="linear")
    assert linear.cmi(0, 3, [1]) == 0.0
    smooth = bound(frame)
    assert smooth.cmi(0, 2, [1]) == 0.0
    assert smooth.cmi(3, 0, [4]) == 0.0
    assert np.isfinite(smooth.cmi(0, 1))


def test_noise_is_at_its_null():
    """Of independent columns of many kinds, p-values below a level are as rare as it says."""
    levels, counts, n_pairs = np.array([0.05, 0.01]), np.zeros(2), 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "n": rng.normal(size=200),
                "heavy": rng.standard_t(2, size=200),
                "grade": rng.integers(5, size=200),
                "label": rng.choice(list("pqrs"), size=200, p=[0.4, 0.3, 0.2, 0.1]),
                "rare": rng.choice(list("yn"), size=200, p=[0.03, 0.97]),
            }
        )
        sieve = bound(frame, tolerance=0.0)
        for i, j in itertools.combinations(range(5), 2):
            known = [k for k in range(5) if k not in (i, j)][:2]
            for condition in ([], known):
                p = sieve.null(i, [j], condition).tail(np.array([sieve.cmi(i, j, condition)]))
                counts += p[0] < levels
                n_pairs += 1
    assert (counts <= levels * n_pairs + 3 * np.sqrt(levels * n_pairs)).all()
    assert counts[0] > 0


def test_latent_correlations_undo_the_cutting():
    rng = np.random.default_rng(0)
    for rho in (-0.8, 0.3, 0.6):
        z = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=200_000)
        cut = np.digitize(z, [-1.0, 0.2, 0.9])
        terms = hermite_coefficients(cut[:, 0]) * hermite_coefficients(cut[:, 1])
        table = as_table(pd.DataFrame(cut))
        sieve = Sieve().bind(table)
        observed = sieve.covariance[sieve.first[0][0], sieve.first[1][0]]
        (found,) = latent_correlation(np.array([observed]), terms[None])
        assert found == pytest.approx(rho, abs=0.01)
        assert abs(observed) < abs(found)


def test_tails_and_quantiles_are_those_of_chi_square():
    degrees, values = np.array([1.0, 4, 40]), np.array([3.0, 9, 300])
    expected = stats.chi2.logsf(values, degrees)
    assert log_tail(degrees / 2, values / 2) == pytest.approx(expected, rel=1e-9)
    far = np.array([1500.0, 1e5])
    one = math.log(2) + special.log_ndtr(-np.sqrt(far))
    assert log_tail(np.full(2, 0.5), far / 2) == pytest.approx(one, rel=1e-12)
    four = -far / 2 + np.log1p(far / 2)
    assert log_tail(np.full(2, 2.0), far / 2) == pytest.approx(four, rel=1e-12)
    assert log_tail(np.zeros(1), np.ones(1)) == 0.0
    quantiles = np.array([0.5, 3.84, 40.0, 1500.0, 1e5])
    found = one_degree_quantile(log_tail(np.full(5, 0.5), quantiles / 2))
    assert found == pytest.approx(quantiles, rel=1e-9)


def test_likert_columns_keep_their_edges():
    """Ten levels, equal and skewed: what main lost (recall .30) is there."""
    from mrflearn.datasets import sparse_gaussian

    world = sparse_gaussian(15, random_state=1)
    data = world.sample(1_000, random_state=0)
    cut = data.apply(lambda column: pd.qcut(column, 10, labels=False))
    found = GSMPLE().fit(cut).adjacency_
    truth = np.asarray(world.adjacency)
    assert (found & truth).sum() >= 0.95 * truth.sum()
    assert (found & ~truth).sum() <= 0.1 * truth.sum()


def test_a_suspicious_graph_is_said_to_be_one():
    rng = np.random.default_rng(0)
    scaled = rng.normal(size=(3_000, 1)) + 0.7 * rng.normal(size=(3_000, 6))
    with pytest.warns(UserWarning, match="pairs have an edge: a common cause"):
        GSMPLE().fit(scaled)
    empty = SearchResult(0.1, 6, (), (), (), 0.0)
    with pytest.warns(UserWarning, match="0 edges where pairwise dependence calls for 5"):
        _warn_of_suspicions(empty, Memo(bound(scaled)), at_floor=False)
    with pytest.warns(UserWarning, match="the smallest that is looked at"):
        _warn_of_suspicions(empty, Memo(bound(rng.normal(size=(99, 6)))), at_floor=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GSMPLE().fit(rng.normal(size=(400, 8)))
