"""Worlds where continuous, binary, count and nominal variables meet.

Small ones hold one kind of dependence each; `mixed_world` joins them, and `mixed_chain` and
`mixed_random` have any number of variables. In the formulas, σ is the logistic function, Φ the
standard normal distribution function, and every ε is standard normal noise of its own.
"""

from __future__ import annotations

import math
import numbers
import string
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mrflearn.datasets.recipe import (
    KINDS,
    Additive,
    DirectedWorld,
    Variable,
    above,
    flipped,
    flipped_odds,
    level,
    normal,
    odds,
    poisson,
    seen,
    shifted,
    spread,
    zero_inflated,
)
from mrflearn.datasets.world import as_generator, positive_integer
from mrflearn.errors import InputError, unknown

__all__ = [
    "collider_world",
    "continuous_child_world",
    "count_world",
    "discrete_child_world",
    "interaction_world",
    "mixed_chain",
    "mixed_random",
    "mixed_world",
    "zero_inflated_world",
]


def discrete_child_world(
    slope: float = 2.0, intercept: float = 0.0, cut: float = 0.5, noise: float = 0.5
) -> DirectedWorld:
    """Return a continuous variable with two binary children, by odds and by threshold.

    - x = ε
    - odds = 1 with probability σ(`intercept` + `slope` x)
    - above = 1 if x + `noise` ε > `cut`, which has the probability Φ(-cut / √(1 + noise²))

    Edges: x - odds, x - above.

    Examples
    --------
    >>> discrete_child_world()
    DirectedWorld('discrete child', 3 variables, 2 edges)
    """
    _check_effects(slope=slope)
    _check(intercept=intercept, cut=cut)
    _check_positive(noise=noise)
    return DirectedWorld(
        (
            Variable("x", "continuous", normal),
            Variable("odds", "binary", partial(odds, slopes=(slope,), intercept=intercept), ("x",)),
            Variable("above", "binary", partial(above, cut=cut, noise=noise), ("x",)),
        ),
        "discrete child",
    )


def continuous_child_world(
    means: Sequence[float] = (-1.5, 0.0, 1.5), spreads: Sequence[float] = (0.3, 1.0, 2.5)
) -> DirectedWorld:
    """Return a nominal variable with two continuous children: one shifts, one only spreads.

    - group = one of `len(means)` levels a, b, c, … with equal probability
    - shifted = `means[group]` + ε
    - spread = `spreads[group]` ε, which has the same mean in all groups

    Edges: group - shifted, group - spread.

    Examples
    --------
    >>> continuous_child_world().sample(200, random_state=0)["group"].cat.categories.tolist()
    ['a', 'b', 'c']
    """
    means, spreads = _check_groups("means", means), _check_groups("spreads", spreads)
    for spread_of_group in spreads:
        _check_positive(spreads=spread_of_group)
    if len(means) != len(spreads) or len(means) > 26:
        raise InputError(
            "means and spreads must have one number for each group, at most 26, got "
            f"{len(means)} and {len(spreads)}"
        )
    levels = tuple(string.ascii_lowercase[: len(means)])
    return DirectedWorld(
        (
            Variable("group", "nominal", partial(level, n_levels=len(levels)), levels=levels),
            Variable("shifted", "continuous", partial(shifted, means=means), ("group",)),
            Variable("spread", "continuous", partial(spread, sds=spreads), ("group",)),
        ),
        "continuous child",
    )


def count_world(
    slope: float = 0.7, intercept: float = 0.5, detection: float = 0.3
) -> DirectedWorld:
    """Return a count between a continuous parent and a binary child.

    - x = ε
    - count = Poisson with mean exp(`intercept` + `slope` x), on average exp(intercept + slope²/2)
    - seen = 1 if one of the counted is detected, each with probability `detection`:
      1 - (1 - detection)^count

    Edges: x - count, count - seen.

    Examples
    --------
    >>> count_world().graph.neighbors("count")
    ('x', 'seen')
    """
    _check_effects(slope=slope)
    _check(intercept=intercept)
    _check(detection=detection)
    if not 0 < detection < 1:
        raise InputError(f"detection must be a probability between 0 and 1, got {detection!r}")
    counted = partial(poisson, slopes=(slope,), intercept=intercept)
    return DirectedWorld(
        (
            Variable("x", "continuous", normal),
            Variable("count", "count", counted, ("x",)),
            Variable("seen", "binary", partial(seen, detection=detection), ("count",)),
        ),
        "count",
    )


