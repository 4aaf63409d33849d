"""What every world promises, and the moral graph of a directed one."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.datasets.gaussian import GaussianWorld, gaussian_on, sparse_gaussian
from mrflearn.datasets.hmm import ContinuousHMM, DiscreteHMM
from mrflearn.datasets.ising import Ising, ising_lattice, ising_on
from mrflearn.datasets.shapes import chain, hub
from mrflearn.datasets.world import World, moralise
from mrflearn.errors import InputError

WORLDS = {
    "lattice, exact": ising_lattice(),
    "lattice, gibbs": ising_lattice(method="gibbs", n_sweeps=5),
    "lattice, wolff": ising_lattice(method="wolff", n_sweeps=5),
    "hub of spins": ising_on(hub(25), 0.1),
    "discrete hmm": DiscreteHMM(),
    "long discrete hmm": DiscreteHMM(n_steps=12),
    "sparse gaussian": sparse_gaussian(),
    "gaussian chain": gaussian_on(chain(20), random_state=0),
    "continuous hmm": ContinuousHMM(),
    "one variable": GaussianWorld([[1.0]]),
}
BINARY = (Ising, DiscreteHMM)


@pytest.fixture(params=WORLDS.values(), ids=WORLDS.keys())
def world(request):
    return request.param


def test_a_table_has_a_column_for_each_variable(world):
    frame = world.sample(7, random_state=0)
    assert isinstance(frame, pd.DataFrame)
    assert tuple(frame.columns) == world.names
    assert frame.shape == (7, world.n_variables)
    assert not frame.isna().any(axis=None)


def test_binary_variables_are_integers_and_continuous_ones_floats(world):
    frame = world.sample(50, random_state=0)
    if isinstance(world, BINARY):
        assert set(frame.dtypes) == {np.dtype("int64")}
        assert set(np.unique(frame)) == {0, 1}
    else:
        assert set(frame.dtypes) == {np.dtype("float64")}


def test_the_same_seed_gives_the_same_table(world):
    seeds = np.random.SeedSequence(3)
    for state in (3, seeds):
        pd.testing.assert_frame_equal(world.sample(30, state), world.sample(30, state))
    pd.testing.assert_frame_equal(
        world.sample(30, 3), world.sample(30, random_state=np.random.default_rng(3))
    )


def test_other_seeds_and_a_used_generator_give_other_tables(world):
    rng = np.random.default_rng(3)
    tables = [world.sample(100, 3), world.sample(100, 4), world.sample(100)]
    tables += [world.sample(100, rng) for _ in range(2)][1:]
    for a in range(len(tables)):
        for b in range(a):
            assert not tables[a].equals(tables[b])


def test_the_graph_is_the_adjacency_with_names(world):
    assert world.graph.nodes == world.names
    np.testing.assert_array_equal(world.graph.adjacency, world.adjacency)
    assert world.adjacency.dtype == bool
    assert f"{world.n_variables} variables, {len(world.graph.edges)} edges" in repr(world)


def test_the_truth_cannot_be_changed_by_accident(world):
    with pytest.raises(ValueError, match="read-only"):
        world.adjacency[0, 0] = True
    with pytest.raises(AttributeError):
        world.name = "other"


@pytest.mark.parametrize("n_samples", [0, -3, 2.0, True, "10", None])
def test_the_number_of_samples_is_a_positive_integer(world, n_samples):
    with pytest.raises(InputError, match="n_samples must be an integer of at least 1"):
        world.sample(n_samples)


def test_numpy_integers_are_integers(world):
    assert len(world.sample(np.int32(2), 0)) == 2


@pytest.mark.parametrize("random_state", ["seed", -1, 1.5])
def test_a_bad_random_state_is_named(random_state):
    with pytest.raises(InputError, match="random_state must be None, an integer"):
        ising_lattice().sample(3, random_state)


def test_a_world_must_say_how_it_is_drawn():
    with pytest.raises(TypeError, match="_draw"):
        World()


@pytest.mark.parametrize(
    "make",
    [
        lambda names: GaussianWorld(np.eye(3), names),
        lambda names: Ising(np.zeros((3, 3)), names=names),
    ],
    ids=["gaussian", "ising"],
)
def test_names_are_as_many_as_variables_and_all_different(make):
    assert make(["a", "b", "c"]).names == ("a", "b", "c")
    assert make(None).names == make(()).names == ("x0", "x1", "x2")
    with pytest.raises(InputError, match="names must list 3 names"):
        make(["a", "b"])
    with pytest.raises(InputError, match="names must list 3 names"):
        make("abc")
    with pytest.raises(InputError, match="names holds 'b' twice"):
        make(["b", "a", "b"])


@st.composite
def _parents(draw):
    n_nodes = draw(st.integers(1, 8))
    return [draw(st.lists(st.integers(0, v - 1), unique=True)) if v else [] for v in range(n_nodes)]


@settings(max_examples=80, deadline=None)
@given(_parents())
def test_the_moral_graph_is_that_of_networkx(parents):
    directed = nx.DiGraph()
    directed.add_nodes_from(range(len(parents)))
    directed.add_edges_from((p, child) for child, own in enumerate(parents) for p in own)
    expected = nx.to_numpy_array(nx.moral_graph(directed), nodelist=range(len(parents)))
    np.testing.assert_array_equal(moralise(parents), expected.astype(bool))


@pytest.mark.parametrize("parents", [[(), (1,)], [(), (2,)], [(-1,), ()]])
def test_parents_are_other_nodes(parents):
    with pytest.raises(InputError, match="parents are other nodes"):
        moralise(parents)
