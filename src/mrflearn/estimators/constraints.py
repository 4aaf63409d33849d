"""What a user says of edges, by name or position, as searches take it."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from mrflearn._edges import Pair, pair
from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.search import Constraints
from mrflearn.table import Table

__all__ = ["constraints_of"]


def constraints_of(table: Table, required: Any, forbidden: Any, screen: Any) -> Constraints:
    """Return the user's constraints by position, with constants kept apart from all else."""
    among = _among(table, screen)
    wanted = _pairs(table, required, "required")
    banned = _pairs(table, forbidden, "forbidden")
    for i, j in sorted(wanted & banned):
        raise InputError(
            f"the edge {table.names[i]!r} – {table.names[j]!r} is both required and forbidden: "
            "take it out of one of the two"
        )
    idle = {
        pair(int(i), j)
        for i in np.flatnonzero(table.constant)
        for j in range(table.n_variables)
        if i != j
    }
    return Constraints(frozenset(wanted), frozenset(banned | (idle - wanted)), among)


def _among(table: Table, screen: Any) -> tuple[tuple[int, ...], ...] | None:
    """Return the pairs of a screen for each variable, or None if it is not by known structure."""
    if screen is None:
        return None
    if isinstance(screen, numbers.Integral) and not isinstance(screen, bool):
        if screen < 1:
            raise InputError(
                f"screen= wants at least 1 candidate for each variable, or None for all; got "
                f"{screen}"
            )
        return None
    if isinstance(screen, Graph):
        screen = [(edge.source, edge.target) for edge in screen.edges]
    if isinstance(screen, str) or not isinstance(screen, Collection):
        raise InputError(
            "screen= wants a number of candidates for each variable, a list of pairs or a Graph; "
            f"got {screen!r}"
        )
    others: list[set[int]] = [set() for _ in range(table.n_variables)]
    for i, j in _pairs(table, screen, "screen"):
        others[i].add(j)
        others[j].add(i)
    return tuple(tuple(sorted(own)) for own in others)


def _pairs(table: Table, edges: Any, option: str) -> set[Pair]:
    if edges is not None and not isinstance(edges, Collection):  # an iterator ends with one fit
        raise InputError(f"{option}= wants a list of pairs of variables, got {edges!r}")
    found = set()
    for edge in () if edges is None else edges:
        if isinstance(edge, str) or not isinstance(edge, Iterable) or len(ends := list(edge)) != 2:
            raise InputError(
                f"{option}= wants pairs of variables, such as [('a', 'b')], got {edge!r}"
            )
        try:
            i, j = (table.index(end) for end in ends)
        except InputError as error:
            raise InputError(f"{option}=: {error}") from None
        if i == j:
            raise InputError(f"{option}=: {ends[0]!r} cannot have an edge to itself")
        found.add(pair(i, j))
    return found
