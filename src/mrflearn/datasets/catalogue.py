"""Worlds by name, ready to draw from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mrflearn.datasets.gaussian import sparse_gaussian
from mrflearn.datasets.hmm import ContinuousHMM, DiscreteHMM
from mrflearn.datasets.ising import ising_lattice
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
from mrflearn.datasets.networks import load_network, random_network
from mrflearn.datasets.world import World
from mrflearn.errors import unknown

__all__ = ["WORLDS", "load_world"]

_MAKERS: dict[str, tuple[str, Callable[[], World]]] = {
    "ising": ("binary, on a lattice of 3 by 3; world (a) of the paper", ising_lattice),
    "discrete-hmm": ("binary, two hidden chains; world (b) of the paper", DiscreteHMM),
    "gaussian": ("9 Gaussian variables on a sparse graph; world (c) of the paper", sparse_gaussian),
    "continuous-hmm": ("continuous, two hidden chains; world (d) of the paper", ContinuousHMM),
    "mixed": ("9 variables of four kinds, with all dependences of the small worlds", mixed_world),
    "mixed-chain": ("a chain of 8 variables whose kinds take turns", lambda: mixed_chain(8)),
    "mixed-random": (
        "8 variables of random kinds on a random graph",
        lambda: mixed_random(8, random_state=0),
    ),
    "collider": ("a continuous and a nominal variable with a common child", collider_world),
    "continuous-child": (
        "a nominal variable that shifts one child, and spreads another",
        continuous_child_world,
    ),
    "discrete-child": ("a continuous variable with two binary children", discrete_child_world),
    "count": ("a count between a continuous parent and a binary child", count_world),
    "interaction": ("effects that change sign with a nominal variable", interaction_world),
    "zero-inflated": ("a column that is 0 or continuous", zero_inflated_world),
    "asia": ("the chest clinic: 8 nominal variables", lambda: load_network("asia")),
    "cancer": ("5 nominal variables, rare events", lambda: load_network("cancer")),
    "earthquake": ("5 nominal variables, rare events", lambda: load_network("earthquake")),
    "sprinkler": ("rain, sprinkler and wet grass", lambda: load_network("sprinkler")),
    "random-network": (
        "8 nominal variables on a random directed graph",
        lambda: random_network(8, random_state=0),
    ),
}

WORLDS: Mapping[str, str] = MappingProxyType({name: line for name, (line, _) in _MAKERS.items()})
"""Names that `load_world` knows, with a line on each."""


def load_world(name: str) -> World:
    """Return a world by its name, always the same one.

    Parameters
    ----------
    name : str
        One of `WORLDS`.

    Examples
    --------
    >>> load_world("sprinkler").graph.neighbors("wet_grass")
    ('sprinkler', 'rain')
    """
    if name not in _MAKERS:
        raise unknown("world", name, WORLDS)
    return _MAKERS[name][1]()
