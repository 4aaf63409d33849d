"""Tables are read, or refused with a remedy."""

import io
import math
import os
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn.datasets import load_penguins, penguins_path
from mrflearn.errors import InputError
from mrflearn.io import read_table

not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a function that writes a file into an empty working folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(content, name="data.csv"):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write


def refusal(path, delimiter=None):
    with pytest.raises(InputError) as caught:
        read_table(path, delimiter)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- What is read ---------------------------------------------------------------------------------


def test_a_csv_file_is_read_as_pandas_reads_it():
    pd.testing.assert_frame_equal(read_table(penguins_path()), load_penguins())


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".dat", ""])
def test_the_delimiter_is_found_whatever_the_suffix(file, delimiter, suffix):
    rows = [["a", "b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"]]
    name = file("\n".join(delimiter.join(row) for row in rows), f"data{suffix}")
    expected = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [2.5, 3.5]})
    pd.testing.assert_frame_equal(read_table(name), expected)


def test_a_delimiter_within_quotes_does_not_count(file):
    frame = read_table(file('"a,b,c,d";"e"\n1;2\n'))
    assert list(frame.columns) == ["a,b,c,d", "e"]


def test_the_first_row_decides_between_delimiters_that_both_split_the_header(file):
    frame = read_table(file("temp, C;pressure, kPa;x\n1;2;3\n"))
    assert list(frame.columns) == ["temp, C", "pressure, kPa", "x"]


@pytest.mark.parametrize(
    ("given", "character"), [("tab", "\t"), ("\\t", "\t"), (" ", " "), ("x", "x")]
)
def test_a_delimiter_can_be_given(file, given, character):
    frame = read_table(file(f"a{character}b\n1{character}2\n"), given)
    assert frame.to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_make_no_difference(file, encoding, line_end):
    text = line_end.join(["größe,模型", "1,é", "2,ß", ""])
    frame = read_table(file(text.encode(encoding)))
    assert frame.to_dict("list") == {"größe": [1, 2], "模型": ["é", "ß"]}


def test_blank_lines_and_spaces_after_delimiters_are_overlooked(file):
    frame = read_table(file("\na, b ,c\n1, ,x\n   \n2, 3,y\n\n"))
    assert list(frame.columns) == ["a", "b", "c"]
    assert frame["b"].isna().tolist() == [True, False]


def test_a_quoted_value_may_hold_line_ends(file):
    frame = read_table(file('a,b\n1,"x\ny"\n2,z\n'))
    assert frame["b"].tolist() == ["x\ny", "z"]


def test_decimals_are_read_to_the_last_digit(file):
    values = np.random.default_rng(0).normal(size=2000).round(4)
    text = "a,b\n" + "\n".join(f"{value:.4f},{value:.4f}" for value in values)
    assert np.array_equal(read_table(file(text))["a"], values)


def test_decimal_commas_are_read_as_numbers(file):
    frame = read_table(file("a;b;c\n1,5;x;0,125\n-2;y;NA\n2,25e1;z;3\n"))
    assert frame["a"].tolist() == [1.5, -2.0, 22.5]
    assert frame["c"].tolist()[::2] == [0.125, 3.0]
    assert math.isnan(frame["c"][1])
    assert frame["b"].tolist() == ["x", "y", "z"]


def test_a_comma_that_may_mark_thousands_is_left_and_reported(file):
    with pytest.warns(UserWarning, match=r"column 'a' .*'1,500'.*decimals or thousands"):
        frame = read_table(file("a;b\n1,500;1\n2,600;2\n"))
    assert frame["a"].tolist() == ["1,500", "2,600"]


def test_standard_input_is_read(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert read_table("-").to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize("suffix", [".parquet", ".pq", ".feather", ".arrow", ".data"])
def test_parquet_and_feather_files_are_read(tmp_path, suffix):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["x", "y"], ordered=True)})
    path = tmp_path / f"table{suffix}"
    if suffix in (".feather", ".arrow"):
        frame.to_feather(path)
    else:
        frame.to_parquet(path)
    pd.testing.assert_frame_equal(read_table(path), frame)


