"""A regression of each node on all others, with a penalty on every pair of coefficients.

The coefficients are a matrix of shape (n_variables, n_variables): row i is the regression of node
i, and the diagonal is 0. Two nodes i and j own the entries (i, j) and (j, i), and a `Form` says
what binds these. The smooth part is quadratic, or is approached by quadratic ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import check_rule, symmetrise
from mrflearn.parametric.base import Fit, Matrix

__all__ = ["EXACT", "Form", "Quadratic", "as_fit", "form_of", "largest", "penalty", "violation"]

RULES = ("and", "or", "paired")

SWEEPS, NEWTON_STEPS, CONJUGATE_STEPS = 10, 20, 100
"""Sweeps of coordinate descent before the first and between other Newton steps; how many of these
in a row; how many conjugate gradients make one. Well-conditioned tables need the sweeps alone."""


EXACT = 1e-10
"""A variable of whose variance the others leave no more than this is taken as determined by them:
its precision would grow without end."""


class Form(IntEnum):
    """What binds the coefficients (i, j) and (j, i)."""

    APART = 0
    """Nothing; their norm is |b_ij| + |b_ji|."""
    PAIRED = 1
    """They vanish together; their norm is sqrt(b_ij² + b_ji²)."""
    TIED = 2
    """They are one parameter; its norm is |b_ij|."""


def form_of(rule: str) -> Form:
    """Return the form of the penalty that a rule needs; refuse an unknown rule."""
    check_rule(rule, RULES)
    return Form.PAIRED if rule == "paired" else Form.APART


def penalty(coefficients: Matrix, lam: float, form: Form) -> float:
    """Return lambda times the sum of the norms of all pairs."""
    total = float(_norms(coefficients, form).sum()) * _share(form)
    return lam * total if total else 0.0


def largest(gradient: Matrix, form: Form) -> float:
    """Return the smallest lambda at which no coefficient is present, from the gradient there."""
    return float(_norms(_slopes(gradient, form), form).max())


def violation(coefficients: Matrix, gradient: Matrix, lam: float, form: Form) -> float:
    """Return the largest violation of the conditions of a minimum (KKT), in the unit of lambda.

    The gradient by a pair is -lam times the direction of the pair, and no longer than lam where
    the pair is 0. `gradient` is that of the smooth part by each entry.
    """
    norms = _norms(coefficients, form)
    if np.isinf(lam):
        return lam if norms.any() else 0.0
    slopes = _slopes(gradient, form)
    pulled = slopes + lam * _units(coefficients, norms)
    excess = np.where(norms > 0, _norms(pulled, form), _norms(slopes, form) - lam)
    return max(float(excess.max()), 0.0)


def as_fit(
    coefficients: Matrix,
    rule: str,
    *,
    lam: float,
    objective: float,
    residual: float,
    tol: float,
    n_iterations: int,
    parameters: Mapping[str, NDArray[Any]],
) -> Fit:
    """Return the fit with the edges that a rule finds in the coefficients.

    The weight of an edge is the mean of |b_ij| and |b_ji|; with `"paired"` the root of the mean of
    their squares.
    """
    if rule == "paired":
        weights, neighbourhoods = np.hypot(coefficients, coefficients.T) / np.sqrt(2), None
    else:
        neighbourhoods = tuple(tuple(int(j) for j in np.flatnonzero(row)) for row in coefficients)
        weights = np.zeros_like(coefficients)
        for i, j in symmetrise(neighbourhoods, rule):
            mean = (abs(coefficients[i, j]) + abs(coefficients[j, i])) / 2
            weights[i, j] = weights[j, i] = mean
    return Fit(
        lam=lam,
        weights=weights,
        objective=objective,
        residual=residual,
        converged=residual <= tol,
        n_iterations=n_iterations,
        parameters=parameters,
        neighbourhoods=neighbourhoods,
    )


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The function sum_i (s_i b_i' K_i b_i / 2 - c_i' b_i) of the coefficients.

    Attributes
    ----------
    grams : ndarray of shape (1 or n_variables, n_variables, n_variables)
        K_i for each node, or one K for all; positive semidefinite, with a positive diagonal.
    scales : ndarray of shape (n_variables,)
        s_i, positive.
    linear : ndarray of shape (n_variables, n_variables)
        c_i in row i.
    """

    grams: NDArray[np.float64]
    scales: NDArray[np.float64]
    linear: Matrix

    def times(self, matrix: Matrix) -> Matrix:
        """Return s_i K_i times row i of a matrix, for each i."""
        if len(self.grams) == 1:
            return self.scales[:, None] * (matrix @ self.grams[0])
        return self.scales[:, None] * np.matmul(matrix[:, None, :], self.grams)[:, 0, :]

    def gradient(self, coefficients: Matrix) -> Matrix:
        """Return the derivative by each entry."""
        return self.times(coefficients) - self.linear

    def minimise(
        self, start: Matrix, lam: float, form: Form, *, tol: float, max_iter: int
    ) -> tuple[Matrix, float, int]:
        """Minimise the function plus lambda times the sum of the norms of all pairs.

        Coordinate descent is quick to find which pairs are present, and slow to find their values
        where columns are nearly collinear; Newton steps on the pairs present are quick at that.

        Parameters
        ----------
        start : ndarray of shape (n_variables, n_variables)
            Where to begin; the diagonal is 0.
        lam, form
            The penalty.
        tol : float
            Largest violation of the conditions of a minimum to stop at.
        max_iter : int
            Most sweeps over all pairs, a Newton step counted as one.

        Returns
        -------
        coefficients : ndarray of shape (n_variables, n_variables)
        residual : float
            Their violation of the conditions of a minimum.
        n_iterations : int
            Sweeps and Newton steps.
        """
        found, n_iterations = start, 0
        while True:
            residual = violation(found, self.gradient(found), lam, form)
            if residual <= tol or n_iterations >= max_iter:
                return found, residual, n_iterations
            if n_iterations:
                found, n_steps = self._settle(found, lam, form, tol)
                n_iterations += n_steps
            most = max(min(SWEEPS, max_iter - n_iterations), 1)
            found, n_sweeps = self._sweep(found, lam, form, tol / 4, most)
            n_iterations += n_sweeps

    def _sweep(
        self, start: Matrix, lam: float, form: Form, target: float, max_sweeps: int
    ) -> tuple[Matrix, int]:
        """Set one pair after another to its best value until slopes change by `target` at most."""
        found = np.array(start)
        n_sweeps = _compiled()(
            self.grams, self.scales, found, self.gradient(start), lam, int(form), target, max_sweeps
        )
        return found, int(n_sweeps)

    def _settle(
        self, coefficients: Matrix, lam: float, form: Form, tol: float
    ) -> tuple[Matrix, int]:
        """Go to the minimum on the pairs present, and drop those that vanish on the way."""
        for n_steps in range(NEWTON_STEPS):
            before = coefficients
            coefficients = self._newton_step(before, lam, form, tol)
            if np.array_equal(coefficients, before):
                return coefficients, n_steps
        return coefficients, NEWTON_STEPS

    def _newton_step(self, coefficients: Matrix, lam: float, form: Form, tol: float) -> Matrix:
        """Go towards the minimum on the pairs present; stay if it is near or no step goes down.

        Where coefficients are apart, each node takes a step of its own length.
        """
        norms, gradient = _norms(coefficients, form), self.gradient(coefficients)
        pull = np.where(norms > 0, _slopes(gradient, form) + lam * _units(coefficients, norms), 0.0)
        if np.abs(pull).max() <= tol / 2:
            return coefficients
        step = self._newton_direction(pull, coefficients, norms, lam, form)
        along = _inner(coefficients, step, form)
        room = np.divide(-norms * norms, along, out=np.full_like(norms, np.inf), where=along < 0)
        first = np.minimum(room.min(axis=_axis(form), keepdims=True), 1.0)
        best, waiting = coefficients, np.ones_like(first, dtype=bool)
        # The boldest first: pairs that would change sign stop at 0, all others go the whole way.
        for length in (np.ones_like(first), first, first / 4, first / 16):
            tried = np.where(room > length, coefficients + length * step, 0.0)
            moved = tried - coefficients
            change = (gradient + self.times(moved) / 2) * moved
            change += _share(form) * lam * (_norms(tried, form) - norms)
            better = waiting & (_total(change, form) < 0)
            best = np.where(better, tried, best)
            waiting &= ~better
            if not waiting.any():
                break
        return best

    def _newton_direction(
        self, pull: Matrix, coefficients: Matrix, norms: Matrix, lam: float, form: Form
    ) -> Matrix:
        """Return the step to the minimum on the pairs present, by conjugate gradients.

        Wherever these stop, the step goes downhill.
        """
        present, units = norms > 0, _units(coefficients, norms)
        bend = np.divide(lam, norms, out=np.zeros_like(norms), where=present)
        step, rest = np.zeros_like(norms), -pull
        towards, size = rest, _total(rest * rest, form)
        enough = 1e-10 * size
        for _ in range(CONJUGATE_STEPS):
            turned = _slopes(self.times(towards), form)
            if form == Form.PAIRED:  # the norm of a pair is curved, across its direction
                turned += bend * (towards - units * _inner(units, towards, form))
            turned = np.where(present, turned, 0.0)
            curvature = _total(towards * turned, form)
            going = (size > enough) & (curvature > 0)
            if not going.any():
                break
            length = np.divide(size, curvature, out=np.zeros_like(size), where=going)
            step = step + length * towards
            rest = rest - length * turned
            following = _total(rest * rest, form)
            ratio = np.divide(following, size, out=np.zeros_like(size), where=going)
            towards, size = rest + ratio * towards, following
        return step


