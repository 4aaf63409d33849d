"""Columns of text that stands for something else: numbers, dates."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from mrflearn._columns import read_columns
from mrflearn.errors import InputError


def column_of(values):
    (column,) = read_columns(np.array(values, dtype=object)[:, None])
    return column


@pytest.mark.parametrize("holder", [list, tuple])
def test_columns_of_lists_keep_their_types(holder):
    rows = [[1, "a", 0.5, True, "7"], [2, "b", float("nan"), False, "8"], [1, "a", 2, True, "9"]]
    columns = read_columns(holder(holder(row) for row in rows))
    assert [c.type for c in columns] == ["integer", "string", "float", "boolean", "string"]
    assert columns[0].values.tolist() == [1, 2, 1]
    assert columns[1].values.tolist() == ["a", "b", "a"]
    assert columns[2].missing.tolist() == [False, True, False]
    assert columns[4].values.tolist() == ["7", "8", "9"]


def test_arrays_of_text_are_text():
    assert read_columns(np.array([["1"], ["2"]]))[0].type == "string"


@pytest.mark.parametrize(
    ("labels", "same"),
    [
        (["2020-01-01", "1970-01-02"], [dt.date(2020, 1, 1), dt.date(1970, 1, 2)]),
        (
            ["2020-01-01 12:30", " 1969-12-31T23:59:59.5"],
            [dt.datetime(2020, 1, 1, 12, 30), dt.datetime(1969, 12, 31, 23, 59, 59, 500_000)],
        ),
        (
            ["2020-01-01T01:00+01:00", "2020-01-01T00:00Z"],
            [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1)],
        ),
    ],
)
def test_dates_as_text_are_the_numbers_that_dates_are(labels, same):
    everything = np.ones(2, dtype=bool)
    expected = column_of(same).numbers(everything)
    assert column_of(labels).numbers(everything).tolist() == expected.tolist()
    (categories,) = read_columns(pd.DataFrame({"a": pd.Categorical(labels)}))
    assert categories.numbers(everything).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (["2020-01-01", "2020-04-31", "2020-01-02"], "holds '2020-04-31' in row 1 .*: correct the"),
        (["2020-01-01", "5", "6"], "holds '2020-01-01' in row 0 .*: correct the value, or"),
        (["2020-01-01", "31.12.2020", "2020-01-02"], "row 1 .*: write dates as 2020-12-31, or dec"),
        (["12/31/2020", "1/2/2021"], "holds '12/31/2020' in row 0 .*: write dates as 2020-12-31"),
        (["20200101", "2020-W01-1"], "holds '2020-W01-1' in row 1"),
        (["0001-01-01T00:00+01:00", "2020-01-01"], "holds '0001-01-01T00:00.* in row 0"),
    ],
)
def test_the_value_that_is_no_date_is_named(labels, says):
    with pytest.raises(InputError, match=says):
        column_of(labels).numbers(np.ones(len(labels), dtype=bool))
