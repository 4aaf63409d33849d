"""Features of a table: each variable as a short block of orthonormal functions of itself.

A numeric column enters by its normal score z, then |z|, z^3 - 3 z and linear splines; their number
grows with the rows, and a column of L levels has at most L - 1. A value that many rows share has an
indicator of its own. A nominal column, and any column of two values, enters by indicators of its
levels, the rare ones joined. The features of a variable have mean 0, variance 1 and no correlation.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.table import Column, Table

__all__ = ["FEW_LEVELS", "FeatureMap", "most_functions", "n_functions", "normal_scores_of"]

RARE = 5
"""Rows below which a level of a nominal column is joined with other rare ones: no regression learns
from fewer."""

MOST_LEVELS = 25
"""Levels of a nominal column that keep an indicator of their own, the most frequent."""

HEAVY = 0.05
"""Share of rows from which on a value of a continuous column has an indicator: a point mass."""

FEW_LEVELS = 10
"""Levels up to which a numeric column is taken as discrete."""

REDUNDANT = 1e-6
"""Share of a feature's variance left by earlier ones of its variable below which it is dropped."""

MOST_WITHIN = 40
"""Products of the columns of one variable, at most."""

MOST_FUNCTIONS = 64
"""Functions of a column on which others depend by waves or jumps, at most."""

ROWS_FOR_WAVES = 400
"""Rows from which on columns may have as many."""

CHUNK = 4096
"""Rows whose features are held at a time."""


def n_functions(n_samples: int) -> int:
    """Return how many functions a continuous column has: 3 at 100 rows, 7 at 1,000, 17 at 100,000.

    A regression of x and one of y that each miss a share e of what the conditions explain let a
    correlation of e^2 through, which is noise as long as e^2 is less than n^(-1/2). Splines of a
    function with two derivatives miss K^(-2), so K has to grow a little faster than n^(1/8). With
    few rows each function costs more than it explains: the conditions of a node with five neighbors
    take at most 1.5 roots of n.
    """
    return max(1, min(round(2.1 * n_samples**0.18), round(n_samples**0.5 / 3.3)))


def most_functions(n_samples: int) -> int:
    """Return how many a column has where few miss much: 20 at 1,000 rows, 62 at 10,000.

    No more than others in tables of few rows, where what functions cost is more than what waves or
    jumps that are missed do.
    """
    if n_samples < ROWS_FOR_WAVES:
        return n_functions(n_samples)
    return min(round(n_samples**0.5 / 1.6), MOST_FUNCTIONS)


