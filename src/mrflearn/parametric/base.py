"""What every parametric method takes and returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import check_lams
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["Fit", "check_columns", "check_penalties", "sparse_to_dense"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """What a method estimated at one lambda.

    Attributes
    ----------
    lam : float
        The penalty.
    weights : ndarray of shape (n_variables, n_variables)
        Strength of each edge: symmetric, not negative, exactly 0 where there is no edge.
    objective : float
        Value of the penalised objective that was minimised; of the sum over all nodes for methods
        that work node by node.
    residual : float
        Largest violation of the conditions that hold at the optimum, in the unit of lambda.
    converged : bool
        Whether the solver reached its tolerance.
    n_iterations : int
        Iterations it took.
    parameters : dict from name to array
        What was estimated: `"precision"`, `"couplings"`, …. Estimators have them as attributes.
    neighbourhoods : tuple of tuples, or None
        For methods that work node by node: the neighbours each node chose.
    """

    lam: float
    weights: Matrix
    objective: float
    residual: float
    converged: bool
    n_iterations: int
    parameters: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    neighbourhoods: tuple[tuple[int, ...], ...] | None = None

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """Boolean matrix of shape (n_variables, n_variables)."""
        return self.weights != 0


def check_penalties(lams: Iterable[float]) -> tuple[float, ...]:
    """Return lambdas that can weigh a norm: not negative. An infinite one gives no edge."""
    penalties = check_lams(lams)
    for lam in penalties:
        if lam < 0:
            raise InputError(f"lam must not be negative, got {lam:g}: it weighs a norm")
    return penalties


def sparse_to_dense(lams: Iterable[float]) -> list[int]:
    """Return the positions of the lambdas from the largest to the smallest: the order to solve in.

    Each solution is near the one before it, so that it is a good place to start from.
    """
    order = list(lams)
    return sorted(range(len(order)), key=lambda at: -order[at])


def check_columns(table: Table, method: str) -> None:
    """Refuse variables of several columns, for methods that have one parameter for a pair."""
    for i in range(table.n_variables):
        if len(table.columns_of(i)) > 1:
            raise InputError(
                f"{method} takes one column for each variable, and {table.names[i]!r} is a group "
                f"of {len(table.columns_of(i))}: leave out groups=, or use GSMPLE"
            )


def numbers(table: Table, method: str) -> Matrix:
    """Return the columns as numbers, for methods that know no categories.

    Parameters
    ----------
    table : Table
        Unscaled, without constants.
    method : str
        Its name, for the message.

    Returns
    -------
    ndarray of shape (n_samples, n_variables)
        Ordinal columns as codes, nominal ones of two levels as 0 and 1.
    """
    check_columns(table, method)
    for column in table.columns:
        if column.kind == "nominal" and column.n_distinct > 2:
            raise InputError(
                f"{method} takes numbers, and column {column.name!r} is nominal with "
                f"{column.n_distinct} levels: use MixedPairwise, or GSMPLE, or declare an order "
                f"with kinds={{{column.name!r}: [lowest, …, highest]}}"
            )
    return np.ascontiguousarray(table.values.T)


def unit_columns(X: Matrix) -> Matrix:
    """Return columns with mean 0 and variance 1 (divisor N), whatever their scale."""
    # A power of two brings each column near one, so that no square over- or underflows.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    X = X - X.mean(axis=0)
    return X / np.sqrt((X * X).mean(axis=0))


def decades(largest: float, n_lams: int = 50, ratio: float = 0.01) -> tuple[float, ...]:
    """Return lambdas from `largest` down to `ratio` of it, equally spaced on a log scale."""
    if not math.isfinite(largest) or largest <= 0:
        return (0.0,)
    return tuple(float(lam) for lam in np.geomspace(largest, ratio * largest, n_lams))
