"""Tables: options, what can be asked of them; and nothing given is changed."""

import copy
import dataclasses
import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.table import KINDS, Table, as_table

from .small_tables import xyz

pytestmark = pytest.mark.filterwarnings("error")
patient = settings(deadline=None)  # the first call of a library is slow


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


# Anything at all


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
