"""What is answered ahead changes no result, and no count of what was asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.dependence import Gaussian, Memo, Question
from mrflearn.dependence.base import Dependence
from mrflearn.search import gs_mple
from mrflearn.table import as_table


class Roomy(Dependence):
    """A dependence that has room for more questions than it is asked."""

    def __init__(self, inner: Dependence, capacity: int) -> None:
        self.inner, self.room, self.n_answered = inner, capacity, 0
        self.n_variables, self.symmetric = inner.n_variables, inner.symmetric

    @property
    def capacity(self):
        return self.room

    def _cmi_many(self, i, candidates, given):
        self.n_answered += len(candidates)
        return self.inner.cmi_many(i, candidates, given)


class Numbers(Dependence):
    """Values without rhyme or reason, some of them equal, one for each question."""

    def __init__(self, n_variables, seed, symmetric):
        self.n_variables, self.seed, self.symmetric = n_variables, seed, symmetric

    def _cmi_many(self, i, candidates, given):
        return np.array([self._value(i, j, given) for j in candidates])

    def _value(self, i, j, given):
        ends = sorted((i, j)) if self.symmetric or not given else (i, j)
        rng = np.random.default_rng([self.seed, *ends, 99, *given])
        return rng.integers(-2, 8) / 4


def searched(dependence, refine=None):
    memo = Memo(dependence)
    return gs_mple.path(memo, [1.5, 0.6, 0.2], refine=refine), memo


@settings(deadline=None)
@given(
    n_variables=st.integers(2, 7),
    seed=st.integers(0, 10_000),
    symmetric=st.booleans(),
    capacity=st.sampled_from([1, 5, 30, 10_000]),
    refine=st.sampled_from([None, "alternate", "pairs"]),
)
def test_answers_ahead_change_nothing(n_variables, seed, symmetric, capacity, refine):
    plain, asked = searched(Numbers(n_variables, seed, symmetric), refine)
    roomy = Roomy(Numbers(n_variables, seed, symmetric), capacity)
    found, memo = searched(roomy, refine)
    assert found == plain
    assert memo.n_evaluations == asked.n_evaluations
    assert roomy.n_answered == memo.n_evaluations + memo.n_ahead - memo.n_foreseen


def test_most_of_what_is_answered_ahead_is_asked_for_where_edges_are_apart():
    """Of ten pairs that have nothing to do with each other, the next best is the next."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    X[:, 10:] += X[:, :10]
    dependence = Gaussian().bind(as_table(X))
    _, memo = searched(Roomy(dependence, 80))
    assert memo.n_foreseen >= 0.8 * memo.n_ahead > 0


def test_nothing_is_answered_ahead_without_room():
    _, memo = searched(Numbers(6, 1, True))
    assert memo.n_ahead == memo.n_foreseen == 0


@pytest.mark.parametrize("both", [True, False])
def test_a_value_found_earlier_is_counted_when_it_is_asked_for(both):
    memo = Memo(Numbers(5, 3, symmetric=both))
    memo.remember(Question(0, (1, 2), (3,)), [0.25, 0.5])
    assert memo.n_evaluations == 0
    assert memo.cmi(0, 1, [3]) == 0.25
    assert memo.n_evaluations == 1
    other = memo.cmi(2, 0, [3])
    assert (other == 0.5) == both
    assert memo.n_evaluations == 2


@pytest.mark.parametrize("method", ["cmi_batch", "cmi_once"])
def test_of_a_long_batch_that_is_stopped_what_was_answered_is_kept(method, monkeypatch):
    monkeypatch.setattr("mrflearn.dependence.memo.FIRST", 3)
    monkeypatch.setattr("mrflearn.dependence.memo.SECONDS", 0.0)  # a portion is one question

    class Stopped(Numbers):
        def _cmi_many(self, i, candidates, given):
            if i == 5:
                raise KeyboardInterrupt
            return super()._cmi_many(i, candidates, given)

    kept = {}

    def keep(questions, answers):
        for question, answer in zip(questions, answers, strict=True):
            kept[question.i] = answer.tolist()

    questions = [Question(i, [8, 9]) for i in range(7)]
    with pytest.raises(KeyboardInterrupt):
        getattr(Memo(Stopped(10, 0, True), keep), method)(questions)
    whole = Memo(Numbers(10, 0, True), keep=None).cmi_batch(questions)
    assert kept == {i: whole[i].tolist() for i in range(5)}


def test_portions_change_no_answer_and_grow():
    sizes = []

    class Counted(Numbers):
        def cmi_batch(self, questions):
            sizes.append(sum(len(question.candidates) for question in questions))
            return super().cmi_batch(questions)

    questions = [Question(i, range(i + 1, 60)) for i in range(59)]
    found = Memo(Counted(60, 1, True), lambda *_: None).cmi_batch(questions)
    assert len(sizes) > 1
    assert sizes[1] > sizes[0]
    assert sum(sizes) == 59 * 30
    whole = Memo(Numbers(60, 1, True)).cmi_batch(questions)
    assert [one.tolist() for one in found] == [one.tolist() for one in whole]
