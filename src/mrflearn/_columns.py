"""Reading columns out of whatever holds them: NumPy arrays, pandas, polars and pyarrow tables."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import DTypeLike, NDArray

from mrflearn.errors import InputError

__all__ = ["RawColumn", "read_columns", "sign_of"]

_MOMENTS, _DURATIONS = (dt.date, np.datetime64), (dt.time, dt.timedelta, np.timedelta64)
"""Python's and NumPy's times."""

_SECONDS = {
    "Y": 31_556_952.0,
    "M": 2_629_746.0,
    "W": 604_800.0,
    "D": 86_400.0,
    "h": 3_600.0,
    "m": 60.0,
    "s": 1.0,
}
"""In a unit of NumPy's durations; years and months are those of the calendar on average."""

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].+)?", re.ASCII)
_OTHER_DATE = re.compile(
    r"(?:\d{1,2}([./-])\d{1,2}\1\d{4}|\d{4}([./])\d{1,2}\2\d{1,2})(?:[T ].+)?", re.ASCII
)
"""Dates with the year first and dashes, and those whose order of day and month only people know."""

_WITH_COMMA = re.compile(r"[+-]?(?:\d+,\d+|\d{1,3}(?:,\d{3})+(?:\.\d*)?)", re.ASCII)
"""Decimals or thousands."""

_WHOLE = 2.0**53
"""Size from which floats hold nothing but whole numbers, whatever is measured."""

