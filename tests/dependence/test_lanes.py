"""Each vector operation does what its line of NumPy does, to the last bit."""

import numba
import numpy as np
import plain_lanes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.dependence import _lanes, _tables
from mrflearn.dependence._lanes import LANES, LEVELS

ROOM = 8 * LANES
"""Arrays are as long as the operations may read."""

ODD = [0.0, -0.0, 1.0, 1.0 + 2**-52, -3.0, 1e-300, 1e300, np.inf, np.nan]


def _numbers(rng, *shape):
    """Few different numbers, so that there are ties, and some that are odd."""
    some = rng.integers(-3, 4, size=shape) / 2
    return np.where(rng.random(shape) < 0.1, rng.choice(ODD, size=shape), some)


def _ascending(rng, n):
    return np.sort(rng.integers(-6, 7, size=n) / 2)


def _sorted_rows(rng, n_rows):
    rows = np.sort(np.abs(_numbers(rng, n_rows, LANES)), axis=0)
    return np.where(np.isnan(rows), np.inf, rows)


def _columns(rng, n):
    return [_numbers(rng, 3, ROOM), ROOM, 1, 3]


def _list(rng, n):
    rows = _numbers(rng, ROOM, LANES)
    near, index = np.abs(_numbers(rng, ROOM)), rng.permutation(ROOM)
    return [near, index, rows, _numbers(rng, LANES), n // 3, n]


def _pair(rng, n):
    return [*_numbers(rng, 2, ROOM), n // 3, n, *_numbers(rng, 2, LANES)]


def _range(rng, n):
    column, own = _ascending(rng, n), rng.integers(n, size=LANES)
    radius, gone = np.abs(_numbers(rng, LANES)), np.zeros((2, LANES), np.int64)
    first, last = 0, n
    return [column, own, column[own], radius, first, last, n.bit_length(), *gone]


def _bytes(rng, n):
    rows = rng.integers(4, size=(ROOM, _tables.LANES), dtype=np.uint8)
    return [rows, rng.permutation(ROOM).astype(np.int32), n // 3, n]


ARGUMENTS = {
    "raise_to": lambda rng, n: [*_columns(rng, n), 2, n, *np.abs(_numbers(rng, 2, ROOM))],
    "raise_to_box": lambda rng, n: [
        *_columns(rng, n), *np.sort(_numbers(rng, 2, 3), axis=0), n, *np.abs(_numbers(rng, 2, ROOM))
    ],
    "measure_euclidean": lambda rng, n: [*_columns(rng, n), 2, n, np.zeros(ROOM)],
    "find_within": lambda rng, n: [_numbers(rng, ROOM), n, 0.5, np.zeros(ROOM + 4, np.int64)],
    "keep_smallest": lambda rng, n: [*_list(rng, n), _sorted_rows(rng, LEVELS)],
    "keep_nearest": lambda rng, n: [*_pair(rng, n), _sorted_rows(rng, LEVELS + 1)],
    "keep_nearest_but_own": lambda rng, n: [
        *_pair(rng, n), _sorted_rows(rng, LEVELS + 1), rng.integers(n, size=LANES)
    ],
    "count_pairs": lambda rng, n: [
        *_pair(rng, n), np.abs(_numbers(rng, LANES)), rng.integers(9, size=LANES)
    ],
    "keep_smallest_of": lambda rng, n: [_numbers(rng, n, LANES), n, _sorted_rows(rng, LEVELS)],
    "pass_through": lambda rng, n: [_numbers(rng, n, LANES), n, _sorted_rows(rng, LEVELS)],
    "count_within": lambda rng, n: [
        *_list(rng, n), np.abs(_numbers(rng, LANES)), rng.integers(9, size=(2, LANES))
    ],
    "find_range": _range,
    "_count_level": lambda rng, n: [*_bytes(rng, n), 2, np.zeros((4, _tables.LANES), np.uint8)],
    "_count_rank": lambda rng, n: [*_bytes(rng, n), np.ones((ROOM, _tables.LANES), np.uint8)],
}  # fmt: skip


def _in_a_kernel(operation):
    """Return a compiled function that does nothing but this."""

    @numba.njit
    def kernel(*args):
        return operation(*args)

    return kernel


COMPILED = {
    name: _in_a_kernel(getattr(_tables if name in plain_lanes.IN_TABLES else _lanes, name))
    for name in ARGUMENTS
}
PLAIN = {plain.__name__: plain for plain in plain_lanes.IN_LANES} | plain_lanes.IN_TABLES


def test_all_operations_are_compared():
    operations = {name for name in _lanes.__all__ if name.islower() and name != "pointers"}
    assert set(ARGUMENTS) == set(PLAIN) == operations | set(plain_lanes.IN_TABLES)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, for numbers that are odd
@pytest.mark.parametrize("name", ARGUMENTS)
@settings(max_examples=40)
@given(st.integers(1, ROOM - 1), st.integers(0, 2**32 - 1))
def test_it_does_what_its_plain_twin_does(name, n, seed):
    theirs, ours = (ARGUMENTS[name](np.random.default_rng(seed), n) for _ in range(2))
    expected, found = PLAIN[name](*theirs), COMPILED[name](*ours)
    assert found == expected
    if name == "find_within":  # what is beyond those found may be anything
        theirs[-1][expected:] = ours[-1][expected:] = 0
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
