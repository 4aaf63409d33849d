"""Correlation matrices: of the values, and of Gaussian copulas through ranks."""

from __future__ import annotations

import numpy as np

from mrflearn.errors import unknown
from mrflearn.parametric.base import Matrix, unit_columns

__all__ = ["RANKS", "correlation", "nearest_correlation", "skeptic_correlation"]

RANKS = ("spearman", "kendall")


def correlation(X: Matrix) -> Matrix:
    """Return the correlation matrix of columns that vary; exactly symmetric, 1 on the diagonal."""
    units = unit_columns(X)
    return _tidy(units.T @ units / len(X))


def skeptic_correlation(X: Matrix, rank: str = "spearman") -> Matrix:
    """Return the correlations of the Gaussian behind monotone transforms of its columns.

    2 sin(π ρ / 6) of Spearman's ρ (ties by average ranks), or sin(π τ / 2) of Kendall's τ (tau-b).
    Either may be indefinite; `nearest_correlation` mends it.

    References
    ----------
    Liu, Han, Yuan, Lafferty and Wasserman (2012), High-dimensional semiparametric Gaussian copula
    graphical models.
    """
    from scipy.stats import kendalltau, rankdata

    if rank not in RANKS:
        raise unknown("rank", rank, RANKS)
    if rank == "spearman":
        return _tidy(2 * np.sin(np.pi / 6 * correlation(rankdata(X, axis=0))))
    n_columns = X.shape[1]
    matrix = np.eye(n_columns)
    for i in range(n_columns):
        for j in range(i):
            matrix[i, j] = np.sin(np.pi / 2 * kendalltau(X[:, i], X[:, j]).statistic)
    return _tidy(np.tril(matrix) + np.tril(matrix, -1).T)


def nearest_correlation(matrix: Matrix, tol: float = 1e-10, max_iter: int = 10_000) -> Matrix:
    """Return the positive semidefinite matrix with unit diagonal that is nearest to `matrix`.

    Nearest in the sum of squared differences. A matrix that is one already comes back unchanged.

    References
    ----------
    Higham (2002), Computing the nearest correlation matrix: a problem from finance.
    """
    if np.linalg.eigvalsh(matrix)[0] >= 0:
        return matrix
    nearest, correction = matrix, np.zeros_like(matrix)
    for _ in range(max_iter):
        shifted = nearest - correction
        values, vectors = np.linalg.eigh(shifted)
        projected = (vectors * np.maximum(values, 0)) @ vectors.T
        correction = projected - shifted
        following = projected.copy()
        np.fill_diagonal(following, 1.0)
        settled = np.abs(following - nearest).max() <= tol
        nearest = following
        if settled:
            break
    # The last step set the diagonal, which may leave an eigenvalue a rounding below 0.
    lowest = np.linalg.eigvalsh(nearest)[0]
    if lowest < 0:
        nearest = (nearest - lowest * np.eye(len(nearest))) / (1 - lowest)
    return _tidy(nearest)


def _tidy(matrix: Matrix) -> Matrix:
    """Return the matrix with rounding taken out: symmetric, between -1 and 1, unit diagonal."""
    matrix = np.clip((matrix + matrix.T) / 2, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    return matrix
