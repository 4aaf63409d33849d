"""How large what a search compares with lambda is by chance: scores of pairs, in any graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import pair
from mrflearn._places import Places
from mrflearn._progress import Count, answered
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.null import N_ROWS, Null

__all__ = ["BlanketNulls", "ScoreNulls"]

FAR = 40.0
"""Deviations from the mean at which nothing is left to chance."""

MOST_REMEMBERED = 2**24
"""Numbers of nulls that are remembered, or those of two graphs if these are more."""

Members = Sequence[Sequence[int]]
"""What a search conditions on at each node, in order."""


class NodeNulls:
    """How large I(i; j | N(i) without j) is by chance, for any N(i); remembers what it was asked.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    candidates : list of sequences
        For each node, the j to know it for, in order.
    """

    def __init__(self, dependence: Dependence, candidates: Sequence[Sequence[int]]) -> None:
        self.dependence, self.candidates = dependence, candidates
        self._known: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}
        self._n_known = 0
        self._most = max(MOST_REMEMBERED, 2 * N_ROWS * sum(map(len, candidates)))

    def rows(self, i: int, neighbors: Sequence[int]) -> NDArray[np.float64]:
        """Return the rows of a `Null` with each candidate of `i`."""
        asked = i, tuple(neighbors)
        found = self._known.pop(asked, None)
        if found is None:
            found = self._ask(*asked)
            self._n_known += found.size
        self._known[asked] = found  # the last to be asked for is the last to be forgotten
        while self._n_known > self._most:
            self._n_known -= self._known.pop(next(iter(self._known))).size
        return found

    def _ask(self, i: int, members: tuple[int, ...]) -> NDArray[np.float64]:
        candidates = self.candidates[i]
        rows = np.zeros((N_ROWS, len(candidates)))
        held = set(members)
        outside = [at for at, j in enumerate(candidates) if j not in held]
        asked = [(outside, members)] if outside else []
        asked += [
            ([at], tuple(z for z in members if z != j))
            for at, j in enumerate(candidates)
            if j in held
        ]
        for places, given in asked:
            null = self.dependence.null(i, [candidates[at] for at in places], given)
            rows[:, places] = null.rows
            answered(1)
        return rows

    def n_questions(self, asked: Iterable[tuple[int, Sequence[int]]]) -> int:
        """Return how many questions it takes to know the rows of nodes with neighbors."""
        new = {(i, tuple(members)) for i, members in asked} - self._known.keys()
        n_questions = 0
        for i, members in new:
            inside = len(set(members).intersection(self.candidates[i]))
            n_questions += inside + (inside < len(self.candidates[i]))
        return n_questions


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
    """

    def __init__(
        self,
        dependence: Dependence,
        rule: str = "sum",
        candidates: Sequence[Sequence[int]] | None = None,
        share: float = 1.0,
        stand_for: Sequence[float] | None = None,
    ) -> None:
        self.dependence, self.rule, self.share = dependence, rule, share
        if candidates is None:
            every = range(dependence.n_variables)
            candidates = [[j for j in every if j != i] for i in every]
        self.candidates = candidates
        self._places = Places(candidates)
        self._first = np.flatnonzero(self._places.ascending)
        self.ends = self._places.node[self._first], self._places.other[self._first]
        self.weights: NDArray[np.float64] | float = 1.0
        if stand_for is not None:
            each = np.asarray(stand_for, dtype=float)
            self.weights = (each[self.ends[0]] + each[self.ends[1]]) / 2
        self._nodes = NodeNulls(dependence, candidates)
        self._expected: dict[tuple[float, tuple[tuple[int, ...], ...]], float] = {}

    @property
    def empty(self) -> Members:
        """The conditions of a graph without edges."""
        return ((),) * self.dependence.n_variables

    @property
    def n_tested(self) -> float:
        """Number of pairs, those that others stand for included."""
        return float((self.weights * np.ones(len(self._first))).sum())

    def of(self, conditions: Members) -> tuple[Null, Null]:
        """Return the nulls of I(i; j | N(i) without j) and of I(j; i | N(j) without i), all pairs.

        Parameters
        ----------
        conditions : sequence of sequences
            What is in N(i), for each i.
        """
        rows = np.empty((N_ROWS, len(self._places)))
        for i, members in enumerate(conditions):
            rows[:, self._places.of(i)] = self._nodes.rows(i, members)
        there = self._places.turned[self._first]
        return Null.from_rows(rows[:, self._first]), Null.from_rows(rows[:, there])

    def tails(self, conditions: Members, lam: float) -> NDArray[np.float64]:
        """Return how likely each pair is to exceed `lam` by chance.

        Both ends of a sum rise and fall together as far as the dependence says. Else they are taken
        to exceed lambda together. That is exact where both have the same conditions; of a sum it is
        the careful assumption, and so it is if both must exceed it. If one suffices, it is not
        where the conditions differ, and the two are added.
        """
        here, there = self.of(conditions)
        if self.rule == "sum":
            correlations = self._correlations(conditions)
            tails = [
                share * here.plus(there, correlation).tail(self.share * lam)
                for share, correlation in correlations
            ]
            return np.asarray(np.sum(tails, axis=0))
        alike = self._alike(conditions) if self.rule == "or" else None
        return self._tails(here, there, alike, lam)

    def _correlations(self, conditions: Members) -> list[tuple[float, NDArray[np.float64] | float]]:
        """Return how much both ends rise and fall together, for all pairs."""
        known = self.dependence.null_correlations(conditions)
        if known is None:
            return [(1.0, 1.0)]
        return [(share, correlation[self.ends]) for share, correlation in known]

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
        here, there = (null.shifted(self.dependence.tolerance) for null in self.of(self.empty))
        weights = self.weights * np.ones(len(self._first))
        rows, groups = _distinct(np.concatenate([here.rows, there.rows]))
        together = np.bincount(groups, weights, minlength=rows.shape[1])
        nulls = Null.from_rows(rows[:N_ROWS]), Null.from_rows(rows[N_ROWS:])
        return lambda lam: float((together * self._tails(*nulls, None, lam)).sum())

    def largest(self) -> float:
        """Return the lambda that no pair alone exceeds."""
        questions = [
            Question(i, [j for j in others if j > i]) for i, others in enumerate(self.candidates)
        ]
        with Count("Comparing pairs", len(self._first)).shared():
            answers = self.dependence.cmi_batch(questions)
        best = max((float(answer.max()) for answer in answers if len(answer)), default=0.0)
        return best * (2 if self.rule == "sum" else 1) / self.share

    def hopeless(self) -> float:
        """Return a lambda that no pair alone exceeds by chance."""
        here, there = self.of(self.empty)
        both = here + there if self.rule == "sum" else here
        return float((both.mean + FAR * both.deviation).max(initial=0.0)) / self.share

    def n_questions(self, graphs: Sequence[Members]) -> int:
        """Return how many questions it takes to know the nulls of some graphs."""
        return self._nodes.n_questions(row for graph in graphs for row in enumerate(graph))

    def n_questions_alone(self) -> int:
        """Return how many it takes for a graph without edges."""
        return self.n_questions([self.empty])


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


