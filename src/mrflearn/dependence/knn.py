"""Nearest-neighbour estimators of conditional mutual information: the paper's and better ones.

All take any mix of columns. The distance between two samples in a set of variables is the largest
of the distances in its columns: |x - x'| for continuous and ordinal columns, 0 or
`nominal_distance` for nominal ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import Dependence, Specification, TableDependence
from mrflearn.dependence.neighbours import CLOSED, OPEN, OPEN_UNLESS_ZERO, NeighbourCounts
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["KNN", "VARIANTS", "FrenzelPompe", "MixedKSG"]

VARIANTS = ("paper", "reference", "depynd")


SAMPLES_FOR_A_THREAD = 5_000
"""Candidates times samples that are worth a thread: about a millisecond."""


def _check_neighbors(n_neighbors: Any, nominal_distance: Any) -> None:
    if not isinstance(n_neighbors, (int, np.integer)) or isinstance(n_neighbors, bool):
        raise InputError(f"n_neighbors must be a whole number, got {n_neighbors!r}")
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1, got {n_neighbors}")
    if not isinstance(nominal_distance, (int, float)) or not nominal_distance > 0:
        raise InputError(
            f"nominal_distance must be a positive number or infinity, got {nominal_distance!r}"
        )


@dataclass(frozen=True)
class KNN(Specification):
    """Direct nearest-neighbour estimate for mixtures (Mesner and Shalizi 2019).

    The mean over samples of psi(k_m) - psi(n_xz) - psi(n_yz) + psi(n_z), where the radius is the
    distance to the k-th neighbour in all variables and counts are of other samples in the closed
    ball. Symmetric. An empty condition counts all N - 1 others, so that it equals a constant one;
    the authors' function uses psi(N) there, and clips negative values, which this does not.

    Parameters
    ----------
    n_neighbors : int, default=5
        k: larger is smoother.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column. A finite one makes the estimate
        depend on the units of the continuous columns.
    """

    n_neighbors: int = 5
    nominal_distance: float = math.inf

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance)

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        counts = NeighbourCounts(table, self.n_neighbors, self.nominal_distance)
        return _BoundDirect(table, counts, open_ball=False)


@dataclass(frozen=True)
class FrenzelPompe(Specification):
    """Direct nearest-neighbour estimate for continuous data (Frenzel and Pompe 2007).

    psi(k) plus the mean of psi(n_z + 1) - psi(n_xz + 1) - psi(n_yz + 1), with counts in the open
    ball; without a condition, the first estimator of Kraskov, Stögbauer and Grassberger (2004).
    Symmetric. Ties bias it: prefer `KNN` for discrete or rounded columns.

    Parameters
    ----------
    n_neighbors : int, default=5
        k: larger is smoother.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column.
    """

    n_neighbors: int = 5
    nominal_distance: float = math.inf

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance)

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        counts = NeighbourCounts(table, self.n_neighbors, self.nominal_distance)
        return _BoundDirect(table, counts, open_ball=True)


@dataclass(frozen=True)
class MixedKSG(Specification):
    """The GS-MPLE paper's estimate: mixed-KSG mutual informations (Gao and others 2017).

    I(X; Y | Z) is I((X, Z); Y) - I(Y; Z), which is *not* symmetric in X and Y: X is the node
    whose neighbourhood Z conditions. Without a condition it is I(X; Y), and symmetric.

    Parameters
    ----------
    n_neighbors : int, default=3
        k, the same in both terms.
    variant : {"paper", "reference", "depynd"}, default="paper"
        `"paper"`: the formula printed by Gao and others, mean of psi(k_m) + ln N - ln(n_x + 1)
        - ln(n_y + 1) with closed balls. `"reference"`: their published code, with open balls where
        the radius is positive, counts that include the sample, and psi in place of ln.
        `"depynd"`: the code of the GS-MPLE authors, ln(n_x n_y) with counts that exclude the
        sample, and Euclidean norms inside (X, Z) and inside Y.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column.
    """

    n_neighbors: int = 3
    variant: str = "paper"
    nominal_distance: float = math.inf

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance)
        if self.variant not in VARIANTS:
            raise unknown("variant", self.variant, VARIANTS)

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        counts = NeighbourCounts(table, self.n_neighbors, self.nominal_distance)
        return _BoundMixedKSG(table, counts, self.variant)


class _BoundDirect(TableDependence):
    symmetric = True

    def __init__(self, table: Table, counts: NeighbourCounts, open_ball: bool) -> None:
        super().__init__(table)
        self.counts = counts
        self.grain = 1 + SAMPLES_FOR_A_THREAD // table.n_samples
        self.open_ball = open_ball

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        from mrflearn.dependence import _kernels

        psi = _psi(self.table.n_samples)
        values = np.empty(len(candidates))
        ball = OPEN if self.open_ball else CLOSED
        for places, counts, _, _ in self.counts.count([i], given, candidates, ball):
            if self.open_ball:
                means = _kernels.mean_over_counts(counts, _OPEN_SIGNS, psi[1:])
                values[places] = psi[self.counts.k] + means
            else:
                values[places] = _kernels.mean_over_counts(counts, _CLOSED_SIGNS, psi)
        return values


class _BoundMixedKSG(TableDependence):
    symmetric = False

    def __init__(self, table: Table, counts: NeighbourCounts, variant: str) -> None:
        super().__init__(table)
        self.counts = counts
        self.grain = 1 + SAMPLES_FOR_A_THREAD // table.n_samples
        self.variant = variant
        # I(a; y) by a and y, NaN where not known: searches come back to the same sets, as
        # (i, j) is both i with its neighbour j and j with its neighbour i.
        self._known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        values = self._mutual_information(tuple(sorted((i, *given))), candidates)
        if given:
            values -= self._mutual_information(given, candidates)
        return values

    def _mutual_information(
        self, a: tuple[int, ...], candidates: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Return I(a; y) for each candidate y, `a` being sorted."""
        known = self._known.get(a)
        if known is None:
            if len(self._known) > self.table.n_samples:  # as much memory as the table takes
                self._known = {}  # a new one, as other threads may be using the old one
            known = self._known.setdefault(a, np.full(self.n_variables, np.nan))
        index = list(candidates)
        missing = [j for j in candidates if math.isnan(known[j])]
        if missing:
            known[missing] = self._estimate(a, missing)
        return known[index]

    def _estimate(self, a: tuple[int, ...], candidates: list[int]) -> NDArray[np.float64]:
        from mrflearn.dependence import _kernels

        n_samples = self.table.n_samples
        psi, log = _psi(n_samples), _log(n_samples)
        function = {"paper": log[1:], "reference": psi[1:], "depynd": log}[self.variant]
        ball = OPEN_UNLESS_ZERO if self.variant == "reference" else CLOSED
        euclidean = self.variant == "depynd"
        values = np.empty(len(candidates))
        for places, counts, radii, _ in self.counts.count(a, (), candidates, ball, euclidean):
            atom = radii == 0.0
            counts[:, 0] = np.where(atom, counts[:, 0], self.counts.k)
            if self.variant == "reference":
                counts[:, 0] += atom  # an atom counts the sample itself as well
            mean = _kernels.mean_over_counts(counts, _SIDES, function)
            mean += _kernels.mean_over_counts(counts, _JOINT, psi)
            values[places] = mean + math.log(n_samples)
        return values


_CLOSED_SIGNS = np.array([1, 1, -1, -1])  # of k_m, n_z, n_xz and n_yz
_OPEN_SIGNS = np.array([0, 1, -1, -1])
_SIDES = np.array([0, 0, -1, -1])
_JOINT = np.array([1, 0, 0, 0])


@lru_cache(maxsize=16)
def _psi(n_samples: int) -> NDArray[np.float64]:
    """Return digamma of 0 to n_samples; the first is never used."""
    from scipy.special import digamma

    with np.errstate(divide="ignore"):
        return _frozen(digamma(np.arange(n_samples + 1, dtype=float)))


@lru_cache(maxsize=16)
def _log(n_samples: int) -> NDArray[np.float64]:
    """Return the logarithm of 0 to n_samples; the first is never used."""
    with np.errstate(divide="ignore"):
        return _frozen(np.log(np.arange(n_samples + 1, dtype=float)))


def _frozen(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values.flags.writeable = False
    return values
