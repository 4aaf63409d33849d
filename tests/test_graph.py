"""Graphs: order, equality, questions, and conversion from and to other things."""

import copy
import dataclasses
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn._as_graph import as_graph
from mrflearn.errors import InputError
from mrflearn.graph import Edge, Graph, GraphPath, Step

from .made_graphs import HOSTILE, chain, graphs, patient

# Making a graph


def test_edges_come_in_the_order_of_the_nodes_whatever_order_they_were_given_in():
    graph = Graph(("c", "a", "b"), (("b", "a"), ("a", "c"), ("b", "c")))
    assert [(edge.source, edge.target) for edge in graph.edges] == [
        ("c", "a"),
        ("c", "b"),
        ("a", "b"),
    ]


def test_turning_an_edge_round_keeps_its_weight_and_confidence():
    graph = Graph(("a", "b"), (("b", "a", 0.25, 0.5),))
    assert graph.edges == (Edge("a", "b", 0.25, 0.5),)


@given(graphs(), st.randoms())
@patient
def test_a_graph_does_not_depend_on_the_order_or_direction_of_its_edges(graph, random):
    shuffled = [
        edge._replace(source=edge.target, target=edge.source) if random.random() < 0.5 else edge
        for edge in graph.edges
    ]
    random.shuffle(shuffled)
    again = Graph(graph.nodes, shuffled, graph.lam)
    assert again == graph
    assert hash(again) == hash(graph)


def test_lists_and_arrays_make_the_same_graph_as_tuples():
    expected = Graph(("a", "b"), (Edge("a", "b", 1.0),), 0.5)
    assert Graph(["a", "b"], [["a", "b", 1]], 0.5) == expected
    assert Graph(np.array(["a", "b"]), [("a", "b", np.float64(1))], np.float64(0.5)) == expected
    assert hash(Graph(["a", "b"], [["a", "b", 1]], 0.5)) == hash(expected)


def test_nodes_and_ends_that_are_no_strings_become_strings_together():
    graph = Graph((1, 2.5, None), ((2.5, 1), (None, 1)))
    assert graph.nodes == ("1", "2.5", "None")
    assert graph.neighbors("1") == ("2.5", "None")


def test_a_graph_of_no_nodes_or_no_edges_is_a_graph():
    assert Graph(()).adjacency.shape == (0, 0)
    assert Graph(("a",)).edges == ()
    assert Graph(("a", "b")).edges == ()


def test_unknown_weights_are_nan_and_unknown_confidences_none_however_they_were_given():
    for weight in (None, math.nan, np.nan, np.float32("nan"), float("nan")):
        edge = Graph(("a", "b"), (("a", "b", weight, float("nan")),)).edges[0]
        assert math.isnan(edge.weight)
        assert edge.confidence is None


def test_graphs_with_unknown_weights_are_equal_to_themselves_made_again():
    adjacency = [[0, 1], [1, 0]]
    one, two = Graph.from_adjacency(adjacency), Graph.from_adjacency(adjacency)
    assert one == two
    assert hash(one) == hash(two)
    assert one == Graph(("x0", "x1"), (("x0", "x1", float("nan")),))


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ((("a", "a"),), "'a' – 'a' is a loop or is there twice"),
        ((("a", "b"), ("a", "b")), "'a' – 'b' is a loop or is there twice"),
        ((("a", "b"), ("b", "a", 0.5)), "'b' – 'a' is a loop or is there twice"),
        ((("a", "temprature"),), "unknown node 'temprature'; did you mean 'temperature'?"),
        ((("nowhere", "a"),), "unknown node 'nowhere'. Known: 'a', 'b', 'temperature'"),
        ((("a",),), r"an edge is \(source, target\).* got \('a',\)"),
        ((("a", "b", 1, 1, 1, 1, 1),), "an edge is"),
        ((("a", "b", "strong"),), "an edge is .*'strong'"),
        ((("a", "b", 1.0, "sure"),), "an edge is .*'sure'"),
        ((("a", "b", 10**400),), "an edge is"),
        ((3,), "an edge is .* got 3"),
    ],
)
def test_a_bad_edge_is_named(edges, words):
    with pytest.raises(InputError, match=words):
        Graph(("a", "b", "temperature"), edges)


def test_two_nodes_of_one_name_are_an_error_that_names_them():
    with pytest.raises(InputError, match=r"two nodes of the same name: a, c$"):
        Graph(("a", "b", "a", "c", "c"))
    with pytest.raises(InputError, match=r"same name: 1$"):
        Graph((1, "1"))


