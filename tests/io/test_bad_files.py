"""Odd files are read right, bad ones are refused in one sentence; nothing else happens."""

import importlib.util
import math
import os
import sys
import threading
import warnings

import pandas as pd
import pytest
from bad_files import AB, CASES, READS_AB, arrow_cases
from click.testing import CliRunner

import mrflearn
from mrflearn.cli import main
from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.io import _bytes, read_table
from mrflearn.table import as_table

ALL = [*CASES, *(arrow_cases() if importlib.util.find_spec("pyarrow") else [])]

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and devices of POSIX")
pytestmark = posix


@pytest.fixture(params=ALL, ids=[case.name for case in ALL])
def case(request, tmp_path, monkeypatch):
    """Make the file of each case, in an empty working folder that also has a folder `out`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_bytes, "PATIENCE", 0.2)
    (tmp_path / "out").mkdir()
    case = request.param
    if case.name == "no permission" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = tmp_path / f"file{case.suffix}"
    if callable(case.content):
        case.content(path)
    else:
        path.write_bytes(case.content)
    return case


def test_there_are_enough_cases():
    assert len(CASES) >= 40
    assert len({case.name for case in ALL}) == len(ALL)


def test_a_file_is_read_right_or_refused_in_one_sentence(case):
    refusal = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = read_table(f"file{case.suffix}", case.delimiter)
            if case.says is not None:  # some columns are refused a step later
                as_table(frame, missing="drop")
        except InputError as error:
            refusal = str(error)
    if case.says is not None:
        assert refusal is not None, "it should have been refused"
        assert case.says in refusal
        assert "\n" not in refusal
        assert len(refusal) < 400
        return
    assert refusal is None
    for name, values in case.reads.items():
        found = frame[name].tolist()
        assert len(found) == len(values)
        assert all(map(_same, found, values)), (name, found[:10])
    assert [str(warning.message) for warning in caught if not case.warns] == []
    if case.warns:
        assert case.warns in str(caught[0].message)
        assert caught[0].filename == __file__


def _same(found, expected):
    return found == expected or (pd.isna(found) and isinstance(expected, float))


def test_the_command_line_answers_or_refuses_in_one_line_and_leaves_nothing_half_done(case):
    options = ["--lam", "0.2", "--no-test", "--dependence", "copula", "--missing", "drop", "-q"]
    if case.delimiter:
        options += ["--delimiter", case.delimiter]
    result = CliRunner().invoke(
        main, ["learn", f"file{case.suffix}", *options, "-o", "out/graph.json", "-o", "out/g.csv"]
    )
    assert result.exit_code in (0, 2), (result.output, result.exception)
    assert "Traceback" not in result.output
    lines = result.stderr.splitlines()
    errors = [line for line in lines if line.startswith("Error: ")]
    assert all(line.startswith(("Error: ", "Warning: ")) for line in lines), lines
    assert "RuntimeWarning" not in result.stderr
    if case.says is not None:
        assert result.exit_code == 2
    if result.exit_code == 2:
        assert len(errors) == 1
        assert result.stdout == ""
        assert os.listdir("out") == []
    else:
        assert errors == []
        assert sorted(os.listdir("out")) == ["g.csv", "graph.json"]
        graph = Graph.load("out/graph.json")
        assert set(case.reads) <= set(graph.nodes)
        assert not any(math.isinf(edge.weight) and edge.weight < 0 for edge in graph.edges)


@pytest.mark.filterwarnings("ignore:column 'id' is taken as nominal")
def test_labels_without_number_are_refused_where_each_needs_its_own_correlations():
    frame = pd.DataFrame({"id": [f"k{i}" for i in range(20_000)], "b": range(20_000)})
    with pytest.raises(InputError, match="column 'id' has 20000 labels, and correlations with"):
        mrflearn.GSMPLE(dependence="gaussian", lam=0.1, kinds={"id": "nominal"}).fit(frame)


# --- Pipes and standard input ---------------------------------------------------------------------


def test_a_pipe_is_read_however_slowly_it_is_written(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write():
        with open(path, "wb", buffering=0) as stream:
            for position in range(0, len(AB), 5):
                stream.write(AB[position : position + 5])
                threading.Event().wait(0.02)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert read_table(path).to_dict("list") == READS_AB
    finally:
        writer.join()


def test_a_pipe_whose_writer_is_gone_is_read(tmp_path):
    reading, writing = os.pipe()  # what a shell makes of <(command)
    os.write(writing, AB)
    os.close(writing)
    assert read_table(f"/dev/fd/{reading}").to_dict("list") == READS_AB
    os.close(reading)


def test_what_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_bytes, "LARGEST_STREAM", 2**22)
    with open("/dev/zero") as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(InputError, match=r"^standard input goes on after 4 MB: save the"):
            read_table("-")


def test_a_closed_standard_input_is_refused(monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(AB)
    with open(tmp_path / "file") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(InputError, match=r"^cannot read standard input: .*closed"):
        read_table("-")


def test_no_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="cannot read standard input: there is none"):
        read_table("-")


def test_the_device_of_standard_input_is_standard_input(monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(AB)
    with open(tmp_path / "file") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert read_table("/dev/stdin").to_dict("list") == READS_AB
