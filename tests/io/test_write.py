"""Graphs come back from files as they went in, whatever their nodes are called."""

import csv
import html
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys

import networkx as nx
import pandas as pd
import pytest

from mrflearn.errors import InputError
from mrflearn.graph import Edge, Graph
from mrflearn.io import WRITERS, check_target, write_graph

not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)

GRAPH = Graph(
    ("rain", "wet & <cold>", "größe 模型", "=alone"),
    (
        Edge("rain", "wet & <cold>", 0.25, 0.9),
        Edge("rain", "größe 模型", -0.125),
        Edge("wet & <cold>", "größe 模型"),
    ),
    lam=0.05,
)


@pytest.mark.parametrize(
    ("suffix", "read"), [(".graphml", nx.read_graphml), (".gexf", nx.read_gexf)]
)
def test_networkx_reads_back_what_was_written(tmp_path, suffix, read):
    path = write_graph(GRAPH, tmp_path / f"graph{suffix}")
    found = read(path)
    assert list(found.nodes) == list(GRAPH.nodes)
    assert {frozenset(edge) for edge in found.edges} == {frozenset(e[:2]) for e in GRAPH.edges}
    strong = found.edges["rain", "wet & <cold>"]
    assert (strong["weight"], strong["confidence"]) == (0.25, 0.9)
    assert found.edges["rain", "größe 模型"]["weight"] == -0.125
    assert "confidence" not in found.edges["rain", "größe 模型"]


def test_graphml_keeps_lambda_and_infinite_weights(tmp_path):
    graph = Graph(("a", "b"), (Edge("a", "b", math.inf),), lam=0.05)
    found = nx.read_graphml(write_graph(graph, tmp_path / "graph.graphml"))
    assert found.graph["lam"] == 0.05
    assert found.edges["a", "b"]["weight"] == math.inf


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("graph", [Graph(()), Graph(("a", "b"))], ids=["nothing", "no edges"])
def test_graphs_without_edges_are_written(tmp_path, graph, suffix):
    assert write_graph(graph, tmp_path / f"graph{suffix}").stat().st_size > 0


def test_json_is_what_graph_load_reads(tmp_path):
    assert Graph.load(write_graph(GRAPH, tmp_path / "graph.json")) == GRAPH


def test_csv_lists_the_edges(tmp_path):
    frame = pd.read_csv(write_graph(GRAPH, tmp_path / "GRAPH.CSV"))
    assert list(frame.columns) == [
        "source", "target", "weight", "confidence", "p_value", "q_value",
    ]  # fmt: skip
    assert frame["target"].tolist() == ["wet & <cold>", "größe 模型", "größe 模型"]
    assert frame["weight"].tolist()[:2] == [0.25, -0.125]
    assert frame["weight"].isna().tolist() == [False, False, True]
    assert frame["confidence"].isna().tolist() == [False, True, True]


STARTS = ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"]


@pytest.mark.parametrize("blank", ["", " ", "  \u00a0", "\n"])
@pytest.mark.parametrize("start", STARTS)
def test_names_that_a_spreadsheet_would_run_are_made_harmless(tmp_path, start, blank):
    name = f'{blank}{start}cmd("x",1)'
    graph = Graph((name, "b"), (Edge(name, "b", -1.5),))
    row = csv_rows(write_graph(graph, tmp_path / "graph.csv"))[1]
    assert row[0] == f"'{name}"
    assert row[1] == "b"
    assert row[2] == "-1.5"  # numbers stay numbers


