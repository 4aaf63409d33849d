"""Columns of every kind of table: types, values and holes, whichever library holds them."""

import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from mrflearn._columns import read_columns
from mrflearn.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")

NEW_KINDS = [np.dtypes.StringDType()] if hasattr(np.dtypes, "StringDType") else []
"""Those of NumPy 2."""

DAY = 86_400.0


def only(X):
    (column,) = read_columns(X)
    return column


def objects(values):
    """Return one column of Python objects, as a plain array."""
    array = np.empty((len(values), 1), dtype=object)
    for row, value in enumerate(values):
        array[row, 0] = value
    return array


def _nullable(frame):
    with warnings.catch_warnings():  # pandas 3.0 tries whether large numbers are whole
        warnings.simplefilter("ignore", RuntimeWarning)
        return frame.convert_dtypes()


def holders(values):
    """Return one column in every library that can hold it, by name of the library."""
    arrow = pa.array(values)
    python = pd.DataFrame({"x0": pd.Series(values, dtype=object)})
    return {
        "numpy": objects(values),
        "pandas object": python,
        "pandas nullable": _nullable(python),
        "pandas arrow": pd.DataFrame({"x0": pd.array(arrow, dtype=pd.ArrowDtype(arrow.type))}),
        "polars": pl.DataFrame({"x0": values}),
        "polars lazy": pl.LazyFrame({"x0": values}),
        "pyarrow": pa.table({"x0": arrow}),
        "pyarrow chunks": pa.table({"x0": pa.chunked_array([arrow[:1], arrow[1:]])}),
    }


SAME = {
    "float": [1.5, -2.25, 1e300, 0.1],
    "integer": [3, -1, 2**52 + 1, 0],
    "boolean": [True, False, False, True],
    "string": ["b", "a", "Ünï", ""],
    "date": [dt.date(2020, 2, 29), dt.date(1969, 12, 31), dt.date(1, 1, 1)],
    "datetime": [
        dt.datetime(2020, 1, 1, 12, 30, 0, 123456),
        dt.datetime(1969, 12, 31),
        dt.datetime(2000, 1, 1),
    ],
    "aware": [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 7, 1, tzinfo=dt.UTC)],
    "duration": [dt.timedelta(days=1), dt.timedelta(microseconds=-1), dt.timedelta(hours=5)],
    "time": [dt.time(0), dt.time(23, 59, 59, 999999), dt.time(12, 30)],
    "decimal": [Decimal("1.50"), Decimal("-0.25"), Decimal("100.00"), Decimal("0.10")],
}
TYPES = dict.fromkeys(["date", "datetime", "aware", "duration"], "time") | {"decimal": "float"}


@pytest.mark.parametrize("hole", [False, True])
@pytest.mark.parametrize("library", holders([1]))
@pytest.mark.parametrize("kind", SAME)
def test_every_library_gives_the_same_type_values_and_holes(kind, library, hole):
    values = [*SAME[kind], None] if hole else SAME[kind]
    expected = only(objects(SAME[kind]))
    found = only(holders(values)[library])
    present = slice(0, len(SAME[kind]))
    assert found.name == "x0"
    assert found.type == expected.type == TYPES.get(kind, kind)
    assert found.values[present].tolist() == expected.values.tolist()
    assert found.missing.tolist() == [value is None for value in values]
    assert not found.infinite.any()


def test_the_values_read_are_the_numbers_meant():
    assert only(objects(SAME["float"])).values.tolist() == SAME["float"]
    assert only(objects(SAME["integer"])).values.tolist() == SAME["integer"]
    assert only(objects(SAME["decimal"])).values.tolist() == [1.5, -0.25, 100.0, 0.1]
    assert only(objects(SAME["time"])).values.tolist() == [0, 86399.999999, 45000]
    assert only(objects(SAME["duration"])).values.tolist() == [DAY, -1e-6, 18000]
    assert only(objects(SAME["date"])).values[:2].tolist() == [18321 * DAY, -DAY]
    assert only(objects(SAME["datetime"])).values[1:].tolist() == [-DAY, 10957 * DAY]


