"""Sums of norms of groups of parameters: the penalty that makes whole groups zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Conditions", "GroupPenalty"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Conditions(NamedTuple):
    """The conditions of a minimum at one point."""

    pull: Vector
    """Gradient of the penalised objective on the support, where it has one; zero elsewhere."""
    support: NDArray[np.bool_]
    """Entries that are free, or in a group that is not zero."""
    inside: float
    """Largest violation on the support."""
    outside: float
    """Largest violation by groups that are zero."""


@dataclass(frozen=True, eq=False)
class GroupPenalty:
    """A weighted sum of Euclidean norms of the groups of a vector.

    With groups of one entry it is the weighted l1 norm.

    Attributes
    ----------
    starts : int array of shape (n_groups + 1,)
        Group `g` is `theta[starts[g]:starts[g + 1]]`, never empty. The entries before `starts[0]`
        are not penalised; the last start is the length of `theta`.
    scales : array of shape (n_groups,)
        Weight of each norm, not negative.

    Examples
    --------
    One free entry, a group of two, and a group of one that counts double:

    >>> penalty = GroupPenalty(np.array([1, 3, 4]), np.array([1.0, 2.0]))
    >>> penalty.value(np.array([7.0, 3.0, 4.0, -1.0]))
    7.0
    >>> penalty.prox(np.array([7.0, 3.0, 4.0, -1.0]), 1.0)
    array([7. , 2.4, 3.2, 0. ])
    """

    starts: NDArray[np.int64]
    scales: Vector

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    @cached_property
    def _singles(self) -> bool:
        return bool((self._sizes == 1).all())

    def _penalised(self, theta: Vector) -> Vector:
        return theta[self.starts[0] :]

    def _spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give the value of its group to each penalised entry."""
        return values if self._singles else np.repeat(values, self._sizes)

    def norms(self, theta: Vector) -> Vector:
        """Return the Euclidean norm of each group."""
        entries = self._penalised(theta)
        if self._singles:
            return np.abs(entries)
        return np.sqrt(np.add.reduceat(entries * entries, self.starts[:-1] - self.starts[0]))

    def value(self, theta: Vector) -> float:
        """Return the sum of scales times norms."""
        return float(self.scales @ self.norms(theta))

    def ahead(self, theta: Vector, before: Vector) -> NDArray[np.bool_]:
        """Say for each penalised entry whether its group is still on the side where it was."""
        products = self._penalised(theta) * self._penalised(before)
        if not self._singles:
            products = np.add.reduceat(products, self.starts[:-1] - self.starts[0])
        return self._spread(products) > 0

    def prox(self, theta: Vector, threshold: float) -> Vector:
        """Return the minimiser of ‖u - theta‖² / 2 + threshold · value(u).

        Each group moves towards zero by its scale times `threshold`, and stops there.
        """
        norms = self.norms(theta)
        kept = norms - self._times(threshold)
        factors = np.divide(kept, norms, out=np.zeros_like(norms), where=kept > 0)
        shrunk = theta.copy()
        shrunk[self.starts[0] :] *= self._spread(factors)
        shrunk += 0.0  # no negative zeros
        return shrunk

    def residual(self, theta: Vector, gradient: Vector, lam: float) -> float:
        """Return by how much `theta` violates the conditions of a minimum (KKT).

        Parameters
        ----------
        theta, gradient : arrays of one shape
            A point, and the gradient of the smooth part there.
        lam : float
            What multiplies the penalty.

        Returns
        -------
        float
            The largest, over groups and free entries, of the distance between minus the gradient
            and the subdifferential of `lam` times the penalty: ‖gradient + lam · scale ·
            theta / ‖theta‖‖ for a group that is not zero, the excess of ‖gradient‖ over
            lam · scale for one that is, |gradient| for a free entry.
        """
        if math.isinf(lam) and self.value(theta) > 0:
            return math.inf
        conditions = self.conditions(theta, self.norms(theta), gradient, lam)
        return max(conditions.inside, conditions.outside)

    def conditions(self, theta: Vector, norms: Vector, gradient: Vector, lam: float) -> Conditions:
        first = self.starts[0]
        present = norms > 0
        limits = self._times(lam)
        slopes = np.divide(limits, norms, out=np.zeros_like(norms), where=present)
        pull = gradient.copy()
        pull[first:] += self._spread(slopes) * theta[first:]
        lengths = self.norms(pull)
        support = np.ones(len(theta), dtype=bool)
        support[first:] = self._spread(present)
        return Conditions(
            pull=np.where(support, pull, 0.0),
            support=support,
            inside=max(
                float(np.abs(pull[:first]).max(initial=0.0)),
                float(lengths[present].max(initial=0.0)),
            ),
            outside=float((lengths - limits)[~present].max(initial=0.0)),
        )

    def add_bend(
        self, matrix: Matrix, theta: Vector, support: NDArray[np.int64], lam: float
    ) -> None:
        """Add the second derivatives of lam times the penalty, on the support."""
        if self._singles:
            return  # absolute values do not bend
        norms = self.norms(theta)
        group = np.searchsorted(self.starts, support, side="right") - 1
        penalised = group >= 0
        group = np.where(penalised, group, 0)
        norm = np.where(penalised, norms[group], 1.0)
        bend = np.where(penalised, lam * self.scales[group] / norm, 0.0)
        unit = theta[support] / norm
        together = (group[:, None] == group[None, :]) & penalised[:, None] & penalised[None, :]
        matrix -= np.where(together, np.outer(bend * unit, unit), 0.0)
        matrix[np.diag_indices_from(matrix)] += bend

    def _times(self, lam: float) -> Vector:
        """Return lam · scales, where an infinite lam leaves a scale of zero at zero."""
        if math.isinf(lam):
            return np.where(self.scales > 0, lam, 0.0)
        return lam * self.scales
