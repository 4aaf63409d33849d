"""Files of graphs and paths that are damaged, or something else, are refused by name."""

import json
import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath

from .made_graphs import chain, patient

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
