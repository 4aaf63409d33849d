"""Codes that stand for missing values, as -99 does in many questionnaires."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, either, unknown, warn_user

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "as_codes", "emptied"]

Codes = Iterable[Any] | Mapping[str | None, Iterable[Any]]
"""Values that stand for missing ones: of all columns, or by column; None stands for all."""

MISSING_ANYWAY = frozenset({
    "", "NA", "NaN", "nan", "-NaN", "-nan", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL",
    "null", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
})  # fmt: skip
"""What pandas takes for missing in text, so that nothing of it is left to be found."""


def as_codes(na: Codes) -> dict[str | None, list[str]]:
    """Return codes by column as text, those of all columns under None."""
    by_column = na if isinstance(na, Mapping) else {None: na}
    found = {}
    for column, codes in by_column.items():
        if isinstance(codes, str) or not isinstance(codes, Iterable):
            raise InputError(
                f"na= wants a list of values, such as [-99, 'refused'], or one for each column, "
                f"such as {{'age': [999]}}; got {codes!r}"
            )
        found[column] = [str(code).strip() for code in codes]
    return found


def emptied(
    frame: pd.DataFrame,
    codes: Mapping[str | None, Sequence[str]],
    read_numbers: Callable[[pd.DataFrame], None] = lambda frame: None,
) -> pd.DataFrame:
    """Return a table without the values that stand for missing ones.

    What is left of a column of text becomes numbers, if it is nothing else; `read_numbers` makes
    numbers, in place, of text that only it can read. What has become a number is compared as one.
    """
    columns = [str(column) for column in frame.columns]
    for column in codes:
        if column is not None and column not in columns:
            raise InputError(f"na=: {unknown('column', column, columns)}")
    frame = frame.copy(deep=False)
    seen = _empty(frame, codes)
    read_numbers(frame)
    seen |= _empty(frame, codes)
    for column, given in codes.items():
        absent = [
            code for code in given if (column, code) not in seen and code not in MISSING_ANYWAY
        ]
        if absent:
            where = "" if column is None else f" in column {column!r}"
            warn_user(
                f"there is no {either([repr(code) for code in absent])}{where} to stand for a "
                "missing value: look how missing ones are written",
            )
    return frame


def _empty(
    frame: pd.DataFrame, codes: Mapping[str | None, Sequence[str]]
) -> set[tuple[str | None, str]]:
    """Empty the cells that hold a code, in place; return which codes there are, and where."""
    seen: set[tuple[str | None, str]] = set()
    for column in map(str, frame.columns):
        there = _found(frame[column], [*codes.get(None, ()), *codes.get(column, ())])
        if there:
            frame[column] = _without(frame[column], np.any(list(there.values()), axis=0))
        seen |= {(place, code) for place in (None, column) for code in there}
    return seen


def _found(values: pd.Series, codes: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return which values are which code, the same number or the same text, for those there."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    wanted: dict[str, Any] = {code: code for code in codes}
    if is_numeric_dtype(values) and not is_bool_dtype(values):
        wanted = {code: number for code in codes if (number := _number(code)) is not None}
    elif wanted:
        values = values.astype(str).str.strip().where(values.notna())
    holds = {
        code: (values == value).to_numpy(dtype=bool, na_value=False)
        for code, value in wanted.items()
    }
    return {code: places for code, places in holds.items() if places.any()}


def _number(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None


def _without(values: pd.Series, coded: NDArray[np.bool_]) -> pd.Series:
    """Return a column whose codes are missing, as numbers if all others are."""
    import pandas as pd
    from pandas.api.types import is_object_dtype, is_string_dtype

    left = values.mask(coded)
    if is_string_dtype(values) or is_object_dtype(values):
        try:
            return pd.to_numeric(left)
        except (ValueError, TypeError):
            pass
    return left
