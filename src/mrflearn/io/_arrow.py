"""Reading Parquet, Feather and Arrow files with pyarrow, damaged ones included."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from mrflearn.errors import InputError
from mrflearn.io._names import check_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ARROW_STARTS", "ARROW_SUFFIXES", "read_arrow"]

ARROW_SUFFIXES = (".parquet", ".pq", ".feather", ".arrow")
ARROW_STARTS = (b"PAR1", b"ARROW1")


def read_arrow(content: bytes, name: str) -> pd.DataFrame:
    """Read a Parquet, Feather or Arrow file, told apart by how it begins."""
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(
            f'reading {name} needs pyarrow: pip install "mrflearn[arrow]", or save it as CSV'
        ) from None
    try:
        table = _as_arrow(pa.BufferReader(content), content)
        names = [str(column) for column in table.column_names]
    except Exception as error:  # a damaged file fails in more ways than pyarrow has exceptions
        raise _damaged(name, error) from None
    check_names(names, name)
    if not table.num_rows:
        raise InputError(f"{name} has no rows: a graph is learned from rows")
    frame = _as_frame(table, name)
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    check_names(list(frame.columns), name)  # columns that were row names are none any more
    return frame


def _as_arrow(source: Any, content: bytes) -> Any:
    """Return the table in a file, every value of it checked: pyarrow trusts files."""
    import pyarrow as pa
    from pyarrow import parquet

    if content.startswith(b"PAR1"):
        table = parquet.ParquetFile(source).read()  # read_table chokes on duplicate names
    elif content.startswith(b"\xff\xff\xff\xff"):
        table = pa.ipc.open_stream(source).read_all()
    else:
        table = pa.ipc.open_file(source).read_all()
    table.validate(full=True)
    return table


def _as_frame(table: Any, name: str) -> pd.DataFrame:
    """Turn columns into those of pandas, or say which column cannot be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about its own future
        try:
            return table.to_pandas()
        except Exception as error:
            for column in table.column_names:
                try:
                    table.select([column]).to_pandas(ignore_metadata=True)
                except Exception as of_column:
                    raise InputError(
                        f"column {column!r} of {name} cannot be read ({_reason(of_column)}): save "
                        "it as numbers or text, or leave it out"
                    ) from None
            raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> InputError:
    return InputError(
        f"{name} is damaged, or neither a Parquet nor a Feather file ({_reason(error)}): save it "
        "again"
    )


def _reason(error: Exception) -> str:
    """Return the first sentence of an error, fit to be shown."""
    words = re.split(r"\.?(\s*\n|\. |$)", str(error))[0].strip()
    clean = "".join(letter if letter.isprintable() else "?" for letter in words)
    return (clean if len(clean) <= 120 else clean[:119] + "…") or type(error).__name__
