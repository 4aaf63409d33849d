"""Graphs and paths for tests: a chain, a path out of order, hostile names, and any graph at all."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from mrflearn.graph import Graph, GraphPath

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
