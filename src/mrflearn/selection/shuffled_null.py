"""How large estimates are by chance where no closed form is known: from shuffled copies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.checkpoint import current
from mrflearn.dependence.base import Dependence, Question, Specification
from mrflearn.dependence.null import Null
from mrflearn.selection.shuffles import shuffled_orders, smoother_of, with_copies
from mrflearn.table import Table

__all__ = ["Shuffled"]


class Shuffled(Dependence):
    """The same dependence, with a null from copies that know what the conditions tell.

    Mean and deviation are those of the copies' estimates, for each candidate; the skewness, of
    which few copies say little, is that of all candidates together. The copies of a question depend
    on `i` and `given` alone, not on what was asked before.

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
        rng = np.random.default_rng(seed)
        orders = shuffled_orders(self.table, i, given, self.n_shuffles, rng)
        smoother = smoother_of(self.table, given)
        copies = with_copies(self.table, i, [*candidates, *given], smoother, orders, rng)
        if self.max_memory is None:
            return self.specification.bind(copies)
        return self.specification.bind(copies, self.max_memory)
