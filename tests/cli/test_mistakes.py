"""Mistakes that any command may meet: empty arguments, names with signs, no memory, no room."""

import errno
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from mrflearn.cli._names import read_kinds, read_names, written


@pytest.mark.parametrize("command", ["learn", "describe", "compare", "view"])
def test_an_empty_file_name(refusal, command):
    assert refusal(command, "") == "Error: FILE is empty: name a file"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", "chain.csv", "-o", ""], "cannot write '': name a file that ends in .graphml,"),
        (["learn", "chain.csv", "--figure", ""], "name a file that ends in .png, .svg or .pdf"),
        (["simulate", "gaussian", "-o", ""], "name a file that ends in .csv"),
        (["reproduce", "-o", ""], "--output is empty: name a folder for the results"),
        (["learn", "chain.csv", "--only", ""], "--only: a name is empty; name a column, such as"),
        (["learn", "chain.csv", "--drop", "a,"], "--drop: a name is empty; name a column, such as"),
        (["learn", "chain.csv", "--required", "a:"], "--required: a name is empty"),
        (["blanket", "chain.csv", "--target", ""], "--target: a name is empty"),
        (["learn", "chain.csv", "--group", "g=a+a"], "column 'a' is listed twice in 'g'; list it"),
        (
            ["learn", "chain.csv", "--stability", "1"],
            "--stability must be a whole number",
        ),
        (["learn", "chain.csv", "--lam", "nan"], "--lam must be a number, got NaN"),
        (["learn", "chain.csv", "--max-memory", ""], "--max-memory must be a number of bytes"),
        (["learn", "chain.csv", "--na", ""], "--na wants VALUE or COLUMN=VALUE, such as -99 or"),
        (["learn", "chain.csv", "--na", "a=b=c"], "--na wants VALUE or COLUMN=VALUE"),
        (["learn", "chain.csv", "--na", "A=-99"], "unknown column 'A'; did you mean 'a'?"),
        (["learn", "chain.csv", "--kinds", "q*=nominal"], "--kinds: no column fits 'q*'"),
    ],
)
def test_empty_and_odd_values(refusal, chain, arguments, says):
    assert says in refusal(*arguments)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--n-jobs", "0"), "--n-jobs must be a positive number of workers, or -1 for all cores"),
        (("--dask", "localhost"), "--dask wants the address of a scheduler"),
    ],
)
@pytest.mark.parametrize("command", [["learn"], ["compare"], ["blanket", "--target", "b"]])
def test_who_works_is_checked_before_the_table_is_read(
    refusal, chain, monkeypatch, command, option, says
):
    monkeypatch.setattr("mrflearn.io.read_table", lambda *_: pytest.fail("read the table"))
    assert says in refusal(*command, "chain.csv", *option)


def test_an_empty_pair_to_explain(run, refusal, chain):
    run("learn", "chain.csv", "--dependence", "gaussian", "--no-test", "--result", "r.json")
    assert "--explain wants two columns" in refusal("view", "r.json", "--explain", "")


def test_a_comma_in_a_name_is_told_from_one_between_names(run, refusal, chain):
    chain.rename(columns={"a": "a,b", "b": "--drop", "c": "größe"}).to_csv("odd.csv", index=False)
    told = refusal("learn", "odd.csv", "--drop", "a,b")
    assert told == (
        r"Error: --drop: a comma stands between columns; write 'a\,b' for the column 'a,b'"
    )
    options = ("--dependence", "gaussian", "--no-test", "--drop", r"a\,b", "--required", "größe:e")
    assert "größe\te" in run("learn", "odd.csv", *options, "--drop", "--drop").stdout


@pytest.mark.parametrize("name", ["a", "a,b", "a=b", "a,b=c", "--drop", "größe 模型", ","])
def test_names_are_written_as_options_read_them(name):
    assert read_names([written(name)[1:-1]], [name], "--drop") == [name]
    declared = f"{written(name, ',=')[1:-1]}=nominal"
    assert read_kinds([declared], [name]) == {name: "nominal"}


def test_too_many_rows_for_the_memory(refusal):
    told = refusal("simulate", "gaussian", "--rows", "99999999999999")
    assert told.startswith("Error: there is not enough memory (")
    assert told.endswith("take fewer rows or columns")


def test_ctrl_c_while_a_table_is_read(run, chain, monkeypatch):
    def fail(*_, **__):
        raise pd.errors.ParserError("C error: Calling read(nbytes) on source failed.")

    monkeypatch.setattr(pd, "read_csv", fail)
    assert run("describe", "chain.csv", code=130).stderr.strip() == "Interrupted."


def test_ctrl_c_while_a_library_is_imported(run, chain, monkeypatch):
    """Python makes another error of it, where it comes while a class is being made."""

    class Named:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    def import_it(*_, **__):
        type("Made", (), {"attribute": Named()})

    monkeypatch.setattr(pd, "read_csv", import_it)
    assert run("describe", "chain.csv", code=130).stderr.strip() == "Interrupted."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["learn", "--help"], ["simulate", "--list"]])
def test_no_room_for_what_is_shown(arguments):
    program = "from mrflearn.cli import main; main(prog_name='mrflearn')"
    with open("/dev/full", "w") as full:
        call = [sys.executable, "-c", program, *arguments]
        ended = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr == "Error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("/scratch/part", "cannot write '/scratch/part': No space left on device; make room there"),
        (None, "no room is left on a disk: make some, or set TMPDIR to a folder that has some"),
    ],
)
def test_no_room_elsewhere_is_not_that_of_standard_output(refusal, chain, monkeypatch, file, says):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device", file)

    monkeypatch.setattr("mrflearn.io.read_table", fail)
    assert refusal("describe", "chain.csv") == f"Error: {says}"
