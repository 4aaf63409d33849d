"""A world: a distribution whose graph is known, to draw tables from and to be judged by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.errors import InputError
from mrflearn.graph import Graph

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["World", "moralise"]


class World(ABC):
    """A distribution whose graph is known.

    A subclass is a frozen dataclass (`eq=False, repr=False`) that sets the attributes below and
    says in `_draw` how to draw. Binary variables are the integers 0 and 1, continuous ones are
    floats, nominal ones are pandas categoricals.

    Attributes
    ----------
    name : str
        Short name of the world, such as "ising".
    names : tuple of str
        The variables.
    adjacency : array of bool of shape (n_variables, n_variables)
        The true undirected graph: two variables share an edge unless they are independent given
        all the others. Read-only.
    """

    name: str
    names: tuple[str, ...]
    adjacency: NDArray[np.bool_]

    @property
    def graph(self) -> Graph:
        """The true graph, with names."""
        return Graph.from_adjacency(self.adjacency, self.names)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    def sample(self, n_samples: int, random_state: Any = None) -> pd.DataFrame:
        """Draw independent samples.

        Parameters
        ----------
        n_samples : int
            Number of rows, at least 1.
        random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
            The same value gives the same table; a generator moves on.

        Returns
        -------
        pandas.DataFrame of shape (n_samples, n_variables)
            Its columns are `names`.
        """
        n_samples = positive_integer(n_samples, "n_samples")
        return self._draw(n_samples, as_generator(random_state))

    @abstractmethod
    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw samples; the arguments are checked already."""

    def __repr__(self) -> str:
        size = f"{self.n_variables} variables, {int(self.adjacency.sum()) // 2} edges"
        return f"{type(self).__name__}({self.name!r}, {size})"


def moralise(parents: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return the moral graph of a directed graph: the Markov random field of a Bayesian network.

    Every node is joined to its parents, and the parents of a common child to each other.

    Parameters
    ----------
    parents : sequence of sequences of int
        `parents[v]` are the parents of node v. The graph should have no directed cycle.

    Returns
    -------
    array of bool of shape (n_nodes, n_nodes)
        Symmetric, False on the diagonal, read-only.

    Examples
    --------
    Rain and the sprinkler both wet the grass, so each explains the other away:

    >>> moralise([(), (), (0, 1)]).astype(int)
    array([[0, 1, 1],
           [1, 0, 1],
           [1, 1, 0]])
    """
    adjacency = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, own in enumerate(parents):
        for parent in own:
            if not 0 <= parent < len(parents) or parent == child:
                raise InputError(
                    f"node {child} has the parent {parent}: parents are other nodes, numbered "
                    f"from 0 to {len(parents) - 1}"
                )
        family = [child, *own]
        adjacency[np.ix_(family, family)] = True
    np.fill_diagonal(adjacency, False)
    return read_only(adjacency)


def as_generator(random_state: Any) -> np.random.Generator:
    """Return the random generator that `random_state` stands for."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state must be None, an integer of at least 0, a SeedSequence or a Generator, "
            f"got {random_state!r}"
        ) from None


def positive_integer(value: Any, what: str) -> int:
    """Return `value` as an int, or say that it must be a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{what} must be an integer of at least 1, got {value!r}")
    return int(value)


def check_names(names: Sequence[str] | None, n_variables: int) -> tuple[str, ...]:
    """Return the names of the variables; x0, x1, … if there are none."""
    if names is None or len(names) == 0:
        return tuple(f"x{i}" for i in range(n_variables))
    if isinstance(names, str) or len(names) != n_variables:
        raise InputError(f"names must list {n_variables} names, one for each variable: {names!r}")
    given = tuple(str(name) for name in names)
    if len(set(given)) < n_variables:
        repeated = next(name for name in given if given.count(name) > 1)
        raise InputError(f"names holds {repeated!r} twice; every variable needs a name of its own")
    return given


def square_matrix(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return a copy of a symmetric matrix of finite numbers, or say what is wrong with it.

    Differences of rounding size between the two triangles are forgiven, and averaged away.
    """
    try:
        matrix = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a matrix of numbers") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InputError(f"{what} must be a square matrix, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise InputError(f"{what} holds NaN or infinite values; all must be finite")
    apart = np.abs(matrix - matrix.T) > 1e-10 * np.abs(matrix).max()
    if apart.any():
        i, j = np.argwhere(apart)[0].tolist()
        raise InputError(
            f"{what} must be symmetric, but its entries ({i}, {j}) and ({j}, {i}) are "
            f"{matrix[i, j]:g} and {matrix[j, i]:g}"
        )
    return (matrix + matrix.T) / 2


def check_adjacency(adjacency: ArrayLike) -> NDArray[np.bool_]:
    """Return an undirected graph as a boolean matrix, read-only, or say what is wrong with it."""
    matrix = square_matrix(adjacency, "adjacency") != 0
    if matrix.diagonal().any():
        raise InputError("adjacency has True on its diagonal: a node has no edge to itself")
    return read_only(matrix)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array, which can no longer be written to."""
    array.flags.writeable = False
    return array
