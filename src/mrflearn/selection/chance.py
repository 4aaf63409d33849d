"""Choosing lambda by what chance would do: about as many false edges as a share of those found.

The score of a pair is compared with lambda. How often it exceeds lambda though the two variables
are independent, given their neighbours, is known from the null of the dependence. Summed over all
pairs this is how many false edges to expect, if there were no others; divided by how many edges
were found it estimates the false discovery rate, in the manner of Benjamini and Hochberg (1995). It
is no bound: the null of the default takes the conditions to explain all that they should, and where
they leave some, as in strong or curved confounding, more edges are false than it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.base import Dependence
from mrflearn.dependence.null import Null

__all__ = ["ChanceChoice", "ScoreNulls", "choose", "lambdas"]

MOST_FALSE = 0.5
"""Edges expected by chance, for each variable, at the smallest lambda worth looking at."""

MOST_OF_PAIRS = 0.1
"""The same as a share of all pairs, which is less where variables are few."""

LEAST = 1e-4
"""Smallest lambda as a share of the largest, where hardly anything varies by chance."""

FAR = 40.0
"""Deviations from the mean at which nothing is left to chance."""

BISECTIONS = 60
"""To find a lambda to all digits."""


class ScoreNulls:
    """How large the scores of pairs are by chance, in any graph; remembers what it was asked.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    """

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self._known: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}

    def of(self, adjacency: NDArray[np.bool_]) -> Null:
        """Return the nulls of the scores of all pairs, in the order of `np.triu_indices(D, 1)`."""
        n_variables = self.dependence.n_variables
        moments = np.empty((3, n_variables, n_variables))
        for i in range(n_variables):
            moments[:, i] = self._of_node(i, tuple(np.flatnonzero(adjacency[i]).tolist()))
        one, other = np.triu_indices(n_variables, 1)
        return Null(*moments[:, one, other]) + Null(*moments[:, other, one])

    def expected(self, adjacency: NDArray[np.bool_], lam: float) -> float:
        """Return how many pairs are expected to score more than `lam` by chance."""
        return float(self.of(adjacency).tail(lam).sum())

    def _of_node(self, i: int, neighbours: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the moments of I(i; j | neighbours without j) for each j."""
        if (i, neighbours) not in self._known:
            moments = np.zeros((3, self.dependence.n_variables))
            others = [j for j in range(self.dependence.n_variables) if j not in (i, *neighbours)]
            asked = [(others, neighbours)] if others else []
            asked += [([j], tuple(z for z in neighbours if z != j)) for j in neighbours]
            for candidates, given in asked:
                null = self.dependence.null(i, candidates, given)
                moments[:, candidates] = null.mean, null.deviation, null.skewness
            self._known[i, neighbours] = moments
        return self._known[i, neighbours]


@dataclass(frozen=True)
class ChanceChoice:
    """The point chosen on a path, and why.

    Attributes
    ----------
    position : int
        Where on the path.
    expected : float
        False edges to expect by chance there.
    alpha : float
        The share of false edges that was allowed.
    """

    position: int
    expected: float
    alpha: float


def choose(
    nulls: ScoreNulls,
    lams: Sequence[float],
    adjacencies: NDArray[np.bool_],
    alpha: float,
) -> ChanceChoice:
    """Return the densest graph before one of which more than `alpha` may be false edges.

    Parameters
    ----------
    nulls : ScoreNulls
        How large scores are by chance.
    lams : sequence of float
        In any order.
    adjacencies : ndarray of bool, shape (n_lams, D, D)
        The graph at each lambda.
    alpha : float
        Share of false edges, between 0 and 1.
    """
    chosen = None
    for position in np.argsort(-np.asarray(lams), kind="stable").tolist():
        adjacency = adjacencies[position]
        expected = nulls.expected(adjacency, lams[position])
        n_edges = int(np.triu(adjacency).sum())
        if chosen is not None and expected > alpha * max(n_edges, 1):
            break
        chosen = ChanceChoice(position, expected, alpha)
    if chosen is None:
        raise ValueError("a path needs at least one lambda")
    return chosen


def lambdas(nulls: ScoreNulls, n_lams: int = 50) -> tuple[float, ...]:
    """Return lambdas worth looking at: from that which no pair exceeds down to mere chance.

    The smallest is where, of variables that are all independent, `MOST_FALSE` edges for each are
    expected, or `MOST_OF_PAIRS`, but not less than `LEAST` times the largest.
    """
    dependence = nulls.dependence
    n_variables = dependence.n_variables
    alone = nulls.of(np.zeros((n_variables, n_variables), dtype=bool))
    most = min(MOST_FALSE * n_variables, MOST_OF_PAIRS * len(alone.mean))
    best = [
        2 * dependence.cmi_many(i, range(i + 1, n_variables)).max() for i in range(n_variables - 1)
    ]
    low, high = 0.0, float((alone.mean + FAR * alone.deviation).max())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if alone.tail(middle).sum() > most else (low, middle)
    top = max(*best, 2 * high)
    if top <= 0:  # constants
        return (1.0,)
    return tuple(np.geomspace(top, max(high, LEAST * top), n_lams).tolist())
