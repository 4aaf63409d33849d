"""Questions spread over threads, or the parts of one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import answered
from mrflearn.dependence.base import Around, Dependence, Question
from mrflearn.dependence.null import Null

__all__ = ["Threaded", "in_parts"]

Answer = TypeVar("Answer")

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


class Threaded(Around):
    """The same dependence, its questions spread over threads. Answers are the same bits."""

    def __init__(self, dependence: Dependence, n_jobs: int) -> None:
        super().__init__(dependence)
        self.n_jobs = n_jobs
        self._pool = ThreadPoolExecutor(n_jobs)
        self._askers = ThreadPoolExecutor(2)  # they wait for others' work, so not of the pool

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
        with self._helping():
            return super()._null(i, candidates, given)

    def _answer_together(self, question: Question) -> NDArray[np.float64]:
        with self._helping():
            return self.inner.cmi_many(*question)

    @contextmanager
    def _helping(self) -> Iterator[None]:
        """Lend the threads to whoever answers one question in parts."""
        before = _helpers.set((self._pool, self.n_jobs))
        try:
            yield
        finally:
            _helpers.reset(before)

    def _answer(self, task: list[tuple[int, Question]]) -> list[NDArray[np.float64]]:
        return self.inner.cmi_batch([question for _, question in task])
