"""Small real tables, and worlds: distributions with known graphs to draw tables from."""

from mrflearn.datasets import shapes
from mrflearn.datasets.catalogue import WORLDS, load_world
from mrflearn.datasets.gaussian import GaussianWorld, gaussian_on, sparse_gaussian
from mrflearn.datasets.hmm import ContinuousHMM, DiscreteHMM
from mrflearn.datasets.ising import Ising, ising_lattice, ising_on
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
from mrflearn.datasets.networks import (
    NETWORKS,
    BayesianNetwork,
    format_network,
    load_network,
    parse_network,
    random_network,
    read_network,
)
from mrflearn.datasets.penguins import load_penguins, penguins_path
from mrflearn.datasets.recipe import Additive, DirectedWorld, Variable
from mrflearn.datasets.world import World, moralise

__all__ = [
    "NETWORKS",
    "WORLDS",
    "Additive",
    "BayesianNetwork",
    "ContinuousHMM",
    "DirectedWorld",
    "DiscreteHMM",
    "GaussianWorld",
    "Ising",
    "Variable",
    "World",
    "collider_world",
    "continuous_child_world",
    "count_world",
    "discrete_child_world",
    "format_network",
    "gaussian_on",
    "interaction_world",
    "ising_lattice",
    "ising_on",
    "load_network",
    "load_penguins",
    "load_world",
    "mixed_chain",
    "mixed_random",
    "mixed_world",
    "moralise",
    "parse_network",
    "penguins_path",
    "random_network",
    "read_network",
    "shapes",
    "sparse_gaussian",
    "zero_inflated_world",
]
