"""Reading options that name columns, kinds, groups and edges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mrflearn.errors import InputError, unknown

__all__ = [
    "check_name",
    "read_codes",
    "read_groups",
    "read_kinds",
    "read_names",
    "read_pairs",
    "written",
]


def _split(text: str, separator: str) -> list[str]:
    r"""Split at a separator, except where a backslash precedes it.

    Examples
    --------
    >>> _split(r"ratio a\:b:age", ":")
    ['ratio a:b', 'age']
    """
    parts = re.split(rf"(?<!\\){re.escape(separator)}", text)
    return [part.replace(f"\\{separator}", separator).strip() for part in parts]


def written(name: str, special: str = ",") -> str:
    r"""Return a name as an option wants it, in quotes for a shell.

    Examples
    --------
    >>> print(written("a,b"))
    'a\,b'
    """
    for sign in special:
        name = name.replace(sign, f"\\{sign}")
    return f"'{name}'"


def check_name(name: str, columns: Sequence[str], option: str) -> str:
    """Return a name that an option gives, or say which was meant."""
    if not name and name not in columns:
        raise InputError(f"{option}: a name is empty; name a column, such as {columns[0]!r}")
    if name not in columns:
        raise InputError(f"{option}: {unknown('column', name, columns)}")
    return name


def _fitting(name: str, columns: Sequence[str], option: str) -> list[str]:
    """Return the columns that a name stands for: itself or, where it has a *, all that fit.

    Examples
    --------
    >>> _fitting("q*", ["age", "q1", "q2"], "--drop")
    ['q1', 'q2']
    """
    if "*" not in name or name in columns:
        return [check_name(name, columns, option)]
    pattern = re.compile(".*".join(map(re.escape, name.split("*"))))
    fitting = [column for column in columns if pattern.fullmatch(column)]
    if not fitting:
        raise InputError(f"{option}: no column fits {name!r}; there is {columns[0]!r}, for one")
    return fitting


def read_names(texts: Sequence[str], columns: Sequence[str], option: str) -> list[str]:
    """Read columns."""
    for text in texts:
        if "," in text and text in columns and not set(_split(text, ",")) <= set(columns):
            raise InputError(
                f"{option}: a comma stands between columns; write {written(text)} for the column "
                f"{text!r}"
            )
    return [
        column
        for text in texts
        for name in _split(text, ",")
        for column in _fitting(name, columns, option)
    ]


def read_kinds(texts: Sequence[str], columns: Sequence[str]) -> dict[str, str | list[str]]:
    """Read kinds of columns, or the levels of ordinal ones."""
    kinds: dict[str, str | list[str]] = {}
    for text in texts:
        for item in _split(text, ","):
            parts = _split(item, "=")
            if len(parts) != 2:
                raise InputError(
                    f"--kinds wants COLUMN=KIND, such as age=continuous, got {item!r}; write \\= "
                    "for an equals sign in a name"
                )
            levels = _split(parts[1], "<")
            for name in _fitting(parts[0], columns, "--kinds"):
                kinds[name] = levels if len(levels) > 1 else parts[1]
    return kinds


def read_codes(texts: Sequence[str]) -> dict[str | None, list[str]]:
    """Read values that stand for missing ones: of a column, or of all, which is None.

    Examples
    --------
    >>> read_codes(["-99,refused", "age=999"])
    {None: ['-99', 'refused'], 'age': ['999']}
    """
    codes: dict[str | None, list[str]] = {}
    for text in texts:
        for item in _split(text, ","):
            *columns, code = _split(item, "=")
            if len(columns) > 1 or not code:
                raise InputError(
                    f"--na wants VALUE or COLUMN=VALUE, such as -99 or age=999, got {item!r}; "
                    "write \\= for an equals sign in a name"
                )
            codes.setdefault(columns[0] if columns else None, []).append(code)
    return codes


def read_pairs(texts: Sequence[str], columns: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Read edges."""
    pairs = []
    for text in texts:
        ends = _split(text, ":")
        if len(ends) != 2:
            raise InputError(
                f"{option} wants two columns, such as age:income, got {text!r}; write \\: for a "
                "colon in a name"
            )
        pairs.append((check_name(ends[0], columns, option), check_name(ends[1], columns, option)))
    return pairs


def read_groups(texts: Sequence[str], columns: Sequence[str]) -> dict[str, list[str]]:
    """Read variables made of several columns."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        parts = _split(text, "=")
        members = _split(parts[-1], "+")
        if len(parts) != 2 or not parts[0] or not all(members):
            raise InputError(
                f"--group wants NAME=COLUMN+COLUMN, such as position=x+y, got {text!r}; write \\= "
                "or \\+ for such a sign in a name"
            )
        if parts[0] in groups:
            raise InputError(f"--group: two groups are named {parts[0]!r}; rename one")
        groups[parts[0]] = [check_name(name, columns, "--group") for name in members]
    return groups