def _norms(values: Matrix, form: Form) -> Matrix:
    """Return the norm of the pair that each entry belongs to."""
    return np.hypot(values, values.T) if form == Form.PAIRED else np.abs(values)


def _inner(left: Matrix, right: Matrix, form: Form) -> Matrix:
    """Return the inner product of the pairs that each entry belongs to."""
    product = left * right
    return product + product.T if form == Form.PAIRED else product


def _units(values: Matrix, norms: Matrix) -> Matrix:
    """Return pairs of length 1, or 0 where they are 0."""
    return np.divide(values, norms, out=np.zeros_like(norms), where=norms > 0)


def _slopes(gradient: Matrix, form: Form) -> Matrix:
    """Return the derivative by each parameter, without a diagonal."""
    slopes = gradient + gradient.T if form == Form.TIED else gradient.copy()
    np.fill_diagonal(slopes, 0.0)
    return slopes


def _share(form: Form) -> float:
    """Return the weight of an entry's norm where all entries are summed: pairs come up twice."""
    return 1.0 if form == Form.APART else 0.5


def _axis(form: Form) -> int | None:
    """Return the axis to sum along: the problem of each node is its own, or all are one."""
    return 1 if form == Form.APART else None


def _total(values: Matrix, form: Form) -> Matrix:
    return values.sum(axis=_axis(form), keepdims=True)


