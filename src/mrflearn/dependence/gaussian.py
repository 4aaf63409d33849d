"""Closed form for Gaussian data, on correlations or on correlations of normal scores."""

from __future__ import annotations

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

    def __init__(self, table: Table, copula: bool, ridge: float = 0.0) -> None:
        super().__init__(table)
        self.ridge = ridge
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
        y = [self.owned[j] for j in candidates]
        return gaussian_cmi(self.correlation, self.owned[i], y, z, self.ridge)

    def degrees(self, i: int, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how many correlations stand between `i` and each candidate."""
        return len(self.owned[i]) * np.array([len(self.owned[j]) for j in candidates], dtype=float)


def gaussian_cmi(
    covariance: NDArray[np.float64],
    x: NDArray[np.int64],
    candidates: list[NDArray[np.int64]],
    z: list[int],
    ridge: float = 0.0,
) -> NDArray[np.float64]:
    """Return I(x; y | z) for each candidate y, every one a set of rows of `covariance`.

    `ridge` is added to the variances of the conditions, as in ridge regression on them.

    The conditions are swept out one after the other by elementwise operations, so that a value
    has the same bits whatever else is asked with it, and in either direction.
    """
    rows = np.concatenate([np.asarray(z, dtype=np.int64), x])
    scale = covariance[np.arange(len(covariance)), np.arange(len(covariance))]
    values = np.zeros(len(candidates))
    # Candidates with equally many rows are answered together; those before x apart from those
    # after it, since determinants take rows in their order, whichever is x.
    alike: dict[tuple[int, bool], list[int]] = {}
    for c, owned in enumerate(candidates):
        size = len(owned)
        before = size > 0 and len(x) > 0 and bool(owned[0] < x[0])
        alike.setdefault((size, before), []).append(c)
    for (size, before), members in alike.items():
        y = np.concatenate([candidates[c] for c in members]).reshape(len(members), size)
        columns = np.concatenate([rows, y.ravel()])
        block = covariance[np.ix_(rows, columns)]
        own = covariance[y[:, :, None], y[:, None, :]]
        _sweep(block, own, len(z), scale[rows], ridge)
        x_own = block[len(z) :, len(z) : len(rows)]
        cross = block[len(z) :, len(rows) :].reshape(len(x), len(members), size)
        if len(x) == size == 1:
            here, there = x_own[0, 0], own[:, 0, 0]
            left = (here > REDUNDANT * scale[x[0]]) & (there > REDUNDANT * scale[y[:, 0]])
            share = np.divide(cross[0, :, 0] ** 2, here * there, out=np.zeros(len(y)), where=left)
            values[members] = -0.5 * np.log1p(-np.minimum(share, 1 - 2**-51))
        else:
            values[members] = _by_determinants(x_own, own, cross, scale[x], scale[y], before)
    return values


def _sweep(
    block: NDArray[np.float64],
    own: NDArray[np.float64],
    n_conditions: int,
    scale: NDArray[np.float64],
    ridge: float,
) -> None:
    """Turn covariances into those given the first rows of `block`, in place.

    `block` has rows of z and x, and columns of z, x and all candidates; `own` the covariances
    inside each candidate.
    """
    n_rows, (n_candidates, size, _) = len(block), own.shape
    conditions = np.arange(n_conditions)
    block[conditions, conditions] += ridge
    for p in range(n_conditions):
        pivot = block[p, p]
        if pivot > REDUNDANT * scale[p]:
            row = block[p, n_rows:].reshape(n_candidates, size)
            own -= row[:, :, None] * row[:, None, :] / pivot
            block -= block[:, p].copy()[:, None] * block[p].copy()[None, :] / pivot


def _by_determinants(
    x_own: NDArray[np.float64],
    own: NDArray[np.float64],
    cross: NDArray[np.float64],
    x_scale: NDArray[np.float64],
    y_scale: NDArray[np.float64],
    before: bool,
) -> NDArray[np.float64]:
    """Return half of log det x + log det y - log det (x, y) for each candidate y."""
    n_x, (n_candidates, size, _) = len(x_own), own.shape
    x_first = np.arange(n_x + size)
    both = np.empty((n_candidates, n_x + size, n_x + size))
    both[:, :n_x, :n_x], both[:, n_x:, n_x:] = x_own, own
    both[:, :n_x, n_x:] = cross.transpose(1, 0, 2)
    both[:, n_x:, :n_x] = cross.transpose(1, 2, 0)
    scales = np.hstack([np.broadcast_to(x_scale, (n_candidates, n_x)), y_scale])
    if before:
        x_first = np.roll(x_first, size)
    joint = both[:, x_first[:, None], x_first], scales[:, x_first]
    alone = _log_determinants(x_own[None], x_scale[None])
    return 0.5 * (alone + _log_determinants(own, y_scale) - _log_determinants(*joint))


def _log_determinants(
    covariances: NDArray[np.float64], scales: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log determinants by pivots; one that is nearly 0 counts as a rounding error."""
    left = covariances.copy()
    total = np.zeros(len(left))
    for p in range(left.shape[1]):
        pivot, scale = left[:, p, p].copy(), scales[:, p]
        kept = pivot > REDUNDANT * scale
        # A row that others determine counts the same alone and with more, however it is rounded.
        counted = np.where(kept, pivot, 2**-51 * scale)
        total += np.log(counted, out=np.zeros_like(pivot), where=scale > 0)
        step = left[:, :, p, None] * left[:, None, p, :]
        left -= np.divide(step, pivot[:, None, None], out=np.zeros_like(step),
                          where=kept[:, None, None])  # fmt: skip
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

    ranks = rankdata(values)
    below = np.minimum(ranks, len(values) + 1 - ranks)  # so that scores are exactly symmetric
    return np.where(ranks == below, 1.0, -1.0) * ndtri(below / (len(values) + 1))
