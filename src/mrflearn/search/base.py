"""What every search takes and returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mrflearn._edges import Pair, pair
from mrflearn._progress import Count
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.memo import Memo
from mrflearn.errors import InputError
from mrflearn.graph import Step

__all__ = ["FREE", "Constraints", "SearchResult", "Trace", "compare_pairs", "neighbours_after"]


@dataclass(frozen=True)
class Constraints:
    """Edges that must be there, and edges that must not. Ends are in any order.

    `among` says, for each node, which others it may have an edge to at all, in order; both ways
    the same. Without it these are all.
    """

    required: frozenset[Pair] = frozenset()
    forbidden: frozenset[Pair] = frozenset()
    among: tuple[tuple[int, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("required", "forbidden"):
            edges: Iterable[Pair] = getattr(self, name)
            object.__setattr__(self, name, frozenset(pair(i, j) for i, j in edges))
        both = self.required & self.forbidden
        if both:
            raise InputError(f"edges both required and forbidden: {sorted(both)[:8]}")

    def is_free(self, i: int, j: int) -> bool:
        """Return whether the search may decide about an edge."""
        decided = pair(i, j) in self.required or pair(i, j) in self.forbidden
        return not decided and (self.among is None or j in self.among[i])

    def required_of(self, i: int) -> list[int]:
        """Return the nodes that `i` must have an edge to, in order."""
        return sorted(self._required.get(i, ()))

    def free_of(self, i: int, n_variables: int) -> list[int]:
        """Return the nodes about whose edge to `i` the search may decide, in order."""
        decided = {i, *self._required.get(i, ()), *self._forbidden.get(i, ())}
        others = range(n_variables) if self.among is None else self.among[i]
        return [j for j in others if j not in decided]

    @cached_property
    def _required(self) -> dict[int, set[int]]:
        return _by_node(self.required)

    @cached_property
    def _forbidden(self) -> dict[int, set[int]]:
        return _by_node(self.forbidden)


def _by_node(edges: Iterable[Pair]) -> dict[int, set[int]]:
    """Return the other ends of each node's edges."""
    ends: dict[int, set[int]] = {}
    for i, j in edges:
        ends.setdefault(i, set()).add(j)
        ends.setdefault(j, set()).add(i)
    return ends


FREE = Constraints()
"""No edge required, none forbidden."""


@dataclass(frozen=True)
class SearchResult:
    """The edges a search found at one lambda, and the steps that led there.

    Attributes
    ----------
    lam : float
        The penalty.
    n_variables : int
        Number of nodes.
    edges : tuple of pairs
        Sorted, the smaller end first.
    weights : tuple of float
        Strength of each edge in the final graph, in nats. GS-MPLE: the sum over both ends of the
        conditional mutual information given the end's other neighbours. Searches node by node:
        the same sum over the ends that chose the edge, so one that a single end chose counts
        once. Chow-Liu: the mutual information.
    trace : tuple of Step
        The steps in their order.
    objective : float
        Objective of the result; 0 for the empty graph.
    neighbourhoods : tuple of tuples, or None
        For searches that work node by node: the neighbours each node chose, before the two sides
        of an edge were reconciled.
    """

    lam: float
    n_variables: int
    edges: tuple[Pair, ...]
    weights: tuple[float, ...]
    trace: tuple[Step, ...]
    objective: float
    neighbourhoods: tuple[tuple[int, ...], ...] | None = None

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """Boolean matrix of shape (n_variables, n_variables)."""
        matrix = np.zeros((self.n_variables, self.n_variables), dtype=bool)
        for i, j in self.edges:
            matrix[i, j] = matrix[j, i] = True
        return matrix

    @property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each node, in order."""
        near: list[list[int]] = [[] for _ in range(self.n_variables)]
        for i, j in self.edges:
            near[i].append(j)
            near[j].append(i)
        return tuple(tuple(sorted(own)) for own in near)


class Trace:
    """Collects steps and keeps the objective.

    Parameters
    ----------
    steps : sequence of Step
        What was done before.
    dependence : Dependence, optional
        If it has a likelihood, that is the objective. Without one, the objective is the sum of the
        scores of steps: the same for exact values, nearly the same for estimates.
    both_ends : bool
        Whether a step changes the neighbourhoods of both ends, or of the first alone.
    """

    def __init__(
        self,
        steps: Sequence[Step] = (),
        dependence: Dependence | None = None,
        both_ends: bool = True,
    ) -> None:
        self.steps = list(steps)
        self.objective = self.steps[-1].objective if self.steps else 0.0
        known = dependence is not None and dependence.has_likelihood
        self._dependence = dependence if known else None
        self._both_ends = both_ends
        self._near: dict[int, set[int]] = {}
        for step in self.steps:
            self._change(step.phase, step.edge)

    def add(self, phase: str, edge: Pair, score: float) -> None:
        """Record a step; shrinking raises the objective, all else lowers it."""
        change = score if phase == "shrink" else -score
        if self._dependence is not None:
            before = self._likelihood(edge)
            self._change(phase, edge)
            change = before - self._likelihood(edge)
        self._record(phase, edge, score, change)

    def extend(self, steps: Iterable[Step]) -> None:
        """Record the steps of another trace, which changed other neighbourhoods."""
        for step in steps:
            self._record(step.phase, step.edge, step.score, step.change)

    def _record(self, phase: str, edge: Pair, score: float, change: float) -> None:
        self.objective += change
        self.steps.append(Step(phase, edge, score, change, self.objective))

    def _change(self, phase: str, edge: Pair) -> None:
        i, j = edge
        for a, b in ((i, j), (j, i))[: 1 + self._both_ends]:
            near = self._near.setdefault(a, set())
            (near.discard if phase == "shrink" else near.add)(b)

    def _likelihood(self, edge: Pair) -> float:
        """Return the likelihood of the nodes that a step changes."""
        assert self._dependence is not None
        ends = edge[: 1 + self._both_ends]
        return sum(self._dependence.node_likelihood(a, self._near.get(a, ())) for a in ends)


def compare_pairs(memo: Memo, others: Sequence[Iterable[int]]) -> None:
    """Let a memo know I(i; j) for each j among the others of each i.

    All at once: every search begins with them, and a batch can be shared by threads.
    """
    questions = [Question(i, sorted(j for j in near if j > i)) for i, near in enumerate(others)]
    with Count("Comparing pairs", sum(len(asked.candidates) for asked in questions)).shared():
        memo.cmi_batch(questions)


def neighbours_after(steps: Iterable[Step], n_variables: int) -> list[set[int]]:
    """Return the neighbours of each node in the graph that steps over undirected edges lead to."""
    neighbours: list[set[int]] = [set() for _ in range(n_variables)]
    for step in steps:
        i, j = step.edge
        for a, b in ((i, j), (j, i)):
            (neighbours[a].discard if step.phase == "shrink" else neighbours[a].add)(b)
    return neighbours
