"""Compiled twins of the neighbour counts in `naive`: arrays in, arrays out.

Columns are rows of `values`, shape (n_columns, N). A set of variables is an array of column
positions. Candidate number c owns the columns `members[starts[c]:starts[c + 1]]`.
"""

from __future__ import annotations

import math

import numpy as np

from mrflearn.dependence._compile import compiled

__all__ = ["cmi_counts", "ksg_counts", "mean_over_counts"]


@compiled
def _distances_from(values, nominal, nominal_distance, columns, m, euclidean, out):  # type: ignore
    """Fill `out` with the distances of sample m to all samples in a set of columns."""
    n_samples = values.shape[1]
    out[:] = 0.0
    for c in columns:
        here = values[c, m]
        if nominal[c]:
            for n in range(n_samples):
                if values[c, n] != here:
                    out[n] = max(out[n], nominal_distance)
        else:
            for n in range(n_samples):
                out[n] = max(out[n], abs(values[c, n] - here))
    if not euclidean or len(columns) < 2:
        return
    for n in range(n_samples):
        largest = out[n]
        if largest > 0.0 and largest < np.inf:
            # A power of two keeps squares from over- and underflowing, and changes no digit.
            exponent = math.frexp(largest)[1]
            total = 0.0
            for c in columns:
                if nominal[c]:
                    distance = nominal_distance if values[c, n] != values[c, m] else 0.0
                else:
                    distance = abs(values[c, n] - values[c, m])
                total += math.ldexp(distance, -exponent) ** 2
            out[n] = math.ldexp(np.sqrt(total), exponent)


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
def cmi_counts(  # type: ignore
    values, nominal, nominal_distance, x, z, members, starts, k, open_ball
):
    """Return k_m, n_z, n_xz and n_yz for each candidate y, shape (n_candidates, 4, N)."""
    n_samples = values.shape[1]
    n_candidates = len(starts) - 1
    counts = np.zeros((n_candidates, 4, n_samples), dtype=np.int64)
    dx, dy, dz = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples)
    joint, heap = np.empty(n_samples), np.empty(k)
    for m in range(n_samples):
        _distances_from(values, nominal, nominal_distance, z, m, False, dz)
        _distances_from(values, nominal, nominal_distance, x, m, False, dx)
        for n in range(n_samples):
            dx[n] = max(dx[n], dz[n])
        for c in range(n_candidates):
            y = members[starts[c] : starts[c + 1]]
            _distances_from(values, nominal, nominal_distance, y, m, False, dy)
            for n in range(n_samples):
                joint[n] = max(dx[n], dy[n])
            radius = _kth_smallest(joint, m, k, heap)
            k_m = n_xz = n_yz = n_z = 0
            if open_ball:
                for n in range(n_samples):
                    k_m += joint[n] < radius
                    n_xz += dx[n] < radius
                    n_yz += max(dy[n], dz[n]) < radius
                    n_z += dz[n] < radius
                itself = 1 if radius > 0.0 else 0
            else:
                for n in range(n_samples):
                    k_m += joint[n] <= radius
                    n_xz += dx[n] <= radius
                    n_yz += max(dy[n], dz[n]) <= radius
                    n_z += dz[n] <= radius
                itself = 1
            counts[c, 0, m] = k_m - itself
            counts[c, 1, m] = n_z - itself
            counts[c, 2, m] = n_xz - itself
            counts[c, 3, m] = n_yz - itself
    return counts


@compiled
def ksg_counts(  # type: ignore
    values, nominal, nominal_distance, a, members, starts, k, open_ball, euclidean
):
    """Return k_m, n_a, n_b and "radius is 0" for each candidate b, shape (n_candidates, 4, N)."""
    n_samples = values.shape[1]
    n_candidates = len(starts) - 1
    counts = np.zeros((n_candidates, 4, n_samples), dtype=np.int64)
    da, db = np.empty(n_samples), np.empty(n_samples)
    joint, heap = np.empty(n_samples), np.empty(k)
    for m in range(n_samples):
        _distances_from(values, nominal, nominal_distance, a, m, euclidean, da)
        for c in range(n_candidates):
            b = members[starts[c] : starts[c + 1]]
            _distances_from(values, nominal, nominal_distance, b, m, euclidean, db)
            for n in range(n_samples):
                joint[n] = max(da[n], db[n])
            radius = _kth_smallest(joint, m, k, heap)
            k_m = n_a = n_b = 0
            if radius > 0.0 and open_ball:
                for n in range(n_samples):
                    n_a += da[n] < radius
                    n_b += db[n] < radius
            else:
                for n in range(n_samples):
                    k_m += joint[n] <= radius
                    n_a += da[n] <= radius
                    n_b += db[n] <= radius
            counts[c, 0, m] = k if radius > 0.0 else k_m - 1
            counts[c, 1, m] = n_a - 1
            counts[c, 2, m] = n_b - 1
            counts[c, 3, m] = radius == 0.0
    return counts


@compiled
def mean_over_counts(added, subtracted, function):  # type: ignore
    """Return the mean over samples of f(added counts) - f(subtracted counts).

    `added` and `subtracted` have shape (rows, N); `function[n]` is f(n). Counts are gathered in a
    histogram first and summed in the order of n, so the result depends neither on the order of
    the samples nor on which of two rows comes first.
    """
    histogram = np.zeros(len(function), dtype=np.int64)
    for row in added:
        for count in row:
            histogram[count] += 1
    for row in subtracted:
        for count in row:
            histogram[count] -= 1
    total = 0.0
    for count in range(len(function)):
        if histogram[count] != 0:
            total += histogram[count] * function[count]
    return total / max(added.shape[1], subtracted.shape[1])