class BlanketNulls:
    """How large the dependences of one node are by chance, given any others.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    node : int
        The node.
    candidates : sequence of int
        The others about which the search may decide.
    share : float
        The share of lambda that it compares with.
    stand_for : float
        How many variables each candidate stands for; see `ScoreNulls`.
    """

    def __init__(
        self,
        dependence: Dependence,
        node: int,
        candidates: Sequence[int],
        share: float = 1.0,
        stand_for: float = 1.0,
    ) -> None:
        self.dependence, self.node, self.share = dependence, node, share
        self.candidates, self.stand_for = list(candidates), stand_for
        own = [self.candidates if i == node else [] for i in range(dependence.n_variables)]
        self._nodes = NodeNulls(dependence, own)

    @property
    def empty(self) -> Sequence[int]:
        """The conditions of a node without neighbors."""
        return ()

    @property
    def n_tested(self) -> float:
        """Number of candidates, those that others stand for included."""
        return len(self.candidates) * self.stand_for

    def expected(self, conditions: Sequence[int], lam: float) -> float:
        """Return how many candidates are expected to exceed `lam` by chance."""
        return self.stand_for * float(self._null(conditions).tail(self.share * lam).sum())

    def expected_alone(self) -> Callable[[float], float]:
        """Return a function of lambda: how many exceed it with nothing given; see `ScoreNulls`."""
        null = self._null(self.empty).shifted(self.dependence.tolerance)
        return lambda lam: self.stand_for * float(null.tail(self.share * lam).sum())

    def largest(self) -> float:
        """Return the lambda that no candidate alone exceeds."""
        found = self.dependence.cmi_many(self.node, self.candidates)
        return float(found.max(initial=0.0)) / self.share

    def hopeless(self) -> float:
        """Return a lambda that no candidate alone exceeds by chance."""
        null = self._null(self.empty)
        return float((null.mean + FAR * null.deviation).max(initial=0.0)) / self.share

    def n_questions(self, blankets: Sequence[Sequence[int]]) -> int:
        """Return how many questions it takes to know the nulls of some blankets."""
        return self._nodes.n_questions((self.node, members) for members in blankets)

    def n_questions_alone(self) -> int:
        """Return how many it takes for a node without neighbors."""
        return self.n_questions([self.empty])

    def _null(self, conditions: Sequence[int]) -> Null:
        return Null.from_rows(self._nodes.rows(self.node, conditions))
