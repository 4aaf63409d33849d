"""Copies of a variable: near in the conditions, of the same values, and blind to the rest."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mrflearn.dependence.gaussian import normal_scores
from mrflearn.selection._orders import near_orders
from mrflearn.selection._smoother import Smoother
from mrflearn.selection.shuffles import (
    LEAST_ALIKE,
    MOST_ALONE,
    N_NEAR,
    _additive_scale,
    shuffled_orders,
    smoother_of,
    with_copies,
)
from mrflearn.table import as_table


def _frame(n_samples=120, seed=0):
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, n_samples))
    return pd.DataFrame(
        {
            "a": a,
            "b": np.exp(a + 0.5 * b),
            "label": rng.choice(list("pqr"), size=n_samples),
            "step": rng.integers(4, size=n_samples),
            "c": c,
        }
    )


def _slow_orders(near, turns, preferences):
    """One sample after the other, from the words; chains by their length."""
    orders = []
    for turn, wishes in zip(turns, preferences, strict=True):
        order = {}
        for place in turn.tolist():
            others = [n for n in range(near.shape[1]) if n == 0 or near[place, n] != place]
            liked = sorted(others, key=lambda n, p=place, w=wishes: w[p, n])
            free = [near[place, n] for n in liked if near[place, n] not in order.values()]
            if free:
                order[place] = free[0]
                continue
            chains = [[(place, sample)] for sample in near[place].tolist()]
            seen = []
            while chains:
                chain = chains.pop(0)
                sample = chain[-1][1]
                if sample in seen:
                    continue
                seen.append(sample)
                if sample not in order.values():
                    order.update(dict(chain))
                    break
                holder = next(at for at, held in order.items() if held == sample)
                chains += [[*chain, (holder, other)] for other in near[holder].tolist()]
        orders.append([order[place] for place in range(len(near))])
    return np.array(orders)


@pytest.mark.kernel
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(0, 4))
def test_orders_are_permutations_and_equal_their_slow_twin(seed, n_samples, n_others):
    rng = np.random.default_rng(seed)
    others = rng.integers(n_samples, size=(n_samples, n_others))
    near = np.column_stack([np.arange(n_samples), others]).astype(np.int32)
    turns = np.array([rng.permutation(n_samples) for _ in range(4)], dtype=np.int32)
    preferences = rng.random((4, n_samples, 1 + n_others))
    orders = near_orders(near, turns, preferences)
    np.testing.assert_array_equal(orders, _slow_orders(near, turns, preferences))
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(n_samples), (4, 1)))
    assert all((near == order[:, None]).any(axis=1).all() for order in orders)


def test_without_conditions_every_order_is_as_likely():
    table = as_table(np.arange(6.0).reshape(3, 2))
    orders = shuffled_orders(table, 0, [], 6000, np.random.default_rng(1))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert counts.min() > 900


@pytest.mark.parametrize("conditions", [["label"], ["step"], ["label", "step"]])
def test_samples_alike_in_discrete_conditions_change_places(conditions):
    frame = _frame()
    table = as_table(frame)
    orders = shuffled_orders(
        table, 0, [table.index(name) for name in conditions], 50, np.random.default_rng(2)
    )
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(120), (50, 1)))
    for name in conditions:
        codes = frame[name].to_numpy()
        assert np.all(codes[orders] == codes)
    sizes = frame.groupby(conditions)["a"].transform("size").to_numpy()
    stayed = np.mean(orders == np.arange(120), axis=0)
    assert np.mean(stayed) == pytest.approx(np.mean(1 / sizes), abs=0.03)


@pytest.mark.kernel
def test_samples_take_the_place_of_near_ones():
    frame = _frame()
    table = as_table(frame)
    given_variables = [table.index("a"), table.index("label")]
    orders = shuffled_orders(table, 4, given_variables, 40, np.random.default_rng(3))
    labels, a = frame["label"].to_numpy(), frame["a"].to_numpy()
    assert np.all(labels[orders] == labels)
    near = np.array(
        [
            np.isin(np.arange(120), sorted(mates, key=lambda n, m=m: abs(a[n] - a[m]))[:N_NEAR])
            for m in range(120)
            for mates in [np.flatnonzero(labels == labels[m])]
        ]
    )
    # Nearest in ranks and in values are not quite the same.
    assert np.mean([near[m, order[m]] for order in orders for m in range(120)]) > 0.85
    twice = np.mean([120 - len(set(order)) for order in orders.tolist()])
    assert twice < 0.2 * 120


def test_of_labels_that_are_enough_alike_each_changes_places_with_its_like_alone():
    """Though others are nearer in the other condition, and its own fewer than could be near."""
    n_labels, n_alike = 20, N_NEAR - 2
    assert n_alike >= LEAST_ALIKE
    n_samples = n_labels * n_alike
    labels = np.array([f"label {n % n_labels}" for n in range(n_samples)])
    x = np.random.default_rng(19).normal(size=n_samples)
    frame = pd.DataFrame({"a": np.arange(n_samples) ** 2.0, "label": labels, "x": x})
    orders = shuffled_orders(as_table(frame), 2, [0, 1], 10, np.random.default_rng(20))
    assert np.all(labels[orders] == labels)
    assert np.mean(orders == np.arange(n_samples)) < 0.5


@pytest.mark.filterwarnings("ignore:column 'id' is taken as nominal")
def test_a_label_of_its_own_stays():
    table = as_table(pd.DataFrame({"a": np.arange(30.0), "id": [f"row {n}" for n in range(30)]}))
    orders = shuffled_orders(table, 1, [0, 1], 5, np.random.default_rng(4))
    assert np.array_equal(orders, np.tile(np.arange(30), (5, 1)))


def _questionnaire(n_samples, n_columns=7):
    """Columns of four labels: with six of them given, hardly two samples are alike."""
    rng = np.random.default_rng(14)
    answers = rng.choice(list("pqrs"), size=(n_samples, n_columns))
    return pd.DataFrame(answers, columns=[f"q{c}" for c in range(n_columns)])


@pytest.mark.parametrize("n_samples", [300, 4_100])
def test_where_few_are_alike_in_labels_those_nearly_alike_change_places(n_samples):
    frame = _questionnaire(n_samples)
    orders = shuffled_orders(as_table(frame), 0, range(1, 7), 6, np.random.default_rng(15))
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(n_samples), (6, 1)))
    assert np.mean(orders == np.arange(n_samples)) < 0.3
    others = frame.to_numpy()[:, 1:]
    # Of six labels 4.5 differ between any two samples.
    assert np.mean([(others[order] != others).sum(axis=1) for order in orders]) < 2


def test_nearly_alike_are_those_nearest_where_a_label_counts_as_much_as_the_root_of_two():
    frame = _questionnaire(300)
    labels = frame.to_numpy()
    frame["a"] = np.random.default_rng(18).normal(size=300)
    orders = shuffled_orders(as_table(frame), 0, range(1, 8), 6, np.random.default_rng(15))
    scores = normal_scores(frame["a"].to_numpy())
    squares = (scores[:, None] - scores) ** 2
    squares += 2 * (labels[:, None, 1:] != labels[:, 1:]).sum(axis=2)
    farthest = np.sort(squares, axis=1)[:, N_NEAR - 1]
    for order in orders:
        assert np.all(squares[np.arange(300), order] < farthest + 1e-6)


def test_labels_that_no_regression_can_tell_of_stay_apart():
    """A label of each sample's own among the conditions, or many of the variable itself."""
    frame = _questionnaire(300)
    frame["id"] = [f"row {n}" for n in range(300)]
    frame["code"] = np.random.default_rng(16).integers(30, size=300)
    table = as_table(frame, kinds={"id": "nominal", "code": "nominal"})
    answers, own, code = list(range(6)), table.index("id"), table.index("code")
    for i, given_variables in [(6, [*answers, own]), (code, answers)]:
        orders = shuffled_orders(table, i, given_variables, 4, np.random.default_rng(17))
        rows = np.vstack([table.values_of(z) for z in given_variables])
        assert all(np.array_equal(rows[:, order], rows) for order in orders)


