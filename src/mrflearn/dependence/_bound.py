"""The neighbour estimates of `knn`, bound to a table: counts become means of psi or ln."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import BatchedDependence, PlainQuestion
from mrflearn.dependence.neighbours import (
    CLOSED,
    OPEN,
    OPEN_UNLESS_ZERO,
    PART,
    NeighbourCounts,
    Summary,
)
from mrflearn.table import Table

__all__ = [
    "CLOSED_SIGNS",
    "BoundDirect",
    "BoundMixedKSG",
    "psi",
    "reciprocal",
]


class BoundDirect(BatchedDependence):
    symmetric = True
    divisible = True

    def __init__(self, table: Table, counts: NeighbourCounts, open_ball: bool) -> None:
        super().__init__(table)
        self.counts = counts
        self.batched = counts.batched
        self.grain = 1 + PART // table.n_samples
        digamma = psi(table.n_samples)
        self.constant = digamma[counts.k] if open_ball else 0.0
        if open_ball:
            self.summary = Summary(OPEN, ((_OPEN_SIGNS, digamma[1:]),))
        else:
            self.summary = Summary(CLOSED, ((CLOSED_SIGNS, digamma),))

    def _cmi_batch(self, questions: list[PlainQuestion]) -> list[NDArray[np.float64]]:
        asked = [((i,), given, candidates) for i, candidates, given in questions]
        means = self.counts.summaries(asked, self.summary)
        return [self.constant + mean for (mean,) in means]


class BoundMixedKSG(BatchedDependence):
    symmetric = False
    divisible = True

    def __init__(
        self, table: Table, counts: NeighbourCounts, variant: str, max_known: int | None
    ) -> None:
        super().__init__(table)
        self.counts = counts
        self.batched = counts.batched
        self.grain = 1 + PART // table.n_samples
        n_samples = table.n_samples
        digamma, log = psi(n_samples), _log(n_samples)
        function = {"paper": log[1:], "reference": digamma[1:], "depynd": log}[variant]
        reference = variant == "reference"  # which at an atom counts the sample itself as well
        self.summary = Summary(
            OPEN_UNLESS_ZERO if reference else CLOSED,
            ((_SIDES, function), (_JOINT, digamma)),
            atoms=int(reference),
            euclidean=variant == "depynd",
        )
        # I(a; y) by a and y, NaN where not known: searches come back to the same sets, as
        # (i, j) is both i with its neighbour j and j with its neighbour i.
        self._known: dict[tuple[int, ...], NDArray[np.float64]] = {}
        self._n_known = table.n_samples  # as much memory as the table takes
        if max_known is not None:
            self._n_known = max(1, min(self._n_known, max_known // (8 * self.n_variables)))

    def _cmi_batch(self, questions: list[PlainQuestion]) -> list[NDArray[np.float64]]:
        """Answer questions as differences of two mutual informations, each estimated once."""
        terms = [
            (tuple(sorted((i, *given))), given, candidates) for i, candidates, given in questions
        ]
        wanted: dict[tuple[int, ...], dict[int, None]] = {}
        for whole, given, candidates in terms:
            for a in (whole, given)[: 1 + bool(given)]:
                wanted.setdefault(a, {}).update(dict.fromkeys(candidates))
        known = self._informations(wanted)
        answers = []
        for whole, given, candidates in terms:
            index = list(candidates)
            answer = known[whole][index]
            answers.append(answer - known[given][index] if given else answer)
        return answers

    def _informations(
        self, wanted: dict[tuple[int, ...], dict[int, None]]
    ) -> dict[tuple[int, ...], NDArray[np.float64]]:
        """Return I(a; y) by a, arrays that have at least the wanted y."""
        if len(self._known) + len(wanted) > self._n_known:
            self._known = {}  # a new one, as other threads may be using the old one
        kept = self._known
        known, asked = {}, []
        for a, others in wanted.items():
            if a in kept or len(kept) < self._n_known:
                known[a] = kept.setdefault(a, np.full(self.n_variables, np.nan))
            else:
                known[a] = np.full(self.n_variables, np.nan)
            missing = [j for j in others if math.isnan(known[a][j])]
            if missing:
                asked.append((a, (), missing))
        log_n = math.log(self.table.n_samples)
        for (a, _, missing), (sides, joint) in zip(
            asked, self.counts.summaries(asked, self.summary), strict=True
        ):
            known[a][missing] = sides + joint + log_n
        return known


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
