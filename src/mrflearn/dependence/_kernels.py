"""Small compiled kernels: counts in one variable, and means over counts."""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled
from mrflearn.dependence._distances import forget, measure, n_within
from mrflearn.dependence._lanes import LANES, find_range

__all__ = [
    "closed_radii",
    "count_in_column",
    "count_in_columns",
    "mean_over_counts",
    "settle_atoms",
    "spread_over_counts",
]


@compiled
def settle_atoms(counts, radii, k, itself):  # type: ignore
    """Set k_m to k where the radius is positive; elsewhere add `itself` to it."""
    for candidate in range(len(radii)):
        for m in range(radii.shape[1]):
            if radii[candidate, m] > 0.0:
                counts[candidate, 0, m] = k
            else:
                counts[candidate, 0, m] += itself


@compiled
def closed_radii(radii, ball):  # type: ignore
    """Return radii within which a closed ball holds what a ball of another sort does.

    An open ball is a closed one with the next smaller radius; negative: it holds nothing.
    """
    reach = np.empty(radii.shape)
    for candidate in range(len(radii)):
        for m in range(radii.shape[1]):
            radius = radii[candidate, m]
            is_open = ball == 1 or (ball == 2 and radius > 0.0)
            reach[candidate, m] = np.nextafter(radius, -np.inf) if is_open else radius
    return reach


@compiled
def count_in_column(values, column, by_value, order, reach, row, counts):  # type: ignore
    """Count the other samples within reach of each sample in one ordered column.

    `by_value` are the samples in ascending order of the values; `reach[row]` and `counts[row, 3]`,
    to be filled, have them in another `order`.
    """
    n_samples = len(order)
    ascending, rank = np.empty(n_samples), np.empty(n_samples, dtype=np.int64)
    for r in range(n_samples):
        ascending[r] = values[column, by_value[r]]
        rank[by_value[r]] = r
    n_bits = 0
    while n_samples >> n_bits > 0:
        n_bits += 1
    own, here, radius = np.empty(LANES, dtype=np.int64), np.empty(LANES), np.empty(LANES)
    below, above = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    for first in range(0, n_samples, LANES):
        for c in range(LANES):
            m = min(first + c, n_samples - 1)
            own[c], radius[c] = rank[order[m]], reach[row, m]
            here[c] = ascending[own[c]]
        find_range(ascending, own, here, radius, 0, n_samples, n_bits, below, above)
        for c in range(min(LANES, n_samples - first)):
            counts[row, 3, first + c] = below[c] + above[c]


@compiled
def count_in_columns(columns, nominal, nominal_distance, reach, row, counts):  # type: ignore
    """Do what `count_in_column` does for several packed columns together."""
    n_samples, width = reach.shape[1], columns.shape[1]
    zeros, spare, distances = np.zeros(width), np.empty(width), np.empty(width)
    for m in range(n_samples):
        measure(
            columns, nominal, nominal_distance, False, 0, len(columns), m, n_samples, zeros,
            spare, distances,
        )  # fmt: skip
        forget(distances, m, n_samples)
        counts[row, 3, m] = n_within(distances, n_samples, reach[row, m])


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


@compiled
def spread_over_counts(counts, function):  # type: ignore
    """Return, for each candidate, the standard deviation over samples of what they contribute.

    A sample contributes f(k_m) + f(n_z) - f(n_xz) - f(n_yz), `function[n]` being f(n). It is
    rounded to a multiple of 2^-16, so that sums are of integers, and depend neither on the order
    of the samples nor on which variable is x. Exact up to a million samples of 20 nats.
    """
    n_candidates, _, n_samples = counts.shape
    spreads = np.empty(n_candidates)
    for candidate in range(n_candidates):
        total, squares = 0, 0
        for m in range(n_samples):
            inside = function[counts[candidate, 0, m]] + function[counts[candidate, 1, m]]
            outside = function[counts[candidate, 2, m]] + function[counts[candidate, 3, m]]
            part = int(np.rint((inside - outside) * 65536.0))
            total += part
            squares += part * part
        mean = total / n_samples
        spreads[candidate] = np.sqrt(max(squares / n_samples - mean * mean, 0.0)) / 65536.0
    return spreads
