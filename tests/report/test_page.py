"""A page holds all of a result, escapes what is not ours, and is the same every time."""

import base64
import dataclasses
import hashlib
import json
import math
import re
import warnings
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from made_results import HOSTILE, make_result

from mrflearn import InputError, Result
from mrflearn.graph import Graph, GraphPath
from mrflearn.report import render_report, write_report

NAMES = ("rain", "wet", "sprinkler", "season", "roof")


def render(result):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the font of the figure lacks")
        return render_report(result)


class Page(HTMLParser):
    """All elements with their attributes, the blocks inside script and style, and the text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.blocks, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.cdata_elem in ("script", "style"):
            self.blocks.append((self.cdata_elem, self.elements[-1][1], data))
        else:
            self.texts.append(data)

    @property
    def content(self):
        (block,) = (data for _, attributes, data in self.blocks if "type" in attributes)
        return json.loads(block)


@pytest.fixture(scope="module")
def hostile():
    return render(make_result(HOSTILE, 60))


@pytest.fixture(scope="module")
def result():
    return make_result(NAMES, 8)


@pytest.fixture(scope="module")
def text(result):
    return render(result)


def test_hostile_names_bring_no_element_and_no_attribute(hostile):
    harmless = render(make_result([f"name{at}" for at in range(len(HOSTILE))], 60))

    def skeleton(text):
        page = Page(text)
        inside = [(tag, sorted(of)) for tag, of in page.elements if tag not in ("path", "use", "g")]
        return [item for item in inside if item[0] != "defs"]

    assert skeleton(hostile) == skeleton(harmless)


def test_no_attribute_runs_or_styles_anything(hostile):
    for tag, attributes in Page(hostile).elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        for name in ("src", "href", "action", "xlink:href"):
            assert attributes.get(name, "#").startswith("#"), (tag, name)


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name[:20]))
def test_hostile_names_come_back_whole(hostile, name):
    page = Page(hostile)
    assert name in [node["name"] for node in page.content["nodes"]]
    titles = [attributes.get("title") for _, attributes in page.elements]
    assert name.replace("\r\n", "\n") in [title and title.replace("\r\n", "\n") for title in titles]


def test_data_end_no_block(hostile):
    page = Page(hostile)
    assert [tag for tag, _, _ in page.blocks] == ["style", *["script"] * 7]
    (block,) = (data for _, attributes, data in page.blocks if "type" in attributes)
    assert block.isascii()
    assert not set("<>&\u2028\u2029") & set(block)


def test_long_names_are_cut_where_they_are_shown(hostile):
    assert max(map(len, Page(hostile).texts)) < 1_000
    assert "x" * 100 not in "".join(Page(hostile).texts)


def test_half_characters_do_not_break_the_file(tmp_path):
    made = make_result(("a\ud800", "b\x00", "c"), 2)
    written = write_report(made, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "a\\ud800" in written
    assert [node["label"] for node in Page(written).content["nodes"]] == ["a\\ud800", "b\x00", "c"]


def test_a_name_of_which_nothing_is_seen_is_in_quotes():
    nodes = Page(render(make_result((" \t", "b", "c"), 2))).content["nodes"]
    assert nodes[0]["label"] == r"' \t'"


def test_the_policy_allows_the_blocks_of_the_page_and_nothing_else(text):
    page = Page(text)
    (policy,) = (
        attributes["content"]
        for tag, attributes in page.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for name in ("default-src", "base-uri", "form-action"):
        assert rules.pop(name) == "'none'"
    for tag in ("script", "style"):
        found = [
            base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
            for kind, attributes, data in page.blocks
            if kind == tag and "type" not in attributes
        ]
        assert rules.pop(f"{tag}-src") == " ".join(f"'sha256-{digest}'" for digest in found)
    assert not rules


def test_nothing_is_asked_of_a_network(text):
    library = files("mrflearn.report").joinpath("vendor/cytoscape.min.js").read_text("utf-8")
    assert not re.search(r"https?://", text.replace(library, ""))
    assert not re.search(r"@import|url\((?!#)", text.replace(library, ""))


def test_the_same_result_gives_the_same_bytes(result, text, tmp_path):
    assert render(Result.load(result.save(tmp_path / "r.json"))) == text
    path = write_report(result, tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == text


def test_the_path_is_all_there(result, text):
    content = Page(text).content
    assert len(content["stops"]) == len(result.path)
    for stop, lam, graph in zip(content["stops"], result.path.lams, result.path, strict=True):
        assert stop["lam"] == lam
        ends = [content["pairs"][pair][:2] for pair in stop["pairs"]]
        assert ends == [
            [graph.index(edge.source), graph.index(edge.target)] for edge in graph.edges
        ]
        assert stop["weights"] == pytest.approx([edge.weight for edge in graph.edges], rel=1e-5)
    assert content["stops"][content["chosen"]]["lam"] == result.lam


def test_edges_are_explained_in_the_words_of_the_graph(result, text):
    content = Page(text).content
    for source, target, confidence, entered, words in content["pairs"]:
        a, b = NAMES[source], NAMES[target]
        assert words == str(result.graph.explain(a, b))
        assert confidence == 0.75
        assert entered == result.path.entry[source, target]
    assert any("no edge" in pair[4] for pair in content["pairs"])


def test_the_page_says_what_was_done(result, text):
    said = " ".join(" ".join(Page(text).texts).split())
    for words in (
        "5 variables, 5 edges",
        "100 rows, 5 columns and 5 variables. 3 rows with missing values were left out.",
        "First rain.",
        "Lambda was chosen: made by hand.",
        "take care & <b>look</b>.",
        "declared",
        "0123456789abcdef",
        "version 1.2.3",
        "Takashina, Nakatani and Inoue (2018)",
        '[["rain", "wet"]]',
    ):
        assert words in said, words


def test_each_label_of_the_still_picture_is_outlined_once(text):
    outlines = [a for tag, a in Page(text).elements if tag == "path" and "paint-order" in a]
    assert len(outlines) == len(NAMES)
    assert len({outline["d"] for outline in outlines}) == len(NAMES)
    assert text.count(outlines[0]["d"]) == 1


def test_the_page_says_what_an_edge_of_a_tree_is(result):
    once = "once their neighbors are known"
    assert once in " ".join(render(result).split())
    evidence = dataclasses.replace(result.graph.evidence, rule="alone")
    graph = dataclasses.replace(result.graph, evidence=evidence)
    learned = dataclasses.replace(result, graph=graph)
    empty = dataclasses.replace(result, graph=Graph(NAMES), options={"method": "ChowLiu"})
    for tree in (learned, empty):
        said = " ".join(render(tree).split())
        assert "the tree, or forest, of the pairs that share most" in said
        assert once not in said


def test_the_tables_are_there_without_the_script(result, text):
    rows = text.split("<tbody>")[1].split("</tbody>")[0]
    assert rows.count("<tr>") == len(result.graph.edges)
    strongest = max(result.graph.edges, key=lambda edge: edge.weight)
    first = rows[: rows.index("</tr>")]
    assert strongest.source in first
    assert strongest.target in first


def test_the_page_is_in_the_order_of_lambda_whatever_the_path(result):
    turned = GraphPath(result.path.lams[::-1], result.path.graphs[::-1])
    position = len(turned) - 1 - result.choice.position
    choice = dataclasses.replace(result.choice, position=position)
    again = dataclasses.replace(result, path=turned, choice=choice)
    assert Page(render(again)).content == Page(render(result)).content


@pytest.mark.parametrize("lam", [math.inf, 0.5])
def test_a_graph_that_is_not_on_the_path_has_a_stop_of_its_own(result, lam):
    choice = dataclasses.replace(result.choice, position=None)
    empty = dataclasses.replace(result, graph=Graph(NAMES, (), lam), lam=lam, choice=choice)
    content = Page(render(empty)).content
    assert len(content["stops"]) == len(result.path) + 1
    chosen = content["stops"][content["chosen"]]
    assert (float(chosen["lam"]), chosen["pairs"]) == (lam, [])


def test_a_lambda_that_was_given_is_said_to_be(result):
    account = dataclasses.replace(result.account, lam="Lambda was given: 0.1.")
    given = dataclasses.replace(result, choice=None, account=account)
    assert "Lambda was given: 0.1." in render(given)
    assert Page(render(given)).content["chosen"] == result.choice.position


@pytest.mark.parametrize("weight", [math.nan, math.inf, 0.0, -1.0])
def test_weights_of_any_kind_are_shown(result, weight):
    edges = [edge._replace(weight=weight) for edge in result.graph.edges]
    odd = dataclasses.replace(result, graph=dataclasses.replace(result.graph, edges=tuple(edges)))
    render(odd)


@pytest.mark.parametrize("n_nodes", [1, 2])
def test_the_smallest_graphs_have_a_page(n_nodes):
    made = make_result(NAMES[:2], 1, n_lams=1, chosen=0, stable=False)
    nodes = NAMES[:n_nodes]
    small = dataclasses.replace(
        made,
        graph=Graph(nodes),
        path=GraphPath((1.0,), (Graph(nodes),)),
        table=dataclasses.replace(made.table, names=nodes, kinds=made.table.kinds[:n_nodes]),
    )
    assert f"{n_nodes} variable" in render(small)


def test_what_is_not_known_has_no_column(result):
    bare = dataclasses.replace(result, graph=result.path[result.choice.position], stability=None)
    keys = {of["data-key"] for _, of in Page(render(bare)).elements if "data-key" in of}
    assert keys == {"source", "target", "weight", "entered"}


def test_a_long_path_stays_small():
    text = render(make_result([f"v{at}" for at in range(40)], 700, n_lams=60))
    assert len(Page(text).content["stops"]) == 60
    assert len(text) < 3_000_000


def test_only_results_have_reports(result, tmp_path):
    with pytest.raises(InputError, match=r"a report needs what mrflearn\.learn returns.*Graph$"):
        render_report(result.graph)
    with pytest.raises(InputError, match="cannot write"):
        write_report(result, tmp_path)
