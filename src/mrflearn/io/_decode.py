"""Turning bytes into text: which encoding it is, or what the file is instead of text.

UTF-8 unless a byte order mark says UTF-16 or UTF-32. Without a mark, UTF-16 shows by the zero byte
beside every delimiter and line end. What is not UTF-8 is Windows-1252, which holds Latin-1, if its
bytes are where Western text has them; that is said in a warning, since no file can prove it.
"""

from __future__ import annotations

import codecs
import re

from mrflearn.errors import InputError, warn_user

__all__ = ["decode"]

_NOT_TEXT = {
    b"PK\x03\x04": "an Excel workbook or a zip archive: save the sheet as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip twice: unpack it",
    b"BZh": "compressed with bzip2: unpack it",
    b"\xfd7zXZ": "compressed with xz: unpack it",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard: unpack it",
    b"\x89HDF": "an HDF5 file: save the table as CSV or Parquet",
    b"%PDF": "a PDF document: save the table as CSV",
    b"$FL2": "an SPSS file: save it as CSV, in SPSS or by pandas.read_spss",
    b"$FL3": "an SPSS file: save it as CSV, in SPSS or by pandas.read_spss",
    b"<stata_dta>": "a Stata file: save it as CSV, in Stata or by pandas.read_stata",
    b"RDX2": "an R data file: save the table by write.csv in R",
    b"RDX3": "an R data file: save the table by write.csv in R",
    b"SQLite format 3": "a database: save the table as CSV",
}
"""How files begin that are often mistaken for tables, and what to do about each."""

_MARKS = {  # that of UTF-32 begins like that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_STRUCTURE = frozenset(b"\n\r,;\t|")
"""Delimiters and line ends: every table has some."""

_LINE_END = re.compile(rb"\r\n|\r|\n")

_UTF8_PAIR = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)

_NOT_WESTERN = re.compile(
    rb"[\x00-\x08\x0b\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]"  # controls, and bytes without a meaning
    rb"|[\x80-\xff]{3}"  # words of such bytes: Cyrillic, Greek, Chinese
    rb"|(?<=[A-Za-z])[\x80\x82-\x84\x86-\x89\x8b\x91\x93\x95\x98\x9b](?=[A-Za-z])"  # DOS
    rb"|(?<=[a-z])[\x8a\x8c\x8e\x9f]"  # capitals after small letters: an old Macintosh
    rb"|(?<=[0-9.])[^\x00-\x7f\x92\x96\x97\xa0\xb0\xb1\xb7\xd7](?=[0-9.])"  # a damaged number
)
"""Bytes that Western text in Windows-1252 does not have, or not there."""


def decode(content: bytes, name: str) -> str:
    """Return the text in `content`, or say what it is instead."""
    for start, what in _NOT_TEXT.items():
        if content.startswith(start):
            raise InputError(f"{name} is {what}, then read that")
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return _decode_marked(content, encoding, name)
    if b"\0" in content:
        return _decode_wide(content, name)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _decode_western(content, error, name)


def _decode_marked(content: bytes, encoding: str, name: str) -> str:
    """Decode text whose first bytes say what it is."""
    called = encoding.upper()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} begins like {called} text but is not: {error.reason} at byte "
            f"{error.start}; save it as UTF-8"
        ) from None
    if "\0" in text:
        raise _nul(_line(text.encode(), text.encode().index(b"\0")), name)
    return text


def _decode_wide(content: bytes, name: str) -> str:
    """Decode UTF-16 without a mark: most delimiters and line ends have a zero byte beside them."""
    sample = content[: 2**14]
    n_marks = sum(byte in _STRUCTURE for byte in sample)
    for encoding, first in (("utf-16-le", 0), ("utf-16-be", 1)):
        halves = zip(sample[first::2], sample[1 - first :: 2], strict=False)
        if 2 * sum(not high and low in _STRUCTURE for low, high in halves) > n_marks:
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                break
            if "\0" not in text:
                return text
    raise _nul(_line(content, content.index(b"\0")), name)


def _decode_western(content: bytes, error: UnicodeDecodeError, name: str) -> str:
    """Decode Windows-1252 where it is clearly that."""
    line = _line(content, error.start)
    byte = content[error.start]
    if _UTF8_PAIR.search(content):
        raise InputError(
            f"{name} is UTF-8 text but for byte 0x{byte:02x} in line {line}: correct that "
            "character and save it again"
        )
    if _NOT_WESTERN.search(content):
        raise InputError(
            f"{name} is not UTF-8 text: byte 0x{byte:02x} in line {line}; save it as UTF-8 (in a "
            "spreadsheet: “CSV UTF-8”), or convert it with iconv -f latin1 -t utf-8"
        )
    warn_user(
        f"{name} is not UTF-8 text (byte 0x{byte:02x} in line {line}) and is read as Windows-1252, "
        f"where that is {bytes([byte]).decode('cp1252')!r}: if it is not, save the file as UTF-8",
    )
    return content.decode("cp1252")


def _line(content: bytes, at: int) -> int:
    """Return the number of the line that a byte is in."""
    return len(_LINE_END.findall(content, 0, at)) + 1


def _nul(line: int, name: str) -> InputError:
    return InputError(
        f"{name} is not a text file: line {line} holds a NUL byte; save the table as CSV in UTF-8"
    )
