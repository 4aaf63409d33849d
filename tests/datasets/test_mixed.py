"""Mixed worlds draw from the distributions they describe, and have the graphs they claim.

Expectations are closed forms or integrals; sample means of many draws, with a fixed seed, must lie
within five standard errors of them.
"""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import expit

from mrflearn.datasets import mixed
from mrflearn.datasets.mixed import (
    collider_world,
    continuous_child_world,
    count_world,
    discrete_child_world,
    interaction_world,
    mixed_chain,
    mixed_random,
    mixed_world,
    zero_inflated_world,
)
from mrflearn.datasets.recipe import KINDS
from mrflearn.datasets.world import moralise
from mrflearn.errors import InputError
from mrflearn.table import as_table

N = 200_000

WORLDS = [
    discrete_child_world(),
    continuous_child_world(),
    count_world(),
    zero_inflated_world(),
    collider_world(),
    interaction_world(),
    mixed_world(),
    mixed_chain(6),
    mixed_random(9, random_state=0),
]


def _draw(world, seed=0):
    """Columns as arrays, nominal ones as labels."""
    frame = world.sample(N, random_state=seed)
    return {name: frame[name].to_numpy() for name in frame}


def _normal_mean(function, mean=0.0, sd=1.0):
    """E f(X) for a normal X, by quadrature."""
    return integrate.quad(
        lambda x: function(x) * stats.norm.pdf(x, mean, sd), mean - 12 * sd, mean + 12 * sd
    )[0]


def _assert_mean(values, expected):
    values = np.asarray(values, dtype=float)
    assert len(values) > 1_000
    assert abs(values.mean() - expected) < 5 * values.std() / math.sqrt(len(values)) + 1e-12


def _assert_not_mean(values, expected):
    values = np.asarray(values, dtype=float)
    assert abs(values.mean() - expected) > 8 * values.std() / math.sqrt(len(values))


def _cmi(joint, i, j, given=None):
    """I(i; j | given), all others by default, from a table of probabilities."""
    others = set(range(joint.ndim)) - {i, j}
    left_out = () if given is None else tuple(others - set(given))
    joint = joint.sum(axis=left_out, keepdims=True)
    both = joint.sum(axis=(i, j), keepdims=True)
    apart = joint.sum(axis=i, keepdims=True) * joint.sum(axis=j, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log((joint * both)[seen] / apart[seen])).sum())


GRID = np.linspace(-3, 3, 13)
WEIGHTS = stats.norm.pdf(GRID) / stats.norm.pdf(GRID).sum()


def _normal_on_grid(mean, sd=1.0):
    """Probabilities on the grid, along a new last axis, for normals of these means."""
    density = stats.norm.pdf(GRID, np.asarray(mean)[..., None], sd)
    return density / density.sum(axis=-1, keepdims=True)


def _binary(probability):
    return np.stack([1 - probability, probability], axis=-1)


# --- one kind of dependence at a time


@pytest.mark.parametrize("intercept", [0.0, 0.7])
def test_odds_of_a_binary_child_are_logistic(intercept):
    drawn = _draw(discrete_child_world(slope=1.7, intercept=intercept))
    _assert_mean(drawn["odds"], _normal_mean(lambda x: expit(intercept + 1.7 * x)))
    _assert_mean(drawn["odds"] * drawn["x"], _normal_mean(lambda x: x * expit(intercept + 1.7 * x)))
    _assert_not_mean(
        drawn["odds"] * drawn["x"], _normal_mean(lambda x: x * expit(intercept + 1.5 * x))
    )


def test_a_threshold_cuts_a_noisy_copy():
    drawn = _draw(discrete_child_world(cut=0.4, noise=0.8))
    total = math.sqrt(1 + 0.8**2)
    _assert_mean(drawn["above"], stats.norm.cdf(-0.4 / total))
    _assert_mean(drawn["above"] * drawn["x"], stats.norm.pdf(0.4 / total) / total)


def test_a_group_shifts_means_or_only_spreads():
    drawn = _draw(continuous_child_world(means=(-1, 0, 2, 5), spreads=(0.3, 1, 2.5, 4)))
    for group, mean, spread in zip("abcd", (-1, 0, 2, 5), (0.3, 1, 2.5, 4), strict=True):
        here = drawn["group"] == group
        _assert_mean(here, 1 / 4)
        _assert_mean(drawn["shifted"][here], mean)
        _assert_mean((drawn["shifted"][here] - mean) ** 2, 1)
        _assert_mean(drawn["spread"][here], 0)
        _assert_mean(drawn["spread"][here] ** 2, spread**2)


