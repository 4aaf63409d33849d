"""Nodewise logistic regression: the neighbours of each node of an Ising model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import tracked
from mrflearn.errors import InputError
from mrflearn.parametric import regressions
from mrflearn.parametric._nodewise import (
    Form,
    Quadratic,
    as_fit,
    form_of,
    largest,
    penalty,
    violation,
)
from mrflearn.parametric.base import Fit, Matrix, check_columns, check_penalties, sparse_to_dense
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["largest_lam", "path", "refit"]

Vector = NDArray[np.float64]

SMALLEST_VARIANCE = 1e-5
"""Conditional variances are taken as no less in the quadratic model, so that it keeps a minimum
where the data are nearly separated. The solution does not depend on it."""

GOOD_FACTOR = 0.25
"""Curvatures are used again while steps make the residual smaller by this; they change little from
one lambda to the next, and cost more than the steps."""

MODEL_ITERATIONS = 100

STANDSTILL = 0.1
"""A Newton step that moves some log odds by more than this is not near a minimum. Where the data
are separated every step moves some by about 1, however small the gradient is."""


def path(
    table: Table,
    lams: Iterable[float],
    *,
    rule: str = "and",
    tol: float = 1e-7,
    max_iter: int = 100,
) -> tuple[Fit, ...]:
    """Regress each of some binary variables on all others with an l1 penalty, at each lambda.

    With x in {0, 1}, over couplings theta and intercepts a,

        sum_i [ 1/N sum_m (ln(1 + e^eta_mi) - x_mi eta_mi)  +  lam * sum_j |theta_ij| ],
        eta_mi = a_i + sum_j theta_ij x_mj,

    is minimised, a logistic regression for each node. With `rule="paired"` the penalty is lam
    times the sum over i < j of sqrt(theta_ij² + theta_ji²), so that both ends of an edge agree.

    Parameters
    ----------
    table : Table
        Columns of two levels, none continuous. The higher code is 1.
    lams : iterable of float
        Penalties, not negative.
    rule : {"and", "or", "paired"}
        An edge wants both couplings, or one of them; or is penalised as a pair.
    tol : float
        Largest violation of the optimality conditions that counts as solved.
    max_iter : int
        Most Newton steps at one lambda.

    Returns
    -------
    tuple of Fit
        In the order of `lams`. Parameters: `couplings`, row i the regression of node i, and
        `intercepts`. The weight of an edge is the mean of |theta_ij| and |theta_ji|, with
        `"paired"` the root of the mean of their squares.

    Notes
    -----
    Each step minimises a quadratic model with its penalty, all nodes at once (a proximal Newton
    method), in memory of 8 bytes for each triple of variables. At lam = 0 there is no minimum where
    some columns separate the levels of another, as in small tables: the residual is then infinite.
    Two equal columns share one coupling in the regression of a third, in a proportion that means
    nothing and depends on the order of the columns.

    References
    ----------
    Ravikumar, P., Wainwright, M. and Lafferty, J. (2010). High-dimensional Ising model selection
    using l1-regularized logistic regression. Annals of Statistics 38.

    Examples
    --------
    Two coins that show the same in 6 of 8 throws; without a penalty, the coupling is the logarithm
    of the odds ratio, ln 9:

    >>> from mrflearn.table import as_table
    >>> table = as_table([[0, 0]] * 3 + [[0, 1], [1, 0]] + [[1, 1]] * 3, scale=None)
    >>> [fit] = path(table, [0.0])
    >>> fit.parameters["couplings"].round(5)
    array([[0.     , 2.19722],
           [2.19722, 0.     ]])
    """
    penalties, form = check_penalties(lams), form_of(rule)
    data = _Rows.of(_zeros_and_ones(table))
    point = data.at(np.zeros((table.n_variables,) * 2), _logit(data.means))
    curvatures: _Curvatures | None = None
    fits: dict[int, Fit] = {}
    for at in tracked("Fitting along lambda", sparse_to_dense(penalties)):
        lam = penalties[at]
        point, curvatures, n_iterations = _minimise(point, curvatures, lam, form, tol, max_iter)
        fits[at] = as_fit(
            point.couplings,
            rule,
            lam=lam,
            objective=point.loss + penalty(point.couplings, lam, form),
            residual=math.inf if lam == 0 and point.runs_away() else point.residual(lam, form),
            tol=tol,
            n_iterations=n_iterations,
            parameters={"couplings": point.couplings, "intercepts": point.intercepts},
        )
    return tuple(fits[at] for at in range(len(penalties)))


def largest_lam(table: Table, *, rule: str = "and") -> float:
    """Return the smallest lambda that leaves no edge.

    It is the largest absolute covariance (divisor N); √2 times that with `rule="paired"`.
    """
    form = form_of(rule)
    X = _zeros_and_ones(table)
    centred = X - X.mean(axis=0)
    return largest(centred.T @ centred / len(X), form)


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the likelihood of each graph: of regressions of each variable on its neighbours."""
    return regressions.refit(table, graphs, levels=True)