def zero_inflated_world(
    zero_slope: float = 2.0, zero_intercept: float = 0.0, slope: float = 1.5, noise: float = 0.5
) -> DirectedWorld:
    """Return a column that is 0 or continuous: one parent says which, another how much.

    - barrier = ε, drive = ε
    - amount = 0 with probability σ(`zero_intercept` + `zero_slope` barrier), else
      `slope` drive + `noise` ε

    Edges: barrier - amount, drive - amount. The parents are *not* joined, unlike those of other
    colliders: the density of amount is a product of a function of barrier (is it zero?) and one
    of drive (how much?), so knowing it does not make them dependent.

    Examples
    --------
    >>> zero_inflated_world().graph.has_edge("barrier", "drive")
    False
    """
    _check_effects(zero_slope=zero_slope, slope=slope)
    _check(zero_intercept=zero_intercept)
    _check_positive(noise=noise)
    amount = partial(
        zero_inflated,
        zero_slope=zero_slope,
        zero_intercept=zero_intercept,
        slope=slope,
        noise=noise,
    )
    return DirectedWorld(
        (
            Variable("barrier", "continuous", normal),
            Variable("drive", "continuous", normal),
            Variable("amount", "continuous", amount, ("barrier", "drive"), marries=False),
        ),
        "zero-inflated",
    )


def collider_world(
    slope: float = 1.5, means: Sequence[float] = (-1.5, 0.0, 1.5), gain: float = 2.0
) -> DirectedWorld:
    """Return a continuous and a nominal variable with a common child, and a child of that.

    - x = ε, group = one of a, b, c with equal probability
    - y = `means[group]` + `slope` x + ε
    - z = 1 with probability σ(`gain` y)

    Edges: x - y, group - y, y - z, and x - group: independent, but not once y is known.

    Examples
    --------
    >>> collider_world().graph.neighbors("x")
    ('group', 'y')
    """
    _check_effects(slope=slope, gain=gain)
    means = _check_groups("means", means)
    levels = ("a", "b", "c")
    if len(means) != len(levels):
        raise InputError(f"means must have 3 numbers, one for each group, got {len(means)}")
    return DirectedWorld(
        (
            Variable("x", "continuous", normal),
            Variable("group", "nominal", partial(level, n_levels=3), levels=levels),
            Variable(
                "y",
                "continuous",
                partial(shifted, means=means, slopes=(slope,)),
                ("group", "x"),
            ),
            Variable("z", "binary", partial(odds, slopes=(gain,)), ("y",)),
        ),
        "collider",
    )


def interaction_world(slope: float = 2.0) -> DirectedWorld:
    """Return a continuous variable whose effects change sign with a nominal one.

    - x = ε, sign = plus or minus with equal probability
    - vote = 1 with probability σ(± `slope` x)
    - push = ± `slope` x + ε

    Edges: x - vote, sign - vote, x - push, sign - push and x - sign. What an effect does under
    plus is undone under minus: vote is independent of x, and of sign; so is push of sign, and it
    has no correlation with x. Only both together tell, so that a search which adds one edge at a
    time has nothing to begin with.

    Examples
    --------
    >>> interaction_world().graph.has_edge("x", "vote")
    True
    """
    _check_effects(slope=slope)
    slopes = (slope, -slope)
    return DirectedWorld(
        (
            Variable("x", "continuous", normal),
            Variable("sign", "nominal", partial(level, n_levels=2), levels=("plus", "minus")),
            Variable("vote", "binary", partial(flipped_odds, slopes=slopes), ("sign", "x")),
            Variable("push", "continuous", partial(flipped, slopes=slopes), ("sign", "x")),
        ),
        "interaction",
    )


