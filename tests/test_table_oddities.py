"""Tables: columns that look like a mistake get a warning, a note or a refusal."""

import datetime as dt
import re

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
        ([1, 2, 99] * 6, None),
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


def test_codes_in_many_columns_are_one_warning():
    frame = pd.DataFrame({name: [1, 2, 3, 4, -9, 5] * 3 for name in "abc"}).assign(
        d=[1, 2, 3, 4, 99, 5] * 3
    )
    with pytest.warns(UserWarning, match=r"^-9, 99 in columns 'a', 'b', 'c', 'd', far") as caught:
        as_table(frame)
    assert len(caught) == 1
