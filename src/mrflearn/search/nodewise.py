"""Searches that learn one neighbourhood at a time, and how the two sides of an edge agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrflearn._edges import check_lams, check_rule, symmetrise
from mrflearn._progress import tracked, unheard
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.memo import Memo
from mrflearn.graph import Step
from mrflearn.search.base import FREE, Constraints, SearchResult, Trace, compare_pairs

__all__ = ["Blanket", "path"]


@dataclass(frozen=True)
class Blanket:
    """The neighbourhood learned for one node.

    `weights[j]` is I(node; j | the other members).
    """

    node: int
    weights: Mapping[int, float]
    trace: tuple[Step, ...]

    @property
    def members(self) -> tuple[int, ...]:
        """The neighbours, sorted."""
        return tuple(sorted(self.weights))


Blankets = Callable[..., Sequence[Blanket]]
"""`blankets(memo, node, lams, constraints, **options)`: one blanket for each lambda."""


def path(
    blankets: Blankets,
    dependence: Dependence,
    lams: Iterable[float],
    constraints: Constraints = FREE,
    rule: str = "and",
    **options: Any,
) -> tuple[SearchResult, ...]:
    """Learn every neighbourhood at every lambda and join them.

    The weight of an edge is the sum of I(i; j | rest of N(i)) over the ends that chose it. The
    objective is that of GS-MPLE, for the neighbourhoods as learned.
    """
    thresholds = check_lams(lams)
    check_rule(rule)  # now, not when all the work is done
    memo = Memo.around(dependence)
    n_variables = memo.n_variables
    compare_pairs(memo, [constraints.free_of(i, n_variables) for i in range(n_variables)])
    learned = []
    for node in tracked("Learning neighbourhoods", range(n_variables)):
        with unheard():
            learned.append(blankets(memo, node, thresholds, constraints, **options))
    return tuple(
        _join([learned[node][at] for node in range(n_variables)], lam, rule)
        for at, lam in enumerate(thresholds)
    )


def _join(blankets: Sequence[Blanket], lam: float, rule: str) -> SearchResult:
    neighbourhoods = tuple(blanket.members for blanket in blankets)
    edges = symmetrise(neighbourhoods, rule)
    trace = Trace()
    for blanket in blankets:
        trace.extend(blanket.trace)
    return SearchResult(
        lam=lam,
        n_variables=len(blankets),
        edges=edges,
        weights=tuple(
            blankets[i].weights.get(j, 0.0) + blankets[j].weights.get(i, 0.0) for i, j in edges
        ),
        trace=tuple(trace.steps),
        objective=trace.objective,
        neighbourhoods=neighbourhoods,
    )


def start(memo: Memo, node: int, constraints: Constraints) -> tuple[list[int], list[int], Trace]:
    """Return the required neighbours of a node, its other candidates, and the trace so far."""
    members: list[int] = []
    trace = Trace(dependence=memo, both_ends=False)
    for j in constraints.required_of(node):
        trace.add("required", (node, j), memo.cmi(node, j, members))
        members.append(j)
    return members, constraints.free_of(node, memo.n_variables), trace


def weigh(memo: Memo, node: int, members: Iterable[int]) -> dict[int, float]:
    """Return I(node; j | the other members) for each member j."""
    held = sorted(members)
    questions = [Question(node, (j,), tuple(m for m in held if m != j)) for j in held]
    answers = memo.cmi_batch(questions)
    return {j: float(answer[0]) for j, answer in zip(held, answers, strict=True)}
