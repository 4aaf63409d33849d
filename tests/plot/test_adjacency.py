"""The heat map shows every weight once on each side, variables that belong together adjacent."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from mrflearn.errors import InputError
from mrflearn.graph import Edge, Graph
from mrflearn.plot import plot_adjacency, save_figure
from mrflearn.plot.adjacency import communities


def two_groups(n_each=4):
    """Two complete graphs joined by one edge, their nodes in turn, and one node without edges."""
    names = tuple(f"n{i}" for i in range(2 * n_each + 1))
    edges = [(i, j) for i in range(2 * n_each) for j in range(i + 2, 2 * n_each, 2)] + [(0, 1)]
    weighted = tuple(Edge(names[i], names[j], 0.1 + 0.01 * k) for k, (i, j) in enumerate(edges))
    return Graph(names, weighted)


def names_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_communities_are_found_and_isolated_nodes_come_last():
    first, second, alone = communities(two_groups())
    assert set(first) == {0, 2, 4, 6}
    assert set(second) == {1, 3, 5, 7}
    assert first[0] == 0  # it has the most edges
    assert alone == (8,)


def test_every_node_is_in_one_community():
    for seed in range(5):
        network = nx.gnm_random_graph(30, 40, seed=seed)
        graph = Graph.from_adjacency(nx.to_numpy_array(network) > 0)
        assert sorted(i for group in communities(graph) for i in group) == list(range(30))


def test_cells_are_the_weights_in_the_order_of_the_names():
    graph = two_groups()
    axes = plot_adjacency(graph)
    (image,) = axes.get_images()
    cells, names = image.get_array(), names_of(axes)
    weights = {frozenset(edge[:2]): edge.weight for edge in graph.edges}
    for row, own in enumerate(names):
        for column, other in enumerate(names):
            weight = weights.get(frozenset((own, other)))
            if weight is None:
                assert cells.mask[row, column]
            else:
                assert cells[row, column] == pytest.approx(weight)
    assert [label.get_text() for label in axes.get_xticklabels()] == names


def test_communities_are_framed_and_isolated_nodes_are_not():
    frames = [item for item in plot_adjacency(two_groups()).patches if isinstance(item, Rectangle)]
    assert [frame.get_width() for frame in frames] == [4, 4]


@pytest.mark.parametrize(
    "weights", [(np.nan, np.nan), (np.inf, 0.5), (-0.1, 0.3), (np.nan, 0.3)], ids=str
)
def test_odd_weights_are_drawn(weights, tmp_path):
    edges = (Edge("a", "b", weights[0]), Edge("b", "c", weights[1]))
    axes = plot_adjacency(Graph(("a", "b", "c"), edges), title="odd")
    (image,) = axes.get_images()
    assert image.get_array().count() == 4
    assert save_figure(axes, tmp_path / "odd.svg").stat().st_size > 0


def test_many_names_are_left_out_and_counted():
    graph = Graph.from_adjacency(nx.to_numpy_array(nx.gnm_random_graph(250, 300, seed=0)) > 0)
    axes = plot_adjacency(graph)
    assert names_of(axes) == []
    assert axes.get_ylabel() == "250 variables"


def test_graphs_without_edges_and_hostile_names_are_drawn(tmp_path):
    save_figure(plot_adjacency(Graph(("$a_b$", "x" * 400))), tmp_path / "none.png")
    assert max(map(len, names_of(plot_adjacency(Graph(("$a_b$", "x" * 400)))))) < 30


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    one, other = (
        save_figure(plot_adjacency(two_groups()), tmp_path / f"{n}.svg").read_bytes() for n in "ab"
    )
    assert one == other


def test_what_has_a_graph_is_drawn_and_anything_else_is_refused():
    held = SimpleNamespace(graph=Graph(("a", "b"), (("a", "b"),)))
    assert [label.get_text() for label in plot_adjacency(held).get_yticklabels()] == ["a", "b"]
    with pytest.raises(InputError, match=r"plot_adjacency takes a Graph, .* got 'g.json'"):
        plot_adjacency("g.json")
