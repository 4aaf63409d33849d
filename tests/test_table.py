"""Tables: kinds, declarations, groups, holes, oddities; and nothing given is changed."""

import copy
import dataclasses
import datetime as dt
import math
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn import GLasso
from mrflearn.errors import InputError
from mrflearn.table import FEW_LEVELS, KINDS, Table, as_table

pytestmark = pytest.mark.filterwarnings("error")
patient = settings(deadline=None)  # the first call of a library is slow


def column(values, **options):
    """Return the scaled values of a single column."""
    return as_table(pd.DataFrame({"a": values}), **options).values[0]


def distances(values):
    return np.abs(values[:, None] - values[None, :])


def kind_of(values, **options):
    (found,) = as_table(pd.DataFrame({"a": values}), **options).columns
    return found.kind, found.reason


# Kinds taken from types


N = 24
PLAIN = {
    "x0": [0.25 * i - 1 for i in range(N)],
    "x1": [i * i for i in range(N)],
    "x2": [i % 3 for i in range(N)],
    "x3": [i % 5 == 0 for i in range(N)],
    "x4": ["bca"[i % 3] for i in range(N)],
    "x5": [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(N)],
    "x6": [dt.datetime(2020, 1, 1) + dt.timedelta(hours=i) for i in range(N)],
    "x7": [dt.timedelta(minutes=i) for i in range(N)],
}


def with_holes():
    """Return the plain columns with a different hole in each."""
    return {
        name: [None if row == place else value for row, value in enumerate(values)]
        for place, (name, values) in enumerate(PLAIN.items())
    }


def in_every_library(columns):
    python = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})
    tables = {
        "numpy": np.array(list(zip(*columns.values(), strict=True)), dtype=object),
        "pandas": python.infer_objects(),
        "pandas object": python,
        "pandas nullable": python.convert_dtypes(),
        "pandas arrow": pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame(columns),
        "polars lazy": pl.LazyFrame(columns),
        "pyarrow": pa.table(columns),
    }
    return tables


@pytest.mark.parametrize("library", in_every_library(PLAIN))
def test_the_same_table_is_read_alike_from_every_library(library):
    table = as_table(in_every_library(PLAIN)[library])
    expected = as_table(np.array(list(zip(*PLAIN.values(), strict=True)), dtype=object))
    assert np.array_equal(table.values, expected.values)
    pd.testing.assert_frame_equal(table.describe(), expected.describe())
    assert [c.levels for c in table.columns] == [c.levels for c in expected.columns]
    assert table.describe()["reason"].tolist() == [
        "floating-point numbers",
        "integers with many levels (24)",
        "integers with few levels (3)",
        "boolean values",
        "string values",
        "dates or durations",
        "dates or durations",
        "dates or durations",
    ]


@pytest.mark.parametrize("library", sorted({*in_every_library(PLAIN)} - {"pandas"}))
def test_the_same_holes_are_found_in_every_library(library):
    # Plain pandas turns integers with holes into floats before we see them.
    table = as_table(in_every_library(with_holes())[library], missing="drop")
    rest = {name: values[len(PLAIN) :] for name, values in PLAIN.items()}
    expected = as_table(pd.DataFrame(rest))
    assert np.array_equal(table.values, expected.values)
    assert table.n_dropped == len(PLAIN)
    found, wanted = table.describe(), expected.describe()
    assert (found["missing"] == 1).all()
    pd.testing.assert_frame_equal(found.drop(columns="missing"), wanted.drop(columns="missing"))


def test_labels_are_coded_alike_in_every_library():
    labels = ["z", "a", "z", "m", "a", "z"]
    tables = [
        np.array(labels)[:, None],
        np.array(labels, dtype=object)[:, None],
        pd.DataFrame({"x0": labels}),
        pd.DataFrame({"x0": pd.array(labels, dtype="string")}),
        pd.DataFrame({"x0": pd.Categorical(labels)}),
        pd.DataFrame({"x0": pd.Categorical(labels, categories=["z", "q", "m", "a"])}),
        pl.DataFrame({"x0": labels}),
        pl.DataFrame({"x0": pl.Series(labels, dtype=pl.Categorical)}),
        pa.table({"x0": labels}),
        pa.table({"x0": pa.array(labels).dictionary_encode()}),
    ]
    for X in tables:
        table = as_table(X)
        assert table.kinds == ("nominal",)
        assert table.values.tolist() == [[2, 0, 2, 1, 0, 2]]
        assert table.columns[0].levels == ("a", "m", "z")


def test_ordered_categories_are_ordinal_in_their_order_in_every_library():
    order = ["low", "mid", "high", "never"]
    labels = ["mid", "low", "high", "mid"]
    codes = pa.array([1, 0, 2, 1])
    for X in (
        pd.DataFrame({"x0": pd.Categorical(labels, order, ordered=True)}),
        pl.DataFrame({"x0": pl.Series(labels, dtype=pl.Enum(order))}),
        pa.table({"x0": pa.DictionaryArray.from_arrays(codes, pa.array(order), ordered=True)}),
    ):
        table = as_table(X, scale=None)
        assert table.describe()["reason"].tolist() == ["ordered categories"]
        assert table.kinds == ("ordinal",)
        assert table.values.tolist() == [[1, 0, 2, 1]]
        assert table.columns[0].levels == ("low", "mid", "high")


