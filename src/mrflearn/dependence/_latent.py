"""Correlations of latent normal variables: polychoric, polyserial, and plain ones of normal scores.

An ordinal column may be a normal variable cut at some points. Mehler's expansion gives the
correlation of the scores of two such columns as a power series in that of the normal variables,
with the Hermite coefficients of the step functions. It is inverted by Newton's method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence._features import normal_scores_of
from mrflearn.dependence.null import log_tail
from mrflearn.table import Table

__all__ = ["LatentCorrelations"]

N_TERMS = 40
"""Terms of the expansion; the next are below 1e-3 up to a correlation of 0.9."""

LARGEST = 0.995
"""Largest latent correlation."""

LEAST_EIGENVALUE = 0.01
"""Of latent correlations, which are estimated pair by pair."""


class LatentCorrelations:
    """Partial correlations of the normal variables behind numeric columns.

    Parameters
    ----------
    table : Table
        The data.
    correlation : ndarray of shape (n_variables, n_variables)
        Correlations of normal scores.
    numeric : sequence of bool
        Which variables are a continuous or ordinal column.
    """

    def __init__(
        self, table: Table, correlation: NDArray[np.float64], numeric: Sequence[bool]
    ) -> None:
        self.n_samples = table.n_samples
        terms = np.zeros((table.n_variables, N_TERMS))
        terms[:, 0] = 1.0
        for i, column in enumerate(table.kinds):
            if column == "ordinal" and numeric[i]:
                terms[i] = hermite_coefficients(table.values_of(i)[0])
        self.first = terms[:, 0]
        self.correlation = np.array(correlation)
        one, other = np.triu_indices(table.n_variables, 1)
        asked = np.array(numeric, dtype=bool)
        kept = asked[one] & asked[other]
        one, other = one[kept], other[kept]
        found = latent_correlation(correlation[one, other], terms[one] * terms[other])
        self.correlation[one, other] = self.correlation[other, one] = found

    def log_p(self, i: int, j: int, given: Sequence[int]) -> float:
        """Return the log p-value of the latent partial correlation of two variables.

        Its variance is taken to be that of a correlation of scores, carried over at 0.
        """
        asked = [i, j, *given]
        inner = self.correlation[np.ix_(asked, asked)]
        values, vectors = np.linalg.eigh(inner)
        if values[0] < LEAST_EIGENVALUE:
            inner = (vectors * np.maximum(values, LEAST_EIGENVALUE)) @ vectors.T
        precision = np.linalg.inv(inner)
        square = precision[0, 1] ** 2 / (precision[0, 0] * precision[1, 1])
        left = max(self.n_samples - len(given) - 2.5, 0.0)
        carried = (self.first[i] * self.first[j]) ** 2
        statistic = -left * math.log1p(-min(square, 1 - 1e-9)) * carried
        return float(log_tail(np.array([0.5]), np.array([statistic / 2]))[0])


def hermite_coefficients(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients of the scores of levels in normalized Hermite polynomials.

    From the first on: scores have mean 0. Of a normal variable cut at t_1, t_2, ... into levels of
    scores s_1, s_2, ... the k-th is the sum of (s_{l+1} - s_l) phi(t_l) He_{k-1}(t_l) / sqrt(k!).

    Examples
    --------
    >>> halves = hermite_coefficients(np.array([0.0, 1.0]))
    >>> halves[:3].round(3).tolist()
    [0.798, 0.0, -0.326]
    """
    from scipy.special import ndtri

    _, counts = np.unique(values, return_counts=True)
    steps = np.diff(normal_scores_of(counts))
    cuts = ndtri(np.cumsum(counts)[:-1] / len(values))
    weights = steps * np.exp(-cuts * cuts / 2) / math.sqrt(2 * math.pi)
    before, now = np.zeros_like(cuts), np.ones_like(cuts)  # He_k / sqrt(k!)
    found = np.empty(N_TERMS)
    for k in range(1, N_TERMS + 1):
        found[k - 1] = weights @ now / math.sqrt(k)
        before, now = now, (cuts * now - math.sqrt(k - 1) * before) / math.sqrt(k)
    return found


def latent_correlation(
    observed: NDArray[np.float64], terms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the x at which the power series with these terms, from x^1 on, is as observed."""
    powers = np.arange(1, terms.shape[1] + 1)
    x = np.clip(observed / np.maximum(terms[:, 0], 1e-6), -LARGEST, LARGEST)
    for _ in range(20):
        raised = x[:, None] ** (powers - 1)
        value = (terms * raised).sum(axis=1) * x - observed
        slope = (terms * powers * raised).sum(axis=1)
        x = np.clip(x - value / np.maximum(slope, 1e-3), -LARGEST, LARGEST)
    return x
