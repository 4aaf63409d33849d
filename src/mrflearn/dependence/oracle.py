"""Exact dependences of a known distribution: what the estimators estimate.

They need no data: `bind()` works without a table, and with one only checks that it has the right
number of variables. Their rounding errors are cut to exact zeros, so that lambda = 0 means
independence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.dependence.base import Dependence, Specification
from mrflearn.dependence.gaussian import gaussian_cmi
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["OracleGaussian", "OracleGraph", "OracleJoint"]


class _Oracle(Specification, Dependence):
    """A specification that is its own dependence."""

    symmetric = True
    tolerance = 0.0

    def bind(self, table: Table | None = None, max_memory: int | None = None) -> Dependence:
        """Return the dependence; a table is only checked for its number of variables."""
        if table is not None and table.n_variables != self.n_variables:
            raise InputError(
                f"the oracle knows {self.n_variables} variables, the table has {table.n_variables}"
            )
        return self

    @abstractmethod
    def information(self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = ()) -> float:
        """Return I(a; b | given) between *sets* of variables."""

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        values = np.array([self.information([i], [j], given) for j in candidates])
        values[np.abs(values) < self.tolerance] = 0.0
        return values


class OracleJoint(_Oracle):
    """Exact values from a joint probability table.

    Parameters
    ----------
    joint : array with one axis for each variable
        Probabilities, or anything proportional to them.
    tolerance : float, default=1e-12
        Values smaller than this are rounding errors, and are returned as 0.
    """

    def __init__(self, joint: ArrayLike, tolerance: float = 1e-12) -> None:
        table = np.array(joint, dtype=float)
        if table.ndim < 2:
            raise InputError(f"joint needs an axis for each variable, got {table.ndim}")
        if not np.isfinite(table).all() or (table < 0).any() or table.sum() <= 0:
            raise InputError("joint must hold probabilities: finite, not negative, not all zero")
        self.joint = table / table.sum()
        self.n_variables = table.ndim
        self.tolerance = tolerance
        self._entropy = lru_cache(maxsize=None)(self._entropy_of)

    def _entropy_of(self, variables: frozenset[int]) -> float:
        rest = tuple(v for v in range(self.n_variables) if v not in variables)
        marginal = self.joint.sum(axis=rest)
        positive = marginal[marginal > 0]
        return float(-(positive * np.log(positive)).sum())

    def information(self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = ()) -> float:
        """Return I(a; b | given) between sets of variables, from entropies."""
        a, b, z = frozenset(a), frozenset(b), frozenset(given)
        return (
            self._entropy(a | z) + self._entropy(b | z) - self._entropy(a | b | z)
        ) - self._entropy(z)

    def __deepcopy__(self, memo: dict[int, Any]) -> OracleJoint:
        return OracleJoint(self.joint, self.tolerance)

    def __reduce__(self) -> tuple[Any, ...]:
        return OracleJoint, (self.joint, self.tolerance)


class OracleGaussian(_Oracle):
    """Exact values from a covariance matrix.

    Parameters
    ----------
    covariance : array of shape (n_variables, n_variables)
        Symmetric and positive definite.
    tolerance : float, default=1e-12
        Values smaller than this are rounding errors, and are returned as 0.
    """

    def __init__(self, covariance: ArrayLike, tolerance: float = 1e-12) -> None:
        matrix = np.array(covariance, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"covariance must be a square matrix, got shape {matrix.shape}")
        if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
            raise InputError("covariance must be symmetric and finite")
        if np.linalg.eigvalsh(matrix)[0] <= 0:
            raise InputError("covariance must be positive definite")
        deviation = np.sqrt(matrix.diagonal())
        self.covariance = (matrix + matrix.T) / 2 / np.outer(deviation, deviation)
        self.n_variables = len(matrix)
        self.tolerance = tolerance

    def information(self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = ()) -> float:
        """Return I(a; b | given) between sets of variables, from determinants."""
        return float(gaussian_cmi(self.covariance, sorted(a), [sorted(b)], sorted(given))[0])


class OracleGraph(_Oracle):
    """1 where `given` does not separate two nodes of a graph, else 0.

    The values are answers, not amounts: they say who is dependent, not how strongly.

    Parameters
    ----------
    adjacency : array of shape (n_variables, n_variables)
        Symmetric; the diagonal is ignored.
    """

    def __init__(self, adjacency: ArrayLike) -> None:
        matrix = np.array(adjacency).astype(bool)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or (matrix != matrix.T).any():
            raise InputError(f"adjacency must be square and symmetric, got shape {matrix.shape}")
        self.adjacency = matrix
        self.n_variables = len(matrix)

    def information(self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = ()) -> float:
        """Return 1.0 if some path leads from a to b around `given`, else 0.0."""
        targets, blocked = set(b), set(given)
        seen, frontier = set(a), list(a)
        while frontier:
            node = frontier.pop()
            if node in targets:
                return 1.0
            for neighbour in np.flatnonzero(self.adjacency[node]).tolist():
                if neighbour not in seen and neighbour not in blocked:
                    seen.add(neighbour)
                    frontier.append(neighbour)
        return 0.0
