"""ROC figures show what `area_under_roc` measures, and methods can be told apart in any print."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from mrflearn.errors import InputError
from mrflearn.metrics import RocCurve, area_under_roc
from mrflearn.plot import Look, assign_looks, plot_roc, plot_roc_panels, save_figure

METHODS = ("GS-MPLE", "GSMN", "IAMB", "GLASSO", "SKEPTIC", "JOSE")


def made_up(power, n_points=30):
    """Return a curve TPR = FPR ** power, its points in no order, that ends early."""
    fpr = np.random.default_rng(n_points).permutation(np.linspace(0.01, 0.8, n_points))
    return RocCurve(np.arange(n_points), fpr, fpr**power)


CURVES = {name: made_up(1 / (place + 1)) for place, name in enumerate(METHODS)}
PANELS = dict.fromkeys(("Ising", "Discrete HMM", "Gaussian", "Continuous HMM"), CURVES)


def line_of(axes, name):
    (line,) = (line for line in axes.get_lines() if line.get_label() == name)
    return line


def look_of(line):
    return to_hex(line.get_color()), line._unscaled_dash_pattern, line.get_marker()


def texts_of(legend):
    return [text.get_text() for text in legend.get_texts()]


def extent(artist):
    """Return where an artist is, in inches."""
    figure = artist.get_figure()
    return artist.get_window_extent().transformed(figure.dpi_scale_trans.inverted())


# One panel


def test_curves_are_drawn_as_they_are_measured():
    axes = plot_roc(CURVES)
    for name, curve in CURVES.items():
        x, y = line_of(axes, name).get_data()
        assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
        assert (np.diff(x) >= 0).all()
        assert set(zip(curve.fpr, curve.tpr, strict=True)) <= set(zip(x, y, strict=True))
        under = ((y[1:] + y[:-1]) / 2 * np.diff(x)).sum()
        assert under == pytest.approx(area_under_roc(curve))


def test_the_legend_names_each_method_with_its_area():
    # Worked in test_metrics: 28/32 and, for the diagonal, 1/2.
    curves = {"good": RocCurve([2, 1], [0.0, 0.5], [0.5, 1.0]), "chance": RocCurve([], [], [])}
    legend = plot_roc(curves).get_legend()
    assert texts_of(legend) == ["good (0.875)", "chance (0.500)"]
    assert "area" in legend.get_title().get_text()
    assert texts_of(plot_roc(curves, areas=False).get_legend()) == ["good", "chance"]


def test_a_panel_is_the_unit_square_with_the_diagonal_of_chance():
    axes = plot_roc(CURVES, title="Ising")
    assert axes.get_xlim() == axes.get_ylim() == (0.0, 1.0)
    assert axes.get_aspect() == 1.0
    assert axes.get_xlabel() == "False positive rate"
    assert axes.get_ylabel() == "True positive rate"
    assert axes.get_title(loc="left") == "Ising"
    chance, *others = axes.get_lines()
    assert chance.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert chance.get_linewidth() < min(line.get_linewidth() for line in others)


def test_axes_that_are_given_are_drawn_into():
    left, right = Figure(figsize=(6, 3)).subplots(1, 2)
    assert plot_roc(CURVES, left) is left
    assert len(left.get_lines()) == len(CURVES) + 1
    assert not right.get_lines()


@pytest.mark.parametrize("n_points", [0, 1, 2, 30, 3000])
def test_marks_are_few_and_never_on_the_added_ends(n_points):
    axes = plot_roc({"a": made_up(0.5, n_points), "b": made_up(0.5, n_points)})
    marks = [line_of(axes, name).get_markevery() for name in "ab"]
    for chosen in marks:
        assert len(chosen) <= 14
        assert not {0, n_points + 1} & set(chosen)
        if n_points >= 30:
            assert len(chosen) >= 5
    if n_points == 3000:  # the same curve twice: marks of both can be seen
        assert not set(marks[0]) & set(marks[1])


def test_marks_stand_at_even_distances():
    fpr = np.linspace(0, 0.8, 3000)
    line = line_of(plot_roc({"a": RocCurve(fpr, fpr, fpr**0.5)}), "a")
    places = line.get_xydata()[line.get_markevery()]
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert apart.max() < 1.15 * apart.min()


# Looks


def test_six_methods_differ_in_colour_and_line_and_mark():
    lines = [line_of(plot_roc(CURVES), name) for name in METHODS]
    for part in zip(*map(look_of, lines), strict=True):
        assert len(set(part)) == 6


def test_a_hundred_methods_look_different():
    looks = assign_looks(map(str, range(100)))
    assert len(set(looks.values())) == 100
    for one, other in itertools.pairwise(looks.values()):
        assert one.color != other.color
        assert one.linestyle != other.linestyle
        assert one.marker != other.marker


def test_colours_stand_out_from_white_paper():
    for look in assign_looks(map(str, range(7))).values():
        red, green, blue = (int(look.color[at : at + 2], 16) / 255 for at in (1, 3, 5))
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.72


def test_looks_follow_names_into_other_figures():
    looks = assign_looks(METHODS)
    some = {name: CURVES[name] for name in ("JOSE", "IAMB")}
    everywhere, here = plot_roc(CURVES), plot_roc(some, styles=looks)
    for name in some:
        assert look_of(line_of(here, name)) == look_of(line_of(everywhere, name))


def test_a_style_is_taken_for_the_method_it_names_alone():
    bold = Look("black", "--", "*", linewidth=2.5)
    axes, plain = plot_roc(CURVES, styles={"IAMB": bold}), plot_roc(CURVES)
    line = line_of(axes, "IAMB")
    assert (line.get_color(), line.get_marker(), line.get_linewidth()) == ("black", "*", 2.5)
    for name in set(METHODS) - {"IAMB"}:
        assert look_of(line_of(axes, name)) == look_of(line_of(plain, name))


# Panels


def test_a_method_has_one_look_in_all_panels_even_if_missing_from_some():
    figure = plot_roc_panels(
        {
            "first": {"A": CURVES["GSMN"], "C": CURVES["IAMB"]},
            "second": {"B": CURVES["GSMN"], "C": CURVES["JOSE"], "A": CURVES["GLASSO"]},
        }
    )
    first, second = figure.axes
    for name in "AC":
        assert look_of(line_of(first, name)) == look_of(line_of(second, name))
    looks = {look_of(line_of(second, name)) for name in "ABC"}
    assert len(looks) == 3
    (legend,) = figure.legends
    assert texts_of(legend) == ["A", "C", "B"]
    expected = assign_looks("ACB")
    for handle, name in zip(legend.legend_handles, "ACB", strict=True):
        assert handle.get_color() == expected[name].color


def test_panels_carry_letters_and_areas_and_share_labels():
    figure = plot_roc_panels(PANELS)
    assert figure.get_size_inches()[0] == 7.0
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "(a) Ising",
        "(b) Discrete HMM",
        "(c) Gaussian",
        "(d) Continuous HMM",
    ]
    areas = [f"{area_under_roc(curve):.3f}" for curve in CURVES.values()]
    for axes in figure.axes:
        assert texts_of(axes.get_legend()) == areas
    assert [bool(axes.get_xlabel()) for axes in figure.axes] == [False, False, True, True]
    assert [bool(axes.get_ylabel()) for axes in figure.axes] == [True, False, True, False]
    assert all(axes.get_legend() is None for axes in plot_roc_panels(PANELS, areas=False).axes)


def test_the_lowest_panel_of_each_column_has_numbers_below():
    three = dict(itertools.islice(PANELS.items(), 3))
    assert [bool(axes.get_xlabel()) for axes in plot_roc_panels(three).axes] == [False, True, True]
    row = plot_roc_panels(three, ncols=5).axes
    assert len({round(axes.get_position().y0, 6) for axes in row}) == 1
    assert all(axes.get_xlabel() for axes in row)


@pytest.mark.parametrize("ncols", [1, 2, 4])
@pytest.mark.parametrize("longer", ["", " with a rather long name of its variant"])
def test_nothing_is_outside_the_figure_or_over_something_else(ncols, longer):
    renamed = {name + longer: curve for name, curve in CURVES.items()}
    figure = plot_roc_panels(dict.fromkeys(PANELS, renamed), ncols=ncols)
    figure.canvas.draw()
    width, height = figure.get_size_inches()
    (legend,) = figure.legends
    boxes = [extent(legend), *(axes.get_tightbbox() for axes in figure.axes)]
    boxes[1:] = [box.transformed(figure.dpi_scale_trans.inverted()) for box in boxes[1:]]
    for place, box in enumerate(boxes):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= width
        assert box.y1 <= height
        for other in boxes[:place]:
            assert not box.overlaps(other)
    for axes in figure.axes:
        square = extent(axes)
        assert square.width == pytest.approx(square.height)
        assert square.x0 < extent(axes.get_legend()).x0


def test_letters_have_8_or_9_points():
    figure = plot_roc_panels(PANELS)
    sizes = {text.get_fontsize() for text in figure.legends[0].get_texts()}
    for axes in figure.axes:
        words = [axes.xaxis.label, axes.yaxis.label, axes.get_legend().get_title()]
        words += [*axes.get_xticklabels(), *axes.get_legend().get_texts(), axes._left_title]
        sizes |= {text.get_fontsize() for text in words}
    assert sizes == {8.0, 9.0}


# Files


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_whole_figures_are_saved_and_bytes_repeat(tmp_path, suffix, start):
    first, second = (
        save_figure(plot_roc_panels(PANELS), tmp_path / f"{name}{suffix}").read_bytes()
        for name in "ab"
    )
    assert first.startswith(start)
    assert first == second
    if suffix != ".png":  # lines are lines, not pixels
        assert b"<image" not in first
        assert b"/Subtype /Image" not in first


def test_a_saved_figure_keeps_its_width_so_that_letters_keep_their_size(tmp_path):
    pixels = imread(save_figure(plot_roc_panels(PANELS), tmp_path / "figure.png"))
    assert pixels.shape[1] == pytest.approx(7 * 200, abs=20)


def test_a_figure_and_axes_in_it_are_saved_alike(tmp_path):
    figure = plot_roc_panels(PANELS)
    whole = save_figure(figure, tmp_path / "whole.png").read_bytes()
    assert save_figure(figure.axes[1], tmp_path / "part.png").read_bytes() == whole


def test_characters_without_a_glyph_give_one_warning():
    with pytest.warns(UserWarning, match="lacks some characters") as caught:
        plot_roc_panels({"語": {"模型": CURVES["GSMN"], "学習": CURVES["IAMB"]}})
    assert len(caught) == 1


# What cannot be drawn


def test_what_is_no_curve_is_refused():
    one = CURVES["GSMN"]
    with pytest.raises(InputError, match=r"dict from name to RocCurve.*write \{'method': curve\}"):
        plot_roc(one)
    with pytest.raises(InputError, match=r"dict from name to RocCurve, got \{\}"):
        plot_roc({})
    with pytest.raises(InputError, match=r"the curve of 'GSMN' must be a RocCurve, got 0\.9"):
        plot_roc({"GSMN": 0.9})
    with pytest.raises(InputError, match="'GSMN': the ROC curve has a TPR of NaN"):
        plot_roc({"GSMN": RocCurve([1], [0.5], [math.nan])})
    with pytest.raises(InputError, match="the style of 'GSMN' must be a Look, got 'red'"):
        plot_roc({"GSMN": one}, styles={"GSMN": "red"})


def test_panels_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="dict of 1 to 26 panels"):
        plot_roc_panels({})
    with pytest.raises(InputError, match="dict of 1 to 26 panels"):
        plot_roc_panels([CURVES])
    with pytest.raises(InputError, match="dict from name to RocCurve"):
        plot_roc_panels(CURVES)
    for options in ({"ncols": 0}, {"width": 1.0}, {"width": math.inf}, {"width": math.nan}):
        with pytest.raises(InputError, match="do not fit: give at least one column"):
            plot_roc_panels(PANELS, **options)
