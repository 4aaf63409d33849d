"""What counts say by chance: the mean over all shuffles within groups."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, xlogy
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from mrflearn.dependence import PlugIn, _expected, naive
from mrflearn.table import as_table

ROUNDING = 1e-7
"""Nats times samples that whole parts of a nat may be off, over all pairs of levels."""


def _sums(x, y, z, exactly):
    """Return the three sums, of columns of codes."""
    codes = np.array([x, y], dtype=np.int32)
    levels = codes.max(axis=1).astype(np.int64) + 1
    order = np.argsort(z, kind="stable").astype(np.int32)
    starts = np.append(0, np.cumsum(np.unique(z, return_counts=True)[1])).astype(np.int32)
    table = _expected.chance_table()
    logs = gammaln(np.arange(1.0, len(x) + 2)) if exactly else np.empty(0)
    return _expected.expected_sums(codes, levels, 0, np.array([1]), order, starts, table, logs)[
        :, 0
    ]


def _chance(x, y, z):
    """Return N times the mean over shuffles, with its limit for large groups."""
    return _sums(x, y, z, exactly=False)[0] / _expected.UNIT


def _plug_in(x, y):
    return len(x) * naive.plug_in(np.array([x]), np.array([y]), np.empty((0, len(x))))


codes = st.integers(0, 3)
groups = st.lists(st.tuples(codes, codes), min_size=1, max_size=5)


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(parts=st.lists(groups, min_size=2, max_size=3))
def test_chance_is_the_mean_over_all_shuffles(parts):
    total = 0.0
    for part in parts:
        x, y = zip(*part, strict=True)
        shuffles = [_plug_in(x, shuffled) for shuffled in itertools.permutations(y)]
        total += math.fsum(shuffles) / len(shuffles)
    rows = [(*row, g) for g, part in enumerate(parts) for row in part]
    assert _chance(*zip(*rows, strict=True)) == pytest.approx(total, abs=ROUNDING)


@pytest.mark.kernel
@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(1, 90), min_size=2, max_size=8),
    levels=st.tuples(st.integers(2, 9), st.integers(2, 9)),
)
def test_chance_is_that_of_another_library_up_to_large_groups(seed, sizes, levels):
    rng = np.random.default_rng(seed)
    z = np.repeat(np.arange(len(sizes)), sizes)
    x, y = (rng.integers(n_levels, size=len(z)) for n_levels in levels)
    total = 0.0
    for group in range(len(sizes)):
        own = x[z == group], y[z == group]
        n_x, n_y = (len(np.unique(part)) for part in own)
        if len(own[0]) >= _expected.LARGE:
            total += (n_x - 1) * (n_y - 1) / 2
        elif n_x > 1 and n_y > 1:
            counts = contingency_matrix(*own, sparse=True)
            total += len(own[0]) * expected_mutual_information(counts, len(own[0]))
    assert _chance(x, y, z) == pytest.approx(total, abs=ROUNDING * (1 + total))
    assert _chance(y, x, z) == _chance(x, y, z)
    assert _chance(x, y, len(sizes) - z) == _chance(x, y, z)


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(1, 700), min_size=1, max_size=4),
    levels=st.tuples(st.integers(2, 5), st.integers(2, 5)),
)
def test_with_what_is_beyond_the_limit_it_is_that_of_another_library(seed, sizes, levels):
    rng = np.random.default_rng(seed)
    z = np.repeat(np.arange(len(sizes)), sizes)
    x, y = (rng.integers(n_levels, size=len(z)) for n_levels in levels)
    total, degrees = 0.0, 0
    for group in range(len(sizes)):
        own = x[z == group], y[z == group]
        n_x, n_y = (len(np.unique(part)) for part in own)
        degrees += (n_x - 1) * (n_y - 1)
        if n_x > 1 and n_y > 1:
            counts = contingency_matrix(*own, sparse=True)
            total += len(own[0]) * expected_mutual_information(counts, len(own[0]))
    mean, found, beyond = _sums(x, y, z, exactly=True)
    assert (mean + beyond) / _expected.UNIT == pytest.approx(total, rel=2e-3, abs=ROUNDING)
    assert found == degrees
    assert _sums(y, x, z, exactly=True).tolist() == [mean, found, beyond]
    assert _sums(x, y, z, exactly=False).tolist() == [mean, found, 0]


def _two_by_two(n, a, b):
    """Return the mean over shuffles of levels of a and b among n samples, as a direct sum."""
    shared = np.arange(max(0, a + b - n), min(a, b) + 1)
    estimates = np.zeros(len(shared))
    for cell, rows, columns in [
        (shared, a, b),
        (a - shared, a, n - b),
        (b - shared, n - a, b),
        (n - a - b + shared, n - a, n - b),
    ]:
        estimates += xlogy(cell, cell * (n / (rows * columns)))
    return stats.hypergeom.pmf(shared, n, a, b) @ estimates


def _of_sizes(n, a, b):
    x, y = np.arange(n) < a, np.arange(n) < b
    mean, _, beyond = _sums(x.astype(int), y.astype(int), np.zeros(n), exactly=True)
    return (mean + beyond) / _expected.UNIT


@pytest.mark.parametrize(
    ("n", "a", "b"),
    [
        (9248, 4, 1),
        (10_000, 50, 50),
        (10_000, 100, 10),
        (10_000, 5000, 10),
        (10_000, 9999, 9996),
        (10_000, 1, 5000),
        (10_000, 1, 1),
        (300, 299, 2),
        (64, 32, 32),
    ],
)
def test_of_rare_levels_the_mean_is_exact(n, a, b):
    assert _of_sizes(n, a, b) == pytest.approx(_two_by_two(n, a, b), rel=1e-6, abs=ROUNDING)
    assert _of_sizes(n, a, b) == _of_sizes(n, b, a)


def test_a_level_of_4_samples_and_one_of_1_tell_of_each_other_by_chance_as_good_as_nothing():
    """Williams' expansion says 0.0209: many samples in each cell, but on average."""
    assert _of_sizes(9248, 4, 1) / 9248 == pytest.approx(4.2e-7, rel=0.02)


