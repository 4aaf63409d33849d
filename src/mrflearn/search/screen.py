"""Which pairs of a wide table a search looks at.

By known structure, that is exact: the search is the one in which all other pairs are forbidden. By
pairwise dependence, it is an approximation: two variables that depend on each other only given
others, as an exclusive or on its causes, may not be among the nearest of either, and are missed.
All pairs are compared once, D (D - 1) / 2 mutual informations; from then on a search asks for as
many values as there are candidates, not variables, and holds these alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import Count
from mrflearn.dependence.base import Question
from mrflearn.dependence.memo import Memo
from mrflearn.search.base import Constraints

__all__ = ["among_nearest", "among_nearest_of"]

BLOCK = 2**22
"""Mutual informations held at a time."""

Among = tuple[tuple[int, ...], ...]
"""For each node, those it may have an edge to, in order; see `Constraints`."""


def among_nearest(memo: Memo, n_nearest: int, constraints: Constraints) -> Among:
    """Return for each node the nearest by mutual information, and those it is a nearest one of.

    Equals go to the smallest node. The memo knows what these pairs share afterwards.
    """
    n_variables = memo.n_variables
    free = [constraints.free_of(i, n_variables) for i in range(n_variables)]
    nearest = _Nearest(n_variables, n_nearest)
    n_rows = max(1, BLOCK // max(n_variables, 1))
    count = Count("Comparing pairs", sum(map(len, free)) // 2)
    for first in range(0, n_variables, n_rows):
        rows = range(first, min(first + n_rows, n_variables))
        questions = [Question(i, [j for j in free[i] if j > i]) for i in rows]
        n_pairs = sum(len(asked.candidates) for asked in questions)
        with count.shared(n_pairs, answers=n_pairs):
            answers = memo.cmi_once(questions)
        shared = np.full((len(rows), n_variables), -np.inf)
        for row, question, answer in zip(shared, questions, answers, strict=True):
            row[list(question.candidates)] = answer
        nearest.take(np.arange(n_variables), shared.T, np.array(rows))
        nearest.take(np.array(rows), shared, np.arange(n_variables))
    among: list[set[int]] = [set() for _ in range(n_variables)]
    for i in range(n_variables):
        others, values = nearest.of(i)
        memo.know(Question(i, others), values)
        among[i].update(others)
        for j in others:
            among[j].add(i)
    return tuple(tuple(sorted(others)) for others in among)


def among_nearest_of(memo: Memo, node: int, n_nearest: int, constraints: Constraints) -> Among:
    """Return the nearest of one node, and none of the others."""
    free = constraints.free_of(node, memo.n_variables)
    values = memo.cmi_many(node, free)
    kept = np.argsort(-values, kind="stable")[:n_nearest]
    own = tuple(sorted(free[at] for at in kept.tolist()))
    return tuple(own if i == node else () for i in range(memo.n_variables))


class _Nearest:
    """The variables that each shares most with, of those seen so far."""

    def __init__(self, n_variables: int, n_nearest: int) -> None:
        self.n_nearest = min(n_nearest, n_variables - 1)
        self.values = np.full((n_variables, self.n_nearest), -np.inf)
        self.others = np.zeros((n_variables, self.n_nearest), dtype=np.int64)

    def take(
        self, nodes: NDArray[np.int64], values: NDArray[np.float64], others: NDArray[np.int64]
    ) -> None:
        """See what some nodes share with others, all of them after those seen before."""
        both = np.hstack([self.values[nodes], values])
        order = np.argsort(-both, axis=1, kind="stable")[:, : self.n_nearest]
        names = np.hstack([self.others[nodes], np.broadcast_to(others, values.shape)])
        self.values[nodes] = np.take_along_axis(both, order, axis=1)
        self.others[nodes] = np.take_along_axis(names, order, axis=1)

    def of(self, i: int) -> tuple[list[int], NDArray[np.float64]]:
        """Return the nearest of a node, and what it shares with them."""
        known = self.values[i] > -np.inf
        return self.others[i, known].tolist(), self.values[i, known]
