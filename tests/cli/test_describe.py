"""describe says what columns are taken for, and never stumbles over missing values."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mrflearn.cli.describe import ADVICE
from mrflearn.datasets import penguins_path


def rows_of(result):
    header, *lines = [line.split("\t") for line in result.stdout.splitlines()]
    return {line[0]: dict(zip(header, line, strict=True)) for line in lines}


def test_the_penguins_are_described(run):
    result = run("describe", penguins_path())
    rows = rows_of(result)
    assert rows["sex"] == {
        "column": "sex",
        "kind": "nominal",
        "why": "string values",
        "levels": "2",
        "missing": "11",
        "look at": "",
    }
    assert rows["year"]["kind"] == "ordinal"
    assert "344 rows, 8 columns" in result.stderr
    assert "11 of the rows have missing or infinite values" in result.stderr
    assert "--missing drop" in result.stderr


@pytest.fixture
def odd():
    """Write a table with everything that deserves a second look."""
    n = 40
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "same": ["x"] * n,
            "text": [str(value) for value in rng.normal(size=n)],
            "share": [f"{i}.5%" for i in range(n)],
            "day": [f"2020-01-{1 + i % 31:02}" for i in range(n)],
            "date": [f"{1 + i % 28}.2.2020" for i in range(n)],
            "typo": [f"{value}" for value in rng.normal(size=n - 1)] + ["1.2.3"],
            "label": [f"id-{i}x" for i in range(n)],
            "row": range(1000, 1000 + n),
            "many": [f"l{i % 15}x" for i in range(n)],
            "few": [float(i % 3) / 2 for i in range(n)],
            "coded": [-99 if i % 7 == 0 else i % 5 for i in range(n)],
            "plain": rng.normal(size=n),
        }
    )
    frame.to_parquet("odd.parquet")
    return frame


def test_each_oddity_comes_with_what_to_do(run, odd):
    rows = rows_of(run("describe", "odd.parquet"))
    remedies = {
        "same": "--drop 'same'",
        "text": "--kinds 'text=continuous'",
        "share": "write them plain? if they are amounts or times, do so in the file, else say --k",
        "day": "dates stored as text: continuous? if they are amounts or times, say --kinds 'day",
        "date": "write them as 2020-12-31? if they are amounts or times, do so in the file, else",
        "typo": "correct the file",
        "label": "--drop 'label'",
        "row": "--drop 'row'",
        "many": "--drop 'many'",
        "few": "--kinds 'few=ordinal'",
        "coded": "if so, say --na -99, else --kinds 'coded=ordinal'",
    }
    for name, remedy in remedies.items():
        assert remedy in rows[name]["look at"], rows[name]
    assert rows["plain"]["look at"] == ""
    said = " ".join(row["look at"] for row in rows.values())
    assert all(phrase in said for phrase in ADVICE)  # none has gone out of use


def test_columns_without_values_are_no_failure(run):
    Path("gaps.csv").write_text("a,b,c,d\n1.5,,x,\n,,y,2\n2.5,,,\n3.5,,x,\n")
    result = run("describe", "gaps.csv")
    rows = rows_of(result)
    assert rows["b"]["kind"] == "none"
    assert "no value at all: leave it out with --drop 'b'" in rows["b"]["look at"]
    assert "a single value" in rows["d"]["look at"]
    assert (rows["a"]["kind"], rows["a"]["missing"]) == ("continuous", "1")


def test_a_kind_that_complete_rows_change_is_told(run):
    lines = [f"{i % 12},{'' if i % 12 > 7 else 1.5 + i}" for i in range(60)]
    Path("part.csv").write_text("\n".join(["count,other", *lines]) + "\n")
    rows = rows_of(run("describe", "part.csv"))
    assert rows["count"]["kind"] == "continuous"
    assert "ordinal among the 40 complete rows" in rows["count"]["look at"]


def test_declared_kinds_and_columns_chosen(run):
    rows = rows_of(
        run("describe", penguins_path(), "--kinds", "year=nominal", "--only", "year,sex")
    )
    assert list(rows) == ["sex", "year"]
    assert (rows["year"]["kind"], rows["year"]["why"]) == ("nominal", "declared")


def test_missing_says_how_many_rows_stay(run):
    kept = "11 of the rows have missing or infinite values: they are left out, and 333 stay"
    assert kept in run("describe", penguins_path(), "--missing", "drop").stderr
    refused = "learn leaves them out with --missing drop, and 333 stay, or fill them in first"
    assert refused in run("describe", penguins_path()).stderr


def test_json(run, odd):
    found = json.loads(run("describe", "odd.parquet", "--json").stdout)
    assert found["n_rows"] == 40
    assert [column["name"] for column in found["columns"]] == list(odd.columns)
    assert found["columns"][0]["warnings"]


def test_names_with_braces_are_no_format(run):
    Path("odd.csv").write_text("{0},b\n" + "1,2\n" * 5)
    assert "--drop '{0}'" in run("describe", "odd.csv").stdout


def test_signs_in_names_are_escaped_in_advice(run):
    Path("odd.csv").write_text('"a,b=c",d\n' + "x,2\n" * 5)
    result = run("describe", "odd.csv")
    assert r"--drop 'a\,b=c'" in result.stdout
    assert "odd.csv: 5 rows, 1 column\n" in run("describe", "odd.csv", "--drop", r"a\,b=c").stderr


def test_a_terminal_gets_an_aligned_table(on_terminal):
    text = on_terminal("describe", penguins_path())
    assert "\t" not in text
    assert "flipper_length_mm" in text


def test_mistakes(refusal):
    Path("t.csv").write_text("age,b\n1,2\n3,4\n")
    assert "did you mean 't.csv'?" in refusal("describe", "tt.csv")
    assert "did you mean 'age'?" in refusal("describe", "t.csv", "--kinds", "agee=nominal")
    assert "keep one at least" in refusal("describe", "t.csv", "--drop", "age,b")


def test_a_warning_of_the_file_is_one_line(run):
    Path("old.csv").write_bytes("größe,b\n1,2\n3,4\n5,1\n".encode("latin-1"))
    result = run("describe", "old.csv")
    warnings = [line for line in result.stderr.splitlines() if "UTF-8" in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("Warning: ")
    assert ".py" not in result.stderr


def test_a_code_for_missing_answers_is_named(run):
    pd.DataFrame({"item": [1, 2, 3, 4, 5, -99] * 4, "b": np.arange(24) / 7}).to_csv(
        "t.csv", index=False
    )
    row = rows_of(run("describe", "t.csv"))["item"]
    assert row["look at"].startswith("-99 is far from all other values: a code for missing ones?")
    assert "--kinds 'item=ordinal'" in row["look at"]
    assert rows_of(run("describe", "t.csv", "--kinds", "item=ordinal"))["item"]["look at"] == ""


def test_several_codes_are_named_as_an_option_takes_them(run):
    pd.DataFrame({"item": [1, 2, 3, 4, 77, 88, 99] * 4, "b": np.arange(28) / 7}).to_csv(
        "t.csv", index=False
    )
    row = rows_of(run("describe", "t.csv"))["item"]
    assert "codes for missing ones? if so, say --na 77,88,99, else" in row["look at"]
    row = rows_of(run("describe", "t.csv", "--na", "77,88,99"))["item"]
    assert (row["levels"], row["missing"], row["look at"]) == ("4", "12", "")


def test_dates_as_text_are_declared_as_advised(run):
    days = [f"2020-{month:02}-{day}" for month in range(1, 13) for day in (10, 20)]
    pd.DataFrame({"day": days, "b": np.arange(24) / 7}).to_csv("t.csv", index=False)
    assert "--kinds 'day=continuous'" in rows_of(run("describe", "t.csv"))["day"]["look at"]
    row = rows_of(run("describe", "t.csv", "--kinds", "day=continuous"))["day"]
    assert (row["kind"], row["levels"]) == ("continuous", "24")


def test_copies_of_rows_and_columns_are_told(run, chain):
    pd.concat([chain, chain[:20]]).assign(again=lambda frame: frame["a"]).to_csv(
        "c.csv", index=False
    )
    told = run("describe", "c.csv").stderr
    assert "20 of 220 rows are copies of others" in told
    assert "the columns 'a' and 'again' tell the same" in told
    assert len(json.loads(run("describe", "c.csv", "--json").stdout)["copies"]) == 2
    assert "copies" not in run("describe", "chain.csv").stderr