def normal_scores_of(counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the normal quantiles of the mean ranks of distinct values with these counts."""
    from scipy.special import ndtri

    total = counts.sum()
    middle = np.cumsum(counts) - counts / 2
    score: NDArray[np.float64] = ndtri(middle / total)
    mean = score @ counts / total
    return np.asarray((score - mean) / np.sqrt((score - mean) ** 2 @ counts / total))


@dataclass(frozen=True, eq=False)
class _ColumnMap:
    """From the values of a column to its raw features.

    Attributes
    ----------
    values : ndarray
        Distinct values, ascending.
    scores : ndarray or None
        Their normal scores; None for indicators alone.
    knots : ndarray
        Where linear splines begin, on the scale of scores.
    marked : ndarray
        Positions of the values that have an indicator; of a nominal column also -1, which stands
        for all rare levels.
    rare : ndarray of bool
        Which distinct values are rare.
    sizes : tuple of int
        Number of first features, of second ones and of further ones.
    has_products : bool
        Whether first features of the columns of a variable are multiplied.
    """

    values: NDArray[np.float64]
    scores: NDArray[np.float64] | None
    knots: NDArray[np.float64]
    marked: NDArray[np.intp]
    rare: NDArray[np.bool_]
    sizes: tuple[int, int, int]
    has_products: bool

    def features(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the raw features of some rows, one row for each feature."""
        position = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        if self.scores is None:
            position = np.where(self.rare[position], -1, position)
            return (position == self.marked[:, None]).astype(float)
        z = self.scores[position]
        n_smooth = sum(self.sizes) - len(self.marked)
        found = [z, np.abs(z), z**3 - 3 * z][:n_smooth]
        found += [np.maximum(z - knot, 0.0) for knot in self.knots]
        found += [(position == mark).astype(float) for mark in self.marked]
        return np.array(found)

    def with_functions(self, n_most: int) -> _ColumnMap:
        """Return the map with at most `n_most` smooth features, as few as now at least."""
        n_now = sum(self.sizes) - len(self.marked)
        n_smooth = min(n_most, len(self.values) - 1)
        if self.scores is None or n_smooth <= n_now:
            return self
        first, second = 1, min(n_smooth, 2) - 1
        further = n_smooth - first - second + len(self.marked)
        return replace(self, knots=_knots(n_smooth - 3), sizes=(first, second, further))


def _knots(n_knots: int) -> NDArray[np.float64]:
    """Return normal quantiles with as many rows between them."""
    from scipy.special import ndtri

    n_knots = max(n_knots, 0)
    return np.asarray(ndtri(np.arange(1, n_knots + 1) / (n_knots + 1)))


def _column_map(column: Column, values: NDArray[np.float64], n_most: int) -> _ColumnMap:
    """Return the features of a column, at most `n_most` smooth ones."""
    distinct, counts = np.unique(values, return_counts=True)
    nothing, products = np.empty(0, dtype=np.intp), n_most > 1
    if len(distinct) == 1:
        return _ColumnMap(
            distinct, None, np.empty(0), nothing, np.zeros(1, dtype=bool), (0, 0, 0), products
        )
    if column.kind == "nominal" or len(distinct) == 2:
        rare = _rare(counts)
        marked = np.flatnonzero(~rare)
        if rare.any():
            marked = np.append(marked, -1)
            sizes = np.append(counts[~rare], counts[rare].sum())
        else:
            sizes = counts
        marked = np.delete(marked, np.argmax(sizes))
        return _ColumnMap(distinct, None, np.empty(0), marked, rare, (len(marked), 0, 0), products)
    n_smooth = min(n_most, len(distinct) - 1)
    discrete = len(distinct) <= FEW_LEVELS or n_most == 1
    heavy = nothing if discrete else np.flatnonzero(counts >= HEAVY * len(values))
    return _ColumnMap(
        distinct,
        normal_scores_of(counts),
        _knots(n_smooth - 3),
        heavy,
        np.zeros(len(distinct), dtype=bool),
        (1, min(n_smooth, 2) - 1, max(n_smooth - 2, 0) + len(heavy)),
        products,
    )


def _rare(counts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which levels of a nominal column are too rare for an indicator."""
    if len(counts) == 2:
        return np.zeros(2, dtype=bool)
    rare = counts < RARE
    if len(counts) > MOST_LEVELS:
        rare |= counts <= np.sort(counts)[-MOST_LEVELS - 1]  # equal ones alike, whatever the labels
    if rare.any() and counts[rare].sum() < RARE and not rare.all():
        smallest = counts == counts[~rare].min()
        rare |= smallest  # a few rows alone are no group
    return rare


@dataclass(frozen=True, eq=False)
class _Block:
    """From the values of a variable to its features.

    Attributes
    ----------
    maps : tuple of _ColumnMap
        From each of its columns to raw features.
    center, transform : ndarray
        Means of these, and what makes them orthonormal.
    sizes : tuple of int
        How many features are first ones, first or second ones, and all.
    """

    maps: tuple[_ColumnMap, ...]
    center: NDArray[np.float64]
    transform: NDArray[np.float64]
    sizes: tuple[int, int, int]

    @classmethod
    def fit(cls, maps: tuple[_ColumnMap, ...], values: NDArray[np.float64]) -> _Block:
        """Return the features that come from maps of columns with these values."""
        return cls(maps, *_orthonormal(maps, values))

    def features(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features of some rows, one row for each feature."""
        return np.asarray(self.transform.T @ (_raw(self.maps, values) - self.center[:, None]))


class FeatureMap:
    """From rows of a table to features.

    Attributes
    ----------
    starts : ndarray of shape (n_variables + 1,)
        Variable i owns the features `starts[i]` to `starts[i + 1] - 1`.
    n_first : ndarray
        How many of them, the first, stand for the order or the level of the variable.
    n_low : ndarray
        How many of them, the first ones included, stand for these and for its spread.
    """

    def __init__(self, blocks: Sequence[_Block]) -> None:
        self._blocks = tuple(blocks)
        sizes = np.array([block.sizes for block in blocks], dtype=np.intp).reshape(-1, 3)
        self.n_first, self.n_low, every = sizes.T
        self.starts = np.concatenate([[0], np.cumsum(every)]).astype(np.intp)

    @classmethod
    def fit(cls, table: Table, n_most: int) -> FeatureMap:
        """Return the features that suit the columns of a table."""
        blocks = []
        for i in range(table.n_variables):
            values = table.values_of(i)
            columns = zip(table.columns_of(i), values, strict=True)
            maps = tuple(_column_map(column, own, n_most) for column, own in columns)
            blocks.append(_Block.fit(maps, values))
        return cls(blocks)

    def with_functions(self, table: Table, variables: Sequence[int], n_most: int) -> FeatureMap:
        """Return the map in which some variables have at most `n_most` smooth functions."""
        blocks = list(self._blocks)
        for i in variables:
            blocks[i] = _Block.fit(self._with_functions(i, n_most), table.values_of(i))
        return FeatureMap(blocks)

    def functions(
        self, table: Table, i: int, n_most: int, rows: slice | NDArray[np.intp]
    ) -> NDArray[np.float64] | None:
        """Return up to `n_most` raw smooth functions of a variable, a row for each.

        None if it has no more of them than the map gives it.
        """
        maps = self._with_functions(i, n_most)
        if maps == self._blocks[i].maps:
            return None
        return _raw(maps, table.values_of(i)[:, rows])

    def _with_functions(self, i: int, n_most: int) -> tuple[_ColumnMap, ...]:
        return tuple(own.with_functions(n_most) for own in self._blocks[i].maps)

    @property
    def n_features(self) -> int:
        """Features of all variables."""
        return int(self.starts[-1])

    def features(self, table: Table, rows: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the features of some rows of a table, shape (rows, n_features)."""
        return np.vstack([self.block(table, i, rows) for i in range(len(self._blocks))]).T

    def block(self, table: Table, i: int, rows: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the features of one variable in some rows, shape (n_features, rows)."""
        return self._blocks[i].features(table.values_of(i)[:, rows])


def _raw(maps: tuple[_ColumnMap, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the raw features of a variable: first ones of all its columns, second, further."""
    parts: tuple[list[NDArray[np.float64]], ...] = ([], [], [])
    for own, row in zip(maps, values, strict=True):
        features, begin = own.features(row), 0
        for part, size in zip(parts, own.sizes, strict=True):
            part.append(features[begin : begin + size])
            begin += size
    parts[2].extend(a[:, None] * b for a, b in _column_pairs(maps, parts[0]))
    return np.vstack([feature.reshape(-1, values.shape[1]) for part in parts for feature in part])


def _column_pairs(maps: Sequence[_ColumnMap], of: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return what belongs to each two columns of a variable whose products are features."""
    if not maps[0].has_products:
        return []
    sizes = [own.sizes[0] for own in maps]
    pairs = list(itertools.combinations(range(len(maps)), 2))
    if sum(sizes[a] * sizes[b] for a, b in pairs) > MOST_WITHIN:
        return []
    return [(of[a], of[b]) for a, b in pairs]


def _orthonormal(
    maps: tuple[_ColumnMap, ...], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, int, int]]:
    """Return the means of raw features, the transform that makes them orthonormal, and its sizes.

    Each feature is freed of those before it; one that they determine is dropped.
    """
    n_within = sum(a * b for a, b in _column_pairs(maps, [own.sizes[0] for own in maps]))
    n_raw, n_samples = sum(sum(own.sizes) for own in maps) + n_within, values.shape[1]
    total, cross = np.zeros(n_raw), np.zeros((n_raw, n_raw))
    for begin in range(0, n_samples, CHUNK):
        raw = _raw(maps, values[:, begin : begin + CHUNK])
        total += raw.sum(axis=1)
        cross += raw @ raw.T
    mean = total / n_samples
    covariance = cross / n_samples - np.outer(mean, mean)
    ends = np.cumsum([sum(own.sizes[part] for own in maps) for part in range(3)])
    ends[2] += n_within
    transform = np.zeros((n_raw, 0))
    sizes = [0, 0, 0]
    for k in range(n_raw):
        column = np.zeros(n_raw)
        column[k] = 1.0
        for _ in range(2):  # once more, for the rounding of the first
            column = column - transform @ (transform.T @ (covariance @ column))
        left = column @ covariance @ column
        if left > REDUNDANT * max(covariance[k, k], np.finfo(float).tiny):
            transform = np.column_stack([transform, column / np.sqrt(left)])
            sizes[int(np.searchsorted(ends, k, side="right"))] += 1
    first, second, further = sizes
    return mean, transform, (first, first + second, first + second + further)
