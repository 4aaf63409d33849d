"""The heat map of a comparison shows which methods found which edges, and can be read."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import Rectangle

from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.plot import plot_comparison, save_figure

NODES = ("a", "b", "c", "d")
GRAPHS = {
    "first": Graph(NODES, (("a", "b", 2.0), ("b", "c", 1.0), ("c", "d", 0.5))),
    "second": Graph(NODES, (("a", "b", 0.1), ("c", "d", 0.2)), unit="norm"),
    "third": Graph(NODES, (("c", "d"),)),
}


def names_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def counts_of(axes):
    return [text.get_text() for text in axes.texts if " of " in text.get_text()]


def assert_readable(axes):
    """Check that no two texts share a dot, and that all are inside of the figure."""
    axes.figure.canvas.draw()
    every = [*axes.get_yticklabels(), *axes.get_xticklabels(), *axes.texts, axes.xaxis.label]
    every += axes.get_legend().get_texts()
    boxes = [(text.get_text(), text.get_window_extent()) for text in every if text.get_text()]
    for (one, box), (other, taken) in itertools.combinations(boxes, 2):
        apart = box.x1 <= taken.x0 or taken.x1 <= box.x0 or box.y1 <= taken.y0 or taken.y1 <= box.y0
        assert apart, f"{one!r} and {other!r} overlap"
    whole = axes.figure.bbox
    for name, box in boxes:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= whole.x1 and box.y1 <= whole.y1
        assert inside, f"{name!r} is cut"


def test_edges_stand_by_agreement_and_columns_are_methods():
    axes = plot_comparison(GRAPHS)
    assert names_of(axes) == ["c – d", "a – b", "b – c"]
    assert counts_of(axes) == ["3 of 3", "2 of 3", "1 of 3"]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(GRAPHS)
    low, high = axes.get_ylim()
    assert low > 2 > 0 > high  # the first row is on top


def test_squares_are_there_where_edges_are_and_darker_where_stronger():
    (image,) = plot_comparison(GRAPHS).get_images()
    cells = image.get_array()
    assert cells.mask.tolist() == [
        [False, False, False],
        [False, False, True],
        [False, True, True],
    ]
    assert cells[1, 0] == cells[0, 1] == 1.0  # the strongest of each method
    assert cells[1, 0] > cells[2, 0] > cells[0, 0] > 0
    assert cells[0, 2] == 1.0  # of unknown weight
    shades = image.cmap(np.linspace(0.25, 1, 20)) @ [0.2126, 0.7152, 0.0722, 0]
    assert (np.diff(shades) < 0).all()  # told apart without colours


@pytest.mark.parametrize("n_methods", [1, 2, 12])
def test_every_text_can_be_read(n_methods):
    nodes = tuple(f"a long name of variable {i}" for i in range(8))
    graph = Graph(nodes, tuple(itertools.pairwise(nodes)))
    assert_readable(plot_comparison({f"nodewise-method {i}": graph for i in range(n_methods)}))


def test_a_legend_says_what_colours_mean_and_shows_them():
    axes = plot_comparison(GRAPHS)
    (text,) = axes.get_legend().get_texts()
    assert text.get_text() == "strength relative to the method's strongest edge"
    (image,) = axes.get_images()
    shown = [patch.get_facecolor() for patch in axes.get_legend().findobj(Rectangle)]
    assert shown[0] == image.cmap(0.25)
    assert shown[-1] == image.cmap(1.0)


@pytest.mark.parametrize("n_methods", [1, 3, 12])
def test_lines_end_with_the_squares(n_methods):
    axes = plot_comparison({f"m{i}": GRAPHS["first"] for i in range(n_methods)})
    leading = [line for line in axes.get_lines() if line.get_ydata()[0] in range(3)]
    low, high = axes.get_xlim()
    for line in (line for line in leading if line.get_ydata()[0] == line.get_ydata()[1]):
        assert low + line.get_xdata()[1] * (high - low) == pytest.approx(n_methods - 0.5)


def test_what_most_leaves_out_is_said():
    axes = plot_comparison(GRAPHS, most=1)
    assert names_of(axes) == ["c – d", "… 2 more"]
    assert counts_of(axes) == ["3 of 3"]
    assert_readable(axes)


def test_axes_given_are_drawn_into_and_a_title_is_shown():
    ours = Figure().add_subplot()
    assert plot_comparison(GRAPHS, ax=ours, title="penguins") is ours
    assert ours.get_xlabel() == "penguins"
    assert_readable(plot_comparison(GRAPHS, title="penguins"))


def test_odd_weights_are_drawn():
    edges = (("a", "b", -3.0), ("b", "c", math.inf), ("c", "d", 0.0))
    cells = plot_comparison({"odd": Graph(NODES, edges)}).get_images()[0].get_array()
    assert not cells.mask.any()
    assert cells.min() >= 0.25
    assert cells.max() <= 1


def test_it_is_saved(tmp_path):
    path = save_figure(plot_comparison(GRAPHS), tmp_path / "c.png")
    assert imread(path).std() > 0


@pytest.mark.parametrize(
    ("graphs", "says"),
    [
        ({}, "a dict from methods to their graphs"),
        ([GRAPHS["first"]], "a dict from methods to their graphs"),
        ({"one": Graph(NODES)}, "no method found an edge"),
        ({"one": GRAPHS["first"], "other": Graph(("a", "b"))}, "'other' has other variables"),
        ({"one": GRAPHS["first"], "other": None}, "for 'other' takes a Graph, .* got None"),
        ({"one": "g.json"}, "for 'one' takes a Graph, .* got 'g.json'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(graphs, says):
    with pytest.raises(InputError, match=says):
        plot_comparison(graphs)


def test_a_number_of_edges_that_is_none_is_refused():
    with pytest.raises(InputError, match="most must be"):
        plot_comparison(GRAPHS, most=0)
