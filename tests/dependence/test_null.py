"""How large estimates are by chance: closed forms, and other libraries' tests."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_matrix
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from mrflearn.dependence import Gaussian, Memo, PlugIn, Sieve, Threaded
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.null import Null, log_tail, one_degree_quantile
from mrflearn.errors import InputError
from mrflearn.table import as_table


def _one(mean, deviation, skewness):
    return Null(*(np.array([float(moment)]) for moment in (mean, deviation, skewness)))


@settings(max_examples=60, deadline=None)
@given(st.floats(0.05, 300), st.floats(1e-6, 10), st.floats(0.01, 60))
def test_the_tail_of_a_chi_square_is_scipys(degrees, per_degree, value):
    null = Null.chi_square(np.array([degrees]), per_degree)
    expected = stats.chi2.sf(value, degrees)
    assert null.tail(np.array([value * per_degree]))[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_the_tail_of_a_sum_of_correlated_squares_is_near_its_integral(correlation, ratio):
    """In polar coordinates the square of the radius has an exponential tail."""
    one = Null.chi_square(np.ones(1), 1.0)
    both = one.plus(Null.chi_square(np.ones(1), ratio), correlation)
    cross = correlation * np.sqrt(ratio)
    large, small = np.linalg.eigvalsh([[1.0, cross], [cross, ratio]])[::-1]
    angle = (np.arange(20_000) + 0.5) / 20_000 * np.pi
    spread = large * np.cos(angle) ** 2 + max(small, 0.0) * np.sin(angle) ** 2
    for value in (2.0, 6.0, 12.0):
        expected = np.mean(np.exp(-value / (2 * spread)))
        assert both.tail(value)[0] == pytest.approx(expected, rel=0.25)
    together = one + Null.chi_square(np.ones(1), ratio)
    assert one.plus(Null.chi_square(np.ones(1), ratio), 1.0).rows == pytest.approx(together.rows)


@given(st.floats(-3, 6), st.floats(-1, 1), st.floats(0.01, 5))
def test_the_tail_without_skewness_is_normal(z, mean, deviation):
    found = _one(mean, deviation, 0).tail(np.array([mean + z * deviation]))[0]
    assert found == pytest.approx(stats.norm.sf(z), rel=1e-9)


@given(st.floats(-5, 9), st.floats(1e-3, 4))
def test_the_tail_is_that_of_pearsons_third_type(z, skewness):
    found = _one(0.3, 2.0, skewness).tail(np.array([0.3 + 2 * z]))[0]
    assert found == pytest.approx(stats.pearson3.sf(z, skewness), rel=1e-4, abs=1e-12)


def test_what_cannot_vary_is_its_mean():
    for value, tail in [(-1.0, 1.0), (0.0, 1.0), (1e-9, 0.0)]:
        assert _one(0, 0, 0).tail(np.array([value])).tolist() == [tail]
        assert Null.chi_square(np.zeros(2), 0.1).tail(value).tolist() == [tail, tail]


def test_a_sum_of_equal_estimates_is_twice_the_estimate():
    null = Null.chi_square(np.array([1.0, 6.0]), 0.02)
    values = np.array([0.09, 0.2])
    np.testing.assert_allclose((null + null).tail(2 * values), null.tail(values))


def test_a_sum_with_what_cannot_vary_is_moved_by_it():
    null = Null.chi_square(np.array([1.0, 6.0]), 0.02)
    fixed = Null.from_cumulants(np.full(2, 0.5), np.zeros(2), np.zeros(2))
    values = np.array([0.09, 0.2])
    for total in (null + fixed, fixed + null):
        np.testing.assert_allclose(total.tail(values + 0.5), null.tail(values))


def test_rows_hold_all_of_a_null():
    for null in (Null.chi_square(np.array([1.0, 3.0]), 0.1), _one(0.2, 0.5, 0.0)):
        again = Null.from_rows(null.rows)
        for name in ("mean", "deviation", "skewness"):
            assert getattr(again, name).tolist() == getattr(null, name).tolist()


@given(st.integers(1, 60), st.floats(0, 5000))
def test_the_log_of_a_tail_is_scipys_and_goes_on_where_the_tail_is_0(degrees, value):
    found = log_tail(np.array([degrees / 2]), np.array([value / 2]))[0]
    expected = stats.chi2.logsf(value, degrees)
    if np.isfinite(expected) and expected > -600:
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    else:  # between the bounds of its density times 2 and 2 / (1 - (d - 2) / x)
        density = stats.chi2.logpdf(value, degrees) + np.log(2)
        low, high = sorted([0.0, -np.log1p(-(degrees - 2) / value)])
        assert density + low - 1e-6 <= found <= density + high + 1e-6


@given(st.floats(0, 4000))
def test_what_one_degree_exceeds_has_the_probability_asked_for(value):
    log_p = log_tail(np.array([0.5]), np.array([value / 2]))
    assert one_degree_quantile(log_p)[0] == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_a_sum_of_unlike_estimates_exceeds_large_values_more_rarely_than_is_said():
    rng = np.random.default_rng(1)
    common, own, other = rng.normal(size=(3, 200_000))
    for share in (0.0, 0.3, 0.7, 0.95):
        pair = [np.sqrt(share) * common + np.sqrt(1 - share) * part for part in (own, other)]
        sums = pair[0] ** 2 + 3 * pair[1] ** 2
        nulls = [Null.chi_square(np.ones(1), per_degree) for per_degree in (1.0, 3.0)]
        for level in (0.05, 0.01, 0.001):
            at = np.quantile(sums, 1 - level)
            assert (nulls[0] + nulls[1]).tail(at)[
                0
            ] > 0.85 * level  # a quantile of so many is known to 7 %


@pytest.mark.parametrize("n_given", [0, 1, 3])
@pytest.mark.parametrize("n_samples", [12, 40, 400])
def test_gaussian_tails_are_those_of_the_t_test(n_given, n_samples):
    rng = np.random.default_rng(2)
    for _ in range(10):
        values = rng.normal(size=(n_samples, 2 + n_given)) @ rng.normal(size=(2 + n_given,) * 2)
        bound = Gaussian().bind(as_table(values))
        z = np.column_stack([np.ones(n_samples), values[:, 2:]])
        x, y = (v - z @ np.linalg.lstsq(z, v, rcond=None)[0] for v in values[:, :2].T)
        r = x @ y / np.sqrt((x @ x) * (y @ y))
        freedom = n_samples - 2 - n_given
        expected = 2 * stats.t.sf(abs(r) * np.sqrt(freedom / (1 - r**2)), freedom)
        asked = 0, [1], range(2, 2 + n_given)
        found = bound.null(*asked).tail(bound.cmi_many(*asked))[0]
        assert found == pytest.approx(expected, rel=0.02, abs=2e-3)


def test_gaussian_tails_of_labels_are_those_of_wilks():
    """Against simulation: three labels and a vector of two columns, given a third."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(1500):
        frame = pd.DataFrame(rng.normal(size=(25, 3)), columns=list("abz"))
        frame["label"] = rng.permutation(np.repeat(list("pqr"), [9, 8, 8]))
        table = as_table(frame, groups={"ab": ["a", "b"]})
        asked = table.index("ab"), [table.index("label")], [table.index("z")]
        bound = Gaussian().bind(table)
        found.append(bound.null(*asked).tail(bound.cmi_many(*asked))[0])
    for level in (0.01, 0.05, 0.5):
        assert np.mean(np.array(found) <= level) == pytest.approx(
            level, abs=4 * np.sqrt(level / 1500)
        )


