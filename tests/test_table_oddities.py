"""Tables: columns that look like a mistake get a warning, a note or a refusal."""

import datetime as dt
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from mrflearn import GLasso
from mrflearn.errors import InputError
from mrflearn.table import as_table

from .small_tables import column

pytestmark = pytest.mark.filterwarnings("error")


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


@pytest.mark.parametrize(
    ("labels", "alike"),
    [
        (["male", "female", "Male "], "'Male ' and 'male'"),
        (["no  answer", "no answer", "yes"], "'no  answer' and 'no answer'"),
        (["a", "b", " a"], "' a' and 'a'"),
        (["AA", "Aa", "aa"], None),
        (["male", "female", "mal"], None),
    ],
)
def test_labels_that_people_take_for_the_same_are_warned_of(labels, alike):
    frame = pd.DataFrame({"a": labels * 4})
    if alike is None:
        assert as_table(frame).columns[0].note == ""
        return
    with pytest.warns(UserWarning, match=f"{alike} differ by case or spaces alone: a typing mis"):
        as_table(frame)


def test_a_text_column_with_a_few_numbers_is_not_warned_of():
    as_table(pd.DataFrame({"a": ["1", "2", "x", "y", "1", "z"]}))


def test_misfits_are_counted_by_row_of_the_table_as_given():
    frame = pd.DataFrame({"a": ["1", None, "2", "3", "4", "five"]})
    with pytest.warns(UserWarning, match=r"'five' \(row 5, counting from 0\)"):
        as_table(frame, missing="drop")


def test_floats_with_few_levels_get_a_note_but_no_warning():
    table = as_table(np.repeat([0.5, 1.5, 2.0], 4)[:, None])
    assert table.describe()["note"].tolist() == [
        "only 3 distinct values: declare it ordinal or nominal?"
    ]


def test_numbers_stored_as_text_are_pointed_out_unless_they_are_few_levels():
    values = [f"{value}" for value in range(30)]
    with pytest.warns(UserWarning, match="'x' is taken as nominal, but look: numbers stored as"):
        table = as_table(pd.DataFrame({"x": values, "y": np.sqrt(range(30))}))
    assert table.describe().loc["x", "note"] == "numbers stored as text: continuous?"
    codes = [f"{value % 3}" for value in range(30)]
    few = as_table(pd.DataFrame({"x": codes, "y": np.sqrt(range(30))}))
    assert few.describe().loc["x", "note"] == ""


def test_whole_numbers_that_count_the_rows_get_a_note():
    with pytest.warns(UserWarning, match="'id' is taken as continuous, but look: whole numbers,"):
        table = as_table(pd.DataFrame({"id": range(1, 31), "y": np.linspace(0, 1, 30) ** 2}))
    assert "an identifier?" in table.describe().loc["id", "note"]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([1, 2, 3, 4, 5, -99] * 3, -99),
        ([1, 2, 3, 4, 5, 9] * 3, 9),
        ([*np.linspace(18.5, 80, 17), 999.0], 999),
        ([1, 2, 3, 4, 5, 6, 7, 9] * 3, None),  # a scale to 9 of which nobody chose 8
        ([0.1, 0.2, 0.3, 0.4, 9.0, 0.5] * 3, None),
        ([1, 2, 99] * 6, 99),
        ([0, 1, 9] * 6, 9),
        ([1, 2, 9] * 6, 9),
        ([0, 1, -99] * 6, -99),
        ([1.0, 2.0, 3.0, 99.0] * 4, 99),
        ([1, 2, 3, 4, 5, -98, -99] * 3, "-98,-99"),
        ([1, 2, 3, 4, 5, 77, 88, 99] * 3, "77,88,99"),
        ([1, 2, 3, 4, 5, 77] * 3, 77),
        ([1, 2, 8, 9] * 5, "8,9"),
        ([1, 2, 3, 4, 5, -99, 99] * 3, "-99,99"),
        ([*range(3, 16), 77, 88, 88, 99], "77,88,99"),
        ([*np.geomspace(100, 90_000, 30), -99.0, -99.0], -99),
        ([0, *range(1000, 3000, 70), -99, -99, -98], "-98,-99"),
        ([0, *range(1000, 3000, 70), -99, -99, 9999], "-99,9999"),
        ([7, 8, 9] * 6, None),
        ([5, 6, 7, 8, 9] * 4, None),
        ([1, 2, 3, 4, 5, 7, 8, 9] * 3, None),
        ([0, 1, 2, 7] * 4, None),  # counts
        ([0, 3, 9] * 6, None),
        ([9, 99] * 6, None),
        ([*range(18, 90, 5), 77, 88, 98, 99], None),
        ([18, 19, 20, 20, 21, 22, 22, 23, 25, 26, 27, 28, 30, 77], None),  # a student of 77
        ([*range(1950, 2020, 3), 1999, 1998], None),
        ([*range(60, 130, 3), 77, 88, 99], None),
        ([*np.geomspace(100, 90_000, 30), -99.0], None),  # once
        ([*np.geomspace(100, 90_000, 30), -99.0, -99.0, -50.0], None),
        ([*np.linspace(-2.5, 2.5, 20), 9.0, -9.0], None),
        ([18, 33, 71, 64, 99, 50] * 3, None),
    ],
)
def test_codes_for_missing_values_are_warned_of(values, code):
    frame = pd.DataFrame({"a": values, "b": np.arange(len(values)) / 7})
    if code is None:
        as_table(frame)
        return
    with pytest.warns(UserWarning, match=rf"^{code} in column 'a', far from all .* kinds=\{{'a'"):
        as_table(frame)
    as_table(frame, kinds={"a": "continuous"})


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([1, 2, 9] * 6, "9 is far from all other values: a code for missing ones?"),
        (
            [1, 2, 3, 77, 88, 99] * 3,
            "77, 88 and 99 are far from all other values: codes for missing ones?",
        ),
        (
            [*range(1000, 3000, 70), -99, -99],
            "-99 is the only negative value: a code for missing ones?",
        ),
        (
            [*range(1000, 3000, 70), -99, -99, -98],
            "-98 and -99 are the only negative values: codes for missing ones?",
        ),
        (
            [*range(1000, 3000, 70), -99, -99, 9999],
            "-99 and 9999 are apart from all other values: codes for missing ones?",
        ),
    ],
)
def test_the_note_about_codes_says_why(values, note):
    with pytest.warns(UserWarning, match="in column 'a'"):
        table = as_table(pd.DataFrame({"a": values}))
    assert (table.columns[0].about, table.columns[0].note) == ("code", note)


DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=2 * i) for i in range(40)]


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        ([f"{day}" for day in DAYS], "dates stored as text: continuous?"),
        ([f"{day} 12:30" for day in DAYS], "dates stored as text: continuous?"),
        ([f"{day}" for day in DAYS[:20]] * 2, "dates stored as text: continuous?"),
        ([f"{day:%d.%m.%Y}" for day in DAYS], "dates as text: write them as 2020-12-31?"),
        ([f"{day:%m/%d/%Y}" for day in DAYS], "dates as text: write them as 2020-12-31?"),
        (
            [f"{i}.5%" for i in range(40)],
            "numbers with '%' (row 0, counting from 0): write them plain?",
        ),
        (
            ["<0.5" if i % 9 == 4 else f"{i}.5" for i in range(40)],
            "numbers with '<' (row 4, counting from 0): write them plain?",
        ),
        (
            ["<0,5" if i % 9 == 4 else f"{i},5" for i in range(40)],
            "numbers with ',' (row 0, counting from 0): write them plain?",
        ),
        (
            [f"> {i}" for i in range(40)],
            "numbers with '>' (row 0, counting from 0): write them plain?",
        ),
        (
            [f"{i * 99.1:,.1f}" for i in range(40)],
            "numbers with ',' (row 11, counting from 0): write them plain?",
        ),
        (
            ["?" if i == 3 else f"{i}%" for i in range(40)],
            "numbers with '%' (row 0, counting from 0): write them plain?",
        ),
    ],
)
def test_text_that_stands_for_dates_or_amounts_is_pointed_out(labels, note):
    frame = pd.DataFrame({"a": labels, "b": np.sqrt(np.arange(40))})
    with pytest.warns(UserWarning, match=f"'a' is taken as nominal, but look: {re.escape(note)}"):
        table = as_table(frame)
    assert (table.columns[0].about, table.columns[0].note) == ("text", note)
    assert as_table(frame, kinds={"a": "nominal"}).columns[0].note == ""


def test_another_sign_among_numbers_with_signs_is_a_typing_mistake():
    labels = [{4: "<0.5", 9: "?"}.get(i, f"{i}.5") for i in range(40)]
    with pytest.warns(UserWarning, match=r"numbers but for '<0\.5' \(row 4.*\) and 1 more: a typ"):
        as_table(pd.DataFrame({"a": labels}))


@pytest.mark.parametrize(
    "labels",
    [["<18", "18-30", ">30"] * 4, ["2020-01-01", "2020-07-01"] * 6, ["10%", "20%", "30%"] * 4],
)
def test_few_labels_are_labels_whatever_they_look_like(labels):
    assert as_table(pd.DataFrame({"a": labels})).columns[0].note == ""


def test_codes_in_many_columns_are_one_warning():
    frame = pd.DataFrame({name: [1, 2, 3, 4, -9, 5] * 3 for name in "abc"}).assign(
        d=[1, 2, 3, 4, 99, 5] * 3
    )
    with pytest.warns(UserWarning, match=r"^-9, 99 in columns 'a', 'b', 'c', 'd', far") as caught:
        as_table(frame)
    assert len(caught) == 1


def test_rows_entered_twice_are_told_where_that_is_no_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=100), "b": rng.integers(3, size=100)})
    twice = pd.concat([frame, frame[:10]])
    with pytest.warns(UserWarning, match="10 of 110 rows are copies of others, measured values"):
        as_table(twice)
    few = pd.concat([frame, frame[:2]])
    labels = pd.concat([frame[["b"]]] * 2).assign(c=1 - rng.integers(2, size=200))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for harmless in (frame, few, labels, twice.round(0)):
            as_table(harmless)


@pytest.mark.parametrize("copy", [lambda a: a, lambda a: 3 * a + 1])
def test_columns_that_tell_the_same_are_named(copy):
    rng = np.random.default_rng(0)
    a = rng.integers(50, size=60) / 4
    frame = pd.DataFrame({"a": a, "b": rng.normal(size=60), "again": copy(a), "c": a[::-1]})
    with pytest.warns(UserWarning, match="the columns 'a' and 'again' tell the same, row by row"):
        as_table(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_table(frame.drop(columns="again"))
        as_table(frame.assign(one=1.0, two=1.0)[["a", "b"]])
