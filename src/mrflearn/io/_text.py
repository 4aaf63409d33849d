"""Reading delimited text, after a look at every row."""

from __future__ import annotations

import csv
import io
import itertools
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mrflearn._words import counted
from mrflearn.errors import InputError, either, warn_user
from mrflearn.io._codes import emptied
from mrflearn.io._names import check_names, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DELIMITERS", "check_delimiter", "read_text"]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""Delimiters looked for in a header line, and what to call them; the first wins a tie."""

_BLANK = " \t\r\n"
"""What a line may hold and still be overlooked, by pandas too."""

_WITH_COMMA = re.compile(r"[+-]?(\d+),(\d+)(?:[eE][+-]?\d+)?")
_INTEGER_OR_COMMA = re.compile(rf"[+-]?\d+|{_WITH_COMMA.pattern}")


def check_delimiter(delimiter: str) -> str:
    """Return the delimiter as one character."""
    character = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n\0':
        raise InputError(
            f"delimiter must be one character, such as ',' or ';' or 'tab', got {delimiter!r}"
        )
    return character


def read_text(
    text: str, name: str, delimiter: str | None, codes: Mapping[str | None, Sequence[str]]
) -> pd.DataFrame:
    """Read delimited text after a look at every row, since pandas mends in silence."""
    import pandas as pd

    delimiter = _find_delimiter(text, name, delimiter)
    records = _records(text, name, delimiter)
    line, header = next(records)
    header = [column.strip() for column in header]
    n_rows = _check_row_lengths(records, name, line, header, delimiter)
    check_names(header, name, line)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about its own future
        try:
            frame = pd.read_csv(
                io.StringIO(text, newline=""),
                sep=delimiter,
                header=0,
                names=header,
                index_col=False,
                skipinitialspace=delimiter != " ",
                low_memory=False,  # one look at a whole column decides its type
                float_precision="round_trip",  # the nearest number, whatever the version
            )
        except (ValueError, OverflowError) as error:  # every row was seen to be in order
            if "Calling read(nbytes) on source failed" in str(error):
                # Text in memory can be read: it was Ctrl-C, which pandas takes for a failure.
                raise KeyboardInterrupt from None
            raise InputError(f"{name} cannot be read ({error}): save it again as CSV") from None
    if len(frame) != n_rows:
        raise InputError(
            f"{name} has {counted(n_rows, 'row')}, of which pandas makes {len(frame)}: save it "
            "again as CSV, with one kind of line ends and every quote closed"
        )
    return emptied(frame, codes, lambda frame: _read_odd_numbers(frame, name))


def _find_delimiter(text: str, name: str, given: str | None) -> str:
    """Return the delimiter that splits the header, or say which one would."""
    counts = {delimiter: _first_counts(text, name, delimiter) for delimiter in DELIMITERS}
    best = max(
        (delimiter for delimiter, (header, _) in counts.items() if header > 1),
        key=lambda delimiter: (counts[delimiter][0] == counts[delimiter][1], counts[delimiter][0]),
        default=None,
    )
    if given is None and best is not None:
        return best
    if given is not None and _first_counts(text, name, given)[0] > 1:
        return given
    if given is not None and best is not None:
        raise InputError(
            f"{name} has one column with the delimiter {given!r}, and {counts[best][0]} with a "
            f"{DELIMITERS[best]}: give {'tab' if best == chr(9) else best!r} as the delimiter"
        )
    tried = [*DELIMITERS.values(), *([] if given in (None, *DELIMITERS) else [repr(given)])]
    first_line = next(line.strip("\r\n") for line in _lines(text) if line.strip(_BLANK))
    if first_line.count('"') % 2:
        remedy = 'close the quote (") in it'
    elif any(second > 1 for _, second in counts.values()):
        remedy = "the next line does split, so take out what stands before the column names"
    elif " " in first_line.strip():
        remedy = "if spaces part the values, give ' ' as the delimiter"
    else:
        remedy = "give the delimiter if it is another one"
    raise InputError(
        f"{name} has one column and a graph needs two: no {either(tried)} splits its first line, "
        f"{shown(first_line)}; {remedy}"
    )


