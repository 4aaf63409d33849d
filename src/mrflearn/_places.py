"""Pairs of variables in memory for these pairs alone, however many variables there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Places"]


class Places:
    """Each pair in two places, one for each end, in the order of the ends.

    Parameters
    ----------
    others : list of collections
        For each node, those it makes a pair with; both ways the same.

    Attributes
    ----------
    node, other : ndarray of int
        The ends, by place.
    turned : ndarray of int
        The place of the same pair at its other end.

    Examples
    --------
    >>> places = Places([[1, 2], [0], [0]])
    >>> places.node.tolist(), places.other.tolist()
    ([0, 0, 1, 2], [1, 2, 0, 0])
    >>> places.turned.tolist()
    [2, 3, 0, 1]
    """

    def __init__(self, others: Sequence[Collection[int]]) -> None:
        sizes = [len(own) for own in others]
        self.begin = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.other = np.empty(self.begin[-1], dtype=np.int32)
        for i, own in enumerate(others):
            self.other[self.begin[i] : self.begin[i + 1]] = sorted(own)
        self.node = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        self.turned = np.lexsort((self.node, self.other))

    def __len__(self) -> int:
        return len(self.other)

    def of(self, i: int) -> slice:
        """Return the places of a node."""
        return slice(int(self.begin[i]), int(self.begin[i + 1]))

    def at(self, i: int, j: int) -> int:
        """Return the place of a pair at its first end."""
        own = self.of(i)
        return own.start + int(np.searchsorted(self.other[own], j))

    @property
    def ascending(self) -> NDArray[np.bool_]:
        """Whether the node is the smaller end: true at one of the two places of a pair."""
        return self.node < self.other