def test_a_parquet_file_without_pyarrow_is_refused_with_the_remedy(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert 'pip install "mrflearn[arrow]"' in refusal(file(b"PAR1 and so on", "t.parquet"))


fields = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@given(st.lists(st.tuples(fields, fields, fields), min_size=1, max_size=6))
def test_any_values_in_quotes_make_as_many_rows(rows):
    quoted = ["|".join('"' + field.replace('"', '""') + '"' for field in row) for row in rows]
    stream = io.TextIOWrapper(io.BytesIO("\n".join(["a|b|c", *quoted]).encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", stream)
        assert read_table("-").shape == (len(rows), 3)


# --- What is refused ------------------------------------------------------------------------------


def test_a_missing_file_is_refused_with_the_closest_name(file):
    file("a,b\n1,2\n", "Penguins.csv")
    message = refusal("penguin.csv")
    assert "'penguin.csv'" in message
    assert "did you mean 'Penguins.csv'?" in message


def test_a_missing_file_with_no_close_name_is_refused(file):
    assert refusal("zebra.csv") == "cannot read 'zebra.csv': there is no such file; check the path"


def test_a_missing_folder_is_named(file):
    os.mkdir("results")
    message = refusal("resluts/table.csv")
    assert "there is no folder 'resluts'; did you mean 'results'?" in message


def test_a_folder_is_refused(tmp_path):
    assert "it is a folder; name a file in it" in refusal(tmp_path)


def test_a_name_too_long_for_the_system_is_refused(file):
    assert "check the path" in refusal("x" * 5000)


@not_root
def test_an_unreadable_file_is_refused(file):
    name = file("a,b\n1,2\n")
    os.chmod(name, 0)
    assert "permission denied" in refusal(name)


def test_an_unreadable_file_is_refused_for_whoever_runs_the_tests(file, monkeypatch):
    def deny(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("mrflearn.io._bytes.os.open", deny)
    assert "permission denied" in refusal("data.csv")


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf", b"\xff\xfe\n\0"])
def test_an_empty_file_is_refused(file, content):
    assert "'data.csv' is empty" in refusal(file(content))


def test_an_empty_file_is_empty_whatever_its_suffix(file):
    assert "is empty" in refusal(file(b"", "data.parquet"))


def test_a_header_without_rows_is_refused(file):
    message = refusal(file("a,b\n"))
    assert "no rows" in message
    assert "2 columns" in message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a,b\n1,\0\n", "line 2 holds a NUL byte"),
        (b"\x89PNG\r\n\x1a\n\0\0", "NUL byte"),
        (b"\xff\xfea\0,\0\xd8", "begins like UTF-16 text but is not"),
        (b"PK\x03\x04rest", "Excel"),
        (b"\x1f\x8brest", "compressed with gzip and damaged"),
    ],
)
def test_what_is_not_text_is_refused_with_what_it_is(file, content, says):
    assert says in refusal(file(content))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n\n1,2,3\n", "line 4 of 'data.csv' has 3 values and its header has 2 names"),
        ("a,b,c\n1,2,3\n1,2\n", "line 3 of 'data.csv' has 2 values and its header has 3 names"),
        ('a,b\n"1\n2",3\n4\n', "line 4 of 'data.csv' has 1 value and"),
        ("a,b\n1,2\n5;6\n", "line 3 of 'data.csv' has 1 value and"),
        ("a,b\n1,2,3\n4,5,6\n", "give every column a name"),
    ],
)
def test_a_ragged_row_is_refused_with_its_line(file, text, says):
    assert says in refusal(file(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [('a,b\n1,2\n"3,4\n5,6\n', 3), ('a,"b\n1,2\n', 1), ('a,b\n1,"' + "x" * 200_000, 2)],
)
def test_an_unclosed_quote_is_refused_with_its_line(file, text, line):
    assert f'a quote (") opened in line {line} of' in refusal(file(text))


@pytest.mark.parametrize("text", ['"a,b\n1,2\n', '"a\n\n', '"'])
def test_an_unclosed_quote_around_the_whole_header_is_seen(file, text):
    assert 'close the quote (")' in refusal(file(text))


def test_text_after_a_closing_quote_is_refused_with_its_line(file):
    assert "line 2 of 'data.csv' has text after a closing quote" in refusal(file('a,b\n1,"x"y\n'))


def test_duplicate_names_are_refused_with_both_places(file):
    message = refusal(file("a,b, a\n1,2,3\n"))
    assert "columns 1 and 3 of 'data.csv' have the same name 'a' in line 1" in message


def test_a_table_without_a_header_is_suspected(file):
    assert "is the line of names missing?" in refusal(file("5,5\n3,4\n"))
    with pytest.warns(UserWarning, match="put a line of names before it"):
        read_table(file("1.5,2.5\n3,4\n"))


def test_whole_numbers_are_fine_as_names(file, recwarn):
    assert list(read_table(file("0,1,2\n3,4,5\n")).columns) == ["0", "1", "2"]
    assert not recwarn.list


def test_an_empty_name_is_refused_with_its_place(file):
    message = refusal(file(",a,b\n0,1,2\n"))
    assert "column 1 of 'data.csv' has no name" in message
    assert "index=False" in message


def test_a_wrong_delimiter_is_refused_with_the_right_one(file):
    name = file("a;b;c\n1;2;3\n")
    assert refusal(name, ",").endswith("and 3 with a semicolon: give ';' as the delimiter")
    name = file("a\tb\n1\t2\n")
    assert refusal(name, ";").endswith("and 2 with a tab: give 'tab' as the delimiter")


@pytest.mark.parametrize("delimiter", [None, ",", ";", "x"])
def test_one_column_is_refused_with_the_delimiters_tried(file, delimiter):
    message = refusal(file("a\n1\n2\n"), delimiter)
    assert "a graph needs two" in message
    assert "comma, semicolon, tab" in message
    assert (delimiter == "x") == ("'x'" in message)


def test_values_parted_by_spaces_are_recognised(file):
    assert refusal(file("a b\n1 2\n")).endswith("give ' ' as the delimiter")


def test_a_title_above_the_header_is_recognised(file):
    assert "stands before the column names" in refusal(file("My data\na,b\n1,2\n"))


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n"])
def test_a_delimiter_is_one_character(file, delimiter):
    assert "delimiter must be one character" in refusal(file("a,b\n1,2\n"), delimiter)


@pytest.mark.parametrize("content", [b"PAR1 and no more", b"ARROW1 and no more", b"something"])
def test_a_damaged_parquet_file_is_refused(file, content):
    pytest.importorskip("pyarrow")
    assert "'t.parquet' is damaged" in refusal(file(content, "t.parquet"))


def test_a_parquet_table_is_held_to_the_same_rules(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    path = tmp_path / "t.parquet"
    twice = pa.table([[1], [2]], names=["a", "a"])
    parquet.write_table(twice, path)
    assert "the same name 'a'" in refusal(path)
    feather.write_feather(twice, path)
    assert "the same name 'a'" in refusal(path)
    parquet.write_table(pa.table({"a": [1]}), path)
    assert "a graph needs two" in refusal(path)
    parquet.write_table(pa.table({"a": [], "b": []}), path)
    assert "no rows" in refusal(path)
