"""Places of nodes are apart, finite and the same every time, whatever the graph."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.plot._layout import layout
from mrflearn.plot._stress import _stress, least_stress

SPACING = 1.0
NETWORKS = {
    "an edge": nx.path_graph(2),
    "a path": nx.path_graph(30),
    "a cycle": nx.cycle_graph(25),
    "a star": nx.star_graph(40),
    "complete": nx.complete_graph(15),
    "a complete one of many nodes": nx.complete_graph(80),
    "bipartite": nx.complete_bipartite_graph(6, 9),
    "a grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 7)),
    "a tree": nx.balanced_tree(3, 4),
    "sparse": nx.gnm_random_graph(200, 260, seed=0),
    "dense": nx.gnm_random_graph(120, 900, seed=0),
    "large": nx.gnm_random_graph(500, 1_500, seed=0),
    "stars": nx.disjoint_union_all([nx.star_graph(n) for n in (9, 1, 5, 5)]),
}


def adjacency_of(network):
    return nx.to_numpy_array(network, dtype=bool)


def smallest_gap(places):
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    return apart[np.triu_indices(len(places), 1)].min(initial=np.inf)


def boxes_overlap(first, second):
    apart = (first.max(axis=0) < second.min(axis=0)) | (second.max(axis=0) < first.min(axis=0))
    return not apart.any()


def check(network):
    places = layout(adjacency_of(network), SPACING)
    assert places.shape == (len(network), 2)
    assert np.isfinite(places).all()
    assert smallest_gap(places) > 0.2
    parts = [sorted(part) for part in nx.connected_components(network) if len(part) > 1]
    for at, part in enumerate(parts):
        for other in parts[:at]:
            assert not boxes_overlap(places[part], places[other])
    alone = list(nx.isolates(network))
    if parts and alone:
        joined = np.setdiff1d(np.arange(len(network)), alone)
        assert places[alone, 1].max() < places[joined, 1].min()
    return places


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_nodes_are_apart_and_every_time_in_the_same_place(network):
    places = check(network)
    assert np.array_equal(places, layout(adjacency_of(network), SPACING))


@st.composite
def networks(draw):
    n = draw(st.integers(0, 12))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    network = nx.empty_graph(n)
    network.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])
    return network


@given(networks())
@settings(max_examples=60, deadline=None)
def test_any_small_graph_has_a_layout(network):
    check(network)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_nodes_without_edges_stand_in_rows(n):
    places = check(nx.empty_graph(n))
    level = places[:-1, 1] == places[1:, 1]
    assert np.allclose(np.diff(places[:, 0])[level], SPACING)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_a_path_is_nearly_a_line(n):
    places = check(nx.path_graph(n))
    assert np.ptp(places[:, 1]) < 0.02 * n
    steps = np.diff(places[:, 0])
    assert np.allclose(np.abs(steps), 1.0, atol=0.05)
    assert (steps > 0).all()  # the first node is to the left


@pytest.mark.parametrize("n", [3, 6, 12])
def test_a_complete_graph_is_a_polygon(n):
    places = check(nx.complete_graph(n))
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1)
    assert np.allclose(radius, radius[0], rtol=0.02)


def test_edges_are_about_one_unit_long():
    network = NETWORKS["a tree"]
    places = layout(adjacency_of(network), SPACING)
    lengths = [np.linalg.norm(places[a] - places[b]) for a, b in network.edges]
    assert 0.8 < np.median(lengths) < 1.6


def test_no_node_stands_on_the_edges_of_others_where_there_is_room():
    network = nx.gnm_random_graph(30, 34, seed=2)
    places = layout(adjacency_of(network), SPACING)
    for a, b in network.edges:
        along = places[b] - places[a]
        share = np.clip((places - places[a]) @ along / (along @ along), 0, 1)
        away = np.linalg.norm(places - places[a] - share[:, None] * along, axis=1)
        away[[a, b]] = np.inf
        assert away.min() > 0.15


def test_stress_has_the_gradient_it_says():
    rng = np.random.default_rng(0)
    steps = nx.floyd_warshall_numpy(nx.cycle_graph(6)) + np.eye(6)
    places, move = rng.normal(size=(2, 12))
    stress, gradient = _stress(places, steps)
    points = places.reshape(6, 2)
    slow = sum(
        (np.linalg.norm(points[i] - points[j]) / steps[i, j] - 1) ** 2
        for i in range(6)
        for j in range(i)
    )
    assert stress == pytest.approx(slow)
    there, back = (_stress(places + sign * 1e-6 * move, steps)[0] for sign in (1, -1))
    assert gradient @ move == pytest.approx((there - back) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_stress_is_about_as_small_as_networkx_finds(seed):
    network = nx.connected_watts_strogatz_graph(30, 4, 0.2, seed=seed)
    steps = nx.floyd_warshall_numpy(network) + np.eye(30)
    theirs = nx.kamada_kawai_layout(network)
    peer = np.array([theirs[node] for node in network])
    ratio = np.linalg.norm(peer[:, None] - peer, axis=2) / steps
    peer *= ratio.sum() / (ratio**2).sum()  # the size at which its stress is least
    ours = least_stress(adjacency_of(network))
    assert _stress(ours.ravel(), steps)[0] <= 1.06 * _stress(peer.ravel(), steps)[0]
