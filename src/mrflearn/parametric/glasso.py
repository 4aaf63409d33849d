"""Graphical lasso: a Gaussian's inverse correlation matrix with a penalty on its entries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from mrflearn._progress import tracked
from mrflearn._words import listed
from mrflearn.errors import InputError
from mrflearn.parametric import _likelihood, covariance_selection
from mrflearn.parametric.base import Fit, Matrix, check_penalties, numbers, sparse_to_dense
from mrflearn.parametric.correlation import correlation
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["largest_lam", "path", "refit", "solve"]

GAP, INNER = 1e-7, 1e-8
"""Tolerances of scikit-learn's solver: on the duality gap, and of its inner lasso."""

FEW = 20
"""Variables up to which Newton steps come first: they cost a cube of the number of edges, and start
from the solution before; `benchmarks/glasso.py` has the ratio to scikit-learn's solver."""


def path(
    table: Table, lams: Iterable[float], *, tol: float = 1e-6, max_iter: int = 100
) -> tuple[Fit, ...]:
    """Fit the graphical lasso to the correlation matrix of a table at each lambda."""
    matrix = correlation(numbers(table, "GLasso"))
    return solve(matrix, lams, table.names, tol, max_iter)


def largest_lam(table: Table) -> float:
    """Return the smallest lambda that leaves no edge: the largest absolute correlation."""
    return largest_entry(correlation(numbers(table, "GLasso")))


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the largest Gaussian likelihood of each graph."""
    matrix = correlation(numbers(table, "GLasso"))
    return covariance_selection.refit(matrix, table.n_samples, graphs)


def largest_entry(matrix: Matrix) -> float:
    """Return the largest absolute value off the diagonal."""
    return float(np.abs(matrix[np.triu_indices(len(matrix), 1)]).max())


def solve(
    matrix: Matrix,
    lams: Iterable[float],
    names: Sequence[str],
    tol: float = 1e-6,
    max_iter: int = 100,
) -> tuple[Fit, ...]:
    """Minimise -ln det T + tr(S T) + lam * (sum of |T_ij| over i ≠ j) over positive definite T.

    Parameters
    ----------
    matrix : ndarray of shape (n_variables, n_variables)
        S: a correlation or covariance matrix, positive semidefinite.
    lams : iterable of float
        Penalties, not negative. 0 gives the inverse of S.
    names : sequence of str
        Names of the variables, for the message that S has no inverse.
    tol : float
        Largest violation of the optimality conditions that counts as solved.
    max_iter : int
        Sweeps over all variables.

    Returns
    -------
    tuple of Fit
        In the order of `lams`. Parameters: `precision`, `covariance` (its inverse) and
        `partial_correlations`. Weights are absolute partial correlations.
    """
    penalties = check_penalties(lams)
    fits: dict[int, Fit] = {}
    precision = np.diag(1 / matrix.diagonal())
    for at in tracked("Fitting along lambda", sparse_to_dense(penalties)):
        lam = penalties[at]
        if lam > 0:
            precision, n_iterations = _by_components(matrix, lam, precision, tol, max_iter)
        else:
            precision, n_iterations = _inverse(matrix, names), 0
        fits[at] = _as_fit(matrix, lam, precision, n_iterations, tol)
    return tuple(fits[at] for at in range(len(penalties)))


def residual(matrix: Matrix, lam: float, precision: Matrix, covariance: Matrix) -> float:
    """Return the largest violation of the optimality conditions.

    On the diagonal S = W, the inverse of the precision T; off it W - S = lam * sign(T) where T is
    not 0, and |W - S| <= lam where it is.
    """
    gap = covariance - matrix
    edges = precision != 0
    free = np.eye(len(matrix), dtype=bool)
    penalty = 0.0 if np.isinf(lam) else lam
    violation = np.where(edges, np.abs(gap - penalty * np.sign(precision)), np.abs(gap) - lam)
    violation[free] = np.abs(gap[free])
    return float(max(violation.max(), 0.0))


def _as_fit(matrix: Matrix, lam: float, precision: Matrix, n_iterations: int, tol: float) -> Fit:
    covariance = np.linalg.inv(precision)
    covariance = (covariance + covariance.T) / 2
    scale = np.sqrt(precision.diagonal())
    partial = -precision / np.outer(scale, scale)
    np.fill_diagonal(partial, 1.0)
    weights = np.abs(partial)
    np.fill_diagonal(weights, 0.0)
    norm = float(np.abs(precision).sum() - precision.diagonal().sum())
    objective = -np.linalg.slogdet(precision)[1] + float((matrix * precision).sum())
    violation = residual(matrix, lam, precision, covariance)
    return Fit(
        lam=lam,
        weights=weights,
        objective=objective + (lam * norm if norm else 0.0),
        residual=violation,
        converged=violation <= tol,
        n_iterations=n_iterations,
        parameters={
            "precision": precision,
            "covariance": covariance,
            "partial_correlations": partial,
        },
    )


def _by_components(
    matrix: Matrix, lam: float, start: Matrix, tol: float, max_iter: int
) -> tuple[Matrix, int]:
    """Solve each connected component of |S| > lam by itself, which gives the same solution.

    Witten, Friedman and Simon (2011); Mazumder and Hastie (2012).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_components, labels = connected_components(csr_array(np.abs(matrix) > lam), directed=False)
    precision = np.diag(1 / matrix.diagonal())
    most = 0
    for label in range(n_components):
        members = np.flatnonzero(labels == label)
        if len(members) > 1:
            block = np.ix_(members, members)
            precision[block], n_iterations = _descend(
                matrix[block], lam, start[block], tol, max_iter
            )
            most = max(most, n_iterations)
    return precision, most


