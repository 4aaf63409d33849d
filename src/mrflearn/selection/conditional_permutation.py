"""A null by conditional permutation, for dependences that have none in closed form.

Under conditional independence a variable may be replaced by a copy that depends on the conditions
in the same way and on nothing else (Candès et al. 2018; Berrett et al. 2020). Of a copy, values
change places among rows for which regressions on functions of the conditions predict nearly the
same: its mean and spread, or the probabilities of its labels (prognostic scores, as Hansen 2008
matches by; exchanged locally, as Runge 2018 does). No such null is valid for all distributions
(Shah and Peters 2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mrflearn.checkpoint import current
from mrflearn.dependence._features import FEW_LEVELS, FeatureMap, n_functions
from mrflearn.dependence.base import Dependence, Question, Specification
from mrflearn.dependence.null import Null
from mrflearn.table import Table

__all__ = ["ConditionalPermutation", "copies_of"]

NEAR = 8
"""Rows of a leaf, at most, among which rows are exchanged."""

MOMENTS = 2
"""Smooth functions of a numeric column that are predicted: its normal score, and its modulus."""

ROWS_A_FEATURE = 5
"""Rows for each feature of the conditions in a regression, at least."""

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class ConditionalPermutation(Dependence):
    """The same dependence, with a null by conditional permutation.

    Mean and deviation are those of the copies' estimates, for each candidate; the skewness, of
    which few copies say little, is that of all candidates together. The copies depend on `i`,
    `given` and the seed alone.

    Parameters
    ----------
    dependence, specification : Dependence, Specification
        The dependence of the table, and what it was bound from.
    table : Table
        The data.
    n_shuffles : int
        Copies for each question.
    random_state : int
        Seed.
    max_memory : int, optional
        Bound on the memory of the dependence between copies, in bytes; refused at once if it
        cannot be kept.
    """

    has_null = True

    def __init__(
        self,
        dependence: Dependence,
        specification: Specification,
        table: Table,
        n_shuffles: int = 30,
        random_state: int = 0,
        max_memory: int | None = None,
    ) -> None:
        self.inner, self.specification, self.table = dependence, specification, table
        self.n_variables, self.symmetric = dependence.n_variables, dependence.symmetric
        self.n_shuffles, self.random_state = n_shuffles, random_state
        self.max_memory = max_memory
        if max_memory is not None:
            self._with_copies(0, range(1, self.n_variables), ())

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        return self.inner.cmi_many(i, candidates, given)

    def tested_cmi(self, i: int, j: int, given: Iterable[int]) -> float:
        """Return I(i; j | given) for a test; see `Dependence.tested_cmi`."""
        return self.inner.tested_cmi(i, j, given)

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer many independent questions, in their order."""
        return self.inner.cmi_batch(questions)

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        checkpoint = current()
        if checkpoint is None:
            return Null(*self._moments(i, candidates, given))
        kept_as = f"null of {i} with {candidates} given {given}, {self.n_shuffles} shuffles"
        kept = checkpoint.pieces(kept_as, (3, len(candidates)))
        if 0 not in kept:
            kept[0] = self._moments(i, candidates, given)
            checkpoint.keep_piece(kept_as, 0, kept[0])
        return Null(*kept[0])

    def _moments(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Return mean, deviation and skewness of the estimates by chance, by candidate."""
        bound = self._with_copies(i, candidates, given)
        n_others = len(candidates) + len(given)
        asked, conditions = range(len(candidates)), range(len(candidates), n_others)
        values = np.array(
            [bound.cmi_many(n_others + copy, asked, conditions) for copy in range(self.n_shuffles)]
        )
        deviation = values.std(axis=0, ddof=1)
        varies = deviation > 0
        scaled = (values - values.mean(axis=0))[:, varies] / deviation[varies]
        skewness = max(float((scaled**3).mean()), 0.0) if varies.any() else 0.0
        return np.array([values.mean(axis=0), deviation, np.full(len(candidates), skewness)])

    def _with_copies(self, i: int, candidates: Sequence[int], given: tuple[int, ...]) -> Dependence:
        """Return the dependence of candidates, conditions and copies of `i`, in this order."""
        seed = np.random.SeedSequence(self.random_state, spawn_key=(i, *given))
        values = copies_of(self.table, i, given, self.n_shuffles, np.random.default_rng(seed))
        base, columns = self.table.take([*candidates, *given]), self.table.columns_of(i)
        ends = base.starts[-1] + len(columns) * np.arange(1, len(values) + 1)
        together = np.vstack([base.values, *values])
        starts = np.concatenate([base.starts, ends])
        for array in (together, starts):
            array.flags.writeable = False
        copies = replace(
            base,
            names=(*base.names, *(f"copy {number}" for number in range(len(values)))),
            columns=(*base.columns, *columns * len(values)),
            starts=starts,
            values=together,
        )
        if self.max_memory is None:
            return self.specification.bind(copies)
        return self.specification.bind(copies, self.max_memory)


def copies_of(
    table: Table, i: int, given: Sequence[int], n_copies: int, rng: np.random.Generator
) -> Floats:
    """Return copies of a variable that depend on some conditions alone.

    Parameters
    ----------
    table : Table
        The data.
    i : int
        The variable.
    given : sequence of int
        The conditions.
    n_copies : int
        How many.
    rng : Generator
        Where randomness comes from.

    Returns
    -------
    ndarray of shape (n_copies, n_columns, n_samples)
        The rows of the variable in other orders, that of its columns together.
    """
    orders = _orders(table, i, given, n_copies, rng)
    return table.values_of(i)[:, orders].transpose(1, 0, 2)


def _orders(
    table: Table, i: int, given: Sequence[int], n_orders: int, rng: np.random.Generator
) -> Ints:
    """Return permutations that exchange rows within the leaves of random trees.

    The cells of discrete conditions are the first leaves, if they have `NEAR` rows on average.
    """
    n, known = table.n_samples, [s for s in given if not table.constant[s]]
    discrete = [s for s in known if all(c.n_distinct <= FEW_LEVELS for c in table.columns_of(s))]
    cells = _cells(table, discrete)
    n_cells = int(cells.max()) + 1 if n else 0
    if n_cells * NEAR > n:
        cells, n_cells, discrete = np.zeros(n, dtype=np.intp), 1, []
    varies = len(known) > len(discrete)
    scores = _prognostic_scores(table, i, known) if varies else np.empty((0, n))
    depth = max(int(np.ceil(np.log2(n / (n_cells * NEAR)))), 0) if len(scores) else 0
    orders = np.empty((n_orders, n), dtype=np.intp)
    for order in orders:
        leaf = _leaves(scores, cells, depth, rng)
        places = np.argsort(leaf, kind="stable")
        order[places] = np.lexsort((rng.random(n), leaf))
    return orders


def _leaves(points: Floats, leaf: Ints, depth: int, rng: np.random.Generator) -> Ints:
    """Return the leaf of each row in a tree that halves leaves by random directions."""
    n = len(leaf)
    for _ in range(depth):
        key = rng.normal(size=len(points)) @ points
        ranked = np.lexsort((rng.random(n), key, leaf))
        begin = np.searchsorted(leaf[ranked], leaf[ranked])
        size = np.searchsorted(leaf[ranked], leaf[ranked], side="right") - begin
        halved = np.empty_like(leaf)
        halved[ranked] = 2 * leaf[ranked] + (2 * (np.arange(n) - begin) >= size)
        leaf = halved
    return leaf


def _cells(table: Table, discrete: Sequence[int]) -> Ints:
    """Return the cell of each row in the table of some variables."""
    cell = np.zeros(table.n_samples, dtype=np.intp)
    for s in discrete:
        _, codes = np.unique(table.values_of(s), axis=1, return_inverse=True)
        _, cell = np.unique(cell * (codes.max() + 1) + codes, return_inverse=True)
    return cell


def _prognostic_scores(table: Table, i: int, given: Sequence[int]) -> Floats:
    """Return what the conditions predict of the first features of a variable, a row for each."""
    own, basis = table.take([i]), _basis(table, given)
    features = FeatureMap.fit(own, MOMENTS).features(own, slice(None))
    return np.asarray((basis @ (basis.T @ features)).T)


def _basis(table: Table, given: Sequence[int]) -> Floats:
    """Return orthonormal columns: a constant, and functions of the conditions."""
    n, conditions = table.n_samples, table.take(given)
    for n_most in range(n_functions(n), 0, -1):
        features = FeatureMap.fit(conditions, n_most)
        if features.n_features * ROWS_A_FEATURE <= n or n_most == 1:
            break
    columns = features.features(conditions, slice(None))[:, : n // ROWS_A_FEATURE]
    left, singular, _ = np.linalg.svd(np.hstack([np.ones((n, 1)), columns]), full_matrices=False)
    return np.asarray(left[:, singular > 1e-8 * singular[0]])
