"""Codes that stand for missing values are emptied, and nothing else is."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.io import read_table
from mrflearn.io._codes import MISSING_ANYWAY, emptied

TEXT = (
    "age,income,share,answer,weight\n"
    "34,1000,1.5,yes,-99\n"
    '-99,refused,-99.0,no,"2,5"\n'
    '999,1500,0.5,-99,"3,5"\n'
    "22, refused ,2.5,yes,1\n"
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TEXT)
    return path


def test_codes_of_all_columns_and_of_one(path):
    found = read_table(path, na={None: [-99, "refused"], "age": [999]})
    expected = pd.DataFrame(
        {
            "age": [34, np.nan, np.nan, 22],
            "income": [1000, np.nan, 1500, np.nan],
            "share": [1.5, np.nan, 0.5, 2.5],
            "answer": ["yes", "no", None, "yes"],
            "weight": [np.nan, 2.5, 3.5, 1],
        }
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    numbers = found.drop(columns="answer")
    assert all(np.issubdtype(kind, np.number) for kind in numbers.dtypes)


def test_a_list_is_for_all_columns(path):
    found = read_table(path, na=["-99"])
    assert found.isna().sum().to_dict() == {
        "age": 1, "income": 0, "share": 1, "answer": 1, "weight": 1
    }  # fmt: skip
    assert read_table(path).isna().sum().sum() == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("na", [[-99], [-99.0], ["-99"], {"income": [-99]}])
def test_codes_are_numbers_among_decimal_commas(tmp_path, na):
    path = tmp_path / "answers.csv"
    path.write_text("income;b\n1,5;1\n-99,0;2\n2,5;3\n-99;4\n")
    found = read_table(path, na=na)
    assert found["income"].tolist() == pytest.approx([1.5, np.nan, 2.5, np.nan], nan_ok=True)
    assert found["b"].tolist() == [1, 2, 3, 4]


@pytest.mark.filterwarnings("error")
def test_codes_are_numbers_where_only_other_codes_were_text(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("a,b\n1.5,1\nrefused,2\n-99.0,3\n")
    found = read_table(path, na=["refused", -99])
    assert found["a"].tolist() == pytest.approx([1.5, np.nan, np.nan], nan_ok=True)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("code", sorted(MISSING_ANYWAY))
def test_what_is_missing_anyway_may_be_named(tmp_path, code):
    path = tmp_path / "answers.csv"
    path.write_text(f"a,b\n1,x\n{code},y\n3,{code}\n")
    for na in ([code], {"a": [code]}):
        assert read_table(path, na=na).isna().sum().to_dict() == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, 2, None, 99], dtype="Int64"),
        pd.array([1.0, 2.0, np.nan, 99.0]),
        pd.Categorical(["1", "2", None, "99"]),
        pd.array(["1", "2", None, "99"], dtype="string"),
        np.array([1, 2, None, 99], dtype=object),
    ],
    ids=["nullable integers", "floats", "categories", "strings", "objects"],
)
def test_any_type_of_column(column):
    found = emptied(pd.DataFrame({"a": column, "b": range(4)}), {None: ["99"]})
    assert found["a"].isna().tolist() == [False, False, True, True]
    assert found["b"].tolist() == [0, 1, 2, 3]


def test_true_is_no_number_and_what_was_given_stays():
    frame = pd.DataFrame({"a": [True, False, True], "b": [1, 2, 3]})
    before = frame.copy()
    found = emptied(frame, {None: ["1"]})
    assert found["a"].tolist() == [True, False, True]
    assert found["b"].isna().tolist() == [True, False, False]
    pd.testing.assert_frame_equal(frame, before)


def test_files_of_arrow_have_codes_as_well(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "answers.parquet"
    pd.DataFrame({"a": [1, 2, -9], "b": ["x", "-9", "y"]}).to_parquet(path)
    assert read_table(path, na=[-9]).isna().sum().to_dict() == {"a": 1, "b": 1}


def test_a_code_that_is_nowhere_is_said(path):
    with pytest.warns(UserWarning, match=r"no '-98' or '-97' to stand for a missing value"):
        read_table(path, na=[-98, -99, -97])
    with pytest.warns(UserWarning, match="no 'refused' in column 'age' to stand"):
        read_table(path, na={"age": ["refused"]})


@pytest.mark.parametrize(
    ("na", "says"),
    [
        ({"agee": [1]}, "^na=: unknown column 'agee'; did you mean 'age'?"),
        ("-99", "na= wants a list of values"),
        ({"age": 999}, "na= wants a list of values"),
    ],
)
def test_mistakes(path, na, says):
    with pytest.raises(InputError, match=says.replace("?", r"\?")):
        read_table(path, na=na)


@pytest.mark.filterwarnings("ignore:there is no")
@given(
    st.lists(st.sampled_from(["1", "2.5", "-99", "x", "", "99"]), min_size=2, max_size=20),
    st.lists(st.sampled_from(["-99", "99", "x"]), unique=True),
)
def test_it_is_as_if_the_cells_were_empty(cells, codes):
    with tempfile.TemporaryDirectory() as folder:
        coded, empty = Path(folder) / "coded.csv", Path(folder) / "empty.csv"
        for path, kept in [(coded, cells), (empty, ["" if c in codes else c for c in cells])]:
            path.write_text("a,b\n" + "".join(f"{cell},0.5\n" for cell in kept))
        found, expected = read_table(coded, na=codes), read_table(empty)
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
