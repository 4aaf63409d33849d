"""5,000 mutated files: each becomes a table or one sentence, never anything else."""

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import mutations
import pandas as pd
import pytest
from mutated_text import base, text_file

import mrflearn
from mrflearn.io import read_table

N_TEXT, N_ARROW = 3000, 2000
TEXT_PORTION, ARROW_PORTION = 200, 400


@pytest.mark.parametrize("first", range(0, N_TEXT, TEXT_PORTION))
def test_mutated_text_is_a_table_or_a_sentence(first):
    assert mutations.troubles("text", first, first + TEXT_PORTION) == []


@pytest.mark.parametrize("first", range(0, N_ARROW, ARROW_PORTION))
def test_mutated_arrow_files_are_tables_or_sentences(first):
    pytest.importorskip("pyarrow")
    source = str(Path(mrflearn.__file__).parents[1])
    finished = subprocess.run(
        [sys.executable, "-X", "faulthandler", mutations.__file__, "arrow", str(first),
         str(first + ARROW_PORTION)],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=300,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr[-3000:]
    assert finished.stdout.splitlines() == []


def test_a_file_is_made_from_its_number_alone():
    assert text_file(7) == text_file(7)
    assert len({text_file(number) for number in range(100)}) > 90


SAME_TABLE = {
    **{
        encoding: lambda text, encoding=encoding: text.encode(encoding)
        for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
    },
    "gzip": lambda text: gzip.compress(text.encode()),
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "macintosh": lambda text: text.replace("\n", "\r").encode(),
    "blank lines": lambda text: text.replace("\n", "\n\n").encode(),
    "all at once": lambda text: gzip.compress(text.replace("\n", "\r").encode("utf-16-be")),
}


@pytest.mark.parametrize("change", SAME_TABLE)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_can_be_recognised_is_read_as_the_table_it_is(tmp_path, change, delimiter):
    for number in range(20):
        text = base(random.Random(number)).decode()
        (tmp_path / "plain.csv").write_text(text)
        expected = read_table(tmp_path / "plain.csv")
        changed = text.replace('"a,b"', "a-b").replace(",", delimiter).replace("a-b", '"a,b"')
        (tmp_path / "changed").write_bytes(SAME_TABLE[change](changed))
        pd.testing.assert_frame_equal(read_table(tmp_path / "changed"), expected)


def test_western_text_is_read_as_the_table_it_is(tmp_path):
    for number in range(20):
        text = base(random.Random(number)).decode()
        (tmp_path / "plain.csv").write_text(text)
        (tmp_path / "changed").write_bytes(text.encode("cp1252"))
        with pytest.warns(UserWarning, match=r"byte 0xf6 in line 1.* read as Windows-1252"):
            found = read_table(tmp_path / "changed")
        pd.testing.assert_frame_equal(found, read_table(tmp_path / "plain.csv"))
