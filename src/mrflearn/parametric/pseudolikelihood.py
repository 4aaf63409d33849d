"""The pseudolikelihood of a pairwise model, as a smooth convex function of one vector.

A pairwise model gives each variable a distribution that depends on the others through linear
predictors alone: the log-odds of two values, the scores of any number of levels, or the mean of a
normal variable. The pseudolikelihood is the product of these conditional distributions, with the
parameters of a pair shared by its two ends.

Three coordinates are at work here:

- *rows*, in which results are told: one for a number or a 0/1 variable, one for each level of a
  variable with levels. With levels they are more than needed: adding a constant to the scores of
  all levels changes nothing.
- *contrasts*, in which the problem is solved: L levels by L - 1 orthonormal contrasts. A block of
  interactions between two variables that is centred in both directions has the same norm in both,
  and a penalty on the norm asks for just that: the mean of a row or column of a block can move
  into the unpenalised offsets, which makes the block shorter.
- *centred features*: the offsets refer to the mean of the other variables instead of zero. They
  are free, so this changes no minimum, and the solver needs a fraction of the steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric._conditionals import gaussian, logistic, multinomial
from mrflearn.parametric.proximal import GroupPenalty

__all__ = ["Estimate", "Pseudolikelihood"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]


class Estimate(NamedTuple):
    """Parameters in rows: numbers first, then 0/1 variables or levels."""

    offsets: Vector
    """One for each row."""
    precisions: Vector
    """One for each number."""
    interactions: Matrix
    """Symmetric, between rows; zero between rows of one variable."""


class Pseudolikelihood:
    """Mean negative log pseudolikelihood of a sample, and its gradient.

    Called with a vector: one offset for each contrast, one precision for each number, then the
    interactions of each pair of variables (0, 1), (0, 2), …, row by row.

    Parameters
    ----------
    numbers : ndarray of shape (n_numbers, n_samples)
        Variables with normal conditional distributions, with mean zero.
    codes : sequence of int arrays of shape (n_samples,)
        Variables with levels 0, …, L - 1, each of them observed. They come after the numbers.
    binary : bool
        Take each of `codes` as 0 or 1, with one row: its log-odds. Otherwise it has a row for
        each level.

    Examples
    --------
    Two coins that never differ, at the model in which they do not interact:

    >>> coins = Pseudolikelihood(np.empty((0, 4)), [np.array([0, 0, 1, 1])] * 2, binary=True)
    >>> value, gradient = coins(coins.null())
    >>> round(float(value / np.log(2)), 6), gradient
    (2.0, array([ 0. ,  0. , -0.5]))
    """

    def __init__(self, numbers: Matrix, codes: Sequence[Indices], *, binary: bool) -> None:
        self.n_samples = numbers.shape[1]
        numbers, codes, self.weights = _counted(numbers, codes)
        self.binary = binary
        self.n_numbers = len(numbers)
        n_levels = [int(column.max()) + 1 for column in codes]
        sizes = [1] * len(numbers) + ([1] * len(codes) if binary else n_levels)
        bases = [np.eye(1) if size == 1 else _contrasts(size) for size in sizes]
        self.row_sizes = np.array(sizes)
        self.row_starts = np.concatenate([[0], np.cumsum(sizes)])
        self.starts = np.concatenate([[0], np.cumsum([basis.shape[1] for basis in bases])])
        indicators = [
            column == ([[1]] if binary else np.arange(n)[:, None])
            for column, n in zip(codes, n_levels, strict=True)
        ]
        # What was observed, in rows.
        self.responses = np.vstack([numbers, *indicators]).astype(float)
        self.basis = _block_diagonal(bases)
        features = self.basis.T @ self.responses
        self.means = features @ self.weights
        self.features = features - self.means[:, None]
        self.signs = 1.0 - 2.0 * self.responses[self.n_numbers :]
        self.first, self.second, self.group_starts = _blocks(self.starts)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.starts) - 1

    @property
    def n_contrasts(self) -> int:
        """Number of contrasts of all variables."""
        return int(self.starts[-1])

    @property
    def n_free(self) -> int:
        """Length of the part of the vector without penalty: offsets and precisions."""
        return self.n_contrasts + self.n_numbers

    def penalty(self, scales: Vector) -> GroupPenalty:
        """Return the sum over pairs (0, 1), (0, 2), … of scales times norms of interactions."""
        return GroupPenalty(self.n_free + self.group_starts, scales)

    def null(self) -> Vector:
        """Return the minimum over vectors without interactions."""
        p = self.n_numbers
        shares = self.responses[p:] @ self.weights
        scores = np.log(shares / (1.0 - shares)) if self.binary else np.log(shares)
        offsets = self.basis.T @ np.concatenate([np.zeros(p), scores])
        precisions = 1.0 / (self.responses[:p] ** 2 @ self.weights)
        return np.concatenate([offsets, precisions, np.zeros(len(self.first))])

    def __call__(self, vector: Vector) -> tuple[float, Vector]:
        """Return the value at a vector and the gradient there."""
        value, slopes, by_precision = self._losses(vector)
        products = self._in_contrasts(slopes @ self.features.T)
        gradient = np.concatenate(
            [
                self._in_contrasts(slopes.sum(axis=1)),
                by_precision,
                products[self.first, self.second] + products[self.second, self.first],
            ]
        )
        return value, gradient

    def _in_contrasts(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows if self._plain else self.basis.T @ rows

    def _in_rows(self, contrasts: NDArray[np.float64]) -> NDArray[np.float64]:
        return contrasts if self._plain else self.basis @ contrasts

    @cached_property
    def _plain(self) -> bool:
        """Whether rows and contrasts are the same."""
        return self.basis.shape[0] == self.basis.shape[1]

    def _split(self, vector: Vector) -> tuple[Vector, Vector, Matrix]:
        """Return offsets, precisions and the symmetric matrix of interactions, in contrasts."""
        interactions = np.zeros((self.n_contrasts, self.n_contrasts))
        interactions[self.first, self.second] = vector[self.n_free :]
        interactions[self.second, self.first] = vector[self.n_free :]
        offsets, precisions = vector[: self.n_contrasts], vector[self.n_contrasts : self.n_free]
        return offsets, precisions, interactions

    def predictors(self, vector: Vector) -> tuple[Matrix, Vector]:
        """Return the linear predictors of all rows and samples, and the precisions."""
        offsets, precisions, interactions = self._split(vector)
        predictors = self._in_rows(interactions) @ self.features
        predictors += self._in_rows(offsets)[:, None]
        return predictors, precisions

    def _losses(self, vector: Vector) -> tuple[float, Matrix, Vector]:
        """Return the value, its slopes by the predictors of all rows, and by the precisions."""
        predictors, precisions = self.predictors(vector)
        p = self.n_numbers
        parts, value = [], 0.0
        by_precision = precisions
        if p:
            value, slopes, by_precision = gaussian(
                predictors[:p], self.responses[:p], precisions, self.weights
            )
            parts.append(slopes)
        if p < self.n_variables:
            if self.binary:
                loss, slopes = logistic(predictors[p:], self.signs, self.weights)
            else:
                loss, slopes = multinomial(
                    predictors[p:], self.responses[p:], self.row_sizes[p:], self.weights
                )
            value += loss
            parts.append(slopes)
        return value, parts[0] if len(parts) == 1 else np.vstack(parts), by_precision

    def estimate(self, vector: Vector) -> Estimate:
        """Return the parameters in rows, with offsets that refer to zero."""
        offsets, precisions, interactions = self._split(vector)
        between_rows = self._in_rows(self._in_rows(interactions).T)
        return Estimate(
            offsets=self._in_rows(offsets - interactions @ self.means),
            precisions=precisions.copy(),
            interactions=(between_rows + between_rows.T) / 2.0,
        )

    def residual(self, vector: Vector, scales: Vector, lam: float) -> float:
        """Return the violation of the conditions of a minimum, in the parameters of `estimate`.

        The solver sees other coordinates; this is what a reader of the model would compute.
        """
        estimate = self.estimate(vector)
        _, slopes, by_precision = self._losses(vector)
        products = slopes @ self.responses.T
        first, second, group_starts = _blocks(self.row_starts)
        free = np.concatenate([estimate.offsets, estimate.precisions])
        point = np.concatenate([free, estimate.interactions[first, second]])
        gradient = np.concatenate(
            [
                slopes.sum(axis=1),
                by_precision,
                products[first, second] + products[second, first],
            ]
        )
        return GroupPenalty(len(free) + group_starts, scales).residual(point, gradient, lam)

    @property
    def residual_ratio(self) -> float:
        """Return by how much `residual` may exceed the residual that the solver sees, at most.

        The gradient of a block there is that in contrasts, plus the shares of the levels of each
        end (a vector no longer than 1) times the gradient of the other end's offsets.
        """
        return 1.0 + 2.0 * math.sqrt(max(np.diff(self.starts)))


def _counted(numbers: Matrix, codes: Sequence[Indices]) -> tuple[Matrix, Sequence[Indices], Vector]:
    """Return each row of a discrete table once, with the share of samples that are equal to it."""
    n_samples = numbers.shape[1]
    if len(numbers):
        return numbers, codes, np.full(n_samples, 1.0 / n_samples)
    rows, counts = np.unique(np.column_stack(list(codes)), axis=0, return_counts=True)
    return np.empty((0, len(rows))), list(np.ascontiguousarray(rows.T)), counts / n_samples


def _contrasts(n_levels: int) -> Matrix:
    """Return an orthonormal basis of the scores that sum to zero, one contrast in each column.

    The k-th compares level k + 1 with the mean of those before it (Helmert).
    """
    basis = np.zeros((n_levels, n_levels - 1))
    for k in range(n_levels - 1):
        basis[: k + 1, k] = -1.0
        basis[k + 1, k] = k + 1.0
        basis[:, k] /= math.sqrt((k + 1.0) * (k + 2.0))
    return basis


def _block_diagonal(blocks: Sequence[Matrix]) -> Matrix:
    whole = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for block in blocks:
        whole[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return whole


def _blocks(starts: Indices) -> tuple[Indices, Indices, Indices]:
    """Return the entries above the diagonal blocks of a matrix, block by block.

    Returns
    -------
    first, second : int arrays
        Row and column of each entry: the blocks (0, 1), (0, 2), …, each row by row.
    group_starts : int array of shape (n_pairs + 1,)
        Where each block begins in these.
    """
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    first, second = np.nonzero(owner[:, None] < owner[None, :])
    order = np.lexsort((second, first, owner[second], owner[first]))
    first, second = first[order], second[order]
    pairs = owner[first] * len(owner) + owner[second]
    group_starts = np.append(np.flatnonzero(np.diff(pairs, prepend=-1)), len(first))
    return first, second, group_starts
