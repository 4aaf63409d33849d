"""Whether a pair depends directly: the score of an edge against what chance would make it.

The score is the sum of two conditional mutual informations of one sample: they are not independent,
and no closed form of their sum is known. Where one variable is replaced by a copy that knows only
what the neighbours of both tell about it, the sum is what it would be without the edge, whatever
the two have in common.

Both are given the neighbours of both ends. A search gives either end its own; but without the edge
to i, the other neighbours of i still tell of j, and so do copies of i that know them: scores by
chance would grow with the edge that is tested. Dependences without a closed form, those of nearest
neighbours, lose more by further conditions than that, and are asked as the search does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import Pair
from mrflearn.dependence.base import Dependence, Question, Specification
from mrflearn.dependence.null import Null
from mrflearn.selection.shuffles import shuffled_orders, smoother_of, with_copies
from mrflearn.table import Table
from mrflearn.work import Executor, Serial, do_pieces

__all__ = [
    "BYTES_A_ROW",
    "EdgeTest",
    "Examiner",
    "examine_edges",
    "p_value_among",
]

BYTES_A_ROW = 30_000
"""Memory that a worker takes to test an edge, about: most for the regression on the neighbours."""

MOST_TOGETHER = 1000
"""Columns of copies that are bound at once, labels counted: dependences by correlations compare
each with each, and 200 copies of 200 labels would take 13 GB."""

ENOUGH = 10
"""Scores by chance that must reach an observed one for it to be counted how often they do."""

ROUNDING = 1e-9
"""Scores that differ by less are the same: where no rows can be exchanged, copies are the data."""


End = tuple[int, Sequence[int]]
"""A variable, and its neighbours beside the other end."""


@dataclass(frozen=True)
class EdgeTest:
    """What the test of an edge found.

    Attributes
    ----------
    edge : tuple of int
        The smaller end first.
    score : float
        The sum of the two conditional mutual informations, in nats, given the neighbours of both
        ends; of dependences without a closed form, given those of either.
    by_chance : float
        Mean of the scores by chance: what the neighbours, or the bias of an estimate, make of it.
    p_value : float
        How likely a score as large is without the edge.
    q_value : float
        Share of false edges among those of the graph with a p-value as small (Benjamini and
        Hochberg 1995), all pairs of variables counted as tested.
    """

    edge: Pair
    score: float
    by_chance: float
    p_value: float
    q_value: float


def examine_edges(
    table: Table,
    specification: Specification,
    dependence: Dependence,
    adjacency: NDArray[np.bool_],
    n_shuffles: int = 200,
    random_state: int = 0,
    executor: Executor | None = None,
) -> tuple[EdgeTest, ...]:
    """Return the test of each edge of a graph, sorted by edge.

    The randomness of an edge depends on its ends alone, not on what else is tested.

    Parameters
    ----------
    table : Table
        The data.
    specification, dependence : Specification, Dependence
        The dependence of the table, before and after it was bound.
    adjacency : ndarray of bool, shape (D, D)
        The graph.
    n_shuffles : int
        Copies of an edge's ends; the tail is extrapolated beyond them.
    random_state : int
        Seed.
    executor : Executor, optional
        Who tests; this process, unless given.
    """
    from scipy.stats import false_discovery_control

    edges = np.argwhere(np.triu(adjacency)).tolist()
    shared = (Examiner(table, specification, dependence, n_shuffles), adjacency, random_state)
    found = do_pieces(
        _test, shared, edges, executor or Serial(), "Testing edges", _kept_as(adjacency), (3,)
    )
    n_variables = len(adjacency)
    p_values = np.ones(n_variables * (n_variables - 1) // 2)
    p_values[: len(found)] = [p_value for *_, p_value in found]
    q_values = false_discovery_control(p_values) if len(p_values) else p_values
    return tuple(
        EdgeTest((i, j), float(score), float(by_chance), float(p_value), float(q_value))
        for (i, j), (score, by_chance, p_value), q_value in zip(
            edges, found, q_values, strict=False
        )
    )


def _kept_as(adjacency: NDArray[np.bool_]) -> str:
    """Return what the tests of a graph are called in a checkpoint."""
    return f"tests of {hashlib.sha256(np.packbits(adjacency).tobytes()).hexdigest()[:16]}"


def _test(shared: Any, edge: Pair) -> NDArray[np.float64]:
    """Return the score of an edge of a graph, that of chance, and the p-value."""
    examiner, adjacency, random_state = shared
    i, j = edge
    one, other = (
        (node, [z for z in np.flatnonzero(adjacency[node]).tolist() if z != end])
        for node, end in ((i, j), (j, i))
    )
    rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(i, j)))
    return np.array(examiner.examine(one, other, rng))


@dataclass(frozen=True, eq=False)
class Examiner:
    """Tests edges of a table, one at a time.

    Attributes
    ----------
    table : Table
        The data.
    specification, dependence : Specification, Dependence
        The dependence of the table, before and after it was bound.
    n_shuffles : int
        Scores by chance for each edge.
    """

    table: Table
    specification: Specification
    dependence: Dependence
    n_shuffles: int

    def examine(self, one: End, other: End, rng: np.random.Generator) -> tuple[float, float, float]:
        """Return the score of a pair, the mean of those by chance, and the p-value."""
        (i, given_i), (j, given_j) = one, other
        if self.table.constant[[i, j]].any():  # its copies are itself
            score = self.dependence.cmi(i, j, given_i) + self.dependence.cmi(j, i, given_j)
            return score, score, 1.0
        if self.dependence.has_null:
            given_i = given_j = sorted({*given_i, *given_j})
        ends = (i, given_i), (j, given_j)
        if self.dependence.has_exact_null:
            return self._examine_in_closed_form(*ends)
        chance = self.scores_by_chance(*ends, rng)
        score, p_value = _compare(self.dependence, i, j, given_i, given_j, chance)
        return score, float(chance.mean()), p_value

    def _examine_in_closed_form(self, one: End, other: End) -> tuple[float, float, float]:
        """Return the score of a pair, its mean by chance, and the p-value of its null."""
        (i, given_i), (j, given_j) = one, other
        score = self.dependence.cmi(i, j, given_i) + self.dependence.cmi(j, i, given_j)
        null = _sum_of_nulls(self.dependence, one, other)
        return score, float(null.mean[0]), float(null.tail(score)[0])

    def scores_by_chance(
        self, one: End, other: End, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return scores of a pair as they would be without an edge.

        Half of them with copies of one end, half with copies of the other; all with those of the
        continuous one if the other is not, as these are truer.
        """
        union = sorted({*one[1], *other[1]})
        smoother = smoother_of(self.table, union)
        found = []
        for (copied, own), (kept, its), n_copies in self._shared_out(one, other, self.n_shuffles):
            orders = shuffled_orders(self.table, copied, union, n_copies, rng)
            place = {variable: at for at, variable in enumerate([kept, *union])}
            given = [place[z] for z in own], [place[z] for z in its]
            n_together = _n_together(self.table, copied)
            for begin in range(0, len(orders), n_together):
                some = orders[begin : begin + n_together]
                copies = with_copies(self.table, copied, list(place), smoother, some, rng)
                bound = self.specification.bind(copies)
                found.append(_scores(bound, range(len(place), len(place) + len(some)), *given))
        return np.concatenate(found)

    def _shared_out(self, one: End, other: End, n_copies: int) -> list[tuple[End, End, int]]:
        """Return which end to copy, which to keep, and how many of the copies to make of it."""
        ends = [(one, other), (other, one)]
        continuous = [_is_continuous(self.table, copied) for (copied, _), _ in ends]
        if any(continuous):
            ends = list(compress(ends, continuous))
        bounds = [n_copies * part // len(ends) for part in range(len(ends) + 1)]
        return [
            (*end, last - first) for end, (first, last) in zip(ends, pairwise(bounds), strict=True)
        ]


def _sum_of_nulls(dependence: Any, one: End, other: End) -> Null:
    """Return the null of the score of a pair."""
    (i, given_i), (j, given_j) = one, other
    null: Null = dependence.null(i, (j,), tuple(given_i)) + dependence.null(j, (i,), tuple(given_j))
    return null


def _scores(
    bound: Dependence, numbers: Sequence[int], own: Sequence[int], its: Sequence[int]
) -> NDArray[np.float64]:
    """Return the scores of variable 0 and each of some copies, given the neighbours of either."""
    of_other = bound.cmi_many(0, numbers, its)
    if not bound.symmetric:
        turned = bound.cmi_batch([Question(number, (0,), own) for number in numbers])
        return of_other + np.concatenate(turned)
    if set(own) == set(its):
        return 2 * of_other
    return of_other + bound.cmi_many(0, numbers, own)


def _n_together(table: Table, i: int) -> int:
    """Return how many copies of a variable to bind at once."""
    widths = (
        column.n_distinct if column.kind == "nominal" else 1 for column in table.columns_of(i)
    )
    return max(1, MOST_TOGETHER // sum(widths))


def _compare(
    dependence: Dependence,
    i: int,
    j: int,
    given_i: Sequence[int],
    given_j: Sequence[int],
    by_chance: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the score of the pair (i, j), and how likely one as large is by chance.

    Of their skewness a few hundred scores by chance say too little, as it is in their tail. So it
    is taken to be at least that of the closed form, where there is one.
    """
    score = dependence.cmi(i, j, given_i) + dependence.cmi(j, i, given_j)
    if not dependence.has_null:
        return score, p_value_among(score, by_chance)
    null = _sum_of_nulls(dependence, (i, given_i), (j, given_j))
    p_value = p_value_among(score, by_chance, float(null.skewness[0]))
    return score, p_value


def p_value_among(
    score: float, by_chance: NDArray[np.float64], least_skewness: float = 0.0
) -> float:
    """Return how likely a score of at least this is by chance.

    Where enough of those by chance reach it they are counted; else the tail of a gamma distribution
    with their moments is taken (Winkler et al. 2016), or with a larger skewness that is known.

    Examples
    --------
    >>> p_value_among(60.0, np.arange(99.0))
    0.4
    >>> by_chance = np.random.default_rng(0).normal(size=500)
    >>> 0.0005 < p_value_among(3.1, by_chance) < 0.002
    True
    """
    close = ROUNDING * max(1.0, abs(score))
    n_reached = int((by_chance >= score - close).sum())
    mean, deviation = by_chance.mean(), by_chance.std(ddof=1)
    if n_reached >= ENOUGH or deviation <= close:
        return (1 + n_reached) / (1 + len(by_chance))
    skewness = max(float(((by_chance - mean) ** 3).mean() / deviation**3), least_skewness)
    null = Null(np.array([mean]), np.array([deviation]), np.array([skewness]))
    return float(null.tail(score)[0])


def _is_continuous(table: Table, i: int) -> bool:
    return all(column.kind == "continuous" for column in table.columns_of(i))
