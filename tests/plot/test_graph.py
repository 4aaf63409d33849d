"""Figures show every node and edge, explain themselves, and are the same every time."""

import functools
import math
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.legend import Legend
from matplotlib.text import Annotation

from mrflearn import IAMB
from mrflearn.errors import InputError
from mrflearn.graph import Edge, Graph
from mrflearn.plot import plot_graph, save_figure


def random_graph(n_nodes, n_edges, seed=0):
    rng = np.random.default_rng(seed)
    names = tuple(f"variable_{i}" for i in range(n_nodes))
    edges = nx.gnm_random_graph(n_nodes, n_edges, seed=seed).edges
    return Graph(names, tuple(Edge(names[i], names[j], float(rng.gamma(1.0))) for i, j in edges))


@functools.cache
def drawn(n_nodes, n_edges):
    """Return axes to look at, not to change."""
    return plot_graph(random_graph(n_nodes, n_edges))


def edges_of(axes):
    (lines,) = (item for item in axes.collections if isinstance(item, LineCollection))
    return lines


def places_of(axes):
    """Return the place of each node by its label."""
    return {item.get_text(): np.array(item.xy) for item in axes.texts}


def marked_places(axes):
    marks = [item for item in axes.collections if isinstance(item, PathCollection)]
    return np.vstack([item.get_offsets() for item in marks])


def legend_texts(axes):
    legends = [item for item in axes.get_children() if isinstance(item, Legend)]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def label_boxes(axes):
    renderer = axes.figure.canvas.get_renderer()
    return {item.get_text(): item.get_window_extent(renderer) for item in axes.texts}


SIZES = [(2, 0), (2, 1), (3, 3), (8, 12), (20, 24), (50, 60), (50, 20), (200, 260)]


@pytest.mark.parametrize(("n_nodes", "n_edges"), SIZES)
def test_every_node_and_edge_is_drawn(n_nodes, n_edges):
    graph, axes = random_graph(n_nodes, n_edges), drawn(n_nodes, n_edges)
    assert list(places_of(axes)) == list(graph.nodes)
    assert len(marked_places(axes)) == n_nodes
    segments = edges_of(axes).get_segments()
    assert len(segments) == n_edges
    places = places_of(axes)
    for edge, segment in zip(graph.edges, segments, strict=True):
        assert np.allclose(segment, [places[edge.source], places[edge.target]])


@pytest.mark.parametrize(("n_nodes", "n_edges"), SIZES)
def test_no_two_nodes_are_on_top_of_each_other(n_nodes, n_edges):
    axes = drawn(n_nodes, n_edges)
    points = axes.transData.transform(marked_places(axes)) * 72 / axes.figure.dpi
    apart = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(n_nodes, 1)]
    size = max(math.sqrt(item.get_sizes()[0]) for item in axes.collections[1:])
    assert apart.min() > 1.2 * size


@pytest.mark.parametrize(("n_nodes", "n_edges"), SIZES)
def test_all_nodes_are_within_the_axes_and_a_page(n_nodes, n_edges):
    axes = drawn(n_nodes, n_edges)
    x, y = marked_places(axes).T
    assert axes.get_xlim()[0] < x.min() <= x.max() < axes.get_xlim()[1]
    assert axes.get_ylim()[0] < y.min() <= y.max() < axes.get_ylim()[1]
    assert max(axes.figure.get_size_inches()) < 17


@pytest.mark.parametrize(("n_nodes", "n_edges"), [(20, 24), (50, 60)])
def test_labels_of_a_sparse_graph_do_not_overlap(n_nodes, n_edges):
    boxes = list(label_boxes(drawn(n_nodes, n_edges)).values())
    for position, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:position])


def test_a_label_keeps_off_nodes_and_edges_where_there_is_room():
    star = Graph(("hub", "leaf"), (Edge("hub", "leaf", 1.0),))
    axes = plot_graph(star)
    (segment,) = edges_of(axes).get_segments()
    row = axes.transData.transform(segment)[:, 1]
    for box in label_boxes(axes).values():
        assert not box.y0 <= row.mean() <= box.y1


