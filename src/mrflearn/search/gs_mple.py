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

from collections.abc import Iterable, Sequence

import numpy as np

from mrflearn._edges import Pair, check_lams
from mrflearn._progress import report, tracked
from mrflearn.dependence.base import Dependence, Memo, Question
from mrflearn.graph import Step
from mrflearn.search.base import FREE, Constraints, SearchResult, Trace, neighbours_after
from mrflearn.search.refine import check_refine, go_on

__all__ = ["path", "run"]


def run(
    dependence: Dependence,
    lam: float,
    constraints: Constraints = FREE,
    refine: str | None = None,
) -> SearchResult:
    """Grow while the best score exceeds `lam`, then shrink while the least does not.

    That is Algorithm 1. `refine="regrow"`, `"alternate"` or `"swap"` goes on from its graph; see
    `mrflearn.search.refine`.
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
    report("Growing", 0, 1)  # by how many edges is not known before
    steps = grow(memo, min(thresholds), constraints)
    report("Growing", 1, 1)
    results: dict[float, SearchResult] = {}
    for lam in tracked("Searching along lambda", sorted(set(thresholds), reverse=True)):
        stop = next(
            (t for t, step in enumerate(steps) if step.phase == "grow" and step.score <= lam),
            len(steps),
        )
        found = shrink(memo, lam, steps[:stop], constraints)
        if refine is not None:
            found = go_on(memo, found, constraints, refine, grow, shrink)
        results[lam] = found
    return tuple(results[lam] for lam in thresholds)


def grow(
    memo: Memo, lam: float, constraints: Constraints, begun: Sequence[Step] = ()
) -> list[Step]:
    """Add the edge of the largest score, ties to the smallest pair, while it exceeds `lam`.

    Starts from the graph that the steps `begun` led to, and returns them with its own.
    """
    n_variables = memo.n_variables
    neighbours = neighbours_after(begun, n_variables)
    candidates = [set(constraints.free_of(i, n_variables)) for i in range(n_variables)]
    for i in range(n_variables):
        candidates[i].update(constraints.required_of(i))
        candidates[i] -= neighbours[i]
    # directed[i, j] = I(i; j | N(i)); a pair that is no candidate has no score.
    directed = np.full((n_variables, n_variables), -np.inf)
    score = np.full((n_variables, n_variables), -np.inf)
    trace = Trace(begun)

    def refresh(nodes: Iterable[int]) -> None:
        rows = [(i, sorted(candidates[i])) for i in nodes]
        questions = [Question(i, others, tuple(neighbours[i])) for i, others in rows]
        for (i, others), answer in zip(rows, memo.cmi_batch(questions), strict=True):
            directed[i, others] = answer
        for i, others in rows:
            score[i, others] = score[others, i] = directed[i, others] + directed[others, i]

    def add(phase: str, i: int, j: int) -> None:
        trace.add(phase, (i, j), float(score[i, j]))
        for a, b in ((i, j), (j, i)):
            neighbours[a].add(b)
            candidates[a].discard(b)
            score[a, b] = directed[a, b] = -np.inf
        refresh((i, j))

    refresh(range(n_variables))
    for i, j in sorted(constraints.required):
        if j not in neighbours[i]:
            add("required", i, j)
    while True:
        i, j = divmod(int(np.argmax(score)), n_variables)  # the first of equals: the smallest pair
        if not score[i, j] > lam:
            return trace.steps
        add("grow", i, j)


def shrink(memo: Memo, lam: float, grown: Sequence[Step], constraints: Constraints) -> SearchResult:
    """Remove the edge of the least score, ties to the smallest pair, while it is at most `lam`.

    Starts from the graph that the steps `grown` led to; they are the beginning of its trace.
    """
    neighbours = neighbours_after(grown, memo.n_variables)
    directed: dict[Pair, float] = {}
    trace = Trace(grown)

    def refresh(nodes: Iterable[int]) -> None:
        arcs = [(i, j) for i in nodes for j in sorted(neighbours[i])]
        questions = [Question(i, (j,), tuple(neighbours[i] - {j})) for i, j in arcs]
        for arc, answer in zip(arcs, memo.cmi_batch(questions), strict=True):
            directed[arc] = float(answer[0])

    refresh(range(memo.n_variables))
    edges = {(i, j) for i, near in enumerate(neighbours) for j in near if i < j}
    while True:
        score = {(i, j): directed[i, j] + directed[j, i] for i, j in edges}
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