def test_a_graph_cannot_be_changed():
    graph = chain(3)
    for name in ("nodes", "edges", "lam"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(graph, name, ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        Step("grow", (0, 1), 0.1, -0.1, -0.1).score = 1.0
    with pytest.raises(AttributeError):
        graph.edges[0].weight = 1.0


def test_asking_for_the_adjacency_changes_neither_equality_nor_hash():
    one, two = chain(4), chain(4)
    before = hash(one)
    assert one.adjacency.any()
    assert one == two
    assert hash(one) == before == hash(two)


def test_graphs_differ_in_nodes_edges_weights_or_lambda():
    base = Graph(("a", "b"), (("a", "b", 1.0),), 0.1)
    others = [
        Graph(("b", "a"), (("a", "b", 1.0),), 0.1),
        Graph(("a", "b"), (), 0.1),
        Graph(("a", "b"), (("a", "b", 2.0),), 0.1),
        Graph(("a", "b"), (("a", "b", 1.0, 0.5),), 0.1),
        Graph(("a", "b"), (("a", "b", 1.0),), 0.2),
        Graph(("a", "b"), (("a", "b", 1.0),)),
    ]
    assert all(base != other for other in others)
    assert len({base, *others}) == len(others) + 1


def test_a_graph_survives_copying_and_pickling():
    graph = Graph(HOSTILE, ((HOSTILE[0], HOSTILE[5], 0.5, 0.1),), math.inf)
    for again in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert again == graph
        assert again.neighbors(HOSTILE[5]) == (HOSTILE[0],)


# Asking it


def test_neighbors_come_in_the_order_of_the_nodes():
    graph = Graph(tuple("edcba"), (("a", "c"), ("c", "e"), ("d", "c"), ("b", "a")))
    assert graph.neighbors("c") == ("e", "d", "a")
    assert graph.neighbors("b") == ("a",)
    assert Graph(("a", "b")).neighbors("a") == ()


def test_every_question_about_an_unknown_node_suggests_the_closest():
    graph = chain(3)
    for ask in (
        lambda: graph.index("V1"),
        lambda: graph.neighbors("V1"),
        lambda: graph.has_edge("v0", "V1"),
        lambda: graph.has_edge("V1", "v0"),
    ):
        with pytest.raises(InputError, match=r"unknown node 'V1'; did you mean 'v1'\?"):
            ask()


@given(graphs())
@patient
def test_adjacency_neighbors_and_edges_tell_the_same(graph):
    matrix = graph.adjacency
    assert matrix.dtype == bool
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    assert matrix.sum() == 2 * len(graph.edges)
    for i, a in enumerate(graph.nodes):
        assert graph.index(a) == i
        assert graph.neighbors(a) == tuple(np.array(graph.nodes, dtype=object)[matrix[i]])
        for j, b in enumerate(graph.nodes):
            assert graph.has_edge(a, b) == matrix[i, j]
    pairs = [(graph.index(edge.source), graph.index(edge.target)) for edge in graph.edges]
    assert pairs == [tuple(pair) for pair in np.argwhere(np.triu(matrix)).tolist()]


def test_the_adjacency_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        chain(3).adjacency[0, 2] = True


# From a matrix


def test_a_matrix_and_its_graph_are_the_same():
    matrix = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    graph = Graph.from_adjacency(matrix, lam=0.5)
    assert graph.nodes == ("x0", "x1", "x2")
    assert np.array_equal(graph.adjacency, matrix)
    assert graph.lam == 0.5
    assert all(math.isnan(edge.weight) for edge in graph.edges)
    assert Graph.from_adjacency(matrix.astype(bool).tolist(), lam=0.5) == graph
    assert Graph.from_adjacency(pd.DataFrame(matrix), lam=0.5) == graph


def test_a_matrix_takes_names_of_any_type_and_weights():
    graph = Graph.from_adjacency(
        [[0, 1, 1], [1, 0, 0], [1, 0, 0]], nodes=[10, 20, 30], weights=np.arange(9).reshape(3, 3)
    )
    assert graph.edges == (Edge("10", "20", 1.0), Edge("10", "30", 2.0))


def test_weights_where_there_is_no_edge_make_none():
    assert Graph.from_adjacency(np.zeros((3, 3)), weights=np.ones((3, 3))).edges == ()


@given(graphs())
@patient
def test_graph_to_matrix_to_graph_keeps_the_edges(graph):
    strength = np.full(graph.adjacency.shape, np.nan)
    for edge in graph.edges:
        strength[graph.index(edge.source), graph.index(edge.target)] = edge.weight
    again = Graph.from_adjacency(graph.adjacency, graph.nodes, strength, graph.lam)
    assert again == Graph(graph.nodes, [edge[:3] for edge in graph.edges], graph.lam)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adjacency": np.zeros((2, 3))}, r"square and symmetric, got shape \(2, 3\)"),
        ({"adjacency": np.zeros(4)}, r"square and symmetric, got shape \(4,\)"),
        ({"adjacency": np.zeros((2, 2, 2))}, "square and symmetric"),
        ({"adjacency": [[0, 1], [0, 0]]}, "square and symmetric"),
        ({"adjacency": [[0, 1], [1]]}, "adjacency must be a matrix"),
        ({"adjacency": 1}, "square and symmetric"),
        ({"adjacency": np.eye(2)}, "True on its diagonal: a node has no edge to itself"),
        ({"adjacency": np.zeros((2, 2)), "nodes": ["a"]}, "1 names for an adjacency of 2 nodes"),
        ({"adjacency": np.zeros((2, 2)), "nodes": ["a", "a"]}, "two nodes of the same name: a"),
        (
            {"adjacency": np.zeros((2, 2)), "weights": np.ones(2)},
            r"weights of shape \(2,\) for an adjacency of shape \(2, 2\)",
        ),
        ({"adjacency": np.zeros((2, 2)), "weights": [[1], [1, 2]]}, "weights must be a matrix"),
        (
            {"adjacency": [[0, 1], [1, 0]], "weights": [["a", "b"], ["c", "d"]]},
            "an edge is .* with a weight",
        ),
    ],
)
def test_a_bad_matrix_is_an_input_error_that_says_why(options, words):
    with pytest.raises(InputError, match=words):
        Graph.from_adjacency(**options)


