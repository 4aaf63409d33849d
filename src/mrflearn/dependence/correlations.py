"""The estimate by few parameters: correlations of normal scores, shrunk, less their bias."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.gaussian import BoundGaussian
from mrflearn.dependence.null import Null
from mrflearn.table import Table

__all__ = ["Correlations", "held_memory", "is_discrete", "worth_learning_from"]

MANY_LABELS = 12
"""Labels of a column from which nothing is learned about how far to trust estimates of others."""

MOST_LABELS = 32
"""Labels of a nominal column that may have correlations of their own: the rarer share some."""


class Correlations:
    """Gaussian estimates on normal scores, less their expected bias under independence."""

    def __init__(self, table: Table, model: Correlations | None = None) -> None:
        self.gaussian = BoundGaussian(_without_rare_labels(table), copula=True)
        if model is None:
            self.gaussian.ridge = _noise_share(self.gaussian, table)
        else:
            self.gaussian.ridge = model.gaussian.ridge
        self.n_samples = table.n_samples
        self.most = np.array([_most_information(table, i) for i in range(table.n_variables)])

    def estimates(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Return the estimate for each candidate; its mean among independent variables is 0."""
        values = self.gaussian._cmi_many(i, candidates, given)
        # Indicators of levels may determine each other, and then exceed what levels can tell.
        values = np.minimum(values, np.minimum(self.most[i], self.most[list(candidates)]))
        n_swept = sum(len(self.gaussian.owned[z]) for z in given)
        left = max(self.n_samples - n_swept - 1, 1)
        return values - self.degrees(i, candidates) / (2 * left)

    def null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Return the null of the estimates, whose mean is 0."""
        null = self.gaussian._null(i, candidates, given)
        return replace(null, mean=np.zeros(len(candidates)))

    def degrees(self, i: int, candidates: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the degrees of freedom of the estimates."""
        return self.gaussian.degrees(i, candidates)


def _noise_share(gaussian: BoundGaussian, table: Table) -> float:
    """Return the share of noise in the squared correlations between different variables.

    It is the intensity with which Schäfer and Strimmer (2005) shrink correlations: 1 if they are
    all noise, near 0 if there are many rows or strong correlations.
    """
    owners = np.full(len(gaussian.correlation), -1, dtype=np.int64)
    for variable in worth_learning_from(table):
        owners[gaussian.owned[variable]] = variable
    among = owners[:, None] != owners
    among[owners < 0] = among[:, owners < 0] = False
    squares = gaussian.correlation[among] ** 2
    noise = float(((1 - squares) ** 2).sum()) / max(table.n_samples - 1, 1)
    signal = float(squares.sum())
    return min(noise / signal, 1.0) if signal > 0 else 1.0


def _without_rare_labels(table: Table) -> Table:
    """Return the table with one label for all of a nominal column's that are rare."""
    values = table.values.copy()
    for c in np.flatnonzero(table.nominal):
        _, labels, sizes = np.unique(values[c], return_inverse=True, return_counts=True)
        values[c, sizes[labels] * MOST_LABELS < table.n_samples] = -1.0  # codes are from 0
    values.flags.writeable = False
    return replace(table, values=values)


def worth_learning_from(table: Table) -> NDArray[np.intp]:
    """Return the variables that tell how far to trust estimates: no constants, nor many labels.

    Each of many labels is in few rows, and there are many of them: their noise would decide for all
    others. If there is hardly anything else, it has to.
    """
    varying = np.flatnonzero(~table.constant)
    few = [
        all(c.kind != "nominal" or c.n_distinct <= MANY_LABELS for c in table.columns_of(i))
        for i in varying.tolist()
    ]
    return varying[few] if sum(few) > 2 else varying


def is_discrete(table: Table, i: int) -> bool:
    """Return whether no column of a variable is continuous."""
    return all(column.kind != "continuous" for column in table.columns_of(i))


def held_memory(table: Table) -> int:
    """Return the bytes that correlations take, and what they are computed from."""
    n_rows = 0
    for column in table.columns:
        labels = min(column.n_distinct, MOST_LABELS + 1)
        n_rows += labels - 1 if column.kind == "nominal" else 1
    return 8 * n_rows * (n_rows + table.n_samples)


def _most_information(table: Table, i: int) -> float:
    """Return the entropy of a discrete variable, in nats; infinity for any other."""
    if not is_discrete(table, i):
        return math.inf
    values = table.values_of(i)
    if len(values) == 1:  # the rows of several columns are sorted much more slowly
        _, counts = np.unique(values[0], return_counts=True)
    else:
        _, counts = np.unique(values, axis=1, return_counts=True)
    shares = counts / table.n_samples
    return float(-(shares * np.log(shares)).sum())