def test_conditions_have_a_regression_unless_they_are_discrete_and_enough_are_alike():
    def has_one(codes, kind):
        table = as_table(np.column_stack([codes, np.arange(60) % 7]), kinds={"x0": kind})
        return smoother_of(table, [0]) is not None

    enough = np.arange(60) // LEAST_ALIKE
    assert not has_one(enough, "nominal")
    assert has_one(enough, "continuous")
    assert has_one(np.arange(60) // (LEAST_ALIKE - 1), "nominal")
    for n_alone, expected in ((round(60 * MOST_ALONE), False), (round(60 * MOST_ALONE) + 1, True)):
        some_alone = np.where(np.arange(60) < n_alone, np.arange(60), 60)
        assert has_one(some_alone, "nominal") == expected


@pytest.mark.parametrize("name", ["b", "label", "step"])
def test_copies_have_the_values_of_the_variable(name):
    table = as_table(_frame())
    i, given_variables = table.index(name), [table.index("a")]
    orders = shuffled_orders(table, 0, [], 20, np.random.default_rng(5))
    rng = np.random.default_rng(8)
    others = [table.index("c"), *given_variables]
    copies = with_copies(table, i, others, smoother_of(table, given_variables), orders, rng)
    assert copies.names[:2] == ("c", "a")
    assert copies.n_variables == 22
    assert {copies.columns_of(v)[0].kind for v in range(2, 22)} == {table.columns_of(i)[0].kind}
    levels, expected = np.unique(table.values_of(i), return_counts=True)
    # Of labels each comes about as often: 18 is four standard deviations of the rarest.
    tolerance = 0 if name == "b" else 18
    for v in range(2, 22):
        found, counts = np.unique(copies.values_of(v), return_counts=True)
        assert np.array_equal(found, levels)
        assert np.abs(counts - expected).max() <= tolerance


def test_copies_keep_what_the_conditions_explain():
    frame = _frame(400)
    table = as_table(frame)
    a, b = table.index("a"), table.index("b")
    orders = shuffled_orders(table, 0, [], 20, np.random.default_rng(6))  # of all samples
    copies = with_copies(table, b, [a], smoother_of(table, [a]), orders, np.random.default_rng(9))
    plain = np.corrcoef(frame["a"], np.log(frame["b"]))[0, 1]
    for v in range(1, 21):
        kept = np.corrcoef(copies.values_of(0)[0], np.argsort(np.argsort(copies.values_of(v)[0])))
        assert kept[0, 1] == pytest.approx(plain, abs=0.08)


def test_vectors_are_copied_whole():
    table = as_table(_frame(), groups={"both": ["label", "step"]})
    i = table.index("both")
    orders = shuffled_orders(table, 0, [], 3, np.random.default_rng(7))
    copies = with_copies(
        table, i, [table.index("c")], smoother_of(table, []), orders, np.random.default_rng(10)
    )
    for v, order in zip(range(1, 4), orders, strict=True):
        assert np.array_equal(copies.values_of(v), table.values_of(i)[:, order])


@pytest.mark.parametrize("kind", ["continuous", "labels"])
def test_copies_depend_on_what_the_conditions_tell_as_a_new_draw_would(kind):
    """Three waves: exact redraws correlate with them by 0.72, labels by 0.63. Copies that keep what
    squares explain do by 0.42, labels exchanged among near samples by 0.37."""
    n_samples, found, exact = 200, [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(3, n_samples))
        waves = np.sin(3 * z).sum(axis=0) * 1.5 / np.sqrt(3)

        def redraw(rng, waves=waves):
            if kind == "continuous":
                return waves + rng.normal(size=len(waves))
            return (waves + rng.logistic(size=len(waves)) / 2 > 0).astype(int)

        frame = pd.DataFrame({"x": redraw(rng), "y": waves, "p": z[0], "q": z[1], "r": z[2]})
        table = as_table(frame, kinds={"x": "continuous" if kind == "continuous" else "nominal"})
        orders = shuffled_orders(table, 0, [2, 3, 4], 20, rng)
        copies = with_copies(table, 0, [1], smoother_of(table, [2, 3, 4]), orders, rng)
        for v in range(1, 21):
            found.append(np.corrcoef(copies.values_of(0), copies.values_of(v))[0, 1])
            exact.append(np.corrcoef(waves, redraw(rng))[0, 1])
    assert np.mean(found) == pytest.approx(np.mean(exact), abs=0.05)


@pytest.mark.parametrize("name", ["b", "label", "step"])
def test_copies_in_the_order_of_the_samples_are_the_variable(name):
    table = as_table(_frame())
    i, a = table.index(name), table.index("a")
    orders = np.tile(np.arange(120, dtype=np.int32), (3, 1))
    copies = with_copies(table, i, [a], smoother_of(table, [a]), orders, np.random.default_rng(11))
    for v in range(1, 4):
        assert np.array_equal(copies.values_of(v), table.values_of(i))


def test_given_discrete_conditions_the_values_are_exchanged():
    table = as_table(_frame())
    conditions = [table.index("label"), table.index("step")]
    rng = np.random.default_rng(12)
    orders = shuffled_orders(table, 0, conditions, 5, rng)
    for name in ("a", "step"):
        i = table.index(name)
        copies = with_copies(
            table, i, [table.index("c")], smoother_of(table, conditions), orders, rng
        )
        for v, order in zip(range(1, 6), orders, strict=True):
            assert np.array_equal(copies.values_of(v), table.values_of(i)[:, order])


@pytest.mark.parametrize(
    ("shape", "plain"),
    [
        (lambda a, noise: a**2 + 0.5 * noise, True),
        (lambda a, noise: np.exp(a + 0.5 * noise), False),
        (lambda a, noise: (a + 0.5 * noise) ** 3, False),
        (lambda a, noise: np.round(a**2 + 0.5 * noise, 1), False),  # ties: no telling
    ],
    ids=["a square", "an exponential", "a cube", "ties"],
)
def test_the_scale_is_that_on_which_causes_and_noise_add_up(shape, plain):
    rng = np.random.default_rng(13)
    a, noise = rng.normal(size=(2, 300))
    values = shape(a, noise)
    scale = _additive_scale(Smoother(as_table(np.column_stack([a, values])), [0]), values)
    expected = (values - values.mean()) / values.std() if plain else normal_scores(values)
    np.testing.assert_allclose(scale, expected, atol=1e-9)


class Leaves:
    """Stands for a regression that leaves known shares of the variance of some values."""

    def __init__(self, plain, of_plain, of_scores):
        self.plain, self.of_plain, self.of_scores = plain, of_plain, of_scores

    def left(self, values):
        return self.of_plain if np.allclose(values, self.plain) else self.of_scores


@pytest.mark.parametrize("shape", [stats.uniform(), stats.expon(), stats.laplace()])
def test_more_must_be_explained_on_the_plain_scale_the_farther_values_are_from_normal(shape):
    """By their negentropy, that of a normal variable as wide less their own, of known shapes."""
    values = shape.ppf((np.arange(2000) + 0.5) / 2000)
    plain, scores = (values - values.mean()) / values.std(), normal_scores(values)
    negentropy = stats.norm(scale=shape.std()).entropy() - shape.entropy()
    for factor, expected in ((0.9, plain), (1.1, scores)):
        smoother = Leaves(plain, 0.8 * factor * np.exp(-2 * negentropy), 0.8)
        np.testing.assert_allclose(_additive_scale(smoother, values), expected, atol=1e-9)