def test_isolated_nodes_stand_below_the_others():
    names = ("a", "b", "c", "alone", "apart")
    axes = plot_graph(Graph(names, (("a", "b", 0.1), ("b", "c", 0.2), ("a", "c", 0.3))))
    places = places_of(axes)
    lowest = min(places[name][1] for name in "abc")
    assert places["alone"][1] < lowest
    assert places["alone"][1] == places["apart"][1]
    width = np.ptp([places[name][0] for name in "abc"])
    assert np.ptp([places["alone"][0], places["apart"][0]]) < 3 * max(width, 1)


def test_components_do_not_mingle():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y"), ("y", "z"), ("z", "x")]
    places = places_of(plot_graph(Graph(tuple("abcxyz"), tuple(edges))))
    first = np.array([places[name] for name in "abc"])
    second = np.array([places[name] for name in "xyz"])
    apart = (first.max(axis=0) < second.min(axis=0)) | (second.max(axis=0) < first.min(axis=0))
    assert apart.any()


def test_the_layout_is_the_same_every_time():
    graph = random_graph(30, 40)
    first, second = plot_graph(graph), plot_graph(graph)
    assert np.array_equal(marked_places(first), marked_places(second))
    offsets = [[item.xyann for item in axes.texts] for axes in (first, second)]
    assert offsets[0] == offsets[1]


def test_half_of_a_character_is_drawn_as_its_number():
    axes = plot_graph(Graph(("a\ud800", "b")))
    assert [item.get_text() for item in axes.texts] == ["a\\ud800", "b"]


def test_places_may_be_given():
    graph = random_graph(4, 3)
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert np.array_equal(
        np.array(list(places_of(plot_graph(graph, places=places)).values())), places
    )


def test_stronger_edges_are_wider_and_widths_are_proportional():
    graph = Graph(tuple("abcd"), (("a", "b", 0.2), ("b", "c", 0.4), ("c", "d", 0.1)))
    widths = edges_of(plot_graph(graph)).get_linewidths()  # ab, bc, cd
    assert widths[1] == pytest.approx(2 * widths[0]) == pytest.approx(4 * widths[2])


def test_unknown_weights_are_dashed_beside_known_ones_and_plain_alone():
    mixed = Graph(tuple("abc"), (("a", "b", 0.2), ("b", "c")))
    axes = plot_graph(mixed)
    dashes = [style[1] for style in edges_of(axes).get_linestyles()]
    assert dashes[0] is None
    assert dashes[1] is not None
    assert "unknown" in legend_texts(axes)
    alone = plot_graph(Graph(tuple("ab"), (("a", "b"),)))
    assert [style[1] for style in edges_of(alone).get_linestyles()] == [None]
    assert legend_texts(alone) == []


@pytest.mark.parametrize("weight", [math.inf, -math.inf, -0.5, 0.0, 1e-300, 1e300])
def test_any_weight_can_be_drawn(tmp_path, weight):
    axes = plot_graph(Graph(tuple("abc"), (("a", "b", weight), ("b", "c", 0.1))))
    widths = edges_of(axes).get_linewidths()
    assert np.isfinite(widths).all()
    assert min(widths) > 0
    save_figure(axes, tmp_path / "figure.png")


