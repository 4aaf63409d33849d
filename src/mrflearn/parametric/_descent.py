"""Steps that lower a smooth convex function plus lambda times a sum of group norms."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric._group_norms import Conditions, GroupPenalty

__all__ = ["Memory", "Point", "Problem"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

Smooth = Callable[[Vector], tuple[float, Vector]]
"""Value and gradient at a point; outside its domain the value is infinite."""


class Point(NamedTuple):
    """A point with all that is known there."""

    theta: Vector
    value: float
    """Of the smooth part."""
    gradient: Vector
    objective: float
    conditions: Conditions

    @property
    def residual(self) -> float:
        return max(self.conditions.inside, self.conditions.outside)


class Problem(NamedTuple):
    """What is minimised, and the kinds of steps."""

    smooth: Smooth
    penalty: GroupPenalty
    lam: float
    hessian: Callable[[Vector], Matrix] | None

    def at(self, theta: Vector) -> Point:
        value, gradient = self.smooth(theta)
        norms = self.penalty.norms(theta)
        penalised = float(self.penalty.scales @ norms)
        return Point(
            theta=theta,
            value=float(value),
            gradient=gradient,
            # Without the condition, infinity times nothing would not be a number.
            objective=float(value + (self.lam * penalised if penalised > 0 else 0.0)),
            conditions=self.penalty.conditions(theta, norms, gradient, self.lam),
        )

    def proximal_step(self, point: Point, curvature: float) -> tuple[Point, float]:
        """Return the next point, and the curvature to try there.

        The smooth part must lie below its parabola of the curvature, which doubles until it does.
        """
        while True:
            theta = self.penalty.prox(
                point.theta - point.gradient / curvature, self.lam / curvature
            )
            reached = self.at(theta)
            step = theta - point.theta
            room = 0.5 * curvature * float(step @ step)
            rise = reached.value - point.value - float(point.gradient @ step)
            # Near the minimum the values differ by less than their rounding. By convexity the
            # change of the slope along the step bounds their difference, without cancellation.
            bound = float((reached.gradient - point.gradient) @ step)
            if math.isfinite(reached.value) and min(rise, bound) <= room:
                return reached, 0.8 * curvature
            curvature *= 2.0

    def newton_step(self, point: Point) -> Point | None:
        """Return the next point on the support by the Hessian there, or None."""
        if self.hessian is None:
            return None
        conditions = point.conditions
        support = np.flatnonzero(conditions.support)
        matrix = self.hessian(point.theta)[np.ix_(support, support)]
        self.penalty.add_bend(matrix, point.theta, support, self.lam)
        # Far less than matters, but enough to divide by where there is no curvature at all.
        matrix[np.diag_indices_from(matrix)] += 1e-12 * matrix.diagonal().max(initial=0.0)
        direction = np.zeros_like(point.theta)
        try:
            direction[support] = -np.linalg.solve(matrix, conditions.pull[support])
        except np.linalg.LinAlgError:  # singular: other steps remain
            return None
        return self.step_along(direction, point)

    def step_along(self, direction: Vector | None, point: Point) -> Point | None:
        """Return the next point on the support, or None if none of those tried is better."""
        if direction is None or not np.isfinite(direction).all():
            return None
        first = self.penalty.starts[0]
        for length in (1.0, 0.5, 0.25, 0.125):
            theta = point.theta + length * direction
            if self.lam > 0:
                theta[first:] *= self.penalty.ahead(theta, point.theta)
            reached = self.at(theta)
            step = theta - point.theta
            slope = float(point.conditions.pull @ step)
            drop = point.objective - reached.objective
            if drop >= -1e-4 * slope > 0.0:
                return reached
            # Where rounding hides the drop, slopes still show it (Hager and Zhang 2005).
            hidden = abs(drop) <= 1e-13 * (1.0 + abs(point.objective))
            if hidden and float(reached.conditions.pull @ step) <= -0.9 * slope:
                return reached
        return None


class Memory:
    """The last steps, and how the gradient changed along them: L-BFGS."""

    def __init__(self, most: int = 20) -> None:
        self.steps: deque[Vector] = deque(maxlen=most)
        self.changes: deque[Vector] = deque(maxlen=most)

    def learn(self, before: Point, after: Point) -> None:
        """Remember the step from one point to another."""
        shared = before.conditions.support & after.conditions.support
        pulls = after.conditions.pull - before.conditions.pull
        self.steps.append(after.theta - before.theta)
        # The norm of a group that enters or leaves has no gradient at one of the two points.
        self.changes.append(np.where(shared, pulls, after.gradient - before.gradient))

    def direction(self, conditions: Conditions) -> Vector | None:
        """Return minus the inverse Hessian on the support times the gradient there.

        The steps are cut to the support. What they then say about the Hessian is no longer exact
        where the support has changed, but still far better than to forget them. The matrix form
        is that of Byrd, Nocedal and Schnabel (1994).
        """
        if not self.steps:
            return None
        steps = np.array(self.steps) * conditions.support
        changes = np.array(self.changes) * conditions.support
        bends = np.einsum("ij,ij->i", steps, changes)
        lengths = np.einsum("ij,ij->i", changes, changes)
        useful = bends > 1e-14 * lengths
        if not useful.any():
            return None
        if not useful.all():
            steps, changes = steps[useful], changes[useful]
            bends, lengths = bends[useful], lengths[useful]
        scale = bends[-1] / lengths[-1]
        pull = conditions.pull
        upper = np.triu(steps @ changes.T)
        along = np.linalg.solve(upper, steps @ pull)
        middle = bends * along + scale * (changes @ (along @ changes - pull))
        back = np.linalg.solve(upper.T, middle)
        return scale * (along @ changes - pull) - back @ steps
