"""Plug-in entropies: conditional mutual information of observed counts, for discrete columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import Dependence, Specification, TableDependence
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["CORRECTIONS", "PlugIn"]

CORRECTIONS = (None, "miller-madow", "df", "bic")

ROUNDING = 2**-48
"""Estimates of less than this share of ln N are rounding errors of an exact 0."""


@dataclass(frozen=True)
class PlugIn(Specification):
    """Conditional mutual information of the observed frequencies. Symmetric.

    Parameters
    ----------
    correction : {None, "miller-madow", "df", "bic"}, default=None
        What to do about the upward bias of the plain estimate. `"miller-madow"` adds
        (cells - 1) / 2N to every entropy. `"df"` subtracts `strength` * df / 2N, with df the
        degrees of freedom *observed*: (cells of (x, z) - cells of z) * (cells of (y, z) - cells of
        z) / cells of z. `"bic"` is `"df"` with strength ln N.
    strength : float, default=2.0
        For `"df"`: 1 removes the expected bias under independence, 2 is the Akaike criterion.
    """

    correction: str | None = None
    strength: float = 2.0

    def __post_init__(self) -> None:
        if self.correction == "none":
            object.__setattr__(self, "correction", None)
        if self.correction not in CORRECTIONS:
            raise unknown("correction", self.correction, ("none", *CORRECTIONS[1:]))
        if not isinstance(self.strength, (int, float)) or not math.isfinite(self.strength):
            raise InputError(f"strength must be a finite number, got {self.strength!r}")

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        return _BoundPlugIn(table, self)


class _BoundPlugIn(TableDependence):
    symmetric = True

    def __init__(self, table: Table, specification: PlugIn) -> None:
        super().__init__(table)
        continuous = [column.name for column in table.columns if column.kind == "continuous"]
        if continuous:
            others = f" (and {len(continuous) - 1} more)" if len(continuous) > 1 else ""
            raise InputError(
                f"dependence 'plugin' counts levels, and column {continuous[0]!r}{others} is "
                "continuous: use dependence 'knn', or declare its levels with "
                f"kinds={{{continuous[0]!r}: 'ordinal'}}"
            )
        self.correction = specification.correction
        self.strength = specification.strength
        if self.correction == "bic":
            self.strength = math.log(table.n_samples)
        codes = []
        for i in range(table.n_variables):
            joint = np.zeros(table.n_samples, dtype=np.int64)
            for values in table.values_of(i):
                joint = _refined(joint, np.unique(values, return_inverse=True)[1])
            codes.append(joint)
        self.codes = codes

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        z = np.zeros(self.table.n_samples, dtype=np.int64)
        for variable in given:
            z = _refined(z, self.codes[variable])
        xz = _refined(z, self.codes[i])
        count_z, count_xz = np.bincount(z), np.bincount(xz)
        return np.array(
            [
                self._estimate(
                    count_z,
                    count_xz,
                    np.bincount(_refined(z, self.codes[j])),
                    np.bincount(_refined(xz, self.codes[j])),
                )
                for j in candidates
            ]
        )

    def _estimate(
        self,
        count_z: NDArray[np.int64],
        count_xz: NDArray[np.int64],
        count_yz: NDArray[np.int64],
        count_xyz: NDArray[np.int64],
    ) -> float:
        n = self.table.n_samples
        # How many cells hold v samples, summed exactly over v: blind to the names of the cells.
        cells = np.bincount(count_xyz, minlength=n + 1) + np.bincount(count_z, minlength=n + 1)
        cells -= np.bincount(count_xz, minlength=n + 1)
        cells -= np.bincount(count_yz, minlength=n + 1)
        sizes = np.flatnonzero(cells)
        value = math.fsum((cells[sizes] * sizes * np.log(sizes)).tolist()) / n
        if abs(value) < ROUNDING * math.log(n):
            value = 0.0
        k_z, k_xz, k_yz, k_xyz = map(len, (count_z, count_xz, count_yz, count_xyz))
        if self.correction == "miller-madow":
            return value + (k_xz + k_yz - k_xyz - k_z) / (2 * n)
        if self.correction is not None:
            degrees = (k_xz - k_z) * (k_yz - k_z) / k_z
            return value - self.strength * degrees / (2 * n)
        return value


def _refined(codes: NDArray[np.int64], by: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes 0, 1, … of the pairs (codes, by), every code in use."""
    pairs = codes * (int(by.max()) + 1) + by
    span = int(pairs.max()) + 1
    if span > 4 * len(pairs):
        return np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    used = np.zeros(span, dtype=np.int64)
    used[pairs] = 1
    return (np.cumsum(used) - 1)[pairs]
