"""Text for a page: names that fit, numbers, and characters that HTML takes for its own."""

from __future__ import annotations

import html
from collections.abc import Iterable

__all__ = ["escaped", "number", "replaced", "shorten"]

_LONGEST_NAME = 40
"""Characters of a name that are shown; its title has all of them."""


def escaped(text: object) -> str:
    """Return text as HTML shows it, in quoted attributes too."""
    readable = str(text).encode("utf-8", errors="backslashreplace").decode("utf-8")
    return html.escape(readable, quote=True)


def shorten(name: str) -> str:
    """Return a name without its middle if it is long: ends often tell names apart."""
    text = " ".join(name.split()) or repr(name)
    if len(text) <= _LONGEST_NAME:
        return text
    head = 2 * _LONGEST_NAME // 3
    return f"{text[:head]}…{text[head + 1 - _LONGEST_NAME :]}"


def replaced(text: str, names: Iterable[str]) -> str:
    """Return text with the long ones among the names shortened."""
    for name in names:
        if len(name) > _LONGEST_NAME:
            text = text.replace(name, shorten(name))
    return text


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as the page shows it, a dash where it is not known."""
    if value is None or value != value:
        return "–"
    return f"{value:.{digits}g}".replace("-", "−").replace("inf", "∞")
