"""Candidates by pairwise dependence: the nearest of each, as found by sorting them all."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn._places import Places
from mrflearn.dependence import Memo
from mrflearn.dependence.base import Dependence, Question
from mrflearn.search import screen
from mrflearn.search.base import Constraints


class Shared(Dependence):
    """What pairs share is given by a symmetric matrix; conditions change nothing."""

    symmetric = True

    def __init__(self, matrix):
        self.matrix, self.n_variables, self.asked = matrix, len(matrix), []

    def _cmi_many(self, i, candidates, given):
        self.asked += [tuple(sorted((i, j))) for j in candidates]
        return self.matrix[i, list(candidates)]


def _matrix(n_variables, seed, n_values):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(n_values, size=(n_variables, n_variables)), 1).astype(float)
    return upper + upper.T


def _naive(matrix, n_nearest, constraints):
    n_variables = len(matrix)
    among = [set() for _ in range(n_variables)]
    for i in range(n_variables):
        free = constraints.free_of(i, n_variables)
        for j in sorted(free, key=lambda j: (-matrix[i, j], j))[:n_nearest]:
            among[i].add(j)
            among[j].add(i)
    return tuple(tuple(sorted(others)) for others in among)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 12),
    st.integers(1, 13),
    st.integers(0, 10**6),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([1, 20, 10**6]),
    st.booleans(),
)
def test_the_nearest_are_those_of_all_pairs_sorted(n, n_nearest, seed, n_values, block, bound):
    """With ties, and whatever is held at a time."""
    matrix = _matrix(n, seed, n_values)
    pairs = list(itertools.combinations(range(n), 2))
    forbidden = frozenset(pairs[::3]) if bound else frozenset()
    constraints = Constraints(forbidden=forbidden)
    dependence = Shared(matrix)
    memo = Memo(dependence)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen, "BLOCK", block)
        among = screen.among_nearest(memo, n_nearest, constraints)
    assert among == _naive(matrix, n_nearest, constraints)
    assert sorted(dependence.asked) == sorted(set(pairs) - forbidden)
    assert memo.n_evaluations == len(pairs) - len(forbidden)
    for i in range(n):
        own = screen.among_nearest_of(memo, i, n_nearest, constraints)
        free = constraints.free_of(i, n)
        nearest = sorted(free, key=lambda j: (-matrix[i, j], j))[:n_nearest]
        assert own[i] == tuple(sorted(nearest))
        assert not any(own[:i] + own[i + 1 :])


def test_what_the_nearest_share_is_not_asked_again():
    dependence = Shared(_matrix(8, 0, 1000))
    memo = Memo(dependence)
    among = screen.among_nearest(memo, 2, Constraints())
    n_asked = len(dependence.asked)
    for i, others in enumerate(among):
        np.testing.assert_array_equal(memo.cmi_many(i, others), dependence.matrix[i, list(others)])
    assert len(dependence.asked) == n_asked
    assert memo.n_evaluations == n_asked


def test_answers_of_an_earlier_run_are_not_asked_for():
    dependence = Shared(_matrix(6, 1, 1000))
    kept = []
    memo = Memo(dependence, lambda asked, answers: kept.extend(zip(asked, answers, strict=True)))
    among = screen.among_nearest(memo, 2, Constraints())
    again = Shared(dependence.matrix)
    resumed = Memo(again)
    for asked, answer in kept[:3]:
        resumed.remember(asked, answer.tolist())
    assert screen.among_nearest(resumed, 2, Constraints()) == among
    known = {tuple(sorted((asked.i, j))) for asked, _ in kept[:3] for j in asked.candidates}
    assert set(again.asked) == set(dependence.asked) - known
    assert resumed.n_evaluations == memo.n_evaluations


@given(st.integers(1, 9), st.integers(0, 10**6))
def test_pairs_stand_in_two_places(n, seed):
    rng = np.random.default_rng(seed)
    adjacency = np.triu(rng.random((n, n)) < 0.4, 1)
    adjacency |= adjacency.T
    places = Places([np.flatnonzero(row) for row in adjacency])
    assert list(zip(places.node, places.other, strict=True)) == list(
        map(tuple, np.argwhere(adjacency).tolist())
    )
    np.testing.assert_array_equal(places.node[places.turned], places.other)
    np.testing.assert_array_equal(places.other[places.turned], places.node)
    for i, j in np.argwhere(adjacency).tolist():
        at = places.at(i, j)
        assert (places.node[at], places.other[at]) == (i, j)
    assert places.ascending.sum() * 2 == len(places)


def test_questions_asked_once_are_refused_nan():
    broken = Shared(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="returned NaN"):
        Memo(broken).cmi_once([Question(0, [1, 2])])
