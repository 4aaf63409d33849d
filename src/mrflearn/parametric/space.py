"""SPACE: partial correlations by regressing all variables on each other, both ends tied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import tracked
from mrflearn.errors import unknown
from mrflearn.parametric import regressions
from mrflearn.parametric._nodewise import EXACT, Form, Quadratic, largest, penalty
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

WEIGHTS = ("uniform", "residual")

INNER_ITERATIONS = 50


def path(
    table: Table,
    lams: Iterable[float],
    *,
    weights: str = "uniform",
    tol: float = 1e-7,
    max_iter: int = 200,
) -> tuple[Fit, ...]:
    """Estimate sparse partial correlations rho and the precisions omega of all variables.

    The columns are standardised (mean 0, variance 1 with divisor N). Given omega, rho minimises

        1 / (2 N) sum_i w_i ‖x_i - sum_j rho_ij sqrt(omega_j / omega_i) x_j‖²
            + lam * sum_{i<j} |rho_ij|

    over symmetric matrices; given rho, omega_i is one over the mean of the squared residuals of
    node i. The two take turns until both stand still.

    Parameters
    ----------
    table : Table
        Unscaled, without constants. Nominal columns of two levels enter as 0 and 1.
    lams : iterable of float
        Penalties, not negative. The loss is a mean over samples, where the paper has a sum: lam
        here is that of the paper divided by N.
    weights : {"uniform", "residual"}
        w_i = 1, or w_i = omega_i: nodes that others explain well count more.
    tol : float
        Largest violation of the optimality conditions that counts as solved.
    max_iter : int
        Most turns at one lambda, at least 1; the paper takes two or three.

    Returns
    -------
    tuple of Fit
        In the order of `lams`. Parameters: `partial_correlations`, with a unit diagonal, and
        `precisions`, omega. Weights are absolute partial correlations. The residual is the larger
        of the violation of the conditions of rho given omega, and of |1 - omega_i / (omega_i that
        the residuals give)|.

    Notes
    -----
    No function falls at every turn, so there may be no end: turns that swing to and fro are made
    shorter, and if that does not help the fit has not converged. Partial correlations may come out
    larger than 1 in size. With `weights="residual"` a variable that is explained better counts
    more, and is then explained better still: several edges may enter at once, and with fewer rows
    than columns small lambdas have no solution. At lam = 0, and with more rows than columns, the
    sample's partial correlations are a solution.

    References
    ----------
    Peng, J., Wang, P., Zhou, N. and Zhu, J. (2009). Partial correlation estimation by joint sparse
    regression models. Journal of the American Statistical Association 104.

    Examples
    --------
    >>> from mrflearn.table import as_table
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = x + rng.normal(size=200)
    >>> z = y + rng.normal(size=200)
    >>> [fit] = path(as_table(np.column_stack([x, y, z]), scale=None), [0.2])
    >>> fit.adjacency.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    penalties = check_penalties(lams)
    _check_weights(weights)
    correlations = _correlations(table)
    start = _State(np.zeros_like(correlations), np.ones(len(correlations)))
    fits: dict[int, Fit] = {}
    for at in tracked("Fitting along lambda", sparse_to_dense(penalties)):
        lam = penalties[at]
        state, residual, n_iterations = _take_turns(
            correlations, lam, start, weights, tol, max_iter
        )
        if residual <= tol:  # a state that is still moving is no good place to start from
            start = state
        left_over = state.left_over(correlations)
        loss = float((state.node_weights(weights) * left_over).sum()) / 2
        fits[at] = Fit(
            lam=lam,
            weights=np.abs(state.rho),
            objective=loss + penalty(state.rho, lam, Form.TIED),
            residual=residual,
            converged=residual <= tol,
            n_iterations=n_iterations,
            parameters={
                "partial_correlations": state.rho + np.eye(len(correlations)),
                "precisions": state.omega,
            },
        )
    return tuple(fits[at] for at in range(len(penalties)))


def largest_lam(table: Table, *, weights: str = "uniform") -> float:
    """Return the smallest lambda that leaves no edge: twice the largest absolute correlation.

    Twice, because the partial correlation of two nodes enters the regressions of both.
    """
    _check_weights(weights)
    return largest(_correlations(table), Form.TIED)


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the likelihood of each graph: of least squares on its neighbours for each variable."""
    return regressions.refit(table, graphs, levels=False)


def _check_weights(weights: str) -> None:
    if weights not in WEIGHTS:
        raise unknown("weights", weights, WEIGHTS)


def _correlations(table: Table) -> Matrix:
    X = unit_columns(numbers(table, "Space"))
    return X.T @ X / len(X)


@dataclass(frozen=True, eq=False)
class _State:
    """Partial correlations, with diagonal 0, and precisions."""

    rho: Matrix
    omega: NDArray[np.float64]

    def node_weights(self, weights: str) -> NDArray[np.float64]:
        """Return w_i."""
        return self.omega if weights == "residual" else np.ones_like(self.omega)

    def left_over(self, correlations: Matrix) -> NDArray[np.float64]:
        """Return the mean squared residual of each node."""
        root = np.sqrt(self.omega)
        rows = np.eye(len(root)) - self.rho * (root / root[:, None])
        return (rows @ correlations * rows).sum(axis=1)


def _take_turns(
    correlations: Matrix, lam: float, state: _State, weights: str, tol: float, max_iter: int
) -> tuple[_State, float, int]:
    """Update rho and omega in turn; return both, the residual, and the number of turns."""
    part, change, last_missed = 1.0, np.inf, np.inf
    before = np.zeros_like(state.omega)
    for turn in range(1, max_iter + 1):
        # rho need not be more exact than omega is settled.
        inner_tol = max(tol / 2, min(change / 20, 1e-3))
        rho, violation = _update_rho(correlations, lam, state, weights, inner_tol)
        state = _State(rho, state.omega)
        left_over = np.maximum(state.left_over(correlations), EXACT)
        change = float(np.abs(1 - state.omega * left_over).max())
        solved = max(violation, change) <= tol
        # Where all residuals shrink without end, rho is harder to find at each turn.
        missed = violation if violation > inner_tol else np.inf
        hopeless = left_over.min() == EXACT or last_missed <= missed < np.inf
        if solved or hopeless or turn == max_iter:
            break
        gap, last_missed = -np.log(state.omega * left_over), missed
        # Shorter turns where the last one went too far, longer ones again where it did not.
        part = min(part / 2 if gap @ before < 0 else part * 1.2, 1.0)
        state, before = _State(rho, state.omega * np.exp(part * gap)), gap
    return state, max(violation, change), turn


def _update_rho(
    correlations: Matrix, lam: float, state: _State, weights: str, tol: float
) -> tuple[Matrix, float]:
    """Minimise over rho at fixed omega; return it and its violation of the conditions.

    In terms of the variables times sqrt(omega), all regressions have the coefficients rho.
    """
    root = np.sqrt(state.omega)
    scaled = correlations * np.outer(root, root)
    scales = state.node_weights(weights) / state.omega
    losses = Quadratic(scaled[None], scales, scales[:, None] * scaled)
    rho, violation, _ = losses.minimise(
        state.rho, lam, Form.TIED, tol=tol, max_iter=INNER_ITERATIONS
    )
    return rho, violation