def test_the_legend_explains_kinds_and_widths():
    graph = Graph(tuple("abc"), (("a", "b", 0.2), ("b", "c", 0.4)))
    axes = plot_graph(graph, kinds=["continuous", "nominal", "continuous"])
    texts = legend_texts(axes)
    assert texts[:2] == ["continuous", "nominal"]
    assert texts[2] == "weight (nats)"
    assert [float(text) for text in texts[3:]] == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_all_of_the_legend_is_in_the_saved_figure(tmp_path):
    graph = Graph(tuple("ab"), (("a", "b", 0.4),))
    axes = plot_graph(graph, kinds=["continuous", "nominal"])
    pixels = imread(save_figure(axes, tmp_path / "figure.png"))[..., :3]
    height = len(pixels)
    for colour in ("#0072B2", "#E69F00"):
        is_colour = np.abs(pixels - to_rgb(colour)).max(axis=2) < 0.02
        rows = np.flatnonzero(is_colour.any(axis=1))
        (gap,) = np.flatnonzero(np.diff(rows) > 1)  # between the node and its mark in the legend
        assert len(rows) - gap > 10
    dark_rows = np.flatnonzero((pixels.max(axis=2) < 0.3).any(axis=1))
    assert height - dark_rows[-1] < 0.15 * 200  # the row of widths ends near the rim
    assert rows[-1] < dark_rows[-1] - 10  # and is below the row of kinds


def test_legends_wider_than_the_axes_are_saved_whole():
    axes = Figure(figsize=(2, 2)).subplots()
    kinds = ["continuous", "ordinal", "nominal", "mixed"]
    plot_graph(Graph(tuple("abcd"), (("a", "b", 0.0),)), axes, kinds=kinds)  # few widths
    axes.figure.canvas.draw()
    saved = axes.figure.get_tightbbox()
    legends = [item for item in axes.get_children() if isinstance(item, Legend)]
    assert len(legends) == 2
    for legend in legends:
        extent = legend.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
        assert saved.x0 <= extent.x0 < extent.x1 <= saved.x1
        assert saved.y0 <= extent.y0


def test_kinds_colour_the_nodes_as_a_mapping_or_in_order():
    graph = Graph(tuple("abcde"))
    kinds = ["continuous", "ordinal", "nominal", "mixed"]

    def colours(given):
        axes = plot_graph(graph, kinds=given)
        return {
            tuple(place): to_hex(item.get_facecolor()[0])
            for item in axes.collections
            if isinstance(item, PathCollection)
            for place in item.get_offsets()
        }

    by_name = colours(dict(zip("abcd", kinds, strict=True)))
    assert by_name == colours([*kinds, ""])
    assert len(set(by_name.values())) == 5


def test_kinds_that_do_not_fit_are_refused():
    graph = Graph(("age", "city"))
    with pytest.raises(InputError, match="unknown node 'agee'; did you mean 'age'"):
        plot_graph(graph, kinds={"agee": "nominal"})
    with pytest.raises(InputError, match="3 kinds for 2 nodes"):
        plot_graph(graph, kinds=["nominal"] * 3)
    with pytest.raises(InputError, match="unknown kind 'nominl'; did you mean 'nominal'"):
        plot_graph(graph, kinds=["nominl", "nominal"])


@pytest.mark.parametrize("graph", [Graph(()), Graph(("a",)), Graph(("a", "b"))])
def test_graphs_with_next_to_nothing_are_drawn(tmp_path, graph):
    save_figure(plot_graph(graph, title="Nothing"), tmp_path / "figure.png")


def test_odd_names_are_drawn_as_they_are(tmp_path, recwarn):
    names = ("cost in $ or \\$", "$x$", "a\nb", "x" * 80, "<&>", "_", "größe", r"$\nonsense$")
    axes = plot_graph(Graph(names, (("$x$", "a\nb", 0.1),)))
    texts = [item.get_text() for item in axes.texts]
    assert texts[1:3] == ["$x$", "a b"]
    assert len(texts[3]) < 25
    assert "…" in texts[3]
    save_figure(axes, tmp_path / "figure.svg")
    assert not recwarn.list


def test_long_names_that_differ_at_the_end_stay_different():
    names = tuple(f"concentration_of_something_{i}" for i in range(12))
    texts = [item.get_text() for item in plot_graph(Graph(names)).texts]
    assert len(set(texts)) == 12


def test_characters_without_a_glyph_give_one_warning():
    with pytest.warns(UserWarning, match="lacks some characters") as caught:
        plot_graph(Graph(("模型", "学習")))
    assert len(caught) == 1


