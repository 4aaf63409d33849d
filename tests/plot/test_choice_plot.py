"""The figure of a choice shows the criterion along lambda, and what was chosen."""

import math

import numpy as np
import pytest

from mrflearn.errors import InputError
from mrflearn.plot import plot_choice

from .selection_figures import (
    PATH,
    assert_readable,
    legend_of,
    numbers_above,
    result_of,
    upright_lines,
)


def level_lines(axes):
    lines = (line for line in axes.get_lines() if list(line.get_xdata()) == [0, 1])
    return [line.get_ydata()[0] for line in lines if line.get_linestyle() == "--"]


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
    with pytest.raises(InputError, match=r"no lambda was asked for.*nothing to draw.*lam='auto'"):
        plot_choice(result_of(choice=None, lam=-math.inf))


@pytest.mark.parametrize("values", [(math.nan,) * 4, (0.1, 0.2)])
def test_values_that_cannot_be_drawn_are_refused(values):
    with pytest.raises(InputError, match=r"no lambda|2 values for a path of 4"):
        plot_choice(result_of(values=values))
