"""Questions answered elsewhere: the same bits, in any order of completion, in pieces of a size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.dependence import KNN, Gaussian, Question, remote
from mrflearn.dependence.remote import Remote
from mrflearn.table import as_table
from mrflearn.work import Executor

TABLE = as_table(np.random.default_rng(0).normal(size=(60, 8)))


class ConditionalPermutation(Executor):
    """One that finishes its work in any order."""

    elsewhere = True

    def __init__(self, n_workers, seed):
        self.n_workers, self.rng, self.sizes = n_workers, np.random.default_rng(seed), []

    def answers(self, work, shared, items):
        done = [(number, work(shared.value, item)) for number, item in enumerate(items)]
        for _, (values, _) in done:
            self.sizes.append(sum(map(len, values)))
        for at in self.rng.permutation(len(done)):
            yield done[at]


@st.composite
def questions(draw):
    order = draw(st.permutations(range(8)))
    n_given = draw(st.integers(0, 3))
    n_candidates = draw(st.integers(0, 7 - n_given))
    return Question(order[0], order[1 : 1 + n_candidates], order[8 - n_given :] if n_given else ())


@settings(deadline=None)
@given(
    asked=st.lists(questions(), max_size=12),
    n_workers=st.integers(1, 5),
    seed=st.integers(0, 1000),
    seconds=st.sampled_from([None, 1e-9, 1e-3, 0.02, 10.0]),
)
def test_answers_are_the_same_bits_whoever_gives_them(asked, n_workers, seed, seconds):
    inner = Gaussian().bind(TABLE)
    found = Remote(inner, ConditionalPermutation(n_workers, seed))
    found._of_one = seconds
    for answer, expected in zip(found.cmi_batch(asked), inner.cmi_batch(asked), strict=True):
        np.testing.assert_array_equal(answer, expected)


def test_pieces_are_as_large_as_they_are_worth(monkeypatch):
    executor = ConditionalPermutation(2, 0)
    found = Remote(KNN().bind(TABLE), executor)
    monkeypatch.setattr(remote, "WORTH", 0.0)
    monkeypatch.setattr(remote, "FIRST", 3)
    asked = [Question(i, [j for j in range(8) if j != i]) for i in range(8)]
    found.cmi_batch(asked)
    assert executor.sizes == [7] * 8  # whole questions
    executor.sizes.clear()
    found._of_one = 0.05 / 25
    found.cmi_batch(asked)
    assert executor.sizes == [21, 14, 7, 7, 7]  # as many as it is worth, then even parts
    executor.sizes.clear()
    found._of_one = 0.05
    found.cmi_batch(asked[:1])
    assert executor.sizes == [3, 4]  # nobody is idle


def test_a_question_that_is_much_work_is_cut():
    executor = ConditionalPermutation(2, 0)
    wide = as_table(np.random.default_rng(0).normal(size=(30, 20)))
    found = Remote(Gaussian().bind(wide), executor)
    asked = [Question(i, [j for j in range(20) if j != i]) for i in range(3)]
    found._of_one = 0.05 / 5
    found.cmi_batch(asked)
    assert executor.sizes == [19] * 3
    executor.sizes.clear()
    found._of_one = 0.05  # one value is a piece
    found.cmi_batch(asked[:1] * 3)
    assert executor.sizes[:4] == [4, 5, 5, 5]


@given(
    n_left=st.integers(1, 500),
    n_workers=st.integers(1, 40),
    overhead=st.sampled_from([0.0, 0.001, 0.05]),
    seconds=st.sampled_from([1e-4, 0.003, 0.02, 0.7]),
)
def test_pieces_are_worth_sending(n_left, n_workers, overhead, seconds):
    """Of what workers share evenly, no part takes less than ten times what sending it takes."""
    executor = ConditionalPermutation(n_workers, 0)
    executor.overhead = overhead
    found = Remote(Gaussian().bind(TABLE), executor)
    found._of_one = seconds
    size = found._size(n_left)
    assert 1 <= size <= max(n_left, 1)
    worthwhile = min(n_left, 10 * overhead / seconds)
    assert size >= int(worthwhile)
    most = max(0.05, (10 + n_workers) * overhead)
    assert size <= max(1, most / seconds)
    assert size >= min(-(-n_left // n_workers), int(most / seconds))  # nobody is idle for nothing
    assert found.capacity == n_workers * max(1, int(most / seconds))


def test_little_work_stays_here():
    executor = ConditionalPermutation(2, 0)
    found = Remote(KNN().bind(TABLE), executor)
    found._of_one = 1e-6
    found.cmi_batch([Question(0, range(1, 8))])
    assert not executor.sizes


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_other_processes_give_the_same_bits(kind, dask_client):
    from mrflearn.work import as_executor

    executor = as_executor("processes" if kind == "processes" else dask_client, 2, "threads")
    inner = KNN().bind(TABLE)
    found = Remote(inner, executor)
    asked = [Question(i, [j for j in range(8) if j != i], ()) for i in range(8)]
    asked += [Question(0, [1, 2, 3], [4, 5])]
    for answer, expected in zip(found.cmi_batch(asked), inner.cmi_batch(asked), strict=True):
        np.testing.assert_array_equal(answer, expected)
    assert found.n_pieces > 1
    assert found.seconds > 0
