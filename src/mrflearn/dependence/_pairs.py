"""Counts for pairs of ordered columns, without a condition, by strips.

The samples, in the order of x, are cut into strips of equal size, and each strip is put in the
order of y. Eight samples that follow each other in a strip are near in x and in y: they are
answered together, by the samples of a few strips in a window of y. The number of samples within
the radius in x alone, or in y alone, is found by a binary search in the sorted column.
"""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled, inlined
from mrflearn.dependence._lanes import (
    LANES,
    LEVELS,
    count_pairs,
    find_range,
    keep_nearest,
    keep_nearest_but_own,
)

__all__ = ["pair_counts"]

STEP = 4
"""Entries passed at a time on the way to the end of a window."""


@inlined
def _largest(smallest, k):  # type: ignore
    largest = 0.0
    for c in range(LANES):
        largest = smallest[k - 1, c] if smallest[k - 1, c] > largest else largest
    return largest


@inlined
def _window(y, start, first, last, low, high, widest):  # type: ignore
    """Return a range that has all entries with y between low and high, or within `widest` of that.

    The y of the entries from first to last ascend; `start` is in the range, or a few before it. A
    few others may be in the range: they do no harm, and long steps cost less than single ones.
    """
    begin, end = start, start
    while begin > first and low - y[begin - 1] <= widest:
        begin -= STEP
    while end < last and y[end] - high <= widest:
        end += STEP
    return max(begin, first), min(end, last)


@compiled
def _cut_into_strips(position_x, order_y, sorted_x, sorted_y, width, x, y, rank_x, rank_y):  # type: ignore
    """Fill x, y and their ranks with the samples strip by strip, each in the order of y."""
    n_samples = len(x)
    filled = np.zeros((n_samples + width - 1) // width, dtype=np.int64)
    for rank in range(n_samples):
        position = position_x[order_y[rank]]
        strip = position // width
        place = strip * width + filled[strip]
        filled[strip] += 1
        x[place], y[place] = sorted_x[position], sorted_y[rank]
        rank_x[place], rank_y[place] = position, rank


@compiled
def pair_counts(  # type: ignore
    sorted_x, position_x, sorted_ys, orders_y, k, ball, width, counts, radii
):
    """Fill in counts and radii of each pair (x, y).

    Parameters
    ----------
    sorted_x, position_x : arrays of length N
        The values of x, ascending, and the position of each sample among them.
    sorted_ys, orders_y : arrays of shape (n_candidates, N)
        The values of each y, ascending, and the samples in that order.
    k : int
        Neighbours, at most LEVELS.
    ball : int
        0: closed; 1: open; 2: open where the radius is positive.
    width : int
        Samples in a strip.
    counts : array of shape (n_candidates, 4, N)
        k_m, n_z = N - 1, n_x and n_y, the samples in the order of x.
    radii : array of shape (n_candidates, N)
        Distance to the k-th neighbour.
    """
    n_candidates, n_samples = sorted_ys.shape
    n_strips = (n_samples + width - 1) // width
    x, y = np.empty(n_samples), np.empty(n_samples)
    rank_x, rank_y = np.empty(n_samples, dtype=np.int64), np.empty(n_samples, dtype=np.int64)
    reached = np.empty(n_strips, dtype=np.int64)
    own, own_x, own_y = np.empty(LANES, dtype=np.int64), np.empty(LANES), np.empty(LANES)
    ranks_x, ranks_y = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    smallest, radius = np.empty((LEVELS + 1, LANES)), np.empty(LANES)
    joint, below_x = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    above_x, below_y = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    above_y = np.empty(LANES, dtype=np.int64)
    n_bits = 0
    while n_samples >> n_bits > 0:
        n_bits += 1

    for candidate in range(n_candidates):
        sorted_y = sorted_ys[candidate]
        _cut_into_strips(
            position_x, orders_y[candidate], sorted_x, sorted_y, width, x, y, rank_x, rank_y
        )
        for strip in range(n_strips):
            for t in range(n_strips):
                reached[t] = t * width
            strip_begin, strip_end = strip * width, min((strip + 1) * width, n_samples)
            for first in range(strip_begin, strip_end, LANES):
                last = min(first + LANES, strip_end)
                low, high = np.inf, -np.inf
                for c in range(LANES):
                    n = min(first + c, last - 1)
                    own[c], own_x[c], own_y[c] = n, x[n], y[n]
                    ranks_x[c], ranks_y[c] = rank_x[n], rank_y[n]
                    low, high = min(low, x[n]), max(high, x[n])
                    joint[c] = 0
                for i in range(LEVELS + 1):
                    for c in range(LANES):
                        smallest[i, c] = np.inf
                # First a bound of the radius from the next ones in the strip, then all within it;
                # last, where distances are tied, count what lies within the radius.
                done_begin, done_end = max(first - LANES, strip_begin), min(last + LANES, strip_end)
                keep_nearest_but_own(x, y, done_begin, done_end, own_x, own_y, smallest, own)
                widest = _largest(smallest, k)
                for counting in range(2):
                    if counting:
                        tied = not widest > 0.0  # others at distance 0 may be anywhere
                        for c in range(LANES):
                            found = smallest[k - 1, c]
                            is_open = ball == 1 or (ball == 2 and found > 0.0)
                            radius[c] = np.nextafter(found, -np.inf) if is_open else found
                            tied = tied or (not is_open and smallest[k, c] <= found)
                        if not tied:
                            for c in range(LANES):
                                for i in range(k):
                                    joint[c] += smallest[i, c] <= radius[c]
                            break
                    elif not widest > 0.0:
                        continue
                    for direction in range(2):
                        t = strip + direction
                        while 0 <= t < n_strips:
                            begin, end = t * width, min((t + 1) * width, n_samples)
                            if t < strip and low - sorted_x[end - 1] > widest:
                                break
                            if t > strip and sorted_x[begin] - high > widest:
                                break
                            start = first
                            if t != strip:
                                start = reached[t]
                                while start + STEP < end and y[start + STEP] < y[first]:
                                    start += STEP
                                reached[t] = start
                            begin, end = _window(
                                y, start, begin, end, y[first], y[last - 1], widest
                            )
                            if counting:
                                count_pairs(x, y, begin, end, own_x, own_y, radius, joint)
                            elif t == strip:
                                keep_nearest(x, y, begin, done_begin, own_x, own_y, smallest)
                                keep_nearest(x, y, done_end, end, own_x, own_y, smallest)
                            else:
                                keep_nearest(x, y, begin, end, own_x, own_y, smallest)
                            if not counting:
                                widest = _largest(smallest, k)
                            t += 1 if direction else -1
                    if counting:
                        for c in range(LANES):
                            joint[c] -= radius[c] >= 0.0  # itself
                find_range(sorted_x, ranks_x, own_x, radius, 0, n_samples, n_bits, below_x, above_x)
                find_range(sorted_y, ranks_y, own_y, radius, 0, n_samples, n_bits, below_y, above_y)
                for c in range(last - first):
                    m = ranks_x[c]
                    counts[candidate, 0, m] = joint[c]
                    counts[candidate, 1, m] = n_samples - 1 if radius[c] >= 0.0 else 0
                    counts[candidate, 2, m] = below_x[c] + above_x[c]
                    counts[candidate, 3, m] = below_y[c] + above_y[c]
                    radii[candidate, m] = smallest[k - 1, c]
