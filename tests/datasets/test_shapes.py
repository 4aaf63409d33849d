"""Shapes against networkx, and against the definitions of the random ones."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.datasets.shapes import chain, cycle, grid, hub, random_graph, scale_free
from mrflearn.errors import InputError


def _matrix(graph):
    return nx.to_numpy_array(graph).astype(bool)


@pytest.mark.parametrize("n", [1, 2, 3, 9, 40])
def test_deterministic_shapes_are_those_of_networkx(n):
    np.testing.assert_array_equal(chain(n), _matrix(nx.path_graph(n)))
    np.testing.assert_array_equal(hub(n), _matrix(nx.star_graph(n - 1)))
    np.testing.assert_array_equal(grid(n, 4), _matrix(nx.grid_2d_graph(n, 4)))
    if n >= 3:
        np.testing.assert_array_equal(cycle(n), _matrix(nx.cycle_graph(n)))


def test_hubs_are_stars_of_equal_size():
    graph = nx.from_numpy_array(hub(23, n_hubs=4))
    assert sorted(len(part) for part in nx.connected_components(graph)) == [5, 6, 6, 6]
    assert all(graph.degree(leaf) == 1 for leaf in range(4, 23))
    assert nx.is_forest(graph)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 30), st.integers(0, 1000))
def test_random_graphs_have_exactly_the_edges_asked_for(data, n, seed):
    n_edges = data.draw(st.integers(0, n * (n - 1) // 2))
    adjacency = random_graph(n, n_edges, random_state=seed)
    assert adjacency.sum() == 2 * n_edges
    assert (adjacency == adjacency.T).all()
    assert not adjacency.diagonal().any()
    np.testing.assert_array_equal(adjacency, random_graph(n, n_edges, random_state=seed))


def test_the_mean_degree_is_met():
    assert random_graph(60, mean_degree=3.0, random_state=0).sum(axis=0).mean() == 3.0
    assert random_graph(7, mean_degree=6, random_state=0).sum() == 42


def test_random_graphs_are_equally_likely():
    """Four nodes and two edges: 15 graphs."""
    rng = np.random.default_rng(0)
    n_draws, counts = 3000, {}
    for _ in range(n_draws):
        key = random_graph(4, 2, random_state=rng).tobytes()
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 15
    expected = n_draws / 15
    assert max(abs(count - expected) for count in counts.values()) < 5 * np.sqrt(expected)


@pytest.mark.parametrize("n_links", [1, 2, 3])
def test_a_scale_free_graph_is_connected_and_has_its_number_of_edges(n_links):
    adjacency = scale_free(80, n_links, random_state=0)
    assert adjacency.sum() // 2 == n_links * (n_links + 1) // 2 + n_links * (80 - n_links - 1)
    assert (adjacency == adjacency.T).all()
    assert not adjacency.diagonal().any()
    assert nx.is_connected(nx.from_numpy_array(adjacency))


def test_attachment_is_proportional_to_degree():
    """The fourth node meets degrees 2, 1, 1: a star with chance 1/2; 1/3 were all alike."""
    rng = np.random.default_rng(1)
    n_draws = 2000
    stars = sum(scale_free(4, random_state=rng).sum(axis=0).max() == 3 for _ in range(n_draws))
    assert abs(stars / n_draws - 1 / 2) < 5 * np.sqrt(0.25 / n_draws)


def test_scale_free_graphs_have_greater_hubs_than_random_ones():
    for seed in range(5):
        rich = scale_free(300, random_state=seed).sum(axis=0).max()
        even = random_graph(300, 299, random_state=seed).sum(axis=0).max()
        assert rich > 1.5 * even


def test_shapes_cannot_be_written_to():
    for adjacency in (chain(4), hub(4), scale_free(4), random_graph(4, 2)):
        with pytest.raises(ValueError, match="read-only"):
            adjacency[0, 0] = True


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: chain(0), "n_variables must be an integer of at least 1, got 0"),
        (lambda: chain(2.5), "n_variables must be an integer of at least 1, got 2.5"),
        (lambda: cycle(2), "n_variables must be at least 3 for a cycle, got 2"),
        (lambda: hub(3, 4), "n_hubs is 4, but there are only 3 nodes"),
        (lambda: grid(3, -1), "n_columns must be an integer of at least 1, got -1"),
        (lambda: random_graph(5), "either n_edges or mean_degree, and not both"),
        (lambda: random_graph(5, 3, 2.0), "either n_edges or mean_degree, and not both"),
        (lambda: random_graph(5, 11), "5 nodes have room for 0 to 10 edges, not for 11"),
        (lambda: random_graph(5, 2.5), "n_edges must be an integer, got 2.5"),
        (lambda: random_graph(5, mean_degree=4.5), "mean_degree must lie between 0 and 4"),
        (lambda: random_graph(5, mean_degree="2"), "mean_degree must lie between 0 and 4"),
        (lambda: scale_free(3, 3), "n_links must be less than n_variables, 3; got 3"),
    ],
)
def test_bad_shapes_are_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
