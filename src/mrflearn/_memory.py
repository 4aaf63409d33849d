"""Amounts of memory, as people write them, and bounds on it that cannot be kept."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from mrflearn.errors import InputError

__all__ = ["TooLittleMemoryError", "as_bytes", "as_text", "check_memory"]

_UNITS = ("", "K", "M", "G", "T")


def as_bytes(amount: Any) -> int | None:
    """Return a number of bytes from a number or from text such as "500 MB"; None stays.

    Units are powers of 1024, with or without an i.

    Examples
    --------
    >>> as_bytes("1.5 GB")
    1610612736
    """
    if amount is None:
        return None
    number: float = math.nan
    if isinstance(amount, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(?:i?B)?\s*", amount, flags=re.I)
        if match:
            number = float(match[1]) * 1024.0 ** _UNITS.index(match[2].upper())
    elif not isinstance(amount, bool):
        try:
            number = float(amount)
        except (TypeError, ValueError):
            number = math.nan
    if not 1 <= number < 2.0**63:
        raise InputError(
            f"max_memory must be a number of bytes or text such as '500 MB', got {amount!r}"
        )
    return int(number)


def as_text(n_bytes: int, rounded: Callable[[float], int] = math.ceil) -> str:
    """Return a number of bytes in a readable unit, rounded up unless told otherwise.

    Examples
    --------
    >>> as_text(3_500_000)
    '3.4 MB'
    """
    unit = min(len(_UNITS) - 1, max(0, (n_bytes.bit_length() - 1) // 10))
    if unit == 0:
        return f"{n_bytes} bytes"
    return f"{rounded(10 * n_bytes / 1024**unit) / 10:g} {_UNITS[unit]}B"


def check_memory(needed: int, max_memory: int | None, what: str) -> None:
    """Refuse a bound on memory that cannot be kept."""
    if max_memory is not None and needed > max_memory:
        error = TooLittleMemoryError(
            f"max_memory={as_text(max_memory, math.floor)} is too little: {what} takes at least "
            f"{as_text(needed)} beside the table"
        )
        error.needed = needed
        raise error


class TooLittleMemoryError(InputError):
    """A bound on memory that cannot be kept.

    Attributes
    ----------
    needed : int
        Bytes that would do.
    """

    needed: int
