"""Small random tables, and random distributions whose graph and dependences are known exactly."""

import itertools
import warnings

import numpy as np

from mrflearn.dependence import (
    KNN,
    FrenzelPompe,
    Gaussian,
    MixedKSG,
    OracleGaussian,
    OracleJoint,
    PlugIn,
)
from mrflearn.table import as_table

SPECIFICATIONS = (
    KNN(2),
    MixedKSG(2),
    PlugIn(),
    Gaussian(),
    FrenzelPompe(3),
    PlugIn(correction="df"),
    MixedKSG(1, variant="depynd"),
)


def random_dependence(seed):
    """A dependence on a small random table, many of them with ties and duplicate columns."""
    rng = np.random.default_rng(seed)
    specification = SPECIFICATIONS[seed % len(SPECIFICATIONS)]
    n_variables, n_samples = int(rng.integers(2, 7)), int(rng.integers(8, 20))
    mixing = rng.normal(size=(n_variables, n_variables)) * (rng.random((n_variables,) * 2) < 0.4)
    data = rng.normal(size=(n_samples, n_variables)) @ (mixing + np.eye(n_variables))
    if isinstance(specification, PlugIn):
        data = (data > 0).astype(int) + (data > 1)
    elif seed % 3 == 0:
        data = np.round(data)
    if seed % 4 == 0:
        data[:, -1] = data[:, 0]
    kinds = (
        dict.fromkeys(range(n_variables), "nominal") if isinstance(specification, PlugIn) else {}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return specification.bind(as_table(data, kinds=kinds))


def random_graph(rng, n_variables, shape):
    """A graph of one of these shapes.

    "tree": a random tree, some of its edges missing. "sparse": the same with cycles. "bundle":
    nodes 0 and 1 joined through all others, so that they depend on each other more than on any
    neighbour, and greedy growth begins with a wrong edge.
    """
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    if shape == "bundle":
        adjacency[:2, 2:] = True
    else:
        for j in range(1, n_variables):
            adjacency[int(rng.integers(j)), j] = rng.random() < 0.9
    if shape == "sparse":
        adjacency |= np.triu(rng.random(adjacency.shape) < 1.5 / n_variables, 1)
    return adjacency | adjacency.T


def _couplings(rng, adjacency, frustrated):
    """Return random strengths; without frustration, flipping some variables makes all positive."""
    strength = rng.uniform(0.4, 0.9, size=adjacency.shape)
    flips = rng.choice([-1.0, 1.0], size=len(adjacency))
    signs = rng.choice([-1.0, 1.0], adjacency.shape) if frustrated else np.outer(flips, flips)
    return np.triu(strength * signs * adjacency, 1)


def ising_oracle(rng, adjacency, frustrated=True):
    """An Ising model with random couplings and fields, by enumeration of all its states."""
    n_variables = len(adjacency)
    coupling = _couplings(rng, adjacency, frustrated)
    field = rng.uniform(-0.3, 0.3, size=n_variables)
    states = np.array(list(itertools.product([-1, 1], repeat=n_variables)))
    energy = np.einsum("si,ij,sj->s", states, coupling, states) + states @ field
    return OracleJoint(np.exp(energy).reshape((2,) * n_variables))


def gaussian_oracle(rng, adjacency, frustrated=True):
    """A Gaussian whose precision matrix has the zeros of the graph."""
    precision = -_couplings(rng, adjacency, frustrated)
    precision = precision + precision.T
    np.fill_diagonal(precision, np.abs(precision).sum(axis=1) + rng.uniform(0.02, 0.2))
    return OracleGaussian(np.linalg.inv(precision))


WORLDS = list(itertools.product((ising_oracle, gaussian_oracle), ("tree", "sparse", "bundle")))


def random_world(seed):
    """A distribution and its true graph, of each kind in turn."""
    rng = np.random.default_rng(seed)
    make, shape = WORLDS[seed % len(WORLDS)]
    largest = 8 if make is ising_oracle else 12
    truth = random_graph(rng, int(rng.integers(2 if shape != "bundle" else 5, largest)), shape)
    return make(rng, truth, frustrated=shape == "sparse"), truth
