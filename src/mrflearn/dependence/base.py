"""What a dependence is: the protocol, a cache that counts, and a way to use several threads.

A dependence comes in two parts. A *specification* such as `KNN(n_neighbors=5)` is a small frozen
object that knows no data. Its `bind(table)` gives a *dependence*: conditional mutual informations
between the variables of that table, by position. Searches see dependences only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextvars import ContextVar
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import as_text
from mrflearn._progress import answered
from mrflearn.dependence.null import Null
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["Dependence", "Memo", "Question", "Specification", "TableDependence", "Threaded"]

Answer = TypeVar("Answer")


class Question(NamedTuple):
    """Ask for I(i; j | given) with every j among the candidates."""

    i: int
    candidates: Sequence[int]
    given: Sequence[int] = ()


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
    has_null: bool = False
    """Whether `null` knows how large estimates are by chance."""

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

    def null(self, i: int, candidates: Iterable[int], given: Iterable[int] = ()) -> Null:
        """Return how each answer would be distributed if i and j were independent given the rest.

        Where `has_null` is False, that has no closed form.
        """
        return self._null(*self._checked(i, candidates, given))

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

    def bind_alike(self, table: Table, dependence: Dependence) -> Dependence:
        """Return the dependence of `table` with what `dependence`, of another one, has learned.

        Most learn nothing from a table, and are bound as ever.
        """
        return self.bind(table)


def check_memory(needed: int, max_memory: int | None, what: str) -> None:
    """Refuse a bound on memory that cannot be kept."""
    if max_memory is not None and needed > max_memory:
        raise InputError(
            f"max_memory={as_text(max_memory, math.floor)} is too little: {what} takes at least "
            f"{as_text(needed)} beside the table"
        )


class TableDependence(Dependence):
    """A dependence estimated from a table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.n_variables = table.n_variables
        self._has_constants = bool(table.constant.any())

    def cmi_many(
        self, i: int, candidates: Iterable[int], given: Iterable[int] = ()
    ) -> NDArray[np.float64]:
        """Return I(i; j | given) for each candidate j.

        A constant shares no information, and tells nothing as a condition: both exactly.
        """
        node, others, conditions = self._checked(i, candidates, given)
        values = np.zeros(len(others))
        if not self._has_constants:
            return self._cmi_many(node, others, conditions) if others else values
        constant = self.table.constant
        asked = [at for at, j in enumerate(others) if not constant[j]]
        if asked and not constant[node]:
            varying = tuple(z for z in conditions if not constant[z])
            values[asked] = self._cmi_many(node, tuple(others[at] for at in asked), varying)
        return values

    def null(self, i: int, candidates: Iterable[int], given: Iterable[int] = ()) -> Null:
        """Return the null of each answer. With a constant the answer is always 0."""
        node, others, conditions = self._checked(i, candidates, given)
        constant = self.table.constant
        moments = np.zeros((3, len(others)))
        asked = [at for at, j in enumerate(others) if not constant[j]]
        if asked and not constant[node]:
            varying = tuple(z for z in conditions if not constant[z])
            found = self._null(node, tuple(others[at] for at in asked), varying)
            moments[:, asked] = found.mean, found.deviation, found.skewness
        return Null(*moments)


_helpers: ContextVar[tuple[Executor, int] | None] = ContextVar("helpers", default=None)