CATEGORIES = {
    "pandas": lambda labels, ordered: pd.DataFrame(
        {"x0": pd.Categorical(labels, categories=["c", "a", "b", "unused"], ordered=ordered)}
    ),
    "polars": lambda labels, ordered: pl.DataFrame(
        {
            "x0": pl.Series(
                labels,
                dtype=pl.Enum(["c", "a", "b", "unused"]) if ordered else pl.Categorical,
            )
        }
    ),
    "pyarrow": lambda labels, ordered: pa.table(
        {
            "x0": pa.DictionaryArray.from_arrays(
                pa.array([None if label is None else "cab".index(label) for label in labels]),
                pa.array(["c", "a", "b", "unused"]),
                ordered=ordered,
            )
        }
    ),
}


@pytest.mark.parametrize("library", CATEGORIES)
def test_ordered_categories_keep_their_order_and_lose_levels_no_row_has(library):
    column = only(CATEGORIES[library](["b", "c", None, "b"], True))
    assert column.type == "ordered"
    assert column.missing.tolist() == [False, False, True, False]
    keep = ~column.missing
    assert column.levels(keep) == column.ordered_levels(keep) == ["c", "b"]
    assert column.codes(keep, ["c", "b"]).tolist() == [1, 0, 1]


@pytest.mark.parametrize("library", CATEGORIES)
def test_categories_without_an_order_are_sorted_as_strings_are(library):
    column = only(CATEGORIES[library](["b", "c", None, "a"], False))
    assert column.type == "category"
    assert column.missing.tolist() == [False, False, True, False]
    assert column.levels(~column.missing) == ["a", "b", "c"]


def test_codes_of_polars_categories_do_not_depend_on_what_was_read_before():
    earlier = pl.DataFrame({"x0": pl.Series(["zz1", "zz3", "zz2"], dtype=pl.Categorical)})
    later = pl.DataFrame({"x0": pl.Series(["zz2", "zz1", "zz3"], dtype=pl.Categorical)})
    for frame in (later, earlier):
        assert only(frame).levels(np.ones(3, dtype=bool)) == ["zz1", "zz2", "zz3"]


@pytest.mark.parametrize(
    ("categories", "expected"),
    [
        ([3, 1, 2], [1, 2, 3]),
        ([2.5, -1.5], [-1.5, 2.5]),
        ([(2, 1), (1, 2)], [(1, 2), (2, 1)]),
        ([True, False], [False, True]),
        (["b", 1, "a"], [1, "a", "b"]),
        ([1, "1"], [1, "1"]),
        ([dt.date(2021, 1, 1), dt.date(2020, 1, 1)], [dt.date(2020, 1, 1), dt.date(2021, 1, 1)]),
        ([10**400, 1], [1, 10**400]),
    ],
)
def test_categories_may_be_of_any_type_that_pandas_allows(categories, expected):
    labels = categories * 2
    kind = object if 10**400 in categories else None  # which pandas 3.0 cannot guess
    column = only(pd.DataFrame({"a": pd.Categorical(pd.Series(labels, dtype=kind))}))
    keep = np.ones(len(labels), dtype=bool)
    assert column.type == "category"
    assert column.levels(keep) == expected
    codes = column.codes(keep, expected)
    assert [expected[int(code)] for code in codes] == labels


