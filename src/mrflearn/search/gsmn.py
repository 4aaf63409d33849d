"""GSMN: grow-shrink Markov networks (Bromberg, Margaritis and Honavar 2009).

For each node, candidates stand in the order of their unconditional dependence, strongest first.
Grow: add the first whose dependence given the current set exceeds lambda, and start over. Shrink:
remove the weakest-ranked member whose dependence given the others does not, and start over.
"""

from __future__ import annotations

from collections.abc import Iterable

from mrflearn._progress import tracked
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.memo import Memo
from mrflearn.search import nodewise
from mrflearn.search.base import FREE, Constraints, SearchResult
from mrflearn.search.nodewise import Blanket

__all__ = ["blankets", "path", "run"]


def run(
    dependence: Dependence, lam: float, constraints: Constraints = FREE, rule: str = "and"
) -> SearchResult:
    """Learn every neighbourhood and join them; the authors' rule is `"and"`."""
    return path(dependence, [lam], constraints, rule)[0]


def path(
    dependence: Dependence,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    rule: str = "and",
) -> tuple[SearchResult, ...]:
    """Return what `run` gives at each lambda; evaluations are shared."""
    return nodewise.path(blankets, dependence, lams, constraints, rule)


def blankets(
    memo: Memo, node: int, lams: Iterable[float], constraints: Constraints = FREE
) -> list[Blanket]:
    """Learn the neighbourhood of one node at each lambda."""
    return [
        _blanket(memo, node, lam, constraints)
        for lam in tracked("Searching along lambda", list(lams))
    ]


def _blanket(memo: Memo, node: int, lam: float, constraints: Constraints) -> Blanket:
    members, candidates, trace = nodewise.start(memo, node, constraints)
    required = set(members)
    strength = dict(zip(candidates, memo.cmi_many(node, candidates).tolist(), strict=True))
    order = sorted(candidates, key=lambda j: (-strength[j], j))

    growing = True
    while growing:
        growing = False
        for j in order:
            if j not in members and (score := memo.cmi(node, j, members)) > lam:
                members.append(j)
                trace.add("grow", (node, j), score)
                growing = True
                break
    shrinking = True
    while shrinking:
        shrinking = False
        for j in reversed(order):
            if j in members and j not in required:
                score = memo.cmi(node, j, [m for m in members if m != j])
                if score <= lam:
                    members.remove(j)
                    trace.add("shrink", (node, j), score)
                    shrinking = True
                    break
    return Blanket(node, nodewise.weigh(memo, node, members), tuple(trace.steps))
