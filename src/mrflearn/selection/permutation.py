"""Choosing lambda by what chance would do: about as many false edges as a share of those found.

What a search compares with lambda exceeds it now and then though two variables are independent,
given their neighbours. How often is known from the null of the dependence, in closed form or by
shuffling samples that are alike in the neighbours (`shuffled_null`). Summed over all pairs this is
how many false edges to expect, if there were no others; divided by how many edges were found it
estimates the false discovery rate, in the manner of Benjamini and Hochberg (1995). It is no bound:
the null of the default takes the conditions to explain all that they should, and where they leave
some, as in strong or curved confounding, more edges are false than it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import Count, answered, heard
from mrflearn.dependence.base import Dependence, Question
from mrflearn.dependence.null import N_ROWS, Null
from mrflearn.selection.choice import Choice

__all__ = ["BlanketNulls", "ScoreNulls", "choose", "further", "lambdas"]

MOST_FALSE = 0.5
"""Edges expected by chance, for each variable, at the smallest lambda worth looking at."""

MOST_OF_PAIRS = 0.1
"""The same as a share of all pairs, which is less where variables are few."""

FEWEST_FALSE = 1e-3
"""Edges expected by chance at the largest: few enough for any share that may be asked for."""

HALF = 0.5
"""Share of edges expected by chance at which denser graphs need not be looked at."""

LEAST = 1e-4
"""Smallest lambda as a share of the largest, where hardly anything varies by chance."""

FAR = 40.0
"""Deviations from the mean at which nothing is left to chance."""

BISECTIONS = 60
"""To find a lambda to all digits."""


class NodeNulls:
    """How large I(i; j | N(i) without j) is by chance, for any N(i); remembers what it was asked.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    """

    def __init__(self, dependence: Dependence) -> None:
        self.dependence = dependence
        self._known: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}

    def rows(self, i: int, neighbours: Sequence[int]) -> NDArray[np.float64]:
        """Return the rows of a `Null` with each j as a candidate; 0 for `i` itself."""
        members = tuple(neighbours)
        if (i, members) not in self._known:
            rows = np.zeros((N_ROWS, self.dependence.n_variables))
            others = [j for j in range(self.dependence.n_variables) if j not in (i, *members)]
            asked = [(others, members)] if others else []
            asked += [([j], tuple(z for z in members if z != j)) for j in members]
            for candidates, given in asked:
                rows[:, candidates] = self.dependence.null(i, candidates, given).rows
                answered(1)
            self._known[i, members] = rows
        return self._known[i, members]

    def n_questions(self, asked: Iterable[tuple[int, NDArray[np.bool_]]]) -> int:
        """Return how many questions it takes to know the rows of nodes with neighbours."""
        new = {(i, tuple(np.flatnonzero(row).tolist())) for i, row in asked} - self._known.keys()
        most = self.dependence.n_variables - 1
        return sum(len(members) + (len(members) < most) for _, members in new)


class ScoreNulls:
    """How large the scores of pairs are by chance, in any graph.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    rule : {"sum", "and", "or"}
        What the search compares with lambda.
    free : ndarray of bool, shape (D, D), optional
        The pairs about which the search may decide; all, unless given.
    share : float
        The share of lambda that it compares with.
    """

    def __init__(
        self,
        dependence: Dependence,
        rule: str = "sum",
        free: NDArray[np.bool_] | None = None,
        share: float = 1.0,
    ) -> None:
        self.dependence, self.rule, self.share = dependence, rule, share
        one, other = np.triu_indices(dependence.n_variables, 1)
        if free is not None:
            one, other = one[free[one, other]], other[free[one, other]]
        self.ends = one, other
        self._nodes = NodeNulls(dependence)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """The conditions of a graph without edges."""
        return np.zeros((self.dependence.n_variables,) * 2, dtype=bool)

    @property
    def n_tested(self) -> int:
        """Number of pairs."""
        return len(self.ends[0])

    def of(self, conditions: NDArray[np.bool_]) -> tuple[Null, Null]:
        """Return the nulls of I(i; j | N(i) without j) and of I(j; i | N(j) without i), all pairs.

        Parameters
        ----------
        conditions : ndarray of bool, shape (D, D)
            Row i says what is in N(i).
        """
        n_variables = self.dependence.n_variables
        rows = np.empty((N_ROWS, n_variables, n_variables))
        for i in range(n_variables):
            rows[:, i] = self._nodes.rows(i, np.flatnonzero(conditions[i]).tolist())
        one, other = self.ends
        return Null.from_rows(rows[:, one, other]), Null.from_rows(rows[:, other, one])

    def tails(self, conditions: NDArray[np.bool_], lam: float) -> NDArray[np.float64]:
        """Return how likely each pair is to exceed `lam` by chance.

        Both ends are taken to exceed it together. That is exact where both have the same
        conditions; of a sum it is the careful assumption, and so it is if both must exceed it. If
        one suffices, it is not where the conditions differ, and the two are added.
        """
        here, there = self.of(conditions)
        if self.rule == "sum":
            return (here + there).tail(self.share * lam)
        tails = np.array([here.tail(self.share * lam), there.tail(self.share * lam)])
        if self.rule == "and":
            return np.asarray(tails.min(axis=0))
        one, other = self.ends
        # They differ, if at all, in something other than each other.
        n_apart = (conditions[one] != conditions[other]).sum(axis=1)
        n_apart -= conditions[one, other].astype(int) + conditions[other, one]
        return np.where(n_apart == 0, tails.max(axis=0), np.minimum(tails.sum(axis=0), 1.0))

    def expected(self, conditions: NDArray[np.bool_], lam: float) -> float:
        """Return how many pairs are expected to exceed `lam` by chance."""
        return float(self.tails(conditions, lam).sum())

    def largest(self) -> float:
        """Return the lambda that no pair alone exceeds."""
        n_variables = self.dependence.n_variables
        questions = [Question(i, range(i + 1, n_variables)) for i in range(n_variables - 1)]
        with Count("Comparing pairs", n_variables * (n_variables - 1) // 2).shared():
            answers = self.dependence.cmi_batch(questions)
        best = max(answer.max() for answer in answers)
        return float(best) * (2 if self.rule == "sum" else 1) / self.share

    def hopeless(self) -> float:
        """Return a lambda that no pair alone exceeds by chance."""
        here, there = self.of(self.empty)
        both = here + there if self.rule == "sum" else here
        return float((both.mean + FAR * both.deviation).max(initial=0.0)) / self.share

    def n_questions(self, conditions: NDArray[np.bool_]) -> int:
        """Return how many questions it takes to know the nulls of some graphs."""
        rows = (pair for graph in conditions for pair in enumerate(graph))
        return self._nodes.n_questions(rows)


class BlanketNulls:
    """How large the dependences of one node are by chance, given any others.

    Parameters
    ----------
    dependence : Dependence
        One that has a null.
    node : int
        The node.
    candidates : sequence of int
        The others about which the search may decide.
    share : float
        The share of lambda that it compares with.
    """

    def __init__(
        self, dependence: Dependence, node: int, candidates: Sequence[int], share: float = 1.0
    ) -> None:
        self.dependence, self.node, self.share = dependence, node, share
        self.candidates = list(candidates)
        self._nodes = NodeNulls(dependence)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """The conditions of a node without neighbours."""
        return np.zeros(self.dependence.n_variables, dtype=bool)

    @property
    def n_tested(self) -> int:
        """Number of candidates."""
        return len(self.candidates)

    def expected(self, conditions: NDArray[np.bool_], lam: float) -> float:
        """Return how many candidates are expected to exceed `lam` by chance."""
        return float(self._null(conditions).tail(self.share * lam).sum())

    def largest(self) -> float:
        """Return the lambda that no candidate alone exceeds."""
        found = self.dependence.cmi_many(self.node, self.candidates)
        return float(found.max(initial=0.0)) / self.share

    def hopeless(self) -> float:
        """Return a lambda that no candidate alone exceeds by chance."""
        null = self._null(self.empty)
        return float((null.mean + FAR * null.deviation).max(initial=0.0)) / self.share

    def n_questions(self, conditions: NDArray[np.bool_]) -> int:
        """Return how many questions it takes to know the nulls of some blankets."""
        return self._nodes.n_questions((self.node, row) for row in conditions)

    def _null(self, conditions: NDArray[np.bool_]) -> Null:
        rows = self._nodes.rows(self.node, np.flatnonzero(conditions).tolist())
        return Null.from_rows(rows[:, self.candidates])


def choose(
    nulls: ScoreNulls | BlanketNulls,
    lams: Sequence[float],
    conditions: NDArray[np.bool_],
    n_edges: Sequence[int],
    alpha: float,
) -> Choice:
    """Return the densest graph of whose edges no more than a share `alpha` may be false.

    As Benjamini and Hochberg do, it goes on over graphs of which more may be false to one of which
    fewer may, but not beyond one of which more than `HALF` may. Where they are right, noise has an
    edge in a share `alpha` of tables, if the far tails of nulls are exact, and in more if not. So a
    graph of R edges is asked for more, (R + 1/2) / R times: for two thirds of the share if it has a
    single edge, as noise would, and for hardly less if it has many.

    Parameters
    ----------
    nulls : ScoreNulls or BlanketNulls
        How large scores are by chance.
    lams : sequence of float
        In any order.
    conditions : ndarray of bool, shape (n_lams, D, D), or (n_lams, D) for one node
        At each lambda, row i says what the search conditions on at node i.
    n_edges : sequence of int
        How many edges it found that it was free to leave out.
    alpha : float
        Share of false edges, between 0 and 1.
    """
    shares = np.full(len(lams), np.nan)
    chosen = refused = None
    with Count("Choosing lambda", nulls.n_questions(conditions) if heard() else 0).shared():
        for position in np.argsort(-np.asarray(lams), kind="stable").tolist():
            expected = nulls.expected(conditions[position], lams[position])
            shares[position] = expected / _counted_as(n_edges[position])
            if shares[position] <= alpha:
                chosen, refused = position, None
            elif refused is None:
                refused = position
            if shares[position] > max(alpha, HALF):
                break
    return Choice(
        selection="permutation",
        position=chosen,
        criterion="expected share of false edges",
        values=tuple(shares.tolist()),
        limit=alpha,
        reason=_reason(lams, n_edges, shares, alpha, chosen, refused),
    )


def _counted_as(n_edges: int) -> float:
    """Return how many edges those found count for: 2/3, 8/5, 18/7 and so on, half an edge less."""
    found = max(n_edges, 1)
    return found**2 / (found + 0.5)


def lambdas(nulls: ScoreNulls | BlanketNulls, n_lams: int = 50) -> tuple[float, ...]:
    """Return lambdas worth looking at: from what no pair exceeds, nor would, down to mere chance.

    The smallest is where, of variables that are all independent, `MOST_FALSE` edges for each are
    expected, or `MOST_OF_PAIRS`, but not less than `LEAST` times the largest.
    """
    most = min(MOST_FALSE * nulls.dependence.n_variables, MOST_OF_PAIRS * nulls.n_tested)
    with Count("Measuring chance", nulls.n_questions(nulls.empty[None])).shared():
        hopeless = nulls.hopeless()

    def where(n_expected: float) -> float:
        low, high = 0.0, hopeless
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            more = nulls.expected(nulls.empty, middle) > n_expected
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
    shares: NDArray[np.float64],
    alpha: float,
    chosen: int | None,
    refused: int | None,
) -> str:
    if chosen is None:
        return f"in every graph more than {alpha:g} of the edges may be there by chance"
    found = n_edges[chosen]
    by_chance = shares[chosen] * _counted_as(found)
    edges = "is 1 edge" if found == 1 else f"are {found or 'no'} edges"
    sentence = (
        f"at lambda {lams[chosen]:.3g} there {edges}, and {by_chance:.2g} would be expected by "
        "chance"
    )
    if refused is None:
        return f"{sentence}; smaller lambdas were not looked at"
    by_chance = shares[refused] * _counted_as(n_edges[refused])
    allowed = alpha * _counted_as(n_edges[refused])
    of_how_many = f" of {n_edges[refused]}" if n_edges[refused] else ""
    return (
        f"{sentence}; at the next, {lams[refused]:.3g}, it would be {by_chance:.2g}{of_how_many}, "
        f"where {allowed:.2g} would be allowed"
    )