@pytest.mark.parametrize(
    ("array", "kind", "values"),
    [
        (np.array([[1.5], [2.5]], dtype="f2"), "float", [1.5, 2.5]),
        (np.array([[1.5], [2.5]], dtype="f4"), "float", [1.5, 2.5]),
        (np.array([[1.5], [2.5]], dtype=np.longdouble), "float", [1.5, 2.5]),
        (np.array([[1.5], [2.5]], dtype=">f8"), "float", [1.5, 2.5]),
        (np.array([[255], [1]], dtype="u1"), "integer", [255, 1]),
        (np.array([[2**64 - 1], [1]], dtype="u8"), "integer", [2**64 - 1, 1]),
        (np.array([[-3], [1]], dtype=">i2"), "integer", [-3, 1]),
        (np.array([[True], [False]]), "boolean", [True, False]),
        (np.array([["b"], ["a"]]), "string", ["b", "a"]),
        (np.array([[b"b"], [b"\xff"]]), "string", ["b", "\\xff"]),
        *((np.array([["b"], ["a"]], dtype=kind), "string", ["b", "a"]) for kind in NEW_KINDS),
        (np.array([["2020-01-02"], ["1970-01-01"]], dtype="M8[D]"), "time", [18263 * DAY, 0]),
        (np.array([["2020-01"], ["1970-01"]], dtype="M8[M]"), "time", [18262 * DAY, 0]),
        (np.array([[1500], [1]], dtype="m8[ms]"), "time", [1.5, 0.001]),
        (np.array([[1500], [1]], dtype="m8[ns]"), "time", [1e-6, 0]),
        ([[1, 2.5], [3, 4]], "whole", [1, 3]),
        (((1, 2), (3, 4)), "integer", [1, 3]),
        (np.array([[-0.0], [2.0**53 - 1]]), "whole", [0, 2**53 - 1]),
        (np.array([[1.0], [2.0**53]]), "float", [1, 2.0**53]),
        (np.array([[1e300], [2e300]]), "float", [1e300, 2e300]),
        ([[2.5, 1], [4, 3]], "float", [2.5, 4]),
        (np.matrix([[1.5, 0], [2.5, 0]]), "float", [1.5, 2.5]),
    ],
)
def test_arrays_of_every_type_are_read_column_by_column(array, kind, values):
    column = read_columns(array)[0]
    assert column.name == "x0"
    assert column.type == kind
    assert column.values.tolist() == values
    assert not (column.missing | column.infinite).any()


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, "a", 2.5, True], "string", ["1", "a", "2.5", "True"]),
        ([1, 2.5, Fraction(1, 4), Decimal("0.1")], "float", [1, 2.5, 0.25, 0.1]),
        ([1, np.int8(2), np.uint64(3)], "integer", [1, 2, 3]),
        ([1, True], "string", ["1", "True"]),
        ([True, np.bool_(False)], "boolean", [True, False]),
        ([(1, 2), "a"], "string", ["(1, 2)", "a"]),
        ([b"a", "b"], "string", ["a", "b"]),
        ([dt.date(1970, 1, 2), dt.datetime(1970, 1, 1, 12)], "time", [DAY, DAY / 2]),
        ([np.datetime64("1970-01-02"), pd.Timestamp(0)], "time", [DAY, 0]),
        ([np.timedelta64(1, "D"), pd.Timedelta(hours=1)], "time", [DAY, 3600]),
        ([dt.timedelta(1), dt.time(1)], "time", [DAY, 3600]),
        (
            [dt.datetime(1970, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2))), pd.Timestamp(0)],
            "time",
            [DAY - 7200, 0],
        ),
        ([dt.date(1970, 1, 2), "yesterday"], "string", ["1970-01-02", "yesterday"]),
        ([dt.date(1970, 1, 2), dt.timedelta(1)], "string", ["1970-01-02", "1 day, 0:00:00"]),
        ([2**63, 1], "float", [2.0**63, 1]),
        ([-(2**63) + 1, 1], "integer", [-(2**63) + 1, 1]),
    ],
)
def test_python_objects_are_what_all_of_them_are(values, kind, expected):
    for table in (objects(values), pd.DataFrame({"a": pd.Series(values, dtype=object)})):
        column = only(table)
        assert column.type == kind
        assert column.values.tolist() == expected


UNITS = {"Y": 31556952, "M": 2629746, "W": 7 * DAY, "D": DAY, "h": 3600, "m": 60, "s": 1}
FINE = {"ms": 3, "us": 6, "ns": 9, "ps": 12}


@pytest.mark.parametrize("unit", [*UNITS, *FINE])
def test_times_of_every_unit_are_seconds(unit):
    values = np.array([0, 3, -2, "NaT"], dtype=f"m8[{unit}]")
    if unit in FINE:  # in whole microseconds, towards those before
        shift = 10 ** max(FINE[unit] - 6, 0)
        expected = [0.0, 3 // shift * 10.0 ** -min(FINE[unit], 6)]
    else:
        expected = [0.0, 3.0 * UNITS[unit]]
    column = only(values[:, None])
    assert column.missing.tolist() == [False, False, False, True]
    assert column.values[:2].tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["M", "m"])