@pytest.mark.parametrize(
    ("array", "kind", "reason"),
    [
        (np.array([[1.0], [2.0], [1.0], [2.0]]), "continuous", "floating-point numbers"),
        (np.array([[1], [2], [1], [2]], dtype="i1"), "ordinal", "integers with few levels (2)"),
        (np.array([[1], [2], [3], [1]]), "continuous", "integers with many levels (3)"),
        (np.array([[True], [False]]), "nominal", "boolean values"),
        (np.array([["a"], ["b"]]), "nominal", "string values"),
        (np.array([[1], ["b"]], dtype=object), "nominal", "string values"),
        (np.array([["2020"], ["2021"]], dtype="M8[Y]"), "continuous", "dates or durations"),
        (np.array([[1], [2]], dtype="m8[s]"), "continuous", "dates or durations"),
    ],
)
def test_the_kind_of_an_array_follows_from_its_type(array, kind, reason):
    table = as_table(array)
    assert (table.columns[0].kind, table.columns[0].reason) == (kind, reason)
    assert table.names == ("x0",)


@pytest.mark.parametrize("levels", [2, FEW_LEVELS - 1, FEW_LEVELS])
def test_integers_with_few_levels_each_seen_twice_are_ordinal(levels):
    values = np.repeat(np.arange(levels), 2)
    assert kind_of(values) == ("ordinal", f"integers with few levels ({levels})")
    assert kind_of(values[1:]) == ("continuous", f"integers with many levels ({levels})")


def test_integers_with_eleven_levels_are_continuous_however_often_each_is_seen():
    assert FEW_LEVELS == 10
    values = np.repeat(np.arange(11), 100)
    assert kind_of(values) == ("continuous", "integers with many levels (11)")
    assert kind_of(values[:1000])[0] == "ordinal"


def test_levels_count_as_seen_twice_on_average_not_each_of_them():
    assert kind_of([1] * 7 + [2, 3, 4])[0] == "ordinal"
    assert kind_of([1] * 7 + [2, 3, 4, 5, 6])[0] == "ordinal"
    assert kind_of([1] * 6 + [2, 3, 4, 5, 6, 7, 8])[0] == "continuous"


def test_the_integer_rule_looks_at_the_rows_that_are_kept():
    integers = [*range(11), *range(10), 0]
    assert kind_of(integers)[0] == "continuous"
    frame = pd.DataFrame({"a": integers, "b": [None if v == 10 else v / 4 for v in integers]})
    assert as_table(frame, missing="drop").columns[0].reason == "integers with few levels (10)"


def test_integer_levels_are_integers_and_their_distances_count():
    table = as_table(np.array([[1], [1], [2], [20], [20], [2]]), scale=None)
    assert table.kinds == ("ordinal",)
    assert table.columns[0].levels == (1, 2, 20)
    assert table.values.tolist() == [[1, 1, 2, 20, 20, 2]]


# Kinds declared


def test_a_declared_kind_wins_by_name_and_by_position():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1.5, 2.5, 1.5, 3.5], "c": [1, 1, 2, 2]})
    table = as_table(frame, kinds={"a": "nominal", 1: "ordinal", np.int64(2): "continuous"})
    assert table.kinds == ("nominal", "ordinal", "continuous")
    assert table.describe()["reason"].tolist() == ["declared"] * 3


def test_a_column_named_by_a_number_is_found_by_its_name_before_its_position():
    frame = pd.DataFrame({1: [1.5, 2.5], 0: [3.5, 4.5], 7: [1.5, 3.5]})
    table = as_table(frame, kinds={1: "nominal", 2: "ordinal"})
    assert table.names == ("1", "0", "7")
    assert table.kinds == ("nominal", "continuous", "ordinal")
    assert as_table(frame, groups={"g": [7, 1]}).names == ("g", "0")


def test_floats_declared_nominal_are_labels():
    table = as_table(np.array([[2.5], [-1.0], [2.5], [0.0], [-0.0]]), kinds={"x0": "nominal"})
    assert table.columns[0].levels == (-1.0, 0.0, 2.5)
    assert table.values.tolist() == [[2, 0, 2, 1, 1]]


@pytest.mark.parametrize("values", [[10, 9, 10], [True, False, True], ["10", "9", "10"]])
def test_any_column_of_numbers_can_be_of_any_kind(values):
    for kind in KINDS:
        table = as_table(pd.DataFrame({"a": values}), kinds={"a": kind})
        assert table.kinds == (kind,)
        assert len(set(table.values[0])) == 2
    ordinal = as_table(pd.DataFrame({"a": values}), kinds={"a": "ordinal"}, scale=None)
    assert ordinal.values[0, 0] > ordinal.values[0, 1], "9 is less than 10, also as text"


def test_categories_that_are_numbers_are_ordered_as_numbers():
    frame = pd.DataFrame({"a": pd.Categorical(["10", "9", "-1", "9"])})
    table = as_table(frame, kinds={"a": "ordinal"}, scale=None)
    assert table.columns[0].levels == ("-1", "9", "10")
    assert table.values.tolist() == [[2, 1, 0, 1]]
    declared = as_table(frame, kinds={"a": "continuous"}, scale=None)
    assert declared.values.tolist() == [[10, 9, -1, 9]]


