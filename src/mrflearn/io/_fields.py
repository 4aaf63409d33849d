"""Text as fields of delimited files: what is in a name stays in its field, and is not run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["delimited", "harmless"]

_FORMULA = re.compile(r"'*\s*[\t\r=+\-@＝＋－＠]")
"""How text begins that a spreadsheet would run, and what would look as if it had been escaped."""


def delimited(rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    r"""Return rows as lines; the csv module would leave a lone carriage return bare.

    Examples
    --------
    >>> delimited([["a", "b,c"], ["", "d\re"]])
    'a,"b,c"\n,"d\re"\n'
    """
    special = re.compile(rf'["\r\n{re.escape(delimiter)}]')

    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    return "".join(delimiter.join(map(field, row)) + "\n" for row in rows)


def harmless(text: str) -> str:
    """Return text that no spreadsheet runs as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text
