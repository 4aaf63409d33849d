"""Closed form for Gaussian data, on correlations or on correlations of normal scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import Dependence, Specification, TableDependence, check_memory
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["BoundGaussian", "Gaussian", "gaussian_cmi", "normal_scores"]

REDUNDANT = 1e-10
"""Share of a column's variance left by the others below which it counts as determined by them."""


@dataclass(frozen=True)
class Gaussian(Specification):
    """Conditional mutual information of the Gaussian with the same correlations. Symmetric.

    -1/2 ln(1 - r^2), r the partial correlation; for variables of several columns, from
    determinants. A nominal column enters as indicators of its levels. Two columns that determine
    each other give 17.7 nats, not infinity; a column of which the conditions leave less than 1e-10
    of its variance counts as determined by them, and gives 0.

    Parameters
    ----------
    copula : bool, default=False
        Replace continuous and ordinal columns by their normal scores first, so that monotone
        transforms of a column change nothing.
    """

    copula: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.copula, (bool, np.bool_)):
            raise InputError(f"copula must be True or False, got {self.copula!r}")

    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`."""
        n_columns = len(table.columns)
        needed = 8 * n_columns * (n_columns + table.n_samples)
        check_memory(needed, max_memory, f"a correlation matrix of {n_columns} columns")
        return BoundGaussian(table, self.copula)


class BoundGaussian(TableDependence):
    """Correlations of a table's columns, nominal ones as indicators of all levels but one."""

    symmetric = True

    def __init__(self, table: Table, copula: bool) -> None:
        super().__init__(table)
        rows, owners = [], []
        for i in range(table.n_variables):
            for column, values in zip(table.columns_of(i), table.values_of(i), strict=True):
                if column.kind == "nominal":
                    new = [(values == level).astype(float) for level in np.unique(values)[1:]]
                else:
                    new = [normal_scores(values) if copula else values]
                rows += new
                owners += [i] * len(new)
        owned = np.array(owners, dtype=np.int64)
        self.correlation = _correlation(np.array(rows).reshape(len(rows), table.n_samples))
        self.owned = [np.flatnonzero(owned == i) for i in range(table.n_variables)]

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        z = [int(c) for variable in given for c in self.owned[variable]]
        return gaussian_cmi(self.correlation, self.owned[i], [self.owned[j] for j in candidates], z)

    def degrees(self, i: int, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how many correlations stand between `i` and each candidate."""
        return len(self.owned[i]) * np.array([len(self.owned[j]) for j in candidates], dtype=float)


def gaussian_cmi(
    covariance: NDArray[np.float64],
    x: NDArray[np.int64],
    candidates: list[NDArray[np.int64]],
    z: list[int],
) -> NDArray[np.float64]:
    """Return I(x; y | z) for each candidate y, every one a set of rows of `covariance`.

    The conditions are swept out one after the other by elementwise operations, so that a value
    has the same bits whatever else is asked with it, and in either direction.
    """
    y = np.concatenate(candidates) if candidates else np.empty(0, dtype=np.int64)
    rows = np.concatenate([np.asarray(z, dtype=np.int64), x])
    columns = np.concatenate([rows, y])
    block = covariance[np.ix_(rows, columns)].copy()
    variance = covariance[y, y].copy()
    scale = covariance[np.arange(len(covariance)), np.arange(len(covariance))]
    n_z, n_rows = len(z), len(rows)
    for p in range(n_z):
        pivot = block[p, p]
        if pivot > REDUNDANT * scale[rows[p]]:
            variance -= block[p, n_rows:] * block[p, n_rows:] / pivot
            left = block[:, p].copy()
            block -= left[:, None] * block[p][None, :] / pivot
    values = np.zeros(len(candidates))
    start = 0
    for c, owned in enumerate(candidates):
        end = start + len(owned)
        if len(x) == len(owned) == 1:
            here = block[n_z, n_z]
            there = variance[start]
            if here > REDUNDANT * scale[x[0]] and there > REDUNDANT * scale[owned[0]]:
                cross = block[n_z, n_rows + start]
                share = cross * cross / (here * there)
                values[c] = -0.5 * math.log1p(-min(share, 1 - 2**-51))
        else:
            values[c] = 0.5 * (
                _log_determinant(covariance, x, z)
                + _log_determinant(covariance, owned, z)
                - _log_determinant(covariance, np.concatenate([x, owned]), z)
            )
        start = end
    return values


def _log_determinant(
    covariance: NDArray[np.float64], wanted: NDArray[np.int64], z: list[int]
) -> float:
    """Return the log determinant of the covariance of `wanted` given `z`, by pivots."""
    index = np.concatenate([np.asarray(z, dtype=np.int64), np.sort(wanted)])
    block = covariance[np.ix_(index, index)].copy()
    scale = block.diagonal().copy()
    total = 0.0
    for p in range(len(index)):
        pivot = block[p, p]
        redundant = pivot <= REDUNDANT * scale[p]
        if p >= len(z) and scale[p] > 0:
            total += math.log(max(pivot, 2**-51 * scale[p]))
        if not redundant:
            block -= block[:, p].copy()[:, None] * block[p].copy()[None, :] / pivot
    return total


def _correlation(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation matrix; a constant row has variance and covariances 0."""
    # A power of two brings each row near one, so that no square over- or underflows.
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = np.clip(unit @ unit.T, -1.0, 1.0)
    correlation = (correlation + correlation.T) / 2
    np.fill_diagonal(correlation, (length[:, 0] > 0).astype(float))
    return correlation


def normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal quantiles of the ranks, ties averaged."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return ndtri(rankdata(values) / (len(values) + 1))
