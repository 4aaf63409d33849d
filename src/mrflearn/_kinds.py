"""What kind a column is, why, and its values as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._columns import RawColumn
from mrflearn._words import listed
from mrflearn.errors import InputError, unknown

__all__ = ["FEW_LEVELS", "KINDS", "Column", "encode"]

KINDS = ("continuous", "ordinal", "nominal")

MISSING_CODES = (-9, -99, -999, -9999, 9, 99, 999, 9999)
"""Numbers that questionnaires use for answers that are missing."""

FEW_LEVELS = 10
"""An integer column is ordinal when it has at most this many distinct values, each seen at least
twice on average; with more it is continuous."""


@dataclass(frozen=True)
class Column:
    """What one column of a `Table` is taken for, and why."""

    name: str
    kind: str
    reason: str
    levels: tuple[Any, ...] | None
    """Labels of an ordinal or nominal column, in the order of their codes."""
    n_distinct: int
    n_missing: int
    """Missing or infinite values among all rows given, dropped rows included."""
    note: str = ""
    """What a user should look at twice, in words."""
    about: str = ""
    """What the note is about: `"constant"`, `"text"`, `"typo"`, `"identifier"`, `"rare"`, `"few"`
    or `"code"`."""
    code: str = ""
    """The number that may stand for missing values, of a note about one."""

    @property
    def constant(self) -> bool:
        """Whether every row holds the same value."""
        return self.n_distinct <= 1


def encode(
    raw: RawColumn, keep: NDArray[np.bool_], wanted: str | Sequence[Any] | None
) -> tuple[Column, NDArray[np.float64]]:
    """Decide the kind of one column and return its values as numbers, not yet scaled."""
    kept = raw.values[keep]
    levels: list[Any] | None = None
    if isinstance(wanted, str):
        if wanted not in KINDS:
            raise InputError(f"column {raw.name!r}: {unknown('kind', wanted, KINDS)}")
        kind, reason = wanted, "declared"
    elif wanted is not None:
        kind, reason = "ordinal", "declared with levels"
        if isinstance(wanted, Iterable) and not isinstance(wanted, Set):
            levels = list(wanted)
        if levels is None or not all(isinstance(level, Hashable) for level in levels):
            raise InputError(
                f"kinds=: column {raw.name!r} is {listed(KINDS, quote=True)} or a list of its "
                f"levels, lowest first; got {wanted!r}"
            )
    else:
        kind, reason = _infer_kind(raw, kept)

    if kind == "continuous":
        codes = raw.numbers(keep)
        levels = None
    elif kind == "ordinal" and levels is None and raw.type == "integer":
        codes = raw.numbers(keep)  # an integer is its own code
        levels = [int(level) for level in np.unique(codes)]
    else:
        if levels is None:
            levels = raw.ordered_levels(keep) if kind == "ordinal" else raw.levels(keep)
        codes = raw.codes(keep, levels)
    distinct = np.unique(codes)
    n_distinct = len(distinct)
    counting = raw.type == "integer" and n_distinct == len(codes) == np.ptp(codes) + 1.0
    misfits = raw.misfits(~raw.missing)
    about, note = _note(kind, reason, n_distinct, len(kept), misfits, bool(counting))
    code = "" if about else _odd_code(raw, kind, reason, distinct)
    if code:
        about, note = "code", f"{code} is far from all other values: a code for missing ones?"
    column = Column(
        name=raw.name,
        kind=kind,
        reason=reason,
        levels=None if levels is None else tuple(levels),
        n_distinct=n_distinct,
        n_missing=int((raw.missing | raw.infinite).sum()),
        note=note,
        about=about,
        code=code,
    )
    return column, codes


def _odd_code(raw: RawColumn, kind: str, reason: str, distinct: NDArray[np.float64]) -> str:
    """Return a number that may stand for a missing value, far from all others, or ""."""
    typed = raw.type in ("integer", "float")
    if not typed or reason.startswith("declared") or len(raw.values) <= FEW_LEVELS:
        return ""
    for code in MISSING_CODES:
        others = distinct[distinct != code]
        usual = kind == "ordinal" or abs(code) > 9
        there = usual and 3 <= len(others) < len(distinct)
        if there and np.abs(others - code).min() >= np.ptp(others):
            return str(code)
    return ""


def _infer_kind(raw: RawColumn, kept: NDArray[Any]) -> tuple[str, str]:
    """Return the kind that the type of a column suggests, and the reason in words."""
    if raw.type == "ordered":
        return "ordinal", "ordered categories"
    if raw.type in ("category", "string", "boolean"):
        return "nominal", {"category": "categories"}.get(raw.type, f"{raw.type} values")
    if raw.type == "integer":
        n_distinct = len(np.unique(kept))
        if n_distinct <= min(FEW_LEVELS, len(kept) / 2):
            return "ordinal", f"integers with few levels ({n_distinct})"
        return "continuous", f"integers with many levels ({n_distinct})"
    return "continuous", {"float": "floating-point numbers", "time": "dates or durations"}[raw.type]


def _note(
    kind: str,
    reason: str,
    n_distinct: int,
    n_samples: int,
    misfits: list[tuple[int, Any]] | None,
    counting: bool,
) -> tuple[str, str]:
    """Return what a user should look at twice in one column: a word, and a sentence."""
    if n_distinct == 1:
        return "constant", "constant: an isolated node"
    if reason == "declared":
        return "", ""
    if kind == "nominal" and misfits == [] and n_distinct > FEW_LEVELS:
        return "text", "numbers stored as text: continuous?"
    if kind == "nominal" and misfits:
        row, label = misfits[0]
        many = f" and {len(misfits) - 1} more" if len(misfits) > 1 else ""
        where = f"(row {row}, counting from 0){many}"
        return "typo", f"numbers but for {label!r} {where}: a typing mistake?"
    if kind == "nominal" and n_distinct == n_samples > FEW_LEVELS:
        return "identifier", "every row differs: an identifier?"
    if kind == "nominal" and n_distinct > max(FEW_LEVELS, n_samples / 5):
        return "rare", "many levels for so few rows: merge rare ones?"
    if kind == "continuous" and n_distinct <= FEW_LEVELS < n_samples:
        return "few", f"only {n_distinct} distinct values: declare it ordinal or nominal?"
    if kind == "continuous" and counting and n_samples > FEW_LEVELS:
        return "identifier", "whole numbers, each once and none left out: an identifier?"
    return "", ""