def _levels(rng, n_samples, *n_levels):
    values = np.column_stack([rng.integers(n, size=n_samples) for n in n_levels])
    return values, as_table(values, kinds={f"x{c}": "nominal" for c in range(len(n_levels))})


@pytest.mark.parametrize("sizes", [(2, 2), (2, 5), (4, 3)])
@pytest.mark.parametrize("n_samples", [600, 3000])
def test_plug_in_tails_are_those_of_the_g_test_with_its_mean(sizes, n_samples):
    """Where all levels are common; `test_spread` has the others."""
    values, table = _levels(np.random.default_rng(4), n_samples, *sizes)
    counts = pd.crosstab(values[:, 0], values[:, 1]).to_numpy()
    g_test = stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood")
    bound = PlugIn().bind(table)
    found = bound.null(0, [1]).tail(bound.cmi_many(0, [1]))[0]
    mean = 2 * n_samples * expected_mutual_information(csr_matrix(counts), n_samples)
    expected = stats.chi2.sf(g_test.statistic * g_test.dof / mean, g_test.dof)
    assert found == pytest.approx(expected, rel=1e-3)  # Williams' expansion is as near


def test_plug_in_degrees_of_freedom_are_summed_over_the_groups_that_occur():
    """A level that is absent from a group takes one away."""
    rng = np.random.default_rng(5)
    z = np.repeat([0, 1, 2], 200)
    x, y = rng.integers(3, size=600), rng.integers(4, size=600)
    x[z == 1] = np.minimum(x[z == 1], 1)
    y[z == 2] = 0
    table = as_table(np.column_stack([x, y, z]), kinds=dict.fromkeys(["x0", "x1", "x2"], "nominal"))
    null = PlugIn().bind(table).null(0, [1], [2])
    degrees = 2 * 3 + 1 * 3 + 0
    mean = sum(
        200
        * expected_mutual_information(contingency_matrix(x[z == g], y[z == g], sparse=True), 200)
        for g in range(3)
    )
    assert null.mean[0] == pytest.approx(mean / 600, rel=1e-3)
    assert null.deviation[0] == pytest.approx(null.mean[0] * np.sqrt(2 / degrees), rel=1e-3)


