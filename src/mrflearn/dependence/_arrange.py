"""Samples in an order that suits a kernel, and columns laid out in that order."""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled
from mrflearn.dependence._lanes import LANES

__all__ = ["arrange", "as_lines", "pack_columns", "pack_rows"]


@compiled
def arrange(columns, nominal, size):  # type: ignore
    """Return an order of the samples, and where in it the leaves start and the last one ends.

    Leaves hold at most `size` samples, near each other: halves of halves, split at the median of
    the widest column; a nominal one with several labels counts as infinitely wide.
    """
    n_columns, n_samples = columns.shape
    order = np.empty(n_samples, dtype=np.int32)
    for n in range(n_samples):
        order[n] = n
    starts = np.empty(n_samples + 1, dtype=np.int64)
    n_starts = 0
    pending = np.empty((128, 2), dtype=np.int64)
    pending[0, 0], pending[0, 1] = 0, n_samples
    n_pending = 1
    while n_pending > 0:
        n_pending -= 1
        first, last = pending[n_pending, 0], pending[n_pending, 1]
        widest, split = 0.0, -1
        if last - first > size:
            for c in range(n_columns):
                low, high = np.inf, -np.inf
                for position in range(first, last):
                    value = columns[c, order[position]]
                    low, high = min(low, value), max(high, value)
                width = np.inf if nominal[c] and high > low else high - low
                if width > widest:
                    widest, split = width, c
        if split < 0:
            starts[n_starts] = first
            n_starts += 1
            continue
        middle = (first + last) // 2
        low, high = first, last - 1
        while low < high:  # Hoare's selection, of samples by their value
            pivot = columns[split, order[(low + high) >> 1]]
            i, j = low, high
            while i <= j:
                while columns[split, order[i]] < pivot:
                    i += 1
                while columns[split, order[j]] > pivot:
                    j -= 1
                if i <= j:
                    order[i], order[j] = order[j], order[i]
                    i += 1
                    j -= 1
            if middle <= j:
                high = j
            elif middle >= i:
                low = i
            else:
                break
        pending[n_pending, 0], pending[n_pending, 1] = middle, last
        pending[n_pending + 1, 0], pending[n_pending + 1, 1] = first, middle
        n_pending += 2
    starts[n_starts] = n_samples
    return order, starts[: n_starts + 1]


@compiled
def pack_rows(values, members, order):  # type: ignore
    """Return layers of eight columns side by side, shape (n_layers, N, LANES)."""
    n_layers, n_samples = len(members), len(order)
    rows = np.empty((n_layers, n_samples, LANES))
    for layer in range(n_layers):
        for m in range(n_samples):
            for c in range(LANES):
                rows[layer, m, c] = values[members[layer, c], order[m]]
    return rows


@compiled
def as_lines(rows):  # type: ignore
    """Return the columns of all layers one after the other, shape (n_layers * LANES, N)."""
    n_layers, n_samples, _ = rows.shape
    lines = np.empty((n_layers * LANES, n_samples))
    for layer in range(n_layers):
        for c in range(LANES):
            for m in range(n_samples):
                lines[layer * LANES + c, m] = rows[layer, m, c]
    return lines


@compiled
def pack_columns(values, columns, order):  # type: ignore
    """Return some columns with the samples in an order, each padded to a multiple of 64 entries."""
    n_samples = len(order)
    width = (n_samples + 63) // 64 * 64
    packed = np.empty((len(columns), width))
    for c in range(len(columns)):
        for m in range(n_samples):
            packed[c, m] = values[columns[c], order[m]]
        for m in range(n_samples, width):
            packed[c, m] = 0.0
    return packed
