"""What a dependence is: the protocol.

A dependence comes in two parts. A *specification* such as `KNN(n_neighbors=5)` is a small frozen
object that knows no data. Its `bind(table)` gives a *dependence*: conditional mutual informations
between the variables of that table, by position. Searches see dependences only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import answered
from mrflearn.dependence.null import N_ROWS, Null
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = [
    "Around",
    "BatchedDependence",
    "Dependence",
    "PlainQuestion",
    "Question",
    "Specification",
    "TableDependence",
]


class Question(NamedTuple):
    """Ask for I(i; j | given) with every j among the candidates."""

    i: int
    candidates: Sequence[int]
    given: Sequence[int] = ()


PlainQuestion = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A variable, candidates, and a condition, which is sorted."""


class Dependence(ABC):
    """Conditional mutual information, in nats, between variables numbered from 0.

    A value depends on `i`, `j` and the *set* `given` alone: not on the order of `given`, nor on
    what else is asked in the same call or was asked before. With an empty `given` every
    dependence is symmetric in `i` and `j`; `symmetric` says whether it always is. Where it is not,
    `i` is the node whose neighbourhood conditions. Estimates may be negative.
    """

    n_variables: int
    symmetric: bool
    grain: int = 1
    """Candidates that are enough work for a thread."""
    divisible: bool = False
    """Whether it hands the parts of one question to `in_parts`."""
    batched: bool = False
    """Whether many questions are better asked together than spread over threads."""
    has_null: bool = False
    """Whether `null` knows how large estimates are by chance."""
    has_likelihood: bool = False
    """Whether `node_likelihood` gives the objective of a graph exactly, whatever led to it."""

    saves_checks: bool = False
    """Whether `tested_cmi` may be smaller than `cmi`, which saves checks of small values."""

    tolerance: float = 0.0
    """Nats that estimates may exceed 0 by, beyond chance, where variables are independent."""

    @property
    def capacity(self) -> int:
        """Values that are answered together in the time of one; 0 if there are none to spare."""
        return 0

    @abstractmethod
    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Answer one question whose arguments are checked and whose `given` is sorted."""

    def cmi_many(
        self, i: int, candidates: Iterable[int], given: Iterable[int] = ()
    ) -> NDArray[np.float64]:
        """Return I(i; j | given) for each candidate j; what they share is computed once."""
        node, others, conditions = self._checked(i, candidates, given)
        if not others:
            return np.empty(0)
        return self._cmi_many(node, others, conditions)

    def _checked(
        self, i: int, candidates: Iterable[int], given: Iterable[int]
    ) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """Return a question as plain numbers, `given` sorted, or say what is wrong with it."""
        try:
            node, others = index(i), tuple(map(index, candidates))
            conditions = tuple(sorted(set(map(index, given))))
        except TypeError as error:
            raise InputError(f"variables are whole numbers, from 0: {error}") from None
        asked = {node, *others}
        for variable in (min(asked), max(asked), *conditions[:1], *conditions[-1:]):
            if not 0 <= variable < self.n_variables:
                raise InputError(
                    f"variable {variable} is out of range: there are {self.n_variables}, "
                    "numbered from 0"
                )
        if node in others or not asked.isdisjoint(conditions):
            raise InputError(
                f"i={node}, the candidates {list(others)} and given={list(conditions)} must be "
                "different variables"
            )
        return node, others, conditions

    def cmi(self, i: int, j: int, given: Iterable[int] = ()) -> float:
        """Return I(i; j | given)."""
        return float(self.cmi_many(i, (j,), given)[0])

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer many independent questions, in their order."""
        answers = []
        for question in questions:
            answers.append(self.cmi_many(*question))
            answered(len(answers[-1]))
        return answers

    def node_likelihood(self, i: int, given: Iterable[int]) -> float:
        """Return the mean log likelihood of a variable given others, less that given none.

        Where `has_likelihood` is False there is none.
        """
        raise InputError(f"{type(self).__name__} has no likelihood of a variable given others")

    def joint_gains(
        self, i: int, others: Sequence[int], given: Iterable[int]
    ) -> NDArray[np.float64] | None:
        """Return about how much each two of some variables tell of `i` together, in nats.

        A cheap value that says which pairs are worth a question, -inf on the diagonal; None where
        there is no such value.
        """
        return None

    def null(self, i: int, candidates: Iterable[int], given: Iterable[int] = ()) -> Null:
        """Return how each answer would be distributed if i and j were independent given the rest.

        Where `has_null` is False, that has no closed form.
        """
        return self._null(*self._checked(i, candidates, given))

    def tested_cmi(self, i: int, j: int, given: Iterable[int]) -> float:
        """Return I(i; j | given) for a test, where a search may have saved checks of small ones."""
        return self.cmi(i, j, given)

    def is_determined(self, i: int, given: Iterable[int]) -> bool:
        """Return whether others determine a variable, so that it shares nothing more."""
        return False

    def independence_bound(self, i: int, given: Iterable[int]) -> float:
        """Return the gain below which node i shows that it is independent of a variable.

        Given its neighbors, whatever the other end says; -inf where it cannot show that.
        """
        return -math.inf

    def null_correlations(
        self, conditions: Sequence[Sequence[int]]
    ) -> list[tuple[float, NDArray[np.float64]]] | None:
        """Return how much I(i; j | N(i)) and I(j; i | N(j)) rise and fall together by chance.

        Each answer is the square of a normal variable if i and j are independent; those of the two
        ends have a correlation. None stands for 1: both exceed a value together.

        Parameters
        ----------
        conditions : sequence of sequences
            N(i), for each i.

        Returns
        -------
        list of (float, ndarray of shape (n_variables, n_variables)) or None
            Shares of a mixture, which add up to 1, and the correlations of each part.
        """
        return None

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Answer one question whose arguments are checked and whose `given` is sorted."""
        raise InputError(
            f"{type(self).__name__} does not say how large its estimates are by chance: use the "
            "default dependence, 'plugin', 'gaussian' or 'copula'"
        )


class Specification(ABC):
    """What is to be estimated and how, before any data are known."""

    @abstractmethod
    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`.

        Parameters
        ----------
        table : Table
            The data.
        max_memory : int, optional
            Bytes of working memory that one call may use, beside the table. Too few are refused;
            the answers do not depend on it.
        """