def in_parts(
    function: Callable[..., Answer], n_items: int, least: int, *arguments: Any
) -> list[Answer]:
    """Return function(begin, end, *arguments) for parts of range(n_items), in their order.

    Where `Threaded` lends its threads to a question, there are two parts for each of them, but
    none of fewer than `least` items, which would not be worth a thread; otherwise there is one.
    """
    helpers = _helpers.get()
    if helpers is None:
        return [function(0, n_items, *arguments)]
    pool, n_threads = helpers
    n_parts = max(1, min(2 * n_threads, n_items // least))
    bounds = [n_items * part // n_parts for part in range(n_parts + 1)]
    tasks = [pool.submit(function, begin, end, *arguments) for begin, end in pairwise(bounds)]
    wait(tasks)  # all of them, though one may fail: they write to arrays that others hold
    return [task.result() for task in tasks]


class Threaded(Dependence):
    """The same dependence, its questions spread over threads. Answers are the same bits."""

    def __init__(self, dependence: Dependence, n_jobs: int) -> None:
        self.inner = dependence
        self.n_jobs = n_jobs
        self.n_variables = dependence.n_variables
        self.symmetric = dependence.symmetric
        self.has_null = dependence.has_null
        self._pool = ThreadPoolExecutor(n_jobs)
        self._askers = ThreadPoolExecutor(
            2
        )  # who wait for others' work: not of the pool themselves

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        return self.cmi_batch([Question(i, candidates, given)])[0]

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer the questions, many of them one to a thread, few of them all threads together.

        Where a question is not divisible and more than a thread's share, its candidates are cut
        into tasks of their own, though they have work in common.
        """
        total = sum(len(question.candidates) for question in questions)
        if total < 2 * self.inner.grain or self.n_jobs == 1:
            return self.inner.cmi_batch(questions)
        share = max(self.inner.grain, -(-total // self.n_jobs))
        if self.inner.divisible and len(questions) < 2 * self.n_jobs:
            together: list[NDArray[np.float64]] = []
            for result in self._askers.map(self._answer_together, questions):
                together.append(result)
                answered(len(result))
            return together
        tasks: list[list[tuple[int, Question]]] = [[]]
        n_last = 0
        for position, (i, candidates, given) in enumerate(questions):
            for start in range(0, len(candidates), share):
                piece = Question(i, candidates[start : start + share], given)
                tasks[-1].append((position, piece))
                n_last += len(piece.candidates)
                if n_last >= max(self.inner.grain, share // 4):
                    tasks.append([])
                    n_last = 0
        answers: list[list[NDArray[np.float64]]] = [[] for _ in questions]
        for task, results in zip(tasks, self._pool.map(self._answer, tasks), strict=True):
            for (position, _), result in zip(task, results, strict=True):
                answers[position].append(result)
                answered(len(result))
        return [np.concatenate(parts) if parts else np.empty(0) for parts in answers]

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        before = _helpers.set((self._pool, self.n_jobs))
        try:
            return self.inner.null(i, candidates, given)
        finally:
            _helpers.reset(before)

    def _answer_together(self, question: Question) -> NDArray[np.float64]:
        before = _helpers.set((self._pool, self.n_jobs))
        try:
            return self.inner.cmi_many(*question)
        finally:
            _helpers.reset(before)

    def _answer(self, task: list[tuple[int, Question]]) -> list[NDArray[np.float64]]:
        return self.inner.cmi_batch([question for _, question in task])


def innermost(dependence: Dependence) -> Dependence:
    """Return a dependence without the memo and the threads around it."""
    while isinstance(dependence, (Memo, Threaded)):
        dependence = dependence.inner
    return dependence


class Memo(Dependence):
    """The same dependence, each value evaluated once.

    Attributes
    ----------
    n_evaluations : int
        Values asked of the dependence inside, each direction of a pair counted unless they are
        the same value.
    """

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables
        self.symmetric = dependence.symmetric
        self.has_null = dependence.has_null
        self.n_evaluations = 0
        self._known: dict[_Condition, _Values] = {}

    @classmethod
    def around(cls, dependence: Dependence) -> Memo:
        """Return `dependence` itself if it is a memo already."""
        return dependence if isinstance(dependence, cls) else cls(dependence)

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        return self.cmi_batch([Question(i, candidates, given)])[0]

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer the questions, passing on only what is not known yet."""
        checked = [self._checked(*question) for question in questions]
        asked: list[Question] = []
        waiting: dict[_Condition, set[int]] = {}
        for i, candidates, given in checked:
            known = self._values((i, given), len(candidates))
            both_ways = self.symmetric or not given
            first_asked = waiting.setdefault((i, given), set())
            unknown = []
            for j in candidates:
                if j in first_asked or not math.isnan(known[j]):
                    continue
                if both_ways:
                    if i in waiting.get((j, given), ()):
                        continue
                    if (j, given) in self._known and not math.isnan(self._known[j, given][i]):
                        known[j] = self._known[j, given][i]
                        continue
                first_asked.add(j)
                unknown.append(j)
            if unknown:
                asked.append(Question(i, unknown, given))
            answered(len(candidates) - len(unknown))
        for question, answer in zip(asked, self.inner.cmi_batch(asked), strict=True):
            i, others, given = question.i, question.candidates, tuple(question.given)
            self.n_evaluations += len(others)
            if np.isnan(answer).any():
                raise ValueError(
                    f"the dependence returned NaN for variable {i} given {list(given)}; "
                    "a dependence must return numbers"
                )
            known = self._known[i, given]
            for j, value in zip(others, answer.tolist(), strict=True):
                known[j] = value
        answers = []
        for i, candidates, given in checked:
            known = self._known[i, given]
            for j in candidates:
                if math.isnan(known[j]):  # asked the other way round in this batch
                    known[j] = self._known[j, given][i]
            answers.append(np.array([known[j] for j in candidates], dtype=float))
        return answers

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        return self.inner.null(i, candidates, given)

    def _values(self, condition: _Condition, n_asked: int) -> _Values:
        """Return the values known under a condition: an array if many are asked for."""
        known = self._known.get(condition)
        if known is None or (isinstance(known, _Few) and 8 * n_asked > self.n_variables):
            few = known or _Few()
            known = few
            if 8 * n_asked > self.n_variables:
                known = array("d", [math.nan]) * self.n_variables
                for j, value in few.items():
                    known[j] = value
            self._known[condition] = known
        return known


class _Few(dict[int, float]):
    """Values of a few candidates; NaN for all others."""

    def __missing__(self, j: int) -> float:
        return math.nan


_Condition = tuple[int, tuple[int, ...]]
_Values: TypeAlias = "_Few | array[float]"
