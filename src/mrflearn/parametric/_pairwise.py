"""What pairwise models fitted by pseudolikelihood share: levels, and the path over lambda."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import tracked
from mrflearn.parametric._curvature import Hessian, affordable, curved
from mrflearn.parametric.base import Fit, check_penalties, sparse_to_dense
from mrflearn.parametric.proximal import minimise
from mrflearn.parametric.pseudolikelihood import Estimate, Pseudolikelihood
from mrflearn.table import Table

__all__ = ["fit_path", "largest", "observed_levels", "symmetric"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

NEWTON = 500
"""Longest vector to take Newton steps for; with more parameters quasi-Newton steps are faster."""

Described = tuple[Matrix, Mapping[str, NDArray[Any]]]


def observed_levels(table: Table, i: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the codes of a variable that occur, sorted, and the position of each row's code."""
    codes, positions = np.unique(table.values_of(i)[0], return_inverse=True)
    return codes, positions.astype(np.int64)


def symmetric(upper: Vector, n_variables: int) -> Matrix:
    """Return a symmetric matrix from its entries above the diagonal, row by row."""
    matrix = np.zeros((n_variables, n_variables))
    matrix[np.triu_indices(n_variables, 1)] = upper
    return matrix + matrix.T


def largest(model: Pseudolikelihood, scales: Vector) -> float:
    """Return the smallest lambda that leaves no interaction: from the gradient without any."""
    _, gradient = model(model.null())
    return float((model.penalty(scales).norms(gradient) / scales).max())


def fit_path(
    model: Pseudolikelihood,
    scales: Vector,
    lams: Sequence[float],
    tol: float,
    max_iter: int,
    describe: Callable[[Estimate, Vector], Described],
    constant: float = 0.0,
) -> tuple[Fit, ...]:
    """Minimise the pseudolikelihood plus lambda times the norms of interactions, at each lambda.

    Parameters
    ----------
    model : Pseudolikelihood
        What is fitted.
    scales : ndarray of shape (n_pairs,)
        Weight of the norm of each pair (0, 1), (0, 2), ….
    lams : sequence of floats
        Lambdas in any order.
    tol, max_iter
        As in `minimise`; `tol` holds for the parameters as told, not as solved for.
    describe : callable
        `describe(estimate, norms)` gives the weights of the edges and the parameters by name.
    constant : float
        To add to the objective.

    Returns
    -------
    tuple of Fit
        One for each lambda, in the order given.

    Notes
    -----
    A lambda up to `tol` is as good as none, and without a penalty there may be no minimum. It is
    solved a thousand times more exactly, and counts as converged only if the curvature in every
    direction exceeds `tol` there (see `curved`). Beyond some 8,000 parameters that cannot be told,
    and it never does.
    """
    penalties = check_penalties(lams)
    penalty = model.penalty(scales)
    fits: dict[int, Fit] = {}
    vector = model.null()
    newton = Hessian(model) if len(vector) <= NEWTON and affordable(model) else None
    for at in tracked("Fitting along lambda", sparse_to_dense(penalties)):
        lam = penalties[at]
        unpenalised = lam <= tol
        aim = tol / model.residual_ratio * (1e-3 if unpenalised else 1.0)
        solution = minimise(model, penalty, lam, vector, tol=aim, max_iter=max_iter, hessian=newton)
        vector = solution.theta
        residual = model.residual(vector, scales, lam)
        norms = penalty.norms(vector)
        weights, parameters = describe(model.estimate(vector), norms)
        fits[at] = Fit(
            lam=lam,
            weights=weights,
            objective=solution.objective + constant,
            residual=residual,
            converged=residual <= tol and (not unpenalised or _is_minimum(model, vector, tol)),
            n_iterations=solution.n_iterations,
            parameters=parameters,
        )
    return tuple(fits[at] for at in range(len(penalties)))


def _is_minimum(model: Pseudolikelihood, vector: Vector, tol: float) -> bool:
    return affordable(model) and curved(Hessian(model)(vector), tol)
