"""How GS-MPLE goes on where Algorithm 1 ends.

Growing stops when no edge outside scores above lambda. Shrinking then changes the neighbourhoods
these scores were given, so an edge outside may be worth more than lambda again, and Algorithm 1
never looks. To go on from its graph:

- `"alternate"`: grow and shrink in turn until there is nothing to add or remove: no edge outside
  scores above lambda, and none inside at or below it.
- `"pairs"`: as `"alternate"`, and when there is nothing to add or remove, add two edges that share
  an end, or the three of a triangle, if they are worth more than lambda each on average, and go on.
  It finds what no single edge shows, as of x, y and whether they differ.

In both, one end that shows independence decides (`Dependence.independence_bound`): then an edge
scores twice the smaller gain. Of many rows regressions of one end may find what they cannot
explain, where the other end shows that there is nothing.

With exact conditional mutual informations every addition, of one edge or of several, and every
removal lowers J(E) + lambda |E|, or a removal leaves it. So no graph comes twice, and the search
ends. Estimates obey the chain
rule only nearly, and may go round in circles, or wander for as long as there are graphs. Two
more things end a search, and the graph it has then is its result:

- a graph that comes again: the first of its circle that was reached. The trace holds the circle.
- more than ten times as many steps as Algorithm 1 took, looked at after each turn. Searches that
  settled took up to four times as many with direct estimates, less than two with exact values.

A search of n steps asks for at most D (D + 2 n) conditional mutual informations; with pairs, for at
most so many times D.
Where each node has k candidates alone (`screen`), k stands for D in all but the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import Pair, pair
from mrflearn._places import Places
from mrflearn.dependence.base import Question
from mrflearn.dependence.memo import Memo
from mrflearn.errors import unknown
from mrflearn.graph import Step
from mrflearn.search.base import Constraints, SearchResult, Trace, neighbours_after

__all__ = ["REFINEMENTS", "add_several", "check_refine", "go_on", "n_answers", "refinement_for"]

REFINEMENTS = ("auto", "alternate", "pairs")

MOST_FOR_PAIRS = 50
"""Variables up to which `"auto"` tries two edges at a time: that takes up to as many times longer
as there are variables."""

ROUNDING = 1e-9
"""Nats by which a swap or several edges must gain: less is rounding, which must not move edges."""

PATIENCE = 10
"""Steps allowed for each step of Algorithm 1: far more only where estimates contradict each other,
as the paper's do where most of them are near lambda."""

Grow = Callable[[Memo, float, Constraints, Sequence[Step], bool], list[Step]]
Shrink = Callable[[Memo, float, Sequence[Step], Constraints, bool], SearchResult]


def check_refine(refine: str | None) -> None:
    """Refuse a refinement that is none of the known ones."""
    if refine is not None and refine not in REFINEMENTS:
        raise unknown("refine", refine, (*REFINEMENTS, None))


def refinement_for(refine: str | None, n_variables: int) -> str | None:
    """Return the refinement that `"auto"` stands for: pairs of edges unless the table is wide.

    Examples
    --------
    >>> refinement_for("auto", 20), refinement_for("auto", 200), refinement_for(None, 20)
    ('pairs', 'alternate', None)
    """
    if refine != "auto":
        return refine
    return "pairs" if n_variables <= MOST_FOR_PAIRS else "alternate"


def n_answers(n_variables: int, refine: str) -> int:
    """Return how many conditional mutual informations one turn takes, about; see above."""
    return n_variables**3 if refine == "pairs" else n_variables**2


def go_on(
    memo: Memo,
    found: SearchResult,
    constraints: Constraints,
    refine: str,
    grow: Grow,
    shrink: Shrink,
) -> SearchResult:
    """Search on from what Algorithm 1 found, by its own two phases and by pairs of edges.

    In these phases one end that shows independence decides.
    """

    def turn(steps: Sequence[Step]) -> SearchResult:
        grown = grow(memo, found.lam, constraints, steps, True)
        return shrink(memo, found.lam, grown, constraints, True)

    before, seen = found, {found.edges}
    while True:
        after = turn(before.trace)
        if refine == "pairs" and after.trace == before.trace:
            after = turn(add_several(memo, found.lam, before.trace, constraints))
        n_more = len(after.trace) - len(found.trace)
        if after.edges in seen or n_more > PATIENCE * len(found.trace):
            return after
        seen.add(after.edges)
        before = after


def add_several(
    memo: Memo, lam: float, begun: Sequence[Step], constraints: Constraints
) -> list[Step]:
    """Add two edges with an end in common, or three in a triangle, that gain most beyond lambda.

    What a node gains by two new neighbours is, by the chain rule, what the first tells and then the
    second; estimates differ by the order, and their mean is taken. Ties go to two edges, then to
    the smallest nodes, that of the common end first.

    Returns the steps `begun` and, unless nothing gains more than rounding, one "grow" step for each
    new edge, the smallest first. Asks for a row of candidates a node and a pair not joined.
    """
    neighbours = neighbours_after(begun, memo.n_variables)
    gains = _Gains(memo, neighbours, _outside(neighbours, constraints), lam)
    found = []
    for best in (gains.best_pair(), gains.best_triangle()):
        if best is not None and best[0] > len(best[1]) * lam + ROUNDING:
            gain, new = best
            found.append((len(new) * lam - gain, len(new), new))
    trace = Trace(begun, memo)
    for i, j in sorted(min(found)[-1]) if found else ():
        score = memo.cmi(i, j, neighbours[i]) + memo.cmi(j, i, neighbours[j])
        trace.add("grow", (i, j), score)
        neighbours[i].add(j)
        neighbours[j].add(i)
    return trace.steps


