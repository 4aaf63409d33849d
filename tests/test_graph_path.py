"""Paths: lambdas and graphs in the order given, and where each edge comes in."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath

from .made_graphs import chain, graphs, patient, unsorted_path


def test_a_path_keeps_lambdas_and_graphs_in_the_order_given():
    path = unsorted_path()
    assert path.lams == (0.1, 0.5, -math.inf, 0.3)
    assert [len(graph.edges) for graph in path] == [2, 1, 2, 0]
    assert path[1] is path.graphs[1]
    assert path[-1].lam == 0.3
    assert len(path) == 4
    assert path.nodes == ("a", "b", "c")
    with pytest.raises(IndexError):
        path[4]


def test_adjacencies_are_those_of_the_graphs_one_for_each_lambda():
    path = unsorted_path()
    assert path.adjacencies.shape == (4, 3, 3)
    assert path.adjacencies.dtype == bool
    for matrix, graph in zip(path.adjacencies, path, strict=True):
        assert np.array_equal(matrix, graph.adjacency)


def test_entry_is_the_largest_lambda_of_each_edge_even_where_it_leaves_and_returns():
    path = unsorted_path()
    nan = math.nan
    expected = [[nan, 0.5, -math.inf], [0.5, nan, 0.1], [-math.inf, 0.1, nan]]
    assert np.array_equal(path.entry, expected, equal_nan=True)


@given(st.data())
@patient
def test_entry_follows_its_definition_on_any_path(data):
    nodes = ("a", "b", "c", "d")
    found = data.draw(st.lists(graphs(st.just(list(nodes))), min_size=1, max_size=5))
    size = len(found)
    lams = data.draw(st.lists(st.floats(allow_nan=False), min_size=size, max_size=size))
    path = GraphPath(lams, found)
    for i in range(4):
        for j in range(4):
            present = [lam for lam, graph in zip(lams, found, strict=True) if graph.adjacency[i, j]]
            expected = max(present) if present else math.nan
            assert path.entry[i, j] == expected or (math.isnan(expected) and not present)
            assert math.isnan(path.entry[i, j]) == (not present)


def test_what_a_path_computes_cannot_be_written_to():
    path = unsorted_path()
    with pytest.raises(ValueError, match="read-only"):
        path.entry[0, 1] = 7
    with pytest.raises(ValueError, match="read-only"):
        path.adjacencies[0, 0, 1] = False
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.lams = ()


def test_lists_and_arrays_make_the_same_path_as_tuples():
    path = unsorted_path()
    again = GraphPath(np.array(path.lams), list(path.graphs))
    assert again == path
    assert hash(again) == hash(path)
    assert again.lams == path.lams
    assert path != GraphPath(path.lams[::-1], path.graphs)


@pytest.mark.parametrize(
    ("lams", "found", "words"),
    [
        ((), (), "at least one lambda, and one graph for each"),
        ((0.1,), (), "one graph for each"),
        ((0.1, 0.2), (chain(2),), "one graph for each"),
        ((0.1, 0.2), (chain(2), chain(3)), "must have the same nodes"),
        ((0.1, 0.2), (Graph(("a", "b")), Graph(("b", "a"))), "must have the same nodes"),
        ((math.nan,), (chain(2),), "NaN"),
    ],
)
def test_a_bad_path_is_an_input_error(lams, found, words):
    with pytest.raises(InputError, match=words):
        GraphPath(lams, found)
