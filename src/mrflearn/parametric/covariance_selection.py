"""Covariance selection: the Gaussian of largest likelihood whose graph is given.

Its covariance matrix W agrees with S at the edges and on the diagonal, and its inverse is 0
everywhere else (Dempster 1972). Of all matrices that agree with S there it has the largest
determinant, so W = S is a place to start from: the free entries of one row after another are set so
that the determinant is largest, which is a regression on the neighbours. Each row needs its
neighbours alone, and ten to twenty sweeps are enough.

References
----------
Dempster, A. P. (1972). Covariance selection. Biometrics 28.
Hastie, T., Tibshirani, R. and Friedman, J. (2009). The elements of statistical learning, Algorithm
17.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric.base import Matrix
from mrflearn.parametric.refit import MOST, NOISE, Graphs, Refits, each_once

__all__ = ["covariance", "refit"]

TOL = 1e-7
"""Largest change of an entry in a sweep that counts as none. At the largest determinant its
logarithm changes with the square of that."""

MAX_SWEEPS = 1000


def refit(matrix: Matrix, n_samples: int, graphs: Graphs) -> Refits:
    """Return the largest Gaussian likelihood of each graph.

    Parameters
    ----------
    matrix : ndarray of shape (n_variables, n_variables)
        S: correlations. It may be singular, for there is always noise (`NOISE`).
    n_samples : int
        Rows they were estimated from.
    graphs : ndarray of bool, of shape (n_graphs, n_variables, n_variables)
        Adjacency matrices. Those that give a variable more than N / 2 neighbours are too dense.

    Returns
    -------
    Refits
        The log-likelihood is that of centred rows whose second moments are S.
    """
    n_variables = len(matrix)
    noisy = matrix + NOISE * np.eye(n_variables)

    def log_likelihood(graph: Graphs) -> float:
        if graph.sum(axis=1).max(initial=0) > MOST * n_samples:
            return -math.inf
        _, log_determinant = np.linalg.slogdet(covariance(noisy, graph))
        return -n_samples / 2 * (log_determinant + n_variables * (math.log(2 * math.pi) + 1))

    n_edges = graphs.sum(axis=(1, 2)) // 2
    return Refits(each_once(graphs, log_likelihood), n_edges, n_edges, "likelihood")


def covariance(matrix: Matrix, graph: Graphs) -> Matrix:
    """Return the covariance matrix of largest likelihood with a given graph.

    Parameters
    ----------
    matrix : ndarray of shape (n_variables, n_variables)
        S: a covariance matrix, positive definite.
    graph : ndarray of bool, of shape (n_variables, n_variables)
        Adjacency matrix.

    Examples
    --------
    On a chain, the correlation of its ends is the product of the two between:

    >>> S = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.5], [0.1, 0.5, 1.0]])
    >>> chain = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> covariance(S, chain).round(3)
    array([[1. , 0.6, 0.3],
           [0.6, 1. , 0.5],
           [0.3, 0.5, 1. ]])
    """
    rows, neighbours = np.nonzero(graph)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1))
    kernel = _compiled()
    found: Matrix = kernel(np.array(matrix, np.float64), starts, neighbours, TOL, MAX_SWEEPS)
    return found


@cache
def _compiled() -> Callable[..., Matrix]:
    from mrflearn._compile import compiled

    return compiled(_sweep)


def _sweep(
    matrix: Matrix,
    starts: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    tol: float,
    max_sweeps: int,
) -> Matrix:
    """Set the free entries of each row in turn, until nothing moves."""
    """Set the free entries of each row in turn, until nothing moves.

    The neighbours of row j are those from `starts[j]` on. Compiled; the small systems are solved in
    place, because NumPy's solver takes ten times as long to compile as the rest.
    """
    n_variables = len(matrix)
    found = matrix.copy()
    row = np.empty(n_variables)
    factor = np.empty((n_variables, n_variables))
    solved = np.empty(n_variables)
    for _ in range(max_sweeps):
        moved = 0.0
        for j in range(n_variables):
            own = neighbours[starts[j] : starts[j + 1]]
            for a in range(len(own)):  # Cholesky, and what is aimed at in its terms
                for b in range(a + 1):
                    left = found[own[a], own[b]]
                    for c in range(b):
                        left -= factor[a, c] * factor[b, c]
                    factor[a, b] = np.sqrt(left) if a == b else left / factor[b, b]
                aim = matrix[own[a], j]
                for c in range(a):
                    aim -= factor[a, c] * solved[c]
                solved[a] = aim / factor[a, a]
            row[:] = 0.0
            for a in range(len(own) - 1, -1, -1):  # its transpose, and the row that this gives
                for c in range(a + 1, len(own)):
                    solved[a] -= factor[c, a] * solved[c]
                solved[a] /= factor[a, a]
                row += solved[a] * found[own[a]]
            row[j] = matrix[j, j]
            moved = max(moved, np.abs(row - found[j]).max())
            found[j] = row
            found[:, j] = row
        if moved <= tol:
            break
    return found
