"""What the plug-in estimate would be on average if samples were shuffled within their groups.

Two columns of a few samples agree by chance: of two samples that differ in both, either says which
the other is, however they are shuffled. The mean over all shuffles has a closed form, a sum over
pairs of levels (Vinh, Epps and Bailey 2010). Times the number of samples, it comes near (levels of
x - 1) (levels of y - 1) / 2 where there are many; from `LARGE` samples on, or if there is one group
alone, that is taken. How much more it is in such groups is a sum of its own: exact for pairs of
levels that few samples are expected to share, by an expansion, as that of Williams (1976), for the
others.

Sums are of whole numbers, hence the same in any order.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._compile import compiled

__all__ = ["LARGE", "MANY", "UNIT", "chance_table", "expected_sums", "level_sizes", "runs"]

LARGE = 64
"""Samples in a group from which the limit for many is taken."""

MANY = 32
"""Samples that two levels are expected to share from which expansions are taken. Those of 2 x 2
tables are off by less than 1.7e-4 of the mean from there on: by 7e-4 from 16, 4e-3 from 8, 2e-2
from 4, and by any factor where less than one sample is expected."""

NEGLIGIBLE = 1e-18
"""Probability below which larger counts are left out of sums."""

UNIT = 2**30
"""Parts of a nat that are counted."""


@compiled
def _by_chance(sizes):  # type: ignore
    """Return n times what a level of a samples and one of b add to the mean, of n samples.

    Entry a (n + 1) + b of part n, which begins at the sum of squares of 1 to n.
    """
    logs = np.zeros(sizes + 1)  # of factorials
    for n in range(2, sizes + 1):
        logs[n] = logs[n - 1] + math.log(n)
    length = 0
    for n in range(sizes):
        length += (n + 1) ** 2
    table = np.zeros(length, dtype=np.int64)
    begin = 0
    for n in range(sizes):
        for a in range(1, n + 1):
            for b in range(a, n + 1):
                total = 0.0
                fixed = logs[a] + logs[b] + logs[n - a] + logs[n - b] - logs[n]
                for k in range(max(1, a + b - n), min(a, b) + 1):
                    ways = logs[k] + logs[a - k] + logs[b - k] + logs[n - a - b + k]
                    total += k * math.log(n * k / (a * b)) * math.exp(fixed - ways)
                table[begin + a * (n + 1) + b] = round(total * UNIT)
                table[begin + b * (n + 1) + a] = round(total * UNIT)
        begin += (n + 1) ** 2
    return table


@lru_cache(maxsize=1)
def chance_table() -> NDArray[np.int64]:
    """Return `_by_chance` for groups that are not large."""
    table: Any = _by_chance(LARGE)
    table.flags.writeable = False
    return table


@compiled
def level_sizes(codes, variable, order, start, end, counts, sizes):  # type: ignore
    """Write how many samples of a group have each level that occurs, and return how many do.

    `counts` is room for a number for each level, all 0 before and after.
    """
    n_found = 0
    for n in range(start, end):
        counts[codes[variable, order[n]]] += 1
    for n in range(start, end):
        level = codes[variable, order[n]]
        if counts[level] > 0:
            sizes[n_found] = counts[level]
            counts[level] = 0
            n_found += 1
    return n_found


@compiled
def runs(sizes, n_found, distinct):  # type: ignore
    """Sort sizes, write each distinct one and how often it occurs, and return how many there are.

    Groups of n samples have no more than the root of 2 n of them, however many levels there are.
    """
    sizes[:n_found].sort()
    n_distinct = 0
    for k in range(n_found):
        if n_distinct == 0 or distinct[n_distinct - 1, 0] != sizes[k]:
            distinct[n_distinct, 0] = sizes[k]
            distinct[n_distinct, 1] = 0
            n_distinct += 1
        distinct[n_distinct - 1, 1] += 1
    return n_distinct


@compiled
def _of_two_levels(a, b, n, logs):  # type: ignore
    """Return n times what a level of a samples and one of b add to the mean, of n samples.

    That of k ln(k / m) less k - m if k share both and m are expected to: what is taken off is 0 on
    average, and leaves terms of one sign.
    """
    m = a * b / n
    if a * b >= MANY * n:
        second = m * (1 - a / n) * (1 - b / n) * n / (n - 1)
        third = second * (1 - 2 * a / n) * (1 - 2 * b / n) * n / (n - 2)
        return second / (2 * m) - third / (6 * m * m) + second * second / (4 * m * m * m)
    k = max(0, a + b - n)
    ways = logs[k] + logs[a - k] + logs[b - k] + logs[n - a - b + k]
    chance = math.exp(logs[a] + logs[b] + logs[n - a] + logs[n - b] - logs[n] - ways)
    total = 0.0
    while k <= a and k <= b:
        total += chance * (m - k + (k * math.log(k / m) if k > 0 else 0.0))
        chance *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1))
        k += 1
        if k > m and chance < NEGLIGIBLE:
            break
    return total


@compiled
def _beyond_the_limit(of_x, n_x, of_y, n_y, n, logs):  # type: ignore
    """Return n times the mean over shuffles of one group, less its limit, in units.

    `of_x`, `of_y` are what `runs` wrote, of `n_x` and `n_y` distinct sizes.
    """
    if of_x[0, 0] * of_y[0, 0] >= MANY * n:
        in_x = in_y = -1.0
        for a in range(n_x):
            in_x += of_x[a, 1] * n / of_x[a, 0]
        for b in range(n_y):
            in_y += of_y[b, 1] * n / of_y[b, 0]
        return round(in_x * in_y / (12 * n) * UNIT)
    total = levels_x = levels_y = 0
    for a in range(n_x):
        levels_x += of_x[a, 1]
        for b in range(n_y):
            less, more = min(of_x[a, 0], of_y[b, 0]), max(of_x[a, 0], of_y[b, 0])
            total += of_x[a, 1] * of_y[b, 1] * round(_of_two_levels(less, more, n, logs) * UNIT)
    for b in range(n_y):
        levels_y += of_y[b, 1]
    return total - (levels_x - 1) * (levels_y - 1) * (UNIT // 2)


@compiled
def expected_sums(codes, levels, x, candidates, order, starts, table, logs):  # type: ignore
    """Return N times the mean of I(x; y | z) over shuffles, in units, and two sums more.

    Degrees of freedom: over groups, the products of one less than the levels of x and of y that
    occur. And by how much the mean exceeds what is taken for it in large groups, in units.

    Parameters
    ----------
    codes : ndarray of int32, shape (n_variables, N)
        Codes of the levels of each variable.
    levels : ndarray of int64, shape (n_variables,)
        Codes of a variable are less than this.
    x : int
        One variable.
    candidates : ndarray of int64
        The others.
    order, starts : ndarray of int32
        The groups by z: group g is `order[starts[g]:starts[g + 1]]`.
    table : ndarray of int64
        `chance_table()`.
    logs : ndarray of float64
        Logarithms of factorials up to N; empty if the third sum is not needed.

    Returns
    -------
    ndarray of int64, shape (3, n_candidates)
    """
    most = levels[x]
    for c in range(len(candidates)):
        most = max(most, levels[candidates[c]])
    counts = np.zeros(most, dtype=np.int64)
    of_x, of_y = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    runs_x, runs_y = np.empty((most, 2), dtype=np.int64), np.empty((most, 2), dtype=np.int64)
    totals = np.zeros((3, len(candidates)), dtype=np.int64)
    alone = len(starts) == 2
    for g in range(len(starts) - 1):
        start, end = starts[g], starts[g + 1]
        n = end - start
        n_x = level_sizes(codes, x, order, start, end, counts, of_x)
        if n_x == 1:
            continue
        begin = n * (n + 1) * (2 * n + 1) // 6
        exactly = len(logs) > 0 and (alone or n >= LARGE)
        n_runs = runs(of_x, n_x, runs_x) if exactly else 0
        for c in range(len(candidates)):
            n_y = level_sizes(codes, candidates[c], order, start, end, counts, of_y)
            totals[1, c] += (n_x - 1) * (n_y - 1)
            if alone or n >= LARGE:
                totals[0, c] += (n_x - 1) * (n_y - 1) * (UNIT // 2)
                if exactly and n_y > 1:
                    n_own = runs(of_y, n_y, runs_y)
                    totals[2, c] += _beyond_the_limit(runs_x, n_runs, runs_y, n_own, n, logs)
                continue
            if n_y == 1:
                continue
            for a in range(n_x):
                row = begin + of_x[a] * (n + 1)
                for b in range(n_y):
                    totals[0, c] += table[row + of_y[b]]
    return totals
