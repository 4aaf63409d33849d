"""Graphs and paths come back from their files the same."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath

from .made_graphs import HOSTILE, chain, graphs, patient, unsorted_path


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


@pytest.mark.parametrize("result", [chain(2), GraphPath((0.1,), (chain(2),))])
def test_saving_where_nothing_can_be_written_is_an_input_error(tmp_path, result):
    with pytest.raises(InputError, match="it is a folder"):
        result.save(tmp_path)
    with pytest.raises(InputError, match="No such file or directory"):
        result.save(tmp_path / "nowhere" / "file")


OTHER_TYPES = {
    ".csv": "write_graph", ".GRAPHML": "write_graph", ".gexf": "write_graph", ".dot": "write_graph",
    ".gv": "write_graph", ".parquet": "write_graph", ".html": "write_report", ".png": "save_figure",
    ".svg": "save_figure", ".pdf": "save_figure", ".xlsx": "",
}  # fmt: skip


@pytest.mark.parametrize("result", [chain(2), GraphPath((0.1,), (chain(2),))])
@pytest.mark.parametrize(("suffix", "remedy"), OTHER_TYPES.items())
def test_json_is_not_saved_under_the_name_of_another_type(tmp_path, result, suffix, remedy):
    words = rf"cannot write '.*g{suffix}': save writes JSON.*end the name in \.json.*{remedy}"
    with pytest.raises(InputError, match=words):
        result.save(tmp_path / f"g{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["g", "g.json", "g.JSON", "g.mrf", "v1.2"])
def test_any_other_name_is_saved_to(tmp_path, name):
    assert Graph.load(chain(2).save(tmp_path / name)) == chain(2)
