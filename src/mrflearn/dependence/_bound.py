"""The neighbour estimates of `knn`, bound to a table: counts become means of psi or ln."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence import _kernels
from mrflearn.dependence.base import TableDependence
from mrflearn.dependence.neighbours import CLOSED, OPEN, OPEN_UNLESS_ZERO, PART, NeighbourCounts
from mrflearn.dependence.threads import in_parts
from mrflearn.table import Table

__all__ = [
    "CLOSED_SIGNS",
    "BoundDirect",
    "BoundMixedKSG",
    "mean_of_counts",
    "psi",
    "reciprocal",
    "spread_of_counts",
]


class BoundDirect(TableDependence):
    symmetric = True
    divisible = True

    def __init__(self, table: Table, counts: NeighbourCounts, open_ball: bool) -> None:
        super().__init__(table)
        self.counts = counts
        self.grain = 1 + PART // table.n_samples
        self.open_ball = open_ball

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        digamma = psi(self.table.n_samples)
        values = np.empty(len(candidates))
        ball = OPEN if self.open_ball else CLOSED
        for places, counts, _, _ in self.counts.count([i], given, candidates, ball):
            if self.open_ball:
                means = mean_of_counts(counts, _OPEN_SIGNS, digamma[1:])
                values[places] = digamma[self.counts.k] + means
            else:
                values[places] = mean_of_counts(counts, CLOSED_SIGNS, digamma)
        return values


class BoundMixedKSG(TableDependence):
    symmetric = False
    divisible = True

    def __init__(
        self, table: Table, counts: NeighbourCounts, variant: str, max_known: int | None
    ) -> None:
        super().__init__(table)
        self.counts = counts
        self.grain = 1 + PART // table.n_samples
        self.variant = variant
        # I(a; y) by a and y, NaN where not known: searches come back to the same sets, as
        # (i, j) is both i with its neighbour j and j with its neighbour i.
        self._known: dict[tuple[int, ...], NDArray[np.float64]] = {}
        self._n_known = table.n_samples  # as much memory as the table takes
        if max_known is not None:
            self._n_known = max(1, min(self._n_known, max_known // (8 * self.n_variables)))

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
            if len(self._known) >= self._n_known:
                self._known = {}  # a new one, as other threads may be using the old one
            known = self._known.setdefault(a, np.full(self.n_variables, np.nan))
        index = list(candidates)
        missing = [j for j in candidates if math.isnan(known[j])]
        if missing:
            known[missing] = self._estimate(a, missing)
        return known[index]

    def _estimate(self, a: tuple[int, ...], candidates: list[int]) -> NDArray[np.float64]:
        n_samples = self.table.n_samples
        digamma, log = psi(n_samples), _log(n_samples)
        function = {"paper": log[1:], "reference": digamma[1:], "depynd": log}[self.variant]
        ball = OPEN_UNLESS_ZERO if self.variant == "reference" else CLOSED
        euclidean = self.variant == "depynd"
        values = np.empty(len(candidates))
        for places, counts, radii, _ in self.counts.count(a, (), candidates, ball, euclidean):
            # At an atom the reference counts the sample itself as well.
            _kernels.settle_atoms(counts, radii, self.counts.k, int(self.variant == "reference"))
            sides = mean_of_counts(counts, _SIDES, function)
            joint = mean_of_counts(counts, _JOINT, digamma)
            values[places] = sides + joint + math.log(n_samples)
        return values


def mean_of_counts(
    counts: NDArray[np.int32], signs: NDArray[np.int64], function: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `mean_over_counts`, the candidates in parts if there are threads to help."""

    def mean(begin: int, end: int) -> NDArray[np.float64]:
        return _kernels.mean_over_counts(counts[begin:end], signs, function)

    return np.concatenate(in_parts(mean, len(counts), 1 + 10 * PART // counts.shape[2]))


def spread_of_counts(
    counts: NDArray[np.int32], function: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `spread_over_counts`, the candidates in parts if there are threads to help."""

    def spread(begin: int, end: int) -> NDArray[np.float64]:
        return _kernels.spread_over_counts(counts[begin:end], function)

    return np.concatenate(in_parts(spread, len(counts), 1 + PART // counts.shape[2]))


CLOSED_SIGNS = np.array([1, 1, -1, -1])  # of k_m, n_z, n_xz and n_yz
_OPEN_SIGNS = np.array([0, 1, -1, -1])
_SIDES = np.array([0, 0, -1, -1])
_JOINT = np.array([1, 0, 0, 0])


@lru_cache(maxsize=16)
def psi(n_samples: int) -> NDArray[np.float64]:
    """Return digamma of 0 to n_samples; the first is never used."""
    from scipy.special import digamma

    with np.errstate(divide="ignore"):
        return _frozen(digamma(np.arange(n_samples + 1, dtype=float)))


@lru_cache(maxsize=16)
def reciprocal(n_samples: int) -> NDArray[np.float64]:
    """Return 1 / n for 0 to n_samples; the first is never used."""
    with np.errstate(divide="ignore"):
        return _frozen(1 / np.arange(n_samples + 1, dtype=float))


@lru_cache(maxsize=16)
def _log(n_samples: int) -> NDArray[np.float64]:
    """Return the logarithm of 0 to n_samples; the first is never used."""
    with np.errstate(divide="ignore"):
        return _frozen(np.log(np.arange(n_samples + 1, dtype=float)))


def _frozen(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values.flags.writeable = False
    return values
