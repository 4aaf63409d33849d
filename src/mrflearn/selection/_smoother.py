"""What conditions explain of a column, whatever the shape: kernel ridge regression.

The kernel has a linear part, a bell for each condition, and one for all of them together; or, for
what jumps, a peak for each condition. How wide bells and peaks are, how much the last bell counts
and the ridge are those of least generalised cross-validation (Golub, Heath and Wahba 1979). This
shrinks, and some of what conditions explain is not found. Copies of a variable that lack it make a
test too liberal, while those that keep some noise make it only less powerful. So the residuals are
fitted once more (twicing, Tukey 1977).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.gaussian import normal_scores
from mrflearn.table import Table

__all__ = ["Smoother"]

N_CENTRES = 200
"""Samples on which bells are centred at most; with fewer rows, on every one."""

WIDTHS = (0.25, 0.5, 1.0, 2.0)
"""Standard deviations of a bell, in normal scores of a condition."""

PEAKS = (0.25, 1.0)
"""Distances at which a peak has fallen to 1 / e, in the same."""

SHARES = (0.0, 0.5)
"""How much of the kernel is the bell of all conditions together."""

LINEAR = 10.0
"""Weight of the linear part: larger, so that it is hardly shrunk."""

RIDGES = 10.0 ** np.linspace(-2, 3, 26)

LEAST_SHARE = 0.01
"""No label is less likely than about this anywhere: a fit of zeros and ones may leave them."""

MOST_TERMS = 0.8
"""Degrees of freedom of a fit, as a share of the samples, at most."""


class Smoother:
    """Regression on some conditions, prepared once for any number of columns.

    Parameters
    ----------
    table : Table
        The data.
    given : sequence of int
        The conditions.
    """

    def __init__(self, table: Table, given: Sequence[int]) -> None:
        self._bases = list(_bases(*_coordinates(table, given)))

    def fit(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the conditions explain of a column."""
        return self._fit(values)[0]

    def left(self, values: NDArray[np.float64]) -> float:
        """Return the share of a column's variance that is left, by cross-validation."""
        total = float(np.sum((values - values.mean()) ** 2))
        return self._fit(values)[1] / total if total > 0 else 1.0

    def _fit(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return what is explained, and the squares that are not, by cross-validation."""
        n_samples, mean = len(values), values.mean()
        centred = values - mean
        best, fitted = np.inf, np.zeros(n_samples)
        for eigenvalues, vectors in self._bases:
            parts = centred @ vectors
            beyond = max(centred @ centred - parts @ parts, 0.0)
            kept = eigenvalues / (eigenvalues + RIDGES[:, None])
            free = 1 - kept.sum(axis=1) / n_samples
            errors = ((1 - kept) ** 2 @ parts**2 + beyond) / free**2
            errors[free < 1 - MOST_TERMS] = np.inf
            at = int(np.argmin(errors))
            if errors[at] < best:
                best = float(errors[at])
                fitted = vectors @ ((1 - (1 - kept[at]) ** 2) * parts)
        return fitted + mean, best

    def fit_shares(self, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how likely each label is where each sample is, shape (n_labels, n_samples).

        Parameters
        ----------
        codes : ndarray of int, shape (n_samples,)
            The labels, numbered from 0.
        """
        labels = np.arange(codes.max() + 1)
        shares = np.array([self.fit((codes == label).astype(float)) for label in labels])
        shares = np.maximum(shares, LEAST_SHARE)
        return shares / shares.sum(axis=0)


def _coordinates(
    table: Table, given: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the normal scores of conditions with an order, and the codes of those without."""
    scores, labels = [], []
    for z in given:
        for column, values in zip(table.columns_of(z), table.values_of(z), strict=True):
            if column.kind == "nominal":
                labels.append(values)
            else:
                scores.append(normal_scores(values))
    shape = (-1, table.n_samples)
    return np.reshape(scores, shape), np.reshape(labels, shape)


def _bases(
    scores: NDArray[np.float64], labels: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the eigenvalues and eigenvectors of each kernel between the samples.

    With more samples than centres they are those of Nyström's approximation.
    """
    from scipy.linalg import solve_triangular

    n_samples = scores.shape[1]
    n_centres = min(N_CENTRES, n_samples)
    centres = np.linspace(0, n_samples - 1, n_centres).astype(np.intp)
    for kernel in _kernels(scores, labels, centres):
        if n_centres == n_samples:
            eigenvalues, vectors = np.linalg.eigh(kernel)
        else:
            among = kernel[centres]
            among[np.diag_indices(n_centres)] += 1e-8 * np.trace(among) / n_centres
            features = solve_triangular(np.linalg.cholesky(among), kernel.T, lower=True)
            eigenvalues, turned = np.linalg.eigh(features @ features.T)
            vectors = features.T @ (turned / np.sqrt(np.maximum(eigenvalues, 1e-300)))
        kept = eigenvalues > 1e-9 * eigenvalues[-1]
        yield eigenvalues[kept], vectors[:, kept]


def _kernels(
    scores: NDArray[np.float64], labels: NDArray[np.float64], centres: NDArray[np.intp]
) -> Iterator[NDArray[np.float64]]:
    """Yield the kernels of all widths, shares and peaks, shape (n_samples, n_centres)."""
    apart = [np.subtract.outer(own, own[centres]) ** 2 for own in scores]
    equal = [np.equal.outer(own, own[centres]) for own in labels]
    n_conditions = len(apart) + len(equal)
    shape = (scores.shape[1], len(centres))
    linear = 1 + scores.T @ scores[:, centres] / max(n_conditions, 1)
    same, all_apart = np.ones(shape), np.zeros(shape)
    for own in equal:
        same *= own
    for own in apart:
        all_apart += own
    of_labels = sum(equal, np.zeros(shape))
    for width in WIDTHS if apart else WIDTHS[:1]:
        single = sum((np.exp(own / (-2 * width**2)) for own in apart), of_labels)
        single = single / max(n_conditions, 1)
        # Wider in many dimensions, where samples are farther apart.
        wide = 2 * (2 * width) ** 2 * np.sqrt(max(len(apart), 1))
        for share in SHARES if n_conditions > 1 else SHARES[:1]:
            yield (1 - share) * single + share * same * np.exp(-all_apart / wide) + LINEAR * linear
    for peak in PEAKS if apart else ():
        single = sum((np.exp(-np.sqrt(own) / peak) for own in apart), of_labels)
        yield single / max(n_conditions, 1) + LINEAR * linear
