"""Choosing lambda by the false discovery rate: how many of the edges found are false by chance.

What a search compares with lambda exceeds it now and then though two variables are independent,
given their neighbours. How often is known from the null of the dependence, in closed form or by
shuffling samples that are alike in the neighbours (`shuffled_null`). Summed over all pairs this is
how many false edges to expect, if there were no others; divided by how many edges were found it
estimates the false discovery rate, in the manner of Benjamini and Hochberg (1995). Of the graphs
that this allows, the one with the largest expected F1 is chosen. It is no bound:
the null of the default takes the conditions to explain all that they should, and where they leave
some, as in strong or curved confounding, more edges are false than it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import Count, heard
from mrflearn.selection.choice import Choice
from mrflearn.selection.score_nulls import BlanketNulls, ScoreNulls

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

BISECTIONS = 60
"""To find a lambda to all digits."""


def choose(
    nulls: ScoreNulls | BlanketNulls,
    lams: Sequence[float],
    conditions: Sequence[Any],
    n_edges: Sequence[int],
    alpha: float,
) -> Choice:
    """Return the best graph of whose edges no more than a share `alpha` may be false.

    The best is the one with the largest expected F1, 2 TP / (R + P): TP is the number of edges R
    less those expected by chance, P the number of true edges, estimated by the largest TP of all
    graphs. Where a table has few rows the best is the densest that `alpha` allows; where it shows
    nearly all edges, denser graphs add false ones alone.

    As Benjamini and Hochberg do, it goes on over graphs of which more may be false to one of which
    fewer may, but not beyond one of which more than `HALF` may. A graph of R edges is asked for
    more, (R + `MORE`) / R times: for a third of the share if it has a single edge, as noise would,
    and for hardly less if it has many.

    Parameters
    ----------
    nulls : ScoreNulls or BlanketNulls
        How large scores are by chance.
    lams : sequence of float
        In any order.
    conditions : sequence
        For each lambda, what the search conditions on: at each node, or at the one.
    n_edges : sequence of int
        How many edges it found that it was free to leave out.
    alpha : float
        Share of false edges, between 0 and 1.
    """
    shares, expected = (np.full(len(lams), np.nan) for _ in range(2))
    order = np.argsort(-np.asarray(lams), kind="stable").tolist()
    with Count("Choosing lambda", nulls.n_questions(conditions) if heard() else 0).shared():
        for position in order:
            expected[position] = nulls.expected(conditions[position], lams[position])
            shares[position] = expected[position] / _counted_as(n_edges[position])
            if shares[position] > max(alpha, HALF):
                break
    seen = [position for position in order if not np.isnan(shares[position])]
    allowed = [position for position in seen if shares[position] <= alpha]
    true = np.maximum(np.asarray(n_edges) - expected, 0.0)
    n_true = np.nanmax(true, initial=0.0)
    f1 = 2 * true / np.maximum(np.asarray(n_edges) + n_true, 1e-9)
    chosen = max(reversed(allowed), key=lambda position: f1[position], default=None)
    if chosen is not None:  # the smallest lambda with as many edges: the next is where it ends
        for position in seen[seen.index(chosen) :]:
            if n_edges[position] != n_edges[chosen]:
                break
            chosen = position if position in allowed else chosen
    return Choice(
        selection="fdr",
        position=chosen,
        criterion="expected share of false edges",
        values=tuple(shares.tolist()),
        limit=alpha,
        reason=_reason(lams, n_edges, expected, alpha, chosen, seen, allowed),
    )


def _counted_as(n_edges: int) -> float:
    """Return how many edges those found count for: 1/3, 1, 9/5 and so on, two edges less."""
    found = max(n_edges, 1)
    return found**2 / (found + MORE)


def lambdas(nulls: ScoreNulls | BlanketNulls, n_lams: int = 50) -> tuple[float, ...]:
    """Return lambdas worth looking at: from what no pair exceeds, nor would, down to mere chance.

    The smallest is where, of variables that are all independent, `MOST_FALSE` edges for each are
    expected, or `MOST_OF_PAIRS`, but not less than `LEAST` times the largest.
    """
    most = min(MOST_FALSE * nulls.dependence.n_variables, MOST_OF_PAIRS * nulls.n_tested)
    with Count("Measuring chance", nulls.n_questions_alone()).shared():
        hopeless = nulls.hopeless()
    expected = nulls.expected_alone()

    def where(n_expected: float) -> float:
        low, high = 0.0, hopeless
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            more = expected(middle) > n_expected
            low, high = (middle, high) if more else (low, middle)
        return high

    top = max(nulls.largest(), where(FEWEST_FALSE))
    if top <= 0:  # constants
        return (1.0,)
    return tuple(np.geomspace(top, max(where(most), LEAST * top), n_lams).tolist())


def further(lams: Sequence[float], n_lams: int = 10) -> tuple[float, ...]:
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
    allowed: Sequence[int],
) -> str:
    if chosen is None:
        return f"in every graph more than {alpha:g} of the edges may be there by chance"
    found = n_edges[chosen]
    edges = "is 1 edge" if found == 1 else f"are {found or 'no'} edges"
    sentence = (
        f"at lambda {lams[chosen]:.3g} there {edges}, and {expected[chosen]:.2g} would be expected "
        "by chance"
    )
    if chosen != allowed[-1]:
        return f"{sentence}; denser graphs are expected to add more false edges than true ones"
    denser = seen[seen.index(chosen) + 1 :]
    if not denser:
        return f"{sentence}; smaller lambdas were not looked at"
    refused = denser[0]
    limit = alpha * _counted_as(n_edges[refused])
    by_chance = expected[refused]
    of_how_many = f" of {n_edges[refused]}" if n_edges[refused] else ""
    digits = next(d for d in range(2, 18) if f"{by_chance:.{d}g}" != f"{limit:.{d}g}" or d == 17)
    return (
        f"{sentence}; at the next lambda, {lams[refused]:.3g}, it would be {by_chance:.{digits}g}"
        f"{of_how_many}, and the limit is {limit:.{digits}g}"
    )
