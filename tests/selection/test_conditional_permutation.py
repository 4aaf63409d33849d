"""Conditional permutations: copies that depend on the conditions alone, and the null they give."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mrflearn.dependence import KNN, Gaussian, Memo, MixedKSG
from mrflearn.selection.conditional_permutation import (
    NEAR,
    ConditionalPermutation,
    _leaves,
    _orders,
    copies_of,
)
from mrflearn.table import as_table


def frame_of(n_samples=240, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n_samples))
    return pd.DataFrame(
        {
            "a": a,
            "curved": a**2 + 0.5 * b,
            "label": rng.choice(list("pqr"), size=n_samples),
            "step": rng.integers(4, size=n_samples),
            "answer": np.where(rng.logistic(size=n_samples) < 2 * a, "yes", "no"),
        }
    )


def test_without_conditions_every_order_is_as_likely():
    table = as_table(np.arange(6.0).reshape(3, 2))
    orders = _orders(table, 0, [], 6000, np.random.default_rng(1))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert counts.min() > 900


@pytest.mark.parametrize("conditions", [["label"], ["step"], ["label", "step"]])
def test_rows_alike_in_discrete_conditions_change_places(conditions):
    frame = frame_of()
    table = as_table(frame)
    given = [table.index(name) for name in conditions]
    orders = _orders(table, table.index("a"), given, 50, np.random.default_rng(2))
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(240), (50, 1)))
    for name in conditions:
        codes = frame[name].to_numpy()
        assert np.all(codes[orders] == codes)
    sizes = frame.groupby(conditions)["a"].transform("size").to_numpy()
    assert np.mean(orders == np.arange(240)) == pytest.approx(np.mean(1 / sizes), abs=0.02)


def test_rows_change_places_with_those_of_the_same_label_and_a_like_prediction():
    frame = frame_of()
    table = as_table(frame)
    orders = _orders(table, table.index("curved"), [0, 2], 40, np.random.default_rng(3))
    labels, predicted = frame["label"].to_numpy(), frame["a"].to_numpy() ** 2
    assert np.all(labels[orders] == labels)
    moved = np.abs(predicted[orders] - predicted)
    assert np.mean(moved) < 0.25 * np.mean(np.abs(predicted[:, None] - predicted))


@pytest.mark.parametrize("n_samples", [1, 7, 8, 9, 100, 257])
@pytest.mark.parametrize("n_conditions", [1, 3])
def test_trees_halve_their_leaves(n_samples, n_conditions):
    rng = np.random.default_rng(n_samples)
    points = np.round(rng.normal(size=(n_conditions, n_samples)), 1)
    depth = max(int(np.ceil(np.log2(n_samples / NEAR))), 0)
    leaf = _leaves(points, np.zeros(n_samples, dtype=np.intp), depth, rng)
    sizes = np.unique(leaf, return_counts=True)[1]
    assert sizes.max() <= NEAR
    assert sizes.max() - sizes.min() <= 1
    if n_conditions == 1:  # intervals
        order = np.argsort(leaf, kind="stable")
        ends = [points[0, leaf == number] for number in dict.fromkeys(leaf[order].tolist())]
        ends.sort(key=lambda own: (own.min(), own.max()))
        assert all(one.max() <= other.min() for one, other in itertools.pairwise(ends))


def test_copies_have_the_same_values_and_keep_what_conditions_explain():
    table = as_table(frame_of())
    copies = copies_of(table, 1, [0], 60, np.random.default_rng(4))[:, 0]
    values, cause = table.values_of(1)[0], table.values_of(0)[0]
    assert np.allclose(np.sort(copies, axis=1), np.sort(values))
    alike = [np.corrcoef(cause**2, copy)[0, 1] for copy in copies]
    assert np.mean(alike) == pytest.approx(np.corrcoef(cause**2, values)[0, 1], abs=0.1)
    left = values - cause**2 * (values @ cause**2) / (cause**2 @ cause**2)
    assert abs(np.mean([np.corrcoef(left, copy)[0, 1] for copy in copies])) < 0.3


def test_copies_of_labels_keep_their_probabilities():
    table = as_table(frame_of(2_000))
    answer, cause = table.values_of(4)[0], table.values_of(0)[0]
    copies = copies_of(table, 4, [0], 40, np.random.default_rng(5))[:, 0]
    for low, high in ((-9, -1), (-1, 0), (0, 1), (1, 9)):
        own = (cause > low) & (cause <= high)
        assert copies[:, own].mean() == pytest.approx(answer[own].mean(), abs=0.04)
    assert 0.05 < np.mean(copies != answer) < 0.5


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
    found = ConditionalPermutation(bound, Gaussian(), table, n_shuffles=400).null(
        0, [1, 2, 4], given
    )
    # Of 400 draws of a chi-square variable the mean is known to 7 and the deviation to 20 %; but
    # given z, samples change places with few others, and copies of one table are alike.
    assert np.allclose(found.mean, exact.mean, rtol=0.4 if given else 0.15)
    assert np.allclose(found.deviation, exact.deviation, rtol=0.5)


@pytest.mark.parametrize("specification", [KNN(), MixedKSG()])
def test_what_is_dependent_given_nothing_is_not_given_its_cause(specification):
    """A copy keeps what z says about it: the null given z is that of noise, not of what z makes."""
    table = _table(400)
    bound = specification.bind(table)
    shuffled = ConditionalPermutation(bound, specification, table, 40)
    null = shuffled.null(0, [1], [3])
    value = bound.cmi(0, 1, [3])
    assert abs(value - null.mean[0]) < 4 * null.deviation[0]
    alone = shuffled.null(0, [1])
    assert bound.cmi(0, 1) > alone.mean[0] + 4 * alone.deviation[0]


def test_answers_pass_through_and_nulls_are_the_same_in_any_order():
    table = _table(80)
    bound = KNN().bind(table)
    one, other = (
        ConditionalPermutation(Memo(bound), KNN(), table, 5, random_state=3) for _ in range(2)
    )
    assert np.array_equal(one.cmi_many(0, [1, 2], [3]), bound.cmi_many(0, [1, 2], [3]))
    first = one.null(0, [1, 2], [3])
    other.null(1, [0])
    second = other.null(0, [1, 2], [3])
    assert np.array_equal(first.mean, second.mean)
    assert np.array_equal(first.deviation, second.deviation)
    third = ConditionalPermutation(Memo(bound), KNN(), table, 5, random_state=4).null(
        0, [1, 2], [3]
    )
    assert not np.array_equal(first.mean, third.mean)
