"""Chow-Liu: the tree, or forest, of largest total mutual information (1968)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mrflearn._edges import Pair, check_lams
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.memo import Memo
from mrflearn.errors import InputError
from mrflearn.search.base import FREE, Constraints, SearchResult, Trace, compare_pairs

__all__ = ["circle_in", "direct", "path", "run"]


def run(
    dependence: Dependence, lam: float = -float("inf"), constraints: Constraints = FREE
) -> SearchResult:
    """Return the spanning tree of largest mutual information, cut to edges above `lam`.

    The objective is minus the total mutual information: up to a constant, the negative
    log-likelihood of the tree per sample.
    """
    return path(dependence, [lam], constraints)[0]


def path(
    dependence: Dependence, lams: Iterable[float], constraints: Constraints = FREE
) -> tuple[SearchResult, ...]:
    """Return what `run` gives at each lambda, for the cost of one tree."""
    thresholds = check_lams(lams)
    memo = Memo.around(dependence)
    n_variables = memo.n_variables
    closing = circle_in(constraints.required, n_variables)
    if closing is not None:
        raise InputError(
            f"the required edges form a circle at variables {closing[0]} and {closing[1]} "
            "(counting from 0): no tree holds them all"
        )
    later = [
        sorted(j for j in (*free, *constraints.required_of(i)) if j > i)
        for i, free in enumerate(constraints.free_of(i, n_variables) for i in range(n_variables))
    ]
    compare_pairs(memo, later)
    information = {
        (i, j): value
        for i, others in enumerate(later)
        for j, value in zip(others, memo.cmi_many(i, others).tolist(), strict=True)
    }
    tree = _spanning_tree(information, n_variables, constraints)
    results = []
    for lam in thresholds:
        trace = Trace()
        for edge in tree:
            if edge in constraints.required:
                trace.add("required", edge, information[edge])
            elif information[edge] > lam:
                trace.add("grow", edge, information[edge])
        edges = tuple(sorted(step.edge for step in trace.steps))
        results.append(
            SearchResult(
                lam=lam,
                n_variables=n_variables,
                edges=edges,
                weights=tuple(information[edge] for edge in edges),
                trace=tuple(trace.steps),
                objective=trace.objective,
            )
        )
    return tuple(results)


def direct(edges: Sequence[Pair], n_variables: int, root: int) -> tuple[int, ...]:
    """Return the parent of each node, -1 for roots, when edges point away from `root`.

    Parts of a forest that do not hold `root` point away from their smallest node.
    """
    neighbours: list[list[int]] = [[] for _ in range(n_variables)]
    for i, j in edges:
        neighbours[i].append(j)
        neighbours[j].append(i)
    parents = [-1] * n_variables
    seen: set[int] = set()
    for top in (root, *range(n_variables)):
        frontier = [] if top in seen else [top]
        seen.add(top)
        while frontier:
            node = frontier.pop()
            for child in neighbours[node]:
                if child not in seen:
                    seen.add(child)
                    parents[child] = node
                    frontier.append(child)
    return tuple(parents)


def _spanning_tree(
    information: dict[Pair, float], n_variables: int, constraints: Constraints
) -> list[Pair]:
    """Return the edges of the tree, required ones first, then strongest first (Kruskal)."""
    join = _joining(n_variables)
    required = sorted(constraints.required)
    allowed = (edge for edge in information if constraints.is_free(*edge))
    strongest = sorted(allowed, key=lambda edge: (-information[edge], edge))
    return [edge for edge in (*required, *strongest) if join(edge)]


def forest(edges: Iterable[Pair], n_variables: int) -> list[Pair]:
    """Return the edges that join what those before do not: one less than nodes in each part.

    Examples
    --------
    >>> forest([(0, 1), (1, 2), (0, 2)], 4)
    [(0, 1), (1, 2)]
    """
    join = _joining(n_variables)
    return [edge for edge in edges if join(edge)]


def circle_in(edges: Iterable[Pair], n_variables: int) -> Pair | None:
    """Return the first edge, in their order, that closes a circle; None if none does.

    Examples
    --------
    >>> circle_in([(0, 1), (1, 2), (0, 2)], 3)
    (1, 2)
    """
    join = _joining(n_variables)
    return next((edge for edge in sorted(edges) if not join(edge)), None)


def _joining(n_variables: int) -> Callable[[Pair], bool]:
    """Return a function that joins the ends of edges, and says of each whether they were apart."""
    component = list(range(n_variables))

    def top(node: int) -> int:
        while component[node] != node:
            component[node] = component[component[node]]
            node = component[node]
        return node

    def join(edge: Pair) -> bool:
        i, j = map(top, edge)
        component[i] = j
        return i != j

    return join
