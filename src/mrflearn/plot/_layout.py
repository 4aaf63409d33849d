"""Where the nodes of a drawn graph stand: the same graph, the same places."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Places", "layout"]

Places = NDArray[np.float64]
"""Points in the plane, shape (n, 2)."""


def layout(adjacency: NDArray[np.bool_], spacing: float) -> Places:
    """Return a place for each node: components side by side, isolated nodes in rows below.

    One unit is about the length of an edge; `spacing` is the distance between isolated nodes.
    """
    import networkx as nx

    network = nx.from_numpy_array(adjacency)
    components = [sorted(nodes) for nodes in nx.connected_components(network) if len(nodes) > 1]
    components.sort(key=lambda nodes: (-len(nodes), nodes))
    places = np.zeros((len(adjacency), 2))
    blocks = [_component_layout(network.subgraph(nodes)) for nodes in components]
    for nodes, block in zip(components, _packed(blocks), strict=True):
        places[nodes] = block
    alone = sorted(nx.isolates(network))
    if alone:
        joined = [node for nodes in components for node in nodes]
        places[alone] = _rows(len(alone), spacing, places[joined])
    return places


def _rows(n: int, spacing: float, above: Places) -> Places:
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


def _component_layout(network: Any) -> Places:
    """Lay out one connected component, its long side level, and no two nodes too close."""
    import networkx as nx

    found = nx.kamada_kawai_layout(network)
    places = np.array([found[node] for node in sorted(network)])
    places -= places.mean(axis=0)
    # Level, and the first node to the upper left: rotations and reflections are not left to chance.
    _, _, axes = np.linalg.svd(places, full_matrices=False)
    places = places @ axes.T
    places *= np.where(places[0] > 0, [-1.0, 1.0], [1.0, -1.0])
    order = {node: position for position, node in enumerate(sorted(network))}
    ends = np.array([(order[a], order[b]) for a, b in network.edges])
    places /= np.median(np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1))
    return np.round(_pushed_apart(places, ends), 6)


def _pushed_apart(places: Places, ends: NDArray[np.intp], rounds: int = 80) -> Places:
    """Return places with nodes not too close to each other, nor to edges that are not theirs."""
    nodes = np.arange(len(places))
    strange = (nodes != ends[:, :1]) & (nodes != ends[:, 1:])  # edge, node
    for _ in range(rounds):
        apart = places[:, None] - places
        push = _repulsion(apart, 0.75, ~np.eye(len(places), dtype=bool)).sum(axis=1)
        start, along = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]
        from_start = places - start[:, None]
        share = np.einsum("enc,ec->en", from_start, along) / (along**2).sum(axis=1)[:, None]
        apart = from_start - np.clip(share, 0.0, 1.0)[:, :, None] * along[:, None]
        beside = strange & (share > 0) & (share < 1)
        push += 0.5 * _repulsion(apart, 0.28, beside).sum(axis=0)
        if not push.any():
            break
        places = places + 0.5 * push
    return places


def _repulsion(apart: NDArray[np.float64], least: float, among: NDArray[np.bool_]) -> Places:
    """Return vectors along `apart` by which it falls short of the length `least`."""
    distance = np.maximum(np.linalg.norm(apart, axis=-1), 1e-9)
    lack = np.where(among, np.maximum(least - distance, 0.0), 0.0)
    return apart * (lack / distance)[..., None]


def _packed(blocks: list[Places]) -> list[Places]:
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
