"""Negative log likelihoods of one variable given the others, for many variables at once.

Each function takes the linear predictors `eta` of its variables, one row for each predictor and
one column for each sample, and gives the weighted sum of losses together with its derivative by
`eta`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["FARTHEST", "gaussian", "logistic", "multinomial"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

FARTHEST = 700.0
"""Log-odds and scores are cut here, before their exponentials overflow; no minimum comes near."""


def logistic(eta: Matrix, signs: Matrix, weights: Vector) -> tuple[float, Matrix]:
    """Return loss and slope of variables with two values.

    Parameters
    ----------
    eta : ndarray of shape (n_variables, n_samples)
        Log-odds of the value 1.
    signs : ndarray of the same shape
        1 where the value 0 was observed, -1 where 1 was.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    """
    against = eta * signs  # log-odds against what was observed
    odds = np.exp(np.minimum(against, FARTHEST, out=against), out=against)
    total = 1.0 + odds
    slopes = np.divide(odds, total, out=odds)
    slopes *= signs
    slopes *= weights
    losses = np.log(total, out=total)
    return float((losses @ weights).sum()), slopes


def multinomial(
    eta: Matrix, indicators: Matrix, sizes: NDArray[np.int64], weights: Vector
) -> tuple[float, Matrix]:
    """Return loss and slope of variables with any number of levels.

    Parameters
    ----------
    eta : ndarray of shape (n_levels, n_samples)
        Scores of the levels of all variables, those of one variable side by side. They sum to
        zero over its levels, so that the highest is never far below zero.
    indicators : ndarray of the same shape
        1 for the level that was observed, 0 for the others.
    sizes : int array of shape (n_variables,)
        Number of levels of each variable.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    """
    scores = np.minimum(eta, FARTHEST)
    observed = ((scores * indicators) @ weights).sum()
    slopes = np.exp(scores, out=scores)
    totals = np.add.reduceat(slopes, np.cumsum(sizes) - sizes, axis=0)
    slopes /= np.repeat(totals, sizes, axis=0)
    slopes -= indicators
    slopes *= weights
    return float((np.log(totals) @ weights).sum() - observed), slopes


def gaussian(
    eta: Matrix, values: Matrix, precisions: Vector, weights: Vector
) -> tuple[float, Matrix, Vector]:
    """Return loss, slope by `eta` and slope by `precisions` of variables that are normal.

    A variable has mean eta / precision and variance 1 / precision. In these, its natural
    parameters, the loss is jointly convex. Where a precision is not positive it is infinite.

    Parameters
    ----------
    eta, values : ndarrays of shape (n_variables, n_samples)
        Precisions times means, and what was observed.
    precisions : ndarray of shape (n_variables,)
        Inverses of the conditional variances.
    weights : ndarray of shape (n_samples,)
        Weights of the samples; they sum to 1.
    """
    if not (precisions > 0).all():
        return math.inf, np.zeros_like(eta), np.zeros_like(precisions)
    means = eta / precisions[:, None]
    errors = means - values
    squares = (errors * errors) @ weights
    loss = 0.5 * (precisions * squares - np.log(precisions) + math.log(2.0 * math.pi)).sum()
    # (x² - mean²) / 2 as a product, which does not cancel when the fit is close.
    by_precision = -0.5 * ((errors * (means + values)) @ weights + 1.0 / precisions)
    return float(loss), errors * weights, by_precision
