"""The page for users of R: each call of its table runs as it stands."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "from-r.md"
COLUMNS = ("package", "in R", "here")
NOT_HERE = "not here"


def _cells(line):
    """Return the cells of one row of a Markdown table."""
    return tuple(
        cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")
    )


def _rows():
    """Return the rows of the table under `COLUMNS`, without its head."""
    lines = PAGE.read_text().splitlines()
    head = next(at for at, line in enumerate(lines) if _cells(line) == COLUMNS)
    rows = []
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(_cells(line))
    return rows


ROWS = _rows()
CALLS = [here for *_, here in ROWS if not here.startswith(NOT_HERE)]


@pytest.fixture(scope="module")
def names():
    """What the first block of the page defines: imports, small tables and a graph."""
    block = re.search(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)
    scope = {"__name__": "page_from_r"}
    exec(compile(block[1], str(PAGE), "exec"), scope)
    return scope


def test_the_table_is_whole():
    assert all(len(row) == len(COLUMNS) for row in ROWS)
    assert len(ROWS) >= 20
    assert len(CALLS) >= 20


def test_what_is_not_here_has_no_code():
    assert all("`" not in here for *_, here in ROWS if here.startswith(NOT_HERE))


def test_the_tables_are_what_the_page_says(names):
    assert set(names["as_table"](names["X"]).kinds) == {"continuous"}
    assert set(names["binary"].to_numpy().ravel().tolist()) == {0, 1}
    assert set(names["as_table"](names["mixed"]).kinds) == {"continuous", "ordinal", "nominal"}
    assert names["graph"].edges, "a graph that tells nothing"


@pytest.mark.parametrize("cell", dict.fromkeys(CALLS))
def test_a_call_of_the_table_runs(cell, names, tmp_path, monkeypatch):
    (code,) = re.fullmatch(r"`([^`]+)`", cell).groups()
    monkeypatch.chdir(tmp_path)
    assert eval(compile(code, "from-r.md", "eval"), dict(names)) is not None
