"""Conditional mutual information of Gaussian variables, by eliminating the conditions one by one.

Every number is computed from its own row and column alone, in one order, so that a value has the
same bits whatever else is asked with it, and in either direction. Plain loops, since array
operations take seconds to compile.
"""

from __future__ import annotations

import math

import numpy as np

from mrflearn._compile import compiled

__all__ = ["conditional_information"]

ROUNDING = 2.0**-51
"""What two variables that determine each other leave of each other's variance."""


@compiled
def _fill(block, inside, covariance, x, y, starts, z):  # type: ignore
    """Put in covariances: of z and x with z, x and y, and those inside each candidate."""
    n_z, n_x = len(z), len(x)
    for r in range(n_z + n_x):
        row = z[r] if r < n_z else x[r - n_z]
        for c in range(n_z):
            block[r, c] = covariance[row, z[c]]
        for c in range(n_x):
            block[r, n_z + c] = covariance[row, x[c]]
        for c in range(len(y)):
            block[r, n_z + n_x + c] = covariance[row, y[c]]
    for c in range(len(starts) - 1):
        for a in range(starts[c], starts[c + 1]):
            for b in range(starts[c], starts[c + 1]):
                inside[a, b - starts[c]] = covariance[y[a], y[b]]


@compiled
def _eliminate(block, inside, starts, p):  # type: ignore
    """Turn covariances into those given row p, below it and right of the diagonal."""
    n_rows, n_columns = block.shape
    pivot = block[p, p]
    for r in range(p + 1, n_rows):
        factor = block[p, r]
        for c in range(r, n_columns):
            block[r, c] -= factor * block[p, c] / pivot
    for c in range(len(starts) - 1):
        for a in range(starts[c], starts[c + 1]):
            factor = block[p, n_rows + a]
            for b in range(starts[c], starts[c + 1]):
                inside[a, b - starts[c]] -= factor * block[p, n_rows + b] / pivot


@compiled
def _put_x(matrix, scales, block, covariance, x, n_z, at):  # type: ignore
    """Copy the covariances of x, and the variances it had at first."""
    for a in range(len(x)):
        scales[at + a] = covariance[x[a], x[a]]
        for b in range(len(x)):
            matrix[at + a, at + b] = block[n_z + min(a, b), n_z + max(a, b)]


@compiled
def _put_y(matrix, scales, inside, covariance, y, first, size, at):  # type: ignore
    """Copy the covariances of one candidate, and the variances it had at first."""
    for a in range(size):
        scales[at + a] = covariance[y[first + a], y[first + a]]
        for b in range(size):
            matrix[at + a, at + b] = inside[first + a, b]


@compiled
def _log_determinant(matrix, scales, size, redundant):  # type: ignore
    """Return the log determinant of the first rows by pivots, destroying the matrix.

    A row that others determine counts the same alone and with more, however it is rounded.
    """
    total = 0.0
    for p in range(size):
        pivot = matrix[p, p]
        if pivot > redundant * scales[p]:
            total += math.log(pivot)
            for r in range(p + 1, size):
                factor = matrix[r, p]
                for c in range(p + 1, size):
                    matrix[r, c] -= factor * matrix[p, c] / pivot
        elif scales[p] > 0:
            total += math.log(ROUNDING * scales[p])
    return total


@compiled
def conditional_information(covariance, x, y, starts, z, ridge, redundant):  # type: ignore
    """Return I(x; y | z) for each candidate, whose rows are y[starts[c] : starts[c + 1]]."""
    n_z, n_x, n_candidates = len(z), len(x), len(starts) - 1
    largest = n_x
    for c in range(n_candidates):
        largest = max(largest, starts[c + 1] - starts[c])
    block = np.empty((n_z + n_x, n_z + n_x + len(y)))
    inside = np.empty((len(y), largest))
    _fill(block, inside, covariance, x, y, starts, z)
    for p in range(n_z):
        block[p, p] += ridge
    for p in range(n_z):
        if block[p, p] > redundant * covariance[z[p], z[p]]:
            _eliminate(block, inside, starts, p)

    values = np.zeros(n_candidates)
    matrix, scales = np.empty((n_x + largest, n_x + largest)), np.empty(n_x + largest)
    _put_x(matrix, scales, block, covariance, x, n_z, 0)
    alone = _log_determinant(matrix, scales, n_x, redundant)
    for c in range(n_candidates):
        first, size = starts[c], starts[c + 1] - starts[c]
        if n_x == 1 and size == 1:
            here, there = block[n_z, n_z], inside[first, 0]
            of_x, of_y = covariance[x[0], x[0]], covariance[y[first], y[first]]
            if here > redundant * of_x and there > redundant * of_y:
                share = block[n_z, n_z + 1 + first] ** 2 / (here * there)
                values[c] = -0.5 * math.log1p(-min(share, 1 - ROUNDING))
        elif n_x > 0 and size > 0:
            _put_y(matrix, scales, inside, covariance, y, first, size, 0)
            apart = _log_determinant(matrix, scales, size, redundant)
            # Determinants take rows in their order, whichever is x.
            at_x, at_y = (size, 0) if y[first] < x[0] else (0, n_x)
            _put_x(matrix, scales, block, covariance, x, n_z, at_x)
            _put_y(matrix, scales, inside, covariance, y, first, size, at_y)
            for a in range(n_x):
                for b in range(size):
                    across = block[n_z + a, n_z + n_x + first + b]
                    matrix[at_x + a, at_y + b] = across
                    matrix[at_y + b, at_x + a] = across
            joint = _log_determinant(matrix, scales, n_x + size, redundant)
            values[c] = 0.5 * (alone + apart - joint)
    return values
