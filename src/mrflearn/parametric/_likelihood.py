"""The penalised Gaussian likelihood by Newton steps that start from a solution near by.

Half of -ln det T + tr(S T) as a function of the diagonal and the upper triangle of T, so that the
slope in an entry is the one that lambda is compared with.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric import proximal
from mrflearn.parametric.base import Matrix

__all__ = ["minimise"]

MOST_NEWTON = 60
"""Variables up to which steps use second derivatives: a matrix of 1,830 rows there."""

Vector = NDArray[np.float64]


def minimise(
    matrix: Matrix, lam: float, start: Matrix, tol: float, max_iter: int
) -> tuple[Matrix, int]:
    """Return the precision matrix reached from a positive definite one, and the steps taken."""
    n = len(matrix)
    rows, columns = np.triu_indices(n, 1)
    slopes = np.concatenate([matrix.diagonal() / 2, matrix[rows, columns]])

    def assemble(theta: Vector) -> Matrix:
        precision = np.diag(theta[:n])
        precision[rows, columns] = precision[columns, rows] = theta[n:]
        return precision

    def smooth(theta: Vector) -> tuple[float, Vector]:
        precision = assemble(theta)
        try:
            factor = np.linalg.cholesky(precision)
            inverse = np.linalg.inv(precision)
        except np.linalg.LinAlgError:
            return math.inf, np.zeros_like(theta)
        value = slopes @ theta - np.log(factor.diagonal()).sum()
        between = (inverse[rows, columns] + inverse[columns, rows]) / 2
        return float(value), slopes - np.concatenate([inverse.diagonal() / 2, between])

    def hessian(theta: Vector) -> Matrix:
        inverse = np.linalg.inv(assemble(theta))
        near = inverse[:, rows] * inverse[:, columns]
        across = (
            inverse[np.ix_(rows, rows)] * inverse[np.ix_(columns, columns)]
            + inverse[np.ix_(rows, columns)] * inverse[np.ix_(columns, rows)]
        )
        return np.block([[inverse * inverse / 2, near], [near.T, across]])

    penalty = proximal.GroupPenalty(np.arange(n, n + len(rows) + 1), np.ones(len(rows)))
    solution = proximal.minimise(
        smooth,
        penalty,
        lam,
        np.concatenate([start.diagonal(), start[rows, columns]]),
        tol=tol / 2,  # of entries on the diagonal, half the slope is seen here
        max_iter=max_iter,
        hessian=hessian if n <= MOST_NEWTON else None,
    )
    return assemble(solution.theta), solution.n_iterations
