"""Nearest-neighbour estimators of conditional mutual information: the paper's and better ones.

All take any mix of columns. The distance between two samples in a set of variables is the largest
of the distances in its columns: |x - x'| for continuous and ordinal columns, 0 or
`nominal_distance` for nominal ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import Dependence, Specification, TableDependence
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["KNN", "VARIANTS", "FrenzelPompe", "MixedKSG"]

VARIANTS = ("paper", "reference", "depynd")

LISTS_FROM_CANDIDATES = 4
"""Candidates of one question from which neighbour lists, made once for all of them, pay."""

LIST_LENGTH = 2.0
"""Length of a list, in expected numbers of samples within the radius."""

MAX_COUNTS = 2**22
"""Counts held at a time; candidates are answered in portions of this size (32 MiB)."""


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
        return _BoundDirect(table, self.n_neighbors, self.nominal_distance, open_ball=False)


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
        return _BoundDirect(table, self.n_neighbors, self.nominal_distance, open_ball=True)


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
        return _BoundMixedKSG(table, self.n_neighbors, self.nominal_distance, self.variant)


class _BoundNeighbors(TableDependence):
    """What the neighbour estimators share: the table as the kernels want it."""

    def __init__(self, table: Table, n_neighbors: int, nominal_distance: float) -> None:
        super().__init__(table)
        if table.n_samples <= n_neighbors:
            raise InputError(
                f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows, and the table "
                f"has n_samples={table.n_samples}: use fewer neighbours or more rows"
            )
        self.k = int(n_neighbors)
        self.metric = (table.values, table.nominal, float(nominal_distance))

    def _portions(
        self, candidates: tuple[int, ...]
    ) -> Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield (members, starts) of as many candidates as memory should hold at a time."""
        size = max(1, MAX_COUNTS // (4 * self.table.n_samples))
        for first in range(0, len(candidates), size):
            owned = [self.columns_of([j]) for j in candidates[first : first + size]]
            starts = np.zeros(len(owned) + 1, dtype=np.int64)
            np.cumsum([len(columns) for columns in owned], out=starts[1:])
            yield np.concatenate(owned), starts


class _BoundDirect(_BoundNeighbors):
    symmetric = True

    def __init__(
        self, table: Table, n_neighbors: int, nominal_distance: float, open_ball: bool
    ) -> None:
        super().__init__(table, n_neighbors, nominal_distance)
        self.open_ball = open_ball

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        from mrflearn.dependence import _kernels

        psi = _psi(self.table.n_samples)
        values = []
        for counts in self._counts(i, candidates, given):
            if self.open_ball:
                mean = _kernels.mean_over_counts(counts[1:2], counts[2:], psi[1:])
                values.append(psi[self.k] + mean)
            else:
                values.append(_kernels.mean_over_counts(counts[:2], counts[2:], psi))
        return np.array(values)

    def _counts(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> Iterable[NDArray[np.int64]]:
        """Yield the counts of each candidate by the kernel that is fastest for the question.

        Samples come in any order, which `mean_over_counts` does not see.
        """
        from mrflearn.dependence import _kernels, _lists

        x, z = self.columns_of([i]), self.columns_of(given)
        if not given or len(candidates) < LISTS_FROM_CANDIDATES:
            for members, starts in self._portions(candidates):
                yield from _kernels.cmi_counts(
                    *self.metric, x, z, members, starts, self.k, self.open_ball
                )
            return
        values, nominal, nominal_distance = self.metric
        with_order = z[~nominal[z]]
        key = int(with_order[0]) if len(with_order) else -1
        if key >= 0:
            values = np.ascontiguousarray(values[:, np.argsort(values[key], kind="stable")])
            values.flags.writeable = False
        # About as many samples as lie within the radius in (x, z) when all dimensions are alike.
        n_dimensions = len(x) + len(z) + 1
        share = (self.k / self.table.n_samples) ** (1 - 1 / n_dimensions)
        length = int(LIST_LENGTH * share * self.table.n_samples) + self.k
        for members, starts in self._portions(candidates):
            yield from _lists.list_counts(
                values, nominal, nominal_distance, key, x, z, members, starts, self.k,
                self.open_ball, length,
            )  # fmt: skip


class _BoundMixedKSG(_BoundNeighbors):
    symmetric = False

    def __init__(
        self, table: Table, n_neighbors: int, nominal_distance: float, variant: str
    ) -> None:
        super().__init__(table, n_neighbors, nominal_distance)
        self.variant = variant

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        values = self._mutual_information(self.columns_of([i, *given]), candidates)
        if given:
            values -= self._mutual_information(self.columns_of(given), candidates)
        return values

    def _mutual_information(
        self, a: NDArray[np.int64], candidates: tuple[int, ...]
    ) -> NDArray[np.float64]:
        from mrflearn.dependence import _kernels

        open_ball, euclidean = self.variant == "reference", self.variant == "depynd"
        n_samples = self.table.n_samples
        psi, log = _psi(n_samples), _log(n_samples)
        values = []
        for members, starts in self._portions(candidates):
            for counts in _kernels.ksg_counts(
                *self.metric, a, members, starts, self.k, open_ball, euclidean
            ):
                none, sides = counts[:0], counts[1:3]
                if self.variant == "reference":
                    counts[0] += counts[3]  # an atom counts the sample itself as well
                    mean = _kernels.mean_over_counts(none, sides, psi[1:])
                elif self.variant == "paper":
                    mean = _kernels.mean_over_counts(none, sides, log[1:])
                else:
                    mean = _kernels.mean_over_counts(none, sides, log)
                mean += _kernels.mean_over_counts(counts[:1], none, psi)
                values.append(mean + math.log(n_samples))
        return np.array(values)


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
