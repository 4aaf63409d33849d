"""Graphs and paths: order, equality, conversion, and files that survive anything."""

import copy
import dataclasses
import html
import json
import math
import pickle
import re
from contextlib import suppress
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.graph import Edge, Graph, GraphPath, Step

patient = settings(deadline=None)  # the first call of a library is slow

HOSTILE = (
    "",
    " ",
    "a,b",
    'quote " and \\ backslash',
    "line\nbreak\r\ttab",
    "null\0byte",
    "<script>alert('&')</script>",
    "Ünïcödé 模型 🎲",
    "nan",
    "None",
    "0",
    "\u2028",
    "\ud800",
    "../../etc/passwd",
)


def chain(n, **options):
    names = tuple(f"v{i}" for i in range(n))
    return Graph(names, tuple(pairwise(names)), **options)


names = st.lists(st.text(max_size=6), min_size=1, max_size=6, unique=True)
weights = st.floats() | st.integers(-3, 3) | st.just(np.float32(0.1))
confidences = st.none() | st.floats(0, 1)
lams = st.none() | st.floats(allow_nan=False)


@st.composite
def graphs(draw, nodes=names):
    found = draw(nodes)
    pairs = [(a, b) for i, a in enumerate(found) for b in found[:i]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [
        (*(pair if draw(st.booleans()) else pair[::-1]), draw(weights), draw(confidences))
        for pair in chosen
    ]
    return Graph(tuple(found), tuple(draw(st.permutations(edges))), draw(lams))


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


# To a screen


def test_a_graph_prints_its_size():
    assert repr(chain(3)) == "Graph(3 nodes, 2 edges)"
    assert repr(chain(3, lam=0.05)) == "Graph(3 nodes, 2 edges, lam=0.05)"


class Balance(HTMLParser):
    """Collect the text of a page and see that every element is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.seen = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read_html(page):
    reader = Balance()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "a & b <i>", "</td></table>"])
def test_hostile_names_are_shown_as_text_whether_joined_or_isolated(hostile):
    for graph in (
        Graph((hostile, "b"), ((hostile, "b", 1.0),)),
        Graph(("b", hostile), ((hostile, "b"),)),
        Graph((hostile,)),
    ):
        page = graph._repr_html_()
        assert hostile not in page
        assert html.escape(hostile) in page
        reader = read_html(page)
        assert reader.seen <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
        assert any(hostile in text for text in reader.text)


def test_the_page_shows_thirty_edges_and_counts_the_others():
    page = chain(33)._repr_html_()
    assert page.count("<tr>") == 1 + 30
    assert "… and 2 more" in page
    assert "more" not in chain(31)._repr_html_()


def test_the_page_shows_weights_and_leaves_unknown_ones_empty():
    page = Graph(tuple("abc"), (("a", "b", 0.123456), ("b", "c")))._repr_html_()
    assert ">0.1235<" in page
    assert "nan" not in page
    assert "Isolated" not in page
    assert "Isolated: c" in Graph(tuple("abc"), (("a", "b"),))._repr_html_()


# To a file and back


def test_a_saved_graph_is_strict_json_that_any_program_reads(tmp_path):
    graph = Graph(("ä", "b", "c"), (("c", "ä", 0.5, 0.25), ("ä", "b")), 0.1)
    path = graph.save(tmp_path / "graph.json")

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    text = path.read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=refuse) == {
        "format": "mrflearn graph",
        "version": 1,
        "nodes": ["ä", "b", "c"],
        "unit": "nats",
        "lam": 0.1,
        "edges": [[0, 1, None, None, None, None], [0, 2, 0.5, 0.25, None, None]],
    }
    assert "ä" in text, "names stay readable"
    assert text.endswith("}\n")


@given(graph=graphs())
@patient
def test_a_graph_comes_back_from_its_file_the_same(tmp_path_factory, graph):
    path = tmp_path_factory.getbasetemp() / "roundtrip.json"
    again = Graph.load(graph.save(path))
    assert again == graph
    assert again.edges == graph.edges
    assert (again.lam is None) == (graph.lam is None)
    assert all(type(edge.weight) is float for edge in again.edges)


@pytest.mark.parametrize(
    "lam", [None, 0.0, -0.5, math.inf, -math.inf, 5e-324, 1.7e308, np.float32(2)]
)
def test_every_lambda_comes_back_exactly(tmp_path, lam):
    assert Graph.load(chain(2, lam=lam).save(tmp_path / "g")).lam == lam


@pytest.mark.parametrize("weight", [0.1 + 0.2, -0.0, math.inf, -math.inf, 5e-324])
def test_every_weight_comes_back_exactly(tmp_path, weight):
    graph = Graph(("a", "b"), (("a", "b", weight),))
    again = Graph.load(graph.save(tmp_path / "g")).edges[0].weight
    assert again == weight
    assert math.copysign(1, again) == math.copysign(1, weight)


def test_hostile_names_come_back_exactly(tmp_path):
    graph = Graph(HOSTILE, [(HOSTILE[0], name, 1.0) for name in HOSTILE[1:]])
    assert Graph.load(str(graph.save(tmp_path / "g"))) == graph


def test_saving_leaves_one_file_and_replaces_the_old_one(tmp_path):
    chain(5).save(tmp_path / "g")
    chain(3).save(tmp_path / "g")
    assert [path.name for path in tmp_path.iterdir()] == ["g"]
    assert Graph.load(tmp_path / "g") == chain(3)


GOOD = {
    "format": "mrflearn graph",
    "version": 1,
    "nodes": ["a", "b", "c"],
    "lam": None,
    "edges": [[0, 1, None, None]],
}

GOOD_PATH = {
    "format": "mrflearn path",
    "version": 1,
    "nodes": ["a", "b", "c"],
    "lams": [0.5, 0.1],
    "graphs": [{"lam": 0.5, "edges": []}, {"lam": 0.1, "edges": [[0, 1, None, None]]}],
}


def test_the_good_files_that_the_tests_damage_are_good(tmp_path):
    (tmp_path / "g").write_text(json.dumps(GOOD))
    (tmp_path / "p").write_text(json.dumps(GOOD_PATH))
    assert Graph.load(tmp_path / "g").neighbors("a") == ("b",)
    assert len(GraphPath.load(tmp_path / "p")) == 2


def deep(depth, brackets="[]"):
    return brackets[0] * depth + brackets[1] * depth


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\xff\xfe\x00",
        b"nonsense",
        b"{",
        json.dumps(GOOD).encode()[:-10],
        b'{"format": "mrflearn graph", "version": 1, "nodes": ["a", "b',
        json.dumps(GOOD).encode() * 2,
        deep(100_000).encode(),
        deep(100_000, ["{", "}"]).encode(),
        ('{"a":' * 100_000 + "1" + "}" * 100_000).encode(),
        b"1" * 10_000,
        b"source,target\na,b\n",
        b"\x80\x04K\x01.",
    ],
)
@pytest.mark.parametrize("kind", [Graph, GraphPath])
def test_a_file_that_is_no_json_is_named(tmp_path, content, kind):
    path = tmp_path / "damaged.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a JSON file") as caught:
        kind.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "null",
        "true",
        "3",
        '"mrflearn graph"',
        "[]",
        '["mrflearn graph"]',
        "{}",
        '{"format": 1}',
        '{"format": ["mrflearn graph"]}',
        '{"format": "networkx", "version": 1}',
    ],
)
@pytest.mark.parametrize("kind", [Graph, GraphPath])
def test_json_of_another_kind_is_named(tmp_path, content, kind):
    (tmp_path / "g").write_text(content)
    with pytest.raises(InputError, match="is not a mrflearn"):
        kind.load(tmp_path / "g")


def test_a_path_is_not_a_graph_nor_a_graph_a_path(tmp_path):
    chain(2).save(tmp_path / "g")
    GraphPath((0.1,), (chain(2),)).save(tmp_path / "p")
    with pytest.raises(InputError, match=r"is not a mrflearn graph .*'mrflearn path'"):
        Graph.load(tmp_path / "p")
    with pytest.raises(InputError, match=r"is not a mrflearn path .*'mrflearn graph'"):
        GraphPath.load(tmp_path / "g")


@pytest.mark.parametrize("version", [0, 2, "1", None, [1], 1.5])
def test_another_version_of_the_format_is_named(tmp_path, version):
    (tmp_path / "g").write_text(json.dumps(GOOD | {"version": version}))
    with pytest.raises(InputError, match=re.escape(f"version {version!r} of the mrflearn graph")):
        Graph.load(tmp_path / "g")


def damaged(part, values):
    return [{part: value} for value in values]


BAD_NODES = damaged(
    "nodes",
    [
        None,
        3,
        "abc",
        {"a": 1, "b": 2},
        [None, "b", "c"],
        ["a", 2, "c"],
        [["a"], "b", "c"],
        ["a", "a"],
        ["a", True],
        [],
    ],
)
BAD_EDGES = damaged(
    "edges",
    [None, 3, "abcd", {}, {"0123": 1}, [None], [3], ["0123"], [[]], [[0, 1]], [[0, 1, None]]]
    + [[[0, 1, None, None, None]], [{"a": 0, "b": 1, "c": 2, "d": 3}]]
    + [
        [[i, j, None, None]]
        for i, j in [
            (0, 3),
            (-1, 0),
            (0, -1),
            (0.0, 1),
            (0, 1.0),
            (True, 0),
            (False, 1),
            ("0", 1),
            ("a", "b"),
            (None, 1),
            ([0], 1),
            ({}, 1),
            (0, 0),
            (10**30, 0),
        ]
    ]
    + [[[0, 1, None, None], [1, 0, None, None]]]
    + [[[0, 1, value, None]] for value in ["strong", "", [], {}, 10**400, [None]]]
    + [[[0, 1, None, value]] for value in ["sure", [], {}, 10**400]],
)
BAD_LAM = damaged("lam", ["small", "", [], {}, 10**400])


@pytest.mark.parametrize("change", BAD_NODES + BAD_EDGES + BAD_LAM, ids=repr)
def test_a_damaged_graph_is_an_input_error_and_nothing_else(tmp_path, change):
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(InputError, match=r"is damaged: .") as caught:
        Graph.load(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize("key", ["nodes", "edges", "lam"])
def test_what_a_file_lacks_is_named(tmp_path, key):
    (tmp_path / "g").write_text(json.dumps({k: v for k, v in GOOD.items() if k != key}))
    with pytest.raises(InputError, match=f"is damaged: '{key}' is missing"):
        Graph.load(tmp_path / "g")


BAD_PATHS = (
    BAD_NODES
    + damaged("lams", [None, 3, "12", {}, {"1": 1, "2": 2}, [], [0.5], [0.5, 0.1, 0.2]])
    + damaged("lams", [["big", 1], [None, 1], [[], 1], [10**400, 1], ["nan", 1]])
    + damaged("graphs", [None, 3, "ab", {}, {"a": 1, "b": 2}, [], [None, None], [[], []], ["", ""]])
    + damaged("graphs", [[GOOD_PATH["graphs"][0], {}], [GOOD_PATH["graphs"][0], {"lam": 1}]])
    + damaged("graphs", [[GOOD_PATH["graphs"][0], {"lam": 1} | bad] for bad in BAD_EDGES])
    + damaged("graphs", [[GOOD_PATH["graphs"][0], {"edges": []} | bad] for bad in BAD_LAM])
)


@pytest.mark.parametrize("change", BAD_PATHS, ids=repr)
def test_a_damaged_path_is_an_input_error_and_nothing_else(tmp_path, change):
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(GOOD_PATH | change))
    with pytest.raises(InputError, match=r"is damaged: .") as caught:
        GraphPath.load(path)
    assert len(str(caught.value)) < 300 + len(str(path))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.floats() | st.sampled_from(["a", "inf"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["nodes", "edges", "lam", "0"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    kind=st.sampled_from([Graph, GraphPath]),
    changes=st.dictionaries(
        st.sampled_from(["nodes", "edges", "lam", "lams", "graphs", "version"]), json_values
    ),
)
@settings(patient, max_examples=200)
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory, kind, changes):
    path = tmp_path_factory.getbasetemp() / "anything.json"
    path.write_text(json.dumps((GOOD if kind is Graph else GOOD_PATH) | changes))
    with suppress(InputError):
        result = kind.load(path)
        assert kind.load(result.save(path)) == result


@given(st.data())
@settings(patient, max_examples=200)
def test_a_file_with_bytes_lost_or_changed_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes.json"
    content = bytearray(json.dumps(GOOD_PATH).encode())
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + 20)))
    content[start:stop] = data.draw(st.binary(max_size=4))
    path.write_bytes(content)
    with suppress(InputError):  # and nothing else
        damaged = GraphPath.load(path)
        assert damaged.adjacencies.shape == (len(damaged), *[len(damaged.nodes)] * 2)


@pytest.mark.parametrize("key", ["format", "version", "nodes", "edges", "lam"])
@pytest.mark.parametrize("depth", [100, 900, 930, 950, 960, 970, 975, 980, 985, 990, 995, 1000])
def test_nesting_near_the_limit_of_the_reader_is_an_input_error(tmp_path, key, depth):
    text = json.dumps(GOOD | {key: "HERE"}).replace('"HERE"', f"[{deep(depth)}]")
    (tmp_path / "g").write_text(text)
    with pytest.raises(InputError):
        Graph.load(tmp_path / "g")


@pytest.mark.parametrize("kind", [Graph, GraphPath])
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, kind):
    with pytest.raises(InputError, match=r"cannot read .*nowhere.*No such file"):
        kind.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"cannot read .*directory"):
        kind.load(tmp_path)
    with pytest.raises(InputError):
        kind.load("null\0character")


@pytest.mark.parametrize("result", [chain(2), GraphPath((0.1,), (chain(2),))])
def test_saving_where_nothing_can_be_written_is_an_input_error(tmp_path, result):
    with pytest.raises(InputError, match="it is a folder"):
        result.save(tmp_path)
    with pytest.raises(InputError, match="No such file or directory"):
        result.save(tmp_path / "nowhere" / "file")


# Paths


def unsorted_path():
    nodes = ("a", "b", "c")
    return GraphPath(
        (0.1, 0.5, -math.inf, 0.3),
        (
            Graph(nodes, (("a", "b"), ("b", "c")), 0.1),
            Graph(nodes, (("a", "b"),), 0.5),
            Graph(nodes, (("a", "c"), ("b", "c")), -math.inf),
            Graph(nodes, (), 0.3),
        ),
    )


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


def test_a_path_comes_back_from_its_file_the_same(tmp_path):
    path = unsorted_path()
    again = GraphPath.load(path.save(tmp_path / "path.json"))
    assert again == path
    assert again.lams == path.lams
    assert np.array_equal(again.entry, path.entry, equal_nan=True)
    assert [item.name for item in tmp_path.iterdir()] == ["path.json"]


@given(found=st.lists(graphs(st.just(list(HOSTILE))), min_size=1, max_size=3), data=st.data())
@settings(patient, max_examples=50)
def test_any_path_comes_back_from_its_file_the_same(tmp_path_factory, found, data):
    size = len(found)
    numbers = st.floats(allow_nan=False) | st.integers(-5, 5)
    path = GraphPath(data.draw(st.lists(numbers, min_size=size, max_size=size)), found)
    again = GraphPath.load(path.save(tmp_path_factory.getbasetemp() / "path.json"))
    assert again == path
    assert hash(again) == hash(path)


def test_a_path_prints_its_extent_and_shows_each_lambda_in_a_notebook():
    path = unsorted_path()
    assert repr(path) == "GraphPath(3 nodes, 4 lambdas from 0.5 to -inf)"
    page = path._repr_html_()
    assert page.count("<tr>") == 1 + 4
    assert [text for text in read_html(page).text if re.fullmatch(r"[\d.inf-]+", text)] == [
        *("0.1", "2", "0.5", "1", "-inf", "2", "0.3", "0"),
    ]
