"""IAMB: incremental association Markov blanket (Tsamardinos, Aliferis and Statnikov 2003).

For each node, add the strongest candidate given the current set while it exceeds lambda; then
remove the weakest member given the others while it does not. Lambda decides only where growing
stops, so a path grows once.
"""

from __future__ import annotations

from collections.abc import Iterable

from mrflearn._edges import check_lams
from mrflearn._progress import Count
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.memo import Memo
from mrflearn.search import nodewise
from mrflearn.search.base import FREE, Constraints, SearchResult, Trace
from mrflearn.search.nodewise import Blanket

__all__ = ["blankets", "path", "run"]


def run(
    dependence: Dependence, lam: float, constraints: Constraints = FREE, rule: str = "or"
) -> SearchResult:
    """Learn every neighbourhood and join them."""
    return path(dependence, [lam], constraints, rule)[0]


def path(
    dependence: Dependence,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    rule: str = "or",
) -> tuple[SearchResult, ...]:
    """Return what `run` gives at each lambda; each neighbourhood grows once."""
    return nodewise.path(blankets, dependence, lams, constraints, rule)


def blankets(
    memo: Memo, node: int, lams: Iterable[float], constraints: Constraints = FREE
) -> list[Blanket]:
    """Learn the neighbourhood of one node at each lambda."""
    thresholds = check_lams(lams)
    members, candidates, trace = nodewise.start(memo, node, constraints)
    required = set(members)
    count, added = Count("Growing", len(candidates)), 0
    while candidates:
        j, score, n_above = strongest(memo, node, candidates, members, min(thresholds))
        count.advance(added, left=n_above)
        if not n_above:
            break
        trace.add("grow", (node, j), score)
        members.append(j)
        candidates.remove(j)
        added = 1
    count.finish()
    learned = {}
    for lam in set(thresholds):
        stop = next(
            (t for t, s in enumerate(trace.steps) if s.phase == "grow" and s.score <= lam),
            len(trace.steps),
        )
        learned[lam] = _shrink(
            memo, node, lam, Trace(trace.steps[:stop], memo, both_ends=False), required
        )
    return [learned[lam] for lam in thresholds]


def strongest(
    memo: Memo, node: int, candidates: list[int], members: Iterable[int], lam: float
) -> tuple[int, float, int]:
    """Return the candidate most dependent on `node` given the members; ties to the smallest.

    With it, how dependent it is, and how many candidates are by more than `lam`.
    """
    values = memo.cmi_many(node, candidates, members)
    best = int(values.argmax())
    return candidates[best], float(values[best]), int((values > lam).sum())


def _shrink(memo: Memo, node: int, lam: float, trace: Trace, required: set[int]) -> Blanket:
    members = {step.edge[1] for step in trace.steps}
    while True:
        weights = nodewise.weigh(memo, node, members)
        removable = [(weights[j], j) for j in members - required]
        if not removable or min(removable)[0] > lam:
            return Blanket(node, weights, tuple(trace.steps))
        score, j = min(removable)
        members.discard(j)
        trace.add("shrink", (node, j), score)
