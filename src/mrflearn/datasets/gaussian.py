"""Gaussians whose precision matrix has the zeros of a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.datasets.shapes import edge_strengths, random_graph
from mrflearn.datasets.world import (
    World,
    as_generator,
    check_adjacency,
    check_names,
    positive_integer,
    read_only,
    square_matrix,
)
from mrflearn.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GaussianWorld", "gaussian_on", "sparse_gaussian"]

SAFE_EIGENVALUE = 0.1
"""Least eigenvalue of a precision matrix with a unit diagonal that is left as it was drawn."""

DOMINANCE = 1.1
"""Diagonal over the sum of the row's other entries, where the matrix drawn was not safe."""


@dataclass(frozen=True, eq=False, repr=False)
class GaussianWorld(World):
    """A Gaussian distribution with mean 0 and a given precision matrix, the inverse covariance.

    Two variables share an edge where the precision is not exactly 0.

    Parameters
    ----------
    precision : array of shape (n_variables, n_variables)
        Symmetric and positive definite.
    names : sequence of str, optional
        The variables; x0, x1, … by default.
    name : str, default="gaussian"
        Name of the world.

    Attributes
    ----------
    covariance : array of shape (n_variables, n_variables)
        Exact covariance matrix. Read-only.

    Examples
    --------
    >>> world = GaussianWorld([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> world.graph.neighbors("x0")
    ('x1',)
    >>> world.partial_correlations[0].round(3)
    array([1. , 0.5, 0. ])
    >>> world.covariance[0].round(3)
    array([0.75, 0.5 , 0.25])
    """

    precision: NDArray[np.float64]
    names: tuple[str, ...] = ()
    name: str = "gaussian"
    adjacency: NDArray[np.bool_] = field(init=False)
    covariance: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        precision = square_matrix(self.precision, "precision")
        eigenvalues = np.linalg.eigvalsh(precision)
        rounding = len(precision) * np.finfo(float).eps * np.abs(eigenvalues).max()
        if eigenvalues[0] <= rounding:
            raise InputError(
                "precision must be positive definite, but its smallest eigenvalue is "
                f"{eigenvalues[0]:.3g}; a larger diagonal helps"
            )
        covariance = np.linalg.inv(precision)
        checked = {
            "precision": read_only(precision),
            "names": check_names(self.names, len(precision)),
            "adjacency": read_only((precision != 0) & ~np.eye(len(precision), dtype=bool)),
            "covariance": read_only((covariance + covariance.T) / 2),
        }
        for attribute, value in checked.items():
            object.__setattr__(self, attribute, value)

    @property
    def partial_correlations(self) -> NDArray[np.float64]:
        """Correlation of each two variables given all the others; 1 on the diagonal."""
        scale = np.sqrt(self.precision.diagonal())
        partial = 0.0 - self.precision / np.outer(scale, scale)  # no -0.0
        np.fill_diagonal(partial, 1.0)
        return partial

    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        noise = rng.standard_normal((n_samples, self.n_variables))
        samples = noise @ np.linalg.cholesky(self.covariance).T
        return pd.DataFrame(samples, columns=list(self.names))


def gaussian_on(
    adjacency: ArrayLike,
    strength: float | tuple[float, float] = (0.25, 0.35),
    random_signs: bool = True,
    random_state: Any = None,
    names: tuple[str, ...] = (),
    name: str = "gaussian",
) -> GaussianWorld:
    """Return a Gaussian on a given graph.

    The precision matrix has a unit diagonal and the partial correlations asked for, as long as it
    is safely positive definite (eigenvalues of at least 0.1). Where it is not, as for nodes with
    many neighbours, the diagonal is raised to 1.1 times the sum of the other entries of the row,
    which weakens the edges of those nodes.

    Parameters
    ----------
    adjacency : array of shape (n_variables, n_variables)
        The graph; `mrflearn.datasets.shapes` makes many.
    strength : float or (float, float), default=(0.25, 0.35)
        Size of the partial correlations on the edges, or the range to draw each from.
    random_signs : bool, default=True
        Turn the sign of each with probability 1/2.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Where ranges and signs are drawn from.
    names, name
        See `GaussianWorld`.

    Examples
    --------
    >>> from mrflearn.datasets.shapes import chain
    >>> gaussian_on(chain(3), 0.4, random_signs=False).precision
    array([[ 1. , -0.4,  0. ],
           [-0.4,  1. , -0.4],
           [ 0. , -0.4,  1. ]])
    """
    edges = check_adjacency(adjacency)
    partial = edge_strengths(edges, strength, random_signs, random_state, "strength")
    if (np.abs(partial) >= 1).any():
        raise InputError(f"strength must be below 1, as correlations are; got {strength!r}")
    precision = np.eye(len(edges)) - partial
    if np.linalg.eigvalsh(precision)[0] < SAFE_EIGENVALUE:
        raised = np.maximum(1.0, DOMINANCE * np.abs(partial).sum(axis=1))
        np.fill_diagonal(precision, raised)
    return GaussianWorld(precision, names, name)


def sparse_gaussian(
    n_variables: int = 9,
    n_edges: int | None = None,
    strength: float | tuple[float, float] = (0.25, 0.35),
    random_state: Any = 0,
) -> GaussianWorld:
    """Return a Gaussian on a random sparse graph: world (c) of the GS-MPLE paper, as we chose it.

    The paper gives the number of variables, 9, and no more. The graph, the sizes of the partial
    correlations and their signs are fixed by `random_state`, so that by default all tables come
    from one world.

    Parameters
    ----------
    n_variables : int, default=9
        Number of variables.
    n_edges : int, optional
        Number of edges; by default four for every three variables, 12 of 36 pairs for 9 of them.
    strength : float or (float, float), default=(0.25, 0.35)
        Size of the partial correlations on the edges, or the range to draw each from.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator, default=0
        Where the world, not its samples, is drawn from.

    Examples
    --------
    >>> world = sparse_gaussian()
    >>> world
    GaussianWorld('gaussian', 9 variables, 12 edges)
    >>> sizes = abs(world.partial_correlations[world.adjacency])
    >>> bool(0.25 <= sizes.min() <= sizes.max() <= 0.35)
    True
    """
    n_variables = positive_integer(n_variables, "n_variables")
    rng = as_generator(random_state)
    if n_edges is None:
        n_edges = min(4 * n_variables // 3, n_variables * (n_variables - 1) // 2)
    adjacency = random_graph(n_variables, n_edges, random_state=rng)
    return gaussian_on(adjacency, strength, random_state=rng)
