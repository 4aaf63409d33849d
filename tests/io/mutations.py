"""What may come of mutated files: a table, or one sentence.

    python tests/io/mutations.py arrow 0 400

runs the mutations 0 to 399 of Arrow's files in a process of its own, so that a crash of pyarrow is
seen, and prints a line for each that went wrong.
"""

import os
import sys
import tempfile
import warnings
from pathlib import Path

from click.testing import CliRunner
from mutated_arrow import arrow_file
from mutated_text import text_file

from mrflearn.cli import main
from mrflearn.errors import InputError
from mrflearn.graph import Graph
from mrflearn.io import read_table
from mrflearn.table import as_table

FILES = {"text": text_file, "arrow": arrow_file}

THROUGH_THE_COMMAND_LINE = 25
"""One mutation of so many goes all the way."""

OPTIONS = ["--lam", "0.2", "--no-test", "--dependence", "copula", "--missing", "drop", "-q"]


def trouble(kind, number, folder):
    """Return what is wrong with the answer to one file, "" if nothing is."""
    content, suffix = FILES[kind](number)
    path = Path(folder) / f"file{suffix}"
    path.write_bytes(content)
    found = _in_the_library(path)
    if not found and number % THROUGH_THE_COMMAND_LINE == 0:
        found = _on_the_command_line(path, Path(folder) / "out")
    path.unlink()
    return f"{kind} {number}: {found}" if found else ""


def _in_the_library(path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = read_table(path)
            as_table(frame, missing="drop")
        except InputError as error:
            if len(str(error).splitlines()) != 1:
                return f"several lines: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        else:
            if not len(frame) or len(set(frame.columns)) < max(2, len(frame.columns)):
                return f"a table of shape {frame.shape}"
    foreign = [
        str(warning.message)
        for warning in caught
        if warning.category is not UserWarning or "mrflearn" in warning.filename
    ]
    return f"warnings: {foreign}" if foreign else ""


def _on_the_command_line(path, out):
    out.mkdir()
    target = out / "graph.json"
    result = CliRunner().invoke(main, ["learn", str(path), *OPTIONS, "-o", str(target)])
    left = os.listdir(out)
    lines = result.stderr.splitlines()
    errors = [line for line in lines if line.startswith("Error: ")]
    good = result.exit_code == 0 and not errors and left == ["graph.json"]
    refused = result.exit_code == 2 and len(errors) == 1 and not left and not result.stdout
    strange = [line for line in lines if not line.startswith(("Error: ", "Warning: "))]
    if good:
        Graph.load(target)
    for name in os.listdir(out):
        (out / name).unlink()
    out.rmdir()
    if strange or not (good or refused):
        return f"exit code {result.exit_code}, {result.exception!r}, {left}: {result.output[:300]}"
    return ""


def troubles(kind, first, last):
    """Return what is wrong with the answers to some files, by number."""
    with tempfile.TemporaryDirectory() as folder:
        found = [trouble(kind, number, folder) for number in range(first, last)]
    return [line for line in found if line]


if __name__ == "__main__":
    for line in troubles(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])):
        print(ascii(line))
