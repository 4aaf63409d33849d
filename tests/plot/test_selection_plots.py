"""Figures of stability, path and choice alike: labels can be read, other things are refused."""

import dataclasses
import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.plot import plot_choice, plot_path, plot_stability, save_figure
from mrflearn.result import Result
from mrflearn.stability import Stability

from .selection_figures import (
    assert_readable,
    chain_path,
    graph_of,
    names_of,
    result_of,
    upright_lines,
)


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