@pytest.mark.parametrize("levels", [list, tuple, np.array, pd.Index])
def test_a_list_of_levels_makes_a_column_ordinal_in_that_order(levels):
    frame = pd.DataFrame({"a": ["high", "low", "high", "low"]})
    table = as_table(frame, kinds={"a": levels(["low", "mid", "high"])}, scale=None)
    assert table.kinds == ("ordinal",)
    assert table.values.tolist() == [[2, 0, 2, 0]]
    assert table.columns[0].levels == ("low", "mid", "high")
    assert table.columns[0].reason == "declared with levels"


@pytest.mark.parametrize("dtype", ["int64", "uint8", "Int64", "int8[pyarrow]", object])
@pytest.mark.parametrize("levels", [[3, 2, 1], ["3", "2", "1"], [3.0, 2.0, 1.0]])
def test_levels_of_integers_may_be_given_as_numbers_or_as_text(dtype, levels):
    values = pd.Series([3, 1, 2, 1], dtype=dtype)
    assert column(values, kinds={"a": levels}, scale=None).tolist() == [0, 2, 1, 2]


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (["a", "b"], "ordnal", r"column 'a': unknown kind 'ordnal'; did you mean 'ordinal'\?"),
        (["a", "b"], "Nominal", r"did you mean 'nominal'\?"),
        (["1", "2", "x3"], "continuous", "'a' is declared continuous but holds 'x3' in row 2"),
        (["1", "nan"], "continuous", "holds 'nan' in row 1 .*declare the column nominal"),
        (["1", "inf"], "continuous", "holds 'inf' in row 1"),
        (["1", ""], "continuous", "holds '' in row 1"),
        (pd.Categorical(["u", "v"]), "continuous", "holds 'u' in row 0"),
        (pd.Categorical([1, 10**400]), "continuous", "in row 1"),
        (["x" * 1000, "1"], "continuous", r"holds 'x{38}… in row 0"),
        (["a", "b"], "ordinal", r"'a' is declared ordinal but .*no order \('a', 'b'\): give the"),
        (["1", "2", "many"], "ordinal", r"no order .*kinds=\{'a': \[lowest, …, highest\]\}"),
        (["a", "b"], ["a"], r"'a' holds 'b', which is not one of the declared levels \['a'\]"),
        (["a", "b"], [], r"holds 'a', which is not one of the declared levels \[\]"),
        ([1, 2], [1, 3], r"holds 2, which is not one of the declared levels \[1, 3\]"),
        (["a", "b"], ["a", "b", "a"], "'a': the same level is listed twice"),
        ([1, 2], [1, 2, 1.0], "the same level is listed twice"),
        (["a", "b"], {"a", "b"}, "'a' is .*or a list of its levels, lowest first; got {"),
        (["a", "b"], 3, "or a list of its levels, lowest first; got 3"),
        (["a", "b"], [["a"], ["b"]], "or a list of its levels, lowest first; got"),
    ],
)
def test_a_bad_declaration_names_the_column_and_a_remedy(values, kind, words):
    with pytest.raises(InputError, match=words):
        as_table(pd.DataFrame({"a": values}), kinds={"a": kind})


def test_a_value_that_does_not_fit_is_shown_with_its_row_in_the_table_as_given():
    frame = pd.DataFrame({"a": ["1", None, "2", "?"], "b": [1.5, 2.5, 3.5, 4.5]})
    with pytest.raises(InputError, match=r"holds '\?' in row 3 \(counting from 0\)"):
        as_table(frame, kinds={"a": "continuous"}, missing="drop")


@pytest.mark.parametrize("option", ["kinds", "groups"])
@pytest.mark.parametrize("key", ["temprature", "TEMPERATURE", 5, -1, None, True, 1.0])
def test_an_unknown_column_is_named_with_the_option_and_the_closest_match(option, key):
    frame = pd.DataFrame({"temperature": [0.5, 1.5], "rain": [0.5, 2.5]})
    with pytest.raises(InputError) as caught:
        as_table(frame, **{option: {key: "nominal"} if option == "kinds" else {"g": [key]}})
    assert f"{option}=: unknown column {key!r}" in str(caught.value)
    assert "Known: 'temperature', 'rain'" in str(caught.value)
    assert ("did you mean 'temperature'?" in str(caught.value)) == isinstance(key, str)


@pytest.mark.parametrize("option", ["kinds", "groups"])
@pytest.mark.parametrize("given", [["nominal"], "nominal", 3, [("x0", "nominal")]])
def test_an_option_that_is_no_dict_is_an_error_that_shows_one(option, given):
    with pytest.raises(InputError, match=rf"{option}= wants a dict, such as \{{.*, got"):
        as_table(np.array([[0.5], [1.5]]), **{option: given})


def test_empty_options_are_no_options():
    X = np.array([[0.5], [1.5]])
    assert as_table(X, kinds={}, groups={}).describe().equals(as_table(X).describe())


# Groups


def xyz():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(6, 5)), columns=["x", "w", "y", "z", "v"])