_WIDE = (nw.Int128, nw.UInt128)
"""Integers that NumPy has no type for."""


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column as the user gave it, with its holes marked."""

    name: str
    type: str
    """float, whole (floats that are whole numbers), integer, boolean, string, category, ordered
    (categories) or time."""
    values: NDArray[Any]
    """Numbers for float, whole, integer and time columns; labels otherwise. Undefined at the
    holes."""
    missing: NDArray[np.bool_]
    infinite: NDArray[np.bool_]
    categories: tuple[Any, ...] | None = None

    def misfits(self, keep: NDArray[np.bool_]) -> list[tuple[int, Any]] | None:
        """Return (row, label) of the few labels that are no numbers; None if they are not few."""
        if self.type != "string":
            return None
        rows = np.flatnonzero(keep)
        odd = [(int(row), self.values[row]) for row in rows if _number(self.values[row]) is None]
        return odd if len(odd) <= len(rows) / 5 else None

    def signs(self, keep: NDArray[np.bool_]) -> tuple[int, str] | None:
        """Return (row, sign) of the first number with <, >, % or a comma in it.

        None if fewer than four labels in five are numbers once such signs are gone, or none is.
        """
        if self.type != "string":
            return None
        labels = self.levels(keep)
        sign = {label: sign_of(label) for label in labels if _number(label) is None}
        if sum(found is None for found in sign.values()) > len(labels) / 5:
            return None
        rows = np.flatnonzero(keep).tolist()
        found = ((row, sign.get(self.values[row])) for row in rows)
        return next(((row, signed) for row, signed in found if signed), None)

    def dates(self, keep: NDArray[np.bool_]) -> bool | None:
        """Return whether dates as text are written so that `numbers` reads them; None if none."""
        labels = self.levels(keep) if self.type == "string" else []
        if not labels:
            return None
        if all(_moment(label) is not None for label in labels):
            return True
        return False if all(_OTHER_DATE.fullmatch(label) for label in labels) else None

    def numbers(
        self,
        keep: NDArray[np.bool_],
        why: str = "is declared continuous",
        remedy: str = "declare the column nominal",
    ) -> NDArray[np.float64]:
        """Return the kept rows as floats, or say which value is not a number.

        Dates as text, such as 2020-12-31 or 2020-12-31 23:59, are seconds as other times are.
        `why` numbers are wanted, and what to do about others, are for that sentence.
        """
        kept = self.values[keep]
        if self.type in ("float", "whole", "integer", "time", "boolean"):
            return np.ascontiguousarray(kept, dtype=np.float64)
        found = [_number(label) for label in kept]
        if None in found:
            moments = [_moment(label) for label in kept]
            found = moments if moments.count(None) < found.count(None) else found
        if None in found:
            position = found.index(None)
            row, label = int(np.flatnonzero(keep)[position]), kept[position]
            date = isinstance(label, str) and _OTHER_DATE.fullmatch(label)
            raise InputError(
                f"column {self.name!r} {why} but holds {_shown(label)} in row {row} (counting "
                f"from 0): {'write dates as 2020-12-31' if date else 'correct the value'}, or "
                f"{remedy}"
            )
        return np.array(found, dtype=np.float64)

    def levels(self, keep: NDArray[np.bool_]) -> list[Any]:
        """Return the distinct labels of the kept rows, in a fixed order."""
        present = set(self.values[keep].tolist())
        if self.type == "ordered" and self.categories is not None:
            return [level for level in self.categories if level in present]
        try:
            return sorted(present)
        except TypeError:
            return sorted(present, key=lambda level: (type(level).__name__, str(level)))

    def ordered_levels(self, keep: NDArray[np.bool_]) -> list[Any]:
        """Return the distinct labels of the kept rows, lowest first."""
        if self.type in ("category", "string"):
            present = self.levels(keep)
            order = {level: _number(level) for level in present}
            if any(number is None for number in order.values()):
                shown = ", ".join(_shown(level) for level in present[:6])
                raise InputError(
                    f"column {self.name!r} is declared ordinal but its values carry no order "
                    f"({shown}): give the order, kinds={{{self.name!r}: [lowest, …, highest]}}"
                )
            return sorted(present, key=lambda level: order[level] or 0.0)
        return self.levels(keep)

    def codes(self, keep: NDArray[np.bool_], levels: Sequence[Any]) -> NDArray[np.float64]:
        """Return the position of each kept label among `levels`."""
        kept = self.values[keep]
        code = {level: float(position) for position, level in enumerate(levels)}
        if len(code) != len(levels):
            raise InputError(f"column {self.name!r}: the same level is listed twice in {levels!r}")
        code |= {str(level): position for level, position in code.items() if str(level) not in code}
        labels = kept.tolist()
        found = list(map(code.get, labels))
        if None in found:
            found = [code.get(label, code.get(str(label))) for label in labels]
        if None in found:
            raise InputError(
                f"column {self.name!r} holds {_shown(labels[found.index(None)])}, which is not one "
                f"of the declared levels {list(levels)!r}: add it, or correct the value"
            )
        return np.array(found, dtype=float)


def read_columns(X: Any) -> list[RawColumn]:
    """Return the columns of any kind of table, each with its type and its holes."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputError("sparse data is not supported: pass a dense table, X.toarray()")
    frame = _as_frame(X)
    if frame is not None:
        columns = [_from_series(str(name), frame.get_column(name)) for name in frame.columns]
        shape: tuple[int, ...] = frame.shape
    else:
        array = _as_array(X)
        columns = [
            _from_array(f"x{position}", array[:, position]) for position in range(array.shape[1])
        ]
        shape = array.shape
    # scikit-learn's wording, which its users and its checks know.
    if shape[1] == 0:
        raise InputError(
            f"0 feature(s) (shape={shape}) while a minimum of 1 is required: "
            "the table needs a column"
        )
    if shape[0] < 2:
        raise InputError(
            f"{shape[0]} sample(s) (shape={shape}) while a minimum of 2 is required: "
            "the table needs more rows"
        )
    return columns


def _as_frame(X: Any) -> Any:
    """Return a narwhals frame around a data frame, None for anything else."""
    if hasattr(X, "set_axis") and hasattr(X, "columns"):  # pandas: anything may name a column
        names = [str(name) for name in X.columns]
        _check_distinct(names)
        X = X.set_axis(names, axis=1)
    elif hasattr(X, "column_names"):  # pyarrow allows one name twice
        _check_distinct(X.column_names)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _check_distinct(names: Sequence[str]) -> None:
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:8])
        raise InputError(f"duplicate column names {shown}: give each column a name of its own")


