"""The sieve: conditional mutual information by regressions on features, in one pass over the rows.

Each variable is a block of features (`_features`). The features of X_i and of X_j are regressed on
h(X_S), the features of the members of S and products of two of them (`_terms`). What is left of the
two blocks has canonical correlations; the gain is -1/2 sum ln(1 - r^2), the likelihood ratio of two
Gaussian regressions. All of it comes from the covariance matrix of the features and their products,
so its cost does not depend on the number of rows.

A variable may enter in several *ways*: first features on first ones, the further features beyond
those, changes of spread, and products with a member of S. Each way has degrees of freedom, and a
p-value from the chi-square distribution of its likelihood ratio. The smallest, after a weighted
Bonferroni correction for the ways that were tried, counts. It is put on the scale of one degree of
freedom: the answer is the gain, in nats, of a single coefficient that has this p-value. So lambda
means the same for every pair, whatever kinds and however many levels its ends have.

Three checks can only lower an answer:

- The variance of residuals may change with the conditions, and labels may be rare. The null
  distribution gets the mean and variance that this gives it (Satterthwaite's approximation).
- Where discrete conditions fill a table of counts well, the residuals are freed of what is left of
  the means of its cells: products of three and more members.
- Ordinal columns that are cut from a normal variable measure it with error, and conditions then
  explain too little. Where all columns are numeric, the partial correlation of the latent normal
  variables (polychoric correlations) has to be significant as well.

See docs/sieve.md for the definitions, the constants and what each is worth.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import check_memory
from mrflearn.dependence._features import (
    CHUNK,
    FEW_LEVELS,
    FeatureMap,
    most_functions,
    n_functions,
)
from mrflearn.dependence._latent import LatentCorrelations
from mrflearn.dependence._terms import Blocks, choose_terms, most_products, needs_many
from mrflearn.dependence.base import Specification, TableDependence
from mrflearn.dependence.null import Null, log_tail, one_degree_quantile
from mrflearn.dependence.statistics import SufficientStatistics
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["BoundSieve", "Sieve"]

BASES = ("smooth", "linear")

DETERMINED = 1e-7
"""Share of a feature's variance left by the conditions below which it counts as determined."""

CHOICE_ROWS = 2**13
"""Rows from which the terms of conditions are chosen, at most: what fewer do not show is far below
the tolerance."""

SHARES = {"first": 0.7, "further": 0.2, "product": 0.1}
"""Share of the significance level that each group of ways has if nothing is known of a table; the
ways of a group share alike. What `first` and `further` have together is divided anew by how many
pairs of the table enter by either."""

AS_GOOD_AS = 4.0
"""Pairs of a table that say as much about these shares as nothing known does."""

LEAST_SAID = 0.2
"""What is said before at least counts, however many pairs there are."""

SHARES_LEVEL = 0.05
"""False discovery rate of the pairs that are counted for it."""

WORTH_CHECKING = -4.0
"""Log p-value below which an answer is checked: larger ones are no edge at any lambda looked at."""

BEYOND_DOUBT = 0.05, 100.0
"""Gain in nats, and likelihood ratio for each degree of freedom, above both of which an answer is
not checked, unless there are cells: what checks of variances take away was below 0.02 nats wherever
an edge was false."""

MOST_REMEMBERED = 128
"""Regressions whose conditions are remembered."""

MOST_CHECKED = 3
"""Ways that are checked for a candidate: where three fail, the conditions are to blame, and the
others are not believed."""

VARIANCE_ROWS = 2048
"""Rows from which the variances of residuals are estimated, at most."""

TABLE_ROWS = 2**16
"""Rows that are counted in tables of discrete conditions, at most."""

SOME_ROWS = 2**14
"""The same if there are other conditions, whose regressions take time: the gain of an independent
pair is above the default tolerance in 5e-5 of such samples."""

MISFIT_ROWS = 1000
"""Rows above which products are freed of what regressions miss: with fewer that is within chance,
and the check would cost power."""

ROWS_A_CELL = 10
"""Rows that a cell of discrete conditions has on average if their table is well filled."""

MOST_IN_BLOCK = 12
"""Features of a block whose conditional covariances are estimated, at most."""

LEAST_VARIANCE = 0.02
"""Of a residual whose mean variance is 1, in any row: regressions of squares may be negative."""

BELOW = 2.0
"""Standard errors by which a node's coefficient must be below that of the tolerance, to show that
the node is independent of another."""

NEARLY_DETERMINED = 0.05
"""Share of a node's variance left by its neighbors below which it shows nothing of the kind."""

NOTHING_LEFT = 1e-3
"""Share of a variable's variance left by others below which an edge cannot be tested at it."""

IN_FACTOR = 32
"""Features that are looked at together for whether others determine them."""

LARGEST_SQUARE = 1 - 1e-12
"""Largest squared correlation: 13.8 nats."""

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sieve(Specification):
    """Conditional mutual information from regressions on features of the variables.

    Parameters
    ----------
    basis : {"smooth", "linear"}, default="smooth"
        `"smooth"`: functions of each variable whose number grows with the rows, products of two
        conditions, changes of spread, and the checks of `mrflearn.dependence.sieve`. `"linear"`:
        the normal score of a numeric column and the levels of a nominal one, nothing else; for
        continuous columns that is the closed form of a Gaussian copula.
    tolerance : float, default=5e-4
        Nats that an end may gain though the variables are independent given its neighbors, since
        no regression is exactly right. Lambda is chosen above twice this. A correlation of 0.03
        gains as much.

    References
    ----------
    Geman and Hwang (1982), Nonparametric maximum likelihood estimation by the method of sieves.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn.table import as_table
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 2))
    >>> table = as_table(np.column_stack([x, x[:, 0] ** 2 + 0.5 * rng.normal(size=500)]))
    >>> Sieve().bind(table).cmi_many(2, [0, 1]).round(1)
    array([0.7, 0. ])
    """

    basis: str = "smooth"
    tolerance: float = 5e-4

    def __post_init__(self) -> None:
        if self.basis not in BASES:
            raise unknown("basis", self.basis, BASES)
        if not 0 <= self.tolerance < math.inf:
            raise InputError(f"tolerance must be a number from 0 up, got {self.tolerance!r}")

    def bind(self, table: Table, max_memory: int | None = None) -> BoundSieve:
        """Return the dependence between the variables of `table`."""
        return BoundSieve(table, self, max_memory)


@dataclass(frozen=True, eq=False)
class _Regression:
    """The conditions of a node, ready for regressions on them.

    Attributes
    ----------
    given : tuple of int
        The variables.
    features : ndarray of int
        Their features and products, without redundant ones.
    inverse : ndarray
        Inverse of the Cholesky factor of the covariance matrix of these.
    is_test : bool
        Whether a test asks, which makes all checks; a search saves those that can decide nothing.
    """

    given: tuple[int, ...]
    features: Ints
    inverse: Floats
    is_test: bool = False
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    """What checks found about a block of features: the same for many candidates of a question."""

    @property
    def worth_checking(self) -> float:
        """Log p-value below which an answer is checked."""
        return 0.0 if self.is_test else WORTH_CHECKING