def test_a_group_is_one_variable_at_the_place_of_its_first_column():
    table = as_table(xyz(), groups={"position": ["z", "x", "y"]}, scale=None)
    assert table.names == ("position", "w", "v")
    assert table.n_variables == 3
    assert [c.name for c in table.columns] == ["z", "x", "y", "w", "v"]
    assert table.starts.tolist() == [0, 3, 4, 5]
    assert np.array_equal(table.values, xyz()[["z", "x", "y", "w", "v"]].to_numpy().T)
    assert np.array_equal(table.values_of(0), xyz()[["z", "x", "y"]].to_numpy().T)
    assert [c.name for c in table.columns_of(0)] == ["z", "x", "y"]
    assert [c.name for c in table.columns_of(2)] == ["v"]


def test_groups_come_in_the_order_of_their_columns_not_of_the_dict():
    table = as_table(xyz(), groups={"late": ["v", "z"], "early": ["y", "x"]}, scale=None)
    assert table.names == ("early", "w", "late")
    assert [c.name for c in table.columns] == ["y", "x", "w", "v", "z"]


def test_columns_of_a_group_are_named_or_numbered_in_any_sequence():
    expected = as_table(xyz(), groups={"g": ["x", "z"]})
    for columns in (("x", "z"), [0, 3], ["x", np.int64(3)], range(0, 4, 3)):
        table = as_table(xyz(), groups={"g": columns})
        assert table.names == expected.names
        assert np.array_equal(table.values, expected.values)


def test_a_group_may_have_one_column_all_columns_or_the_name_of_its_own_column():
    assert as_table(xyz(), groups={"g": ["w"]}).names == ("x", "g", "y", "z", "v")
    assert as_table(xyz(), groups={"g": list("xwyzv")}).names == ("g",)
    assert as_table(xyz(), groups={"x": ["x", "w"]}).names == ("x", "y", "z", "v")
    assert as_table(xyz(), groups={"x": ["y", "z"], "y": ["x", "v"]}).names == ("y", "w", "x")


def test_a_group_of_several_kinds_is_mixed_and_every_column_is_described():
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5], "b": ["u", "v", "u"], "c": [1.5, 1.5, 2.5]})
    table = as_table(frame, groups={"g": ["b", "a"]})
    assert table.kinds == ("mixed", "continuous")
    assert table.nominal.tolist() == [True, False, False]
    assert table.describe()["variable"].to_dict() == {"b": "g", "a": "g", "c": "c"}
    assert not table.all_discrete
    assert as_table(frame[["b"]]).all_discrete


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"g": ["x", "q"]}, "groups=: unknown column 'q'"),
        ({"g": ["x", "y"], "h": ["z", "x"]}, "column 'x' is in 'g' and in 'h'; .*one variable"),
        ({"g": ["x", "y", "x"]}, "column 'x' is listed twice in 'g'; list it once"),
        ({"g": ["x", 0]}, "column 'x' is listed twice in 'g'"),
        ({"w": ["x", "y"]}, "'w' is also the name of a column outside .*another name"),
        ({"g": []}, r"'g' must list its columns, such as \{'g': \['x', 'y'\]\}, got \[\]"),
        ({"g": "xyz"}, "'g' must list its columns, .* got 'xyz'"),
        ({"g": "x"}, "'g' must list its columns, .* got 'x'"),
        ({"g": None}, "'g' must list its columns, .* got None"),
        ({"g": {"x", "y"}}, "'g' must list its columns"),
        ({"g": 0}, "'g' must list its columns, .* got 0"),
        ({1: ["x"], "1": ["y"]}, "two groups are named '1'"),
    ],
)
def test_a_bad_group_is_named_with_a_remedy(groups, words):
    with pytest.raises(InputError, match=words):
        as_table(xyz(), groups=groups)


# Options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": "standart"}, r"unknown scale 'standart'; did you mean 'standard'\?"),
        ({"scale": "None"}, r"unknown scale 'None'; did you mean None\? .*'rank', None"),
        ({"scale": True}, "unknown scale True"),
        ({"scale": 2}, "unknown scale 2. Known: 'standard', 'rank', None"),
        ({"missing": "dorp"}, r"unknown missing 'dorp'; did you mean 'drop'\?"),
        ({"missing": None}, "unknown missing None. Known: 'error', 'drop'"),
    ],
)
def test_an_unknown_option_is_named_with_the_known_ones(options, words):
    with pytest.raises(InputError, match=words):
        as_table(xyz(), **options)


# Holes


def test_missing_and_infinite_values_are_an_error_that_names_columns_and_counts():
    frame = pd.DataFrame(
        {
            "a": [1.5, np.nan, np.inf, -np.inf, 2.5, 3.5],
            "fine": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
            "b": ["x", None, "y", "x", "y", None],
            "c": pd.to_datetime(["2020", "2021", "2022", "2023", None, "2024"]),
        }
    )
    with pytest.raises(InputError) as caught:
        as_table(frame)
    message = str(caught.value)
    assert "'a' (1 NaN or missing, 2 infinite (inf))" in message
    assert "'b' (2 NaN or missing)" in message
    assert "'c' (1 NaN or missing)" in message
    assert "fine" not in message
    assert "5 of 6 rows" in message
    assert "missing='drop'" in message


