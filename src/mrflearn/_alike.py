"""Encoding new rows as an earlier table was encoded: the same kinds, and the same codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._columns import RawColumn
from mrflearn._words import listed
from mrflearn.errors import InputError, unknown
from mrflearn.table import Column, Table, complete_rows

__all__ = ["alike"]


def alike(table: Table, raw: list[RawColumn], missing: str = "error") -> Table:
    """Return new rows as a table with the columns, kinds and codes of an earlier one.

    Parameters
    ----------
    table : Table
        The earlier one, of all its rows and not scaled (`scale=None`).
    raw : list of RawColumn
        The new rows, as by `read_columns`: the same columns by name, in any order.
    missing : {"error", "drop"}, default="error"
        What to do about rows with missing or infinite values.

    Returns
    -------
    Table
        Not scaled either. A nominal level that the earlier table has not is given the next free
        code, one for all such levels of a column. An ordinal one is put half-way between the
        levels around it, where its place is known.

    Examples
    --------
    >>> from mrflearn._columns import read_columns
    >>> from mrflearn.table import as_table
    >>> import pandas as pd
    >>> table = as_table(pd.DataFrame({"sex": ["f", "m", "m", "f"]}), scale=None)
    >>> alike(table, read_columns(pd.DataFrame({"sex": ["m", "m", "unknown"]}))).values
    array([[1., 1., 2.]])
    """
    if table.scale is not None:
        raise ValueError(f"the earlier table is scaled ({table.scale!r}): read it with scale=None")
    if missing not in ("error", "drop"):
        raise unknown("missing", missing, ("error", "drop"))
    given = {column.name: column for column in raw}
    wanted = [column.name for column in table.columns]
    absent = [name for name in wanted if name not in given]
    if absent:
        raise InputError(
            f"the new rows lack {_columns(absent)}, which the graph was learned from: add what is "
            "missing, or learn without it"
        )
    extra = [name for name in given if name not in wanted]
    if extra:
        raise InputError(
            f"the new rows have {_columns(extra)}, which the graph was not learned from: leave "
            "out what is new"
        )
    keep = complete_rows([given[name] for name in wanted], missing)
    values = np.stack(
        [
            _codes(given[column.name], keep, column, own)
            for column, own in zip(table.columns, table.values, strict=True)
        ]
    )
    values.flags.writeable = False
    columns = tuple(
        replace(
            column,
            n_distinct=len(np.unique(own)),
            n_missing=int((given[column.name].missing | given[column.name].infinite).sum()),
        )
        for column, own in zip(table.columns, values, strict=True)
    )
    return replace(table, columns=columns, values=values, n_dropped=int((~keep).sum()))


def _columns(names: list[str]) -> str:
    return f"the column{'s' * (len(names) > 1)} {listed(names, quote=True)}"


def _codes(
    raw: RawColumn, keep: NDArray[np.bool_], column: Column, earlier: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the codes of one column."""
    if column.levels is None or _is_own_code(column, earlier):
        return raw.numbers(keep, "held numbers when the graph was learned", "learn anew")
    code = {level: float(position) for position, level in enumerate(column.levels)}
    code |= {str(level): at for level, at in code.items() if str(level) not in code}
    labels = raw.values[keep].tolist()
    place: dict[Any, float] = {}
    for label in set(labels):
        found = code.get(label, code.get(str(label)))
        if found is None and column.kind == "nominal":
            found = float(len(column.levels))
        place[label] = _between(label, raw, column) if found is None else found
    return np.array([place[label] for label in labels])


def _is_own_code(column: Column, earlier: NDArray[np.float64]) -> bool:
    """Whether an ordinal column of integers had its values for codes."""
    levels = column.levels or ()
    return (
        column.kind == "ordinal"
        and column.reason != "declared with levels"
        and all(isinstance(level, int) and not isinstance(level, bool) for level in levels)
        and np.array_equal(np.unique(earlier), levels)
    )


def _between(label: Any, raw: RawColumn, column: Column) -> float:
    """Return a code for an ordinal level not seen before, half-way between those around it."""
    levels = list(column.levels or ())
    if column.reason != "declared with levels":
        order: dict[Any, Any] = {level: at for at, level in enumerate(raw.categories or ())}
        if raw.type == "ordered" and all(level in order for level in [label, *levels]):
            return sum(order[level] < order[label] for level in levels) - 0.5
        try:
            return sum(float(level) < float(label) for level in levels) - 0.5
        except (TypeError, ValueError):
            pass
    raise InputError(
        f"column {column.name!r} is ordinal and holds {label!r}, whose place among the levels "
        f"{levels!r} is not known: correct the value, or learn with all levels declared, "
        f"kinds={{{column.name!r}: [lowest, …, highest]}}"
    )
