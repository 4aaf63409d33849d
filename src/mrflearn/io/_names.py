"""Names of columns: each has one of its own. And how messages show text."""

from __future__ import annotations

from collections.abc import Sequence

from mrflearn._words import counted
from mrflearn.errors import InputError, warn_user

__all__ = ["check_names", "shown"]


def check_names(names: Sequence[str], table: str, line: int | None = None) -> None:
    """Say which column has no name of its own."""
    if len(names) < 2:
        raise InputError(f"{table} has {counted(len(names), 'column')} and a graph needs two")
    place = "" if line is None else f" in line {line}"
    first_seen: dict[str, int] = {}
    for position, column in enumerate(names, start=1):
        if not column:
            raise InputError(
                f"column {position} of {table} has no name{place}: give it one, or save the table "
                "without its row numbers (pandas: index=False; R: row.names=FALSE)"
            )
        if column in first_seen:
            raise InputError(
                f"columns {first_seen[column]} and {position} of {table} have the same name "
                f"{shown(column)}{place}: rename one of them"
                + (" (or is the line of names missing?)" if _is_number(column) else "")
            )
        first_seen[column] = position
    if all(map(_is_number, names)) and not all(column.isdecimal() for column in names):
        warn_user(
            f"the first line of {table} holds only numbers ({', '.join(names[:3])}, …) and is "
            "taken as the names of the columns: if it is data, put a line of names before it",
        )


def shown(text: str) -> str:
    """Return text in quotes, cut if it is long."""
    return repr(text if len(text) <= 60 else text[:59] + "…")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