def test_hundreds_of_columns_with_holes_are_not_all_listed():
    with pytest.raises(InputError, match="and 92 more") as caught:
        as_table(np.vstack([np.full((2, 100), np.nan), np.ones((1, 100))]))
    assert len(str(caught.value)) < 600


HOLED = {
    "NaN": pd.DataFrame({"a": [1.5, np.nan, 2.5, 4.5]}),
    "None": pd.DataFrame({"a": ["u", None, "v", "u"]}),
    "NA integer": pd.DataFrame({"a": pd.array([1, None, 2, 4], dtype="Int64")}),
    "NA boolean": pd.DataFrame({"a": pd.array([True, None, False, True], dtype="boolean")}),
    "NA string": pd.DataFrame({"a": pd.array(["u", None, "v", "u"], dtype="string")}),
    "NaT": pd.DataFrame({"a": pd.to_datetime(["2020", None, "2021", "2023"])}),
    "category": pd.DataFrame({"a": pd.Categorical(["u", None, "v", "u"])}),
    "inf": pd.DataFrame({"a": [1.5, np.inf, 2.5, 4.5]}),
    "-inf": np.array([[1.5], [-np.inf], [2.5], [4.5]]),
    "array": np.array([[1.5], [np.nan], [2.5], [4.5]]),
    "masked": np.ma.array([[1.5], [9e9], [2.5], [4.5]], mask=[[0], [1], [0], [0]]),
    "polars float": pl.DataFrame({"a": [1.5, None, 2.5, 4.5]}),
    "polars NaN": pl.DataFrame({"a": [1.5, np.nan, 2.5, 4.5]}),
    "polars integer": pl.DataFrame({"a": [1, None, 2, 4]}),
    "polars boolean": pl.DataFrame({"a": [True, None, False, True]}),
    "polars string": pl.DataFrame({"a": ["u", None, "v", "u"]}),
    "polars enum": pl.DataFrame({"a": pl.Series(["u", None, "v", "u"], dtype=pl.Enum(["u", "v"]))}),
    "pyarrow integer": pa.table({"a": [1, None, 2, 4]}),
    "pyarrow boolean": pa.table({"a": [True, None, False, True]}),
    "pyarrow dictionary": pa.table({"a": pa.array(["u", None, "v", "u"]).dictionary_encode()}),
}


@pytest.mark.parametrize("case", HOLED)
def test_every_kind_of_hole_is_an_error_or_its_row_is_dropped(case):
    X = HOLED[case]
    with pytest.raises(InputError, match=r"(1 NaN or missing|1 infinite \(inf\)).*1 of 4 rows"):
        as_table(X)
    table = as_table(X, missing="drop")
    assert (table.n_samples, table.n_dropped) == (3, 1)
    assert table.columns[0].n_missing == 1
    by_rows = isinstance(X, (np.ndarray, pl.DataFrame))
    again = as_table(X[[0, 2, 3]] if by_rows else X.take([0, 2, 3]))
    assert np.array_equal(table.values, again.values)
    assert table.kinds == again.kinds


def test_dropping_takes_the_whole_row_and_only_those_rows():
    frame = pd.DataFrame(
        {"a": [0.5, np.nan, 2.5, 3.5, 4.5], "b": ["p", "q", "r", None, "p"]}, index=list("vwxyz")
    )
    table = as_table(frame, missing="drop", scale=None)
    assert table.values.tolist() == [[0.5, 2.5, 4.5], [0, 1, 0]]
    assert table.n_dropped == 2
    assert table.describe()["missing"].tolist() == [1, 1]


def test_dropping_where_nothing_is_missing_changes_nothing():
    one, other = as_table(xyz()), as_table(xyz(), missing="drop")
    assert np.array_equal(one.values, other.values)
    assert other.n_dropped == 0


def test_a_level_that_vanishes_with_the_dropped_rows_is_no_level():
    frame = pd.DataFrame(
        {
            "s": ["gone", "b", "a", "b"],
            "o": pd.Categorical(["gone", "v", "u", "v"], ["u", "gone", "v"], ordered=True),
            "i": [7, 1, 2, 1],
            "f": [np.nan, 1.5, 2.5, 3.5],
        }
    )
    table = as_table(frame, missing="drop", scale=None, kinds={"i": "ordinal"})
    assert [c.levels for c in table.columns] == [("a", "b"), ("u", "v"), (1, 2), None]
    assert table.describe()["levels"].tolist() == [2, 2, 2, 3]
    assert table.values[:3].tolist() == [[1, 0, 1], [1, 0, 1], [1, 2, 1]]


def test_a_column_that_becomes_constant_through_dropping_is_constant():
    frame = pd.DataFrame({"a": ["u", "v", "u"], "b": [1.5, np.nan, 2.5]})
    with pytest.warns(UserWarning, match="constant column 'a'"):
        table = as_table(frame, missing="drop")
    assert table.constant.tolist() == [True, False]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"a": [None, 2.5], "b": [1.5, None]}, "leaves 0 of 2 rows; column 'a' has 1 missing"),
        (
            {"a": [1.5, 2.5, 3.5], "b": [np.nan, 1.5, np.inf]},
            "leaves 1 of 3 rows; column 'b' has 2",
        ),
    ],
)
def test_dropping_nearly_all_rows_is_an_error_that_names_the_worst_column(frame, words):
    with pytest.raises(InputError, match=words + ".*drop that column first"):
        as_table(pd.DataFrame(frame), missing="drop")