class _Gains:
    """What nodes gain by two new neighbours, I(i; j and k | N(i)), for those not joined to them.

    Memory grows with the square of how many these are, for each node. Where the dependence knows
    about how much two tell together, the others, which cannot be worth `lam` each, are not asked
    for.
    """

    def __init__(
        self, memo: Memo, neighbours: list[set[int]], outside: list[list[int]], lam: float
    ) -> None:
        self.places = Places(outside)
        self.sizes = np.diff(self.places.begin)
        self.begin = np.concatenate([[0], np.cumsum(self.sizes**2)])
        self.says = np.empty(len(self.places))
        alone = [Question(i, others, tuple(neighbours[i])) for i, others in enumerate(outside)]
        for question, answer in zip(alone, memo.cmi_batch(alone), strict=True):
            self.says[self.places.of(question.i)] = answer
        then = np.full(self.begin[-1], -np.inf)  # for j and j again there is nothing to gain
        worth = self._worth_asking(memo, outside, neighbours, lam)
        asked, places = [], []
        for i, others in enumerate(outside):
            for at, j in enumerate(others):
                row = np.flatnonzero(worth[i][at])
                if len(row):
                    after = [others[place] for place in row.tolist()]
                    asked.append(Question(i, after, (*neighbours[i], j)))
                    places.append(self.begin[i] + at * self.sizes[i] + row)
        for place, answer in zip(places, memo.cmi_batch(asked), strict=True):
            then[place] = answer
        self.both = np.empty_like(then)
        for i in range(len(outside)):
            own = slice(self.begin[i], self.begin[i + 1])
            first = self.says[self.places.of(i)][:, None] + then[own].reshape(2 * [self.sizes[i]])
            self.both[own] = (0.5 * (first + first.T)).ravel()

    def _worth_asking(
        self, memo: Memo, outside: list[list[int]], neighbours: list[set[int]], lam: float
    ) -> list[NDArray[np.bool_]]:
        """Return for each node which two of the others may be worth edges to it, or a triangle."""
        known = [memo.joint_gains(i, others, neighbours[i]) for i, others in enumerate(outside)]
        n = len(outside)
        gains = np.full((n, n, n), -np.inf) if any(own is not None for own in known) else None
        if gains is None:
            return [~np.eye(len(others), dtype=bool) for others in outside]
        for i, (others, own) in enumerate(zip(outside, known, strict=True)):
            assert own is not None
            gains[np.ix_([i], others, others)] = own
        triangles = gains + gains.transpose(1, 0, 2) + gains.transpose(1, 2, 0) > 3 * lam
        worth = []
        for i, others in enumerate(outside):
            back = self.says[self.places.turned[self.places.of(i)]]
            here = np.ix_(others, others)
            own = gains[i][here]
            both_edges = (own + (back[:, None] + back) > 2 * lam) & (own > -np.inf)
            worth.append(both_edges | triangles[i][here])
        return worth

    def best_pair(self) -> tuple[float, list[Pair]] | None:
        """Return what two edges of one node gain at most, and the two."""
        best: tuple[float, list[Pair]] | None = None
        back = self.says[self.places.turned]
        for i, size in enumerate(self.sizes.tolist()):
            own = self.places.of(i)
            gains = self.both[self.begin[i] : self.begin[i + 1]].reshape(size, size)
            gains = gains + (back[own][:, None] + back[own])
            gains[np.tril_indices(size)] = -np.inf
            at = int(np.argmax(gains)) if size > 1 else None
            if at is not None and (best is None or gains.flat[at] > best[0]):
                j, k = self.places.other[own][list(divmod(at, size))].tolist()
                best = float(gains.flat[at]), [pair(i, j), pair(i, k)]
        return best

    def best_triangle(self) -> tuple[float, list[Pair]] | None:
        """Return what three edges between three nodes gain at most, and the three."""
        best: tuple[float, list[Pair]] | None = None
        places, n_variables = self.places, len(self.sizes)
        keys = places.node.astype(np.int64) * n_variables + places.other  # ascending
        for i in range(n_variables):
            own = places.of(i)
            at = np.flatnonzero(places.other[own] > i)
            others = places.other[own][at].astype(np.int64)
            wanted = others[:, None] * n_variables + others
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            known = (keys[place] == wanted) & (others[:, None] < others)
            if not known.any():
                continue
            # Where the second and the third of a triangle have the first, and each other.
            begin, size = self.begin[others], self.sizes[others]
            first = begin + (places.turned[own][at] - places.begin[others]) * size
            third = first[:, None] + (place - places.begin[others][:, None])
            second = first + (places.turned[place] - places.begin[others])
            gains = self.both[self.begin[i] + at[:, None] * self.sizes[i] + at]
            gains = gains + self.both[np.where(known, third, 0)]
            gains = gains + self.both[np.where(known, second, 0)]
            gains[~known] = -np.inf
            j, k = divmod(int(np.argmax(gains)), len(others))
            if best is None or gains[j, k] > best[0]:
                a, b = int(others[j]), int(others[k])
                best = float(gains[j, k]), [pair(i, a), pair(i, b), pair(a, b)]
        return best


def _outside(neighbours: list[set[int]], constraints: Constraints) -> list[list[int]]:
    """Return the nodes that each may still be joined to."""
    return [
        [k for k in constraints.free_of(i, len(neighbours)) if k not in near]
        for i, near in enumerate(neighbours)
    ]