def csv_rows(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_names_in_csv_lose_one_apostrophe_and_are_what_they_were(tmp_path):
    names = [f"{before}{start}x" for start in ["", *STARTS] for before in ("", "'", "''", " ", "a")]
    names += HOSTILE
    graph = Graph((*dict.fromkeys(names), "end"), tuple((name, "end") for name in set(names)))
    rows = csv_rows(write_graph(graph, tmp_path / "graph.csv"))[1:]
    assert not [row[0] for row in rows if row[0].lstrip()[:1] in STARTS[:4] + STARTS[6:]]
    escaped = re.compile(r"''*\s*[\t\r=+\-@＝＋－＠]")
    found = [row[0][1:] if escaped.match(row[0]) else row[0] for row in rows]
    assert found == [edge.source for edge in graph.edges]


HOSTILE = [
    'quo"te', "back\\slash", "ends in \\", "\\N", "\\n", "two\nlines", "a\r", "\ttab", "&amp;",
    "<b>&", "a,b", "a;b", "größe 模型 🎲", " space ", "'", "--", "a -- b", "node", "graph", "{|}",
    "%s{0}", "%", "<!-- -->", "\u202eright to left", "a:b:c", "n\u0301", "\u00f1", "$HOME `id`",
    "x" * 3000, "#", "/*", "]]>", "1",
]  # fmt: skip


def hostile_graph():
    pairs = itertools.pairwise(HOSTILE)
    edges = [Edge(a, b, 0.5 - at / 10, 0.5) for at, (a, b) in enumerate(pairs)]
    return Graph(tuple(HOSTILE), tuple(edges), lam=0.1)


def as_pairs(edges):
    return {frozenset(edge[:2]): edge[2] for edge in edges}


@pytest.mark.parametrize(
    ("suffix", "read"), [(".graphml", nx.read_graphml), (".gexf", nx.read_gexf)]
)
def test_hostile_names_come_back_through_networkx(tmp_path, suffix, read):
    graph = hostile_graph()
    found = read(write_graph(graph, tmp_path / f"graph{suffix}"))
    assert list(found.nodes) == HOSTILE
    if suffix == ".graphml":
        assert [name for _, name in found.nodes(data="name")] == HOSTILE
    assert as_pairs(found.edges(data="weight")) == as_pairs(graph.edges)


def test_hostile_names_come_back_through_igraph(tmp_path):
    igraph = pytest.importorskip("igraph")  # which reads no .gexf
    graph = hostile_graph()
    found = igraph.Graph.Read_GraphML(str(write_graph(graph, tmp_path / "graph.graphml")))
    names = found.vs["name"]
    assert names == HOSTILE
    assert found.vs.find(name="&amp;").index == HOSTILE.index("&amp;")
    edges = [(names[e.source], names[e.target], e["weight"]) for e in found.es]
    assert as_pairs(edges) == as_pairs(graph.edges)


def parsed_by_graphviz(path):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    finished = subprocess.run(["dot", "-Tjson", path], capture_output=True, timeout=60)
    assert finished.returncode == 0, finished.stderr
    assert b"syntax error" not in finished.stderr
    return json.loads(finished.stdout)


@pytest.mark.parametrize("suffix", [".dot", ".gv"])
def test_hostile_names_come_back_through_graphviz(tmp_path, suffix):
    graph = hostile_graph()
    found = parsed_by_graphviz(write_graph(graph, tmp_path / f"graph{suffix}"))
    names = [shown(node) for node in found["objects"]]
    assert names == HOSTILE
    edges = [
        (names[edge["tail"]], names[edge["head"]], float(edge["weight"])) for edge in found["edges"]
    ]
    assert as_pairs(edges) == as_pairs(graph.edges)
    widths = {float(edge["penwidth"]) for edge in found["edges"]}
    assert max(widths) == 5.0
    assert min(widths) >= 1.0


def shown(node):
    """Return what Graphviz shows for a node."""
    if node["label"] == "\\N":
        return node["name"]
    label = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), node["label"])
    return html.unescape(label)


def test_unknown_and_infinite_weights_are_fit_for_graphviz(tmp_path):
    edges = (Edge("a", "b", math.inf), Edge("b", "c"), Edge("a", "c", 1e-300, p_value=1e-9))
    found = parsed_by_graphviz(write_graph(Graph(("a", "b", "c"), edges), tmp_path / "graph.dot"))
    by_ends = {(edge["tail"], edge["head"]): edge for edge in found["edges"]}
    assert float(by_ends[0, 1]["weight"]) == math.inf
    assert by_ends[0, 1]["penwidth"] == "5"
    assert "weight" not in by_ends[1, 2]
    assert float(by_ends[0, 2]["p_value"]) == 1e-9


@pytest.mark.parametrize("suffix", [".dot", ".gv"])
@pytest.mark.parametrize("bad", ["\x00", "\ud800"])
def test_names_that_dot_cannot_hold_are_refused(tmp_path, suffix, bad):
    with pytest.raises(InputError, match="rename the column"):
        write_graph(Graph((f"a{bad}", "b")), tmp_path / f"graph{suffix}")
    assert not list(tmp_path.iterdir())


