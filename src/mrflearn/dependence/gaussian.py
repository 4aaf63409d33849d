"""Closed form for Gaussian data, on correlations or on correlations of normal scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import as_text, check_memory
from mrflearn.dependence.base import Dependence, Specification, TableDependence
from mrflearn.dependence.null import Null
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["BoundGaussian", "Gaussian", "gaussian_cmi", "normal_scores"]

REDUNDANT = 1e-10
"""Share of a column's variance left by the others below which it counts as determined by them."""

MOST_FOR_LABELS = 2**31
"""Bytes that correlations of one column's labels may take; more is a column of identifiers."""


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
        for column in table.columns:
            needed = 8 * column.n_distinct * (column.n_distinct + table.n_samples)
            if column.kind == "nominal" and needed > MOST_FOR_LABELS:
                raise InputError(
                    f"column {column.name!r} has {column.n_distinct} labels, and correlations with "
                    f"each of them take {as_text(needed)}: merge rare labels, leave the column "
                    "out, or choose dependence 'auto'"
                )
        return BoundGaussian(table, self.copula)


class BoundGaussian(TableDependence):
    """Correlations of a table's columns, nominal ones as indicators of all levels but one."""

    symmetric = True
    has_null = True

    def __init__(self, table: Table, copula: bool) -> None:
        super().__init__(table)
        self.ridge = 0.0  # `Correlations` sets another
        rows, owners = [], []
        all_values = table.values.copy()
        if copula:
            all_values[~table.nominal] = normal_scores(all_values[~table.nominal])
        for i in range(table.n_variables):
            own = all_values[table.starts[i] : table.starts[i + 1]]
            for column, values in zip(table.columns_of(i), own, strict=True):
                if column.kind == "nominal":
                    new = [(values == level).astype(float) for level in np.unique(values)[1:]]
                else:
                    new = [values]
                rows += new
                owners += [i] * len(new)
        self.correlation = _correlation(np.array(rows).reshape(len(rows), table.n_samples))
        self.owned: list[list[int]] = [[] for _ in range(table.n_variables)]
        for row, owner in enumerate(owners):
            self.owned[owner].append(row)

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        z = [row for variable in given for row in self.owned[variable]]
        y = [self.owned[j] for j in candidates]
        return gaussian_cmi(self.correlation, self.owned[i], y, z, self.ridge)

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Return chi-square variables with the scale of Bartlett (1938)."""
        n_conditions = sum(len(self.owned[z]) for z in given)
        sides = len(self.owned[i]) + np.array([len(self.owned[j]) for j in candidates])
        left = self.table.n_samples - n_conditions - 1 - (sides + 1) / 2
        return Null.chi_square(self.degrees(i, candidates), 0.5 / np.maximum(left, 0.5))

    def degrees(self, i: int, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how many correlations stand between `i` and each candidate."""
        return len(self.owned[i]) * np.array([len(self.owned[j]) for j in candidates], dtype=float)


def gaussian_cmi(
    covariance: NDArray[np.float64],
    x: Sequence[int],
    candidates: Sequence[Sequence[int]],
    z: Sequence[int],
    ridge: float = 0.0,
) -> NDArray[np.float64]:
    """Return I(x; y | z) for each candidate y, every one a set of rows of `covariance`.

    `ridge` is added to the variances of the conditions, as in ridge regression on them. A value has
    the same bits whatever else is asked with it, and in either direction.
    """
    from mrflearn.dependence._elimination import conditional_information

    starts = np.array([*accumulate(map(len, candidates), initial=0)], dtype=np.int64)
    y = np.array([*chain.from_iterable(candidates)], dtype=np.int64)
    rows, conditions = np.array(x, dtype=np.int64), np.array(z, dtype=np.int64)
    return conditional_information(covariance, rows, y, starts, conditions, ridge, REDUNDANT)


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
    """Return the normal quantiles of the ranks, ties averaged, along the last axis."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n_samples = values.shape[-1]
    ranks = rankdata(values, axis=-1)
    below = np.minimum(ranks, n_samples + 1 - ranks)  # so that scores are exactly symmetric
    return np.where(ranks == below, 1.0, -1.0) * ndtri(below / (n_samples + 1))
