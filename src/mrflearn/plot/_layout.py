"""Where the nodes of a drawn graph stand: the same graph, the same places."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrflearn.plot._stress import Positions, least_stress

__all__ = ["Positions", "layout"]

_APART = 0.75
"""How far nodes keep from each other."""
_OFF_EDGES = 0.28
"""How far nodes keep from edges that are not theirs."""
_MOST_COVERED, _FEW = 4.0, 60
"""Area along edges, as a share of all, beyond which nodes do not try to keep off them.

Few nodes always try: they find a way more often, and it takes no time.
"""


def layout(adjacency: NDArray[np.bool_], spacing: float) -> Positions:
    """Return a place for each node: components side by side, isolated nodes in rows below.

    One unit is about the length of an edge; `spacing` is the distance between isolated nodes.
    """
    places = np.zeros((len(adjacency), 2))
    components = _components(adjacency)
    blocks = [_component_layout(adjacency[np.ix_(nodes, nodes)]) for nodes in components]
    for nodes, block in zip(components, _packed(blocks), strict=True):
        places[nodes] = block
    has_edges = adjacency.any(axis=1)
    if not has_edges.all():
        places[~has_edges] = _rows(int((~has_edges).sum()), spacing, places[has_edges])
    return places


def _components(adjacency: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return the nodes of each component of two nodes or more, the largest first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if not len(adjacency):
        return []
    n_components, label = connected_components(csr_array(adjacency), directed=False)
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.searchsorted(label[order], np.arange(1, n_components)))
    return sorted((nodes for nodes in groups if len(nodes) > 1), key=lambda g: (-len(g), g[0]))


def _rows(n: int, spacing: float, above: Positions) -> Positions:
    """Return places in rows below others."""
    step = np.array([spacing, 0.65])
    width = float(np.ptp(above[:, 0])) if len(above) else 0.0
    per_row = max(math.ceil(math.sqrt(1.8 * n * step[1] / step[0])), int(width / step[0]) + 1)
    per_row = math.ceil(n / math.ceil(n / per_row))  # rows of about the same length
    row, column = np.divmod(np.arange(n), per_row)
    in_row = np.minimum(per_row, n - row * per_row)
    grid = np.column_stack([column - (in_row - 1) / 2, -row]) * step
    if len(above):
        grid += [above[:, 0].min() + width / 2, above[:, 1].min() - 0.95]
    return grid


def _component_layout(adjacency: NDArray[np.bool_]) -> Positions:
    """Lay out one connected component, its long side level, and no two nodes too close."""
    places = least_stress(adjacency)
    places -= places.mean(axis=0)
    # Level, and the first node to the upper left: rotations and reflections are not left to chance.
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    places *= np.where(places[0] > 0, [-1.0, 1.0], [1.0, -1.0])
    ends = np.argwhere(np.triu(adjacency))
    lengths = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
    places *= max(1 / float(np.median(lengths)), _room_factor(places))
    return np.round(_pushed_apart(places, ends), 6)


def _room_factor(places: Positions) -> float:
    """Return how much to enlarge a picture before nodes push each other apart, if at all.

    With too little room they throw each other out of the places that edges give them; with much,
    those in the middle stay small beside empty margins.
    """
    from scipy.spatial import cKDTree

    nearest = cKDTree(places).query(places, k=2)[0][:, 1]
    return 0.55 * _APART / max(float(np.median(nearest)), 1e-9)


def _pushed_apart(places: Positions, ends: NDArray[np.intp], rounds: int = 80) -> Positions:
    """Return places with nodes not too close to each other, nor to edges that are not theirs."""
    may_keep_off = len(places) <= _FEW or _covered(places, ends) < _MOST_COVERED
    for _ in range(rounds):
        push = _push_from_nodes(places)
        if may_keep_off:
            push += 0.5 * _push_from_edges(places, ends)
        if not push.any():
            break
        places = places + 0.5 * push
    return places


def _covered(places: Positions, ends: NDArray[np.intp]) -> float:
    """Return the area along the edges, as a share of the area that all nodes need."""
    length = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1).sum()
    return float(length * 2 * _OFF_EDGES / (len(places) * _APART**2))


def _push_from_nodes(places: Positions) -> Positions:
    """Return a vector for each node, away from the nodes too close to it."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(places).query_pairs(_APART, output_type="ndarray")
    push = _repulsion(places[pairs[:, 0]] - places[pairs[:, 1]], _APART)
    n = len(places)
    return _sums(pairs[:, 0], push, n) - _sums(pairs[:, 1], push, n)


def _push_from_edges(places: Positions, ends: NDArray[np.intp]) -> Positions:
    """Return a vector for each node, away from the edges of others too close to it."""
    edge, node = _beside(places, ends)
    start, along = places[ends[edge, 0]], places[ends[edge, 1]] - places[ends[edge, 0]]
    from_start = places[node] - start
    share = (from_start * along).sum(axis=1) / (along**2).sum(axis=1)
    inside = (share > 0) & (share < 1)
    push = _repulsion((from_start - share[:, None] * along)[inside], _OFF_EDGES)
    return _sums(node[inside], push, len(places))


def _beside(places: Positions, ends: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return edges and nodes of others that may be too close to them, by position.

    Points along an edge, a step apart, stand for it: what is near the edge is near one of them.
    """
    from scipy.spatial import cKDTree

    step = _OFF_EDGES
    start, along = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]
    pieces = np.ceil(np.linalg.norm(along, axis=1) / step).astype(np.intp)
    edge = np.repeat(np.arange(len(ends)), pieces)
    at = np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 0.5
    points = start[edge] + (at / pieces[edge])[:, None] * along[edge]
    near = cKDTree(points).sparse_distance_matrix(
        cKDTree(places), math.hypot(_OFF_EDGES, step / 2), output_type="ndarray"
    )
    found = np.unique(edge[near["i"]] * len(places) + near["j"])
    edge, node = np.divmod(found, len(places))
    strange = (node != ends[edge, 0]) & (node != ends[edge, 1])
    return edge[strange], node[strange]


def _repulsion(apart: Positions, least: float) -> Positions:
    """Return vectors along `apart` by which it falls short of the length `least`."""
    distance = np.maximum(np.linalg.norm(apart, axis=1), 1e-9)
    return apart * (np.maximum(least - distance, 0.0) / distance)[:, None]


def _sums(at: NDArray[np.intp], vectors: Positions, n: int) -> Positions:
    """Return the sum of the vectors at each of n positions."""
    sums = [np.bincount(at, vectors[:, axis], n) for axis in (0, 1)]
    return np.column_stack(sums).astype(np.float64)  # those of no vectors are integers


def _packed(blocks: list[Positions]) -> list[Positions]:
    """Return the blocks moved into rows, from the upper left, with a gap between them."""
    gap = 1.0
    sizes = [np.ptp(block, axis=0) + gap for block in blocks]
    total = sum(float(width * height) for width, height in sizes)
    limit = max([1.5 * math.sqrt(total), *(float(width) for width, _ in sizes)])
    moved, left, top, row_height = [], 0.0, 0.0, 0.0
    for block, (width, height) in zip(blocks, sizes, strict=True):
        if left + width > limit and left > 0:
            left, top, row_height = 0.0, top - row_height, 0.0
        corner = np.array([block[:, 0].min(), block[:, 1].max()])
        moved.append(block - corner + [left, top])
        left, row_height = left + width, max(row_height, height)
    return moved