def _zeros_and_ones(table: Table) -> Matrix:
    """Return the columns as 0 and 1, or say which one cannot be."""
    method = "NodewiseLogistic"
    check_columns(table, method)
    for column in table.columns:
        if column.kind == "continuous" and column.n_distinct == 2:
            raise InputError(
                f"{method} takes columns of two levels, and {column.name!r} is continuous with two "
                f"values: declare it with kinds={{{column.name!r}: 'nominal'}}"
            )
        if column.kind == "continuous":
            raise InputError(
                f"{method} takes columns of two levels, and {column.name!r} is continuous: use "
                "MixedPairwise, or NodewiseLasso if all columns are"
            )
        if column.n_distinct > 2:
            raise InputError(
                f"{method} takes columns of two levels, and {column.name!r} has "
                f"{column.n_distinct}: use JOSE(form='group'), or MixedPairwise if some columns "
                "are continuous"
            )
    return np.asarray(table.values == table.values.max(axis=1, keepdims=True), dtype=float).T


def _logit(p: Vector) -> Vector:
    return np.log(p / (1 - p))


@dataclass(frozen=True, eq=False)
class _Rows:
    """The distinct rows of a binary table and the share of each: few rows where there are many."""

    X: Matrix
    shares: Vector

    @classmethod
    def of(cls, X: Matrix) -> _Rows:
        rows, counts = np.unique(X, axis=0, return_counts=True)
        return cls(rows, counts / len(X))

    @property
    def means(self) -> Vector:
        return self.shares @ self.X

    def at(self, couplings: Matrix, intercepts: Vector) -> _Point:
        """Return loss and gradient at some parameters."""
        eta = self.X @ couplings.T + intercepts
        small = np.exp(-np.abs(eta))
        probabilities = np.where(eta >= 0, 1.0, small) / (1 + small)
        losses = np.maximum(eta, 0) + np.log1p(small) - self.X * eta
        excess = self.shares[:, None] * (probabilities - self.X)
        return _Point(
            data=self,
            couplings=couplings,
            intercepts=intercepts,
            loss=float((self.shares @ losses).sum()),
            probabilities=probabilities,
            gradient=excess.T @ self.X,
            intercept_gradient=excess.sum(axis=0),
        )


@dataclass(frozen=True, eq=False)
class _Point:
    """Parameters, and the loss (sum over nodes, mean over samples) and its derivatives there."""

    data: _Rows
    couplings: Matrix
    intercepts: Vector
    loss: float
    probabilities: Matrix
    gradient: Matrix
    intercept_gradient: Vector

    def residual(self, lam: float, form: Form) -> float:
        """Return the largest violation of the conditions of a minimum, intercepts included."""
        free = float(np.abs(self.intercept_gradient).max())
        return max(violation(self.couplings, self.gradient, lam, form), free)

    def runs_away(self) -> bool:
        """Say whether, without a penalty, some log odds would grow without end.

        The gradient then vanishes far out, but not the step that Newton's method would take.
        """
        X, p = self.data.X, self.probabilities
        spread = np.sqrt(self.data.shares[:, None] * p * (1 - p))
        excess = self.data.shares[:, None] * (X - p)
        for i in range(X.shape[1]):
            design = np.column_stack([np.ones(len(X)), np.delete(X, i, axis=1)])
            aim = np.divide(
                excess[:, i], spread[:, i], out=np.zeros(len(X)), where=spread[:, i] > 0
            )
            step = np.linalg.lstsq(spread[:, i, None] * design, aim, rcond=None)[0]
            if np.abs(design @ step).max() > STANDSTILL:
                return True
        return False


