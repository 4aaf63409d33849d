"""Tables: missing and infinite values are named, or their rows dropped."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mrflearn.errors import InputError
from mrflearn.table import as_table

from .small_tables import xyz

pytestmark = pytest.mark.filterwarnings("error")


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


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_a_column_without_any_value_is_named(missing):
    frame = pd.DataFrame({"a": [1.5, 2.5], "empty": [None, None]})
    with pytest.raises(InputError, match="column 'empty' holds no value at all: leave it out"):
        as_table(frame, missing=missing)


def test_one_missing_cell_does_not_change_the_kind_of_whole_numbers():
    whole = pd.DataFrame(
        {"smoker": [0, 1] * 10, "grade": [1, 2, 3, 4] * 5, "x": np.arange(20) ** 2}
    )
    holed = whole.astype(float)
    holed.loc[3, :] = np.nan
    complete = as_table(whole.drop(index=3))
    for frame in (holed, pl.from_pandas(holed), holed.astype("Int64"), holed.to_numpy()):
        table = as_table(frame, missing="drop")
        assert table.kinds == complete.kinds == ("ordinal", "ordinal", "continuous")
        np.testing.assert_array_equal(table.values, complete.values)
    assert as_table(whole.astype(float)).kinds == complete.kinds  # nor do floats without one
    halves = holed.assign(grade=holed["grade"] / 2)
    assert as_table(halves, missing="drop").kinds[1] == "continuous"
