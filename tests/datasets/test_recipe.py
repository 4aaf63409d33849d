"""A recipe is drawn line by line, and gives the moral graph of its lines."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import expit

from mrflearn.datasets.recipe import Additive, DirectedWorld, Variable, logistic
from mrflearn.errors import InputError


def test_parents_marry_unless_told_otherwise():
    roots = (_root("a"), _root("b"))
    together = DirectedWorld((*roots, _root("c", parents=("a", "b"))))
    apart = DirectedWorld((*roots, _root("c", parents=("a", "b"), marries=False)))
    assert together.graph.neighbors("a") == ("b", "c")
    assert apart.graph.neighbors("a") == ("c",)
    assert apart.graph.neighbors("c") == ("a", "b")


def test_children_see_what_their_parents_drew():
    world = DirectedWorld(
        (
            Variable("flag", "binary", lambda rng, n: rng.random(n) < 0.5),
            Variable("label", "nominal", lambda rng, n, flag: flag, ("flag",), ("no", "yes")),
            Variable("both", "count", lambda rng, n, a, b: 10 * a + b, ("flag", "label")),
        )
    )
    frame = world.sample(200, random_state=0)
    assert set(frame["flag"]) == {0, 1}
    assert (frame["label"] == np.where(frame["flag"] == 1, "yes", "no")).all()
    assert (frame["both"] == 11 * frame["flag"]).all()


def test_effects_of_several_parents_add_up():
    recipe = (
        Variable("x0", "binary", Additive("binary")),
        Variable("x1", "nominal", Additive("nominal"), levels=Additive.LEVELS),
        Variable(
            "x2", "continuous", Additive("continuous", ("binary", "nominal"), (0.5, -2.0)),
            ("x0", "x1"),
        ),
    )  # fmt: skip
    drawn = DirectedWorld(recipe).sample(60_000, random_state=0)
    for x0, x1 in itertools.product((0, 1), "abc"):
        here = (drawn["x0"] == x0) & (drawn["x1"] == x1)
        expected = 0.5 * (2 * x0 - 1) - 2 * {"a": 1, "b": -1, "c": 0}[x1]
        assert abs(drawn["x2"][here].mean() - expected) < 5 / math.sqrt(here.sum())


def test_large_weights_do_not_overflow():
    binary = Variable("x", "binary", Additive("binary"))
    nominal = Variable(
        "y", "nominal", Additive("nominal", ("binary",), (1e4,)), ("x",), Additive.LEVELS
    )
    with np.errstate(over="raise", invalid="raise"):
        frame = DirectedWorld((binary, nominal)).sample(100, random_state=0)
    assert (frame["y"] == np.where(frame["x"] == 1, "a", "b")).all()


def test_the_logistic_function_does_not_overflow():
    x = np.array([-800.0, -3.0, 0.0, 3.0, 800.0])
    with np.errstate(all="raise"):
        np.testing.assert_allclose(logistic(x), expit(x), atol=1e-15)


def _root(name="x", kind="continuous", **options):
    return Variable(name, kind, lambda rng, n: rng.normal(size=n), **options)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ((), "a recipe needs at least one variable"),
        ((_root(), _root()), "names holds 'x' twice"),
        ((_root(kind="numeric"),), "unknown kind of 'x' 'numeric'"),
        ((_root(kind="nominal"),), "nominal variables have levels, others do not"),
        ((_root(levels=("a", "b")),), "nominal variables have levels, others do not"),
        ((_root("age"), _root("x", parents=("aeg",))), "unknown parent of 'x' 'aeg'; did you mean"),
        ((_root("a", parents=("b",)), _root("b")), "unknown parent of 'a' 'b'"),
    ],
)
def test_a_recipe_in_disorder_is_refused(variables, message):
    with pytest.raises(InputError, match=message):
        DirectedWorld(variables)


def test_a_draw_of_the_wrong_length_is_refused():
    world = DirectedWorld((Variable("x", "continuous", lambda rng, n: np.zeros(3)),))
    with pytest.raises(InputError, match=r"draw of 'x' must return 5 values.*shape \(3,\)"):
        world.sample(5)