def test_counts_are_poisson_with_a_log_normal_mean():
    a, b, detection = 0.5, 0.7, 0.3
    drawn = _draw(count_world(slope=b, intercept=a, detection=detection))
    mean = math.exp(a + b**2 / 2)
    _assert_mean(drawn["count"], mean)
    _assert_mean((drawn["count"] - mean) ** 2, mean + mean**2 * (math.exp(b**2) - 1))
    _assert_mean(drawn["count"] * drawn["x"], b * mean)
    # The generating function of a Poisson variable at 1 - detection.
    unseen = _normal_mean(lambda x: math.exp(-detection * math.exp(a + b * x)))
    _assert_mean(drawn["seen"], 1 - unseen)
    for count in range(4):
        _assert_mean(drawn["seen"][drawn["count"] == count], 1 - (1 - detection) ** count)


def test_zeros_follow_one_parent_and_amounts_the_other():
    drawn = _draw(zero_inflated_world(zero_slope=1.5, zero_intercept=-0.5, slope=2, noise=0.7))
    zero = drawn["amount"] == 0
    share = _normal_mean(lambda a: expit(-0.5 + 1.5 * a))
    _assert_mean(zero, share)
    _assert_mean(zero * drawn["barrier"], _normal_mean(lambda a: a * expit(-0.5 + 1.5 * a)))
    _assert_mean(zero * drawn["drive"], 0)
    _assert_mean(drawn["amount"] * drawn["drive"], 2 * (1 - share))
    _assert_mean(drawn["amount"][~zero] ** 2, 2**2 + 0.7**2)


def test_the_parents_of_a_collider_add_up():
    means = (-1.0, 0.5, 2.0)
    drawn = _draw(collider_world(slope=1.2, means=means, gain=0.8))
    _assert_mean(drawn["y"] * drawn["x"], 1.2)
    for group, mean in zip("abc", means, strict=True):
        here = drawn["group"] == group
        _assert_mean(here, 1 / 3)
        _assert_mean(drawn["x"][here], 0)
        _assert_mean(drawn["y"][here], mean)
        _assert_mean((drawn["y"][here] - mean) ** 2, 1.2**2 + 1)
        _assert_mean(
            drawn["z"][here],
            _normal_mean(lambda y: expit(0.8 * y), mean, math.sqrt(1.2**2 + 1)),
        )


def test_a_sign_turns_the_effects_of_a_variable_around():
    drawn = _draw(interaction_world(slope=1.8))
    product = _normal_mean(lambda x: x * expit(1.8 * x))
    for sign, factor in (("plus", 1), ("minus", -1)):
        here = drawn["sign"] == sign
        _assert_mean(here, 1 / 2)
        _assert_mean((drawn["x"] * drawn["push"])[here], factor * 1.8)
        _assert_mean((drawn["x"] * drawn["vote"])[here], factor * product)
        _assert_mean(drawn["push"][here], 0)
        _assert_mean(drawn["push"][here] ** 2, 1.8**2 + 1)
        _assert_mean(drawn["vote"][here], 1 / 2)
    _assert_mean(drawn["x"] * drawn["push"], 0)
    for low, high in itertools.pairwise((-9, -1, 0, 1, 9)):
        _assert_mean(drawn["vote"][(drawn["x"] > low) & (drawn["x"] <= high)], 1 / 2)


# --- graphs, from exact tables of the same recipes on a grid


def test_the_interaction_leaves_no_trace_in_pairs():
    x = np.stack([1.8 * GRID, -1.8 * GRID])  # sign, x
    joint = (
        0.5
        * WEIGHTS[:, None, None]
        * _binary(expit(x))[..., :, None]
        * _normal_on_grid(x)[..., None, :]
    )  # sign, x, vote, push
    sign, value, vote, push = range(4)
    for i, j in ((value, vote), (sign, vote), (sign, push), (sign, value)):
        assert _cmi(joint, i, j, given=()) == pytest.approx(0, abs=1e-12)
    graph = interaction_world().graph
    for i, j in itertools.combinations(range(4), 2):
        names = ["sign", "x", "vote", "push"]
        assert graph.has_edge(names[i], names[j]) == (_cmi(joint, i, j) > 1e-3)
    assert _cmi(joint, vote, push) == pytest.approx(0, abs=1e-12)