@pytest.mark.parametrize("correction", ["miller-madow", "df", "bic"])
def test_corrections_change_no_tail(correction):
    _, table = _levels(np.random.default_rng(8), 50, 3, 4, 2, 3)
    plain, corrected = PlugIn().bind(table), PlugIn(correction).bind(table)
    for question in [(0, [1, 2], ()), (0, [1, 3], (2,)), (1, [0], (2, 3))]:
        one, two = (d.null(*question).tail(d.cmi_many(*question)) for d in (plain, corrected))
        np.testing.assert_allclose(one, two, rtol=1e-9)


@pytest.mark.parametrize("correction", [None, "df", "bic"])
def test_plug_in_nulls_have_the_mean_over_shuffles(correction):
    rng = np.random.default_rng(6)
    values, table = _levels(rng, 40, 3, 4, 3)
    specification = PlugIn(correction)
    null = specification.bind(table).null(0, [1], [2])
    found = []
    for _ in range(4000):
        shuffled = values.copy()
        for group in range(3):
            rows = np.flatnonzero(values[:, 2] == group)
            shuffled[rows, 0] = values[rng.permutation(rows), 0]
        kinds = dict.fromkeys(["x0", "x1", "x2"], "nominal")
        found.append(specification.bind(as_table(shuffled, kinds=kinds)).cmi(0, 1, [2]))
    assert null.mean[0] == pytest.approx(np.mean(found), abs=4 * np.std(found) / np.sqrt(4000))
    assert np.std(found) < 1.1 * null.deviation[0]


def _frame(n_samples=80):
    rng = np.random.default_rng(7)
    a, b, c = rng.normal(size=(3, n_samples))
    frame = {"a": a, "b": a**2 + b, "c": c, "p": rng.choice(list("xyz"), n_samples)}
    return as_table(pd.DataFrame(frame | {"q": rng.integers(3, size=n_samples)}))


ASKED = [(0, (1, 2, 3, 4), ()), (3, (0, 4), ()), (3, (4, 2), (0,)), (0, (1, 3), (2, 4))]


def test_a_memo_and_threads_change_no_null():
    bound = Sieve().bind(_frame())
    for other in (Memo(bound), Threaded(bound, 2), Memo(Threaded(bound, 2))):
        assert other.has_null
        for question in ASKED:
            for name in ("mean", "deviation", "skewness"):
                one, two = (getattr(d.null(*question), name) for d in (bound, other))
                assert one.tolist() == two.tolist()


def test_a_constant_has_no_null():
    table = as_table(pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0], "b": [2.0, 1.0, 3.0, 5.0]}))
    with pytest.warns(UserWarning, match="constant"):
        wider = as_table(pd.DataFrame({"a": table.values[0], "b": table.values[1], "one": 1}))
    null = Gaussian().bind(wider).null(0, [1, 2], [])
    assert null.tail(np.zeros(2)).tolist()[1] == 1.0
    assert null.deviation.tolist() == [Gaussian().bind(table).null(0, [1]).deviation[0], 0.0]


@pytest.mark.parametrize("n_samples", [60, 300])
def test_estimates_of_noise_by_the_sieve_exceed_as_rarely_as_is_said(n_samples):
    """Of columns of all kinds, alone and given others; hardly more rarely than that, either."""
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        frame = {f"c{c}": rng.normal(size=n_samples) for c in range(2)}
        frame |= {"p": rng.choice(list("xyz"), n_samples), "q": rng.choice(list("xy"), n_samples)}
        frame |= {"r": rng.integers(4, size=n_samples)}
        bound = Sieve(tolerance=0.0).bind(as_table(pd.DataFrame(frame), kinds={"r": "ordinal"}))
        asked = [(0, [1, 2, 4], ()), (0, [1, 2, 4], (3,)), (2, [3], ()), (2, [0, 3], (1, 4))]
        found += [bound.null(*q).tail(bound.cmi_many(*q)) for q in asked]
    p_values = np.concatenate(found)
    for level in (0.1, 0.01):
        share = np.mean(p_values <= level)
        assert share <= level + 4 * np.sqrt(level / len(p_values))
        assert share >= 0.2 * level


def test_the_tolerance_moves_the_null_and_no_estimate():
    frame = _frame()
    moved, plain = Sieve(tolerance=0.02).bind(frame), Sieve(tolerance=0.0).bind(frame)
    shifts = set()
    for question in ASKED:
        assert moved.cmi_many(*question).tolist() == plain.cmi_many(*question).tolist()
        one, two = moved.null(*question), plain.null(*question)
        by = 0.0 if moved._is_exact(moved._regression(tuple(sorted(question[2])))) else 0.02
        shifts.add(by)
        np.testing.assert_allclose(one.mean, two.mean + by)
        np.testing.assert_array_equal([one.deviation, one.skewness], [two.deviation, two.skewness])
    assert shifts == {0.0, 0.02}


def test_a_dependence_of_ones_own_has_none():
    class Own(Dependence):
        n_variables, symmetric = 3, True

        def _cmi_many(self, i, candidates, given):
            return np.zeros(len(candidates))

    assert not Own().has_null
    with pytest.raises(InputError, match="Own does not say how large"):
        Own().null(0, [1])
