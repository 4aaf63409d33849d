"""Sufficient statistics of a sieve: sums over rows, after which no row is needed for a regression.

Statistics of parts of a table add up to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["SufficientStatistics"]


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """Number of rows, sums of features, and sums of their products.

    Attributes
    ----------
    n_samples : int
        Rows.
    total : ndarray of shape (n_features,)
        Sum of each feature.
    cross : ndarray of shape (n_features, n_features)
        Sum of the product of each two.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(100, 3))
    >>> parts = SufficientStatistics.of(rows[:40]) + SufficientStatistics.of(rows[40:])
    >>> bool(np.allclose(parts.covariance, np.cov(rows.T, bias=True)))
    True
    """

    n_samples: int
    total: NDArray[np.float64]
    cross: NDArray[np.float64]

    @classmethod
    def of(cls, features: NDArray[np.float64]) -> SufficientStatistics:
        """Return the statistics of rows of features."""
        return cls(len(features), features.sum(axis=0), features.T @ features)

    @classmethod
    def of_chunks(cls, chunks: Iterable[NDArray[np.float64]]) -> SufficientStatistics:
        """Return the statistics of rows that come a chunk at a time; memory holds one chunk."""
        n_samples, total, cross = 0, np.zeros(0), np.zeros((0, 0))
        for features in chunks:
            if not n_samples:
                width = features.shape[1]
                total, cross = np.zeros(width), np.zeros((width, width))
            n_samples += len(features)
            total += features.sum(axis=0)
            cross += features.T @ features
        return cls(n_samples, total, cross)

    def __add__(self, other: SufficientStatistics) -> SufficientStatistics:
        return SufficientStatistics(
            self.n_samples + other.n_samples, self.total + other.total, self.cross + other.cross
        )

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance matrix, divided by the number of rows."""
        mean = self.total / self.n_samples
        covariance = self.cross / self.n_samples
        covariance -= np.outer(mean, mean)
        return covariance