@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms"])
def test_times_far_away_stay_in_their_order(kind, unit):
    """A microsecond has no number for them: they once became other moments, or an error."""
    counts = np.array([2**61, -(2**60), 5], dtype=np.int64)
    values = counts.view(f"{kind}8[{unit}]")
    expected = counts.astype(float) * UNITS.get(unit, 1e-3)
    assert only(values[:, None]).values.tolist() == pytest.approx(expected.tolist())
    assert only(objects(list(values))).values.tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize(
    "hole",
    [
        *(None, np.nan, float("nan"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN")),
        *(pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "values", [["a", "b"], [1, 2], [1.5, 2.5], [True, False], [dt.date(2020, 1, 1)] * 2], ids=repr
)
def test_every_kind_of_nothing_is_a_hole_among_every_kind_of_value(values, hole):
    column = only(objects([values[0], hole, values[1]]))
    assert column.missing.tolist() == [False, True, False]
    assert column.type == only(objects(values)).type
    assert column.values[[0, 2]].tolist() == only(objects(values)).values.tolist()


@pytest.mark.parametrize(
    "table",
    [
        objects([None, np.nan, pd.NA]),
        pd.DataFrame({"a": [None] * 3}),
        pd.DataFrame({"a": pd.array([None] * 3, dtype="Int64")}),
        pd.DataFrame({"a": pd.Categorical([None] * 3, categories=["u"])}),
        pd.DataFrame({"a": pd.to_datetime([None] * 3)}),
        pl.DataFrame({"a": [None] * 3}),
        pl.DataFrame({"a": pl.Series([None] * 3, dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series([None] * 3, dtype=pl.Date)}),
        pl.DataFrame({"a": pl.Series([None] * 3, dtype=pl.Time)}),
        pa.table({"a": pa.nulls(3)}),
        pa.table({"a": pa.nulls(3, pa.int8())}),
        pa.table({"a": pa.nulls(3, pa.date32())}),
        pa.table({"a": pa.nulls(3, pa.string())}),
    ],
    ids=lambda table: type(table).__module__,
)
def test_a_column_of_nothing_is_all_holes(table):
    assert only(table).missing.tolist() == [True] * 3


@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.5], [np.inf], [-np.inf], [np.nan]]),
        np.array([[1.5], [np.inf], [-np.inf], [np.nan]], dtype="f4"),
        objects([1.5, np.inf, -np.inf, None]),
        objects([1.5, Decimal("inf"), Decimal("-inf"), None]),
        objects([1, 10**400, -(10**400), None]),
        objects([Fraction(1, 2), Fraction(10**400), -Fraction(10**400), None]),
        pd.DataFrame({"a": [1.5, np.inf, -np.inf, np.nan]}),
        pd.DataFrame({"a": pd.array([1.5, np.inf, -np.inf, None], dtype="Float64")}),
        pl.DataFrame({"a": [1.5, np.inf, -np.inf, None]}),
        pl.DataFrame({"a": [1.5, np.inf, -np.inf, np.nan]}),
        pl.DataFrame({"a": pl.Series([1.5, np.inf, -np.inf, None], dtype=pl.Float32)}),
        pa.table({"a": [1.5, np.inf, -np.inf, None]}),
    ],
)
def test_infinity_is_told_from_nothing(table):
    column = only(table)
    assert column.infinite.tolist() == [False, True, True, False]
    assert column.missing.tolist() == [False, False, False, True]


def test_whole_numbers_beside_infinite_and_missing_ones_are_whole():
    column = only(np.array([[1.0], [np.inf], [3.0]]))
    assert (column.type, column.infinite.tolist()) == ("whole", [False, True, False])
    assert column.values[[0, 2]].tolist() == [1, 3]
    assert only(np.array([[1.0], [np.nan], [np.inf]])).type == "integer", "a float for the gap"
    assert only(np.array([[np.inf], [np.nan]])).type == "float"


