"""What kind a column is, why, and its values as numbers."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._columns import RawColumn, sign_of
from mrflearn._words import listed
from mrflearn.errors import InputError, unknown

__all__ = ["FEW_LEVELS", "KINDS", "Column", "encode"]

KINDS = ("continuous", "ordinal", "nominal")

MISSING_CODES = tuple(
    sign * int(digits)
    for length in range(1, 6)
    for digits in sorted({"7" * length, "8" * length, *("9" * (length - 1) + d for d in "789")})
    for sign in (-1, 1)
)
"""Numbers that questionnaires use for answers that are missing: -7, 7, -8, 8, …, -99999, 99999."""

FEW_LEVELS = 10
"""A column of whole numbers is ordinal when it has at most this many distinct values, each seen at
least twice on average; with more it is continuous. With two it is, whatever numbers these are."""

ENOUGH_ROWS = 1000
"""Rows among which a column that is measured holds more than two values."""

_WHOLE = {"integer": "integers", "whole": "whole numbers"}
"""Types of columns of whole numbers, as reasons name them: of integers, and of floats."""

_TWO_VALUES = "numbers of two values"
"""The reason to take other floats for levels, which are their own codes as well."""


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
    """The numbers that may stand for missing values, of a note about them, joined by commas."""

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
    elif kind == "ordinal" and levels is None and raw.type in _WHOLE:
        codes = raw.numbers(keep)  # a whole number is its own code
        levels = [int(level) for level in np.unique(codes)]
    elif kind == "ordinal" and reason == _TWO_VALUES:
        codes = raw.numbers(keep)
        levels = np.unique(codes).tolist()
    else:
        if levels is None:
            levels = raw.ordered_levels(keep) if kind == "ordinal" else raw.levels(keep)
        codes = raw.codes(keep, levels)
    distinct, counts = np.unique(codes, return_counts=True)
    n_distinct = len(distinct)
    counting = raw.type in _WHOLE and n_distinct == len(codes) == np.ptp(codes) + 1.0
    about, note = _note_of_text(raw, kind, reason, n_distinct)
    if not about:
        about, note = _note(kind, reason, n_distinct, len(kept), bool(counting))
    code = ""
    if about in ("", "few") and not reason.startswith("declared"):
        code, odd = _odd_codes(raw, kind, distinct, counts)
        about, note = ("code", odd) if code else (about, note)
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


def _odd_codes(
    raw: RawColumn, kind: str, distinct: NDArray[np.float64], counts: NDArray[np.intp]
) -> tuple[str, str]:
    """Return the numbers that may stand for missing values, and the note about them."""
    if raw.type not in ("float", *_WHOLE) or len(raw.values) <= FEW_LEVELS:
        return "", ""
    small = 0 if kind == "ordinal" else 9  # too usual among numbers of all sizes
    there = [code for code in MISSING_CODES if code in distinct and abs(code) > small]
    far = _far_codes(there, kind, distinct)
    negative = distinct < 0
    lone = _in_company([code for code in there if code < 0], kind)
    if len(lone) != negative.sum() or (~negative).sum() < 2 or counts[negative].max(initial=0) < 2:
        lone = []
    codes = sorted({*far, *lone}, key=lambda code: (abs(code), code))
    if not codes:
        return "", ""
    many = len(codes) > 1
    if codes == far:
        where = "far from all other values"
    elif codes == lone:
        where = f"the only negative value{'s' * many}"
    else:
        where = "apart from all other values"
    named = list(map(str, codes))
    shown = f"{', '.join(named[:-1])} and {named[-1]} are" if many else f"{named[0]} is"
    return ",".join(named), f"{shown} {where}: {'codes' if many else 'a code'} for missing ones?"


def _far_codes(there: list[int], kind: str, distinct: NDArray[np.float64]) -> list[int]:
    """Return the codes that are as far from all values that are none as those spread."""
    codes = there
    while codes:
        others = distinct[~np.isin(distinct, codes)]
        if len(others) < 2:
            return []
        least = np.ptp(others) * (4 if len(others) == 2 else 1)
        far = [code for code in codes if np.abs(others - code).min() >= least]
        far = _in_company(far, kind)
        if far == codes:
            break
        codes = far  # what is none after all is one of the others
    return codes


def _in_company(codes: list[int], kind: str) -> list[int]:
    """Return codes without those that mean it only beside nines: 7 and, among amounts, 77."""

    def nines(code: int) -> int:
        return int(re.sub(r"\d", "9", str(code)))

    return [
        code
        for code in codes
        if nines(code) in codes or (abs(code) > 9 and (code < 0 or kind == "ordinal"))
    ]


def _infer_kind(raw: RawColumn, kept: NDArray[Any]) -> tuple[str, str]:
    """Return the kind that the type of a column suggests, and the reason in words."""
    if raw.type == "ordered":
        return "ordinal", "ordered categories"
    if raw.type in ("category", "string", "boolean"):
        return "nominal", {"category": "categories"}.get(raw.type, f"{raw.type} values")
    if raw.type == "time":
        return "continuous", "dates or durations"
    if raw.type == "float" and len(np.unique(kept[:ENOUGH_ROWS])) > 2:  # spares sorting them all
        return "continuous", "floating-point numbers"
    n_distinct = len(np.unique(kept))
    few = n_distinct <= min(FEW_LEVELS, len(kept) / 2)
    if raw.type in _WHOLE:
        numbers = _WHOLE[raw.type]
        if few:
            return "ordinal", f"{numbers} with few levels ({n_distinct})"
        return "continuous", f"{numbers} with many levels ({n_distinct})"
    if few and n_distinct == 2:
        return "ordinal", _TWO_VALUES
    return "continuous", "floating-point numbers"


def _note_of_text(raw: RawColumn, kind: str, reason: str, n_distinct: int) -> tuple[str, str]:
    """Return what a user should look at twice in labels that may be numbers or dates."""
    if kind != "nominal" or reason == "declared" or n_distinct == 1:
        return "", ""
    keep = ~raw.missing
    misfits, many = raw.misfits(keep), n_distinct > FEW_LEVELS
    if misfits == [] and many:
        return "text", "numbers stored as text: continuous?"
    signed = raw.signs(keep) if many else None
    if misfits and not (signed and all(sign_of(label) for _, label in misfits)):
        row, label = misfits[0]
        more = f" and {len(misfits) - 1} more" if len(misfits) > 1 else ""
        where = f"(row {row}, counting from 0){more}"
        return "typo", f"numbers but for {label!r} {where}: a typing mistake?"
    if signed:
        row, sign = signed
        return "text", f"numbers with {sign!r} (row {row}, counting from 0): write them plain?"
    alike = _alike_labels(raw.levels(keep))
    if alike:
        one, other = map(repr, alike)
        return "typo", f"{one} and {other} differ by case or spaces alone: a typing mistake?"
    dates = raw.dates(keep) if many else None
    if dates is not None:
        remedy = "stored as text: continuous?" if dates else "as text: write them as 2020-12-31?"
        return "text", f"dates {remedy}"
    return "", ""


def _alike_labels(labels: Sequence[Any]) -> tuple[str, str] | None:
    """Return two labels that people would take for the same."""
    seen: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str):
            plain = " ".join(label.split())
            plain = plain.casefold() if len(plain) > 2 else plain  # alleles are told by case
            if plain in seen:
                return seen[plain], label
            seen[plain] = label
    return None


def _note(
    kind: str, reason: str, n_distinct: int, n_samples: int, counting: bool
) -> tuple[str, str]:
    """Return what else a user should look at twice in one column: a word, and a sentence."""
    if n_distinct == 1:
        return "constant", "constant: an isolated node"
    if reason == "declared":
        return "", ""
    if kind == "nominal" and n_distinct == n_samples > FEW_LEVELS:
        return "identifier", "every row differs: an identifier?"
    if kind == "nominal" and n_distinct > max(FEW_LEVELS, n_samples / 5):
        return "rare", "many levels for so few rows: merge rare ones?"
    if kind == "continuous" and n_distinct <= FEW_LEVELS < n_samples:
        return "few", f"only {n_distinct} distinct values: declare it ordinal or nominal?"
    if kind == "continuous" and counting and n_samples > FEW_LEVELS:
        return "identifier", "whole numbers, each once and none left out: an identifier?"
    return "", ""