class TableDependence(Dependence):
    """A dependence estimated from a table.

    A constant shares no information, and tells nothing as a condition: both exactly.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.n_variables = table.n_variables
        self._has_constants = bool(table.constant.any())

    def cmi_many(
        self, i: int, candidates: Iterable[int], given: Iterable[int] = ()
    ) -> NDArray[np.float64]:
        """Return I(i; j | given) for each candidate j."""
        question = self._checked(i, candidates, given)
        values = np.zeros(len(question[1]))
        places, varying = self._without_constants(question)
        if places:
            values[places] = self._cmi_many(*varying)
        return values

    def null(self, i: int, candidates: Iterable[int], given: Iterable[int] = ()) -> Null:
        """Return the null of each answer. With a constant the answer is always 0."""
        question = self._checked(i, candidates, given)
        rows = np.zeros((N_ROWS, len(question[1])))
        places, varying = self._without_constants(question)
        if places:
            rows[:, places] = self._null(*varying).rows
        return Null.from_rows(rows)

    def _without_constants(self, question: PlainQuestion) -> tuple[list[int], PlainQuestion]:
        """Return the places of the candidates that need an answer, and what to ask for it."""
        i, candidates, given = question
        if not self._has_constants:
            return list(range(len(candidates))), question
        constant = self.table.constant
        if constant[i]:
            return [], question
        places = [at for at, j in enumerate(candidates) if not constant[j]]
        varying = tuple(z for z in given if not constant[z])
        return places, (i, tuple(candidates[at] for at in places), varying)


class BatchedDependence(TableDependence):
    """A dependence of a table whose questions are answered together; if `batched`, many of them."""

    @abstractmethod
    def _cmi_batch(self, questions: list[PlainQuestion]) -> list[NDArray[np.float64]]:
        """Answer questions that are checked and have no constants in them."""

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        return self._cmi_batch([(i, candidates, given)])[0]

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer many independent questions, in their order."""
        if not self.batched:
            return super().cmi_batch(questions)
        checked = [self._checked(*question) for question in questions]
        answers = [np.zeros(len(candidates)) for _, candidates, _ in checked]
        asked = [self._without_constants(question) for question in checked]
        to_ask = [(at, *pair) for at, pair in enumerate(asked) if pair[0]]
        found = self._cmi_batch([question for _, _, question in to_ask])
        for (at, places, _), values in zip(to_ask, found, strict=True):
            answers[at][places] = values
        answered(sum(map(len, answers)))
        return answers


class Around(Dependence):
    """The same dependence, its batches answered in another way; the answers are the same bits."""

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables
        self.symmetric = dependence.symmetric
        self.has_null = dependence.has_null
        self.has_likelihood = dependence.has_likelihood
        self.saves_checks = dependence.saves_checks
        self.tolerance = dependence.tolerance

    @abstractmethod
    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer many independent questions, in their order."""

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        return self.cmi_batch([Question(i, candidates, given)])[0]

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        return self.inner.null(i, candidates, given)

    def tested_cmi(self, i: int, j: int, given: Iterable[int]) -> float:
        """Return I(i; j | given) for a test; see `Dependence.tested_cmi`."""
        return self.inner.tested_cmi(i, j, given) if self.saves_checks else self.cmi(i, j, given)

    def is_determined(self, i: int, given: Iterable[int]) -> bool:
        """Return whether others determine a variable; see `Dependence.is_determined`."""
        return self.inner.is_determined(i, given)

    def independence_bound(self, i: int, given: Iterable[int]) -> float:
        """Return the bound of the dependence; see `Dependence.independence_bound`."""
        return self.inner.independence_bound(i, given)

    def null_correlations(
        self, conditions: Sequence[Sequence[int]]
    ) -> list[tuple[float, NDArray[np.float64]]] | None:
        """Return how much the answers of both ends rise and fall together by chance."""
        return self.inner.null_correlations(conditions)

    def node_likelihood(self, i: int, given: Iterable[int]) -> float:
        """Return the mean log likelihood of a variable given others."""
        return self.inner.node_likelihood(i, given)

    def joint_gains(
        self, i: int, others: Sequence[int], given: Iterable[int]
    ) -> NDArray[np.float64] | None:
        """Return about how much each two of some variables tell of `i` together."""
        return self.inner.joint_gains(i, others, given)
