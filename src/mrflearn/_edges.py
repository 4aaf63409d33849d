"""Edges by position, lambdas, and how the two ends of an edge agree: words all methods share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mrflearn.errors import InputError, unknown

__all__ = ["RULES", "Pair", "check_lams", "check_rule", "pair", "symmetrise"]

Pair = tuple[int, int]

RULES = ("and", "or")


def pair(i: int, j: int) -> Pair:
    """Return an undirected edge with its smaller end first."""
    return (i, j) if i < j else (j, i)


def check_lams(lams: Iterable[float]) -> tuple[float, ...]:
    """Return the lambdas as floats, in the order given; infinite ones are fine."""
    if not isinstance(lams, Iterable) or isinstance(lams, (str, bytes)):
        raise InputError(f"lams must be a list of numbers, such as [0.2, 0.1], got {lams!r}")
    values = []
    for lam in lams:
        try:
            values.append(float(lam))
        except (TypeError, ValueError):
            raise InputError(f"lam must be a number, got {lam!r}") from None
        if math.isnan(values[-1]):
            raise InputError("lam must be a number, got NaN")
    if not values:
        raise InputError("a path needs at least one lambda")
    return tuple(values)


def check_rule(rule: str, known: Sequence[str] = RULES) -> None:
    """Refuse a rule that is none of the known ones."""
    if rule not in known:
        raise unknown("rule", rule, known)


def symmetrise(neighbourhoods: Sequence[Iterable[int]], rule: str) -> tuple[Pair, ...]:
    """Return the edges that both ends chose (`"and"`), or at least one did (`"or"`).

    Give it the neighbourhoods as learned: applied to something symmetric already, the two rules
    are the same.
    """
    check_rule(rule)
    arcs = {(i, j) for i, members in enumerate(neighbourhoods) for j in members}
    edges = {pair(i, j) for i, j in arcs if rule == "or" or (j, i) in arcs}
    return tuple(sorted(edges))
