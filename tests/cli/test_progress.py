"""The progress bar, and Ctrl-C, as a user at a terminal meets them."""

import os
import re
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

pty = pytest.importorskip("pty")
PROGRAM = [sys.executable, "-c", "from mrflearn.cli import main; main(prog_name='mrflearn')"]
HIDDEN, VISIBLE = b"\x1b[?25l", b"\x1b[?25h"
CTRL_C = b"\x03"
PATIENCE = 120


@pytest.fixture(autouse=True)
def table(folder):
    """Write a table that takes a while."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    for j in range(1, 12):
        X[:, j] += X[:, j - 1]
    pd.DataFrame(X).add_prefix("v").to_csv("table.csv", index=False)


class Terminal:
    """A command at a terminal of its own, which passes Ctrl-C on to it and its processes."""

    def __init__(self, *arguments):
        import fcntl
        import termios

        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
        self.running = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.shown = b""

    def read(self, until=None):
        """Read until some text is shown, or to the end."""
        deadline = time.monotonic() + PATIENCE
        while until is None or until.encode() not in self.shown:
            assert time.monotonic() < deadline, self.text
            if not select.select([self._ours], [], [], 1)[0]:
                continue
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # how Linux says that the other side has closed
                piece = b""
            if not piece:
                assert until is None, self.text
                return
            self.shown += piece

    def press(self, key):
        """Press a key."""
        os.write(self._ours, key)

    def end(self):
        """Return the exit code."""
        self.read()
        os.close(self._ours)
        return self.running.wait(PATIENCE)

    @property
    def text(self):
        """What was shown, without colours."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.shown.decode()).replace("\r", "\n")


def test_a_terminal_sees_phases_counts_and_time_left():
    terminal = Terminal(
        "learn", "table.csv", "--dependence", "gaussian", "--stability", 5, "--n-jobs", 2
    )
    assert terminal.end() == 0
    for phase, expected in [
        ("Comparing pairs", 66),
        ("Growing", r"\d+"),
        ("Shrinking", r"\d+"),
        ("Choosing lambda", r"\d+"),
        ("Testing edges", 11),
        ("Checking stability", 5),
    ]:
        line = rf"{phase} +━+ +0/{expected} 0:00:\d\d left -:--:--"
        assert re.search(line, terminal.text), phase
    assert re.search(r"left 0:00:\d\d", terminal.text)
    assert terminal.shown.count(HIDDEN) == terminal.shown.count(VISIBLE) == 1


def test_lines_of_the_bar_fit_a_terminal_of_80_columns():
    terminal = Terminal("learn", "table.csv", "--dependence", "gaussian", "--no-test")
    assert terminal.end() == 0
    bars = [line for line in terminal.text.splitlines() if "━" in line]
    assert bars
    assert all(len(line) <= 80 and "…" not in line for line in bars)


@pytest.mark.parametrize(
    ("phase", "arguments"),
    [
        ("Checking stability", ("learn", "table.csv", "--no-test", "--stability", 5000)),
        (
            "Choosing lambda",
            ("learn", "table.csv", "--dependence", "knn", "--no-test", "--n-jobs", 2),
        ),
        ("Comparing methods", ("compare", "table.csv")),
        ("Measuring chance", ("blanket", "table.csv", "--target", "v3", "--dependence", "knn")),
        ("Runs", ("reproduce", "--runs", 50)),
    ],
)
def test_ctrl_c_gives_the_terminal_back(phase, arguments):
    if "reproduce" in arguments:
        pytest.importorskip("pyarrow")
    terminal = Terminal(*arguments)
    terminal.read(until=phase)
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert "Interrupted." in terminal.text
    assert "Traceback" not in terminal.text
    assert terminal.shown.rfind(VISIBLE) > terminal.shown.rfind(HIDDEN) >= 0


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.4, 0.8])
def test_ctrl_c_is_no_traceback_while_a_command_begins(seconds):
    terminal = Terminal("describe", "table.csv")
    time.sleep(seconds)
    terminal.press(CTRL_C)
    # Too early, and the signal ends Python itself; too late, and the command is through.
    ended = terminal.end()
    assert ended in (130, -signal.SIGINT, 0) or "Fatal Python error: init_" in terminal.text
    # Until our package is found, a traceback is Python's own.
    ours = set(re.findall(r"mrflearn/[\w/]+\.py", terminal.text))
    assert ours <= {"mrflearn/__init__.py"}


@pytest.mark.parametrize("quiet", [False, True])
def test_nothing_of_progress_where_nobody_watches(quiet):
    command = [*PROGRAM, "learn", "table.csv", "--dependence", "gaussian", "--no-test"]
    done = subprocess.run([*command, *["--quiet"] * quiet], capture_output=True, text=True)
    assert done.returncode == 0
    assert "Growing" not in done.stderr
    assert "\x1b" not in done.stderr
    assert "━" not in done.stderr
    assert not (quiet and done.stderr)


def test_quiet_shows_no_bar_at_a_terminal():
    terminal = Terminal("learn", "table.csv", "--dependence", "gaussian", "--no-test", "--quiet")
    assert terminal.end() == 0
    assert "Growing" not in terminal.text
    assert HIDDEN not in terminal.shown
