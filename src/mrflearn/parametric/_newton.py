"""Newton steps for the graphical lasso (Hsieh, Sustik, Dhillon and Ravikumar 2014, QUIC).

Each step minimises the quadratic model of -ln det T + tr(S T) plus the penalty by coordinate
descent over the entries that may move, and goes as far along it as the objective falls.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["descend"]

Matrix = NDArray[np.float64]

MOST_SWEEPS = 100
"""Sweeps over the entries for one step; few are needed unless columns are nearly dependent."""


def descend(
    matrix: Matrix, lam: float, precision: Matrix, tol: float, max_iter: int
) -> tuple[Matrix, int]:
    """Return the precision matrix after steps from a positive definite one, and their number."""
    off = ~np.eye(len(matrix), dtype=bool)
    value = _objective(matrix, lam, precision, off)
    for step in range(max_iter):
        inverse = np.linalg.inv(precision)
        gradient = matrix - (inverse + inverse.T) / 2
        violation = np.where(
            precision != 0,
            np.abs(gradient + lam * off * np.sign(precision)),
            np.abs(gradient) - lam,
        )
        if violation.max() <= tol:
            return precision, step
        free = (precision != 0) | (np.abs(gradient) > lam)
        direction = _direction(matrix, inverse, precision, lam, free, 1e-2 * violation.max())
        slope = (gradient * direction).sum() + lam * (
            np.abs(precision + direction)[off].sum() - np.abs(precision)[off].sum()
        )
        for halvings in range(40):
            trial = precision + 0.5**halvings * direction
            reached = _objective(matrix, lam, trial, off)
            if reached <= value + 1e-3 * 0.5**halvings * slope:
                break
        else:
            return precision, step  # rounding: no step lowers the objective any more
        precision, value = trial, reached
    return precision, max_iter


def _objective(matrix: Matrix, lam: float, precision: Matrix, off: NDArray[np.bool_]) -> float:
    try:
        factor = np.linalg.cholesky(precision)
    except np.linalg.LinAlgError:
        return np.inf
    fit = (matrix * precision).sum() - 2 * np.log(factor.diagonal()).sum()
    return float(fit + lam * np.abs(precision)[off].sum())


@njit(cache=True)
def _direction(matrix, inverse, precision, lam, free, enough):  # type: ignore[no-untyped-def]
    """Return the minimiser of the quadratic model, up to a slope of `enough`.

    `product` is direction @ inverse throughout: an entry that moves changes two of its rows.
    """
    n = len(matrix)
    direction = np.zeros((n, n))
    product = np.zeros((n, n))
    for _ in range(MOST_SWEEPS):
        largest = 0.0
        for i in range(n):
            for j in range(i, n):
                if not free[i, j]:
                    continue
                slope = matrix[i, j] - inverse[i, j]
                for k in range(n):
                    slope += inverse[i, k] * product[k, j]
                if i == j:
                    curvature = inverse[i, i] * inverse[i, i]
                    move = -slope / curvature
                else:
                    curvature = inverse[i, j] * inverse[i, j] + inverse[i, i] * inverse[j, j]
                    here = precision[i, j] + direction[i, j]
                    wish = here - slope / curvature
                    reach = max(abs(wish) - lam / curvature, 0.0)
                    move = (reach if wish > 0 else -reach) - here
                if move == 0.0:
                    continue
                direction[i, j] += move
                for k in range(n):
                    product[i, k] += move * inverse[j, k]
                if i != j:
                    direction[j, i] += move
                    for k in range(n):
                        product[j, k] += move * inverse[i, k]
                largest = max(largest, abs(move) * curvature)
        if largest <= enough:
            break
    return direction