# Oddities


def test_constant_columns_are_warned_of_marked_and_zero():
    frame = pd.DataFrame(
        {
            "third": [1 / 3] * 10,
            "fine": np.arange(10) / 4,
            "text": ["u"] * 10,
            "seven": [7] * 10,
            "big": [1e300] * 10,
            "day": [dt.date(2020, 1, 1)] * 10,
        }
    )
    words = "constant columns 'third', 'text', 'seven', 'big', 'day': .* isolated node"
    with pytest.warns(UserWarning, match=words) as caught:
        table = as_table(frame)
    (warning,) = caught
    assert warning.filename == __file__, "the warning points at the line of the user"
    assert table.constant.tolist() == [True, False, True, True, True, True]
    assert not table.values[table.constant].any()
    described = table.describe()
    assert described["constant"].tolist() == table.constant.tolist()
    assert described["note"].tolist() == [
        "constant: an isolated node" if c else "" for c in table.constant
    ]


@pytest.mark.parametrize("scale", ["standard", "rank", None])
def test_rows_do_not_differ_in_a_constant_column(scale):
    with pytest.warns(UserWarning, match="constant column 'a'"):
        scaled = column([0.1] * 7, scale=scale)
    assert np.ptp(scaled) == 0
    assert np.isfinite(scaled).all()


def test_a_variable_is_constant_only_if_all_its_columns_are():
    frame = pd.DataFrame({"a": [1.5] * 3, "b": [1.5, 2.5, 3.5], "c": [2.5] * 3})
    with pytest.warns(UserWarning, match="constant columns 'a', 'c'"):
        table = as_table(frame, groups={"g": ["a", "b"]})
    assert table.constant.tolist() == [False, True]


def test_an_identifier_is_warned_of_and_a_declaration_silences_the_warning():
    frame = pd.DataFrame({"id": [f"patient {i}" for i in range(11)]})
    with pytest.warns(UserWarning, match="'id' is taken as nominal.*every row differs") as caught:
        table = as_table(frame)
    assert caught[0].filename == __file__
    assert table.describe()["note"].tolist() == ["every row differs: an identifier?"]
    assert as_table(frame, kinds={"id": "nominal"}).describe()["note"].tolist() == [""]


@pytest.mark.parametrize(
    ("labels", "remedy"),
    [
        ([f"id{i}" for i in range(1200)], "declare kinds={'id': 'nominal'} to keep it"),
        (
            [f"id{i // 3 * 2}" for i in range(1800)] + [f"new{i}" for i in range(1500)],
            "leave it out",
        ),
        ([f"{i}.5" for i in range(1200)], "declare kinds={'id': 'continuous'} if they are numbers"),
    ],
)
@pytest.mark.parametrize("read", [as_table, lambda frame: GLasso().fit(frame)])
def test_very_many_labels_are_refused_unless_declared(read, labels, remedy):
    frame = pd.DataFrame({"id": labels, "x": np.linspace(0, 1, len(labels))})
    with pytest.raises(InputError, match=re.escape(remedy)) as refused:
        read(frame)
    assert f"'id' has {len(set(labels))} labels in {len(labels)} rows" in str(refused.value)
    assert as_table(frame, kinds={"id": "nominal"}).kinds == ("nominal", "continuous")


def test_many_labels_of_several_rows_each_are_not_refused():
    frame = pd.DataFrame({"city": [f"city {i % 1100}" for i in range(2200)]})
    with pytest.warns(UserWarning, match="merge rare ones"):
        as_table(frame)


def test_ten_rows_that_all_differ_are_no_identifier_yet():
    assert as_table(pd.DataFrame({"a": list("abcdefghij")})).describe()["note"].tolist() == [""]


def test_many_levels_for_few_rows_are_warned_of():
    frame = pd.DataFrame({"a": [f"v{i % 11}" for i in range(54)]})
    with pytest.warns(UserWarning, match="many levels for so few rows: merge rare ones"):
        as_table(frame)
    as_table(pd.DataFrame({"a": [f"v{i % 11}" for i in range(55)]}))


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({3: "1O.5"}, r"numbers but for '1O\.5' \(row 3, counting from 0\): a typing mistake"),
        ({0: "?"}, r"numbers but for '\?' \(row 0"),
        ({7: "n/a", 9: "12,5"}, r"numbers but for 'n/a' \(row 7, counting from 0\) and 1 more"),
    ],
)
def test_a_text_column_that_is_almost_numbers_is_warned_of(odd, words):
    frame = pd.DataFrame({"a": [odd.get(i, f"{i}.5") for i in range(10)]})
    with pytest.warns(UserWarning, match=rf"column 'a' .*{words}.*kinds=\{{'a': …\}}"):
        table = as_table(frame)
    assert table.kinds == ("nominal",)
    assert "numbers but for" in table.describe()["note"].iloc[0]