def test_parquet_lists_the_edges_with_their_names_as_they_are(tmp_path):
    pytest.importorskip("pyarrow")
    graph = hostile_graph()
    frame = pd.read_parquet(write_graph(graph, tmp_path / "graph.parquet"))
    assert list(frame.columns) == list(Edge._fields)
    assert frame["source"].tolist() == [edge.source for edge in graph.edges]
    assert frame["weight"].tolist() == [edge.weight for edge in graph.edges]
    unknown = pd.read_parquet(write_graph(GRAPH, tmp_path / "graph.parquet"))
    assert unknown["weight"].isna().tolist() == [False, False, True]
    assert unknown["p_value"].dtype == "float64"
    assert unknown["p_value"].isna().all()


def test_parquet_without_pyarrow_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs pyarrow: pip install .*or choose .csv"):
        check_target(tmp_path / "graph.parquet", WRITERS)
    with pytest.raises(InputError, match="needs pyarrow"):
        write_graph(GRAPH, tmp_path / "graph.parquet")


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\x0b", "\ufffe", "\ud800"])
def test_names_that_xml_cannot_hold_are_refused_and_nothing_is_written(tmp_path, suffix, bad):
    with pytest.raises(InputError, match=r"the name of node .* rename the column"):
        write_graph(Graph((f"a{bad}", "b")), tmp_path / f"graph{suffix}")
    assert not list(tmp_path.iterdir())


def test_half_a_surrogate_pair_is_refused_in_csv(tmp_path):
    with pytest.raises(InputError, match="rename the column"):
        write_graph(Graph(("a\ud800", "b")), tmp_path / "graph.csv")


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
def test_line_ends_and_tabs_in_names_survive_xml(tmp_path, suffix):
    graph = Graph(("a\nb\tc", "d"), (Edge("a\nb\tc", "d", 1.0),))
    path = write_graph(graph, tmp_path / f"graph{suffix}")
    found = (nx.read_graphml if suffix == ".graphml" else nx.read_gexf)(path)
    assert list(found.nodes) == ["a\nb\tc", "d"]


def test_an_unknown_suffix_is_refused_with_the_closest(tmp_path):
    with pytest.raises(InputError, match=r"unknown file type '.grahml'; did you mean '.graphml'"):
        write_graph(GRAPH, tmp_path / "graph.grahml")
    with pytest.raises(InputError, match=r"endings .graphml, .* .gv or .parquet"):
        write_graph(GRAPH, tmp_path / "graph")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "graph.graphml"
    path.write_text("old")
    with pytest.raises(InputError):
        write_graph(Graph(("\x00",)), path)
    assert path.read_text() == "old"


def test_targets_are_checked_before_anything_is_written(tmp_path):
    assert check_target(tmp_path / "x.csv", [".csv"]) == tmp_path / "x.csv"
    assert not list(tmp_path.iterdir())
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        check_target(tmp_path / "folder.csv", [".csv"])
    with pytest.raises(InputError, match=r"there is no folder .*did you mean .*folder.csv"):
        check_target(tmp_path / "folder.cvs" / "x.csv", [".csv"])
    with pytest.raises(InputError, match="choose another name"):
        check_target(tmp_path / ("x" * 300 + ".csv"), [".csv"])


@not_root
def test_a_folder_that_is_not_writable_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="not writable"):
        check_target(tmp_path / "x.csv", [".csv"])
    tmp_path.chmod(0o755)


class Holder:
    """Something that has a graph under a name: a result, or a fitted estimator."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


@pytest.mark.parametrize("name", ["graph", "graph_"])
def test_what_has_a_graph_is_written_as_its_graph(tmp_path, name):
    path = write_graph(Holder(**{name: GRAPH}), tmp_path / "graph.json")
    assert Graph.load(path) == GRAPH


def test_a_graph_after_its_file_is_refused_with_the_order():
    with pytest.raises(InputError, match=r"first the graph and then the file: .*'g.graphml'\)"):
        write_graph("g.graphml", GRAPH)


@pytest.mark.parametrize("path", [None, 3, b"g.csv", GRAPH], ids=["none", "int", "bytes", "graph"])
def test_what_is_no_name_of_a_file_is_refused(path):
    with pytest.raises(InputError, match="the name of a file, got"):
        write_graph(GRAPH, path)
