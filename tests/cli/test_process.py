"""The command as a process of its own: exit codes, streams, Ctrl-C; and nothing half done."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mrflearn.cli._commands import INTERRUPTED
from mrflearn.graph import Graph

PROGRAM = [sys.executable, "-c", "from mrflearn.cli import main; main(prog_name='mrflearn')"]

posix = pytest.mark.skipif(sys.platform == "win32", reason="shells and signals of POSIX")


BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""An environment in which Python keeps what it could not write, and tries again at the end."""


def process(*arguments, **options):
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, timeout=60, **options
    )


def test_exit_codes_and_streams_of_a_real_process(chain):
    good = process("learn", "chain.csv", "--dependence", "gaussian")
    assert good.returncode == 0
    assert good.stdout.startswith("source\ttarget\tscore\tp\tq\n")
    assert "\x1b" not in good.stdout + good.stderr
    bad = process("learn", "nothing.csv")
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("Error: cannot read 'nothing.csv'")
    assert len(bad.stderr.splitlines()) == 1


@posix
def test_a_reader_that_stops_early_is_no_error():
    # More than a pipe holds, or the reader could stop unnoticed.
    names = [f"{'long name ' * 8}{i}" for i in range(36)]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 36)), columns=names)
    frame.to_csv("wide.csv", index=False)
    command = [*PROGRAM, "learn", "wide.csv", "--dependence", "gaussian", "--lam", "-inf"]
    command.append("--no-test")
    pipeline = f"{shlex.join([*command, '-o', 'wide.json'])} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", pipeline], capture_output=True, text=True, timeout=60, env=BUFFERED
    )
    assert done.stdout == "source\ttarget\tscore\n0\n"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert len(Graph.load("wide.json").edges) == 36 * 35 // 2  # what was asked for is there


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(chain):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "learn", "chain.csv", "--dependence", "gaussian", "-q"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=BUFFERED,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_a_terminal_that_lacks_a_letter_still_gets_its_edges(chain):
    chain.rename(columns={"a": "größe 模"}).to_csv("odd.csv", index=False)
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = ("learn", "odd.csv", "--dependence", "gaussian")
    done = process(*command, env=environment, encoding="latin-1")
    assert done.returncode == 0
    assert "größe \\u6a21\tb" in done.stdout


@posix
def test_ctrl_c_leaves_no_file_and_exit_code_130():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(3000, 30))).add_prefix("v")
    frame.to_csv("large.csv", index=False)
    before = sorted(os.listdir())
    command = [*PROGRAM, "learn", "large.csv", "-o", "g.json", "--figure", "g.png"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        assert b"3000 rows" in running.stderr.readline()  # the table is read, learning begins
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read().decode()
        printed = running.stdout.read()
        assert running.wait(60) == INTERRUPTED == 130
    assert said.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in said
    assert printed == b""
    assert sorted(os.listdir()) == before


def test_a_terminal_gets_an_aligned_table_and_progress(chain, on_terminal):
    text = on_terminal("learn", "chain.csv", "--dependence", "gaussian")
    for phase in ("Comparing pairs", "Growing", "Shrinking", "Choosing lambda", "Testing edges"):
        assert phase in text
    rows = [line for line in text.splitlines() if re.fullmatch(r"[a-e] +[a-e] +-?\d\..*", line)]
    assert len(rows) >= 3
    assert len({len(row) for row in rows}) == 1
    assert "\t" not in text


def test_help_imports_nothing_slow():
    slow = {"matplotlib", "networkx", "numba", "numpy", "pandas", "scipy", "sklearn"}
    code = "import sys, mrflearn.cli as c; sys.argv[1:] = ['--help']\ntry: c.main()\n"
    code += f"except SystemExit: print(sorted({slow!r} & set(sys.modules)), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert b"Usage" in ran.stdout
    assert ran.stderr.splitlines()[-1] == b"[]"
