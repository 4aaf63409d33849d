"""How GS-MPLE goes on where Algorithm 1 ends.

Growing stops when no edge outside scores above lambda. Shrinking then changes the neighbourhoods
these scores were given, so an edge outside may be worth more than lambda again, and Algorithm 1
never looks. To go on from its graph:

- `"regrow"`: grow and shrink once more.
- `"alternate"`: grow and shrink in turn until there is nothing to add or remove: no edge outside
  scores above lambda, and none inside at or below it.
- `"swap"`: as `"alternate"`, and when there is nothing to add or remove, exchange one edge for
  another that shares an end with it, and go on.

With exact conditional mutual informations every addition and removal lowers J(E) + lambda |E|, or
leaves it and removes an edge; a swap leaves the number of edges, hence lambda |E|, and lowers
J(E). So no graph comes twice, and the search ends. Estimates obey the chain rule only nearly, and
may go round in circles, or wander for as long as there are graphs. Two more things end a search,
and the graph it has then is its result:

- a graph that comes again: the first of its circle that was reached. The trace holds the circle.
- more than ten times as many steps as Algorithm 1 took, looked at after each turn. Searches that
  settled took up to four times as many with direct estimates, less than two with exact values.

A search of n steps asks for at most D (D + 2 n) conditional mutual informations; with swaps, for
at most so many times one more than the largest degree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mrflearn._edges import pair
from mrflearn.dependence.base import Memo, Question
from mrflearn.errors import unknown
from mrflearn.graph import Step
from mrflearn.search.base import Constraints, SearchResult, Trace, neighbours_after

__all__ = ["REFINEMENTS", "check_refine", "go_on", "swap"]

REFINEMENTS = ("regrow", "alternate", "swap")

ROUNDING = 1e-9
"""Nats by which a swap must gain: less than this is rounding, which must not move edges."""

PATIENCE = 10
"""Steps allowed for each step of Algorithm 1: far more only where estimates contradict each other,
as the paper's do where most of them are near lambda."""

Grow = Callable[[Memo, float, Constraints, Sequence[Step]], list[Step]]
Shrink = Callable[[Memo, float, Sequence[Step], Constraints], SearchResult]


def check_refine(refine: str | None) -> None:
    """Refuse a refinement that is none of the known ones."""
    if refine is not None and refine not in REFINEMENTS:
        raise unknown("refine", refine, (*REFINEMENTS, None))


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
    outside = [
        [k for k in constraints.free_of(i, memo.n_variables) if k not in near]
        for i, near in enumerate(neighbours)
    ]
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
