"""A world by recipe: its variables one after the other, each drawn given some of those before it.

In the formulas, σ is the logistic function and ε standard normal noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.datasets.world import World, check_names, moralise, read_only
from mrflearn.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS", "Additive", "DirectedWorld", "Variable"]

KINDS = ("continuous", "nominal", "count", "binary")

Values = NDArray[Any]
Rng = np.random.Generator


@dataclass(frozen=True)
class Variable:
    """One line of a recipe.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : {"continuous", "binary", "count", "nominal"}
        Columns are floats, integers 0 and 1, integers, or categoricals.
    draw : callable
        `draw(rng, n_samples, *parents)` returns the column as an array; `parents` are arrays, too.
        Nominal variables are positions in `levels`, here and as parents.
    parents : tuple of str
        Variables that come before this one.
    levels : tuple of str
        The values of a nominal variable.
    marries : bool, default=True
        Whether its parents become dependent once it is known. They do, unless its distribution
        given the parents is a product of functions of one parent each (see `zero_inflated_world`).
    """

    name: str
    kind: str
    draw: Callable[..., Values]
    parents: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    marries: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class DirectedWorld(World):
    """A world by recipe. Its graph is the moral graph of the recipe.

    Parameters
    ----------
    variables : sequence of Variable
        The recipe, parents before their children.
    name : str, default="recipe"
        Name of the world.

    Examples
    --------
    >>> coin = Variable("coin", "binary", lambda rng, n: rng.integers(2, size=n))
    >>> gain = Variable("gain", "continuous", lambda rng, n, x: rng.normal(x), parents=("coin",))
    >>> DirectedWorld((coin, gain)).sample(100, random_state=0).dtypes.astype(str).to_dict()
    {'coin': 'int64', 'gain': 'float64'}
    """

    variables: tuple[Variable, ...]
    name: str = "recipe"
    names: tuple[str, ...] = field(init=False)
    adjacency: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        variables = tuple(self.variables)
        if not variables:
            raise InputError("a recipe needs at least one variable")
        names = check_names([variable.name for variable in variables], len(variables))
        parents = []
        for v, variable in enumerate(variables):
            if variable.kind not in KINDS:
                raise unknown(f"kind of {variable.name!r}", variable.kind, KINDS)
            if (variable.kind == "nominal") != (len(variable.levels) > 0):
                raise InputError(
                    f"{variable.name!r} is {variable.kind} with levels {variable.levels}: nominal "
                    "variables have levels, others do not"
                )
            for parent in variable.parents:
                if parent not in names[:v]:
                    raise unknown(f"parent of {variable.name!r}", parent, names[:v])
            parents.append([names.index(parent) for parent in variable.parents])
        married = [own if variables[v].marries else [] for v, own in enumerate(parents)]
        adjacency = moralise(married).copy()
        for v, own in enumerate(parents):
            adjacency[v, own] = adjacency[own, v] = True
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "adjacency", read_only(adjacency))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each variable: "continuous", "binary", "count" or "nominal"."""
        return tuple(variable.kind for variable in self.variables)

    def _draw(self, n_samples: int, rng: Rng) -> pd.DataFrame:
        import pandas as pd

        drawn: dict[str, Values] = {}
        columns: dict[str, Any] = {}
        for variable in self.variables:
            values: Values = np.asarray(
                variable.draw(rng, n_samples, *(drawn[name] for name in variable.parents)),
                dtype=np.float64 if variable.kind == "continuous" else np.int64,
            )
            if values.shape != (n_samples,):
                raise InputError(
                    f"draw of {variable.name!r} must return {n_samples} values, one for each "
                    f"sample, got an array of shape {values.shape}"
                )
            drawn[variable.name] = values
            columns[variable.name] = (
                pd.Categorical.from_codes(values, categories=pd.Index(variable.levels))
                if variable.kind == "nominal"
                else values
            )
        return pd.DataFrame(columns)


# Ways to draw a variable given its parents. They are functions of a module, with numbers bound by
# functools.partial, and not lambdas, so that worlds can be pickled.


def normal(rng: Rng, n_samples: int) -> Values:
    """ε."""
    return rng.normal(size=n_samples)


def level(rng: Rng, n_samples: int, *, n_levels: int) -> Values:
    """All levels of a nominal variable with equal probability."""
    return rng.integers(n_levels, size=n_samples)


def odds(
    rng: Rng, n_samples: int, *parents: Values, slopes: Sequence[float], intercept: float = 0.0
) -> Values:
    """1 with probability σ(intercept + slopes · parents)."""
    return rng.random(n_samples) < logistic(intercept + _sum(slopes, parents))


def above(rng: Rng, n_samples: int, x: Values, *, cut: float, noise: float) -> Values:
    """1 if x + noise ε > cut."""
    return x + rng.normal(scale=noise, size=n_samples) > cut