def test_parents_of_a_zero_inflated_variable_are_independent_given_it():
    zero = expit(2 * GRID)[:, None, None]
    amount = np.concatenate(
        [
            np.broadcast_to(zero, (13, 13, 1)),
            (1 - zero) * _normal_on_grid(1.5 * GRID, 0.5)[None],
        ],
        axis=2,
    )
    joint = WEIGHTS[:, None, None] * WEIGHTS[None, :, None] * amount
    assert joint.sum() == pytest.approx(1)
    graph = zero_inflated_world().graph
    assert _cmi(joint, 0, 1) == pytest.approx(0, abs=1e-12)
    assert not graph.has_edge("barrier", "drive")
    assert _cmi(joint, 0, 2) > 0.01
    assert graph.has_edge("barrier", "amount")
    assert _cmi(joint, 1, 2) > 0.01
    assert graph.has_edge("drive", "amount")


def test_parents_of_other_colliders_are_dependent_given_the_child():
    means = np.array([-1.5, 0.0, 1.5])
    y = _normal_on_grid(1.5 * GRID[:, None] + means)  # x, group, y
    joint = WEIGHTS[:, None, None, None] / 3 * y[..., None] * _binary(expit(2 * GRID))[None, None]
    names = ["x", "group", "y", "z"]
    graph = collider_world().graph
    for i, j in itertools.combinations(range(4), 2):
        assert graph.has_edge(names[i], names[j]) == (_cmi(joint, i, j) > 1e-3)
    assert _cmi(joint, 0, 1, given=()) == pytest.approx(0, abs=1e-12)


def test_samples_agree_that_only_some_parents_marry():
    collider = _draw(collider_world())
    near = np.abs(collider["y"]) < 0.1
    effect = np.select([collider["group"] == "a", collider["group"] == "c"], [-1.0, 1.0])
    _assert_not_mean((collider["x"] * effect)[near], 0)
    inflated = _draw(zero_inflated_world())
    for where in (inflated["amount"] == 0, np.abs(inflated["amount"] - 1) < 0.1):
        barrier = inflated["barrier"][where]
        _assert_mean((barrier - barrier.mean()) * inflated["drive"][where], 0)


# --- nine variables


def test_the_mixed_world_has_the_edges_of_its_description():
    world = mixed_world()
    edges = {frozenset((edge.source, edge.target)) for edge in world.graph.edges}
    text = " ".join(mixed.mixed_world.__doc__.split())
    listed = text.split("13 edges: ")[1].split(" (visits")[0]
    for words in ("; and, since they have a common child", " and", ".", ";"):
        listed = listed.replace(words, ",")
    described = {frozenset(item.strip().split(" - ")) for item in listed.split(",") if item.strip()}
    assert edges == described
    assert len(edges) == 13
    assert world.kinds == (
        "nominal", "nominal", "continuous", "binary", "continuous",
        "continuous", "count", "binary", "continuous",
    )  # fmt: skip


@pytest.mark.parametrize("s", [1.0, 0.6])
def test_every_variable_of_the_mixed_world_is_as_described(s):
    drawn = _draw(mixed_world(s), seed=1)
    age, smoker, pressure = drawn["age"], drawn["smoker"], drawn["pressure"]
    means = {"north": -1.5 * s, "south": 0.0, "west": 1.5 * s}
    _assert_mean(age, 0)
    _assert_mean(age**2, 1)
    _assert_mean(smoker * age, _normal_mean(lambda a: a * expit(1.5 * s * a)))
    _assert_mean(pressure**2, 1 + s**2 + 1.5 * s**2)
    _assert_mean(pressure * age, s)
    for region, mean in means.items():
        here = drawn["region"] == region
        _assert_mean(here, 1 / 3)
        _assert_mean(pressure[here], mean)

        def visits(a, mean=mean):
            base = math.exp(0.5 + 0.35 * s * (mean + s * a) + (0.35 * s) ** 2 / 2)
            return base * (1 + expit(1.5 * s * a) * (math.exp(s) - 1))

        _assert_mean(drawn["visits"][here], _normal_mean(visits))
    for value in (0, 1):
        swing = drawn["swing"][smoker == value]
        _assert_mean(swing, 0)
        _assert_mean(swing**2, math.exp(1.4 * s * (2 * value - 1)))
    rate = np.exp(0.5 + 0.35 * s * pressure + s * smoker)
    _assert_mean(drawn["visits"] / rate, 1)
    _assert_mean((drawn["visits"] - rate) ** 2 / rate, 1)
    for treatment, slope in (("old", 2.5 * s), ("new", -0.5 * s)):
        here = drawn["treatment"] == treatment
        _assert_mean(here, 1 / 2)
        left = (drawn["response"] - expit(slope * pressure))[here]
        _assert_mean(left, 0)
        _assert_mean(left * pressure[here], 0)
    zero = drawn["cost"] == 0
    for value in (0, 1):
        _assert_mean(zero[drawn["response"] == value], expit(-1.5 + 3 * s * value))
    left = (drawn["cost"] - 1 - 0.5 * s * drawn["visits"])[~zero]
    _assert_mean(left, 0)
    _assert_mean(left * drawn["visits"][~zero], 0)
    _assert_mean(left**2, 0.25)


