"""Graphs and paths on a screen: what is printed, and the page in a notebook."""

import html
import re
from html.parser import HTMLParser

import pytest

from mrflearn.graph import Graph

from .made_graphs import chain, unsorted_path


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
    assert "… and 1 more" in chain(32)._repr_html_()
    assert "more" not in chain(31)._repr_html_()


def test_the_page_shows_weights_and_leaves_unknown_ones_empty():
    page = Graph(tuple("abc"), (("a", "b", 0.123456), ("b", "c")))._repr_html_()
    assert ">0.1235<" in page
    assert "nan" not in page
    assert "Isolated" not in page
    assert "Isolated: c<" in Graph(tuple("abc"), (("a", "b"),))._repr_html_()
    assert "v29 and 2 more<" in Graph(tuple(f"v{i}" for i in range(32)))._repr_html_()


def test_a_path_prints_its_extent_and_shows_each_lambda_in_a_notebook():
    path = unsorted_path()
    assert repr(path) == "GraphPath(3 nodes, 4 lambdas from 0.5 to -inf)"
    page = path._repr_html_()
    assert page.count("<tr>") == 1 + 4
    assert [text for text in read_html(page).text if re.fullmatch(r"[\d.inf-]+", text)] == [
        *("0.1", "2", "0.5", "1", "-inf", "2", "0.3", "0"),
    ]
