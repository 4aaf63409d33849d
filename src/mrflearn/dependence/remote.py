"""Questions answered by other processes, in pieces that are worth the journey."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import answered
from mrflearn.dependence.base import Around, Dependence, Question
from mrflearn.work import Executor

__all__ = ["Remote"]

PIECE = 0.05
"""Seconds of work in a piece, at least."""

WORTHWHILE = 10
"""How many times longer than it takes to send should a piece take to work on, at least."""

FIRST = 8
"""Values in the first pieces, before it is known how long one takes."""

WORTH = 0.01
"""Seconds of work that are done here: it would be back no sooner."""


class Remote(Around):
    """The same dependence, its questions answered by an executor. Answers are the same bits.

    Attributes
    ----------
    n_pieces : int
        Pieces of work that were sent.
    seconds : float
        What workers were busy for with them, in all.
    """

    def __init__(self, dependence: Dependence, executor: Executor) -> None:
        super().__init__(dependence)
        self.executor = executor
        self.n_pieces = 0
        self.seconds = 0.0
        self._shared = executor.share(dependence)
        self._of_one: float | None = None  # seconds for a value, lately

    @property
    def capacity(self) -> int:
        """Values that keep all workers busy for one piece each."""
        return self.executor.n_workers * self._usual_size()

    def cmi_batch(self, questions: Sequence[Question]) -> list[NDArray[np.float64]]:
        """Answer the questions, cut into pieces that all workers share."""
        total = sum(len(question.candidates) for question in questions)
        if self._of_one is not None and total * self._of_one < WORTH:
            return self.inner.cmi_batch(questions)
        answers = [np.empty(len(question.candidates)) for question in questions]
        sent: list[list[_Part]] = []
        for number, (values, seconds) in self.executor.answers(
            _answer, self._shared, self._pieces(questions, total, sent)
        ):
            piece = sent[number]
            for (position, begin, question), found in zip(piece, values, strict=True):
                answers[position][begin : begin + len(question.candidates)] = found
            n_values = sum(len(question.candidates) for _, _, question in piece)
            answered(n_values)
            lately = seconds / n_values
            self._of_one = lately if self._of_one is None else (self._of_one + lately) / 2
            self.n_pieces += 1
            self.seconds += seconds
        return answers

    def _usual_size(self) -> int:
        """Return how many values a piece has where there are many.

        While one worker is busy with it, all others can be sent theirs.
        """
        sending = (WORTHWHILE + self.executor.n_workers) * self.executor.overhead
        return FIRST if self._of_one is None else self._n_values(max(PIECE, sending))

    def _n_values(self, seconds: float) -> int:
        return max(1, int(seconds / max(self._of_one or 0.0, 1e-9)))

    def _size(self, n_left: int) -> int:
        """Return how many values to send next: the usual, or even parts of what is left.

        These are no more parts than workers, and none of them too small to be worth sending.
        """
        if self._of_one is None:
            return min(FIRST, -(-n_left // self.executor.n_workers))
        least = self._n_values(WORTHWHILE * self.executor.overhead)
        n_parts = min(self.executor.n_workers, max(1, n_left // least))
        return max(1, min(self._usual_size(), -(-n_left // n_parts)))

    def _pieces(
        self, questions: Sequence[Question], total: int, sent: list[list[_Part]]
    ) -> Iterator[list[Question]]:
        """Put parts together, as they are asked for: by then it is better known what they take."""
        piece: list[_Part] = []
        room, rest = 0, total
        for part in self._parts(questions):
            n_values = len(part[-1].candidates)
            if piece and n_values > room:
                sent.append(piece)
                yield [question for _, _, question in piece]
                piece = []
            if not piece:
                room = self._size(rest)
            piece.append(part)
            room, rest = room - n_values, rest - n_values
        if piece:
            sent.append(piece)
            yield [question for _, _, question in piece]

    def _parts(self, questions: Sequence[Question]) -> Iterator[_Part]:
        """Yield questions whole, since their candidates have work in common.

        They are cut only where there are fewer than workers, or where one is much work.
        """
        n_asked = sum(1 for question in questions if question.candidates)
        least = self._n_values(WORTHWHILE * self.executor.overhead)
        for position, (i, candidates, given) in enumerate(questions):
            n_parts = -(-self.executor.n_workers // n_asked) if candidates else 0
            n_parts = min(n_parts, max(1, len(candidates) // least)) if self._of_one else n_parts
            n_parts = max(n_parts, len(candidates) // (4 * self._usual_size()))
            bounds = [len(candidates) * part // max(n_parts, 1) for part in range(n_parts + 1)]
            for begin, end in pairwise(bounds):
                if end > begin:
                    yield position, begin, Question(i, tuple(candidates[begin:end]), tuple(given))


_Part = tuple[int, int, Question]
"""A part of a question: the position of that, and of its first candidate there."""


def _answer(dependence: Dependence, piece: list[Any]) -> tuple[list[NDArray[np.float64]], float]:
    """Return the answers to a piece, and how long they took."""
    begun = time.perf_counter()
    values = dependence.cmi_batch(piece)
    return values, time.perf_counter() - begun