@cache
def _compiled() -> Callable[..., int]:
    """Return `_descend` as machine code, when first needed."""
    from mrflearn._compile import compiled

    return compiled(_descend)


def _descend(
    grams: Any, scales: Any, b: Any, gradient: Any, lam: float, form: int, target: float,
    max_sweeps: int,
) -> int:  # fmt: skip
    """Set one pair of `b` after another to its best value; return the number of sweeps.

    `b` and `gradient` are changed in place.
    """
    n_grams, n_variables = len(grams), len(b)
    # What is not 0 by less than the target is 0: rounding, as between two equal columns.
    bar = lam + target
    for sweep in range(max_sweeps):
        largest_move = 0.0
        for i in range(n_variables):
            for j in range(i + 1, n_variables):
                gram_i, gram_j = grams[i % n_grams], grams[j % n_grams]
                here, there = scales[i] * gram_i[j, j], scales[j] * gram_j[i, i]
                if form == 0:
                    u, v = here * b[i, j] - gradient[i, j], there * b[j, i] - gradient[j, i]
                    new_ij = (u - lam if u > bar else u + lam if u < -bar else 0.0) / here
                    new_ji = (v - lam if v > bar else v + lam if v < -bar else 0.0) / there
                elif form == 1:
                    # With one curvature for both, the larger, which goes down but not as far.
                    both = max(here, there)
                    u, v = both * b[i, j] - gradient[i, j], both * b[j, i] - gradient[j, i]
                    length = np.sqrt(u * u + v * v)
                    factor = (1.0 - lam / length) / both if length > bar else 0.0
                    new_ij, new_ji = factor * u, factor * v
                else:
                    both = here + there
                    u = both * b[i, j] - gradient[i, j] - gradient[j, i]
                    new_ij = (u - lam if u > bar else u + lam if u < -bar else 0.0) / both
                    new_ji = new_ij
                step_ij, step_ji = new_ij - b[i, j], new_ji - b[j, i]
                if step_ij != 0.0:
                    b[i, j] = new_ij
                    largest_move = max(largest_move, here * abs(step_ij))
                    for m in range(n_variables):
                        gradient[i, m] += scales[i] * step_ij * gram_i[j, m]
                if step_ji != 0.0:
                    b[j, i] = new_ji
                    largest_move = max(largest_move, there * abs(step_ji))
                    for m in range(n_variables):
                        gradient[j, m] += scales[j] * step_ji * gram_j[i, m]
        if largest_move <= target:
            return sweep + 1
    return max_sweeps
