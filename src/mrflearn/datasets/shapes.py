"""Graphs of well-known shapes and any size, to put a world on.

Each is an adjacency matrix: boolean, symmetric, False on the diagonal, read-only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.datasets.world import as_generator, positive_integer, read_only
from mrflearn.errors import InputError

__all__ = ["chain", "cycle", "grid", "hub", "random_graph", "scale_free"]

Adjacency = NDArray[np.bool_]


def chain(n_variables: int) -> Adjacency:
    """Return a chain: each node is joined to the next.

    Examples
    --------
    >>> chain(3).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    nodes = np.arange(positive_integer(n_variables, "n_variables"))
    return _joined(len(nodes), nodes[:-1], nodes[1:])


def cycle(n_variables: int) -> Adjacency:
    """Return a ring of at least three nodes: a chain whose ends are joined.

    Examples
    --------
    >>> cycle(5).sum(axis=0)
    array([2, 2, 2, 2, 2])
    """
    nodes = np.arange(positive_integer(n_variables, "n_variables"))
    if len(nodes) < 3:
        raise InputError(f"n_variables must be at least 3 for a cycle, got {n_variables}")
    return _joined(len(nodes), nodes, np.roll(nodes, -1))


def hub(n_variables: int, n_hubs: int = 1) -> Adjacency:
    """Return stars of equal size, unconnected with each other: few nodes hold all the edges.

    Parameters
    ----------
    n_variables : int
        Number of nodes, hubs included.
    n_hubs : int, default=1
        Nodes 0 to `n_hubs - 1` are the hubs; the others are dealt to them in turn.

    Examples
    --------
    >>> hub(7, n_hubs=2).sum(axis=0)
    array([3, 2, 1, 1, 1, 1, 1])
    """
    n_variables = positive_integer(n_variables, "n_variables")
    if positive_integer(n_hubs, "n_hubs") > n_variables:
        raise InputError(f"n_hubs is {n_hubs}, but there are only {n_variables} nodes")
    leaves = np.arange(n_hubs, n_variables)
    return _joined(n_variables, leaves, leaves % n_hubs)


def grid(n_rows: int, n_columns: int) -> Adjacency:
    """Return a rectangular lattice without periodic boundary, its nodes numbered row by row.

    Examples
    --------
    >>> grid(3, 3).sum(axis=0).reshape(3, 3)
    array([[2, 3, 2],
           [3, 4, 3],
           [2, 3, 2]])
    """
    shape = positive_integer(n_rows, "n_rows"), positive_integer(n_columns, "n_columns")
    nodes = np.arange(shape[0] * shape[1]).reshape(shape)
    return _joined(
        nodes.size,
        np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()]),
        np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()]),
    )


def random_graph(
    n_variables: int,
    n_edges: int | None = None,
    mean_degree: float | None = None,
    random_state: Any = None,
) -> Adjacency:
    """Return a graph with a given number of edges, all such graphs being equally likely.

    Parameters
    ----------
    n_variables : int
        Number of nodes.
    n_edges : int, optional
        Number of edges. Give this or `mean_degree`.
    mean_degree : float, optional
        Mean number of neighbours of a node, met as closely as whole edges allow.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Where the randomness comes from.

    References
    ----------
    Erdős and Rényi (1959), On random graphs I, Publicationes Mathematicae Debrecen 6, 290-297.

    Examples
    --------
    >>> int(random_graph(50, n_edges=60, random_state=0).sum())
    120
    """
    n_variables = positive_integer(n_variables, "n_variables")
    n_pairs = n_variables * (n_variables - 1) // 2
    if (n_edges is None) == (mean_degree is None):
        raise InputError("random_graph wants either n_edges or mean_degree, and not both")
    if n_edges is None:
        n_edges = _edges_for(mean_degree, n_variables)
    elif isinstance(n_edges, bool) or not isinstance(n_edges, (int, np.integer)):
        raise InputError(f"n_edges must be an integer, got {n_edges!r}")
    if not 0 <= n_edges <= n_pairs:
        raise InputError(
            f"{n_variables} nodes have room for 0 to {n_pairs} edges, not for {n_edges}"
        )
    chosen = as_generator(random_state).choice(n_pairs, size=n_edges, replace=False)
    first, second = np.triu_indices(n_variables, 1)
    return _joined(n_variables, first[chosen], second[chosen])


