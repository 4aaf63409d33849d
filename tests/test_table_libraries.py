"""Tables: the same table is the same in NumPy, pandas, polars and pyarrow."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mrflearn.table import as_table

pytestmark = pytest.mark.filterwarnings("error")


N = 24
PLAIN = {
    "x0": [0.25 * i - 1 for i in range(N)],
    "x1": [i * i for i in range(N)],
    "x2": [i % 3 for i in range(N)],
    "x3": [i % 5 == 0 for i in range(N)],
    "x4": ["bca"[i % 3] for i in range(N)],
    "x5": [dt.date(2020, 1, 1) + dt.timedelta(days=i**3) for i in range(N)],
    "x6": [dt.datetime(2020, 1, 1) + dt.timedelta(hours=i * (i + 1)) for i in range(N)],
    "x7": [dt.timedelta(minutes=7 * i % N) for i in range(N)],
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
