"""Hidden Markov models with two hidden chains: the paper's worlds of ternary relations.

At each step t an observation o_t depends on both hidden states, s1_t and s2_t. Given o_t the two
states depend on each other, however independent they are without it: the moral graph joins them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.datasets.world import World, moralise, positive_integer, read_only
from mrflearn.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ContinuousHMM", "DiscreteHMM"]

MOST_STEPS_EXACT = 6
"""Steps up to which all states are listed: 18 variables, a quarter of a million states."""

STICKY = ((0.8, 0.2), (0.2, 0.8))
NEARLY_XOR = ((0.1, 0.9), (0.9, 0.1))


class _TwoChains(World):
    """Names and graph of both models, from `n_steps`."""

    n_steps: int

    def _set_structure(self) -> None:
        n_steps = positive_integer(self.n_steps, "n_steps")
        names = [f"{who}_{t + 1}" for who in ("s1", "s2", "o") for t in range(n_steps)]
        parents: list[tuple[int, ...]] = []
        for chain in range(2):
            start = chain * n_steps
            parents += [(start + t - 1,) if t else () for t in range(n_steps)]
        parents += [(t, n_steps + t) for t in range(n_steps)]
        self._set(names=tuple(names), adjacency=moralise(parents))

    def _set(self, **attributes: Any) -> None:
        for attribute, value in attributes.items():
            object.__setattr__(self, attribute, value)


@dataclass(frozen=True, eq=False, repr=False)
class DiscreteHMM(_TwoChains):
    """Two hidden binary chains and an observation of both; world (b) of the GS-MPLE paper.

    The variables are s1_1, s1_2, …, s2_1, s2_2, …, o_1, o_2, …, all 0 or 1. The edges are those of
    the moral graph: within each chain, and between s1_t, s2_t and o_t. Probability tables that
    ignore one of their conditions would make some of them void.

    The paper gives no probabilities; the defaults are our choice: sticky chains and an observation
    that says, nine times of ten, whether the states differ. It then tells nothing of either state
    alone, and all of both together.

    Parameters
    ----------
    n_steps : int, default=3
        Steps in time; three give nine variables and 13 edges.
    transitions : array of shape (2, 2, 2)
        `transitions[c][a][b]` is the probability that chain c goes from a to b. By default both
        stay with probability 0.8.
    emission : array of shape (2, 2)
        `emission[a][b]` is the probability of o = 1 where s1 = a and s2 = b. By default 0.9 where
        the states differ, else 0.1.
    initial : array of shape (2,), default=(0.5, 0.5)
        Probability of each chain to begin with 1.
    name : str, default="discrete-hmm"
        Name of the world.

    Examples
    --------
    >>> world = DiscreteHMM()
    >>> world
    DiscreteHMM('discrete-hmm', 9 variables, 13 edges)
    >>> world.graph.neighbors("s1_1")
    ('s1_2', 's2_1', 'o_1')
    >>> world.joint.shape
    (2, 2, 2, 2, 2, 2, 2, 2, 2)
    """

    n_steps: int = 3
    transitions: Any = (STICKY, STICKY)
    emission: Any = NEARLY_XOR
    initial: Any = (0.5, 0.5)
    name: str = "discrete-hmm"
    names: tuple[str, ...] = field(init=False)
    adjacency: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self._set_structure()
        transitions = _probabilities(self.transitions, (2, 2, 2), "transitions")
        totals = transitions.sum(axis=2)
        if not np.allclose(totals, 1.0):
            chain, state = np.argwhere(~np.isclose(totals, 1.0))[0].tolist()
            raise InputError(
                f"transitions[{chain}][{state}] must sum to 1, but sums to {totals[chain, state]:g}"
            )
        self._set(
            transitions=transitions,
            emission=_probabilities(self.emission, (2, 2), "emission"),
            initial=_probabilities(self.initial, (2,), "initial"),
        )

    @cached_property
    def joint(self) -> NDArray[np.float64]:
        """Exact probabilities of all states: an axis of length 2 for each variable. Read-only."""
        if self.n_steps > MOST_STEPS_EXACT:
            raise InputError(
                f"the exact table is for at most {MOST_STEPS_EXACT} steps, and here are "
                f"{self.n_steps}"
            )
        n_steps = self.n_steps
        observe = np.stack([1 - self.emission, self.emission], axis=-1)  # [s1, s2, o]
        joint = np.ones((2,) * self.n_variables)
        for chain in range(2):
            first = chain * n_steps
            joint *= self._along([1 - self.initial[chain], self.initial[chain]], first)
            for t in range(1, n_steps):
                joint *= self._along(self.transitions[chain], first + t - 1, first + t)
        for t in range(n_steps):
            joint *= self._along(observe, t, n_steps + t, 2 * n_steps + t)
        return read_only(joint)

    def _along(self, table: ArrayLike, *variables: int) -> NDArray[np.float64]:
        """Lay a table of some variables, in ascending order, along their axes of the joint."""
        shape = [2 if axis in variables else 1 for axis in range(self.n_variables)]
        return np.reshape(table, shape)

    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        states = np.empty((2, self.n_steps, n_samples), dtype=np.int64)
        for chain in range(2):
            up = np.full(n_samples, self.initial[chain])
            for t in range(self.n_steps):
                states[chain, t] = rng.random(n_samples) < up
                up = self.transitions[chain, states[chain, t], 1]
        up = self.emission[states[0], states[1]]
        seen = (rng.random(up.shape) < up).astype(np.int64)
        return pd.DataFrame(np.concatenate([*states, seen]).T, columns=list(self.names))


@dataclass(frozen=True, eq=False, repr=False)
class ContinuousHMM(_TwoChains):
    """Two hidden autoregressive chains and an observation of both; world (d) of the GS-MPLE paper.

    s_{c,t+1} = a_c s_{c,t} + noise_c * epsilon with standard normal epsilon, and o_t is Gaussian
    with mean s1_t and standard deviation `|s2_t|`. All means are 0. The second chain shows in the
    spread of the observation alone, so no correlation sees it. Variables and graph are those of
    `DiscreteHMM`.

    The paper gives no numbers; the defaults are our choice, and make every state of variance 1.

    Parameters
    ----------
    n_steps : int, default=3
        Steps in time; three give nine variables and 13 edges.
    coefficients : array of shape (2,), default=(0.8, 0.8)
        a, one for each chain; not 0.
    noise : array of shape (2,), default=(0.6, 0.6)
        Standard deviations of the noise; positive.
    initial_variances : array of shape (2,), optional
        Variance of s1_1 and of s2_1; positive. By default the stationary one, noise² / (1 - a²),
        which needs `|a| < 1`.
    name : str, default="continuous-hmm"
        Name of the world.

    Notes
    -----
    `covariance` is exact. Beyond second moments, E[(o_t - s1_t)² s2_t²] = 3 Var(s2_t)².

    Examples
    --------
    >>> world = ContinuousHMM()
    >>> world
    ContinuousHMM('continuous-hmm', 9 variables, 13 edges)
    >>> world.covariance[0].round(2)
    array([1.  , 0.8 , 0.64, 0.  , 0.  , 0.  , 1.  , 0.8 , 0.64])
    """

    n_steps: int = 3
    coefficients: Any = (0.8, 0.8)
    noise: Any = (0.6, 0.6)
    initial_variances: Any = None
    name: str = "continuous-hmm"
    names: tuple[str, ...] = field(init=False)
    adjacency: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self._set_structure()
        coefficients = _numbers(self.coefficients, (2,), "coefficients")
        noise = _numbers(self.noise, (2,), "noise")
        if not coefficients.all():
            raise InputError("coefficients must not be 0, or the chain would have no edges")
        if (noise <= 0).any():
            raise InputError(f"noise must be positive, got {noise.tolist()}")
        if self.initial_variances is not None:
            variances = _numbers(self.initial_variances, (2,), "initial_variances")
            if (variances <= 0).any():
                raise InputError(f"initial_variances must be positive, got {variances.tolist()}")
        elif (np.abs(coefficients) >= 1).any():
            raise InputError(
                f"coefficients {coefficients.tolist()} have no stationary state, which needs sizes "
                "below 1; give initial_variances"
            )
        else:
            variances = read_only(noise**2 / (1 - coefficients**2))
        self._set(coefficients=coefficients, noise=noise, initial_variances=variances)

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Exact covariance matrix, (n_variables, n_variables). Read-only.

        Cov(s_t, s_u) = a^(u - t) Var(s_t) within a chain for t <= u. An observation has the
        covariances of s1_t, and Var(s2_t) more variance than it.
        """
        n_steps = self.n_steps
        first, second = (self._chain_covariance(chain) for chain in range(2))
        covariance = np.zeros((3 * n_steps, 3 * n_steps))
        s1, s2, o = (slice(k * n_steps, (k + 1) * n_steps) for k in range(3))
        covariance[s1, s1] = covariance[s1, o] = covariance[o, s1] = first
        covariance[s2, s2] = second
        covariance[o, o] = first + np.diag(second.diagonal())
        return read_only(covariance)

    def _chain_covariance(self, chain: int) -> NDArray[np.float64]:
        a, noise = self.coefficients[chain], self.noise[chain]
        covariance = np.zeros((self.n_steps, self.n_steps))
        variance = self.initial_variances[chain]
        for t in range(self.n_steps):
            covariance[t, t:] = covariance[t:, t] = variance * a ** np.arange(self.n_steps - t)
            variance = a**2 * variance + noise**2
        return covariance

    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        states = rng.standard_normal((2, self.n_steps, n_samples))
        for chain in range(2):
            states[chain, 0] *= np.sqrt(self.initial_variances[chain])
            for t in range(1, self.n_steps):
                states[chain, t] *= self.noise[chain]
                states[chain, t] += self.coefficients[chain] * states[chain, t - 1]
        seen = states[0] + np.abs(states[1]) * rng.standard_normal((self.n_steps, n_samples))
        return pd.DataFrame(np.concatenate([*states, seen]).T, columns=list(self.names))


def _numbers(values: ArrayLike, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """Return finite numbers of the given shape, read-only, or say what is wrong with them."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers of shape {shape}, got {values!r}") from None
    if array.shape != shape:
        raise InputError(f"{what} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{what} holds NaN or infinite values; all must be finite")
    return read_only(array)


def _probabilities(values: ArrayLike, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    array = _numbers(values, shape, what)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise InputError(f"{what} holds {outside[0]:g}, but probabilities lie between 0 and 1")
    return array
