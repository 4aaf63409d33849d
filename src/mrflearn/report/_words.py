"""Text for a page: names that fit, and characters that HTML takes for its own."""

from __future__ import annotations

import html
from collections.abc import Iterable

from mrflearn.plot._style import cut

__all__ = ["escaped", "replaced", "shorten"]

_LONGEST_NAME = 40
"""Characters of a name that are shown; its title has all of them."""


def escaped(text: object) -> str:
    """Return text as HTML shows it, in quoted attributes too."""
    readable = str(text).encode("utf-8", errors="backslashreplace").decode("utf-8")
    return html.escape(readable, quote=True)


def shorten(name: str) -> str:
    """Return a name without its middle if it is long, in quotes if there is nothing to see."""
    return cut(name if name.strip() else repr(name), _LONGEST_NAME)


def replaced(text: str, names: Iterable[str]) -> str:
    """Return text with the long ones among the names shortened."""
    for name in names:
        if len(name) > _LONGEST_NAME:
            text = text.replace(name, shorten(name))
    return text