@dataclass(frozen=True, eq=False)
class _Way:
    """How some candidates enter: the same for all of them.

    Attributes
    ----------
    group : {"first", "further", "product"}
        Whose share of the level it has.
    response : ndarray of int, shape (r,)
        Features of the node, or of the candidate.
    predictors : ndarray of int, shape (n_candidates, p)
        Features of each candidate.
    beyond : ndarray of int, shape (n_candidates, k)
        Features of each candidate, or of the node, that are conditions as well.
    statistic, degrees : ndarray of shape (n_candidates,)
        Likelihood ratios, and their degrees of freedom.
    """

    group: str
    response: Ints
    predictors: Ints
    beyond: Ints
    statistic: Floats
    degrees: Floats


@dataclass(frozen=True, eq=False)
class _Cells:
    """The table of some discrete conditions.

    Attributes
    ----------
    cell : ndarray of int
        The cell of each row that is counted.
    counts : ndarray of int
        The rows of each cell.
    are_all : bool
        Whether there are no other conditions.
    """

    cell: Ints
    counts: Ints
    are_all: bool

    @property
    def n_filled(self) -> int:
        """How many cells have rows."""
        return int(np.count_nonzero(self.counts))

    def centered(self, columns: Floats) -> Floats:
        """Return columns less the means of their cells."""
        counts = np.maximum(self.counts, 1)
        means = [np.bincount(self.cell, own, len(counts)) / counts for own in columns.T]
        return np.asarray(columns - np.array(means).T[self.cell])


