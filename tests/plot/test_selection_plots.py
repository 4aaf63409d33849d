"""Figures of a choice show what the data say, and every label can be read."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath
from mrflearn.plot import plot_choice, plot_path, plot_stability, save_figure
from mrflearn.result import Result, TableSummary
from mrflearn.selection.choice import Choice
from mrflearn.stability import Stability
from mrflearn.table import as_table

BLUE, VERMILION = "#0072b2", "#d55e00"
NODES = ("a", "b", "c", "d")


def graph_of(*pairs, nodes=NODES, lam=None):
    return Graph(nodes, tuple(tuple(pair.split()) for pair in pairs), lam)


# At 0.2 the edge a - b is gone, and comes back at 0.1.
PATH = GraphPath(
    (0.8, 0.4, 0.2, 0.1),
    (
        graph_of(),
        graph_of("a b"),
        graph_of("a c", "b d"),
        graph_of("a b", "a c", "b d", "c d"),
    ),
)
SHARES = {"a c": 1.0, "b d": 0.6, "a b": 0.5, "a d": 0.2}


def stability_of(shares, nodes=NODES, n_subsamples=10):
    matrix = np.zeros((len(nodes), len(nodes)))
    for pair, share in shares.items():
        i, j = (nodes.index(end) for end in pair.split())
        matrix[i, j] = matrix[j, i] = share
    return Stability(nodes, matrix, n_subsamples, 0.5)


def result_of(path=PATH, position=2, values=None, limit=0.05, criterion="instability", **changes):
    """Return a result as `learn` makes it."""
    values = np.linspace(0.0, 0.08, len(path)) if values is None else values
    given = position is None
    content = {
        "graph": Graph(path.nodes) if given else path[position],
        "path": path,
        "lam": math.inf if given else path.lams[position],
        "choice": Choice("stars", position, criterion, tuple(values), limit, "so"),
        "table": TableSummary.of(as_table(np.random.default_rng(0).normal(size=(9, 4)))),
        "options": {},
        "messages": (),
        "stability": stability_of(SHARES),
    }
    return Result(**(content | changes))


def chain_path(n_edges, n_lams=60, name="variable_{}"):
    """Return a path on which the edges of a chain come one after the other."""
    nodes = tuple(name.format(i) for i in range(n_edges + 1))
    lams = np.geomspace(1.0, 0.01, n_lams)
    counts = np.linspace(0, n_edges, n_lams).astype(int)
    graphs = [Graph(nodes, tuple(itertools.pairwise(nodes[: n + 1]))) for n in counts]
    return GraphPath(tuple(lams), tuple(graphs))


def names_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def legend_of(axes):
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def numbers_above(axes):
    (above,) = axes.child_axes
    return {
        float(tick): int(label.get_text())
        for tick, label in zip(above.get_xticks(), above.get_xticklabels(), strict=True)
    }


def rows_of(axes):
    """Return the lines drawn in each row: their ends, colour and whether they are filled."""
    rows = {}
    for line in axes.get_lines():
        x, y = line.get_xdata(), line.get_ydata()
        if line.get_transform() == axes.transData and len(y) == 2 and y[0] == y[1]:
            colour = to_hex(line.get_color())
            filled = to_hex(line.get_markerfacecolor()) == colour
            name = names_of(axes)[int(y[0])]
            rows.setdefault(name, []).append((*map(float, x), colour, filled, line.get_marker()))
    return rows


def upright_lines(axes):
    """Return the places of lines that cross the axes upwards."""
    lines = (line for line in axes.get_lines() if list(line.get_ydata()) == [0, 1])
    return [line.get_xdata()[0] for line in lines if line.get_xdata()[0] == line.get_xdata()[1]]


def level_lines(axes):
    lines = (line for line in axes.get_lines() if list(line.get_xdata()) == [0, 1])
    return [line.get_ydata()[0] for line in lines if line.get_linestyle() == "--"]


def texts_drawn(axes):
    """Return every text of the axes with the box it takes when drawn."""
    figure = axes.figure
    figure.canvas.draw()
    every = [*axes.get_yticklabels(), *axes.get_xticklabels(), *axes.texts, axes.xaxis.label]
    every += [axes.yaxis.label, axes.title, axes._left_title]
    for above in axes.child_axes:
        every += [*above.get_xticklabels(), above.xaxis.label]
    if axes.get_legend():
        every += axes.get_legend().get_texts()
    return [(text, text.get_window_extent()) for text in every if text.get_text()]


def assert_readable(axes):
    """Check that no two texts share a dot, and that all are inside of the figure."""
    drawn = texts_drawn(axes)
    for (one, box), (other, taken) in itertools.combinations(drawn, 2):
        apart = box.x1 <= taken.x0 or taken.x1 <= box.x0 or box.y1 <= taken.y0 or taken.y1 <= box.y0
        assert apart, f"{one.get_text()!r} and {other.get_text()!r} overlap"
    whole = axes.figure.bbox
    for text, box in drawn:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= whole.x1 and box.y1 <= whole.y1
        assert inside, f"{text.get_text()!r} is cut"


# Stability


def test_edges_stand_by_their_shares_with_the_surest_on_top():
    axes = plot_stability(stability_of(SHARES))
    assert names_of(axes) == ["a – c", "b – d", "a – b", "a – d"]
    ends = [line[0][:2] for line in rows_of(axes).values()]
    assert ends == [(0, 1.0), (0, 0.6), (0, 0.5), (0, 0.2)]
    low, high = axes.get_ylim()
    assert low > 3 > 0 > high  # the first row is on top
    assert "10 subsamples" in axes.get_xlabel()


def test_edges_of_the_graph_look_other_than_those_of_subsamples_only():
    rows = rows_of(plot_stability(result_of()))  # the graph has a - c and b - d
    looks = {name: line[0][2:4] for name, line in rows.items()}
    assert looks["a – c"] == looks["b – d"] == (BLUE, True)
    assert looks["a – b"] == looks["a – d"] == (VERMILION, False)
    assert legend_of(plot_stability(result_of())) == [
        "in the graph of all rows",
        "in subsamples only",
        "threshold 0.5",
    ]


def test_without_a_graph_the_threshold_colours():
    rows = rows_of(plot_stability(stability_of(SHARES), at_least=0.55))
    assert [line[0][3] for line in rows.values()] == [True, True, False, False]


def test_an_edge_of_the_graph_that_no_subsample_has_is_shown():
    result = result_of(stability=stability_of({"a c": 0.7}))
    axes = plot_stability(result)
    assert names_of(axes) == ["a – c", "b – d"]
    assert rows_of(axes)["b – d"][0][:2] == (0, 0)


@pytest.mark.parametrize("at_least", [0.05, 0.5, 1, np.float64(0.9)])
def test_the_threshold_is_a_line(at_least):
    axes = plot_stability(stability_of(SHARES), at_least=at_least)
    assert upright_lines(axes) == [at_least]
    assert f"threshold {at_least:g}" in legend_of(axes)


def test_what_most_leaves_out_is_said():
    axes = plot_stability(result_of(), most=1)
    assert names_of(axes) == ["a – c", "… 3 more"]
    assert [text.get_text() for text in axes.texts] == ["in at most 0.6 of them; 1 in the graph"]
    assert list(rows_of(axes)) == ["a – c"]


def test_nothing_is_said_where_all_fit():
    axes = plot_stability(stability_of(SHARES), most=4)
    assert len(names_of(axes)) == 4
    assert not axes.texts


def test_more_rows_make_a_higher_figure_of_the_same_letters():
    def drawn(n_edges):
        nodes = tuple(f"x{i}" for i in range(n_edges + 1))
        shares = {f"x{i} x{i + 1}": 1 / (i + 1) for i in range(n_edges)}
        return plot_stability(stability_of(shares, nodes))

    few, many = drawn(5), drawn(40)
    assert len(names_of(many)) == 40
    assert many.figure.get_figheight() > few.figure.get_figheight() + 5
    assert many.get_yticklabels()[0].get_fontsize() == few.get_yticklabels()[0].get_fontsize()


def test_a_result_without_subsamples_says_how_to_get_them():
    with pytest.raises(InputError, match="n_subsamples=50"):
        plot_stability(result_of(stability=None))


def test_subsamples_without_edges_are_refused():
    with pytest.raises(InputError, match="any of the 10 subsamples"):
        plot_stability(stability_of({}))


@pytest.mark.parametrize("at_least", [0, -0.1, 1.5, math.nan, "half", None, True])
def test_a_threshold_is_a_share(at_least):
    with pytest.raises(InputError, match="at_least must be a share"):
        plot_stability(stability_of(SHARES), at_least=at_least)


@pytest.mark.parametrize("most", [0, -1, 1.5, "all", None, True])
@pytest.mark.parametrize("draw", [plot_stability, plot_path])
def test_most_is_a_number_of_edges(draw, most):
    with pytest.raises(InputError, match=r"most must be a whole number.*got"):
        draw(result_of(), most=most)


@pytest.mark.parametrize("draw", [plot_stability, plot_path, plot_choice])
@pytest.mark.parametrize("other", [None, 3, graph_of("a b"), np.eye(3)])
def test_other_things_are_refused_by_name(draw, other):
    with pytest.raises(InputError, match=f"{draw.__name__} takes .* got {type(other).__name__}"):
        draw(other)


def test_a_graph_of_other_variables_is_refused():
    other = Graph(("e", "f"))
    for draw in (plot_stability, plot_path):
        with pytest.raises(InputError, match="different variables"):
            draw(result_of(graph=other))


# Path


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


# Choice


def test_the_criterion_is_drawn_along_lambda():
    values = (0.0, 0.01, 0.04, 0.5)
    axes = plot_choice(result_of(values=values))
    (line,) = (line for line in axes.get_lines() if len(line.get_xdata()) == 4)
    assert line.get_xdata().tolist() == list(PATH.lams)
    assert line.get_ydata().tolist() == list(values)
    assert axes.get_ylabel() == "instability"
    assert upright_lines(axes) == [0.2]
    assert level_lines(axes) == [0.05]
    (point,) = (line for line in axes.get_lines() if len(line.get_xdata()) == 1)
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (0.2, 0.04)
    assert legend_of(axes) == [r"chosen: $\lambda$ = 0.2, 2 edges", "limit 0.05"]
    assert numbers_above(axes) == {0.8: 0, 0.4: 1, 0.2: 2, 0.1: 4}


def test_the_best_has_no_limit():
    axes = plot_choice(result_of(limit=None, criterion="extended BIC"))
    assert level_lines(axes) == []
    assert len(legend_of(axes)) == 1


def test_a_limit_far_from_the_values_is_in_sight():
    low, high = plot_choice(result_of(limit=0.7)).get_ylim()
    assert low < 0 < 0.7 < high


def test_what_was_not_looked_at_is_a_gap():
    axes = plot_choice(result_of(values=(0.0, math.nan, 0.04, math.nan)))
    (line,) = (line for line in axes.get_lines() if len(line.get_xdata()) == 4)
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False, True]
    assert line.get_marker() == "o"  # a value between gaps is seen


def test_infinite_values_are_arrows_at_the_rim():
    axes = plot_choice(result_of(values=(math.inf, 0.01, 0.04, -math.inf)))
    arrows = {
        line.get_marker(): (line.get_xdata().tolist(), line.get_ydata().tolist())
        for line in axes.get_lines()
        if line.get_marker() in ("^", "v")
    }
    assert arrows == {"^": ([0.8], [1.0]), "v": ([0.1], [0.0])}
    assert np.isfinite(axes.get_ylim()).all()


def test_none_chosen_is_said():
    axes = plot_choice(result_of(position=None))
    assert upright_lines(axes) == []
    assert legend_of(axes)[0] == r"no $\lambda$ of these chosen; graph of 0 edges"


def test_a_long_criterion_fits():
    words = "mean log pseudolikelihood of rows held out, in nats"
    axes = plot_choice(result_of(criterion=words, values=(-7.4, -3.5, -2.83, -2.82), limit=-2.837))
    assert axes.get_ylabel().replace("\n", " ") == words
    assert legend_of(axes)[1] == "limit −2.84"
    assert_readable(axes)


def test_a_given_lambda_has_no_choice():
    with pytest.raises(InputError, match=r"lambda 0.2 was given.*without lam="):
        plot_choice(result_of(choice=None))


@pytest.mark.parametrize("values", [(math.nan,) * 4, (0.1, 0.2)])
def test_values_that_cannot_be_drawn_are_refused(values):
    with pytest.raises(InputError, match=r"no lambda|2 values for a path of 4"):
        plot_choice(result_of(values=values))


# All three


@pytest.mark.parametrize(
    "name", ["x{}", "{} $ % # _ ^ \\", "a name as long as some tables have {}"]
)
@pytest.mark.parametrize(("n_edges", "title"), [(1, "A title"), (40, None), (60, "A title")])
def test_every_text_can_be_read(n_edges, name, title):
    path = chain_path(n_edges, name=name)
    shares = np.zeros((n_edges + 1, n_edges + 1))
    for edge in range(n_edges):
        shares[edge, edge + 1] = shares[edge + 1, edge] = 1 - edge / (n_edges + 1)
    result = result_of(path, 40, stability=Stability(path.nodes, shares, 50, 0.5))
    for draw in (plot_stability, plot_path, plot_choice):
        assert_readable(draw(result, title=title))


@pytest.mark.parametrize("draw", [plot_stability, plot_path, plot_choice])
def test_axes_that_are_given_are_drawn_into(draw):
    left, right = Figure(figsize=(8, 3)).subplots(1, 2)
    assert draw(result_of(), ax=left) is left
    assert left.get_lines()
    assert not right.get_lines()


def test_many_rows_in_low_axes_have_small_letters():
    axes = Figure(figsize=(5, 3.5)).subplots()
    plot_path(chain_path(35), ax=axes)
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    for upper, lower in itertools.pairwise(boxes):
        assert upper.y0 >= lower.y1 - 0.5 or lower.y0 >= upper.y1 - 0.5


@pytest.mark.parametrize("draw", [plot_stability, plot_path, plot_choice])
def test_figures_are_saved_the_same_each_time(draw, tmp_path):
    one, other = (save_figure(draw(result_of()), tmp_path / name) for name in ("1.svg", "2.svg"))
    assert one.read_bytes() == other.read_bytes()
    assert imread(save_figure(draw(result_of()), tmp_path / "1.png")).shape[0] > 100


@pytest.mark.parametrize("draw", [plot_stability, plot_path, plot_choice])
def test_a_result_read_from_a_file_is_drawn_alike(draw, tmp_path):
    result = result_of()
    again = Result.load(result.save(tmp_path / "result.json"))
    one = save_figure(draw(result), tmp_path / "1.svg").read_bytes()
    assert one == save_figure(draw(again), tmp_path / "2.svg").read_bytes()


def test_what_learn_returns_is_drawn():
    from mrflearn import learn

    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    X = np.column_stack([a, a + rng.normal(size=300), rng.normal(size=(300, 2))])
    result = learn(X, dependence="gaussian", n_subsamples=4, n_jobs=1, quiet=True)
    assert names_of(plot_stability(result))[0] == "x0 – x1"
    assert upright_lines(plot_path(result)) == [result.lam]
    assert plot_choice(result).get_ylabel() == result.choice.criterion
    given = dataclasses.replace(result, choice=None)
    with pytest.raises(InputError):
        plot_choice(given)
