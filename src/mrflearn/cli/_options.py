"""Reading options that name columns, kinds, edges and files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import click

from mrflearn.errors import InputError, unknown

__all__ = ["Lambda", "check_targets", "read_kinds", "read_names", "read_pairs"]


class Lambda(click.ParamType):
    """A number, or auto."""

    name = "number or auto"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the number, or "auto"."""
        if value == "auto":
            return "auto"
        try:
            return float(value)
        except ValueError:
            raise InputError(f"--lam must be a number or auto, got {value!r}") from None


def check_targets(file: str, outputs: Sequence[str], figure: str | None) -> None:
    """Check that every output can be written, and that none is the table or written twice."""
    from mrflearn.io import WRITERS, check_target
    from mrflearn.plot import FIGURES

    targets = [check_target(path, WRITERS) for path in outputs]
    if figure is not None:
        targets.append(check_target(figure, FIGURES))
    for position, target in enumerate(targets):
        if target in targets[:position]:
            raise InputError(f"{str(target)!r} is to be written twice: name it once")
        if os.path.exists(file) and os.path.exists(target) and os.path.samefile(file, target):
            raise InputError(f"{str(target)!r} is the table itself: name another file to write")


def _split(text: str, separator: str) -> list[str]:
    r"""Split at a separator, except where a backslash precedes it.

    Examples
    --------
    >>> _split(r"ratio a\:b:age", ":")
    ['ratio a:b', 'age']
    """
    parts = re.split(rf"(?<!\\){re.escape(separator)}", text)
    return [part.replace(f"\\{separator}", separator).strip() for part in parts]


def _check_name(name: str, columns: Sequence[str], option: str) -> str:
    if name not in columns:
        raise InputError(f"{option}: {unknown('column', name, columns)}")
    return name


def read_names(texts: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Read the columns to drop."""
    return [_check_name(name, columns, "--drop") for text in texts for name in _split(text, ",")]


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
            name = _check_name(parts[0], columns, "--kinds")
            kinds[name] = levels if len(levels) > 1 else parts[1]
    return kinds


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
        pairs.append((_check_name(ends[0], columns, option), _check_name(ends[1], columns, option)))
    return pairs