def _as_array(X: Any) -> NDArray[Any]:
    """Return a two-dimensional array, or say what was wrong with its shape or type."""
    if isinstance(X, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(X)
        X = np.asarray(X).astype(object)
        X[hidden] = None
    series = nw.from_native(X, allow_series=True, pass_through=True)
    try:
        array = series.to_numpy() if isinstance(series, nw.Series) else np.asarray(X)
        if isinstance(X, (list, tuple)) and array.dtype.kind in "US":
            array = np.asarray(X, dtype=object)  # NumPy has made text of numbers beside text
    except ValueError:
        raise InputError("the rows of X have different lengths: pass a rectangular table") from None
    if array.dtype.kind == "c":
        raise InputError(
            "Complex data not supported: split complex columns into real and imaginary parts"
        )
    if array.dtype.names is not None:
        raise InputError("structured arrays are not supported: pass a pandas.DataFrame of it")
    if array.ndim == 0:
        raise InputError(
            f"expected a table of shape (n_samples, n_columns), got {_one_thing(X)}: pass a data "
            "frame or an array; of a file, mrflearn.io.read_table makes one"
        )
    if array.ndim != 2:
        raise InputError(
            f"expected a table of shape (n_samples, n_columns), got {array.ndim}-D data of shape "
            f"{array.shape}. Reshape your data, or pass a data frame"
        )
    return array


def _one_thing(X: Any) -> str:
    """Return what somebody took for a table, in words."""
    return f"the text {X[:80]!r}" if isinstance(X, str) else f"one {type(X).__name__!r}"


def _from_array(name: str, values: NDArray[Any]) -> RawColumn:
    """Read one column of a plain array."""
    nothing = np.zeros(len(values), dtype=bool)
    code = values.dtype.kind
    if code == "f":
        return _floats(name, values)
    if code in "iu":
        return RawColumn(name, "integer", np.array(values), nothing, nothing)
    if code == "b":
        return RawColumn(name, "boolean", np.array(values), nothing, nothing)
    if code in "mM":
        return _times(name, values)
    return _objects(name, values)


def _objects(name: str, values: NDArray[Any]) -> RawColumn:
    """Read a column of Python objects: numbers or times if all are, labels otherwise."""
    items = values.tolist()
    missing = np.array([_is_missing(item) for item in items])
    present = [item for item, hole in zip(items, missing, strict=True) if not hole]
    nothing = np.zeros(len(items), dtype=bool)

    def read(as_value: Callable[[Any], Any], gap: Any, dtype: DTypeLike) -> NDArray[Any]:
        filled = zip(items, missing, strict=True)
        return np.array([gap if hole else as_value(item) for item, hole in filled], dtype=dtype)

    if not present:
        return _floats(name, np.full(len(items), np.nan))
    if all(isinstance(item, (bool, np.bool_)) for item in present):
        return RawColumn(name, "boolean", read(bool, False, bool), missing, nothing)
    for types in (_MOMENTS, _DURATIONS):
        if all(isinstance(item, types) for item in present):
            return RawColumn(name, "time", read(_as_seconds, 0.0, float), missing, nothing)
    if all(
        isinstance(item, numbers.Integral) and not isinstance(item, bool) and abs(int(item)) < 2**63
        for item in present
    ):
        return RawColumn(name, "integer", read(int, 0, np.int64), missing, nothing)
    if all(
        isinstance(item, (numbers.Real, Decimal)) and not isinstance(item, bool) for item in present
    ):
        return _floats(name, read(_as_float, np.nan, np.float64))
    if any(
        isinstance(item, numbers.Complex) and not isinstance(item, numbers.Real) for item in present
    ):
        raise InputError(
            f"Complex data not supported: column {name!r} holds complex numbers; split them into "
            "real and imaginary parts"
        )
    for row, item in enumerate(items):
        if not isinstance(item, Hashable):
            raise InputError(
                f"column {name!r} holds {_shown(item)} in row {row} (counting from 0), which is "
                "neither a number nor a label: put one value in each cell, or leave the column out"
            )
    return RawColumn(name, "string", read(_text, None, object), missing, nothing)


def _from_series(name: str, series: Any) -> RawColumn:
    """Read one column of a data frame."""
    dtype = series.dtype
    missing = np.array(series.is_null().to_numpy(), dtype=bool)
    nothing = np.zeros(len(missing), dtype=bool)
    if dtype.is_integer() and dtype not in _WIDE:
        filled = series.fill_null(0) if missing.any() else series
        return RawColumn(name, "integer", filled.to_numpy(), missing, nothing)
    if dtype.is_numeric() and dtype not in _WIDE:
        return _floats(name, series.cast(nw.Float64).to_numpy())
    if dtype == nw.Boolean:
        filled = series.fill_null(False) if missing.any() else series
        return RawColumn(name, "boolean", filled.to_numpy().astype(bool), missing, nothing)
    if dtype.is_temporal() and (times := series.to_numpy()).dtype.kind in "mM":
        return _times(name, times)
    items = np.fromiter(series.to_list(), dtype=object, count=len(missing))
    if dtype == nw.Categorical or dtype == nw.Enum:
        ordered = nw.is_ordered_categorical(series)
        return RawColumn(
            name,
            "ordered" if ordered else "category",
            items,
            missing,
            nothing,
            tuple(series.cat.get_categories().to_list()),
        )
    return _objects(name, items)


def _floats(name: str, values: NDArray[Any]) -> RawColumn:
    floats = np.array(values, dtype=np.float64)
    missing, infinite = np.isnan(floats), np.isinf(floats)
    hidden = missing | infinite
    present = floats[~hidden]
    if len(present) and not np.any(present % 1) and np.abs(present).max() < _WHOLE:
        # pandas and NumPy have made floats of integers where one is missing: those are integers.
        kind = "integer" if missing.any() else "whole"
        return RawColumn(
            name, kind, np.where(hidden, 0.0, floats).astype(np.int64), missing, infinite
        )
    return RawColumn(name, "float", floats, missing, infinite)


def _times(name: str, values: NDArray[Any]) -> RawColumn:
    """Read dates, times and durations."""
    nothing = np.zeros(len(values), dtype=bool)
    return RawColumn(name, "time", _seconds(values), np.isnat(values), nothing)


def _seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return moments and durations as seconds: decimals, so that equal differences stay so.

    No unit is changed for a finer one, in which moments far away would be other moments.
    """
    kind, (unit, step) = values.dtype.kind, np.datetime_data(values.dtype)
    if kind == "M" and unit in ("Y", "M"):  # moments are in years of their own lengths
        return _seconds(values.astype("M8[D]"))
    if unit not in _SECONDS and unit != "ms":
        values, unit, step = values.astype(f"{kind}8[us]"), "us", 1
    counts = values.astype(np.int64).astype(np.float64)
    if unit in _SECONDS:
        return counts * (step * _SECONDS[unit])
    return counts * float(step) / (1e3 if unit == "ms" else 1e6)


def _as_seconds(item: Any) -> float:
    """Return when a moment was in UTC, and of a time of day the duration since midnight."""
    if isinstance(item, dt.time):
        item = dt.timedelta(
            hours=item.hour,
            minutes=item.minute,
            seconds=item.second,
            microseconds=item.microsecond,
        )
    elif isinstance(item, dt.datetime) and item.tzinfo is not None:
        item = item.astimezone(dt.UTC).replace(tzinfo=None)
    if isinstance(item, dt.date):
        item = np.datetime64(item, "us")
    elif isinstance(item, dt.timedelta):
        item = np.timedelta64(item, "us")
    return float(_seconds(np.asarray(item)))


def _as_float(item: Any) -> float:
    try:
        return float(item)
    except OverflowError:  # an integer or fraction beyond all floats
        return math.inf if item > 0 else -math.inf


def _text(item: Any) -> str:
    return item.decode(errors="backslashreplace") if isinstance(item, bytes) else str(item)


def _is_missing(item: Any) -> bool:
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(item))
    if isinstance(item, Decimal):
        return item.is_nan()
    return isinstance(item, numbers.Real) and item != item


def _number(label: Any) -> float | None:
    """Return the number a label stands for, None if it stands for none that is finite."""
    try:
        number = float(label)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _moment(label: Any) -> float | None:
    """Return the seconds of a date as text, None if it is none or is written in another way."""
    if not isinstance(label, str) or not _ISO_DATE.fullmatch(label.strip()):
        return None
    try:
        return _as_seconds(dt.datetime.fromisoformat(label.strip()))
    except (ValueError, OverflowError):  # a 31st of April; a time zone beyond the first year
        return None


def sign_of(label: str) -> str | None:
    """Return the first of the signs that keep a label from being a number, None if others do."""
    text = label.strip()
    found = [sign for sign in "<>" if text.startswith(sign)]
    text = text.removeprefix("<").removeprefix(">").removeprefix("=").strip()
    if text.endswith("%"):
        text = text.removesuffix("%").strip()
        found.append("%")
    if _WITH_COMMA.fullmatch(text):
        text = text.replace(",", "")
        found.append(",")
    return found[0] if found and _number(text) is not None else None


def _shown(label: Any) -> str:
    text = repr(label)
    return text if len(text) <= 40 else text[:39] + "…"