def test_the_mask_of_a_masked_array_marks_holes():
    floats = np.ma.array([[1.5, 2.0], [1e20, 4.0]], mask=[[0, 0], [1, 0]])
    hidden, shown = read_columns(floats)
    assert (hidden.type, shown.type) == ("float", "whole")
    assert hidden.missing.tolist() == [False, True]
    assert shown.values.tolist() == [2.0, 4.0]
    assert not shown.missing.any()
    integers = np.ma.array([[1], [999999], [3]], mask=[[0], [1], [0]])
    assert only(integers).type == "integer"
    assert only(integers).missing.tolist() == [False, True, False]
    assert only(np.ma.array([[1.5], [2.5]])).values.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Int64, pl.UInt8])
def test_polars_integers_of_every_width_are_integers(dtype):
    column = only(pl.DataFrame({"a": pl.Series([1, None, 3], dtype=dtype)}))
    assert column.type == "integer"
    assert column.values[[0, 2]].tolist() == [1, 3]
    assert column.missing.tolist() == [False, True, False]


def test_pandas_columns_of_the_rarer_types_are_read_by_their_values():
    assert only(pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1])})).type == "integer"
    assert only(pd.DataFrame({"a": pd.arrays.SparseArray([0.5, np.nan])})).missing.tolist() == [
        False,
        True,
    ]
    assert only(pd.DataFrame({"a": pd.cut([1, 2, 9], 2)})).type == "ordered"
    paris = pd.to_datetime(["2020-01-01", "2020-07-01"]).tz_localize("Europe/Paris")
    times = only(pd.DataFrame({"a": paris})).values
    assert times.tolist() == [18262 * DAY - 3600, 18444 * DAY - 7200]


