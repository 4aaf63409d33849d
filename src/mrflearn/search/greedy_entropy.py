"""Greedy conditional entropy (Netrapalli and others 2010) and its forward-backward form.

For each node i, add the j that lowers H(X_i | set) most while the drop exceeds lambda / 2; lambda
is the epsilon of the paper. The drop is I(i; j | set), so any dependence serves, continuous ones
too. With `backward=True` (Jalali, Johnson and Ravikumar 2011), each addition is followed by
removals that cost at most half of what the addition at that size had gained.
"""

from __future__ import annotations

from collections.abc import Iterable

from mrflearn._edges import check_lams
from mrflearn._progress import Count
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.memo import Memo
from mrflearn.search import nodewise
from mrflearn.search.base import FREE, Constraints, SearchResult
from mrflearn.search.iamb import strongest
from mrflearn.search.nodewise import Blanket

__all__ = ["blankets", "path", "run"]

BACKWARD_SHARE = 0.5
"""Share of an addition's gain that a later removal may cost."""


def run(
    dependence: Dependence,
    lam: float,
    constraints: Constraints = FREE,
    rule: str = "or",
    backward: bool = False,
) -> SearchResult:
    """Learn every neighbourhood and join them."""
    return path(dependence, [lam], constraints, rule, backward)[0]


def path(
    dependence: Dependence,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    rule: str = "or",
    backward: bool = False,
) -> tuple[SearchResult, ...]:
    """Return what `run` gives at each lambda; each neighbourhood is grown once."""
    return nodewise.path(blankets, dependence, lams, constraints, rule, backward=backward)


def blankets(
    memo: Memo,
    node: int,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    backward: bool = False,
) -> list[Blanket]:
    """Learn the neighbourhood of one node at each lambda."""
    thresholds = [lam / 2 for lam in check_lams(lams)]
    members, free, trace = nodewise.start(memo, node, constraints)
    required = frozenset(members)
    gains: list[float] = []
    # Estimates obey the chain rule only nearly, so additions and removals might go round in
    # circles: a set that was there before ends the search.
    seen = {frozenset(members)}
    # (gain of the addition that comes next, members and trace before it)
    states = []
    count, added = Count("Growing", len(free)), 0
    while True:
        candidates = [j for j in free if j not in members]
        j, gain, n_above = -1, -float("inf"), 0
        if candidates:
            j, gain, n_above = strongest(memo, node, candidates, members, min(thresholds))
        count.advance(added, left=n_above)
        states.append((gain, tuple(members), tuple(trace.steps)))
        if not n_above:
            break
        added = 1
        members.append(j)
        gains.append(gain)
        trace.add("grow", (node, j), gain)
        while backward and gains:
            weights = nodewise.weigh(memo, node, members)
            loss, weakest = min((weights[m], m) for m in members if m not in required)
            if loss > BACKWARD_SHARE * gains[-1]:
                break
            members.remove(weakest)
            gains.pop()
            trace.add("shrink", (node, weakest), loss)
        if frozenset(members) in seen:
            states.append((-float("inf"), tuple(members), tuple(trace.steps)))
            break
        seen.add(frozenset(members))
    count.finish()
    learned = []
    for threshold in thresholds:
        _, held, steps = next(state for state in states if not state[0] > threshold)
        learned.append(Blanket(node, nodewise.weigh(memo, node, held), steps))
    return learned