def test_a_text_column_with_a_few_numbers_is_not_warned_of():
    as_table(pd.DataFrame({"a": ["1", "2", "x", "y", "1", "z"]}))


def test_misfits_are_counted_by_row_of_the_table_as_given():
    frame = pd.DataFrame({"a": ["1", None, "2", "3", "4", "five"]})
    with pytest.warns(UserWarning, match=r"'five' \(row 5, counting from 0\)"):
        as_table(frame, missing="drop")


def test_floats_with_few_levels_get_a_note_but_no_warning():
    table = as_table(np.repeat([0.5, 1.5], 6)[:, None])
    assert table.describe()["note"].tolist() == [
        "only 2 distinct values: declare it ordinal or nominal?"
    ]


# What is given stays as it is


GIVEN = {
    "float array": np.random.default_rng(0).normal(size=(12, 3)),
    "column-major array": np.asfortranarray(np.random.default_rng(0).normal(size=(12, 3))),
    "integer array": np.arange(36).reshape(12, 3),
    "object array": np.array([[1, "a", 2.5], [3, None, 4.5], [5, "b", 6.5]], dtype=object),
    "list": [[1.5, 2], [3, 4.5], [5, 6]],
    "masked array": np.ma.array([[1.5], [2.5], [3.5]], mask=[[0], [1], [0]]),
    "pandas": pd.DataFrame(
        {
            1: [1.5, np.nan, 3.5, 2.5],
            "i": pd.array([1, None, 2, 3], dtype="Int64"),
            "c": pd.Categorical(["u", "v", None, "w"]),
            "d": pd.to_datetime(["2020", "2021", None, "2022"]),
            "f": [0.1, 0.2, 0.4, 0.8],
        },
        index=list("pqrs"),
    ).loc[["s", "p", "q", "r", "p"]],
    "polars": pl.DataFrame({"a": [1.5, None, 3.5, 2.5], "b": ["u", "v", None, "v"]}),
    "pyarrow": pa.table({"a": [1.5, None, 3.5, 2.5], "b": ["u", "v", None, "v"]}),
}


def assert_same(one, other):
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
    elif isinstance(one, np.ma.MaskedArray):
        assert np.array_equal(one.data, other.data)
        assert np.array_equal(one.mask, other.mask)
    elif isinstance(one, np.ndarray):
        assert one.flags.writeable == other.flags.writeable
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    else:
        assert one.equals(other) if hasattr(one, "equals") else one == other


@pytest.mark.parametrize("scale", ["standard", "rank", None])
@pytest.mark.parametrize("case", GIVEN)
def test_the_table_given_is_never_changed_nor_shared(case, scale):
    X = GIVEN[case]
    before = copy.deepcopy(X)
    table = as_table(X, scale=scale, missing="drop")
    assert_same(X, before)
    if isinstance(X, np.ndarray):
        assert not np.shares_memory(table.values, np.asarray(X))


def test_a_later_change_of_the_array_does_not_reach_the_table():
    X = np.random.default_rng(0).normal(size=(12, 1))
    table = as_table(X, scale=None)
    before = table.values.copy()
    X[:] = 0
    assert np.array_equal(table.values, before)


def test_a_read_only_array_is_accepted():
    X = np.random.default_rng(0).normal(size=(12, 2))
    X.flags.writeable = False
    assert as_table(X).n_samples == 12


def test_options_are_never_changed():
    kinds, groups = {"x": ["1", "2"]}, {"g": ["x", "y"]}
    before = copy.deepcopy((kinds, groups))
    as_table(pd.DataFrame({"x": ["1", "2"], "y": [0.5, 1.5]}), kinds=kinds, groups=groups)
    assert (kinds, groups) == before


