"""Each variable given its neighbours in a graph: regressions without a penalty.

A number is normal around a linear function of its neighbours, and a variable of some levels is
multinomial with scores that are linear in them; a neighbour of r levels enters as r - 1 columns.
These are the conditional distributions of the pairwise models of this folder, except that the two
ends of an edge need not agree: each regression is the best for its own variable.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mrflearn.parametric.base import Matrix, unit_columns
from mrflearn.parametric.refit import MOST, NOISE, Graphs, Refits, each_once
from mrflearn.table import Table

__all__ = ["Regressions", "refit"]

Vector = NDArray[np.float64]

TOL = 1e-6
"""Nats that a Newton step has still to gain when it is the last."""

MAX_STEPS = 50
"""Where neighbours tell a level without error, log odds grow without end and each step moves them
by about 1: what is left to gain falls by a factor e, so half of these are enough."""


def refit(table: Table, graphs: Graphs, *, levels: bool) -> Refits:
    """Return the sum over variables of their largest likelihood given the neighbours in each graph.

    Parameters
    ----------
    table : Table
        Unscaled, without constants, one column for each variable.
    graphs : ndarray of bool, of shape (n_graphs, n_variables, n_variables)
        Adjacency matrices. Too dense are those that ask for a regression on more than N / 2
        columns, or with more than N parameters.
    levels : bool
        Whether ordinal and nominal columns have levels, or are numbers.

    Returns
    -------
    Refits
        Densities are those of standardised columns.
    """
    regressions = Regressions(table, levels=levels)

    def log_likelihood(graph: Graphs) -> float:
        columns = graph @ regressions.widths
        parameters = columns * regressions.widths
        if (columns > MOST * table.n_samples).any() or (parameters > table.n_samples).any():
            return -math.inf
        return sum(
            regressions(i, tuple(np.flatnonzero(row).tolist())) for i, row in enumerate(graph)
        )

    sizes = np.outer(regressions.widths, regressions.widths)
    return Refits(
        log_likelihoods=each_once(graphs, log_likelihood),
        n_parameters=(graphs * sizes).sum(axis=(1, 2)),
        n_choices=graphs.sum(axis=(1, 2)),
        form="nodewise",
    )


class Regressions:
    """The regressions of one table; graphs share those of variables with the same neighbours.

    Parameters
    ----------
    table : Table
        Unscaled, without constants, one column for each variable.
    levels : bool
        Whether ordinal and nominal columns have levels, or are numbers.

    Attributes
    ----------
    widths : ndarray of shape (n_variables,)
        Columns of each variable as a neighbour, which is also how many functions of its neighbours
        it needs: 1 for numbers, r - 1 for r levels.
    """

    def __init__(self, table: Table, *, levels: bool) -> None:
        self._codes: list[NDArray[np.int64] | None] = []
        columns = [np.empty((table.n_samples, 0))]
        for kind, values in zip(table.kinds, table.values, strict=True):
            if levels and kind != "continuous":
                distinct, codes = np.unique(values, return_inverse=True)
                self._codes.append(codes)
                columns.append(np.equal.outer(codes, np.arange(1, len(distinct))).astype(float))
            else:
                self._codes.append(None)
                columns.append(values[:, None])
        ends = np.cumsum([column.shape[1] for column in columns])
        self.widths = np.diff(ends)
        self._columns = [np.arange(*own) for own in pairwise(ends)]
        self._features = unit_columns(np.hstack(columns))
        self._products = self._features.T @ self._features / table.n_samples
        self._products += NOISE * np.eye(len(self._products))
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}

    def __call__(self, i: int, given: tuple[int, ...]) -> float:
        """Return the largest log-likelihood of variable `i` given others, of all rows."""
        key = (i, given)
        if key not in self._known:
            columns = np.concatenate([self._columns[i][:0], *(self._columns[j] for j in given)])
            codes = self._codes[i]
            self._known[key] = (
                self._normal(int(self._columns[i][0]), columns)
                if codes is None
                else multinomial(codes, self._features[:, columns])
            )
        return self._known[key]

    def _normal(self, at: int, columns: NDArray[np.int64]) -> float:
        """Return that of a number around a linear function, with the best variance."""
        aims = self._products[columns, at]
        among = self._products[np.ix_(columns, columns)]
        variance = self._products[at, at] - aims @ np.linalg.solve(among, aims)
        return -len(self._features) / 2 * (math.log(2 * math.pi * variance) + 1)


def multinomial(codes: NDArray[np.int64], features: Matrix) -> float:
    """Return the largest log-likelihood of a multinomial logistic regression.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        The level of each row: 0, 1, …, each seen at least once.
    features : ndarray of shape (n_samples, n_features)
        Of mean 0 and variance 1.

    Notes
    -----
    Newton's method. Where there is no maximum, since some features tell a level without error, the
    likelihood has a least upper bound all the same, and that is returned, up to `TOL`.
    """
    design = np.column_stack([np.ones(len(codes)), features])
    observed = np.equal.outer(codes, np.arange(1, codes.max() + 1)).astype(float)
    shares = observed.mean(axis=0)
    theta = np.zeros((observed.shape[1], design.shape[1]))
    theta[:, 0] = np.log(shares / (1 - shares.sum()))
    value, chances = _likelihood(design @ theta.T, observed)
    if not features.shape[1]:
        return value
    for _ in range(MAX_STEPS):
        slope = (observed - chances).T @ design
        step = np.linalg.solve(_curvature(design, chances), slope.ravel()).reshape(slope.shape)
        gain = float((slope * step).sum())
        if gain <= TOL:
            break
        part, now = 1.0, -math.inf
        while now < value and part > 1e-9:
            now, following = _likelihood(design @ (theta + part * step).T, observed)
            part /= 2
        if now < value:  # rounding leaves nothing to gain
            break
        theta, value, chances = theta + 2 * part * step, now, following
    return value


def _likelihood(scores: Matrix, observed: Matrix) -> tuple[float, Matrix]:
    """Return the log-likelihood of scores against level 0, and the chances of the other levels."""
    largest = np.maximum(scores.max(axis=1), 0.0)
    odds = np.exp(scores - largest[:, None])
    totals = np.exp(-largest) + odds.sum(axis=1)
    value = float((observed * scores).sum() - (largest + np.log(totals)).sum())
    return value, odds / totals[:, None]


def _curvature(design: Matrix, chances: Matrix) -> Matrix:
    """Return the negative second derivatives, with a little more on the diagonal.

    That makes steps finite where features depend on each other, or a level is as good as certain.
    """
    n_scores, n_features = chances.shape[1], design.shape[1]
    curvature = np.empty((n_scores, n_features, n_scores, n_features))
    for k in range(n_scores):
        for m in range(k + 1):
            weights = chances[:, k] * ((k == m) - chances[:, m])
            block = (design.T * weights) @ design
            curvature[k, :, m] = block
            curvature[m, :, k] = block.T
    square = curvature.reshape(n_scores * n_features, -1)
    square.flat[:: len(square) + 1] += NOISE * len(design)
    return square