@dataclass(frozen=True, eq=False)
class _Curvatures:
    """Second derivatives of the loss of each node, once its intercept follows its couplings.

    Attributes
    ----------
    grams : ndarray of shape (n_variables, n_variables, n_variables)
        Weighted covariances of the columns; the weights of node i are its conditional variances.
    means : ndarray of shape (n_variables, n_variables)
        Weighted means of the columns, one row for each node.
    totals : ndarray of shape (n_variables,)
        Sums of weights.
    """

    grams: NDArray[np.float64]
    means: Matrix
    totals: Vector

    @classmethod
    def at(cls, point: _Point) -> _Curvatures:
        X, p = point.data.X, point.probabilities
        weights = point.data.shares[:, None] * np.maximum(p * (1 - p), SMALLEST_VARIANCE)
        totals = weights.sum(axis=0)
        means = (weights.T @ X) / totals[:, None]
        grams = np.empty((X.shape[1],) * 3)
        for i, mean in enumerate(means):
            np.matmul((X - mean).T * weights[:, i], X - mean, out=grams[i])
        return cls(grams, means, totals)

    def step(self, point: _Point, lam: float, form: Form, tol: float) -> tuple[Matrix, Vector]:
        """Return the couplings and intercepts that minimise the quadratic model and its penalty."""
        ones = np.ones(len(self.totals))
        slopes = point.gradient - self.means * point.intercept_gradient[:, None]
        curved = Quadratic(self.grams, ones, np.zeros_like(slopes)).times(point.couplings)
        couplings, _, _ = Quadratic(self.grams, ones, curved - slopes).minimise(
            point.couplings, lam, form, tol=tol, max_iter=MODEL_ITERATIONS
        )
        follow = (self.means * (couplings - point.couplings)).sum(axis=1)
        return couplings, point.intercepts - point.intercept_gradient / self.totals - follow


def _minimise(
    point: _Point,
    curvatures: _Curvatures | None,
    lam: float,
    form: Form,
    tol: float,
    max_iter: int,
) -> tuple[_Point, _Curvatures | None, int]:
    """Take Newton steps until the conditions of a minimum hold.

    Returns the last point, curvatures that are still good there (or None), and the steps taken.
    """
    residual, n_iterations = point.residual(lam, form), 0
    while residual > tol and n_iterations < max_iter:
        n_iterations += 1
        fresh = curvatures is None
        if curvatures is None:
            curvatures = _Curvatures.at(point)
        aim = curvatures.step(point, lam, form, max(residual / 20, tol / 10))
        following = _search(point, *aim, lam, form)
        if following is None:
            if fresh:  # rounding leaves nothing to gain
                break
            curvatures = None
            continue
        point, before = following, residual
        residual = point.residual(lam, form)
        if residual > GOOD_FACTOR * before:
            curvatures = None
    return point, curvatures, n_iterations


def _search(
    point: _Point, couplings: Matrix, intercepts: Vector, lam: float, form: Form
) -> _Point | None:
    """Go to the new parameters, or part of the way if the objective does not fall; None if none."""
    turn, shift = couplings - point.couplings, intercepts - point.intercepts
    now = point.loss + penalty(point.couplings, lam, form)
    slope = float((point.gradient * turn).sum() + point.intercept_gradient @ shift)
    slope += penalty(couplings, lam, form) - penalty(point.couplings, lam, form)
    for part in 0.5 ** np.arange(30):
        # At 1 the new couplings themselves, whose zeros are exact.
        tried = couplings if part == 1 else point.couplings + part * turn
        following = point.data.at(tried, point.intercepts + part * shift)
        value = following.loss + penalty(tried, lam, form)
        if value <= now + 1e-4 * part * slope + 1e-13 * now:
            return following
    return None
