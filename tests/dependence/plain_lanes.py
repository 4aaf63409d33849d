"""The vector operations of the kernels in plain Python, one line of NumPy for a loop.

They are what the compiled ones are compared with, and what kernels call where nothing is compiled
(`NUMBA_DISABLE_JIT=1`), so that the lines of kernels can be counted and debugged.
"""

import importlib

import numpy as np

from mrflearn.dependence._lanes import LANES


def _larger(a, b):
    return np.where(a > b, a, b)


def _smaller(a, b):
    return np.where(a < b, a, b)


def _insert(distance, smallest):
    """Sort a row of distances into the rows of the smallest; return what is displaced."""
    for level in smallest:
        kept = level.copy()
        level[:] = _smaller(distance, kept)
        distance = _larger(kept, distance)
    return distance


def _up_to(n, step):
    """Return n rounded up to a multiple."""
    return -(-int(n) // step) * step


def raise_to(columns, width, begin, end, own, n, start, out):
    n = _up_to(n, LANES)
    largest = start[:n].copy()
    for column in columns.reshape(-1, width)[begin:end]:
        largest = _larger(np.abs(column[:n] - column[own]), largest)
    out[:n] = largest


def raise_to_box(columns, width, begin, end, lows, highs, n, start, out):
    n = _up_to(n, LANES)
    largest = start[:n].copy()
    for c in range(begin, end):
        column = columns.reshape(-1, width)[c, :n]
        largest = _larger(_larger(lows[c] - column, column - highs[c]), largest)
    out[:n] = largest


def measure_euclidean(columns, width, begin, end, own, n, out):
    n = _up_to(n, LANES)
    total = np.zeros(n)
    for column in columns.reshape(-1, width)[begin:end]:
        gap = column[:n] - column[own]
        total += gap * gap
    out[:n] = np.sqrt(total)


def find_within(distances, n, bar, found):
    places = np.flatnonzero(distances[: _up_to(n, 8 * LANES)] <= bar)
    found[: len(places)] = places
    return len(places)


def keep_smallest(near, index, rows, here, begin, end, smallest):
    for p in range(begin, end):
        gap = np.abs(rows.reshape(-1, LANES)[index[p]] - here.reshape(-1))
        _insert(_larger(gap, near[p]), smallest)


def _distances_in_pairs(x, y, p, own_x, own_y):
    gap_x, gap_y = np.abs(x[p] - own_x.reshape(-1)), np.abs(y[p] - own_y.reshape(-1))
    return _larger(gap_x, gap_y)


def keep_nearest(x, y, begin, end, own_x, own_y, smallest):
    for p in range(begin, end):
        _insert(_distances_in_pairs(x, y, p, own_x, own_y), smallest)


def keep_nearest_but_own(x, y, begin, end, own_x, own_y, smallest, own):
    for p in range(begin, end):
        distance = _distances_in_pairs(x, y, p, own_x, own_y)
        distance[own.reshape(-1) == p] = np.inf
        _insert(distance, smallest)


def count_pairs(x, y, begin, end, own_x, own_y, radius, counts):
    for p in range(begin, end):
        counts += (_distances_in_pairs(x, y, p, own_x, own_y) <= radius.reshape(-1)).reshape(
            counts.shape
        )


def keep_smallest_of(distances, n_rows, smallest):
    for row in distances.reshape(-1, LANES)[:n_rows]:
        _insert(row, smallest)


def pass_through(distances, n_rows, smallest):
    for row in distances.reshape(-1, LANES)[:n_rows]:
        row[:] = _insert(row.copy(), smallest)


def count_within(near, index, rows, here, begin, end, radius, counts):
    for p in range(begin, end):
        gap = np.abs(rows.reshape(-1, LANES)[index[p]] - here.reshape(-1))
        counts[0] += near[p] <= radius
        counts[1] += _larger(gap, near[p]) <= radius


def find_range(column, own, here, radius, first, last, n_bits, below, above):
    for lane in range(LANES):
        for gone, step in ((below, -1), (above, 1)):
            at = own[lane] + step
            while first <= at < last and abs(column[at] - here[lane]) <= radius[lane]:
                at += step
            gone[lane] = abs(at - own[lane]) - 1


def count_level(rows, order, start, end, level, counts):
    counts[level] = (rows[order[start:end]] == level).sum(axis=0)


def count_rank(rows, order, start, end, ranks):
    equals = (rows[order[start:end]] == rows[order[end]]).sum(axis=0)
    for rank in range(1, end - start + 1):
        ranks[rank] += equals == rank


IN_LANES = (
    count_pairs,
    count_within,
    find_range,
    find_within,
    keep_nearest,
    keep_nearest_but_own,
    keep_smallest,
    keep_smallest_of,
    measure_euclidean,
    pass_through,
    raise_to,
    raise_to_box,
)
IN_TABLES = {"_count_level": count_level, "_count_rank": count_rank}
USERS = ("_distances", "_few", "_kernels", "_lists", "_pairs")


def use_instead():
    """Let kernels that are not compiled call these."""
    for user in USERS:
        module = importlib.import_module(f"mrflearn.dependence.{user}")
        for plain in IN_LANES:
            if hasattr(module, plain.__name__):
                setattr(module, plain.__name__, plain)
    tables = importlib.import_module("mrflearn.dependence._tables")
    for name, plain in IN_TABLES.items():
        setattr(tables, name, plain)
