"""Regressions that know what they would have said of each row, had it been left out.

Ridge regression by its hat matrix, exactly; multinomial logistic regression by one Newton step,
which is how approximate leave-one-out is done (Rad and Maleki 2020).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Classes", "Means", "logistic", "ridge"]

RIDGES = np.array([1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0])
"""Penalties of ridge regression to choose from, for each row."""

NEWTON_STEPS = 25
"""More than a penalised logistic regression needs."""

CLOSE_ENOUGH = 1e-5
"""Largest step of a coefficient that counts as none."""

MOST_LEVERAGE = 1 - 1e-9
"""Only rounding brings a leverage nearer to one: each penalty leaves 1e-7 or more. A lower bound
would let models with more features than rows look as if they knew rows they were not shown."""


@dataclass(frozen=True)
class Means:
    """Predictions of a number: of each training row without itself, and of the new rows."""

    left_out: NDArray[np.float64]
    new: NDArray[np.float64]


@dataclass(frozen=True)
class Classes:
    """Log probabilities of classes, shape (rows, classes), for the same two sorts of rows."""

    left_out: NDArray[np.float64]
    new: NDArray[np.float64]


def ridge(
    features: NDArray[np.float64], new: NDArray[np.float64], target: NDArray[np.float64]
) -> Means:
    """Return ridge regression with the penalty that predicts rows left out best.

    Parameters
    ----------
    features : ndarray of shape (n_train, p)
        Centred.
    new : ndarray of shape (n_new, p)
        The same features of the rows to predict.
    target : ndarray of shape (n_train,)
        What to predict.
    """
    n_samples = len(target)
    middle = target.mean()
    values, vectors = np.linalg.eigh(features.T @ features)
    turned = features @ vectors
    shrunk = 1 / (np.maximum(values, 0.0)[:, None] + RIDGES * n_samples)
    projections = turned.T @ (target - middle)
    fitted = turned @ (shrunk * projections[:, None])
    leverage = np.minimum(turned**2 @ shrunk + 1 / n_samples, MOST_LEVERAGE)
    errors = (target[:, None] - middle - fitted) / (1 - leverage)
    best = int(np.argmin((errors**2).mean(axis=0)))
    coefficients = vectors @ (shrunk[:, best] * projections)
    return Means(target - errors[:, best], middle + new @ coefficients)


def logistic(
    features: NDArray[np.float64],
    new: NDArray[np.float64],
    labels: NDArray[np.intp],
    n_classes: int,
    penalty: float,
) -> Classes:
    """Return multinomial logistic regression with a fixed penalty on squared coefficients.

    The most frequent class is the one others are compared with; intercepts are hardly penalised.
    """
    n_samples = len(labels)
    reference = int(np.argmax(np.bincount(labels, minlength=n_classes)))
    others = [c for c in range(n_classes) if c != reference]
    design = np.column_stack([np.ones(n_samples), features])
    width, n_others = design.shape[1], n_classes - 1
    hits = (labels[:, None] == np.array(others)).astype(float)
    weights = np.full((n_others, width), penalty)
    weights[:, 0] = 1e-3
    coefficients = np.zeros((n_others, width))
    loss = np.inf
    step = coefficients
    for _ in range(NEWTON_STEPS):
        logits = design @ coefficients.T
        norm = np.logaddexp.reduce(np.column_stack([np.zeros(n_samples), logits]), axis=1)
        now = (norm - (hits * logits).sum(axis=1)).sum() + (weights * coefficients**2).sum() / 2
        if now > loss + 1e-9 * abs(loss):  # too far: go back half of the way
            step = step / 2
            coefficients = coefficients - step
            continue
        loss = now
        chances = np.exp(logits - norm[:, None])
        slope = (chances - hits).T @ design + weights * coefficients
        curvature = _curvature(design, chances, weights)
        step = -np.linalg.solve(curvature, slope.ravel()).reshape(coefficients.shape)
        if np.abs(step).max() < CLOSE_ENOUGH:
            break
        coefficients = coefficients + step
    logits = design @ coefficients.T
    chances = np.exp(_log_chances(logits))[:, 1:]
    inverse = np.linalg.inv(_curvature(design, chances, weights)).reshape(
        n_others, width, n_others, width
    )
    reach = np.empty((n_samples, n_others, n_others))
    for c in range(n_others):
        for d in range(n_others):
            reach[:, c, d] = ((design @ inverse[c, :, d]) * design).sum(axis=1)
    spread = -chances[:, :, None] * chances[:, None, :]
    spread[:, range(n_others), range(n_others)] += chances
    without = np.eye(n_others) * (1 + 1e-9) - reach @ spread
    pull = (reach @ (chances - hits)[:, :, None])[:, :, 0]
    left_out = logits + np.linalg.solve(without, pull[:, :, None])[:, :, 0]
    new_logits = np.column_stack([np.ones(len(new)), new]) @ coefficients.T
    back = np.argsort([reference, *others])
    return Classes(_log_chances(left_out)[:, back], _log_chances(new_logits)[:, back])


def _curvature(
    design: NDArray[np.float64], chances: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the second derivatives of the penalised loss, classes before features."""
    n_others, width = weights.shape
    found = np.empty((n_others, width, n_others, width))
    for c in range(n_others):
        for d in range(c + 1):
            own = chances[:, c] * ((c == d) - chances[:, d])
            found[c, :, d] = found[d, :, c] = (design * own[:, None]).T @ design
    square = found.reshape(n_others * width, n_others * width)
    square[np.diag_indices_from(square)] += weights.ravel()
    return square


def _log_chances(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log probabilities, those of the reference class first."""
    full = np.column_stack([np.zeros(len(logits)), logits])
    return full - np.logaddexp.reduce(full, axis=1)[:, None]