@pytest.mark.parametrize("n", [200, 1000, 10_000, 100_000])
@pytest.mark.parametrize("share", [0.5, 0.3, 0.1, 0.01])
def test_expansions_are_near_from_where_they_are_taken(n, share):
    a = round(share * n)
    for expected in (_expected.MANY - 0.5, _expected.MANY, 3 * _expected.MANY):
        b = math.ceil(expected * n / a)
        if b <= n // 2:
            assert _of_sizes(n, a, b) == pytest.approx(_two_by_two(n, a, b), rel=2e-4)


level_sizes = st.lists(st.sampled_from([1, 1, 2, 3, 5, 9, 20, 60, 200]), min_size=1, max_size=6)


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(of_x=level_sizes, of_y=level_sizes, seed=st.integers(0, 2**32 - 1))
def test_of_rare_and_common_levels_together_it_is_that_of_another_library(of_x, of_y, seed):
    n = max(sum(of_x), sum(of_y)) + 300
    x, y = (np.repeat(np.arange(len(own) + 1), [*own, n - sum(own)]) for own in (of_x, of_y))
    y = np.random.default_rng(seed).permutation(y)
    mean, _, beyond = _sums(x, y, np.zeros(n), exactly=True)
    expected = n * expected_mutual_information(contingency_matrix(x, y, sparse=True), n)
    assert (mean + beyond) / _expected.UNIT == pytest.approx(expected, rel=3e-4, abs=ROUNDING)


def test_two_samples_that_differ_determine_each_other():
    n_pairs = 10
    x, y, z = np.tile([0, 1], n_pairs), np.tile([3, 5], n_pairs), np.repeat(np.arange(n_pairs), 2)
    assert _chance(x, y, z) == pytest.approx(2 * n_pairs * math.log(2), abs=ROUNDING)


@pytest.mark.kernel
@pytest.mark.parametrize("size", [_expected.LARGE - 1, _expected.LARGE])
def test_large_groups_join_on_to_small_ones(size):
    rng = np.random.default_rng(3)
    x, y = rng.permutation(np.arange(2 * size) % 3), rng.permutation(np.arange(2 * size) % 4)
    z = np.repeat([0, 1], size)
    assert _chance(x, y, z) == pytest.approx(2 * 3 * 2 / 2, rel=0.1)


def test_one_group_takes_degrees_of_freedom():
    """As correlations do, which have as many for two variables alone."""
    rng = np.random.default_rng(4)
    x, y = rng.integers(3, size=30), rng.integers(4, size=30)
    assert _chance(x, y, np.zeros(30)) == 2 * 3 / 2


@pytest.mark.parametrize("n_conditions", [0, 1, 3])
def test_less_chance_the_estimate_is_0_on_average_among_independent_columns(n_conditions):
    """With 5 levels each given three others, degrees of freedom are wrong by far."""
    rng = np.random.default_rng(5)
    given, found, by_degrees = tuple(range(2, 2 + n_conditions)), [], []
    for _ in range(300):
        data = rng.integers(5, size=(150, 5))
        kinds = {f"x{c}": "nominal" for c in range(5)}
        bound = PlugIn().bind(as_table(data, kinds=kinds))
        value = bound.cmi(0, 1, given)
        chance, _, _ = bound._by_chance(*bound._grouped(0, (1,), given), np.empty(0))
        n_cells = [len(np.unique(data[:, list(kept)], axis=0)) if kept else 1
                   for kept in (given, (0, *given), (1, *given))]  # fmt: skip
        degrees = (n_cells[1] - n_cells[0]) * (n_cells[2] - n_cells[0]) / n_cells[0]
        found.append(value - float(chance[0]))
        by_degrees.append(value - degrees / 300)
    assert abs(np.mean(found)) < 0.004
    if n_conditions == 3:
        assert np.mean(by_degrees) > 0.05
