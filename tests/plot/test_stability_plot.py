"""The figure of stability shows how often each edge is found again."""

import math

import numpy as np
import pytest

from mrflearn.errors import InputError
from mrflearn.plot import plot_stability

from .selection_figures import (
    BLUE,
    SHARES,
    VERMILION,
    legend_of,
    names_of,
    result_of,
    rows_of,
    stability_of,
    upright_lines,
)


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
