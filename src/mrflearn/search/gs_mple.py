"""GS-MPLE: grow-shrink maximum pseudolikelihood estimation over the edge set (Algorithm 1).

The objective is J(E), the sum over i of I(X_i; rest | N(i)). Adding an edge lowers it by the
edge's score, the sum of I(i; j | N(i)) and I(j; i | N(j)); removing one raises it by the score it
has with the other end left out of either neighbourhood. An addition or removal of (i, j) changes
the scores of edges at i or j alone, and lambda decides only where growing stops. So one run down
to the smallest lambda contains the growth of every larger one as its beginning, and a fit asks for
O(D^2 + D |E|) conditional mutual informations.

Growing and shrinking start from any graph, given as the steps that led to it; `refine` lets the
search go on where Algorithm 1 ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import Pair, check_lams
from mrflearn._places import Places
from mrflearn._progress import Count, heard, unheard
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.memo import Memo
from mrflearn.graph import Step
from mrflearn.search.base import (
    FREE,
    Constraints,
    SearchResult,
    Trace,
    compare_pairs,
    neighbours_after,
)
from mrflearn.search.refine import check_refine, go_on, n_answers, refinement_for

__all__ = ["path", "run"]

LOOK_AHEAD = 32
"""Edges that may come next, whose questions are asked ahead where workers would be idle."""


def run(
    dependence: Dependence,
    lam: float,
    constraints: Constraints = FREE,
    refine: str | None = None,
) -> SearchResult:
    """Grow while the best score exceeds `lam`, then shrink while the least does not.

    That is Algorithm 1. `refine="alternate"` or `"pairs"` goes on from its graph, `"auto"` by the
    one that suits the number of variables; see `mrflearn.search.refine`.
    """
    return path(dependence, [lam], constraints, refine)[0]


def path(
    dependence: Dependence,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    refine: str | None = None,
) -> tuple[SearchResult, ...]:
    """Return what `run` gives at each lambda; all grow in one run and share their evaluations.

    On sparse graphs this costs little more than the smallest lambda alone; on dense ones, where
    most evaluations are those of shrinking, two to three times as much.
    """
    thresholds = check_lams(lams)
    check_refine(refine)
    memo = Memo.around(dependence)
    refine = refinement_for(refine, memo.n_variables)
    steps = grow(memo, min(thresholds), constraints)
    found = _shrink_all(memo, sorted(set(thresholds), reverse=True), steps, constraints)
    if refine is not None:
        found = _refine_all(memo, found, constraints, refine)
    by_lam = {result.lam: result for result in found}
    return tuple(by_lam[lam] for lam in thresholds)


def _shrink_all(
    memo: Memo, lams: Sequence[float], steps: Sequence[Step], constraints: Constraints
) -> list[SearchResult]:
    """Shrink what had grown at each lambda."""
    stops = [
        next(
            (t for t, step in enumerate(steps) if step.phase == "grow" and step.score <= lam),
            len(steps),
        )
        for lam in lams
    ]
    count = Count("Shrinking", sum(stops))  # by edges: each step of growing has added one
    found = []
    for lam, stop in zip(lams, stops, strict=True):
        with count.shared(stop, answers=2 * stop):
            found.append(shrink(memo, lam, steps[:stop], constraints))
    return found


def _refine_all(
    memo: Memo, begun: Sequence[SearchResult], constraints: Constraints, refine: str
) -> list[SearchResult]:
    """Search on from what was found at each lambda.

    That takes long for neighbourhoods that larger lambdas do not have, so these are counted.
    """
    seen: set[tuple[int, frozenset[int]]] = set()
    n_new = []
    for found in begun:
        own = set(enumerate(map(frozenset, neighbours_after(found.trace, memo.n_variables))))
        n_new.append(len(own - seen))
        seen |= own
    count = Count("Refining", sum(n_new))
    refined = []
    for found, parts in zip(begun, n_new, strict=True):
        with count.shared(parts, n_answers(memo.n_variables, refine)), unheard():
            refined.append(go_on(memo, found, constraints, refine, grow, shrink))
    return refined


def grow(
    memo: Memo,
    lam: float,
    constraints: Constraints,
    begun: Sequence[Step] = (),
    one_end_decides: bool = False,
) -> list[Step]:
    """Add the edge of the largest score, ties to the smallest pair, while it exceeds `lam`.

    Starts from the graph that the steps `begun` led to, and returns them with its own. Algorithm 1
    has the sum over both ends as the score; for `one_end_decides` see `_score`.
    """
    n_variables = memo.n_variables
    neighbours = neighbours_after(begun, n_variables)
    scores = _Scores(
        [
            {*constraints.free_of(i, n_variables), *constraints.required_of(i)} - near
            for i, near in enumerate(neighbours)
        ]
    )
    trace = Trace(begun, memo)

    def refresh(nodes: Collection[int]) -> None:
        rows = [(i, scores.outside(i)) for i in nodes]
        questions = [Question(i, others, tuple(neighbours[i])) for i, others in rows]
        answers = memo.cmi_batch(questions, likely_next(nodes))
        bounds = [
            memo.independence_bound(i, neighbours[i]) if one_end_decides else -np.inf for i in nodes
        ]
        scores.put(nodes, answers, bounds)

    def likely_next(nodes: Collection[int]) -> Iterator[Question]:
        """Yield what is asked when the best edges away from some nodes are added.

        Their scores do not change with those of the nodes: one of them is next, unless a score
        that changes is larger.
        """
        busy = set(nodes)
        for i, j in scores.best(2 * LOOK_AHEAD, lam, without=nodes):
            if busy.isdisjoint((i, j)):
                busy.update((i, j))
                for a, b in ((i, j), (j, i)):
                    rest = [k for k in scores.outside(a) if k != b]
                    yield Question(a, rest, (*neighbours[a], b))

    def add(phase: str, i: int, j: int) -> None:
        trace.add(phase, (i, j), scores.of(i, j))
        neighbours[i].add(j)
        neighbours[j].add(i)
        scores.take(i, j)
        refresh((i, j))

    def n_left() -> int:
        """Return how many edges may be added yet: at most those that score above `lam` now."""
        return scores.n_above(lam) if heard() else 0

    if not begun:
        compare_pairs(memo, [scores.outside(i) for i in range(n_variables)])
    refresh(range(n_variables))
    for i, j in sorted(constraints.required):
        if j not in neighbours[i]:
            add("required", i, j)
    count = Count("Growing", n_left())
    while True:
        i, j, score = scores.largest()
        if not score > lam:
            return trace.steps
        add("grow", i, j)
        count.advance(left=n_left())


class _Scores:
    """Scores of the pairs that may become edges.

    Parameters
    ----------
    candidates : list of sets
        For each node, those it may be joined to; both ways the same.
    """

    def __init__(self, candidates: Sequence[Collection[int]]) -> None:
        self.places = Places(candidates)
        self.is_outside = np.ones(len(self.places), dtype=bool)
        self.directed = np.full(len(self.places), -np.inf)  # I(i; j | N(i)) at the place of i, j
        self.score = np.full(len(self.places), -np.inf)
        self.bounds = np.full(len(candidates), -np.inf)

    def outside(self, i: int) -> list[int]:
        """Return the candidates of a node that it has no edge to."""
        found: list[int] = self.places.other[self._outside(i)].tolist()
        return found

    def put(
        self,
        nodes: Collection[int],
        answers: Sequence[NDArray[np.float64]],
        bounds: Sequence[float],
    ) -> None:
        """Take what some nodes share with each candidate they have no edge to.

        And the gains below which these nodes show that they are independent of a candidate.
        """
        rows = [self._outside(i) for i in nodes]
        for i, row, answer, bound in zip(nodes, rows, answers, bounds, strict=True):
            self.directed[row] = answer
            self.bounds[i] = bound
        for i, row in zip(nodes, rows, strict=True):
            back = self.places.turned[row]
            there = self.bounds[self.places.other[row]]
            score = _score(self.directed[row], self.directed[back], self.bounds[i], there)
            self.score[row] = self.score[back] = score

    def of(self, i: int, j: int) -> float:
        """Return the score of a pair."""
        return float(self.score[self.places.at(i, j)])

    def take(self, i: int, j: int) -> None:
        """Let a pair have an edge, which is scored no more."""
        for place in (self.places.at(i, j), self.places.at(j, i)):
            self.is_outside[place] = False
            self.score[place] = self.directed[place] = -np.inf

    def largest(self) -> tuple[int, int, float]:
        """Return the pair of the largest score, the smallest of equals, and its score."""
        if not len(self.score):
            return 0, 0, -np.inf
        place = int(np.argmax(self.score))
        return *self._ends(place), float(self.score[place])

    def best(
        self, n_places: int, above: float, without: Collection[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield pairs of large scores, the largest first, but none of some nodes."""
        score = self.score.copy()
        for i in without:
            own = self.places.of(i)
            score[own] = score[self.places.turned[own]] = -np.inf
        n_kept = min(n_places, len(score))
        best = np.argpartition(-score, n_kept - 1)[:n_kept] if n_kept else np.empty(0, dtype=int)
        for place in sorted(best.tolist(), key=lambda place: (-score[place], place)):
            i, j = self._ends(place)
            if score[place] > above and i < j:
                yield i, j

    def n_above(self, lam: float) -> int:
        """Return how many pairs score above `lam`."""
        return int(np.count_nonzero(self.score > lam)) // 2

    def _outside(self, i: int) -> NDArray[np.int64]:
        own = self.places.of(i)
        return own.start + np.flatnonzero(self.is_outside[own])

    def _ends(self, place: int) -> Pair:
        return int(self.places.node[place]), int(self.places.other[place])