def test_a_table_cannot_be_changed():
    table = as_table(xyz())
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        table.values_of(0)[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        table.starts[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.names = ()
    assert table.values.flags.c_contiguous
    assert table.values.dtype == np.float64


# Asking a table


def test_a_variable_is_found_by_name_and_by_position():
    table = as_table(xyz(), groups={"g": ["x", "y"]})
    assert [table.index(name) for name in ("g", "w", "z", "v")] == [0, 1, 2, 3]
    assert [table.index(i) for i in (0, 3, np.int32(2), -1, -4)] == [0, 3, 2, 3, 0]
    assert all(type(table.index(i)) is int for i in ("w", 1, np.int64(1)))


def test_a_variable_named_by_a_number_is_found_by_its_name_first_as_in_kinds():
    table = as_table(pd.DataFrame({1: [1.5, 2.5], 0: [2.5, 3.5], 7: [0.5, 1.5]}))
    assert table.index(1) == table.index("1") == 0
    assert table.index(0) == 1
    assert table.index(7) == 2
    assert table.index(2) == 2


@pytest.mark.parametrize("variable", [5, -6, np.int64(100)])
def test_a_position_out_of_range_is_an_error_that_says_how_many_there_are(variable):
    with pytest.raises(InputError, match=rf"variable {variable} is out of range.*5 variables"):
        as_table(xyz()).index(variable)


@pytest.mark.parametrize("variable", ["X", "xx", True, None, 1.0, ("x",)])
def test_an_unknown_variable_is_an_error_that_lists_the_known(variable):
    with pytest.raises(InputError, match=r"unknown variable .*Known: 'x', 'w', 'y', 'z', 'v'"):
        as_table(xyz()).index(variable)


def test_a_column_inside_a_group_is_no_variable():
    with pytest.raises(InputError, match="unknown variable 'y'"):
        as_table(xyz(), groups={"g": ["x", "y"]}).index("y")


def test_describe_has_one_row_for_each_column_in_the_order_of_the_table():
    frame = pd.DataFrame(
        {
            "a": [0.5, 1.5, None, 2.5],
            "b": ["u", "v", "v", "u"],
            "c": [1, 1, 2, 2],
        }
    )
    described = as_table(frame, groups={"g": ["c", "a"]}, missing="drop").describe()
    assert described.index.tolist() == ["c", "a", "b"]
    assert described.index.name == "column"
    assert described.columns.tolist() == [
        *("variable", "kind", "levels", "missing", "constant", "reason", "note"),
    ]
    assert described["variable"].tolist() == ["g", "g", "b"]
    assert described["kind"].tolist() == ["continuous", "continuous", "nominal"]
    assert described["levels"].tolist() == [2, 3, 2]
    assert described["missing"].tolist() == [0, 1, 0]
    assert described["constant"].tolist() == [False, False, False]


def test_describe_returns_a_frame_of_its_own():
    table = as_table(xyz())
    described = table.describe()
    described.loc[:, "kind"] = "spoiled"
    assert set(table.describe()["kind"]) == {"continuous"}


def test_hostile_column_names_go_through_everything():
    names = ["", " ", "a\nb", "<b>", "{0}", "%s", "模型", "kinds", "x" * 500]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(4, len(names))), columns=names)
    table = as_table(frame, kinds=dict.fromkeys(names, "nominal"), groups={"{g}": names[:2]})
    assert table.names == ("{g}", *names[2:])
    assert table.describe().index.tolist() == names
    assert [table.index(name) for name in table.names] == list(range(table.n_variables))


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.times(),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.tuples(st.integers()),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
)


@given(st.data(), st.sampled_from(["standard", "rank", None]), st.sampled_from([None, *KINDS]))
@settings(patient, max_examples=300)
def test_any_column_of_anything_is_a_table_or_an_input_error(data, scale, kind):
    one_type = data.draw(st.sampled_from(cells.element_strategies))
    values = data.draw(st.lists(data.draw(st.sampled_from([one_type, cells])), max_size=8))
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = np.fromiter(values, dtype=object, count=len(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            table = as_table(array, {0: kind} if kind else None, scale=scale, missing="drop")
        except InputError:
            return
        raw = as_table(array, {0: kind} if kind else None, scale=None, missing="drop").values[0]
    assert isinstance(table, Table)
    assert np.isfinite(table.values).all()
    assert table.n_samples + table.n_dropped == len(values)
    distinct, given = len(set(table.values[0])), table.columns[0].n_distinct
    sizes = np.abs(raw[raw != 0])
    if scale == "standard" and len(sizes) and sizes.min() < 1e-300 * sizes.max():
        assert 1 < distinct <= given  # what is 300 orders smaller than the rest becomes 0
    else:
        assert distinct == given
    assert math.isclose(np.ptp(table.values), 0) == table.constant[0]


def test_numbers_stored_as_text_are_pointed_out_unless_they_are_few_levels():
    values = [f"{value}" for value in range(30)]
    with pytest.warns(UserWarning, match="'x' is taken as nominal, but look: numbers stored as"):
        table = as_table(pd.DataFrame({"x": values, "y": range(30)}))
    assert table.describe().loc["x", "note"] == "numbers stored as text: continuous?"
    codes = [f"{value % 3}" for value in range(30)]
    assert as_table(pd.DataFrame({"x": codes, "y": range(30)})).describe().loc["x", "note"] == ""


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_a_column_without_any_value_is_named(missing):
    frame = pd.DataFrame({"a": [1.5, 2.5], "empty": [None, None]})
    with pytest.raises(InputError, match="column 'empty' holds no value at all: leave it out"):
        as_table(frame, missing=missing)


def test_whole_numbers_that_count_the_rows_get_a_note():
    table = as_table(pd.DataFrame({"id": range(1, 31), "y": np.linspace(0, 1, 30) ** 2}))
    assert "an identifier?" in table.describe().loc["id", "note"]


def test_one_missing_cell_does_not_change_the_kind_of_whole_numbers():
    whole = pd.DataFrame({"smoker": [0, 1] * 10, "grade": [1, 2, 3, 4] * 5, "x": range(20)})
    holed = whole.astype(float)
    holed.loc[3, :] = np.nan
    complete = as_table(whole.drop(index=3))
    for frame in (holed, pl.from_pandas(holed), holed.astype("Int64"), holed.to_numpy()):
        table = as_table(frame, missing="drop")
        assert table.kinds == complete.kinds == ("ordinal", "ordinal", "continuous")
        np.testing.assert_array_equal(table.values, complete.values)
    assert as_table(whole.astype(float)).kinds == ("continuous",) * 3  # floats by choice
    halves = holed.assign(grade=holed["grade"] / 2)
    assert as_table(halves, missing="drop").kinds[1] == "continuous"