def test_axes_that_are_given_are_drawn_into():
    figure = Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    assert plot_graph(random_graph(6, 7), left, title="Left") is left
    assert left.get_title() == "Left"
    assert len(left.texts) == 6
    assert not right.texts
    assert not left.axison


def test_axes_of_a_subfigure_are_drawn_into_and_saved(tmp_path):
    part = Figure(figsize=(8, 4)).subfigures(1, 2)[0]
    save_figure(plot_graph(random_graph(6, 7), part.subplots()), tmp_path / "figure.png")


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")]
)
def test_figures_are_saved_by_suffix_and_bytes_repeat(tmp_path, suffix, start):
    graph = random_graph(8, 10)
    paths = [save_figure(plot_graph(graph), tmp_path / f"{name}{suffix}") for name in "ab"]
    first, second = (path.read_bytes() for path in paths)
    assert first.startswith(start)
    assert first == second
    assert b"CreationDate" not in first
    assert b"<dc:date>" not in first


def test_a_png_has_200_dots_an_inch_and_is_not_blank(tmp_path):
    axes = plot_graph(random_graph(8, 10))
    pixels = imread(save_figure(axes, tmp_path / "figure.png"))
    width = axes.figure.get_size_inches()[0]
    assert pixels.shape[1] == pytest.approx(200 * width, rel=0.4)
    assert pixels[..., :3].min() < 0.2
    assert pixels[0, 0, :3].min() == 1.0


def test_an_unknown_figure_type_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError, match=r"unknown file type '.pgn'; did you mean '.png'"):
        save_figure(plot_graph(Graph(("a", "b"))), tmp_path / "figure.pgn")
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_figure(tmp_path, monkeypatch):
    path = tmp_path / "figure.png"
    path.write_text("old")
    axes = plot_graph(Graph(("a", "b")))

    def fail(*_, **__):
        raise RuntimeError("half way")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="half way"):
        save_figure(axes, path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_drawing_needs_no_display_and_no_pyplot(tmp_path):
    program = (
        "import sys; import mrflearn.plot as p; from mrflearn.graph import Graph;"
        "assert 'matplotlib' not in sys.modules;"
        "p.save_figure(p.plot_graph(Graph(('a', 'b'), (('a', 'b', 1.0),))), sys.argv[1]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    path = tmp_path / "figure.png"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        env={"MPLBACKEND": "TkAgg", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert path.read_bytes().startswith(b"\x89PNG")


def test_labels_are_texts_tied_to_their_nodes():
    axes = plot_graph(random_graph(5, 5))
    assert all(isinstance(item, Annotation) for item in axes.texts)
    for item in axes.texts:
        assert np.abs(item.xyann).max() < 100  # points


def test_edges_are_the_paler_the_fewer_subsamples_have_them():
    edges = (Edge("a", "b", 0.5, 1.0), Edge("b", "c", 0.5, 0.5), Edge("a", "c", 0.5, 0.0))
    graph = Graph(("a", "b", "c"), edges)
    axes = plot_graph(graph)
    opacities = edges_of(axes).get_colors()[:, 3]
    by_share = dict(zip([edge.confidence for edge in graph.edges], opacities, strict=True))
    assert 0 < by_share[0.0] < by_share[0.5] < by_share[1.0] == 1.0
    assert "share of subsamples with it" in legend_texts(axes)


def test_edges_whose_frequency_is_unknown_are_opaque():
    axes = plot_graph(random_graph(6, 8))
    assert np.all(edges_of(axes).get_colors()[:, 3] == 1.0)
    assert "share of subsamples with it" not in legend_texts(axes)


def test_what_has_a_graph_is_drawn_and_anything_else_is_refused():
    estimator = IAMB(0.1, dependence="gaussian").fit(np.random.default_rng(0).normal(size=(50, 3)))
    assert {text.get_text() for text in plot_graph(estimator).texts} == {"x0", "x1", "x2"}
    with pytest.raises(InputError, match=r"plot_graph takes a Graph, .* got ndarray"):
        plot_graph(np.eye(3))