def _first_counts(text: str, name: str, delimiter: str) -> tuple[int, int]:
    """Return how many fields the header and the first row have."""
    lengths = []
    try:
        for _, fields in itertools.islice(_records(text, name, delimiter, strict=False), 2):
            lengths.append(len(fields))
    except InputError:  # a value without an end: said later, if this is the delimiter
        lengths = lengths or [1]
    return lengths[0], lengths[-1]


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends, of whichever kind."""
    return iter(io.StringIO(text, newline=""))


def _records(
    text: str, name: str, delimiter: str, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each record, blank lines left out."""
    raw = ""

    def lines() -> Iterator[str]:
        nonlocal raw
        for line in _lines(text):
            raw = line
            yield line

    reader = csv.reader(
        lines(),
        delimiter=delimiter,
        skipinitialspace=delimiter != " ",
        strict=strict,
    )
    start = 1
    try:
        for fields in reader:
            if len(fields) > 1 or reader.line_num > start or raw.strip(_BLANK):
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        if "expected after" in str(error):
            raise InputError(
                f"line {reader.line_num} of {name} has text after a closing quote: write a quote "
                'inside a quoted value twice, as in "6"" pipe"'
            ) from None
        if "field larger" in str(error) and reader.line_num <= start and '"' not in raw:
            raise InputError(
                f"line {start} of {name} holds a value of more than {csv.field_size_limit():,} "
                "characters: shorten it, or check the delimiter"
            ) from None
        # Either the text ends within quotes, or a value in quotes has grown past all reason.
        raise InputError(
            f'a quote (") opened in line {start} of {name} is never closed: close it or take it out'
        ) from None


def _check_row_lengths(
    records: Iterator[tuple[int, list[str]]],
    name: str,
    header_line: int,
    header: Sequence[str],
    delimiter: str,
) -> int:
    """Return how many rows there are, or say which line has too many or too few values."""
    n_rows = 0
    for line, fields in records:
        n_rows += 1
        if len(fields) == len(header):
            continue
        if len(fields) == len(header) + 1 and n_rows == 1:
            remedy = "give every column a name; the column of row names needs one too"
        else:
            what = DELIMITERS.get(delimiter, repr(delimiter))
            remedy = f"put values that contain a {what} in quotes, and fill in missing ones with NA"
        raise InputError(
            f"line {line} of {name} has {counted(len(fields), 'value')} and its header has "
            f"{counted(len(header), 'name')}: {remedy}"
        )
    if not n_rows:
        raise InputError(
            f"{name} has a header (line {header_line}: {counted(len(header), 'column')}) but no "
            "rows: a graph is learned from rows"
        )
    return n_rows


def _read_odd_numbers(frame: pd.DataFrame, name: str) -> None:
    """Turn columns of numbers such as 1,5 into numbers; leave 1,500 alone and say so.

    Columns of integers that pandas has left as text, too large and of both signs, become floats.
    """
    from pandas.api.types import is_numeric_dtype

    for column in frame.columns:
        if is_numeric_dtype(frame[column]):
            continue
        present = frame[column].dropna()
        values = [str(value).strip() for value in present]
        if not values or not all(_INTEGER_OR_COMMA.fullmatch(value) for value in values):
            continue
        found = [match for value in values if (match := _WITH_COMMA.fullmatch(value))]
        if not found and not isinstance(present.iloc[0], str):
            continue
        if found and all(len(match[2]) == 3 and not match[1].startswith("0") for match in found):
            warn_user(
                f"column {column!r} of {name} holds numbers such as {found[0][0]!r}, whose comma "
                "may mark decimals or thousands: they are left as text; write them without it",
            )
            continue
        numbers = frame[column].astype(object)
        numbers[present.index] = [float(value.replace(",", ".")) for value in values]
        frame[column] = numbers.astype("float64")