def _descend(
    matrix: Matrix, lam: float, start: Matrix, tol: float, max_iter: int
) -> tuple[Matrix, int]:
    """Solve small problems by Newton steps from `start`, large ones by scikit-learn.

    Its coordinate descent falls short or breaks down on nearly singular matrices; then Newton steps
    go on, as far as they get.
    """
    if len(matrix) <= FEW:
        return _likelihood.minimise(matrix, lam, start, tol, max_iter)
    solved = _scikit_learn(matrix, lam, max_iter)
    if solved is not None:
        precision, n_iterations = solved
        covariance = np.linalg.inv(precision).astype(np.float64, copy=False)
        if residual(matrix, lam, precision, covariance) <= tol:
            return precision, n_iterations
        if np.linalg.eigvalsh(precision)[0] > 0:
            start = precision
    return _likelihood.minimise(matrix, lam, start, tol, max_iter)


def _scikit_learn(matrix: Matrix, lam: float, max_iter: int) -> tuple[Matrix, int] | None:
    """Return the precision matrix of scikit-learn's solver, None if it broke down."""
    from sklearn.covariance import graphical_lasso

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what we check ourselves
        try:
            _, precision, n_iterations = graphical_lasso(
                matrix, lam, tol=GAP, enet_tol=INNER, max_iter=max_iter, return_n_iter=True
            )
        except FloatingPointError:
            return None
    return precision, int(n_iterations)


def _inverse(matrix: Matrix, names: Sequence[str]) -> Matrix:
    """Return the inverse, or say which columns are in the way of one."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] <= 1e-12 * values[-1]:
        involved = [names[i] for i in np.flatnonzero(np.abs(vectors[:, 0]) > 1e-6).tolist()]
        raise InputError(
            "lam=0 needs the inverse of the correlation matrix, which has none: "
            f"{listed(involved, quote=True)} determine each other (fewer rows than "
            "columns, or one column twice); choose lam > 0"
        )
    inverse = (vectors / values) @ vectors.T
    return (inverse + inverse.T) / 2
