"""How far plug-in estimates spread by chance: all shuffles, and many."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import xlogy

from mrflearn.dependence import PlugIn, _spread, naive
from mrflearn.table import as_table

pytestmark = pytest.mark.filterwarnings("ignore:.*copies of others", "ignore:.*tell the same")

TOO_LIGHT = 0.4
"""Share of the true probability that a tail reaches everywhere: what is counted has steps."""


def _bound(*columns):
    kinds = {f"x{c}": "nominal" for c in range(len(columns))}
    return PlugIn().bind(as_table(np.column_stack(columns), kinds=kinds))


def _tail(null, values, n):
    """Return the tail at N times the estimate; values that are equal but for rounding reach it."""
    return np.array([null.tail(np.array([value / n - 1e-12]))[0] for value in values])


def _two_by_two(n, a, b):
    """Return N times the estimates of 2 x 2 tables, largest first, and the tail at each.

    Of levels of a and b among n samples: a direct sum.
    """
    shared = np.arange(max(0, a + b - n), min(a, b) + 1)
    values = np.zeros(len(shared))
    for cell, rows, columns in [
        (shared, a, b),
        (a - shared, a, n - b),
        (b - shared, n - a, b),
        (n - a - b + shared, n - a, n - b),
    ]:
        values += xlogy(cell, cell * (n / (rows * columns)))
    order = np.argsort(-values)
    values = values[order]
    tails = np.cumsum(stats.hypergeom.pmf(shared, n, a, b)[order])
    last = np.append(np.diff(values) < -1e-9, True)  # of equal ones
    return values[last], tails[last]


def _of_sizes(n, a, b):
    return _bound(np.arange(n) < a, np.arange(n) < b)


RARE = [
    (10_000, 4, 1),
    (10_000, 50, 50),
    (10_000, 100, 10),
    (9248, 4, 1),
    (10_000, 500, 10),
    (10_000, 5000, 10),
    (10_000, 5000, 20),
    (10_000, 2000, 10),
    (10_000, 1, 1),
    (1000, 10, 1),
    (60, 30, 10),
    (40, 20, 20),
    (6, 3, 3),
]


@pytest.mark.parametrize(("n", "a", "b"), RARE)
def test_of_rare_levels_no_tail_is_too_light(n, a, b):
    values, tails = _two_by_two(n, a, b)
    known = tails >= 1e-6
    found = _tail(_of_sizes(n, a, b).null(0, [1]), values[known], n)
    assert np.all(found >= 0.5 * tails[known] * (tails[known] < 0.5))
    assert np.all(found >= TOO_LIGHT * tails[known])


@settings(max_examples=100, deadline=None)
@given(st.integers(4, 2000), st.floats(0, 1), st.floats(0, 1))
@example(100, 0.0, 0.9)
def test_of_two_levels_no_tail_is_too_light(n, part_a, part_b):
    """Sizes spread evenly on a scale of factors, as rare levels are what is hard."""
    a, b = (round((n // 2) ** part) for part in (part_a, part_b))
    values, tails = _two_by_two(n, a, b)
    known = tails >= 1e-6
    found = _tail(_of_sizes(n, a, b).null(0, [1]), values[known], n)
    assert np.all(found >= TOO_LIGHT * tails[known])


@pytest.mark.parametrize(
    ("of_x", "of_y", "heavier"),
    [
        ([9950] + [10] * 5, [5000, 5000], 2),
        ([9960] + [4] * 10, [9960] + [4] * 10, 40),
        ([9850] + [30] * 5, [9850] + [30] * 5, 2),
        ([9000, 700, 200, 70, 20, 7, 2, 1], [9000, 700, 200, 70, 20, 7, 2, 1], 3),
        ([9950] + [1] * 50, [9000, 1000], 3),
        ([25] * 4, [25] * 4, 2),
        ([15, 10, 5], [15, 10, 5], 4),
        ([25] * 20, [25] * 20, 4),
    ],
)
def test_of_many_levels_tails_are_those_of_shuffles(of_x, of_y, heavier):
    """A chi-square variable with the mean over shuffles is too light by factors of up to 1e161."""
    n = sum(of_x)
    counts = stats.random_table(of_x, of_y).rvs(40_000, random_state=1)
    shuffled = xlogy(counts, counts * (n / np.outer(of_x, of_y))).sum(axis=(1, 2))
    x, y = (np.repeat(np.arange(len(own)), own) for own in (of_x, of_y))
    null = _bound(x, y).null(0, [1])
    values = np.quantile(shuffled, [0.5, 0.9, 0.99, 0.999])
    tails = (shuffled[:, None] >= values - 1e-9).mean(axis=0)
    found = _tail(null, values, n)
    assert np.all(found > 0.5 * tails)
    assert np.all(found < heavier * tails)


def test_of_many_groups_of_rare_levels_tails_are_those_of_shuffles():
    """In each of 20 groups, 2 of 40 samples have the one level, and 2 the other."""
    counts = stats.random_table([38, 2], [38, 2]).rvs(20 * 40_000, random_state=2)
    shuffled = xlogy(counts, counts * (40 / np.outer([38, 2], [38, 2]))).sum(axis=(1, 2))
    shuffled = shuffled.reshape(20, -1).sum(axis=0)
    x, y = np.tile(np.arange(40) < 2, 20), np.tile(np.arange(40) > 37, 20)
    null = _bound(x, y, np.repeat(np.arange(20), 40)).null(0, [1], [2])
    values = np.quantile(shuffled, [0.5, 0.9, 0.99, 0.999])
    tails = (shuffled[:, None] >= values - 1e-9).mean(axis=0)
    found = _tail(null, values, 800)
    assert np.all(found > TOO_LIGHT * tails)
    assert np.all(found < 2 * tails)


def test_what_nearly_always_happens_is_not_taken_for_rare():
    """Of many pairs of rare levels nearly all would be edges, or each be expected to be."""
    for n, a, b in RARE:
        values, tails = _two_by_two(n, a, b)
        usual = values[np.argmax(np.diff(tails, prepend=0.0))]
        assert _tail(_of_sizes(n, a, b).null(0, [1]), [usual], n)[0] > 0.3


def test_what_cannot_vary_is_not_rare_either():
    """A single sample of a level is in one half or the other, which says the same."""
    for n in (4, 20, 1000):
        bound = _of_sizes(n, 1, n // 2)
        assert bound.null(0, [1]).tail(bound.cmi_many(0, [1]))[0] > TOO_LIGHT


codes = st.integers(0, 2)
groups = st.lists(st.tuples(codes, codes), min_size=2, max_size=6)


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(groups, min_size=2, max_size=2))
def test_of_all_shuffles_of_few_samples_no_large_estimate_is_likelier_than_is_said(parts):
    sums = np.zeros(1)
    for part in parts:
        x, y = zip(*part, strict=True)
        none = np.empty((0, len(x)))
        values = [
            len(x) * naive.plug_in(np.array([x]), np.array([shuffled]), none)
            for shuffled in itertools.permutations(y)
        ]
        values, times = np.unique(np.round(values, 9), return_counts=True)
        shares = np.repeat(values, np.maximum(times * 60 // times.sum(), 1))  # of all alike
        sums = np.add.outer(sums, shares).ravel()
    rows = np.array([(*row, g) for g, part in enumerate(parts) for row in part])
    assume(all(len(np.unique(rows[:, column])) > 1 for column in range(3)))
    null = _bound(*rows.T).null(0, [1], [2])
    for value in np.unique(np.round(sums, 6)):
        tail = np.mean(sums >= value - 1e-5)
        assert _tail(null, [value - 1e-6], len(rows))[0] >= 0.3 * tail


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(5, 200))
def test_the_order_of_variables_groups_samples_and_levels_changes_no_null(seed, n):
    rng = np.random.default_rng(seed)
    x, y, z = np.minimum(rng.geometric(0.5, size=(3, n)), 5)
    assume(min(len(np.unique(column)) for column in (x, y, z)) > 1)
    order = rng.permutation(n)
    one = _bound(x, y, z).null(0, [1], [2]).rows.tolist()
    assert _bound(x, y, z).null(1, [0], [2]).rows.tolist() == one
    assert _bound(7 - x, y, 9 - z).null(0, [1], [2]).rows.tolist() == one
    assert _bound(x[order], y[order], z[order]).null(0, [1], [2]).rows.tolist() == one


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "a", "b"), [(40, 5, 3), (40, 17, 7), (100, 2, 1), (31, 15, 13)])
def test_the_cumulants_of_a_two_by_two_table_are_exact(n, a, b):
    values, tails = _two_by_two(n, a, b)
    chances = np.diff(tails, prepend=0.0)
    mean = chances @ values
    exact = [mean, chances @ (values - mean) ** 2, chances @ (values - mean) ** 3]
    bound = _of_sizes(n, a, b)
    order, starts = np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)
    logs = np.array([math.lgamma(k + 1.0) for k in range(n + 1)])
    totals, far = _spread.spread_sums(
        bound.codes, bound.levels, 0, np.array([1]), order, starts, logs, bound.terms
    )
    usual = values[np.argmax(chances)]
    np.testing.assert_allclose(totals[:, 0] / 2**30, [*exact, usual], atol=1e-7)
    counted = (chances <= 0.5) & (values > usual - 1e-9)
    steps = np.ceil((values[counted] - usual) / _spread.STEP - 1e-6).astype(int)
    expected = np.bincount(steps, chances[counted], minlength=far.shape[1])
    np.testing.assert_allclose(far[0] / _spread.PARTS, expected, atol=1e-9)


def test_of_common_levels_tables_are_chi_square():
    null = _of_sizes(10_000, 3000, 1000).null(0, [1])
    assert null.skewness[0] == pytest.approx(math.sqrt(8), rel=1e-9)
    assert null.deviation[0] == pytest.approx(math.sqrt(2) * null.mean[0], rel=1e-6)
    assert null.mean[0] == pytest.approx(1 / 20_000, rel=0.01)


def test_levels_by_the_thousand_take_no_longer_than_samples_do():
    """Pairs of levels of the same sizes are alike: all of 25 million are, but for a few."""
    x = np.concatenate([np.repeat(np.arange(4000), 2), np.arange(4000, 6000)])
    null = _bound(x, np.random.default_rng(0).permutation(x)).null(0, [1])
    assert null.mean[0] * 10_000 > 0
