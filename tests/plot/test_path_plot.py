"""The figure of a path shows at which lambdas each edge is there."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath
from mrflearn.plot import plot_choice, plot_path

from .selection_figures import (
    BLUE,
    NODES,
    PATH,
    assert_readable,
    chain_path,
    graph_of,
    legend_of,
    names_of,
    numbers_above,
    result_of,
    rows_of,
    upright_lines,
)


def test_rows_are_as_long_as_an_edge_stays():
    axes = plot_path(PATH)
    assert names_of(axes) == ["a – b", "a – c", "b – d", "c – d"]
    ends = {name: [line[:2] for line in lines] for name, lines in rows_of(axes).items()}
    assert ends == {
        "a – b": [(0.4, 0.2), (0.1, 0.1)],
        "a – c": [(0.2, 0.1)],
        "b – d": [(0.2, 0.1)],
        "c – d": [(0.1, 0.1)],
    }
    # Only where it comes first is a mark.
    assert [line[4] for line in rows_of(axes)["a – b"]] == ["o", ""]


def test_lambda_falls_to_the_right_on_a_log_axis():
    axes = plot_path(PATH)
    left, right = axes.get_xlim()
    assert left > 0.8 > 0.1 > right > 0
    assert axes.get_xscale() == "log"


def test_the_order_of_the_lambdas_does_not_matter():
    order = [2, 0, 3, 1]
    mixed = GraphPath(tuple(PATH.lams[k] for k in order), tuple(PATH[k] for k in order))
    assert rows_of(plot_path(mixed)) == rows_of(plot_path(PATH))
    assert numbers_above(plot_path(mixed)) == numbers_above(plot_path(PATH))


@pytest.mark.parametrize("n_lams", [1, 2, 7, 60])
def test_numbers_of_edges_stand_above_their_lambdas(n_lams):
    path = chain_path(30, n_lams)
    path = path if n_lams > 1 else GraphPath((0.5,), (chain_path(30)[-1],))
    counts = {lam: len(graph.edges) for lam, graph in zip(path.lams, path, strict=True)}
    above = numbers_above(plot_path(path))
    assert above.items() <= counts.items()
    assert {max(path.lams), min(path.lams)} <= set(above)


def test_the_chosen_lambda_and_graph_stand_out():
    axes = plot_path(result_of(position=2))
    assert upright_lines(axes) == [0.2]
    looks = {name: line[0][2:4] for name, line in rows_of(axes).items()}
    assert looks["a – c"] == looks["b – d"] == (BLUE, True)
    assert looks["a – b"] == looks["c – d"]
    assert looks["a – b"][0] != BLUE
    assert not looks["a – b"][1]
    assert legend_of(axes) == [
        "in the graph chosen",
        "elsewhere on the path",
        r"chosen: $\lambda$ = 0.2, 2 edges",
    ]


def test_a_path_alone_has_no_lambda_chosen():
    axes = plot_path(PATH)
    assert upright_lines(axes) == []
    assert axes.get_legend() is None


def test_a_given_lambda_is_not_called_chosen():
    path = GraphPath((0.3,), (graph_of("a b"),))
    axes = plot_path(result_of(path, 0, choice=None))
    assert upright_lines(axes) == [0.3]
    assert legend_of(axes) == ["in the graph", r"given: $\lambda$ = 0.3, 1 edge"]


def test_no_point_chosen_is_no_line_but_words():
    axes = plot_path(result_of(position=None))
    assert upright_lines(axes) == []
    assert r"no $\lambda$ of these chosen; graph of 0 edges" in legend_of(axes)
    assert axes.get_xlim()[0] < 1.0  # infinity is not on the axis


def test_edges_that_come_late_are_counted():
    axes = plot_path(result_of(position=3), most=2)
    assert names_of(axes) == ["a – b", "a – c", "… 2 more"]
    assert [text.get_text() for text in axes.texts] == [
        r"from $\lambda$ = 0.2 on; 2 in the graph",
    ]


def test_a_path_without_edges_is_refused():
    with pytest.raises(InputError, match=r"no edge at any lambda down to 0\.25"):
        plot_path(GraphPath((1.0, 0.25), (graph_of(), graph_of())))


LAMBDAS = [
    (0.5,),
    (0.0,),
    (-0.3,),
    (math.inf,),
    (-math.inf, math.inf),
    (math.inf, 0.5, 0.1),
    (1.0, 0.1, 0.01, 0.0),
    (0.2, 0.0, -0.05, -math.inf),
    (-0.01, -0.02),
    (1e-300, 0.0, 2.0),
    (1e-12, 1e9),
    (0.31, 0.305, 0.3),
    (0.25, 0.25),
]


@pytest.mark.parametrize("lams", LAMBDAS, ids=str)
def test_any_lambda_has_a_place(lams, tmp_path):
    path = GraphPath(lams, tuple(graph_of("a b") for _ in lams))
    result = result_of(path, len(lams) - 1)
    for axes in (plot_path(path), plot_path(result), plot_choice(result)):
        left, right = axes.get_xlim()
        assert np.isfinite([left, right]).all()
        ticks, labels = axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()]
        assert len(ticks) >= 1
        for tick, label in zip(ticks, labels, strict=True):
            assert left >= tick >= right
            value = float(label.replace("−", "-").replace("∞", "inf"))
            assert value == pytest.approx(tick) or math.isinf(value)
        assert ("∞" in labels) == (math.inf in lams)
        assert ("−∞" in labels) == (-math.inf in lams)
        assert len(set(labels)) == len(labels)
        assert_readable(axes)
    (start, end, *_), *_ = rows_of(plot_path(path))["a – b"]
    assert start >= end
    for lam in (max(lams), min(lams)):
        if math.isfinite(lam):
            assert lam in (start, end)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.floats(-5, 5).map(lambda lam: float(f"{lam:.2g}")) | st.just(math.inf),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 2**30),
)
def test_rows_are_the_lambdas_of_an_edge(lams, seed):
    rng = np.random.default_rng(seed)
    adjacencies = np.triu(rng.random((len(lams), 4, 4)) < 0.5, 1)
    adjacencies[0, 0, 1] = True
    graphs = tuple(Graph.from_adjacency(matrix | matrix.T, NODES) for matrix in adjacencies)
    path = GraphPath(tuple(lams), graphs)
    rows = rows_of(plot_path(path))
    assert sorted(rows) == sorted(
        f"{NODES[i]} – {NODES[j]}" for i, j in np.argwhere(adjacencies.any(axis=0))
    )
    for name, lines in rows.items():
        one, other = name.split(" – ")
        had = [lam for lam, graph in zip(lams, graphs, strict=True) if graph.has_edge(one, other)]
        finite = [lam for lam in lams if math.isfinite(lam)]
        start = lines[0][0]
        if max(had) < math.inf:
            assert start == max(had)
        else:
            assert all(start > lam for lam in finite)
        for lam in finite:
            if lam in had:
                assert any(line[0] >= lam >= line[1] for line in lines)
            else:
                assert not any(line[0] >= lam > line[1] for line in lines)
