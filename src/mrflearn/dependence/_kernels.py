"""Small compiled kernels: counts in one variable, counts with Euclidean norms, means over counts.

Columns are rows of `values`, shape (n_columns, N). A set of variables is an array of column
positions.
"""

from __future__ import annotations

import math

import numpy as np

from mrflearn.dependence._compile import compiled
from mrflearn.dependence._lanes import LANES, find_range

__all__ = [
    "closed_radii",
    "count_in_column",
    "count_in_columns",
    "euclidean_counts",
    "mean_over_counts",
]


@compiled
def _distances_from(  # type: ignore
    values, nominal, nominal_distance, columns, m, euclidean, squares, out
):
    """Fill `out` with the distances of sample m to all samples in a set of columns.

    `squares` is room for sums of squares.
    """
    n_samples = values.shape[1]
    for n in range(n_samples):
        out[n] = squares[n] = 0.0
    for c in columns:
        here = values[c, m]
        for n in range(n_samples):
            if nominal[c]:
                gap = nominal_distance if values[c, n] != here else 0.0
            else:
                gap = abs(values[c, n] - here)
            out[n] = gap if gap > out[n] else out[n]
            squares[n] += gap * gap
    if not euclidean or len(columns) < 2:
        return
    for n in range(n_samples):
        largest = out[n]
        if 1e-140 < largest < 1e140:
            out[n] = math.sqrt(squares[n])
        elif largest > 0.0 and largest < np.inf:
            # A power of two keeps squares from over- and underflowing, and changes no digit.
            exponent = math.frexp(largest)[1]
            total = 0.0
            for c in columns:
                if nominal[c]:
                    gap = nominal_distance if values[c, n] != values[c, m] else 0.0
                else:
                    gap = abs(values[c, n] - values[c, m])
                total += math.ldexp(gap, -exponent) ** 2
            out[n] = math.ldexp(math.sqrt(total), exponent)


@compiled
def _kth_smallest(distances, m, k, heap):  # type: ignore
    """Return the k-th smallest entry of `distances`, entry m left out.

    `heap` is room for k numbers: a heap with the largest of the k smallest so far on top.
    """
    filled = 0
    for n in range(len(distances)):
        if n == m:
            continue
        distance = distances[n]
        if filled < k:
            child = filled
            filled += 1
            while child > 0:
                parent = (child - 1) // 2
                if heap[parent] >= distance:
                    break
                heap[child] = heap[parent]
                child = parent
            heap[child] = distance
        elif distance < heap[0]:
            parent = 0
            while True:
                child = 2 * parent + 1
                if child >= k:
                    break
                if child + 1 < k and heap[child + 1] > heap[child]:
                    child += 1
                if heap[child] <= distance:
                    break
                heap[parent] = heap[child]
                parent = child
            heap[parent] = distance
    return heap[0]


@compiled
def euclidean_counts(values, nominal, nominal_distance, a, members, starts, k):  # type: ignore
    """Return k_m, N - 1, n_a and n_b and the radius for each candidate b, in closed balls.

    Distances inside a and inside b are Euclidean, and the larger of both is that of the pair.
    Candidate number c owns the columns `members[starts[c]:starts[c + 1]]`.
    """
    n_samples = values.shape[1]
    n_candidates = len(starts) - 1
    counts = np.empty((n_candidates, 4, n_samples), dtype=np.int32)
    radii = np.empty((n_candidates, n_samples))
    da, db, spare = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples)
    joint, heap = np.empty(n_samples), np.empty(k)
    for m in range(n_samples):
        _distances_from(values, nominal, nominal_distance, a, m, True, spare, da)
        for c in range(n_candidates):
            b = members[starts[c] : starts[c + 1]]
            _distances_from(values, nominal, nominal_distance, b, m, True, spare, db)
            for n in range(n_samples):
                joint[n] = max(da[n], db[n])
            radius = _kth_smallest(joint, m, k, heap)
            k_m = n_a = n_b = 0
            for n in range(n_samples):
                k_m += joint[n] <= radius
                n_a += da[n] <= radius
                n_b += db[n] <= radius
            counts[c, 0, m], counts[c, 1, m] = k_m - 1, n_samples - 1
            counts[c, 2, m], counts[c, 3, m] = n_a - 1, n_b - 1
            radii[c, m] = radius
    return counts, radii


@compiled
def closed_radii(radii, ball):  # type: ignore
    """Return radii within which a closed ball holds what a ball of another sort does.

    An open ball is a closed one with the next smaller radius; negative: it holds nothing.
    """
    reach = np.empty(len(radii))
    for m in range(len(radii)):
        is_open = ball == 1 or (ball == 2 and radii[m] > 0.0)
        reach[m] = np.nextafter(radii[m], -np.inf) if is_open else radii[m]
    return reach


@compiled
def count_in_column(values, by_value, order, reach, out):  # type: ignore
    """Count the other samples within reach of each sample in one ordered column.

    `by_value` are the samples in ascending order of the values; `reach` and `out` have them in
    another `order`.
    """
    n_samples = len(order)
    ascending, rank = np.empty(n_samples), np.empty(n_samples, dtype=np.int64)
    for r in range(n_samples):
        ascending[r] = values[by_value[r]]
        rank[by_value[r]] = r
    n_bits = 0
    while n_samples >> n_bits > 0:
        n_bits += 1
    own, here, radius = np.empty(LANES, dtype=np.int64), np.empty(LANES), np.empty(LANES)
    below, above = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    for first in range(0, n_samples, LANES):
        for c in range(LANES):
            m = min(first + c, n_samples - 1)
            own[c], here[c], radius[c] = rank[order[m]], values[order[m]], reach[m]
        find_range(ascending, own, here, radius, 0, n_samples, n_bits, below, above)
        for c in range(min(LANES, n_samples - first)):
            out[first + c] = below[c] + above[c]


@compiled
def count_in_columns(columns, nominal, nominal_distance, reach, out):  # type: ignore
    """Count the other samples within reach of each sample in several columns."""
    n_columns, n_samples = columns.shape
    distances, spare = np.empty(n_samples), np.empty(n_samples)
    every = np.arange(n_columns)
    for m in range(n_samples):
        _distances_from(columns, nominal, nominal_distance, every, m, False, spare, distances)
        total = 0
        for n in range(n_samples):
            total += distances[n] <= reach[m]
        out[m] = total - (reach[m] >= 0.0)


@compiled
def mean_over_counts(counts, signs, function):  # type: ignore
    """Return, for each candidate, the mean over samples of a sum of functions of counts.

    `counts` has shape (n_candidates, n_rows, N), and row r enters as signs[r] * f(count), where
    `function[n]` is f(n). Counts are gathered in a histogram first and summed in the order of n,
    so the result depends neither on the order of the samples nor on which of two rows with the
    same sign comes first.
    """
    n_candidates, n_rows, n_samples = counts.shape
    means = np.empty(n_candidates)
    histogram = np.empty(len(function), dtype=np.int64)
    for candidate in range(n_candidates):
        for n in range(len(function)):
            histogram[n] = 0
        for row in range(n_rows):
            if signs[row] != 0:
                for m in range(n_samples):
                    histogram[counts[candidate, row, m]] += signs[row]
        total = 0.0
        for n in range(len(function)):
            if histogram[n] != 0:
                total += histogram[n] * function[n]
        means[candidate] = total / n_samples
    return means