class BoundSieve(TableDependence):
    """The regressions of a table.

    Attributes
    ----------
    features : FeatureMap
        What the columns are turned into.
    statistics : SufficientStatistics
        The sums over rows that all answers come from.
    """

    symmetric = False
    has_null = True
    has_likelihood = True
    saves_checks = True
    grain = 2**31
    """Candidates worth a thread: an answer is many short steps, which wait for each other."""

    def __init__(self, table: Table, sieve: Sieve, max_memory: int | None = None) -> None:
        super().__init__(table)
        self.sieve = sieve
        self.tolerance = sieve.tolerance
        self.smooth = sieve.basis == "smooth"
        self.n_samples = table.n_samples
        self._number(FeatureMap.fit(table, n_functions(table.n_samples) if self.smooth else 1))
        self._check_memory(max_memory)
        self._regressions: dict[tuple[int, ...], _Regression] = {}
        self._joint: dict[tuple[Any, ...], Floats] = {}
        self._held = np.empty(0, dtype=np.intp), np.empty(0), np.empty(0)
        if self.smooth and self.features.n_features:
            self._choose_functions()
            self._check_memory(max_memory)
        self.entering = self.first
        self.products: dict[tuple[int, int], tuple[Ints, Ints, Ints]] = {}
        self._left = self._right = np.empty(0, dtype=np.intp)
        if self.smooth and self.features.n_features:
            self._choose_terms()
        self.statistics = SufficientStatistics.of_chunks(self._chunks())
        self.covariance, self.scale = _unit(self.statistics.covariance, self.features.n_features)

    def _number(self, features: FeatureMap) -> None:
        """Take these features, and know which belong to each variable."""
        self.features = features
        starts, first, low = features.starts, features.n_first, features.n_low
        variables, kinds = range(self.n_variables), self.table.kinds
        self.first = [np.arange(starts[i], starts[i] + first[i]) for i in variables]
        self.low = [np.arange(starts[i], starts[i] + low[i]) for i in variables]
        self.all = [np.arange(starts[i], starts[i + 1]) for i in variables]
        self.numeric = [
            kinds[i] != "nominal" and len(self.all[i]) > 1 and len(self.first[i]) == 1
            for i in variables
        ]
        self.ordinal = [kind == "ordinal" for kind in kinds]
        self.continuous = [
            numeric and not ordinal
            for numeric, ordinal in zip(self.numeric, self.ordinal, strict=True)
        ]
        self._blocks = Blocks(self.first, self.low, self.all, self.numeric)

    def _check_memory(self, max_memory: int | None) -> None:
        """Refuse a bound on memory that the covariance matrix of features would exceed."""
        n_features, held = self.features.n_features, [CHUNK]
        if self.smooth:
            n_features += most_products(self._blocks)
            held += [VARIANCE_ROWS, SOME_ROWS, SOME_ROWS, CHOICE_ROWS]
        n_rows = sum(min(rows, self.n_samples) for rows in held)
        needed = 8 * (3 * n_features**2 + n_rows * n_features)
        check_memory(needed, max_memory, f"a covariance matrix of {n_features} features")

    def _choose_functions(self) -> None:
        """Give many functions to variables on which others depend by more than a few."""
        n_most = most_functions(self.n_samples)
        if n_most <= n_functions(self.n_samples):
            return
        rows = self._rows[self._evenly(CHOICE_ROWS)]
        needed = needs_many(
            self.features.features(self.table, rows),
            self._blocks,
            lambda i: self.features.functions(self.table, i, n_most, rows),
        )
        if needed:
            self._number(self.features.with_functions(self.table, needed, n_most))

    def _choose_terms(self) -> None:
        """Choose what enters conditions, from some rows, and number the products."""
        terms = choose_terms(self._features_of(CHOICE_ROWS), self._blocks)
        self.entering = [
            every if curved else first
            for every, first, curved in zip(self.all, self.first, terms.curved, strict=True)
        ]
        begin, left, right = self.features.n_features, [], []
        for (s, t), (n_first, one, other) in terms.products.items():
            own = np.arange(begin, begin + len(one))
            low = np.isin(one, self.low[s]) & np.isin(other, self.low[t])
            if not (self.continuous[s] and self.continuous[t]):
                low[n_first:] = False
            self.products[s, t] = own[:n_first], own[low], own
            left.append(one)
            right.append(other)
            begin += len(one)
        if left:
            self._left, self._right = np.concatenate(left), np.concatenate(right)

    # The pass over the rows

    def _chunks(self) -> Iterator[Floats]:
        """Yield features and products of all rows, a chunk at a time."""
        for begin in range(0, self.n_samples, CHUNK):
            yield self._with_products(
                self.features.features(self.table, slice(begin, begin + CHUNK))
            )

    def _with_products(self, features: Floats) -> Floats:
        if not len(self._left):
            return features
        return np.hstack([features, features[:, self._left] * features[:, self._right]])

    # Conditions

    def _regression(self, given: tuple[int, ...]) -> _Regression:
        """Return the conditions of nodes, the same whatever the order of `given`."""
        known = self._regressions.get(given)
        if known is None:
            if len(self._regressions) >= MOST_REMEMBERED:
                self._regressions = {}  # a new one: another thread may look into the old
            known = self._factored(given, self.conditions(given))
            self._regressions[given] = known
        return known

    def conditions(self, given: Sequence[int]) -> Ints:
        """Return the features and products that stand for `given` in every regression.

        Those of a larger set contain those of a smaller one.
        """
        parts = [self.entering[s] for s in given]
        for s, t in itertools.combinations(given, 2):
            parts.append(self._products_with(s, t)[2])
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)

    def _factored(self, given: tuple[int, ...], features: Ints) -> _Regression:
        """Return conditions without redundant ones, and the factor of their covariance."""
        from scipy.linalg import solve_triangular

        kept, factor = _independent(self.covariance, features)
        inverse = solve_triangular(factor, np.eye(len(kept)), lower=True, check_finite=False)
        return _Regression(given, kept, np.asarray(inverse))

    # Answers

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        if not given:  # symmetric, to the last bit
            return np.array([self._pair(min(i, j), max(i, j)) for j in candidates])
        return self._answers(i, candidates, given)

    def _pair(self, i: int, j: int) -> float:
        """Return the answer for two variables alone; those of a whole row are found at once."""
        if (i, j) not in self._pairs:
            others = tuple(k for k in range(i + 1, self.n_variables) if not self.table.constant[k])
            values = self._answers(i, others, ())
            self._pairs.update({(i, k): float(v) for k, v in zip(others, values, strict=True)})
        return self._pairs[i, j]

    @cached_property
    def shares(self) -> dict[str, float]:
        """Share of the level of each group of ways, by how pairs of the table enter alone."""
        first, further = [np.empty(0)], [np.empty(0)]
        varying = [i for i in range(self.n_variables) if len(self.first[i])]
        for at, i in enumerate(varying if self.smooth else []):
            regression = self._regression(())
            for candidates in self._by_shape(varying[at + 1 :], ()).values():
                ways = list(self._ways(i, [varying[at + 1 + k] for k in candidates], regression))
                log_p = np.array([log_tail(way.degrees / 2, way.statistic / 2) for way in ways])
                if len(ways) > 1:
                    first.append(log_p[0])
                    further.append(log_p[1:].min(axis=0) + math.log(len(ways) - 1))
        return _divided(np.concatenate(first), np.concatenate(further))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], float]:
        return {}

    def tested_cmi(self, i: int, j: int, given: Iterable[int]) -> float:
        """Return I(i; j | given) with all checks, which a search saves where p is above 0.018."""
        node, (other,), known = self._checked(i, (j,), given)
        known = tuple(s for s in known if not self.table.constant[s])
        if self.table.constant[[node, other]].any():
            return 0.0
        return float(self._answers(node, (other,), known, is_test=True)[0])

    def _answers(
        self,
        i: int,
        candidates: tuple[int, ...],
        given: tuple[int, ...],
        is_test: bool = False,
    ) -> NDArray[np.float64]:
        """Return the gain of each candidate on the scale of one degree of freedom."""
        known = self._regression(given)
        exact = {("exact",): self._is_exact(known)}
        # Without conditions a block has the same tails in all questions.
        regression = replace(known, is_test=is_test, known=exact if given else known.known)
        found = np.zeros(len(candidates))
        for places in self._by_shape(candidates, given).values():
            some = [candidates[at] for at in places]
            found[places] = self._alike(i, some, regression)
        return found

    def _by_shape(
        self, candidates: Sequence[int], given: tuple[int, ...]
    ) -> dict[tuple[int, ...], list[int]]:
        """Return the positions of candidates that have as many features and products each."""
        shapes: dict[tuple[int, ...], list[int]] = {}
        for at, j in enumerate(candidates):
            sizes = len(self.first[j]), len(self.low[j]), len(self.all[j])
            counts = tuple(len(part) for s in given for part in self._products_with(j, s)[:2])
            shapes.setdefault((*sizes, *counts, self.ordinal[j]), []).append(at)
        return shapes

    def _products_with(self, j: int, s: int) -> tuple[Ints, Ints, Ints]:
        """Return the products of first features of j and s, of low ones, and all of them."""
        none = np.empty(0, dtype=np.intp)
        return self.products.get((min(j, s), max(j, s)), (none, none, none))

    def _alike(self, i: int, candidates: list[int], regression: _Regression) -> Floats:
        """Return the gains of candidates that have as many features and products each."""
        left = self._rows_left(i, candidates, regression)
        if not (left > 1).all() or not len(self.first[i]) or not len(self.first[candidates[0]]):
            return np.zeros(len(candidates))
        ways = list(self._ways(i, candidates, regression))
        if not self.smooth:
            (only,) = ways
            log_p = log_tail(only.degrees / 2, only.statistic / 2)
            scaled = one_degree_quantile(log_p)
            # One degree of freedom is the scale already.
            return np.where(only.degrees == 1, only.statistic, scaled) / (2 * left)
        corrections = _corrections([way.group for way in ways], self.shares)
        log_p = np.array([log_tail(way.degrees / 2, way.statistic / 2) for way in ways])
        log_p = np.minimum(log_p - corrections[:, None], 0.0)
        gain, ratio = BEYOND_DOUBT
        if self._cells_of(regression) is not None:
            gain = np.inf
        doubtless = np.array(
            [
                way.statistic > np.maximum(2 * left * gain, ratio * np.maximum(way.degrees, 1.0))
                for way in ways
            ]
        )
        for at, j in enumerate(candidates):
            checked: set[int] = set()
            while True:
                best = int(np.argmin(log_p[:, at]))
                if (
                    log_p[best, at] > regression.worth_checking
                    or best in checked
                    or doubtless[best, at]
                ):
                    break
                if len(checked) == MOST_CHECKED:
                    log_p[[way for way in range(len(ways)) if way not in checked], at] = 0.0
                    break
                found = self._checked_log_p(i, j, ways[best], at, regression)
                log_p[best, at] = max(log_p[best, at], min(found - corrections[best], 0.0))
                checked.add(best)
        return one_degree_quantile(log_p.min(axis=0)) / (2 * left)

    def _rows_left(self, i: int, candidates: Sequence[int], regression: _Regression) -> Floats:
        """Return the rows left for the first way, less the correction of Bartlett (1938)."""
        sides = len(self.first[i]) + np.array([len(self.first[j]) for j in candidates])
        left = self.n_samples - 1 - len(regression.features) - (sides + 1) / 2
        return np.asarray(self._rows_behind(regression) * left, dtype=float)

    def _ways(self, i: int, candidates: list[int], regression: _Regression) -> Iterator[_Way]:
        """Yield how candidates may enter, with the statistics of each."""
        first, low, every = (
            np.array([of[j] for j in candidates]) for of in (self.first, self.low, self.all)
        )
        n_first, n_low = first.shape[1], low.shape[1]
        none = first[:, :0]
        own_first, own_second = self.first[i], self.low[i][len(self.first[i]) :]
        own_further = self.all[i][len(self.first[i]) :]

        def way(group: str, response: Ints, predictors: Ints, beyond: Ints) -> _Way:
            statistic, degrees, _ = self._likelihood_ratio(regression, response, predictors, beyond)
            return _Way(group, response, predictors, beyond, statistic, degrees)

        yield way("first", own_first, first, none)
        if not self.smooth:
            return
        if every.shape[1] > n_first:
            yield way("further", own_first, every[:, n_first:], first)
        if len(own_further):
            beyond = np.broadcast_to(own_first, (len(candidates), len(own_first)))
            yield way("further", own_further, first, beyond)
        # Answers on ordinal scales differ in how extreme people are: no dependence of two items.
        spread = not (self.ordinal[i] and self.ordinal[candidates[0]])
        if spread and len(own_second):
            yield way("further", own_second, low, none)
        if spread and n_low > n_first:
            yield way("further", self.low[i], low[:, n_first:], none)
        for s in regression.given:
            both = [self._products_with(j, s) for j in candidates]
            of_first, of_low = (np.array([part[kind] for part in both]) for kind in (0, 1))
            if of_first.shape[1]:
                yield way("product", own_first, np.hstack([first, of_first]), none)
            if self.continuous[i] and of_low.shape[1] > of_first.shape[1]:
                yield way("product", own_first, of_low, none)

    def joint_gains(
        self, i: int, others: Sequence[int], given: Iterable[int]
    ) -> NDArray[np.float64]:
        """Return how much the first features of each two, and their products, tell of `i`.

        On the scale of one degree of freedom, as all answers.
        """
        key = i, tuple(others), tuple(sorted(given))
        known = self._joint.get(key)
        if known is None:
            if len(self._joint) >= MOST_REMEMBERED * self.n_variables:
                self._joint = {}
            known = self._joint_gains(*key)
            self._joint[key] = known
        return known

    def _joint_gains(
        self, i: int, others: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        found = np.full((len(others), len(others)), -np.inf)
        constant = self.table.constant
        if constant[i]:
            return found
        regression = self._regression(tuple(s for s in given if not constant[s]))
        n_rows = self._rows_behind(regression) * self.n_samples
        position = np.full(self.n_variables, -1)
        position[list(others)] = np.arange(len(others))
        for pairs, every in self._two_by_shape:
            at = position[pairs]
            asked = (at >= 0).all(axis=1)
            if not asked.any():
                continue
            predictors = every[asked]
            statistic, degrees, _ = self._likelihood_ratio(
                regression, self.first[i], predictors, predictors[:, :0]
            )
            scaled = one_degree_quantile(log_tail(degrees / 2, statistic / 2))
            left, right = at[asked].T
            found[left, right] = found[right, left] = scaled / (2 * n_rows)
        return found

    @cached_property
    def _two_by_shape(self) -> list[tuple[Ints, Ints]]:
        """Each two variables, with their first features and products, by how many these are."""
        shapes: dict[tuple[int, ...], list[tuple[tuple[int, int], Ints]]] = {}
        varying = [j for j in range(self.n_variables) if not self.table.constant[j]]
        for j, k in itertools.combinations(varying, 2):
            parts = self.first[j], self.first[k], self._products_with(j, k)[0]
            shape = tuple(map(len, parts))
            shapes.setdefault(shape, []).append(((j, k), np.concatenate(parts)))
        return [
            (np.array([pair for pair, _ in own]), np.array([features for _, features in own]))
            for own in shapes.values()
        ]

    def _likelihood_ratio(
        self, regression: _Regression, response: Ints, predictors: Ints, beyond: Ints
    ) -> tuple[Floats, Floats, Floats]:
        """Return likelihood ratios with Bartlett's correction, degrees of freedom and rows left.

        Of a response block and some blocks of predictors, given the conditions and the features
        that these are `beyond`.
        """
        m, k = beyond.shape
        together = np.hstack([predictors, beyond])
        block_a = np.broadcast_to(response, (m, len(response)))
        a, b = self._half(regression, block_a[:1]), self._half(regression, together)
        s_aa = self.covariance[np.ix_(response, response)] - a[0].T @ a[0]
        s_bb = self.covariance[together[:, :, None], together[:, None, :]] - _inner(b, b)
        s_ab = self.covariance[block_a[:, :, None], together[:, None, :]] - _inner(a, b)
        s_aa = np.broadcast_to(s_aa, (m, *s_aa.shape))
        if k:
            p = predictors.shape[1]
            swept = np.linalg.pinv(s_bb[:, p:, p:], rcond=DETERMINED, hermitian=True)
            by_a, by_b = s_ab[:, :, p:], s_bb[:, :p, p:]
            s_aa = s_aa - by_a @ swept @ by_a.transpose(0, 2, 1)
            s_ab = s_ab[:, :, :p] - by_a @ swept @ by_b.transpose(0, 2, 1)
            s_bb = s_bb[:, :p, :p] - by_b @ swept @ by_b.transpose(0, 2, 1)
        information, rank_a, rank_b = _log_ratio(s_aa, s_bb, s_ab)
        degrees = rank_a * rank_b
        left = self.n_samples - 1 - len(regression.features) - k - (rank_a + rank_b + 1) / 2
        left = self._rows_behind(regression) * np.maximum(left, 0.0)
        return left * information, degrees, left

    def _half(self, regression: _Regression, features: Ints) -> Floats:
        """Return W with W'W what the conditions explain of some features, a matrix for each row."""
        m, p = features.shape
        if not len(regression.features):
            return np.zeros((m, 0, p))
        # One product of matrices for each row: the bits do not depend on the other rows.
        right = self.covariance[regression.features[None, :, None], features[:, None, :]]
        return np.asarray(np.matmul(regression.inverse, right))

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Return chi-square variables of one degree of freedom, beyond the tolerance."""
        left = self._rows_left(i, candidates, self._regression(given))
        answered = np.array([len(self.first[j]) > 0 for j in candidates]) & (left > 1)
        answered &= len(self.first[i]) > 0
        null = Null.chi_square(answered.astype(float), 0.5 / np.maximum(left, 0.5))
        tolerance = self._tolerance(self._regression(given))
        mean = np.where(answered, null.mean + tolerance, 0.0)
        return Null(mean, null.deviation, null.skewness)

    def null_correlations(
        self, conditions: Sequence[Sequence[int]]
    ) -> list[tuple[float, NDArray[np.float64]]]:
        """Return the correlations of the coefficients at both ends of independent pairs.

        The product of what N(i) leaves of x_i and x_j, summed over rows, is the coefficient at i.
        That at j has what N(j) leaves of both. If i and j are independent given the others, their
        correlation is the ratio of the deviations of x_i given N(i) and given N(j), times the same
        of x_j. First features have one correlation, second ones another.
        """
        constant = self.table.constant
        parts: list[list[Ints]] = [self.first]
        if self.smooth:
            parts.append(
                [low[len(first) :] for first, low in zip(self.first, self.low, strict=True)]
            )
        features = np.concatenate([part for own in parts for part in own])
        left = np.array(
            [
                self._left_of(features, tuple(sorted(s for s in members if not constant[s])))
                for members in conditions
            ]
        )
        found, begin = [], 0
        of_first = self.shares["first"]
        shares = (of_first, 1 - of_first) if self.smooth else (1.0,)
        for share, own in zip(shares, parts, strict=True):
            ratio = np.ones((self.n_variables, self.n_variables))
            for i, block in enumerate(own):
                of_block = left[:, begin : begin + len(block)].sum(axis=1)
                begin += len(block)
                if len(block):
                    ratio[i] = of_block[i] / np.maximum(of_block, DETERMINED)
            correlation = np.sqrt(np.minimum(ratio, 1.0))
            found.append((share, correlation * correlation.T))
        for i, members in enumerate(conditions):  # of these pairs the ends have other conditions
            for _, correlation in found:
                correlation[i, list(members)] = correlation[list(members), i] = 1.0
        return found

    def _left_of(self, features: Ints, given: tuple[int, ...]) -> Floats:
        """Return the variances that conditions leave of some features."""
        half = self._half(self._regression(given), features[None])[0]
        return np.maximum(self.covariance[features, features] - (half * half).sum(axis=0), 0.0)

    def is_determined(self, i: int, given: Iterable[int]) -> bool:
        """Return whether others leave less than a share `NOTHING_LEFT` of a variable's variance.

        By a regression that has twice as many rows as features, or by the means of the cells of
        discrete ones.
        """
        known = tuple(sorted(s for s in set(given) if not self.table.constant[s]))
        features = self.first[i]
        if not known or not len(features):
            return False
        many_rows = 2 * len(self._regression(known).features) < self.n_samples
        if many_rows and self._left_of(features, known).max() < NOTHING_LEFT:
            return True
        discrete = tuple(s for s in known if self._codes[s] is not None)
        cells = self._cells(discrete)
        if cells is None or self._codes[i] is None:
            return False
        within = cells.centered(self._discrete_columns(features))
        return bool((within**2).mean(axis=0).max() < NOTHING_LEFT)

    def independence_bound(self, i: int, given: Iterable[int]) -> float:
        """Return the gain below which node i shows that it is independent of a variable.

        There the confidence interval of the coefficient ends below that of the tolerance. A node
        that its neighbors nearly determine has nothing left to show.
        """
        if self._root_of_bound(self.n_samples) <= 0 or not len(self.first[i]):
            return -math.inf
        known = tuple(sorted(s for s in set(given) if not self.table.constant[s]))
        regression = self._regression(known)
        if self._is_exact(regression):
            return -math.inf
        root = self._root_of_bound(self.n_samples - len(regression.features))
        left = self._left_of(self.first[i], known)
        return root**2 if root > 0 and left.max() >= NEARLY_DETERMINED else -math.inf

    def _root_of_bound(self, n_rows: int) -> float:
        """Return the largest coefficient of so many rows that is clearly within the tolerance."""
        return math.sqrt(self.sieve.tolerance) - BELOW / math.sqrt(2 * max(n_rows, 1))

    def _tolerance(self, regression: _Regression) -> float:
        """Return what independent variables may gain: nothing where regressions are exact."""
        return 0.0 if self._is_exact(regression) else self.sieve.tolerance

    def _is_exact(self, regression: _Regression) -> bool:
        """Return whether regressions give the mean of each combination of the conditions."""
        key = ("exact",)
        if key not in regression.known:
            regression.known[key] = self.smooth and (
                all(self._has_all_contrasts(s) for s in regression.given)
                if len(regression.given) < 2
                else self._is_counted(regression)
            )
        exact: bool = regression.known[key]
        return exact

    def _has_all_contrasts(self, s: int) -> bool:
        """Return whether a variable has an indicator, or a function, for all of its values."""
        columns = self.table.columns_of(s)
        return len(columns) == 1 and len(self.entering[s]) == columns[0].n_distinct - 1

    def _is_counted(self, regression: _Regression) -> bool:
        """Return whether the cells of discrete conditions stand for all conditions."""
        levels = [self._n_levels[s] for s in regression.given]
        if 0 in levels:
            return False
        surely = math.prod(levels) * ROWS_A_CELL <= len(self._rows)
        return surely or self._cells(regression.given) is not None

    def _rows_behind(self, regression: _Regression) -> float:
        """Return the share of rows behind an answer: less than 1 where some of many are counted."""
        counted = len(regression.given) > 1 and self._is_exact(regression)
        return min(TABLE_ROWS / self.n_samples, 1.0) if counted else 1.0

    def node_likelihood(self, i: int, given: Iterable[int]) -> float:
        """Return the mean Gaussian log likelihood of the low features of a node given others.

        Given none it is 0, and it never falls as `given` grows.
        """
        if self.table.constant[i]:
            return 0.0
        known = tuple(sorted(s for s in set(given) if not self.table.constant[s]))
        regression = self._regression(known)
        features = self.low[i] if self.smooth else self.first[i]
        half = self._half(regression, features[None])[0]
        left = self.covariance[np.ix_(features, features)] - half.T @ half
        eigenvalues = np.linalg.eigvalsh(left)
        return float(-0.5 * np.log(np.maximum(eigenvalues, DETERMINED)).sum())

    # Checks, which can only lower an answer

    def _checked_log_p(self, i: int, j: int, way: _Way, at: int, regression: _Regression) -> float:
        """Return the log p-value of a way under less convenient assumptions, at most 0."""
        statistic, degrees = float(way.statistic[at]), float(way.degrees[at])
        if degrees == 0:
            return 0.0
        a, b, beyond = way.response, way.predictors[at], way.beyond[at]
        mean, variance = self._moments(a, b, beyond, regression)
        mean, variance = mean * degrees, variance * degrees

        def log_p(statistic: float) -> float:
            scaled = np.array([statistic * mean / variance])
            return float(log_tail(np.array([mean * mean / variance]), scaled)[0])

        found = log_p(statistic)
        checks = self._within_cells, self._of_residual_products, self._of_residual_squares
        for check in checks:
            if found < regression.worth_checking:
                checked = check(i, j, a, b, beyond, regression)
                found = found if checked is None else max(found, log_p(checked))
        if way.group == "first" and self._measured_with_error(i, j, regression.given):
            found = max(found, self.latent.log_p(i, j, regression.given))
        return found

    def _moments(
        self, a: Ints, b: Ints, beyond: Ints, regression: _Regression
    ) -> tuple[float, float]:
        """Return mean and variance of the statistic without dependence, by degree of freedom.

        For residuals e and f the statistic is |sum e f'|^2, whose mean is that of the product of
        their conditional variances. These are regressed on the conditions. Rare labels and heavy
        tails add to the variance what they add to that of a permutation distribution.
        """
        (r, excess_a, of_e), (p, excess_b, of_f) = (
            self._variances(block, beyond, regression) for block in (a, b)
        )
        if not r or not p:
            return 1.0, 2.0
        tails = max(excess_a, 0.0) * max(excess_b, 0.0) / (self.n_samples * r * p)
        if of_e is None or of_f is None:
            return 1.0, 2.0 + tails
        on_e, on_f = (np.equal(*np.tril_indices(size)) for size in (r, p))
        both = of_e.T @ of_f / len(of_e)
        mean = both[np.ix_(on_e, on_f)].sum() / (r * p)
        times = np.where(on_e, 1, 2)[:, None] * np.where(on_f, 1, 2)  # both triangles
        spread = np.sum(times * both * both) / (r * p)
        return max(mean, 1e-3), 2 * max(spread, 1e-6) + tails

    def _variances(
        self, block: Ints, beyond: Ints, regression: _Regression
    ) -> tuple[int, float, Floats | None]:
        """Return the rank of a block of residuals, its excess kurtosis and conditional variances.

        Covariances as well, the lower triangle of a matrix for each row: the products of whitened
        residuals, regressed on the low features of the conditions, in a test on all that stands for
        these. None without conditions, or for a block of very many features.
        """
        key = ("variances", *block.tolist(), -1, *beyond.tolist())
        if key in regression.known:
            known: tuple[int, float, Floats | None] = regression.known[key]
            return known
        e = _white(self._residuals(block, beyond, regression, self._variance_rows))
        n, r = e.shape
        fitted = None
        if len(regression.features) and r <= MOST_IN_BLOCK:
            used = np.concatenate([self.low[s] for s in regression.given])
            if regression.is_test:
                used = np.union1d(used, regression.features)
            x = self._columns(used, self._variance_rows)
            one, other = np.tril_indices(r)
            products, squares = e[:, one] * e[:, other], e * e
            slopes = _solve(self.covariance[np.ix_(used, used)], x.T @ products / n)
            fitted = x @ slopes
            explained = np.einsum("nk,nk->k", fitted, fitted) / n
            mean = (e.T @ e / n)[one, other]
            observed = (squares.T @ squares / n)[one, other] - mean**2
            fitted *= _shrinkage(explained, observed, len(used), n)
            fitted += mean
            fitted[:, one == other] = np.maximum(fitted[:, one == other], LEAST_VARIANCE)
        regression.known[key] = r, _excess(e), fitted
        return r, _excess(e), fitted

    def _within_cells(
        self, i: int, j: int, a: Ints, b: Ints, beyond: Ints, regression: _Regression
    ) -> float | None:
        """Return the statistic with residuals freed of the means of cells of discrete conditions.

        None where there are no cells, or too few rows in them.
        """
        cells = self._cells_of(regression)
        if cells is None:
            return None

        def centered(block: Ints) -> Floats:
            key = ("centered", *block.tolist(), -1, *beyond.tolist())
            if key not in regression.known:
                if cells.are_all:  # then functions of the conditions are constant in a cell
                    e = self._discrete_columns(np.concatenate([block, beyond]))
                    e = cells.centered(e)
                    e, swept = e[:, : len(block)], e[:, len(block) :]
                    if len(beyond):
                        e = e - swept @ _solve(swept.T @ swept / len(e), swept.T @ e / len(e))
                else:
                    e = cells.centered(self._residuals(block, beyond, regression, self._some))
                regression.known[key] = e
            return regression.known[key]

        n_used = len(beyond) + cells.n_filled
        if not cells.are_all:
            n_used += len(regression.features)
        return self._statistic_of(centered(a), centered(b), n_used, regression)

    def _of_residual_products(
        self, i: int, j: int, a: Ints, b: Ints, beyond: Ints, regression: _Regression
    ) -> float | None:
        """Return the statistic with products of what conditions leave of the candidate.

        Conditions explain the features of a candidate better than the products of these with a
        condition. What regressions miss of either end then enters as a product of two small
        terms, as it does without interactions. None for ways without products, or few rows.
        """
        is_product = b >= self.features.n_features
        if not is_product.any() or self.n_samples <= MISFIT_ROWS:
            return None

        def left(block: Ints) -> Floats:
            key = ("left", *block.tolist())
            if key not in regression.known:
                regression.known[key] = self._residuals(block, a[:0], regression, self._some)
            return regression.known[key]

        factors = b[is_product] - self.features.n_features
        pairs = np.array([self._left[factors], self._right[factors]])
        owners = np.searchsorted(self.features.starts, pairs, side="right") - 1
        pairs = np.where(np.isin(owners[0], regression.given), pairs[::-1], pairs)
        own, place = np.unique(np.concatenate([b[~is_product], pairs[0]]), return_inverse=True)
        f = left(own)[:, place]
        f[:, len(b) - len(factors) :] *= self._some[:, pairs[1]]
        return self._statistic_of(left(a), f, len(regression.features), regression)

    def _of_residual_squares(
        self, i: int, j: int, a: Ints, b: Ints, beyond: Ints, regression: _Regression
    ) -> float | None:
        """Return the statistic with squares of residuals in place of second features.

        A node's second feature depends on products of all that moves the node: regressions miss
        more of it than of the square of what they leave. None for ways without second features.
        """
        second = [self.low[k][len(self.first[k]) :] for k in (i, j)]
        is_second = [np.isin(a, second[0]), np.isin(b, second[1])]
        is_spread = any(own.any() for own in is_second) and not len(beyond)
        if not is_spread or not regression.given or (b >= self.features.n_features).any():
            return None
        blocks = []
        for k, block, squared in zip((i, j), (a, b), is_second, strict=True):
            if squared.any() and not self.numeric[k]:
                return None
            key = ("squares", *block.tolist())
            if key not in regression.known:
                e = self._residuals(block[~squared], block[:0], regression, self._some)
                if squared.any():
                    e = np.hstack([e, self._residual_squares(self.first[k], regression)])
                regression.known[key] = e
            blocks.append(regression.known[key])
        return self._statistic_of(blocks[0], blocks[1], len(regression.features), regression)

    def _residual_squares(self, block: Ints, regression: _Regression) -> Floats:
        """Return the squares of residuals, freed of what the conditions explain of them."""
        squares = self._residuals(block, block[:0], regression, self._some) ** 2
        squares -= squares.mean(axis=0)
        columns, used = self._held_columns(regression.features, self._some), regression.features
        cross = columns.T @ squares / len(columns)
        return np.asarray(squares - columns @ _solve(self.covariance[np.ix_(used, used)], cross))

    def _statistic_of(self, e: Floats, f: Floats, n_used: int, regression: _Regression) -> float:
        """Return the statistic that residuals of some rows give for all rows."""
        n = len(e)
        information, rank_e, rank_f = _log_ratio(
            (e.T @ e / n)[None], (f.T @ f / n)[None], (e.T @ f / n)[None]
        )
        left = self.n_samples - 1 - n_used - (rank_e[0] + rank_f[0] + 1) / 2
        return float(self._rows_behind(regression) * max(left, 0.0) * information[0])

    def _cells_of(self, regression: _Regression) -> _Cells | None:
        """Return the table of the discrete conditions; None if it is not well filled."""
        if ("cells",) not in regression.known:
            regression.known["cells",] = self._cells(regression.given)
        found: _Cells | None = regression.known["cells",]
        return found

    def _cells(self, given: tuple[int, ...]) -> _Cells | None:
        discrete = [s for s in given if self._codes[s] is not None]
        if sum(len(self.table.columns_of(s)) for s in discrete) < 2:
            return None
        are_all = len(discrete) == len(given)
        n_rows = len(self._rows)
        if not are_all:
            n_rows = min(n_rows, SOME_ROWS)
        cell, n_cells = np.zeros(n_rows, dtype=np.intp), 1
        for s in discrete:
            code = self._codes[s]
            assert code is not None
            cell = cell * self._n_levels[s] + (code if are_all else code[self._evenly(n_rows)])
            n_cells *= self._n_levels[s]
            if n_cells * ROWS_A_CELL > n_rows:  # if all were filled: how many are?
                is_filled = np.bincount(cell) > 0
                cell = (np.cumsum(is_filled) - 1)[cell]
                n_cells = int(is_filled.sum())
                if n_cells * ROWS_A_CELL > n_rows:
                    return None
        return _Cells(cell, np.bincount(cell, minlength=n_cells), are_all)

    def _discrete_columns(self, features: Ints) -> Floats:
        """Return some features and products in the rows that are counted, a column for each."""
        plain = features < self.features.n_features
        factors = features[~plain] - self.features.n_features
        left, right = self._left[factors], self._right[factors]
        starts = self.features.starts
        needed = np.unique(np.concatenate([features[plain], left, right]))
        made: dict[int, Floats] = {}
        for i in np.unique(np.searchsorted(starts, needed, side="right") - 1).tolist():
            block = self.features.block(self.table, i, self._rows)
            made.update(zip(range(starts[i], starts[i + 1]), block, strict=True))
        found = np.empty((len(features), len(self._rows)))
        for at, k in enumerate(features.tolist()):
            if plain[at]:
                found[at] = made[k]
            else:
                factor = k - self.features.n_features
                found[at] = made[self._left[factor]] * made[self._right[factor]]
        return (found * self.scale[features, None]).T

    def _measured_with_error(self, i: int, j: int, given: tuple[int, ...]) -> bool:
        """Return whether latent normal variables could explain what is left of a correlation."""
        asked = (i, j, *given)
        return (
            len(given) > 0
            and all(self.numeric[k] for k in asked)
            and any(self.ordinal[k] for k in asked)
        )

    @cached_property
    def latent(self) -> LatentCorrelations:
        """Correlations of the normal variables that numeric columns may be cut from."""
        first = np.array([own[0] if len(own) else 0 for own in self.first])
        return LatentCorrelations(self.table, self.covariance[np.ix_(first, first)], self.numeric)

    def _residuals(
        self, block: Ints, beyond: Ints, regression: _Regression, rows: Floats
    ) -> Floats:
        """Return what conditions leave of some features, in some rows, a column for each."""
        conditions = np.concatenate([regression.features, beyond])
        found = self._columns(block, rows)
        if len(conditions):
            inner = self.covariance[np.ix_(conditions, conditions)]
            right = self.covariance[np.ix_(conditions, block)]
            found = found - self._held_columns(conditions, rows) @ _solve(inner, right)
        return found

    def _held_columns(self, features: Ints, rows: Floats) -> Floats:
        """Return the columns of features; the last are held, since the next are often the same."""
        held, of, columns = self._held
        if of is not rows or not np.array_equal(held, features):
            columns = self._columns(features, rows)
            self._held = features, rows, columns
        return columns

    @cached_property
    def _rows(self) -> Ints:
        """Rows that checks look at: all, or some of very many.

        Evenly spaced in an order that the content of the rows decides, not their order in the
        table.
        """
        if self.n_samples <= VARIANCE_ROWS:
            return np.arange(self.n_samples)
        key = np.zeros(self.n_samples)
        for column, values in zip(self.table.columns, self.table.values, strict=True):
            digest = hashlib.sha256(column.name.encode(errors="backslashreplace")).digest()
            _, code = np.unique(values, return_inverse=True)
            key += code * (1 + int.from_bytes(digest[:6], "big") / 2**48)
        order = np.argsort(key, kind="stable")
        n_rows = min(self.n_samples, TABLE_ROWS)
        return np.asarray(order[np.linspace(0, self.n_samples - 1, n_rows).astype(np.intp)])

    @cached_property
    def _some(self) -> Floats:
        """Features of some of these rows, without products."""
        return self._features_of(SOME_ROWS)

    @cached_property
    def _variance_rows(self) -> Floats:
        """Features of the rows that variances are estimated from, without products."""
        return self._features_of(VARIANCE_ROWS)

    def _features_of(self, n_rows: int) -> Floats:
        return self.features.features(self.table, self._rows[self._evenly(n_rows)])

    def _evenly(self, n_rows: int) -> Ints:
        """Return the positions of at most some of these rows, evenly spaced."""
        n = len(self._rows)
        return np.linspace(0, n - 1, min(n, n_rows)).astype(np.intp)

    def _columns(self, features: Ints, rows: Floats) -> Floats:
        """Return features and products in some rows, centered and scaled, a column for each."""
        product = features >= self.features.n_features
        found = np.empty((len(features), len(rows)))
        found[~product] = rows.T[features[~product]]
        factors = features[product] - self.features.n_features
        found[product] = rows.T[self._left[factors]] * rows.T[self._right[factors]]
        found -= (self.statistics.total[features] / self.statistics.n_samples)[:, None]
        found *= self.scale[features, None]
        return found.T

    @cached_property
    def _codes(self) -> list[Ints | None]:
        """The values of each discrete variable as codes, in the rows that are counted."""
        found: list[Ints | None] = []
        for i in range(self.n_variables):
            codes = None
            if all(column.n_distinct <= FEW_LEVELS for column in self.table.columns_of(i)):
                values = self.table.values_of(i)[:, self._rows]
                _, codes = np.unique(values, axis=1, return_inverse=True)
            found.append(codes)
        return found

    @cached_property
    def _n_levels(self) -> list[int]:
        """The number of codes of each discrete variable, and 0 for others."""
        return [0 if codes is None else int(codes.max()) + 1 for codes in self._codes]


def _unit(covariance: Floats, n_features: int) -> tuple[Floats, Floats]:
    """Return a covariance matrix whose products have variance 1, and the factors that do it."""
    scale = np.ones(len(covariance))
    variance = covariance.diagonal()[n_features:]
    varies = variance > 1e-10
    scale[n_features:] = np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    return covariance * scale * scale[:, None], scale


def _independent(covariance: Floats, features: Ints) -> tuple[Ints, Floats]:
    """Return features of which none is determined by those before it, and the Cholesky factor."""
    from scipy.linalg import solve_triangular

    inner = covariance[np.ix_(features, features)]
    try:
        factor = np.asarray(np.linalg.cholesky(inner), dtype=np.float64)
        if (factor.diagonal() ** 2 > DETERMINED).all():
            return features, factor
    except np.linalg.LinAlgError:
        pass
    kept = np.empty(0, dtype=np.intp)
    factor = np.zeros_like(inner)
    for begin in range(0, len(features), IN_FACTOR):
        block, n = np.arange(begin, min(begin + IN_FACTOR, len(features))), len(kept)
        right = inner[np.ix_(kept, block)]
        row = solve_triangular(factor[:n, :n], right, lower=True, check_finite=False)
        chosen, pivots = _pivots(inner[np.ix_(block, block)] - row.T @ row)
        own = slice(n, n + len(chosen))
        factor[own, :n], factor[own, own] = row[:, chosen].T, pivots
        kept = np.append(kept, block[chosen])
    return features[kept], np.asarray(factor[: len(kept), : len(kept)])


def _pivots(left: Floats) -> tuple[list[int], Floats]:
    """Return the rows of a matrix that those before do not determine, and their factor."""
    chosen, columns = [], []
    for at in range(len(left)):
        if left[at, at] > DETERMINED:
            columns.append(left[:, at] / math.sqrt(left[at, at]))
            left = left - np.outer(columns[-1], columns[-1])
            chosen.append(at)
    return chosen, np.tril(np.array(columns).reshape(len(chosen), len(left)).T[chosen])


def _inner(a: Floats, b: Floats) -> Floats:
    """Return the products of stacks of matrices, A'B."""
    return np.asarray(a.transpose(0, 2, 1) @ b)


def _inverse_root(matrices: Floats) -> tuple[Floats, Floats]:
    """Return H with H'SH the identity on the directions that vary, and their number."""
    values, vectors = np.linalg.eigh(matrices)
    varies = values > DETERMINED
    factors = np.where(varies, 1 / np.sqrt(np.where(varies, values, 1.0)), 0.0)
    return vectors * factors[:, None, :], varies.sum(axis=1).astype(float)


def _log_ratio(s_aa: Floats, s_bb: Floats, s_ab: Floats) -> tuple[Floats, Floats, Floats]:
    """Return -sum ln(1 - r^2) over the canonical correlations of two blocks, and their ranks."""
    root_a, rank_a = _inverse_root(s_aa)
    root_b, rank_b = _inverse_root(s_bb)
    cross = root_a.transpose(0, 2, 1) @ s_ab @ root_b
    if cross.shape[1] > cross.shape[2]:
        cross = cross.transpose(0, 2, 1)
    squares = np.linalg.eigvalsh(cross @ cross.transpose(0, 2, 1))
    squares = np.clip(squares, 0.0, LARGEST_SQUARE)
    return -np.log1p(-squares).sum(axis=1), rank_a, rank_b


def _solve(inner: Floats, right: Floats) -> Floats:
    """Return the solution of a symmetric system, the smallest where there are many."""
    from scipy.linalg import cho_factor, cho_solve

    try:
        return np.asarray(cho_solve(cho_factor(inner, lower=True), right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(inner, rcond=DETERMINED, hermitian=True) @ right)


def _shrinkage(explained: Floats, observed: Floats, n_predictors: int, n_rows: int) -> Floats:
    """Return the factors 1 - 1/F of fitted values, or 0 where F is below 1.

    F is the ratio of the variance that predictors explain to what as many explain by chance.
    """
    by_chance = np.maximum(observed - explained, 0.0) * n_predictors / n_rows
    ratio = np.divide(by_chance, explained, out=np.ones_like(explained), where=explained > 0)
    return np.maximum(1 - ratio, 0.0)


def _white(e: Floats) -> Floats:
    """Return residuals with the identity as covariance matrix, in the directions that vary."""
    values, vectors = np.linalg.eigh(e.T @ e / len(e))
    varies = values > DETERMINED
    return np.asarray(e @ (vectors[:, varies] / np.sqrt(values[varies])))


def _excess(e: Floats) -> float:
    """Return Mardia's kurtosis of whitened residuals less that of normal ones."""
    r = e.shape[1]
    return float(np.mean((e * e).sum(axis=1) ** 2)) - r * (r + 2)


def _corrections(groups: Sequence[str], shares: Mapping[str, float]) -> Floats:
    """Return the logs of the shares of the level that ways have.

    Examples
    --------
    >>> np.exp(_corrections(["first", "further", "further"], SHARES)).round(4).tolist()
    [0.7778, 0.1111, 0.1111]
    """
    present = sum(shares[group] for group in dict.fromkeys(groups))
    return np.log([shares[group] / present / groups.count(group) for group in groups])


def _divided(first: Floats, further: Floats) -> dict[str, float]:
    """Return the shares of groups, given the log p-values of pairs by two of them.

    Examples
    --------
    >>> _divided(np.full(20, -50.0), np.zeros(20))["first"]
    0.86
    >>> _divided(np.zeros(20), np.zeros(20)) == SHARES
    True
    """
    least = np.sort(np.minimum(first, further)) + math.log(2)
    allowed = np.log(SHARES_LEVEL * np.arange(1, len(least) + 1) / max(len(least), 1))
    n_found = int(np.flatnonzero(least <= allowed).max(initial=-1)) + 1
    if not n_found:
        return SHARES
    found = np.minimum(first, further) + math.log(2) <= least[n_found - 1]
    of_first = float(np.mean((first <= further)[found]))
    before = max(AS_GOOD_AS / (AS_GOOD_AS + n_found), LEAST_SAID)
    both = SHARES["first"] + SHARES["further"]
    share = before * SHARES["first"] + (1 - before) * of_first * both
    return {**SHARES, "first": share, "further": both - share}