# --- any number of variables


def _expectations(kind, eta):
    """What to expect of a variable of this kind: functions of its column, and their means."""
    if kind == "continuous":
        return [(lambda y: y, eta), (lambda y: y**2, eta**2 + 1)]
    if kind == "count":
        rate = math.exp(0.5 + 0.7 * eta)
        return [(lambda y: y, rate), (lambda y: y == 0, math.exp(-rate))]
    if kind == "binary":
        return [(lambda y: y, expit(2 * eta))]
    weights = np.exp([2 * eta, -2 * eta, 0])
    shares = weights / weights.sum()
    return [(lambda y, label=label: y == label, p) for label, p in zip("abc", shares, strict=True)]


SCORES = {
    "count": {0: math.tanh(-1), 1: math.tanh(-0.5), 2: 0.0, 4: math.tanh(1)},
    "binary": {0: -1.0, 1: 1.0},
    "nominal": {"a": 1.0, "b": -1.0, "c": 0.0},
}


@pytest.mark.parametrize("child", KINDS)
@pytest.mark.parametrize("parent", ["nominal", "count", "binary"])
def test_the_next_of_a_chain_follows_the_score_of_a_discrete_one(parent, child):
    drawn = _draw(mixed_chain(2, (parent, child), strength=1.2))
    for function, expected in _expectations(parent, 0.0):
        _assert_mean(function(drawn["x0"]), expected)
    for value, score in SCORES[parent].items():
        here = drawn["x1"][drawn["x0"] == value]
        for function, expected in _expectations(child, 1.2 * score):
            _assert_mean(function(here), expected)


@pytest.mark.parametrize("child", KINDS)
def test_the_next_of_a_chain_follows_the_score_of_a_continuous_one(child):
    drawn = _draw(mixed_chain(2, ("continuous", child), strength=1.2))
    for n, (function, _) in enumerate(_expectations(child, 0.0)):
        for moment in (lambda x: 1.0, lambda x: x):
            expected = _normal_mean(
                lambda x: moment(x) * _expectations(child, 1.2 * math.tanh(x))[n][1]  # noqa: B023
            )
            _assert_mean(function(drawn["x1"]) * moment(drawn["x0"]), expected)


def test_a_mixed_chain_is_a_chain_of_kinds_in_turn():
    world = mixed_chain(7, kinds=["binary", "continuous", "count"])
    assert world.kinds == ("binary", "continuous", "count") * 2 + ("binary",)
    assert np.array_equal(np.argwhere(np.triu(world.adjacency)), [[i, i + 1] for i in range(6)])
    assert mixed_chain(1).adjacency.shape == (1, 1)


