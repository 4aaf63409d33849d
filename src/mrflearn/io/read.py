"""Reading tables. Whatever is wrong with a file becomes one `InputError` with its remedy."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mrflearn.errors import InputError, either, suggestion

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""Delimiters looked for in a header line, and what to call them; the first wins a tie."""

_ARROW_SUFFIXES = (".parquet", ".pq", ".feather", ".arrow")

_NOT_TEXT = {
    b"PK\x03\x04": "an Excel workbook or a zip archive: save the sheet as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip: unpack it",
    b"BZh": "compressed with bzip2: unpack it",
    b"\xfd7zXZ": "compressed with xz: unpack it",
    b"\x89HDF": "an HDF5 file: save the table as CSV or Parquet",
    b"%PDF": "a PDF document: save the table as CSV",
}
"""How files begin that are often mistaken for tables, and what to do about each."""

_WITH_COMMA = re.compile(r"[+-]?(\d+),(\d+)(?:[eE][+-]?\d+)?")
_INTEGER_OR_COMMA = re.compile(rf"[+-]?\d+|{_WITH_COMMA.pattern}")


def read_table(path: str | os.PathLike[str], delimiter: str | None = None) -> pd.DataFrame:
    r"""Read a table from a file, or say in one sentence what is wrong with it.

    Parameters
    ----------
    path : str or path
        Delimited text (CSV, TSV, TXT, any other suffix) with the column names in its first line,
        in UTF-8, or in UTF-16 with a byte order mark; or a Parquet or Feather file, which needs
        pyarrow. `"-"` is standard input.
    delimiter : str, optional
        The character between two values of a text file. Found from the header line unless given,
        among comma, semicolon, tab and vertical bar. `"\\t"` and `"tab"` stand for a tab.

    Returns
    -------
    pandas.DataFrame
        Empty fields, `NA`, `NaN`, `null` and the like are missing values. A column of
        numbers with decimal commas is read as numbers.

    Raises
    ------
    InputError
        If there is no such file, if it is not a table, or if its rows or names are not in order.

    Examples
    --------
    >>> from mrflearn.datasets import penguins_path
    >>> read_table(penguins_path()).shape
    (344, 8)
    """
    source = os.fspath(path)
    name = "standard input" if source == "-" else repr(source)
    separator = None if delimiter is None else _check_delimiter(delimiter)
    content = sys.stdin.buffer.read() if source == "-" else _read_bytes(Path(source))
    suffix = Path(source).suffix.lower()
    if content and (suffix in _ARROW_SUFFIXES or content.startswith((b"PAR1", b"ARROW1"))):
        return _read_arrow(content, name)
    text = _decode(content, name)
    if not text.strip():
        raise InputError(f"{name} is empty: it needs a line of column names, then the rows")
    return _read_text(text, name, separator)


def _read_bytes(path: Path) -> bytes:
    """Return what a file holds, or say why it cannot be read."""
    shown = repr(str(path))
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not os.path.isdir(path.parent):
            raise InputError(
                f"cannot read {shown}: there is no folder {str(path.parent)!r}"
                f"{suggestion(path.parent)}"
            ) from None
        raise InputError(
            f"cannot read {shown}: there is no such file{suggestion(path) or '; check the path'}"
        ) from None
    except IsADirectoryError:
        raise InputError(f"cannot read {shown}: it is a folder; name a file in it") from None
    except PermissionError:
        raise InputError(
            f"cannot read {shown}: permission denied; ask its owner for the right to read it"
        ) from None
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {shown}: {reason}; check the path") from None


def _decode(content: bytes, name: str) -> str:
    """Return the text in `content`, or say what it is instead."""
    for start, what in _NOT_TEXT.items():
        if content.startswith(start):
            raise InputError(f"{name} is {what}, then read that")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise InputError(
            f"{name} is not a text file: line {line} holds a NUL byte; save the table as CSV in "
            "UTF-8"
        )
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-16":
            raise InputError(
                f"{name} begins like UTF-16 text but is not: {error.reason} at byte "
                f"{error.start}; save it as UTF-8"
            ) from None
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name} is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}; save it "
            "as UTF-8 (in a spreadsheet: “CSV UTF-8”), or convert it with iconv -f latin1 -t utf-8"
        ) from None


def _check_delimiter(delimiter: str) -> str:
    """Return the delimiter as one character."""
    character = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n\0':
        raise InputError(
            f"delimiter must be one character, such as ',' or ';' or 'tab', got {delimiter!r}"
        )
    return character


def _read_text(text: str, name: str, delimiter: str | None) -> pd.DataFrame:
    """Read delimited text after a look at every row, since pandas mends in silence."""
    import pandas as pd

    delimiter = _find_delimiter(text, name, delimiter)
    records = _records(text, name, delimiter)
    line, header = next(records)
    header = [column.strip() for column in header]
    _check_row_lengths(records, name, line, header, delimiter)
    _check_header(header, name, line)
    frame = pd.read_csv(
        io.StringIO(text, newline=""),
        sep=delimiter,
        header=0,
        names=header,
        index_col=False,
        skipinitialspace=delimiter != " ",
        low_memory=False,  # one look at a whole column decides its type
    )
    _read_decimal_commas(frame, name)
    return frame


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
    first_line = next(line for line in text.splitlines() if line.strip())
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
        f"{_shown(first_line)}; {remedy}"
    )