def mixed_world(strength: float = 1.0) -> DirectedWorld:
    """Return nine variables of four kinds, with all the dependences of the smaller worlds.

    With s the `strength`:

    - region = north, south or west, treatment = old or new, all with equal probability
    - age = ε
    - smoker = 1 with probability σ(1.5 s age)
    - pressure = s m + s age + ε, where m is -1.5, 0, 1.5 for north, south, west
    - swing = exp(-0.7 s) ε for smoker = 0 and exp(0.7 s) ε for smoker = 1
    - visits = Poisson with mean exp(0.5 + 0.35 s pressure + s smoker)
    - response = 1 with probability σ(2.5 s pressure) under the old treatment and
      σ(-0.5 s pressure) under the new one. The effect changes its sign, but some of it is left
      on average: `interaction_world` is where nothing is
    - cost = 0 with probability σ(-1.5 + 3 s response), else 1 + 0.5 s visits + 0.5 ε

    There are 13 edges: age - smoker, age - pressure, region - pressure, smoker - swing, pressure -
    visits, smoker - visits, pressure - response, treatment - response, visits - cost, response -
    cost; and, since they have a common child, age - region, pressure - smoker and pressure -
    treatment. (visits and response are not joined, see `zero_inflated_world`.)

    Parameters
    ----------
    strength : float, default=1.0
        Multiplies all effects.

    Examples
    --------
    >>> mixed_world()
    DirectedWorld('mixed', 9 variables, 13 edges)
    >>> mixed_world().sample(2, random_state=0).columns.tolist()
    ['region', 'treatment', 'age', 'smoker', 'pressure', 'swing', 'visits', 'response', 'cost']
    """
    _check_positive(strength=strength)
    s = float(strength)
    regions, treatments = ("north", "south", "west"), ("old", "new")
    pressure = partial(shifted, means=(-1.5 * s, 0.0, 1.5 * s), slopes=(s,))
    swing = partial(spread, sds=tuple(np.exp([-0.7 * s, 0.7 * s])))
    visits = partial(poisson, slopes=(0.35 * s, s), intercept=0.5)
    response = partial(flipped_odds, slopes=(2.5 * s, -0.5 * s))
    cost = partial(
        zero_inflated,
        zero_slope=3 * s,
        zero_intercept=-1.5,
        slope=0.5 * s,
        intercept=1.0,
        noise=0.5,
    )
    return DirectedWorld(
        (
            Variable("region", "nominal", partial(level, n_levels=3), levels=regions),
            Variable("treatment", "nominal", partial(level, n_levels=2), levels=treatments),
            Variable("age", "continuous", normal),
            Variable("smoker", "binary", partial(odds, slopes=(1.5 * s,)), ("age",)),
            Variable("pressure", "continuous", pressure, ("region", "age")),
            Variable("swing", "continuous", swing, ("smoker",)),
            Variable("visits", "count", visits, ("pressure", "smoker")),
            Variable("response", "binary", response, ("treatment", "pressure")),
            Variable("cost", "continuous", cost, ("response", "visits"), marries=False),
        ),
        "mixed",
    )


def mixed_chain(
    n_variables: int, kinds: Sequence[str] = KINDS, strength: float = 1.5
) -> DirectedWorld:
    """Return a chain of variables whose kinds take turns.

    Each variable is drawn given the one before it, as `recipe.Additive` says.

    Parameters
    ----------
    n_variables : int
        Number of variables, named x0, x1, …
    kinds : sequence of str, default=("continuous", "nominal", "count", "binary")
        Kinds of the variables, from the first again after the last.
    strength : float, default=1.5
        Weight of every parent.

    Examples
    --------
    >>> mixed_chain(5).kinds
    ('continuous', 'nominal', 'count', 'binary', 'continuous')
    """
    n_variables = positive_integer(n_variables, "n_variables")
    _check_positive(strength=strength)
    turns = _check_kinds(kinds)
    chosen = [turns[v % len(turns)] for v in range(n_variables)]
    parents = [(v - 1,) if v else () for v in range(n_variables)]
    weights = [(strength,) if v else () for v in range(n_variables)]
    return _additive_world(chosen, parents, weights, "mixed chain")


