"""What commands show: names kept whole, and warnings for users alone."""

import csv
import io
import subprocess
import sys
import warnings

import numpy as np
import pytest

from mrflearn.cli._output import plain_warnings, printable, show_rows


@pytest.mark.parametrize("name", ["a\rb", "\r", "a\tb", 'a"b', "a\nb", "a\r\nb", "größe", ""])
def test_tab_separated_text_keeps_names_whole(capsysbinary, name):
    show_rows(["one", "two"], [[name, "x"], ["y", name]])
    shown = io.StringIO(capsysbinary.readouterr().out.decode(), newline="")
    assert list(csv.reader(shown, delimiter="\t")) == [["one", "two"], [name, "x"], ["y", name]]


def test_a_lone_carriage_return_is_quoted(capsys):
    show_rows(["name"], [["a\rb"]])
    assert capsys.readouterr().out == 'name\n"a\rb"\n'


def test_what_steers_a_terminal_is_spelled_out_and_nothing_else():
    assert printable("größe \\ 'a' \"b\" 模\x1b[2J\n") == "größe \\ 'a' \"b\" 模\\x1b[2J\\n"


def test_our_warnings_are_shown_once_as_one_line(capsys):
    with plain_warnings():
        for _ in range(2):
            warnings.warn("look at\n  missing='drop'", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Warning: look at --missing drop\n"


def test_warnings_for_developers_are_not_shown(capsys, monkeypatch):
    monkeypatch.setattr(sys, "warnoptions", [])
    with plain_warnings():
        np.log(np.zeros(1))
        warnings.warn("the next version differs", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_an_option_of_python_brings_them_back():
    program = (
        "import numpy as np\n"
        "from mrflearn.cli._output import plain_warnings\n"
        "with plain_warnings(): np.log(np.zeros(1))"
    )
    call = [sys.executable, "-W", "default", "-c", program]
    assert "divide by zero" in subprocess.run(call, capture_output=True, text=True).stderr
