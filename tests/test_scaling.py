"""Scaling: units do not matter, and what was equally far apart stays so."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mrflearn.table import as_table

pytestmark = pytest.mark.filterwarnings("error")
patient = settings(deadline=None)  # the first call of a library is slow


def column(values, **options):
    """Return the scaled values of a single column."""
    return as_table(pd.DataFrame({"a": values}), **options).values[0]


def distances(values):
    return np.abs(values[:, None] - values[None, :])


def finite(**options):
    return st.floats(allow_nan=False, allow_infinity=False, **options)


def columns_of(elements, min_size=2):
    return st.lists(elements, min_size=min_size, max_size=30).filter(lambda v: len(set(v)) > 1)


@given(columns_of(finite()))
@patient
@example([1.0, 1.0 + 2**-52])
@example([3.0, 3.0 + 2**-51, 3.0 + 2**-50])
@example([1e16, 1e16 + 2, 1e16 + 4])
@example([-1.7e308, 1.7e308])
@example([0.0, 5e-324])
@example([1e-300, 2e-300, 4e-300])
@example([1e300, 2e300, 1e-300])
@example([1e300, 1.0, 0.1])
def test_standard_scaling_gives_unit_deviation_and_keeps_the_order_at_any_magnitude(values):
    scaled = column(values)
    assert np.isfinite(scaled).all()
    assert np.std(scaled) == pytest.approx(1, rel=1e-7)
    order = np.argsort(values, kind="stable")
    assert (np.diff(scaled[order]) >= 0).all()


@pytest.mark.parametrize("exponent", [-1000, -300, -1, 1, 10, 300, 1000])
def test_scaled_values_are_the_same_in_units_that_differ_by_a_power_of_two(exponent):
    values = np.random.default_rng(0).normal(size=50)
    assert np.array_equal(column(np.ldexp(values, exponent)), column(values))


@given(
    arrays(float, st.integers(2, 20), elements=finite(min_value=-1e3, max_value=1e3)),
    st.floats(1e-200, 1e200),
    st.sampled_from([1, -1]),
)
@patient
def test_scaled_distances_are_the_same_in_any_unit(values, factor, sign):
    assume(np.ptp(values) > 1e-6)
    one, other = distances(column(values)), distances(column(sign * factor * values))
    assert np.allclose(one, other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("offset", [0, 1e3, 1e9, 1e15])
def test_scaled_distances_are_the_same_wherever_zero_is(offset):
    values = np.arange(20) ** 2 / 4 + offset
    assert np.allclose(
        distances(column(values)), distances(column(np.arange(20) ** 2 / 4)), rtol=1e-7
    )


@given(
    columns_of(st.integers(-(10**6), 10**6), min_size=3),
    st.integers(0, 6),
)
@patient
@example([0, 1, 2, 3], 1)
@example([3, 1, 2], 6)
def test_equal_differences_of_decimals_stay_exactly_equal(integers, decimals):
    before = distances(np.array(integers)).ravel().tolist()
    after = distances(column(np.array(integers) / 10**decimals)).ravel().tolist()
    assert len(set(zip(before, after, strict=True))) == len(set(before)) == len(set(after))


@given(columns_of(st.integers(-(10**6), 10**6)), st.integers(0, 6), st.integers(0, 6))
@patient
@example([10, 20, 40], 0, 1)
@example([1000, 2000, 7000], 0, 6)
def test_scaled_decimals_are_the_same_in_units_that_differ_by_a_power_of_ten(values, one, other):
    values = np.array(values)
    expected = column(values / 10**one)
    assert np.array_equal(expected, column(values / 10**other))
    assert np.array_equal(expected, column(values * 10**other))
    assert np.array_equal(expected, column(values.astype(float) * 10.0**other))


@given(columns_of(st.integers(-1000, 1000)), st.integers(1, 1000), st.integers(-(10**6), 10**6))
@patient
def test_scaled_integers_are_the_same_for_any_whole_unit_and_zero(values, unit, zero):
    values = np.array(values)
    assert np.array_equal(column(values.astype(float)), column(unit * values + float(zero)))


def test_timestamps_equally_far_apart_stay_exactly_so():
    for step in ("1h", "7min", "1s", "250ms", "3us", "24h"):
        times = pd.date_range("2020-03-01 12:34:56", periods=100, freq=step, tz="Europe/Paris")
        scaled = column(times)
        assert len(set(np.diff(scaled))) == 1


@given(columns_of(finite(min_value=-1e6, max_value=1e6, width=32)))
@patient
def test_values_that_differ_stay_different_and_equal_ones_equal(values):
    scaled = column(values)
    assert len(set(scaled)) == len(set(values))


def test_a_column_of_decimals_and_the_same_as_text_are_scaled_alike():
    text = ["0.1", "0.2", "0.3", "0.7"]
    declared = column(text, kinds={"a": "continuous"})
    assert np.array_equal(declared, column([0.1, 0.2, 0.3, 0.7]))
    assert declared[1] - declared[0] == declared[2] - declared[1]


@given(columns_of(st.integers(-100, 100)))
@patient
def test_ranks_are_the_same_after_any_increasing_transformation(values):
    values = np.array(values, dtype=float)
    options = {"scale": "rank", "kinds": {"a": "continuous"}}  # 99 may be far from all others
    expected = column(values, **options)
    for transformed in (values**3, np.exp(values / 10), np.arctan(values), values * 1e300):
        assert np.array_equal(column(transformed, **options), expected)


@given(columns_of(st.integers(-5, 5), min_size=3))
@patient
def test_ranks_average_ties_and_are_equally_spaced(values):
    scaled = column([float(value) for value in values], scale="rank")
    ranks = pd.Series(values).rank(method="average").to_numpy()
    weight = scaled[0] / ranks[0]
    assert np.array_equal(scaled, ranks * weight)


def test_ranks_without_ties_have_unit_variance():
    assert np.std(column(np.random.default_rng(0).normal(size=2000), scale="rank")) == (
        pytest.approx(1, rel=1e-6)
    )


@given(arrays(float, st.integers(2, 20), elements=finite()))
@patient
def test_no_scaling_leaves_the_values_untouched(values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(column(values, scale=None), values)


def test_no_scaling_leaves_integers_and_codes_untouched():
    frame = pd.DataFrame(
        {
            "i": [5, 5, 7, 7],
            "o": pd.Categorical(list("baca"), list("abc"), ordered=True),
            "n": list("zaza"),
        }
    )
    assert as_table(frame, scale=None).values.tolist() == [[5, 5, 7, 7], [1, 0, 2, 0], [1, 0, 1, 0]]


@pytest.mark.parametrize("scale", ["standard", "rank", None])
def test_nominal_columns_are_never_scaled(scale):
    frame = pd.DataFrame({"a": list("abcabb"), "b": [True, False] * 3, "c": [5, 7, 9] * 2})
    table = as_table(frame, kinds={"c": "nominal"}, scale=scale)
    assert table.values.tolist() == [[0, 1, 2, 0, 1, 1], [1, 0] * 3, [0, 1, 2] * 2]
    assert table.scale == scale


@pytest.mark.parametrize("scale", ["standard", "rank"])
def test_ordinal_columns_are_scaled_as_numbers_are(scale):
    ordered = pd.Categorical(list("abcabb"), ordered=True)
    assert np.array_equal(column(ordered, scale=scale), column([0.0, 1, 2, 0, 1, 1], scale=scale))


def test_scaling_one_column_does_not_depend_on_the_others():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3)), columns=list("xyz"))
    table = as_table(frame)
    for position, name in enumerate(frame):
        assert np.array_equal(table.values[position], as_table(frame[[name]]).values[0])


@pytest.mark.parametrize("exponent", [-900, -30, -3, 2, 40, 900])
def test_ties_of_whole_numbers_survive_any_binary_unit(exponent):
    codes = np.random.default_rng(0).integers(0, 30, size=(40, 2)).astype(float)
    plain = as_table(codes).values
    np.testing.assert_array_equal(as_table(np.ldexp(codes, exponent)).values, plain)


def test_single_precision_keeps_the_differences_it_has():
    values = np.round(np.random.default_rng(1).normal(37, 0.5, size=60), 1).astype(np.float32)
    scaled = as_table(np.column_stack([values, np.arange(60) ** 2])).values[0]
    exact = values.astype(float)
    pairs = np.abs(exact[:, None] - exact)
    factor = scaled.std() / exact.std()
    for difference in np.unique(pairs)[:40]:
        assert len(set(np.abs(scaled[:, None] - scaled)[pairs == difference])) == 1
    np.testing.assert_allclose(np.abs(scaled[:, None] - scaled), factor * pairs, rtol=1e-6)