@given(st.integers(1, 30), st.integers(0, 3), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_random_worlds_keep_to_their_bounds(n_variables, max_parents, seed):
    world = mixed_random(n_variables, max_parents=max_parents, random_state=seed)
    parents = [[world.names.index(p) for p in v.parents] for v in world.variables]
    assert all(len(set(own)) == len(own) <= max_parents for own in parents)
    assert np.array_equal(world.adjacency, moralise(parents))
    for variable in world.variables:
        assert np.allclose(np.square(variable.draw.weights).sum(), 1.5**2 * bool(variable.parents))
    again = mixed_random(n_variables, max_parents=max_parents, random_state=seed)
    assert again.variables == world.variables


def test_random_worlds_use_all_kinds_and_numbers_of_parents():
    world = mixed_random(60, max_parents=3, random_state=0)
    assert set(world.kinds) == set(KINDS)
    assert {len(variable.parents) for variable in world.variables} == {0, 1, 2, 3}
    assert {w < 0 for variable in world.variables for w in variable.draw.weights} == {True, False}
    frame = world.sample(3_000, random_state=0)
    assert np.abs(frame.select_dtypes("number")).max().max() < 100
    assert set(mixed_random(20, kinds=["count"], random_state=0).kinds) == {"count"}


# --- what all of them share


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_columns_have_the_types_of_their_kinds(world):
    frame = world.sample(500, random_state=0)
    assert tuple(frame.columns) == world.names
    assert len(frame) == 500
    for variable in world.variables:
        column = frame[variable.name]
        if variable.kind == "nominal":
            assert tuple(column.cat.categories) == variable.levels
            assert not column.cat.ordered
            assert not column.isna().any()
        else:
            assert column.dtype == ("float64" if variable.kind == "continuous" else "int64")
        if variable.kind == "binary":
            assert set(column) == {0, 1}
        if variable.kind == "count":
            assert column.min() >= 0


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_the_same_seed_gives_the_same_table_also_after_pickling(world):
    frame = world.sample(50, random_state=3)
    assert frame.equals(world.sample(50, random_state=3))
    assert not frame.equals(world.sample(50, random_state=4))
    assert frame.equals(pickle.loads(pickle.dumps(world)).sample(50, random_state=3))


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_graphs_are_true_to_form(world):
    assert not world.adjacency.flags.writeable
    assert np.array_equal(world.adjacency, world.adjacency.T)
    assert not world.adjacency.diagonal().any()
    assert world.graph.nodes == world.names
    assert as_table(world.sample(100, random_state=0)).names == world.names


# --- errors


@pytest.mark.parametrize("make", [lambda: count_world(slope=20), lambda: mixed_world(8)])
def test_counts_too_large_to_draw_are_refused(make):
    with pytest.raises(InputError, match=r"mean of a count is exp.*choose a smaller slope"):
        make().sample(1_000, random_state=0)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (discrete_child_world, {"slope": 0}, "slope must be different from 0, or there is no edge"),
        (discrete_child_world, {"noise": 0}, "noise must be above 0, got 0"),
        (discrete_child_world, {"cut": math.nan}, "cut must be a finite number, got nan"),
        (discrete_child_world, {"intercept": "x"}, "intercept must be a finite number, got 'x'"),
        (
            continuous_child_world,
            {"means": (1, 1, 1)},
            "means must list a number for each group, not all",
        ),
        (continuous_child_world, {"spreads": (1, -1, 2)}, "spreads must be above 0"),
        (
            continuous_child_world,
            {"spreads": (1, 2)},
            "one number for each group, at most 26, got 3 and 2",
        ),
        (continuous_child_world, {"means": ()}, "means must list a number for each group"),
        (continuous_child_world, {"means": 1.0}, "means must list a number for each group"),
        (continuous_child_world, {"means": "abc"}, "means must list a number for each group"),
        (continuous_child_world, {"means": (0, math.nan, 1)}, "means must be a finite number"),
        (discrete_child_world, {"slope": (1.0, 2.0)}, "slope must be a finite number"),
        (count_world, {"detection": None}, "detection must be a finite number, got None"),
        (count_world, {"slope": math.inf}, "slope must be a finite number, got inf"),
        (count_world, {"detection": 1.0}, "detection must be a probability between 0 and 1"),
        (zero_inflated_world, {"zero_slope": 0.0}, "zero_slope must be different from 0"),
        (zero_inflated_world, {"noise": -1}, "noise must be above 0"),
        (collider_world, {"means": (0, 1)}, "means must have 3 numbers, one for each group, got 2"),
        (collider_world, {"gain": 0}, "gain must be different from 0"),
        (interaction_world, {"slope": 0}, "slope must be different from 0"),
        (mixed_world, {"strength": 0}, "strength must be above 0, got 0"),
        (mixed_chain, {"n_variables": 0}, "n_variables must be an integer of at least 1"),
        (mixed_chain, {"n_variables": 3, "kinds": ["binry"]}, "did you mean 'binary'"),
        (mixed_chain, {"n_variables": 3, "kinds": []}, "kinds must list at least one of"),
        (mixed_chain, {"n_variables": 3, "kinds": "binary"}, "kinds must list at least one of"),
        (mixed_chain, {"n_variables": 3, "strength": -1}, "strength must be above 0"),
        (mixed_random, {"n_variables": 2.5}, "n_variables must be an integer of at least 1"),
        (mixed_random, {"n_variables": 3, "max_parents": -1}, "max_parents must be an integer"),
        (mixed_random, {"n_variables": 3, "random_state": -1}, "random_state must be"),
    ],
)
def test_worlds_refuse_what_makes_no_sense(make, options, message):
    with pytest.raises(InputError, match=message):
        make(**options)
