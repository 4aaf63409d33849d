"""A cache of values that counts them, in the middle between searches and dependences."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import answered
from mrflearn.dependence.base import Around, Dependence, Question

__all__ = ["Keep", "Memo"]

FIRST, GROWTH = 256, 4
"""Values in the first portion whose answers are kept, and how many times more a next may have."""

SECONDS = 2.0
"""That a portion should take: what a crash may cost. Workers wait for each other after each."""


class Memo(Around):
    """The same dependence, each value evaluated once.

    Some may be evaluated before they are asked for: those that are likely to be asked for soon,
    where workers would be idle, and those of an earlier run. Answers are the same.

    Attributes
    ----------
    n_evaluations : int
        Values asked for, each direction of a pair counted unless they are the same value.
    n_ahead : int
        Values that were evaluated since they were likely to be asked for.
    n_foreseen : int
        Those of them that were.
    """

    def __init__(self, dependence: Dependence, keep: Keep | None = None) -> None:
        super().__init__(dependence)
        self.n_evaluations = self.n_ahead = self.n_foreseen = 0
        self._keep = keep
        self._portion = max(FIRST, dependence.capacity)
        self._known: dict[_Condition, _Values] = {}
        self._asked_given: dict[tuple[int, ...], set[int]] = {}  # who has values, by condition
        self._ahead: dict[_Condition, dict[int, float]] = {}
        self._likely: set[tuple[_Condition, int]] = set()
        self._of_nodes: dict[tuple[str, int, frozenset[int]], float] = {}

    @classmethod
    def around(cls, dependence: Dependence) -> Memo:
        """Return `dependence` itself if it is a memo already."""
        return dependence if isinstance(dependence, cls) else cls(dependence)

    def independence_bound(self, i: int, given: Iterable[int]) -> float:
        """Return the gain below which node i shows independence, evaluated once."""
        return self._of_node("bound", i, frozenset(given), self.inner.independence_bound)

    def node_likelihood(self, i: int, given: Iterable[int]) -> float:
        """Return the mean log likelihood of a variable given others, evaluated once."""
        return self._of_node("likelihood", i, frozenset(given), self.inner.node_likelihood)

    def _of_node(
        self, what: str, i: int, given: frozenset[int], evaluate: Callable[..., float]
    ) -> float:
        key = what, i, given
        if key not in self._of_nodes:
            self._of_nodes[key] = evaluate(i, given)
        return self._of_nodes[key]

    def remember(self, question: Question, answer: Iterable[float]) -> None:
        """Take an answer that was found earlier."""
        ahead = self._ahead.setdefault((question.i, tuple(question.given)), {})
        ahead.update(zip(question.candidates, answer, strict=True))

    def know(self, question: Question, answer: NDArray[np.float64]) -> None:
        """Take an answer to what was asked for already, by `cmi_once`."""
        known = self._values((question.i, tuple(question.given)), len(question.candidates))
        _put(known, question.candidates, answer)

    def cmi_once(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer questions that will not be asked again: their answers are not remembered."""
        earlier = [self._ahead.get((asked.i, tuple(asked.given)), {}) for asked in questions]
        unknown = [
            Question(asked.i, [j for j in asked.candidates if j not in known], asked.given)
            for asked, known in zip(questions, earlier, strict=True)
        ]
        answers = []
        for asked, known, rest, found in zip(
            questions, earlier, unknown, self._answers(unknown), strict=True
        ):
            self.n_evaluations += len(asked.candidates)
            answered(len(asked.candidates) - len(found))
            if len(found) == len(asked.candidates):
                answers.append(found)
            else:
                own = known | dict(zip(rest.candidates, found.tolist(), strict=True))
                answers.append(np.array([own[j] for j in asked.candidates], dtype=float))
        return answers

    def cmi_batch(
        self, questions: Sequence[Question], likely: Iterable[Question] = ()
    ) -> list[NDArray[np.float64]]:
        """Answer the questions, passing on only what is not known yet.

        Those that are `likely` to come next are answered ahead, as many as workers have room for.
        """
        checked = [self._checked(*question) for question in questions]
        asked: list[Question] = []
        waiting: dict[_Condition, set[int]] = {}
        for i, candidates, given in checked:
            unknown = self._unknown(i, candidates, given, waiting)
            if unknown:
                asked.append(Question(i, unknown, given))
            answered(len(candidates) - len(unknown))
        ahead = self._worth_asking(asked, likely)
        found = self._answers([*asked, *ahead])
        for question, answer in zip(asked, found, strict=False):
            self.n_evaluations += len(question.candidates)
            known = self._known[question.i, tuple(question.given)]
            _put(known, question.candidates, answer)
        for question, answer in zip(ahead, found[len(asked) :], strict=True):
            self.remember(question, answer.tolist())
        answers = []
        for i, candidates, given in checked:
            known = self._known[i, given]
            for j in _without_value(known, candidates):  # asked the other way round in this batch
                known[j] = self._known[j, given][i]
            if isinstance(known, _Few):
                answers.append(np.array([known[j] for j in candidates], dtype=float))
            else:
                answers.append(known[list(candidates)])
        return answers

    def _unknown(
        self,
        i: int,
        candidates: tuple[int, ...],
        given: tuple[int, ...],
        waiting: dict[_Condition, set[int]],
    ) -> list[int]:
        """Return the candidates whose value is neither known nor asked for in this batch."""
        known = self._values((i, given), len(candidates))
        both_ways = self.symmetric or not given
        first_asked = waiting.setdefault((i, given), set())
        others = self._asked_given[given]
        missing = _without_value(known, candidates)
        if not first_asked and not self._ahead and (not both_ways or others == {i}):
            first_asked.update(missing)
            return missing
        unknown = []
        for j in missing:
            if j in first_asked:
                continue
            if both_ways and j in others:
                if i in waiting.get((j, given), ()):
                    continue
                value = self._known[j, given][i]
                if not math.isnan(value):
                    known[j] = value
                    continue
            value = self._evaluated_ahead(i, j, given, both_ways)
            if not math.isnan(value):
                known[j] = value
                self.n_evaluations += 1
                continue
            first_asked.add(j)
            unknown.append(j)
        return unknown

    def _evaluated_ahead(self, i: int, j: int, given: tuple[int, ...], both_ways: bool) -> float:
        """Return a value that was evaluated before it was asked for, now; NaN if it was not."""
        if not self._ahead:
            return math.nan
        for one, other in ((i, j), (j, i))[: 1 + both_ways]:
            value = self._ahead.get((one, given), {}).pop(other, math.nan)
            if not math.isnan(value):
                key = ((one, given), other)
                if key in self._likely:
                    self._likely.discard(key)
                    self.n_foreseen += 1
                return value
        return math.nan

    def _worth_asking(
        self, asked: Sequence[Question], likely: Iterable[Question]
    ) -> list[Question]:
        """Return likely questions that workers have room for beside those asked."""
        room = self.inner.capacity - sum(len(question.candidates) for question in asked)
        found: list[Question] = []
        if not asked or room <= 0:
            return found
        for question in likely:
            i, candidates, given = self._checked(*question)
            both_ways = self.symmetric or not given
            new = [j for j in candidates if not self._has(i, j, given, both_ways)]
            if len(new) > room:  # one worker would be busy with it while others wait
                break
            if not new:
                continue
            found.append(Question(i, new, given))
            self._likely.update(((i, given), j) for j in new)
            self.n_ahead += len(new)
            room -= len(new)
        return found

    def _has(self, i: int, j: int, given: tuple[int, ...], both_ways: bool) -> bool:
        """Whether a value was evaluated, or is asked for."""
        for one, other in ((i, j), (j, i))[: 1 + both_ways]:
            condition = (one, given)
            if condition in self._known and not math.isnan(self._known[condition][other]):
                return True
            if other in self._ahead.get(condition, ()) or (condition, other) in self._likely:
                return True
        return False

    def _answers(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Return answers from the dependence; where they are kept, a portion at a time."""
        if self._keep is None:
            answers = self.inner.cmi_batch(questions)
            _refuse_nan(questions, answers)
            return answers
        answers = []
        while len(answers) < len(questions):
            begun, n_values = len(answers), 0
            end = begun
            while end < len(questions) and (end == begun or n_values < self._portion):
                n_values += len(questions[end].candidates)
                end += 1
            portion, when = questions[begun:end], time.monotonic()
            found = self.inner.cmi_batch(portion)
            taken = time.monotonic() - when
            _refuse_nan(portion, found)
            self._keep(portion, found)
            answers += found
            most = GROWTH * self._portion
            self._portion = max(1, min(most, int(n_values * SECONDS / max(taken, 1e-9))))
        return answers

    def _values(self, condition: _Condition, n_asked: int) -> _Values:
        """Return the values known under a condition: an array if many are asked for."""
        known = self._known.get(condition)
        if known is None:
            self._asked_given.setdefault(condition[1], set()).add(condition[0])
        if known is None or (isinstance(known, _Few) and 8 * n_asked > self.n_variables):
            few = _Few() if known is None else known
            known = few
            if 8 * n_asked > self.n_variables:
                known = np.full(self.n_variables, math.nan)
                known[list(few)] = list(few.values())
            self._known[condition] = known
        return known


def _refuse_nan(questions: Sequence[Question], answers: Sequence[NDArray[np.float64]]) -> None:
    for question, answer in zip(questions, answers, strict=True):
        if np.isnan(answer).any():
            raise ValueError(
                f"the dependence returned NaN for variable {question.i} given "
                f"{list(question.given)}; a dependence must return numbers"
            )


def _put(known: _Values, candidates: Sequence[int], answer: NDArray[np.float64]) -> None:
    """Write down the values of some candidates."""
    if isinstance(known, _Few):
        known.update(zip(candidates, answer.tolist(), strict=True))
    else:
        known[list(candidates)] = answer


def _without_value(known: _Values, candidates: tuple[int, ...]) -> list[int]:
    """Return the candidates whose value is not known."""
    if isinstance(known, _Few):
        return [j for j in candidates if math.isnan(known[j])]
    asked = np.array(candidates, dtype=np.intp)
    missing: list[int] = asked[np.isnan(known[asked])].tolist()
    return missing


class _Few(dict[int, float]):
    """Values of a few candidates; NaN for all others."""

    def __missing__(self, j: int) -> float:
        return math.nan


Keep = Callable[[Sequence[Question], Sequence[NDArray[np.float64]]], None]
"""Called with questions and their answers, for whoever wants to keep them."""

_Condition = tuple[int, tuple[int, ...]]
_Values: TypeAlias = "_Few | NDArray[np.float64]"