def test_names_become_strings():
    frame = pd.DataFrame([[1.5] * 4] * 2, columns=[1, "1.0", 2.5, ("a", 1)])
    assert [column.name for column in read_columns(frame)] == ["1", "1.0", "2.5", "('a', 1)"]
    wide = pd.DataFrame(np.ones((2, 2)), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    assert [column.name for column in read_columns(wide)] == ["('a', 1)", "('a', 2)"]


def test_an_arrow_batch_is_a_table():
    assert only(pa.record_batch({"a": [1.5, 2.5]})).values.tolist() == [1.5, 2.5]


def test_what_is_read_from_an_array_is_a_copy():
    for array in (
        np.ones((3, 1)),
        np.ones((3, 1), dtype=int),
        np.ones((3, 1), dtype=bool),
        np.ones((3, 1), dtype="m8[us]"),
        np.ones((3, 1), dtype=object),
        np.ones((3, 1), dtype="f4"),
    ):
        assert not np.shares_memory(only(array).values, array)


# Bad input


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros(3), r"expected a table .* got 1-D data of shape \(3,\).*Reshape"),
        (np.zeros((2, 2, 2)), r"expected a table .* got 3-D data of shape \(2, 2, 2\)"),
        (np.float64(3), "one 'float64'"),
        ([1, 2, 3], "1-D"),
        ([], r"1-D data of shape \(0,\)"),
        (["a", "b"], "1-D"),
        ("data.csv", "the text 'data.csv': pass a data frame.*read_table"),
        (None, "one 'NoneType'"),
        ({"a": [1, 2]}, "one 'dict': pass a data frame"),
        ((row for row in [[1], [2]]), "one 'generator'"),
        (pd.Series([1.0, 2.0]), "1-D"),
        (pl.Series([1.0, 2.0]), "1-D"),
        (pa.array([1.0, 2.0]), "1-D"),
        (pa.chunked_array([[1.0, 2.0]]), "1-D"),
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\).*minimum of 2.*needs more rows"),
        (np.zeros((0, 3), dtype=object), r"0 sample\(s\)"),
        (np.zeros((1, 3)), r"1 sample\(s\) \(shape=\(1, 3\)\).*minimum of 2"),
        ([["a", "b"]], r"1 sample\(s\)"),
        (pd.DataFrame({"a": [], "b": []}), r"0 sample\(s\) \(shape=\(0, 2\)\)"),
        (pd.DataFrame({"a": pd.Categorical([]), "b": pd.to_datetime([])}), r"0 sample\(s\)"),
        (pl.DataFrame(schema={"a": pl.Date, "b": pl.Categorical}), r"0 sample\(s\)"),
        (pa.table({"a": pa.array([], pa.string())}), r"0 sample\(s\)"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\).*minimum of 1.*needs a column"),
        ([[], []], r"0 feature\(s\)"),
        (pd.DataFrame(), r"0 feature\(s\)"),
        (pd.DataFrame(index=range(4)), r"0 feature\(s\) \(shape=\(4, 0\)\)"),
        (pl.DataFrame(), r"0 feature\(s\)"),
        (pa.table({}), r"0 feature\(s\)"),
        (np.ones((3, 2), dtype=complex), "Complex data not supported: split .* imaginary parts"),
        (np.ma.array(np.ones((3, 2), dtype=complex)), "Complex data not supported"),
        (objects([1.5, 2j]), "Complex data not supported: column 'x0' holds complex"),
        (objects(["a", 2j]), "Complex data not supported: column 'x0' holds complex"),
        (objects([np.complex64(1), None]), "Complex data not supported: column 'x0'"),
        (pd.DataFrame({"a": [1.5, 2], "z": [1j, 2]}), "Complex data .* column 'z'"),
        (
            pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "a"]),
            "duplicate column names 'a': give each column a name of its own",
        ),
        (pd.DataFrame(np.ones((2, 2)), columns=[1, "1"]), "duplicate column names '1'"),
        (
            pa.Table.from_arrays([pa.array([1.0, 2.0])] * 4, names=["a", "b", "b", "a"]),
            "duplicate column names 'a', 'b'",
        ),
        ([[1], [1, 2]], "rows of X have different lengths: pass a rectangular table"),
        ([[1, 2], 3], "different lengths"),
        ([np.ones(2), np.ones(3)], "different lengths"),
        (sparse.csr_matrix(np.eye(3)), r"sparse data is not supported: .*X\.toarray\(\)"),
        (sparse.coo_array(np.eye(3)), "sparse data is not supported"),
        (np.zeros(3, dtype=[("a", float), ("b", int)]), "structured arrays .*pandas.DataFrame"),
        (np.zeros((3, 1), dtype=[("a", float)]), "structured arrays are not supported"),
        (np.rec.array([(1, 2.0), (3, 4.0)]), "structured arrays are not supported"),
    ],
)
def test_what_is_no_table_is_an_input_error_with_the_reason_and_a_remedy(X, words):
    with pytest.raises(InputError, match=words):
        read_columns(X)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ({"a": 1}, r"\{'a': 1\}"),
        ([1, 2], r"\[1, 2\]"),
        ({1}, r"\{1\}"),
        (np.array([1, 2]), r"array\(\[1, 2\]\)"),
        ({"key": "x" * 1000}, r"\{'key': 'xxx[^\n]{0,35}…"),
    ],
)
@pytest.mark.parametrize("others", [[1.5, 2.5], ["a", "b"], [None, None]], ids=repr)
def test_a_cell_that_holds_many_things_is_shown_with_its_column_and_row(cell, shown, others):
    values = [others[0], cell, others[1]]
    for table in (objects(values), pd.DataFrame({"x0": pd.Series(values, dtype=object)})):
        with pytest.raises(InputError, match=rf"column 'x0' holds {shown}.*row 1.*one value"):
            read_columns(table)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1, 2], [3, 4]]),
        pl.Series([[1], [3, 4]]),
        pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
        pl.Series([{"a": 1}, {"a": 2}]),
        pa.array([[1, 2], [3, 4]]),
        pa.array([{"a": 1}, {"a": 2}]),
    ],
)
def test_nested_columns_are_an_input_error_that_names_the_column(column):
    frame = pl.DataFrame if isinstance(column, pl.Series) else pa.table
    with pytest.raises(InputError, match=r"column 'nested' holds .* in row 0"):
        read_columns(frame({"fine": [1.5, 2.5], "nested": column}))


def test_every_bad_column_name_is_shown_but_not_hundreds():
    frame = pd.DataFrame(np.ones((2, 100)), columns=[f"c{i // 2}" for i in range(100)])
    with pytest.raises(InputError) as caught:
        read_columns(frame)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times_counted_in_steps_are_seconds(kind):
    values = np.array([1, 5, 9]).astype(f"{kind}[10ms]")
    assert only(values[:, None]).values.tolist() == [0.01, 0.05, 0.09]
