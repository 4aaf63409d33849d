"""How GS-MPLE goes on where Algorithm 1 ends.

Growing stops when no edge outside scores above lambda. Shrinking then changes the neighbourhoods
these scores were given, so an edge outside may be worth more than lambda again, and Algorithm 1
never looks. To go on from its graph:

- `"regrow"`: grow and shrink once more.
- `"alternate"`: grow and shrink in turn until there is nothing to add or remove: no edge outside
  scores above lambda, and none inside at or below it.
- `"swap"`: as `"alternate"`, and when there is nothing to add or remove, exchange one edge for
  another that shares an end with it, and go on.
- `"pairs"`: as `"alternate"`, and when there is nothing to add or remove, add two edges that share
  an end, or the three of a triangle, if they are worth more than lambda each on average, and go on.
  It finds what no single edge shows, as of x, y and whether they differ.

With exact conditional mutual informations every addition, of one edge or of several, and every
removal lowers J(E) + lambda |E|, or a removal leaves it; a swap leaves the number of edges, hence
lambda |E|, and lowers J(E). So no graph comes twice, and the search ends. Estimates obey the chain
rule only nearly, and may go round in circles, or wander for as long as there are graphs. Two
more things end a search, and the graph it has then is its result:

- a graph that comes again: the first of its circle that was reached. The trace holds the circle.
- more than ten times as many steps as Algorithm 1 took, looked at after each turn. Searches that
  settled took up to four times as many with direct estimates, less than two with exact values.

A search of n steps asks for at most D (D + 2 n) conditional mutual informations; with swaps, for
at most so many times one more than the largest degree; with pairs, for at most so many times D.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import pair
from mrflearn.dependence.base import Question
from mrflearn.dependence.memo import Memo
from mrflearn.errors import unknown
from mrflearn.graph import Step
from mrflearn.search.base import Constraints, SearchResult, Trace, neighbours_after

__all__ = ["REFINEMENTS", "add_several", "check_refine", "go_on", "n_answers", "swap"]

REFINEMENTS = ("regrow", "alternate", "swap", "pairs")

ROUNDING = 1e-9
"""Nats by which a swap or several edges must gain: less is rounding, which must not move edges."""

PATIENCE = 10
"""Steps allowed for each step of Algorithm 1: far more only where estimates contradict each other,
as the paper's do where most of them are near lambda."""

Grow = Callable[[Memo, float, Constraints, Sequence[Step]], list[Step]]
Shrink = Callable[[Memo, float, Sequence[Step], Constraints], SearchResult]


def check_refine(refine: str | None) -> None:
    """Refuse a refinement that is none of the known ones."""
    if refine is not None and refine not in REFINEMENTS:
        raise unknown("refine", refine, (*REFINEMENTS, None))


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
    """Search on from what Algorithm 1 found, by its own two phases and by swaps."""

    def turn(steps: Sequence[Step]) -> SearchResult:
        return shrink(memo, found.lam, grow(memo, found.lam, constraints, steps), constraints)

    if refine == "regrow":
        return turn(found.trace)
    before, seen = found, {found.edges}
    while True:
        after = turn(before.trace)
        if refine == "swap" and after == before:
            after = turn(swap(memo, before.trace, constraints))
        if refine == "pairs" and after == before:
            after = turn(add_several(memo, found.lam, before.trace, constraints))
        n_more = len(after.trace) - len(found.trace)
        if after.edges in seen or n_more > PATIENCE * len(found.trace):
            return after
        seen.add(after.edges)
        before = after