def shifted(
    rng: Rng,
    n_samples: int,
    group: Values,
    *parents: Values,
    means: Sequence[float],
    slopes: Sequence[float] = (),
) -> Values:
    """means[group] + slopes · parents + ε."""
    return rng.normal(np.array(means)[group] + _sum(slopes, parents))


def spread(rng: Rng, n_samples: int, group: Values, *, sds: Sequence[float]) -> Values:
    """sds[group] ε."""
    return rng.normal(scale=np.array(sds)[group])


def poisson(
    rng: Rng, n_samples: int, *parents: Values, slopes: Sequence[float], intercept: float
) -> Values:
    """Poisson with mean exp(intercept + slopes · parents)."""
    return _poisson(rng, intercept + _sum(slopes, parents))


def seen(rng: Rng, n_samples: int, count: Values, *, detection: float) -> Values:
    """1 with probability 1 - (1 - detection)^count."""
    return rng.random(n_samples) >= (1 - detection) ** count


def zero_inflated(
    rng: Rng,
    n_samples: int,
    barrier: Values,
    drive: Values,
    *,
    zero_slope: float,
    zero_intercept: float,
    slope: float,
    intercept: float = 0.0,
    noise: float,
) -> Values:
    """0 with probability σ(zero_intercept + zero_slope barrier), else slope drive + noise ε."""
    zero = rng.random(n_samples) < logistic(zero_intercept + zero_slope * barrier)
    return np.where(zero, 0.0, rng.normal(intercept + slope * drive, noise))


def flipped(
    rng: Rng, n_samples: int, group: Values, x: Values, *, slopes: Sequence[float]
) -> Values:
    """slopes[group] x + ε."""
    return rng.normal(np.array(slopes)[group] * x)


def flipped_odds(
    rng: Rng, n_samples: int, group: Values, x: Values, *, slopes: Sequence[float]
) -> Values:
    """1 with probability σ(slopes[group] x)."""
    return rng.random(n_samples) < logistic(np.array(slopes)[group] * x)


@dataclass(frozen=True)
class Additive:
    """Draws a variable of any kind given parents of any kinds, whose effects add up.

    Every parent has a score between -1 and 1: tanh(x) for a continuous x, tanh(x / 2 - 1) for a
    count, 2 x - 1 for a binary variable, and 1, -1, 0 for the levels a, b, c of a nominal one. With
    η the sum of the weights times the scores, 0 without parents, the variable is

    - continuous: η + ε
    - nominal: a, b, c with probabilities proportional to exp(2 η), exp(-2 η), 1
    - count: Poisson with mean exp(0.5 + 0.7 η)
    - binary: 1 with probability σ(2 η)

    Attributes
    ----------
    kind : str
        The kind drawn.
    parent_kinds : tuple of str
        Kinds of the parents.
    weights : tuple of float
        Weights of the parents.
    """

    kind: str
    parent_kinds: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    LEVELS = ("a", "b", "c")
    SCORES = (1.0, -1.0, 0.0)

    def __call__(self, rng: Rng, n_samples: int, *parents: Values) -> Values:
        """Draw the variable."""
        eta = np.zeros(n_samples)
        for kind, weight, values in zip(self.parent_kinds, self.weights, parents, strict=True):
            eta += weight * self._score(kind, values)
        if self.kind == "continuous":
            return rng.normal(eta)
        if self.kind == "count":
            return _poisson(rng, 0.5 + 0.7 * eta)
        if self.kind == "binary":
            return rng.random(n_samples) < logistic(2 * eta)
        exponents = 2 * np.outer(eta, self.SCORES)
        bounds = np.cumsum(np.exp(exponents - exponents.max(axis=1, keepdims=True)), axis=1)
        return (rng.random(n_samples)[:, None] * bounds[:, -1:] >= bounds[:, :-1]).sum(axis=1)

    def _score(self, kind: str, values: Values) -> NDArray[np.float64]:
        if kind == "continuous":
            return np.tanh(values)
        if kind == "count":
            return np.tanh(values / 2 - 1)
        if kind == "binary":
            return 2.0 * values - 1
        return np.array(self.SCORES)[values]


def logistic(x: Values) -> NDArray[np.float64]:
    """1 / (1 + exp(-x)), which does not overflow in this form."""
    return (1 + np.tanh(x / 2)) / 2


def _poisson(rng: Rng, log_mean: NDArray[np.float64]) -> Values:
    if log_mean.max() > 30:  # far from the largest integer, and from any count
        raise InputError(
            f"the mean of a count is exp({log_mean.max():.3g}), too large to draw it; choose a "
            "smaller slope, intercept or strength"
        )
    return rng.poisson(np.exp(log_mean))


def _sum(slopes: Sequence[float], parents: Sequence[Values]) -> NDArray[np.float64]:
    return np.sum([slope * x for slope, x in zip(slopes, parents, strict=True)], axis=0)
