"""Numbers of things, and lists of names, as running text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "listed"]


def counted(number: int, what: str) -> str:
    """Return how many there are of something: 1 row, 1,000 rows."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], *, most: int = 8, quote: bool = False) -> str:
    """Return names as running text, cut after a few: a, b and 3 more."""
    shown = [repr(name) if quote else name for name in names[:most]]
    rest = len(names) - most
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