def swap(memo: Memo, begun: Sequence[Step], constraints: Constraints) -> list[Step]:
    """Exchange the edge (i, j) for (i, k) or (j, k) where that lowers the objective most.

    The gain is the score of the new edge less that of the old one, both in the graph that has
    neither. Ties go to the smallest old edge, then to the smallest new one. An edge that shares no
    end with the old one scores the same with and without it: at most lambda, where growing has
    nothing to add, while the old one scores more. So it need not be tried.

    Returns the steps `begun` and, unless nothing gains more than rounding, two more: a "shrink"
    step, whose score exceeds lambda, and the "grow" step of the edge that comes instead. Asks for
    one row of candidates an end of an edge, of which a swap changes those at its three nodes.
    """
    neighbours = neighbours_after(begun, memo.n_variables)
    outside = _outside(neighbours, constraints)
    arcs = [
        (i, j)
        for i, near in enumerate(neighbours)
        for j in sorted(near)
        if pair(i, j) not in constraints.required
    ]
    # says[i, j][k] = I(i; k | N(i) without j): for an old edge with k = j, for a new one with k
    # outside. What k says of i is the same with and without the old edge: says[k, k][i].
    questions = {(i, j): Question(i, [*outside[i], j], tuple(neighbours[i] - {j})) for i, j in arcs}
    for k in sorted({k for i, _ in arcs for k in outside[i]}):
        questions[k, k] = Question(k, outside[k], tuple(neighbours[k]))
    says = {
        key: dict(zip(question.candidates, answer.tolist(), strict=True))
        for (key, question), answer in zip(
            questions.items(), memo.cmi_batch(list(questions.values())), strict=True
        )
    }
    swaps = []
    for i, j in arcs:
        old = says[i, j][j] + says[j, i][i]
        for k in outside[i]:
            new = says[i, j][k] + says[k, k][i]
            if new > old + ROUNDING:
                swaps.append((old - new, pair(i, j), pair(i, k), old, new))
    trace = Trace(begun)
    if swaps:
        _, old_edge, new_edge, old, new = min(swaps)
        trace.add("shrink", old_edge, old)
        trace.add("grow", new_edge, new)
    return trace.steps


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
    n_variables = memo.n_variables
    neighbours = neighbours_after(begun, n_variables)
    outside = _outside(neighbours, constraints)
    both, back = _gains_by_two(memo, neighbours, outside)
    order = np.arange(n_variables)
    ascending = order[:, None] < order
    pairs = both + (back[:, :, None] + back[:, None, :])
    pairs[:, ~ascending] = -np.inf
    triangles = (both + both.transpose(1, 0, 2)) + both.transpose(1, 2, 0)
    triangles[~(ascending[:, :, None] & ascending)] = -np.inf
    found = []
    for n_edges, gains in ((2, pairs), (3, triangles)):
        at = np.unravel_index(int(np.argmax(gains)), gains.shape)
        if gains[at] > n_edges * lam + ROUNDING:
            i, j, k = map(int, at)
            new = [pair(i, j), pair(i, k), pair(j, k)][:n_edges]
            found.append((n_edges * lam - float(gains[at]), n_edges, new))
    trace = Trace(begun)
    for i, j in sorted(min(found)[-1]) if found else ():
        score = memo.cmi(i, j, neighbours[i]) + memo.cmi(j, i, neighbours[j])
        trace.add("grow", (i, j), score)
        neighbours[i].add(j)
        neighbours[j].add(i)
    return trace.steps


def _gains_by_two(
    memo: Memo, neighbours: list[set[int]], outside: list[list[int]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return I(i; j and k | N(i)) by i, j and k, and I(j; i | N(j)) by i and j.

    Both are minus infinity for what is not outside.
    """
    n_variables = memo.n_variables
    says = np.full((n_variables, n_variables), -np.inf)
    then = np.full((n_variables, n_variables, n_variables), -np.inf)
    rows = [(i, others) for i, others in enumerate(outside) if others]
    alone = [Question(i, others, tuple(neighbours[i])) for i, others in rows]
    for question, answer in zip(alone, memo.cmi_batch(alone), strict=True):
        says[question.i, question.candidates] = answer
    given = [(i, j, [k for k in others if k != j]) for i, others in rows for j in others]
    after = [Question(i, rest, (*neighbours[i], j)) for i, j, rest in given]
    for (i, j, rest), answer in zip(given, memo.cmi_batch(after), strict=True):
        then[i, j, rest] = answer
    first = says[:, :, None] + then
    return 0.5 * (first + first.transpose(0, 2, 1)), says.T


def _outside(neighbours: list[set[int]], constraints: Constraints) -> list[list[int]]:
    """Return the nodes that each may still be joined to."""
    return [
        [k for k in constraints.free_of(i, len(neighbours)) if k not in near]
        for i, near in enumerate(neighbours)
    ]
