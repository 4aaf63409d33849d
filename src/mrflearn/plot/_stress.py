"""Places in the plane that are as far apart as nodes are along the edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrflearn._blas import one_thread

__all__ = ["Positions", "least_stress"]

Positions = NDArray[np.float64]
"""Points in the plane, shape (n, 2)."""

_FEW = 400
"""Nodes up to which two starts are tried, with three times as many steps."""
_BETTER = 0.95
"""Share of the stress from the circle below which the other start is taken.

What comes of the circle is more regular: the corners of a polygon for a complete graph.
"""


def least_stress(adjacency: NDArray[np.bool_]) -> Positions:
    """Return places of the nodes of a connected graph, an edge about one unit long.

    They minimise the sum of (distance / steps - 1)² over pairs of nodes, where steps are those of
    the shortest path between the two.

    References
    ----------
    Kamada and Kawai (1989). An algorithm for drawing general undirected graphs. Information
    Processing Letters 31, 7-15. Classical scaling as a start takes two thirds of the steps that a
    circle does, and finds less stress as often as not.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    steps = shortest_path(csr_array(adjacency), directed=False, unweighted=True)
    circle = _circle(len(steps))
    # Two threads that wait for each other at every step took 12 to 30 times as long as one, on two
    # cores with other work.
    with one_thread():
        stress, places = _minimise(_classical_scaling(steps) + 0.1 * circle, steps)
        if len(steps) > _FEW:
            return places
        of_circle, regular = _minimise(circle * steps.mean(), steps)
    return places if stress < _BETTER * of_circle else regular


def _circle(n: int) -> Positions:
    angles = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _classical_scaling(steps: NDArray[np.float64]) -> Positions:
    """Return the best linear picture of the squared distances (Torgerson 1952).

    Nodes alike in all distances may come to stand in one place.
    """
    squares = steps**2
    means = squares.mean(axis=0)
    centred = -0.5 * (squares - means - means[:, None] + means.mean())
    values, vectors = np.linalg.eigh(centred)  # all: LAPACK finds no part of those of a star
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))


def _minimise(start: Positions, steps: NDArray[np.float64]) -> tuple[float, Positions]:
    """Return the least stress found from a start, and the places that have it."""
    from scipy.optimize import minimize

    lengths = steps + np.eye(len(steps))  # ones on the diagonal, to divide by
    options = {"maxiter": 300 if len(steps) <= _FEW else 100, "ftol": 1e-7}
    found = minimize(
        _stress, start.ravel(), args=(lengths,), jac=True, method="L-BFGS-B", options=options
    )
    return float(found.fun), found.x.reshape(-1, 2)


def _stress(flat: NDArray[np.float64], lengths: NDArray[np.float64]) -> tuple[float, Positions]:
    """Return the stress of places and its gradient; the diagonal of `lengths` is one."""
    from scipy.spatial.distance import cdist

    places = flat.reshape(-1, 2)
    apart = cdist(places, places)
    np.maximum(apart, 1e-9, out=apart)
    np.fill_diagonal(apart, 1.0)
    excess = apart / lengths
    excess -= 1.0
    stress = 0.5 * float(np.vdot(excess, excess))
    apart *= lengths
    pull = np.divide(excess, apart, out=apart)
    gradient = 2.0 * (pull.sum(axis=1)[:, None] * places - pull @ places)
    return stress, gradient.ravel()
