"""Second derivatives of a pseudolikelihood: for Newton steps, and to see that a minimum is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric._conditionals import FARTHEST
from mrflearn.parametric.pseudolikelihood import Pseudolikelihood

__all__ = ["Hessian", "affordable", "curved"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

PORTION = 2**22
"""Numbers to hold at a time while samples are summed up: 32 MiB."""

MOST = 2**26
"""Numbers that a Hessian may need in all: 512 MiB."""


class Hessian:
    """The matrix of second derivatives at a vector.

    The predictors of one variable bend its loss, and each is a sum of offset and interactions
    times features. So the matrix holds, for each pair (a, b) of contrasts of one variable, the
    products of all features, weighted by how the loss bends in (a, b), at the places of the
    parameters of a and of b.

    Parameters
    ----------
    model : Pseudolikelihood
        What is differentiated.
    """

    def __init__(self, model: Pseudolikelihood) -> None:
        self.model = model
        n_contrasts, p = model.n_contrasts, model.n_numbers
        self.size = model.n_free + len(model.first)
        owner = np.repeat(np.arange(model.n_variables), np.diff(model.starts))
        self.a, self.b = np.nonzero(owner[:, None] == owner[None, :])
        # Where the parameters of a contrast are: its offset, then its interactions. What it has
        # none with, itself among them, goes to one more row and column, to be left out.
        places = np.full((n_contrasts, 1 + n_contrasts), self.size)
        places[:, 0] = np.arange(n_contrasts)
        at = np.arange(model.n_free, self.size)
        places[model.first, 1 + model.second] = at
        places[model.second, 1 + model.first] = at
        self.places = places
        self.flat = places[self.a][:, :, None] * (self.size + 1) + places[self.b][:, None, :]
        self.design = np.vstack([np.ones_like(model.weights), model.features])
        self.basis_products = model.basis[p:, self.a] * model.basis[p:, self.b]

    def __call__(self, vector: Vector) -> Matrix:
        """Return a matrix of shape (length of vector, length of vector)."""
        model, design = self.model, self.design
        predictors, precisions = model.predictors(vector)
        bends = self._bends(predictors, precisions) * model.weights
        products = np.zeros((len(bends) * len(design), len(design)))
        portion = max(1, PORTION // len(products))
        for start in range(0, len(model.weights), portion):
            part = design[:, start : start + portion]
            weighted = bends[:, None, start : start + portion] * part
            products += weighted.reshape(len(products), -1) @ part.T
        width = self.size + 1
        sums = np.bincount(self.flat.ravel(), products.ravel(), minlength=width * width)
        hessian = sums.astype(np.float64, copy=False).reshape(width, width)
        self._add_precisions(hessian, predictors, precisions)
        return hessian[:-1, :-1]

    def _bends(self, predictors: Matrix, precisions: Vector) -> Matrix:
        """Return the second derivatives of losses by predictors (a, b), for each sample."""
        model, p = self.model, self.model.n_numbers
        normal = np.repeat(1.0 / precisions[:, None], len(model.weights), axis=1)
        if p == model.n_variables:
            return normal
        scores = np.minimum(predictors[p:], FARTHEST)
        if model.binary:
            chances = 1.0 / (1.0 + np.exp(-np.maximum(scores, -FARTHEST)))
            return np.vstack([normal, chances * (1.0 - chances)])
        chances = np.exp(scores)
        sizes = model.row_sizes[p:]
        totals = np.add.reduceat(chances, np.cumsum(sizes) - sizes, axis=0)
        chances /= np.repeat(totals, sizes, axis=0)
        means = model.basis[p:].T @ chances
        bends = self.basis_products.T @ chances - means[self.a] * means[self.b]
        bends[:p] = normal  # the first pairs are those of the numbers
        return bends

    def _add_precisions(self, hessian: Matrix, predictors: Matrix, precisions: Vector) -> None:
        """Add the second derivatives by precisions, and by precisions and other parameters.

        In predictor η and precision b the loss of a number bends by (1, -η/b)' (1, -η/b) / b, and
        by 1 / 2b² from the logarithm of b.
        """
        model, p = self.model, self.model.n_numbers
        means = predictors[:p] / precisions[:, None]
        weighted = means * model.weights / precisions[:, None]
        at = np.arange(model.n_contrasts, model.n_free)
        hessian[at[:, None], self.places[:p]] -= weighted @ self.design.T
        hessian[self.places[:p], at[:, None]] -= weighted @ self.design.T
        hessian[at, at] += np.einsum("im,im->i", weighted, means) + 0.5 / precisions**2


def affordable(model: Pseudolikelihood) -> bool:
    """Say whether there is room for a Hessian: for some 8,000 parameters."""
    size = model.n_free + len(model.first)
    n_pairs = int((np.diff(model.starts) ** 2).sum())
    return (size + 1) ** 2 + n_pairs * (1 + model.n_contrasts) ** 2 <= MOST


def curved(hessian: Matrix, least: float) -> bool:
    """Say whether the second derivative exceeds `least` in every direction.

    A small gradient alone is no sign of a minimum: where one variable can be told from others
    without error, the pseudolikelihood rises for ever, ever more slowly. But then its curvature
    dies away together with the gradient.
    """
    from scipy.linalg import LinAlgError, cholesky

    if not np.isfinite(hessian).all():
        return False
    try:
        cholesky(hessian - least * np.eye(len(hessian)), overwrite_a=True, check_finite=False)
    except LinAlgError:  # not positive definite: the answer, not a failure
        return False
    return True
