"""Reading tables. Whatever is wrong with a file becomes one `InputError` with its remedy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mrflearn.errors import InputError
from mrflearn.io._arrow import ARROW_STARTS, ARROW_SUFFIXES, read_arrow
from mrflearn.io._bytes import read_bytes, unpacked
from mrflearn.io._codes import Codes, as_codes, emptied
from mrflearn.io._decode import decode
from mrflearn.io._text import check_delimiter, read_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]


def read_table(
    path: str | os.PathLike[str], delimiter: str | None = None, na: Codes = ()
) -> pd.DataFrame:
    r"""Read a table from a file, or say in one sentence what is wrong with it.

    Parameters
    ----------
    path : str or path
        Delimited text (CSV, TSV, TXT, any other suffix) with the column names in its first line,
        in UTF-8, UTF-16, UTF-32 with a byte order mark or, with a warning, Windows-1252; or a
        Parquet, Feather or Arrow file, which needs pyarrow. Either may be compressed with gzip.
        `"-"` is standard input; a named pipe is read if a program writes to it.
    delimiter : str, optional
        The character between two values of a text file. Found from the header line unless given,
        among comma, semicolon, tab and vertical bar. `"\\t"` and `"tab"` stand for a tab.
    na : sequence, or mapping of columns to sequences
        Values that stand for missing ones, such as `[-99, "refused"]`: of all columns, or by
        column, `{"age": [999]}`, where the key None stands for all.

    Returns
    -------
    pandas.DataFrame
        Empty fields, `NA`, `NaN`, `null` and the like are missing values, too. A column of
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
    source = os.fsdecode(path)
    name = "standard input" if source == "-" else repr(source)
    separator = None if delimiter is None else check_delimiter(delimiter)
    codes = as_codes(na)
    try:
        content = unpacked(read_bytes(source), name)
        suffix = Path(source.lower().removesuffix(".gz")).suffix
        if content and (suffix in ARROW_SUFFIXES or content.startswith(ARROW_STARTS)):
            return emptied(read_arrow(content, name), codes)
        text = decode(content, name)
        if not text.strip():
            raise InputError(f"{name} is empty: it needs a line of column names, then the rows")
        return read_text(text, name, separator, codes)
    except MemoryError:
        raise InputError(
            f"{name} does not fit into memory: take a sample of its rows, or leave out columns"
        ) from None
