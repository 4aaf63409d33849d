"""Nulls from shuffled copies: near the closed form where there is one, and the same every time."""

import numpy as np
import pytest

from mrflearn.dependence import KNN, Gaussian, Memo, MixedKSG
from mrflearn.selection.shuffled_null import Shuffled
from mrflearn.table import as_table


def _table(n_samples=200):
    rng = np.random.default_rng(0)
    z = rng.normal(size=n_samples)
    columns = [z + rng.normal(size=n_samples) for _ in range(3)]
    return as_table(np.column_stack([*columns, z, rng.normal(size=n_samples)]))


@pytest.mark.parametrize("given", [[], [3]])
def test_moments_are_near_those_of_the_closed_form(given):
    table = _table()
    bound = Gaussian().bind(table)
    exact = bound.null(0, [1, 2, 4], given)
    found = Shuffled(bound, Gaussian(), table, n_shuffles=400).null(0, [1, 2, 4], given)
    # Of 400 draws of a chi-square variable the mean is known to 7 and the deviation to 20 %; but
    # given z, samples change places with few others, and copies of one table are alike.
    assert np.allclose(found.mean, exact.mean, rtol=0.4 if given else 0.15)
    assert np.allclose(found.deviation, exact.deviation, rtol=0.5)


@pytest.mark.parametrize("specification", [KNN(), MixedKSG()])
def test_what_is_dependent_given_nothing_is_not_given_its_cause(specification):
    """A copy keeps what z says about it: the null given z is that of noise, not of what z makes."""
    table = _table(400)
    bound = specification.bind(table)
    shuffled = Shuffled(bound, specification, table, 40)
    null = shuffled.null(0, [1], [3])
    value = bound.cmi(0, 1, [3])
    assert abs(value - null.mean[0]) < 4 * null.deviation[0]
    alone = shuffled.null(0, [1])
    assert bound.cmi(0, 1) > alone.mean[0] + 4 * alone.deviation[0]


def test_answers_pass_through_and_nulls_are_the_same_in_any_order():
    table = _table(80)
    bound = KNN().bind(table)
    one, other = (Shuffled(Memo(bound), KNN(), table, 5, random_state=3) for _ in range(2))
    assert np.array_equal(one.cmi_many(0, [1, 2], [3]), bound.cmi_many(0, [1, 2], [3]))
    first = one.null(0, [1, 2], [3])
    other.null(1, [0])
    second = other.null(0, [1, 2], [3])
    assert np.array_equal(first.mean, second.mean)
    assert np.array_equal(first.deviation, second.deviation)
    third = Shuffled(Memo(bound), KNN(), table, 5, random_state=4).null(0, [1, 2], [3])
    assert not np.array_equal(first.mean, third.mean)
