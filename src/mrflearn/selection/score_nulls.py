"""How large what a search compares with lambda is by chance: scores of pairs, in any graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import pair
from mrflearn._places import Places
from mrflearn._progress import Count, answered
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.null import N_ROWS, Null

__all__ = ["ScoreNulls"]

MOST_REMEMBERED = 2**24
"""Numbers of nulls that are remembered, or those of two graphs if these are more."""

Members = Sequence[Sequence[int]]
"""What a search conditions on at each node, in order."""


class ScoreNulls:
    """How large the scores of pairs are by chance, in any graph.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    rule : {"sum", "and", "or"}
        What the search compares with lambda.
    candidates : list of sequences, optional
        For each node, those about which the search may decide, in order; all, unless given.
    share : float
        The share of lambda that it compares with.
    stand_for : sequence of float, optional
        How many pairs of a node each of its candidates stands for: more than one if they are the
        most dependent of more, which by chance would exceed lambda as well.
    node : int, optional
        The node, if the search is for its neighborhood: then only its end of a pair counts.
    """

    def __init__(
        self,
        dependence: Dependence,
        rule: str = "sum",
        candidates: Sequence[Sequence[int]] | None = None,
        share: float = 1.0,
        stand_for: Sequence[float] | NDArray[np.float64] | None = None,
        node: int | None = None,
    ) -> None:
        n = dependence.n_variables
        self.dependence, self.share = dependence, share
        self.rule = rule if node is None else "node"
        self.candidates = candidates or [[j for j in range(n) if j != i] for i in range(n)]
        self.nodes: Sequence[int] = range(n) if node is None else [node]
        self._places = Places(self.candidates)
        counts = self._places.ascending if node is None else self._places.node == node
        self._first = np.flatnonzero(counts)
        self.ends = self._places.node[self._first], self._places.other[self._first]
        self.weights = np.ones(len(self._first))
        if stand_for is not None:
            each = np.asarray(stand_for, dtype=float)
            self.weights = (each[self.ends[0]] + each[self.ends[1]]) / 2
        most = MOST_REMEMBERED // (N_ROWS * max(map(len, self.candidates), default=0) + 1)
        self._rows = lru_cache(max(most, 2 * n))(self._rows_of_node)
        self._expected: dict[tuple[float, tuple[tuple[int, ...], ...]], float] = {}

    @property
    def empty(self) -> Members:
        """The conditions of a graph without edges."""
        return ((),) * self.dependence.n_variables

    @property
    def n_tested(self) -> float:
        """Number of pairs, those that others stand for included."""
        return float(self.weights.sum())

    def _rows_of_node(self, i: int, members: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the rows of a `Null` with each candidate of `i`, given the other members."""
        candidates, held = self.candidates[i], set(members)
        rows = np.zeros((N_ROWS, len(candidates)))
        outside = [at for at, j in enumerate(candidates) if j not in held]
        asked = [(outside, members)] if outside else []
        asked += [
            ([at], tuple(z for z in members if z != j))
            for at, j in enumerate(candidates)
            if j in held
        ]
        for places, given in asked:
            rows[:, places] = self.dependence.null(i, [candidates[at] for at in places], given).rows
            answered(1)
        return rows

    def of(self, conditions: Members) -> tuple[Null, Null]:
        """Return the nulls of I(i; j | N(i) without j) and of I(j; i | N(j) without i), all pairs.

        Those of a single node's neighborhood are the first alone, twice.

        Parameters
        ----------
        conditions : sequence of sequences
            What is in N(i), for each i.
        """
        rows = np.empty((N_ROWS, len(self._places)))
        for i in self.nodes:
            rows[:, self._places.of(i)] = self._rows(i, tuple(conditions[i]))
        there = self._first if self.rule == "node" else self._places.turned[self._first]
        return Null.from_rows(rows[:, self._first]), Null.from_rows(rows[:, there])

    def tails(self, conditions: Members, lam: float) -> NDArray[np.float64]:
        """Return how likely each pair is to exceed `lam` by chance.

        Both ends of a sum rise and fall together as far as the dependence says. Else they are taken
        to exceed lambda together. That is exact where both have the same conditions; of a sum it is
        the careful assumption, and so it is if both must exceed it. If one suffices, it is not
        where the conditions differ, and the two are added.
        """
        here, there = self.of(conditions)
        known = self.dependence.null_correlations(conditions) if self.rule == "sum" else None
        if known is not None:
            tails = [
                share * here.plus(there, correlation[self.ends]).tail(self.share * lam)
                for share, correlation in known
            ]
            return np.asarray(np.sum(tails, axis=0))
        alike = self._alike(conditions) if self.rule == "or" else None
        return self._tails(here, there, alike, lam)

    def _tails(
        self, here: Null, there: Null, alike: NDArray[np.bool_] | None, lam: float
    ) -> NDArray[np.float64]:
        """Return the tails of pairs whose conditions are alike: all, unless said."""
        if self.rule == "sum":
            return (here + there).tail(self.share * lam)
        tails = np.array([here.tail(self.share * lam), there.tail(self.share * lam)])
        if self.rule == "and":
            return np.asarray(tails.min(axis=0))
        together, apart = tails.max(axis=0), np.minimum(tails.sum(axis=0), 1.0)
        return together if alike is None else np.where(alike, together, apart)

    def _alike(self, conditions: Members) -> NDArray[np.bool_]:
        """Return for which pairs the conditions differ, if at all, in each other alone."""
        numbers: dict[tuple[int, ...], int] = {}
        number = np.array(
            [numbers.setdefault(tuple(members), len(numbers)) for members in conditions]
        )
        one, other = self.ends
        alike = np.asarray(number[one] == number[other])
        held = [set(members) for members in conditions]
        joined = {pair(i, j) for i, members in enumerate(conditions) for j in members}
        for i, j in joined:
            at = int(np.searchsorted(self._first, self._places.at(i, j)))
            if at < len(one) and (one[at], other[at]) == (i, j):  # else it is not tested
                alike[at] = held[i] - {j} == held[j] - {i}
        return alike

    def expected(self, conditions: Members, lam: float) -> float:
        """Return how many pairs are expected to exceed `lam` by chance."""
        asked = lam, tuple(map(tuple, conditions))
        if asked not in self._expected:
            self._expected[asked] = float((self.weights * self.tails(conditions, lam)).sum())
        return self._expected[asked]

    def expected_alone(self) -> Callable[[float], float]:
        """Return a function of lambda: how many pairs of a graph without edges exceed it.

        Beyond the tolerance, which other graphs have: smaller lambdas are not worth looking at.
        """
        with Count("Measuring chance", len(self.nodes)).shared():
            here, there = (null.shifted(self.dependence.tolerance) for null in self.of(self.empty))
        rows, groups = _distinct(np.concatenate([here.rows, there.rows]))
        together = np.bincount(groups, self.weights, minlength=rows.shape[1])
        nulls = Null.from_rows(rows[:N_ROWS]), Null.from_rows(rows[N_ROWS:])
        return lambda lam: float((together * self._tails(*nulls, None, lam)).sum())

    def largest(self) -> float:
        """Return the lambda that no pair alone exceeds."""
        begins = np.searchsorted(self.ends[0], np.arange(self.dependence.n_variables + 1))
        others = np.split(self.ends[1], begins[1:-1])
        questions = [Question(i, others[i].tolist()) for i in self.nodes]
        with Count("Comparing pairs", len(self._first)).shared():
            answers = self.dependence.cmi_batch(questions)
        best = max((float(answer.max()) for answer in answers if len(answer)), default=0.0)
        return best * (2 if self.rule == "sum" else 1) / self.share


def _distinct(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct columns, and the number of each column's own among them."""
    groups = np.zeros(rows.shape[1], dtype=np.int64)
    seen: list[NDArray[np.float64]] = []
    for row in rows:
        if not any(np.array_equal(row, other) for other in seen):
            seen.append(row)
            _, codes = np.unique(row, return_inverse=True)
            _, groups = np.unique(groups * (codes.max(initial=0) + 1) + codes, return_inverse=True)
    first = np.unique(groups, return_index=True)[1]
    return rows[:, first], groups
