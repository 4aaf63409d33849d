"""The test of an edge: its score against the null by which lambda is chosen.

The score is what the search compares with lambda, the sum of I(i; j | N(i)) and I(j; i | N(j)),
each end given its other neighbors in the graph. By the local Markov property both are zero without
the edge. So there is one account of chance: lambda limits how many of the pairs without an edge are
expected to exceed it, and the p-value of an edge is the probability that one of them exceeds its
score. The answers at both ends are taken to be perfectly correlated, which is exact where both ends
have the same other neighbors and conservative elsewhere (Székely and Bakirov 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mrflearn._edges import Pair
from mrflearn._progress import Count
from mrflearn.dependence.base import Dependence

__all__ = ["EdgeTest", "edge_tests", "pair_test"]

LEAST_P = float(np.finfo(float).tiny)
"""Smallest p-value, 2e-308: smaller ones have no number, and none is zero."""


@dataclass(frozen=True)
class EdgeTest:
    """The test of one edge.

    Attributes
    ----------
    edge : tuple of int
        The smaller end first.
    score : float
        The sum of the two conditional mutual informations, in nats.
    by_chance : float
        Its mean under conditional independence.
    p_value : float or None
        Probability of a score as large under conditional independence; None if an end is determined
        by its other neighbors, so that it has nothing left to share with the other end.
    q_value : float or None
        The p-value adjusted for all pairs of variables (Benjamini and Hochberg 1995).
    determined : int or None
        That end, the first of two.
    stand_ins : tuple of int
        The neighbors that determine it: they could stand in its place.
    """

    edge: Pair
    score: float
    by_chance: float
    p_value: float | None
    q_value: float | None = None
    determined: int | None = None
    stand_ins: tuple[int, ...] = ()


def edge_tests(
    dependence: Dependence, edges: Sequence[Pair], neighbors: Sequence[Sequence[int]]
) -> tuple[EdgeTest, ...]:
    """Return the test of each edge of a graph.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    edges : sequence of tuple of int
        The edges.
    neighbors : sequence of sequence of int
        The neighbors of each variable in the graph.
    """
    from scipy.stats import false_discovery_control

    count, found = Count("Testing edges", len(edges)), []
    for i, j in edges:
        given_i = [s for s in neighbors[i] if s != j]
        given_j = [s for s in neighbors[j] if s != i]
        found.append(pair_test(dependence, (i, j), given_i, given_j))
        count.advance()
    n_variables = len(neighbors)
    p_values = np.ones(max(n_variables * (n_variables - 1) // 2, len(found)))
    p_values[: len(found)] = [1.0 if test.p_value is None else test.p_value for test in found]
    q_values = false_discovery_control(p_values) if len(p_values) else p_values
    return tuple(
        test if test.p_value is None else replace(test, q_value=float(q))
        for test, q in zip(found, q_values, strict=False)
    )


def pair_test(
    dependence: Dependence, pair: Pair, given_i: Sequence[int], given_j: Sequence[int]
) -> EdgeTest:
    """Return the test of two variables, each given some others; without a q-value."""
    i, j = pair
    score = dependence.tested_cmi(i, j, given_i) + dependence.tested_cmi(j, i, given_j)
    null = dependence.null(i, (j,), given_i) + dependence.null(j, (i,), given_j)
    by_chance = float(null.mean[0])
    for end, given in ((i, given_i), (j, given_j)):
        if stand_ins := _determining(dependence, end, given):
            return EdgeTest(pair, score, by_chance, None, None, end, stand_ins)
    return EdgeTest(pair, score, by_chance, max(float(null.tail(score)[0]), LEAST_P))


def _determining(dependence: Dependence, i: int, given: Sequence[int]) -> tuple[int, ...]:
    """Return variables, none of which can be dropped, that determine another; or none."""
    if not dependence.is_determined(i, given):
        return ()
    kept = sorted(given)
    for s in sorted(given):
        fewer = [z for z in kept if z != s]
        if dependence.is_determined(i, fewer):
            kept = fewer
    return tuple(kept)
