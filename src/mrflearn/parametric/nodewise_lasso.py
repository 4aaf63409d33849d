"""Nodewise lasso: each variable regressed on all others; an edge is a coefficient that is not 0."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mrflearn._progress import tracked
from mrflearn.parametric import regressions
from mrflearn.parametric._nodewise import Quadratic, as_fit, form_of, largest, penalty
from mrflearn.parametric.base import (
    Fit,
    Matrix,
    check_penalties,
    numbers,
    sparse_to_dense,
    unit_columns,
)
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["largest_lam", "path", "refit"]


def path(
    table: Table,
    lams: Iterable[float],
    *,
    rule: str = "and",
    tol: float = 1e-7,
    max_iter: int = 500,
) -> tuple[Fit, ...]:
    """Regress each variable on all others with an l1 penalty, at each lambda.

    The columns are standardised (mean 0, variance 1 with divisor N); then, over coefficients b,

        sum_i [ 1 / (2 N) ‖x_i - sum_j b_ij x_j‖² + lam * sum_j |b_ij| ]

    is minimised, a lasso for each node. With `rule="paired"` the penalty is lam times the sum over
    i < j of sqrt(b_ij² + b_ji²), so that both ends of an edge agree.

    Parameters
    ----------
    table : Table
        Unscaled, without constants. Nominal columns of two levels enter as 0 and 1.
    lams : iterable of float
        Penalties, not negative.
    rule : {"and", "or", "paired"}
        An edge wants both coefficients, or one of them; or is penalised as a pair.
    tol : float
        Largest violation of the optimality conditions that counts as solved.
    max_iter : int
        Most sweeps over all pairs at one lambda, Newton steps on the edges present counted as one.

    Returns
    -------
    tuple of Fit
        In the order of `lams`. Parameters: `coefficients`, row i the regression of node i. The
        weight of an edge is the mean of |b_ij| and |b_ji|, with `"paired"` the root of the mean of
        their squares.

    Notes
    -----
    The minimum is unique if no column is a linear combination of others. Two equal columns share
    one coefficient in the regression of a third, in a proportion that means nothing and depends on
    the order of the columns. At lam = 0 with fewer rows than columns one of many minima is
    returned.

    References
    ----------
    Meinshausen, N. and Bühlmann, P. (2006). High-dimensional graphs and variable selection with the
    lasso. Annals of Statistics 34.
    Friedman, J., Hastie, T. and Tibshirani, R. (2010). Applications of the lasso and grouped lasso
    to the estimation of sparse graphical models. Technical report, Stanford University.

    Examples
    --------
    For two variables the coefficients are their correlation, moved towards 0 by lambda:

    >>> from mrflearn.table import as_table
    >>> table = as_table([[1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], scale=None)
    >>> [fit] = path(table, [0.1])
    >>> np.corrcoef(table.values)[0, 1].round(5), fit.parameters["coefficients"][0, 1].round(5)
    (np.float64(0.57735), np.float64(0.47735))
    """
    penalties, form = check_penalties(lams), form_of(rule)
    correlations = _correlations(table)
    n_variables = table.n_variables
    losses = Quadratic(correlations[None], np.ones(n_variables), correlations)
    found = np.zeros((n_variables, n_variables))
    fits: dict[int, Fit] = {}
    for at in tracked("Fitting along lambda", sparse_to_dense(penalties)):
        lam = penalties[at]
        found, residual, n_iterations = losses.minimise(
            found, lam, form, tol=tol, max_iter=max_iter
        )
        left = np.eye(n_variables) - found
        left_over = (left @ correlations * left).sum(axis=1)
        fits[at] = as_fit(
            found,
            rule,
            lam=lam,
            objective=float(left_over.sum()) / 2 + penalty(found, lam, form),
            residual=residual,
            tol=tol,
            n_iterations=n_iterations,
            parameters={"coefficients": found},
        )
    return tuple(fits[at] for at in range(len(penalties)))


def largest_lam(table: Table, *, rule: str = "and") -> float:
    """Return the smallest lambda that leaves no edge.

    It is the largest absolute correlation; √2 times that with `rule="paired"`.
    """
    return largest(_correlations(table), form_of(rule))


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the likelihood of each graph: of least squares on its neighbours for each variable."""
    return regressions.refit(table, graphs, levels=False)


def _correlations(table: Table) -> Matrix:
    X = unit_columns(numbers(table, "NodewiseLasso"))
    return X.T @ X / len(X)