def mixed_random(
    n_variables: int,
    kinds: Sequence[str] = KINDS,
    max_parents: int = 2,
    strength: float = 1.5,
    random_state: Any = None,
) -> DirectedWorld:
    """Draw a world of variables of random kinds on a random directed graph.

    Each variable has 0 to `max_parents` parents among those before it, all numbers and sets of
    parents being equally likely, and is drawn given them as `recipe.Additive` says.

    Parameters
    ----------
    n_variables : int
        Number of variables, named x0, x1, …
    kinds : sequence of str, default=("continuous", "nominal", "count", "binary")
        Kinds to draw from, with equal probability.
    max_parents : int, default=2
        Largest number of parents.
    strength : float, default=1.5
        The k parents of a variable have weights of random sign and size `strength` / √k.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        The same value gives the same world.

    Examples
    --------
    >>> mixed_random(12, kinds=["continuous", "binary"], random_state=0).n_variables
    12
    """
    n_variables = positive_integer(n_variables, "n_variables")
    max_parents = 0 if max_parents == 0 else positive_integer(max_parents, "max_parents")
    _check_positive(strength=strength)
    rng = as_generator(random_state)
    chosen = [str(kind) for kind in rng.choice(_check_kinds(kinds), size=n_variables)]
    parents, weights = [], []
    for v in range(n_variables):
        n_parents = int(rng.integers(min(v, max_parents), endpoint=True))
        parents.append(tuple(sorted(rng.permutation(v)[:n_parents].tolist())))
        signs = rng.choice([-1.0, 1.0], size=n_parents)
        weights.append(tuple((signs * strength / math.sqrt(max(n_parents, 1))).tolist()))
    return _additive_world(chosen, parents, weights, "mixed random")


def _additive_world(
    kinds: Sequence[str],
    parents: Sequence[tuple[int, ...]],
    weights: Sequence[tuple[float, ...]],
    name: str,
) -> DirectedWorld:
    return DirectedWorld(
        tuple(
            Variable(
                f"x{v}",
                kind,
                Additive(kind, tuple(kinds[parent] for parent in parents[v]), weights[v]),
                tuple(f"x{parent}" for parent in parents[v]),
                Additive.LEVELS if kind == "nominal" else (),
            )
            for v, kind in enumerate(kinds)
        ),
        name,
    )


def _check_kinds(kinds: Sequence[str]) -> list[str]:
    if isinstance(kinds, str) or not len(kinds):
        raise InputError(f"kinds must list at least one of {', '.join(KINDS)}, got {kinds!r}")
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind", kind, KINDS)
    return list(kinds)


def _check(**values: float) -> None:
    """Check that parameters are finite numbers."""
    for name, value in values.items():
        if not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise InputError(f"{name} must be a finite number, got {value!r}")


def _check_effects(**values: float) -> None:
    """Check that parameters are finite and not 0, which would leave an edge without effect."""
    _check(**values)
    for name, value in values.items():
        if value == 0:
            raise InputError(f"{name} must be different from 0, or there is no edge; got {value!r}")


def _check_positive(**values: float) -> None:
    """Check that parameters are finite and above 0."""
    _check(**values)
    for name, value in values.items():
        if value <= 0:
            raise InputError(f"{name} must be above 0, got {value!r}")


def _check_groups(name: str, values: Sequence[float]) -> tuple[float, ...]:
    """Check that a parameter lists a finite number for each group, not all the same."""
    if isinstance(values, str) or not np.ndim(values) or len(set(values)) < 2:
        raise InputError(
            f"{name} must list a number for each group, not all the same or there is no edge; got "
            f"{values!r}"
        )
    for value in values:
        _check(**{name: value})
    return tuple(values)