def _score(
    here: NDArray[np.float64],
    there: NDArray[np.float64],
    bounds_here: NDArray[np.float64] | float,
    bounds_there: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return the scores of pairs: the sum over both ends, unless one end shows independence.

    An end does if its gain is below its bound. If i and j are independent given N(i), the edge is
    unnecessary, whatever a regression of j finds. Then the smaller gain counts for both ends.
    """
    denied = (here < bounds_here) | (there < bounds_there)
    return np.where(denied, 2 * np.minimum(here, there), here + there)


def shrink(
    memo: Memo,
    lam: float,
    grown: Sequence[Step],
    constraints: Constraints,
    one_end_decides: bool = False,
) -> SearchResult:
    """Remove the edge of the least score, ties to the smallest pair, while it is at most `lam`.

    Starts from the graph that the steps `grown` led to; they are the beginning of its trace.
    Algorithm 1 has the sum over both ends as the score; for `one_end_decides` see `_score`.
    """
    neighbours = neighbours_after(grown, memo.n_variables)
    directed: dict[Pair, float] = {}
    bounds: dict[Pair, float] = {}
    trace = Trace(grown, memo)

    def refresh(nodes: Collection[int]) -> None:
        arcs = [(i, j) for i in nodes for j in sorted(neighbours[i])]
        questions = [Question(i, (j,), tuple(neighbours[i] - {j})) for i, j in arcs]
        answers = memo.cmi_batch(questions, likely_next(nodes))
        for (i, j), answer in zip(arcs, answers, strict=True):
            directed[i, j] = float(answer[0])
            bounds[i, j] = (
                memo.independence_bound(i, neighbours[i] - {j}) if one_end_decides else -np.inf
            )

    def score_of(i: int, j: int) -> float:
        ends = np.array([directed[i, j], directed[j, i]])
        return float(_score(ends[:1], ends[1:], bounds[i, j], bounds[j, i])[0])

    def likely_next(nodes: Collection[int]) -> Iterator[Question]:
        """Yield what is asked when the weakest edges away from some nodes are removed."""
        weakest = sorted(
            (directed[i, j] + directed[j, i], (i, j))
            for i, j in edges - constraints.required
            if i not in nodes and j not in nodes
        )
        for least, (i, j) in weakest[:LOOK_AHEAD]:
            if least <= lam:
                for a, b in ((i, j), (j, i)):
                    near = neighbours[a] - {b}
                    yield from (Question(a, (z,), tuple(near - {z})) for z in sorted(near))

    edges: set[Pair] = set()
    refresh(range(memo.n_variables))
    edges = {(i, j) for i, near in enumerate(neighbours) for j in near if i < j}
    while True:
        score = {(i, j): score_of(i, j) for i, j in edges}
        removable = [(score[edge], edge) for edge in edges - constraints.required]
        least, edge = min(removable, default=(np.inf, (0, 0)))
        if not removable or least > lam:
            break
        i, j = edge
        trace.add("shrink", edge, least)
        edges.discard(edge)
        neighbours[i].discard(j)
        neighbours[j].discard(i)
        refresh(edge)
    ordered = tuple(sorted(edges))
    return SearchResult(
        lam=lam,
        n_variables=memo.n_variables,
        edges=ordered,
        weights=tuple(score[edge] for edge in ordered),
        trace=tuple(trace.steps),
        objective=trace.objective,
    )
