"""Choosing lambda by the false discovery rate: how many of the edges found are false by chance.

What a search compares with lambda exceeds it now and then though two variables are independent,
given their neighbors. How often is known from the null of the dependence, in closed form or by
conditional permutation (`conditional_permutation`). Summed over all pairs this is
how many false edges to expect, if there were no others; divided by how many edges were found it
estimates the false discovery rate, in the manner of Benjamini and Hochberg (1995). Of the graphs
that this allows, the densest whose last edges are true rather than false is chosen. It is no bound:
the null of the default takes the conditions to explain all that they should, and where they leave
some, as in strong or curved confounding, more edges are false than it says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import Count
from mrflearn.selection.choice import Choice
from mrflearn.selection.score_nulls import ScoreNulls

__all__ = ["choose", "further", "lambdas"]

MOST_FALSE = 0.5
"""Edges expected by chance, for each variable, at the smallest lambda worth looking at."""

MOST_OF_PAIRS = 0.1
"""The same as a share of all pairs, which is less where variables are few."""

FEWEST_FALSE = 1e-3
"""Edges expected by chance at the largest: few enough for any share that may be asked for."""

HALF = 0.5
"""Share of edges expected by chance at which denser graphs need not be looked at."""

MORE = 2.0
"""Edges by which a graph counts as smaller. Noise then has an edge in a third to a half of a share
`alpha` of tables if the far tails of nulls are exact."""

LEAST = 1e-4
"""Smallest lambda as a share of the largest, where hardly anything varies by chance."""

WINDOW = 1e-3
"""Share of the edges expected by chance from which on the edges found say how many of the last are
true."""

LEAST_TRUE = 0.25
"""True edges that the window counts for at least. So a graph of which 0.04 edges are expected by
chance is not refused for having no new ones: search may go on from a worse graph to a better one
of as many edges."""

BISECTIONS = 60
"""To find a lambda to all digits."""


def choose(
    nulls: ScoreNulls,
    lams: Sequence[float],
    conditions: Sequence[Any],
    n_edges: Sequence[int],
    alpha: float,
) -> Choice:
    """Return the densest graph of whose edges no more than a share `alpha` may be false.

    As Benjamini and Hochberg do, it goes on over graphs of which more may be false to one of which
    fewer may, but not beyond one of which more than `HALF` may. A graph of R edges is asked for
    more, (R + `MORE`) / R times: for a third of the share if it has a single edge, as noise would,
    and for hardly less if it has many.

    Where a table shows all its edges clearly, `alpha` would leave room for false ones. So the last
    edges have to be true rather than false: the local false discovery rate (Efron 2001) is at most
    one half. It is estimated from the edges that are found while the number expected by chance
    grows to what it is from a share `WINDOW` of that.

    Parameters
    ----------
    nulls : ScoreNulls
        How large scores are by chance.
    lams : sequence of float
        In any order.
    conditions : sequence
        For each lambda, what the search conditions on at each node.
    n_edges : sequence of int
        How many edges it found that it was free to leave out.
    alpha : float
        Share of false edges, between 0 and 1.
    """
    shares, expected = (np.full(len(lams), np.nan) for _ in range(2))
    order = np.argsort(-np.asarray(lams), kind="stable").tolist()
    seen: list[int] = []
    allowed: list[int] = []
    count = Count("Choosing lambda", len(order))
    for position in order:
        expected[position] = nulls.expected(conditions[position], lams[position])
        shares[position] = expected[position] / _counted_as(n_edges[position])
        count.advance()
        seen.append(position)
        if shares[position] <= alpha:
            allowed += [position] * _last_are_true(seen, n_edges, expected)
        if shares[position] > max(alpha, HALF):
            break
    count.finish()
    chosen = allowed[-1] if allowed else None
    if chosen is not None:  # the smallest lambda with these edges: that is where the next come
        for position in seen[seen.index(chosen) :]:
            if n_edges[position] != n_edges[chosen] or shares[position] > alpha:
                break
            chosen = position
    return Choice(
        selection="fdr",
        position=chosen,
        criterion="expected share of false edges",
        values=tuple(shares.tolist()),
        limit=alpha,
        reason=_reason(lams, n_edges, expected, alpha, chosen, seen),
    )


def _last_are_true(
    seen: Sequence[int], n_edges: Sequence[int], expected: NDArray[np.float64]
) -> bool:
    """Return whether the edges found last are true rather than false: those of the last graph seen.

    False ones are `expected[last]` for each factor of e by which this number grows, and true ones
    are taken to be as many for each as in the window.
    """
    last = seen[-1]
    before = [position for position in seen if expected[position] <= WINDOW * expected[last]]
    n_before, expected_before = (n_edges[before[-1]], expected[before[-1]]) if before else (0, 0.0)
    n_new = n_edges[last] - n_before - (expected[last] - expected_before)
    return bool(expected[last] * math.log(1 / WINDOW) <= max(n_new, LEAST_TRUE))


def _counted_as(n_edges: int) -> float:
    """Return how many edges those found count for: 1/3, 1, 9/5 and so on, two edges less."""
    found = max(n_edges, 1)
    return found**2 / (found + MORE)


def lambdas(nulls: ScoreNulls, n_lams: int = 50) -> tuple[float, ...]:
    """Return lambdas worth looking at: from what no pair exceeds, nor would, down to mere chance.

    The smallest is where, of variables that are all independent, `MOST_FALSE` edges for each are
    expected, or `MOST_OF_PAIRS`, but not less than `LEAST` times the largest.
    """
    most = min(MOST_FALSE * nulls.dependence.n_variables, MOST_OF_PAIRS * nulls.n_tested)
    expected = nulls.expected_alone()

    def where(n_expected: float) -> float:
        low, high = 0.0, 1.0
        while expected(high) > n_expected:
            high *= 2
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            more = expected(middle) > n_expected
            low, high = (middle, high) if more else (low, middle)
        return high

    top = max(nulls.largest(), where(FEWEST_FALSE))
    if top <= 2.0**-BISECTIONS:  # constants
        return (1.0,)
    return tuple(np.geomspace(top, max(where(most), LEAST * top), n_lams).tolist())


def further(lams: Sequence[float], n_lams: int = 2) -> tuple[float, ...]:
    """Return smaller lambdas, in the steps of the last two.

    Examples
    --------
    >>> further([0.8, 0.4], 3)
    (0.2, 0.1, 0.05)
    """
    step = lams[-1] / lams[-2]
    return tuple(lams[-1] * step**k for k in range(1, n_lams + 1))


def _reason(
    lams: Sequence[float],
    n_edges: Sequence[int],
    expected: NDArray[np.float64],
    alpha: float,
    chosen: int | None,
    seen: Sequence[int],
) -> str:
    if chosen is None:
        return f"in every graph more than {alpha:g} of the edges may be there by chance"
    found = n_edges[chosen]
    edges = "is 1 edge" if found == 1 else f"are {found or 'no'} edges"
    sentence = (
        f"at lambda {lams[chosen]:.3g} there {edges}, and {expected[chosen]:.2g} would be expected "
        "by chance"
    )
    denser = seen[seen.index(chosen) + 1 :]
    if not denser:
        return f"{sentence}; smaller lambdas were not looked at"
    refused = denser[0]
    limit = alpha * _counted_as(n_edges[refused])
    by_chance = expected[refused]
    if by_chance <= limit:
        return f"{sentence}; further edges are more likely false than true"
    of_how_many = f" of {n_edges[refused]}" if n_edges[refused] else ""
    digits = next(d for d in range(2, 18) if f"{by_chance:.{d}g}" != f"{limit:.{d}g}" or d == 17)
    return (
        f"{sentence}; at the next lambda, {lams[refused]:.3g}, it would be {by_chance:.{digits}g}"
        f"{of_how_many}, and the limit is {limit:.{digits}g}"
    )
