"""JSON files of ours: strict JSON, written whole, and whatever is wrong with one is one error."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, suggestion

__all__ = [
    "check_json_target",
    "dump",
    "plain",
    "plain_matrix",
    "read_list",
    "read_matrix",
    "read_names",
    "read_position",
    "read_text",
    "reading",
]


_OTHER_TYPES = {
    **dict.fromkeys(
        (".csv", ".dot", ".gexf", ".graphml", ".gv", ".parquet"),
        "mrflearn.io.write_graph for a graph as {}",
    ),
    **dict.fromkeys((".htm", ".html"), "mrflearn.report.write_report for a report as {}"),
    **dict.fromkeys((".pdf", ".png", ".svg"), "mrflearn.plot.save_figure for a figure as {}"),
    **dict.fromkeys((".feather", ".jpg", ".npy", ".npz", ".pickle", ".pkl", ".tsv", ".xlsx"), ""),
}
"""Suffixes of files that hold no JSON, and who writes them."""


def check_json_target(path: str | os.PathLike[str]) -> Path:
    """Return where JSON is to be written, unless the name says that the file holds something else.

    Examples
    --------
    >>> check_json_target("graph.json").name
    'graph.json'
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in _OTHER_TYPES:
        return target
    other = _OTHER_TYPES[suffix].format(suffix)
    remedy = f", or call {other}" if other else ""
    raise InputError(
        f"cannot write {str(target)!r}: save writes JSON; end the name in .json{remedy}"
    )


def plain(value: float | None) -> float | str | None:
    """Return a number as strict JSON can hold it: infinities as text, NaN as null."""
    if value is None or math.isnan(value):
        return None
    return str(float(value)) if math.isinf(value) else float(value)


def plain_matrix(matrix: NDArray[np.float64] | None) -> list[list[float | str | None]] | None:
    return None if matrix is None else [[plain(value) for value in row] for row in matrix.tolist()]


def read_matrix(value: Any, n_nodes: int) -> NDArray[np.float64] | None:
    if value is None:
        return None
    rows = [[math.nan if item is None else float(item) for item in read_list(row)] for row in value]
    matrix = np.array(rows, dtype=float).reshape(len(rows), -1)
    if matrix.shape != (n_nodes, n_nodes):
        raise ValueError(f"a matrix of shape {matrix.shape} for {n_nodes} nodes")
    return matrix


def read_position(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a position")
    return value


def read_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return value


def read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value


def read_names(value: Any) -> list[str]:
    for name in read_list(value):
        if not isinstance(name, str):
            raise ValueError(f"{name!r} is not the name of a node")
    return value


def dump(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace")  # half a surrogate pair, as JSON escapes it


class reading:  # noqa: N801 (a context manager reads like a verb)
    """Read a JSON file of ours; whatever is wrong with it becomes one `InputError`."""

    def __init__(self, path: str | os.PathLike[str], format_name: str) -> None:
        self.path, self.format_name = Path(path), format_name

    def __enter__(self) -> dict[str, Any]:
        try:
            content = json.loads(self.path.read_bytes())
        except OSError as error:
            closest = suggestion(self.path) if isinstance(error, FileNotFoundError) else ""
            raise InputError(f"cannot read {str(self.path)!r}: {error.strerror}{closest}") from None
        except (ValueError, RecursionError):
            raise InputError(f"{str(self.path)!r} is not a JSON file") from None
        found = content.get("format") if isinstance(content, dict) else None
        if found != self.format_name:
            raise InputError(f"{str(self.path)!r} is not a {self.format_name} (format: {found!r})")
        if content.get("version") != 1:
            raise InputError(
                f"{str(self.path)!r} has version {content.get('version')!r} of the "
                f"{self.format_name} format; this mrflearn reads version 1"
            )
        return content

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, (LookupError, TypeError, ValueError, OverflowError, RecursionError)):
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)[:200]
            raise InputError(f"{str(self.path)!r} is damaged: {what}") from None
