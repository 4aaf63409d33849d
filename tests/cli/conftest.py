"""What tests of commands share: an empty folder, a small table, and ways to run a command."""

import os
import re
import select
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from mrflearn.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def chain():
    """Write a table in which a, b and c form a chain, d is nominal and e is alone."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    b = a + 0.5 * rng.normal(size=200)
    c = b + 0.5 * rng.normal(size=200)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": np.where(c > 0, "hi", "lo")})
    frame["e"] = rng.normal(size=200)
    frame.to_csv("chain.csv", index=False)
    return frame


@pytest.fixture
def run():
    """Run a command in this process, and expect it to end with a code."""

    def call(*arguments, code=0, **options):
        result = CliRunner().invoke(
            main, [str(argument) for argument in arguments], prog_name="mrflearn", **options
        )
        assert result.exit_code == code, (result.output, result.exception)
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture
def refusal(run):
    """Return the one line of a refusal."""

    def call(*arguments, **options):
        result = run(*arguments, code=2, **options)
        assert result.stdout == ""
        *_, line = result.stderr.splitlines()
        assert line.startswith("Error: ")
        return line

    return call


@pytest.fixture
def on_terminal():
    """Return what a command shows on a terminal, without its colours."""
    pty = pytest.importorskip("pty")

    def call(*arguments):
        ours, theirs = pty.openpty()
        program = "from mrflearn.cli import main; main(prog_name='mrflearn')"
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
        shown = b""
        with subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            stdout=theirs,
            stderr=theirs,
            env=environment,
        ) as running:
            os.close(theirs)
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and select.select([ours], [], [], 60)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # how Linux says that the other side has closed
                    break
                if not piece:
                    break
                shown += piece
            assert running.wait(60) == 0
        os.close(ours)
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r", "\n")

    return call