def scale_free(n_variables: int, n_links: int = 1, random_state: Any = None) -> Adjacency:
    """Return a graph grown by preferential attachment: many nodes with few edges, few with many.

    It begins with `n_links + 1` nodes that are all joined; each further node is joined to
    `n_links` older ones, those with many edges being likelier to be chosen.

    Parameters
    ----------
    n_variables : int
        Number of nodes, more than `n_links`.
    n_links : int, default=1
        Edges that each new node brings; with 1 the graph is a tree.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Where the randomness comes from.

    References
    ----------
    Barabási and Albert (1999), Emergence of scaling in random networks, Science 286, 509-512.

    Examples
    --------
    >>> int(scale_free(100, random_state=0).sum()) // 2
    99
    """
    n_variables = positive_integer(n_variables, "n_variables")
    n_links = positive_integer(n_links, "n_links")
    if n_links >= n_variables:
        raise InputError(f"n_links must be less than n_variables, {n_variables}; got {n_links}")
    rng = as_generator(random_state)
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    adjacency[: n_links + 1, : n_links + 1] = ~np.eye(n_links + 1, dtype=bool)
    degree = adjacency.sum(axis=0)
    for node in range(n_links + 1, n_variables):
        share = degree[:node] / degree[:node].sum()
        chosen = rng.choice(node, size=n_links, replace=False, p=share)
        adjacency[node, chosen] = adjacency[chosen, node] = True
        degree[chosen] += 1
        degree[node] = n_links
    return read_only(adjacency)


def _edges_for(mean_degree: Any, n_variables: int) -> int:
    """Return the number of edges that gives nodes so many neighbours on average."""
    is_number = isinstance(mean_degree, (int, float, np.number)) and np.isfinite(mean_degree)
    if not is_number or not 0 <= mean_degree <= n_variables - 1:
        raise InputError(
            f"mean_degree must lie between 0 and {n_variables - 1} for {n_variables} nodes, "
            f"got {mean_degree!r}"
        )
    return round(n_variables * float(mean_degree) / 2)


def _joined(n_variables: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> Adjacency:
    """Return the graph in which each of `first` is joined to its partner in `second`."""
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    adjacency[first, second] = adjacency[second, first] = True
    return read_only(adjacency)


def edge_strengths(
    adjacency: Adjacency,
    strength: float | tuple[float, float],
    random_signs: bool,
    random_state: Any,
    what: str,
) -> NDArray[np.float64]:
    """Return a symmetric matrix with a strength on each edge, and zeros elsewhere.

    One number is the strength of all edges; of two, each edge draws its own between them.
    """
    rng = as_generator(random_state)
    bounds = np.atleast_1d(np.asarray(strength))
    if bounds.shape not in ((1,), (2,)) or bounds.dtype.kind not in "iuf":
        raise InputError(f"{what} must be a number or a range (low, high), got {strength!r}")
    low, high = float(bounds[0]), float(bounds[-1])
    if not np.isfinite(bounds).all() or low > high or (low <= 0 <= high):
        raise InputError(f"{what} must be finite, away from zero and ascending, got {strength!r}")
    edges = np.triu(adjacency)
    n_edges = int(edges.sum())
    values = np.full(n_edges, low) if low == high else rng.uniform(low, high, n_edges)
    if random_signs:
        values *= rng.choice([-1.0, 1.0], n_edges)
    strengths = np.zeros(adjacency.shape)
    strengths[edges] = values
    return strengths + strengths.T