def _first_counts(text: str, name: str, delimiter: str) -> tuple[int, int]:
    """Return how many fields the header and the first row have."""
    records = itertools.islice(_records(text, name, delimiter, strict=False), 2)
    lengths = [len(fields) for _, fields in records]
    return lengths[0], lengths[-1]


def _records(
    text: str, name: str, delimiter: str, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each record, blank lines left out."""
    raw = ""

    def lines() -> Iterator[str]:
        nonlocal raw
        for line in io.StringIO(text, newline=""):
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
            if len(fields) > 1 or reader.line_num > start or raw.strip():
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        if "expected after" in str(error):
            raise InputError(
                f"line {reader.line_num} of {name} has text after a closing quote: write a quote "
                'inside a quoted value twice, as in "6"" pipe"'
            ) from None
        # Either the text ends within quotes, or a value has grown past all reason.
        raise InputError(
            f'a quote (") opened in line {start} of {name} is never closed: close it or take it out'
        ) from None


def _check_row_lengths(
    records: Iterator[tuple[int, list[str]]],
    name: str,
    header_line: int,
    header: Sequence[str],
    delimiter: str,
) -> None:
    """Say which line has too many or too few values, or that there are no rows."""
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
            f"line {line} of {name} has {_count(len(fields), 'value')} and its header has "
            f"{_count(len(header), 'name')}: {remedy}"
        )
    if not n_rows:
        raise InputError(
            f"{name} has a header (line {header_line}: {_count(len(header), 'column')}) but no "
            "rows: a graph is learned from rows"
        )


def _check_header(header: Sequence[str], name: str, line: int | None = None) -> None:
    """Say which column has no name of its own."""
    if len(header) < 2:
        raise InputError(f"{name} has {_count(len(header), 'column')} and a graph needs two")
    place = "" if line is None else f" in line {line}"
    first_seen: dict[str, int] = {}
    for position, column in enumerate(header, start=1):
        if not column:
            raise InputError(
                f"column {position} of {name} has no name{place}: give it one, or save the table "
                "without its row numbers (pandas: index=False; R: row.names=FALSE)"
            )
        if column in first_seen:
            raise InputError(
                f"columns {first_seen[column]} and {position} of {name} have the same name "
                f"{column!r}{place}: rename one of them"
                + (" (or is the line of names missing?)" if _is_number(column) else "")
            )
        first_seen[column] = position
    if all(map(_is_number, header)) and not all(column.isdecimal() for column in header):
        warnings.warn(
            f"the first line of {name} holds only numbers ({', '.join(header[:3])}, …) and is "
            "taken as the names of the columns: if it is data, put a line of names before it",
            UserWarning,
            stacklevel=4,
        )


def _read_decimal_commas(frame: pd.DataFrame, name: str) -> None:
    """Turn columns of numbers such as 1,5 into numbers; leave 1,500 alone and say so."""
    from pandas.api.types import is_numeric_dtype

    for column in frame.columns:
        if is_numeric_dtype(frame[column]):
            continue
        present = frame[column].dropna()
        values = [str(value).strip() for value in present]
        if not all(_INTEGER_OR_COMMA.fullmatch(value) for value in values):
            continue
        found = [match for value in values if (match := _WITH_COMMA.fullmatch(value))]
        if not found:
            continue
        if all(len(match[2]) == 3 and not match[1].startswith("0") for match in found):
            warnings.warn(
                f"column {column!r} of {name} holds numbers such as {found[0][0]!r}, whose comma "
                "may mark decimals or thousands: they are left as text; write them without it",
                UserWarning,
                stacklevel=4,
            )
            continue
        numbers = frame[column].astype(object)
        numbers[present.index] = [float(value.replace(",", ".")) for value in values]
        frame[column] = numbers.astype("float64")


def _read_arrow(content: bytes, name: str) -> pd.DataFrame:
    """Read a Parquet or Feather file, told apart by how it begins."""
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        raise InputError(
            f'reading {name} needs pyarrow: pip install "mrflearn[arrow]", or save it as CSV'
        ) from None
    source = pa.BufferReader(content)
    try:
        if content.startswith(b"PAR1"):
            table = parquet.ParquetFile(source).read()  # read_table chokes on duplicate names
        else:
            table = feather.read_table(source)
    except (pa.ArrowException, OSError) as error:
        reason = re.split(r"\.?(\s*\n|\. |$)", str(error))[0]
        raise InputError(
            f"{name} is damaged, or neither a Parquet nor a Feather file ({reason}): save it again"
        ) from None
    _check_header(table.column_names, name)
    if not table.num_rows:
        raise InputError(f"{name} has no rows: a graph is learned from rows")
    return table.to_pandas()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
