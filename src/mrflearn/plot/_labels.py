"""Where labels stand: each on the side of its node where it covers least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrflearn.plot._layout import Positions

__all__ = ["label_offsets"]

Boxes = NDArray[np.float64]
"""Left, bottom, right and top, shape (..., 4)."""

_DISLIKES = np.array([0.0, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])
"""What the positions of `_options` cost by themselves."""


def label_offsets(
    places: Positions, segments: Positions, sizes: Positions, size: float
) -> Positions:
    """Return the middle of each label relative to its node, all in points.

    Each label in turn takes the best of eight positions around its node given the others, and
    three rounds of that settle them.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        The nodes.
    segments : ndarray of shape (n_edges, 2, 2)
        Both ends of each edge.
    sizes : ndarray of shape (n, 2)
        Width and height of each label.
    size : float
        Diameter of a node.
    """
    options = _options(sizes, size)
    boxes = _boxes(places[:, None] + options, sizes[:, None])  # node, option, side
    hulls = np.concatenate([boxes[..., :2].min(axis=1), boxes[..., 2:].max(axis=1)], axis=1)
    near = [np.flatnonzero(_meet(hull, hulls)) for hull in hulls]
    costs = _DISLIKES + _marks_covered(boxes, places, size) + _edges_covered(boxes, hulls, segments)
    chosen = np.zeros(len(places), dtype=np.intp)
    order = np.argsort(sizes[:, 0], kind="stable")[::-1]  # the longest names are hardest to place
    for _ in range(3):
        for node in order:
            others = near[node][near[node] != node]
            covered = _overlaps(boxes[node], boxes[others, chosen[others]])
            chosen[node] = np.argmin(costs[node] + 8 * covered / np.prod(sizes[node]))
    return options[np.arange(len(places)), chosen]


def _options(sizes: Positions, size: float) -> NDArray[np.float64]:
    """Return the positions to choose from, shape (n, 8, 2): below, above, beside and slanting."""
    near = size / 2 + 1.0
    side, slant = near + sizes[:, 0] / 2, 0.6 * near + sizes[:, 0] / 2
    level, above = np.zeros(len(sizes)), near + sizes[:, 1] / 2
    options = [
        (level, -above),
        (level, above),
        (side, level),
        (-side, level),
        (slant, -0.9 * above),
        (-slant, -0.9 * above),
        (slant, 0.9 * above),
        (-slant, 0.9 * above),
    ]
    return np.array(options).transpose(2, 0, 1)


def _boxes(middles: NDArray[np.float64], sizes: NDArray[np.float64]) -> Boxes:
    return np.concatenate([middles - sizes / 2, middles + sizes / 2], axis=-1)


def _meet(box: Boxes, boxes: Boxes) -> NDArray[np.bool_]:
    """Return which boxes have a point in common with one."""
    return np.all((boxes[:, :2] <= box[2:]) & (boxes[:, 2:] >= box[:2]), axis=1)


def _marks_covered(boxes: Boxes, places: Positions, size: float) -> NDArray[np.float64]:
    """Return what each position costs for the nodes that a label there would cover."""
    marks = _boxes(places, np.full((1, 2), size))
    costs = [_overlaps(own, np.delete(marks, node, axis=0)) for node, own in enumerate(boxes)]
    return 10 * np.array(costs) / size**2


def _edges_covered(boxes: Boxes, hulls: Boxes, segments: Positions) -> NDArray[np.float64]:
    """Return what each position costs for the edges that a label there would cover."""
    spans = np.concatenate([segments.min(axis=1), segments.max(axis=1)], axis=1)
    costs = [
        _lengths_inside(own, segments[_meet(hull, spans)]) / (own[0, 3] - own[0, 1])
        for own, hull in zip(boxes, hulls, strict=True)
    ]
    return 1.5 * np.array(costs)


def _overlaps(boxes: Boxes, others: Boxes) -> NDArray[np.float64]:
    """Return the area that each box shares with others."""
    low = np.maximum(boxes[:, None, :2], others[:, :2])
    high = np.minimum(boxes[:, None, 2:], others[:, 2:])
    return np.maximum(high - low, 0.0).prod(axis=2).sum(axis=1)


def _lengths_inside(boxes: Boxes, segments: Positions) -> NDArray[np.float64]:
    """Return the length of the segments that is inside each box (Liang and Barsky 1984)."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, last = ((boxes[:, None, at : at + 2] - start) / along for at in (0, 2))
    enter = np.fmin(first, last).max(axis=2, initial=0.0)
    leave = np.fmax(first, last).min(axis=2, initial=1.0)
    return (np.maximum(leave - enter, 0.0) * np.linalg.norm(along, axis=1)).sum(axis=1)
