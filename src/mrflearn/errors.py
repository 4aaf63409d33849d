"""The one kind of error a user can cause, and the words for the commonest of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["InputError", "unknown"]


class InputError(ValueError):
    """Something in the user's data or options is wrong; the message says what and how to mend it.

    The command line prints the message alone and exits with code 2. Every other exception that
    reaches a user is a bug of ours.
    """


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
