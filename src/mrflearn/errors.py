"""The one kind of error a user can cause, the words for the commonest of them, and warnings."""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["InputError", "MissingValuesError", "either", "suggestion", "unknown", "warn_user"]

_PACKAGE = str(Path(__file__).parent) + os.sep


class InputError(ValueError):
    """Something in the user's data or options is wrong; the message says what and how to mend it.

    The command line prints the message alone and exits with code 2. Every other exception that
    reaches a user is a bug of ours.
    """


class MissingValuesError(InputError):
    """Values are missing; `where` says in which columns, and how to go on depends on who asks."""

    def __init__(self, where: str, remedy: str) -> None:
        super().__init__(f"{where}: {remedy}")
        self.where, self.remedy = where, remedy

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.where, self.remedy)


def unknown(what: str, value: object, known: Iterable[object]) -> InputError:
    """Return the error for a name that is not one of the `known` ones, with the closest match.

    Examples
    --------
    >>> print(unknown("method", "gsmpel", ["gsmple", "iamb"]))
    unknown method 'gsmpel'; did you mean 'gsmple'? Known: 'gsmple', 'iamb'
    """
    names = {str(name): name for name in known}
    close = difflib.get_close_matches(str(value), names, n=1)
    if not close:
        folded = {name.casefold(): name for name in names}
        close = [
            folded[name] for name in difflib.get_close_matches(str(value).casefold(), folded, n=1)
        ]
    hint = f"; did you mean {names[close[0]]!r}?" if close else "."
    shown = ", ".join(repr(name) for name in list(names.values())[:20])
    if len(names) > 20:
        shown += f", … ({len(names)} in all)"
    return InputError(f"unknown {what} {value!r}{hint} Known: {shown}")


def suggestion(path: Path) -> str:
    """Return a hint at the name in the same folder that is closest to that of `path`, or ""."""
    try:
        names = os.listdir(path.parent)
    except OSError:  # the folder is not there either, or is not ours to list: nothing to suggest
        return ""
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(path.name.casefold(), folded, n=1)
    return f"; did you mean {str(path.with_name(folded[close[0]]))!r}?" if close else ""


def either(names: Sequence[str]) -> str:
    """Return names as a choice: a, b or c."""
    return ", ".join(names[:-1]) + f" or {names[-1]}" if len(names) > 1 else names[0]


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something in the user's data or options, at the line of theirs that called us."""
    frame, level = sys._getframe().f_back, 2
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
