"""A null by conditional permutation, for dependences that have none in closed form.

Under conditional independence a variable may be replaced by a copy that depends on the conditions
in the same way and on nothing else (Candès et al. 2018; Berrett et al. 2020). A copy keeps what a
regression on functions of the conditions explains, and exchanges the rest among rows that are near
in them, as the local permutation test of Runge (2018) does. Of a nominal column a regression gives
the probability of each label, and the place of a row within the probability of its own label is
exchanged. No such null is valid for all distributions (Shah and Peters 2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mrflearn.checkpoint import current
from mrflearn.dependence._features import FEW_LEVELS, FeatureMap, n_functions
from mrflearn.dependence.base import Dependence, Question, Specification
from mrflearn.dependence.gaussian import normal_scores
from mrflearn.dependence.null import Null
from mrflearn.table import Table

__all__ = ["ConditionalPermutation", "copies_of"]

NEAR = 8
"""Rows of a leaf, at most, among which rows are exchanged."""

MOST_LABELS = 20
"""Labels of a column whose probabilities are regressed on the conditions, at most."""

LEAST_PROBABILITY = 0.01
"""Of a label in any row: linear fits of zeros and ones may be negative."""

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
        Copies of a numeric column have the values of the column, in another order.
    """
    known = [s for s in given if not table.constant[s]]
    orders = _orders(table, known, n_copies, rng)
    values = table.values_of(i)
    copies = values[:, orders].transpose(1, 0, 2).copy()
    basis = _basis(table, known)
    if basis.shape[1] == 1:
        return copies
    for c, (column, own) in enumerate(zip(table.columns_of(i), values, strict=True)):
        if column.kind != "nominal":
            copies[:, c] = _numeric_copies(own, basis, orders)
        elif 1 < column.n_distinct <= MOST_LABELS:
            copies[:, c] = _nominal_copies(own, basis, orders, rng)
    return copies


def _orders(table: Table, given: Sequence[int], n_orders: int, rng: np.random.Generator) -> Ints:
    """Return permutations that exchange rows within the leaves of random trees.

    The cells of discrete conditions are the first leaves, if they have `NEAR` rows on average.
    """
    n = table.n_samples
    cells = _cells(table, given)
    alike = int(cells.max()) + 1 if n else 0
    if alike * NEAR > n:
        cells, alike = np.zeros(n, dtype=np.intp), 1
    elif alike > 1:
        given = [s for s in given if not _is_discrete(table, s)]
    points = _points(table, given)
    depth = max(int(np.ceil(np.log2(n / (alike * NEAR)))), 0) if len(points) else 0
    orders = np.empty((n_orders, n), dtype=np.intp)
    for order in orders:
        leaf = _leaves(points, cells, depth, rng)
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


def _is_discrete(table: Table, s: int) -> bool:
    return all(column.n_distinct <= FEW_LEVELS for column in table.columns_of(s))


def _cells(table: Table, given: Sequence[int]) -> Ints:
    """Return the cell of each row in the table of the discrete conditions."""
    cell = np.zeros(table.n_samples, dtype=np.intp)
    for s in given:
        if _is_discrete(table, s):
            _, codes = np.unique(table.values_of(s), axis=1, return_inverse=True)
            _, cell = np.unique(cell * (codes.max() + 1) + codes, return_inverse=True)
    return cell


def _points(table: Table, given: Sequence[int]) -> Floats:
    """Return normal scores of numeric conditions and indicators of labels, a row for each."""
    rows: list[Floats] = []
    for s in given:
        for column, values in zip(table.columns_of(s), table.values_of(s), strict=True):
            if column.kind == "nominal":
                levels, counts = np.unique(values, return_counts=True)
                frequent = levels[np.argsort(-counts, kind="stable")][:MOST_LABELS]
                rows += [np.sqrt(2) * (values == level) for level in frequent]
            else:
                rows.append(normal_scores(values))
    return np.array(rows).reshape(len(rows), table.n_samples)


def _basis(table: Table, given: Sequence[int]) -> Floats:
    """Return orthonormal columns: a constant, and functions of the conditions."""
    n = table.n_samples
    columns = [np.ones((n, 1))]
    if given:
        conditions = table.take(given)
        for n_most in range(n_functions(n), 0, -1):
            features = FeatureMap.fit(conditions, n_most)
            if features.n_features * ROWS_A_FEATURE <= n or n_most == 1:
                break
        columns.append(features.features(conditions, slice(None))[:, : n // ROWS_A_FEATURE])
    left, singular, _ = np.linalg.svd(np.hstack(columns), full_matrices=False)
    return left[:, singular > 1e-8 * singular[0]]


def _numeric_copies(values: Floats, basis: Floats, orders: Ints) -> Floats:
    """Return copies in which what the conditions leave of the normal scores is exchanged."""
    scores = normal_scores(values)
    fitted = basis @ (basis.T @ scores)
    sums = fitted + (scores - fitted)[orders]
    ranks = np.argsort(np.argsort(sums, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(np.sort(values)[ranks])


def _nominal_copies(
    values: Floats, basis: Floats, orders: Ints, rng: np.random.Generator
) -> Floats:
    """Return copies drawn with the probabilities of labels given the conditions."""
    levels, codes = np.unique(values, return_inverse=True)
    indicators = (codes == np.arange(len(levels))[:, None]).astype(float)
    shares = np.maximum((indicators @ basis) @ basis.T, LEAST_PROBABILITY)
    upper = np.cumsum(shares / shares.sum(axis=0), axis=0)
    lower = np.vstack([np.zeros(len(values)), upper[:-1]])
    rows = np.arange(len(values))
    begin, end = lower[codes, rows], upper[codes, rows]
    placed = begin[orders] + rng.random(orders.shape) * (end - begin)[orders]
    return np.asarray(levels[(placed[:, None] >= upper[None, :-1]).sum(axis=1)])
