"""Distances of one sample to many, and what is asked of them: compiled parts of other kernels.

Arrays of distances are padded to a multiple of 64 entries, those beyond the last sample NaN, which
is within no radius. So is the distance of a sample to itself.
"""

from __future__ import annotations

import math

import numpy as np

from mrflearn._compile import compiled, inlined
from mrflearn.dependence._lanes import measure_euclidean, raise_to

__all__ = ["forget", "measure", "n_within", "select"]


@compiled
def measure(  # type: ignore
    columns, nominal, nominal_distance, euclidean, begin, end, own, n, start, spare, out
):
    """Fill `out` with the larger of `start` and the distances of a sample in some columns.

    Nominal columns come last among them. With a Euclidean norm, `start` is 0 (or NaN, as the
    distance of a sample to itself).
    """
    n_ordered = begin
    while n_ordered < end and not nominal[n_ordered]:
        n_ordered += 1
    raise_to(columns, columns.shape[1], begin, n_ordered, own, n, start, out)
    for c in range(n_ordered, end):
        here = columns[c, own]
        for p in range(n):
            if columns[c, p] != here and out[p] < nominal_distance:
                out[p] = nominal_distance
    if not euclidean or end - begin < 2:
        return
    measure_euclidean(columns, columns.shape[1], begin, end, own, n, spare)
    n_slow = n if n_ordered < end else 0
    for p in range(n):
        n_slow += (out[p] > 0.0) & (out[p] < np.inf) & ((out[p] < 1e-140) | (out[p] > 1e140))
    if n_slow == 0:
        for p in range(n):
            out[p] = spare[p] if out[p] >= 0.0 else out[p]  # NaN stays
        return
    for p in range(n):
        if out[p] > 0.0 and out[p] < np.inf:
            # A power of two keeps squares from over- and underflowing, and changes no digit.
            exponent = math.frexp(out[p])[1]
            total = 0.0
            for c in range(begin, end):
                gap = abs(columns[c, p] - columns[c, own])
                if nominal[c]:
                    gap = nominal_distance if gap > 0.0 else 0.0
                total += math.ldexp(gap, -exponent) ** 2
            out[p] = math.ldexp(math.sqrt(total), exponent)


@inlined
def forget(distances, own, n):  # type: ignore
    """Make the distance of a sample to itself, and what is beyond the n-th, that of no one."""
    distances[own] = np.nan
    for p in range(n, min(n + 64, len(distances))):
        distances[p] = np.nan


@inlined
def n_within(distances, n, radius):  # type: ignore
    """Count the first n distances that do not exceed a radius."""
    total = 0
    for p in range(n):
        total += distances[p] <= radius
    return total


@compiled
def select(values, n, rank):  # type: ignore
    """Return the entry of this rank, from 0, among the first n, which are reordered (Hoare)."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]