# To other libraries


def test_networkx_gets_all_nodes_in_order_and_what_is_known_of_the_edges():
    graph = Graph(
        ("a", "b", "c", "alone"), (("b", "a", 0.5, 0.9), ("c", "a", 0.25), ("c", "b")), 0.1
    )
    other = graph.to_networkx()
    assert list(other.nodes) == ["a", "b", "c", "alone"]
    assert list(other.edges(data=True)) == [
        ("a", "b", {"weight": 0.5, "confidence": 0.9}),
        ("a", "c", {"weight": 0.25}),
        ("b", "c", {}),
    ]
    assert other.graph == {"lam": 0.1}
    assert not other.is_directed()
    assert Graph(("a",)).to_networkx().graph == {}


def test_a_weight_and_a_confidence_of_zero_are_known():
    edges = Graph(("a", "b"), (("a", "b", 0.0, 0.0),)).to_networkx().edges
    assert edges["a", "b"] == {"weight": 0.0, "confidence": 0.0}


def test_pandas_gets_the_strongest_edge_first_and_unknown_weights_last():
    graph = Graph(
        tuple("abcde"),
        (("a", "b"), ("a", "c", -1.0), ("a", "d", 2.0, 0.5), ("a", "e", 0.5), ("b", "c", 0.5)),
    )
    frame = graph.to_pandas()
    assert list(frame.columns) == [
        "source", "target", "weight", "confidence", "p_value", "q_value",
    ]  # fmt: skip
    assert list(frame.index) == [0, 1, 2, 3, 4]
    assert ["".join(pair) for pair in frame[["source", "target"]].to_numpy()] == [
        "ad",
        "ae",
        "bc",
        "ac",
        "ab",
    ]
    assert frame["confidence"].isna().tolist() == [False, True, True, True, True]


@pytest.mark.parametrize("graph", [Graph(()), Graph(("a", "b")), chain(3), chain(3, lam=1)])
def test_the_columns_of_a_data_frame_have_the_same_types_for_any_graph(graph):
    frame = graph.to_pandas()
    assert len(frame) == len(graph.edges)
    assert frame.dtypes["weight"] == np.float64
    assert frame.dtypes["confidence"] == np.float64


# What has a graph


def test_what_has_a_graph_stands_for_it():
    graph = chain(3)
    held = (graph, SimpleNamespace(graph=graph), SimpleNamespace(graph_=graph))
    assert all(as_graph(found, "draw") is graph for found in held)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("g.json", "got 'g.json'"),
        (None, "got None"),
        (chain(2).to_networkx(), "got networkx.*Graph"),  # whose `graph` is a dict
        (GraphPath((0.1,), (chain(2),)), "got GraphPath"),
        (SimpleNamespace, "got the class SimpleNamespace"),
        (SimpleNamespace(fit=print), "got SimpleNamespace that is not fitted: call its fit first"),
    ],
)
def test_what_has_no_graph_is_refused_in_one_sentence(given, says):
    with pytest.raises(InputError, match=rf"^draw takes a Graph, .*a fitted estimator, {says}"):
        as_graph(given, "draw")
