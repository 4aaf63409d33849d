"""Table: the variables of a data set, each column encoded as numbers and scaled once.

Reading a column from whatever the user has (NumPy, pandas, polars, pyarrow) is the business of
`_columns`, and what kind a column is that of `_kinds`; here columns are scaled and joined into
variables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._columns import RawColumn, read_columns
from mrflearn._kinds import FEW_LEVELS, KINDS, Column, encode
from mrflearn._scaling import SCALES, scaled
from mrflearn._words import listed
from mrflearn.errors import InputError, MissingValuesError, unknown, warn_user

__all__ = ["FEW_LEVELS", "KINDS", "Column", "Table", "as_table"]

MANY_LABELS = 1000
"""A nominal column with more labels than this, and more than one for two rows, has to be declared:
neighbours among rows that are all apart are compared each with each."""

ENOUGH_ROWS = 20
"""From which on copies of rows or columns are no chance."""

MANY_COPIES = 0.02
"""Share of rows that are copies of others, measured values included, beyond which users are warned:
with a fifth, noise has edges."""


@dataclass(frozen=True, eq=False)
class Table:
    """Variables as numbers, ready for a dependence. Made by `as_table`, never changed after.

    Attributes
    ----------
    names : tuple of str
        One name for each variable.
    columns : tuple of Column
        The columns, those of the first variable first.
    starts : ndarray of shape (n_variables + 1,)
        Variable `i` owns the columns `starts[i]` to `starts[i + 1] - 1`.
    values : ndarray of shape (n_columns, n_samples)
        Encoded and scaled values, one contiguous row for each column; read-only.
    scale : {"standard", "rank", None}
        How `values` were scaled.
    n_dropped : int
        Rows left out because of missing values.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    starts: NDArray[np.int64]
    values: NDArray[np.float64]
    scale: str | None
    n_dropped: int = 0

    @property
    def n_variables(self) -> int:
        """Number of variables: nodes of the graph."""
        return len(self.names)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.values.shape[1])

    @cached_property
    def nominal(self) -> NDArray[np.bool_]:
        """Mask over columns: the ones without an order."""
        return np.array([column.kind == "nominal" for column in self.columns])

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each variable; `"mixed"` for one whose columns are of several kinds."""
        return tuple(
            next(iter(kinds)) if len(kinds) == 1 else "mixed"
            for i in range(self.n_variables)
            for kinds in [{column.kind for column in self.columns_of(i)}]
        )

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Mask over variables: the ones that never vary."""
        return np.array(
            [all(column.constant for column in self.columns_of(i)) for i in range(self.n_variables)]
        )

    @cached_property
    def fingerprint(self) -> str:
        """Text made of all that a table holds: two tables that share it are the same."""
        digest = hashlib.sha256()
        columns = [(column.name, column.kind, column.levels) for column in self.columns]
        for what in (self.names, self.starts.tolist(), columns, self.scale):
            digest.update(repr(what).encode(errors="backslashreplace") + b"\0")
        digest.update(np.ascontiguousarray(self.values).tobytes())
        return digest.hexdigest()[:32]

    @property
    def n_repeated_rows(self) -> int:
        """Rows that hold what others do, if that is no chance.

        It is none where a measured value hardly comes twice but in such rows.
        """
        measured = [column.n_distinct for column in self.columns if column.kind == "continuous"]
        different = {values.tobytes() for values in self.values if np.ptp(values)}
        if not measured or len(different) < 2:
            return 0
        # Rows that are the same have the same sum, whatever the weights; others hardly ever.
        weights = np.random.default_rng(0).normal(size=len(self.values))
        sums = np.zeros(self.n_samples)
        for weight, values in zip(weights, self.values, strict=True):
            sums += weight * values
        n_different = len(np.unique(sums))
        return self.n_samples - n_different if max(measured) >= 0.9 * n_different else 0

    @property
    def all_discrete(self) -> bool:
        """Whether every column is ordinal or nominal."""
        return all(column.kind != "continuous" for column in self.columns)

    def columns_of(self, i: int) -> tuple[Column, ...]:
        """Return the columns that variable `i` owns."""
        return self.columns[self.starts[i] : self.starts[i + 1]]

    def values_of(self, i: int) -> NDArray[np.float64]:
        """Return the encoded, scaled values of variable `i`, shape (its columns, n_samples)."""
        return self.values[self.starts[i] : self.starts[i + 1]]

    def take(self, variables: Sequence[int] | NDArray[np.intp]) -> Table:
        """Return the table of some variables, by position, in the order given."""
        owned = [np.arange(self.starts[i], self.starts[i + 1]) for i in variables]
        rows = np.concatenate(owned) if owned else np.empty(0, dtype=np.int64)
        values = self.values[rows]
        values.flags.writeable = False
        starts = np.cumsum([0, *map(len, owned)])
        starts.flags.writeable = False
        return replace(
            self,
            names=tuple(self.names[i] for i in variables),
            columns=tuple(self.columns[row] for row in rows),
            starts=starts,
            values=values,
        )

    def at_rows(self, rows: Sequence[int] | NDArray[np.intp]) -> Table:
        """Return the table of some rows, by position: of the same kinds, and on the same scale.

        A column may be constant there.
        """
        values = np.ascontiguousarray(self.values[:, rows])
        values.flags.writeable = False
        columns = tuple(
            replace(column, n_distinct=len(np.unique(own)))
            for column, own in zip(self.columns, values, strict=True)
        )
        return replace(self, columns=columns, values=values)

    def index(self, variable: str | int) -> int:
        """Return the position of a variable given by name or, if none is so named, by position."""
        if str(variable) in self.names:
            return self.names.index(str(variable))
        if isinstance(variable, (int, np.integer)) and not isinstance(variable, bool):
            if not -self.n_variables <= variable < self.n_variables:
                raise InputError(
                    f"variable {variable} is out of range: the table has {self.n_variables} "
                    f"variables, numbered from 0"
                )
            return int(variable) % self.n_variables
        raise unknown("variable", variable, self.names)

    def describe(self) -> Any:
        """Return a data frame that says what each column is taken for, and why.

        Returns
        -------
        pandas.DataFrame
            One row for each column: variable, kind, levels (distinct values), missing, constant,
            reason for the kind, and a note where something looks odd.

        Notes
        -----
        Kinds come from the type of a column. Categories, strings and booleans are nominal;
        ordered categories are ordinal; dates and durations are continuous. Whole numbers, whether
        integers or floats, are ordinal when they take at most 10 distinct values and each occurs at
        least twice on average, continuous otherwise. Other floats are continuous, unless four rows
        or more hold but two values: these are ordinal. `as_table(..., kinds=)` overrides any of
        this.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"mass": [3.7, 3.8, 3.2, 3.4], "sex": ["f", "m", "f", "m"]})
        >>> as_table(frame).describe()["reason"].to_dict()
        {'mass': 'floating-point numbers', 'sex': 'string values'}
        """
        import pandas as pd

        owner = np.repeat(np.array(self.names, dtype=object), np.diff(self.starts))
        return pd.DataFrame(
            {
                "variable": owner,
                "kind": [column.kind for column in self.columns],
                "levels": [column.n_distinct for column in self.columns],
                "missing": [column.n_missing for column in self.columns],
                "constant": [column.constant for column in self.columns],
                "reason": [column.reason for column in self.columns],
                "note": [column.note for column in self.columns],
            },
            index=pd.Index([column.name for column in self.columns], name="column"),
        )


def as_table(
    X: Any,
    kinds: Mapping[Any, str | Sequence[Any]] | None = None,
    groups: Mapping[str, Sequence[Any]] | None = None,
    scale: str | None = "standard",
    missing: str = "error",
) -> Table:
    """Turn tabular data into a `Table`. The input is never changed.

    Parameters
    ----------
    X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
        Columns of a plain array are named `x0`, `x1`, ….
    kinds : dict from column to kind, optional
        `"continuous"`, `"ordinal"` or `"nominal"` for the columns whose type misleads; a list of
        levels, lowest first, makes a column ordinal in that order. `Table.describe` shows what
        was taken without it.
    groups : dict from variable to columns, optional
        Columns that together are one variable, such as `{"position": ["x", "y", "z"]}`.
    scale : {"standard", "rank", None}, default="standard"
        Divide continuous and ordinal columns by their standard deviation, replace them by their
        ranks (ties averaged, unit variance if there are none), or leave them as they are: dates
        and durations in seconds, labels as codes. Only distances between rows matter; where zero
        is does not. Columns recorded with a few decimals are scaled as the integers they stand
        for: equal differences stay exactly equal.
    missing : {"error", "drop"}, default="error"
        What to do about rows with missing or infinite values.

    Returns
    -------
    Table

    Examples
    --------
    >>> import numpy as np
    >>> table = as_table(np.random.default_rng(0).normal(size=(50, 3)))
    >>> table.names, table.kinds
    (('x0', 'x1', 'x2'), ('continuous', 'continuous', 'continuous'))
    """
    table = build_table(read_columns(X), kinds, groups, scale, missing)
    refuse_identifiers(table)
    warn_of_oddities(table)
    return table


def refuse_identifiers(table: Table) -> None:
    """Refuse columns of very many labels: they tell nothing of other rows, and take very long."""
    for column in table.columns:
        undeclared = column.kind == "nominal" and column.reason != "declared"
        if undeclared and column.n_distinct > max(MANY_LABELS, table.n_samples / 2):
            as_amounts = f"kinds={{{column.name!r}: 'continuous'}} if they are numbers"
            as_labels = f"kinds={{{column.name!r}: 'nominal'}} to keep it"
            numbers = column.about == "text" and column.note.endswith("continuous?")
            raise InputError(
                f"column {column.name!r} has {column.n_distinct} labels in {table.n_samples} rows, "
                "too many to tell anything of other rows: leave it out, or declare "
                f"{as_amounts if numbers else as_labels}"
            )


def warn_of_oddities(table: Table) -> None:
    """Warn of constants, and of columns that may not be what their type says."""
    constant = [column.name for column in table.columns if column.constant]
    if constant:
        warn_user(
            f"constant column{'s' * (len(constant) > 1)} {listed(constant, quote=True)}: a "
            "constant depends on nothing, so a variable made of constants alone is an isolated "
            "node",
        )
    for sentence in told_of_copies(table):
        warn_user(sentence)
    coded = [column for column in table.columns if column.code]
    if coded:
        codes, first = dict.fromkeys(column.code for column in coded), coded[0].code
        warn_user(
            f"{listed(list(codes))} in column{'s' * (len(coded) > 1)} "
            f"{listed([column.name for column in coded], quote=True)}, far from all other values: "
            f"if it stands for missing ones, empty those cells (of a file by --na {first}, or "
            f"read_table(file, na=[{first}])); if not, declare "
            f"kinds={{{coded[0].name!r}: {coded[0].kind!r}}}",
        )
    for column in table.columns:
        labels = column.kind == "nominal" and column.note and not column.constant
        if labels or column.about == "identifier":
            warn_user(
                f"column {column.name!r} is taken as {column.kind}, but look: {column.note} "
                f"kinds={{{column.name!r}: …}} declares what it is, or leave the column out",
            )


def told_of_copies(table: Table) -> list[str]:
    """Return what to say of rows and columns that are copies of others, if it is no chance."""
    if table.n_samples < ENOUGH_ROWS:
        return []
    told = []
    n_copies = table.n_repeated_rows
    if n_copies > MANY_COPIES * table.n_samples:
        told.append(
            f"{n_copies} of {table.n_samples} rows are copies of others, measured values included: "
            "if they were entered twice, leave the copies out, or what is chance looks like "
            "dependence"
        )
    copies = [" and ".join(map(repr, names)) for names in _equal_columns(table)]
    if copies:
        told.append(
            f"the columns {listed(copies)} tell the same, row by row: leave out all but one, or "
            "what others share with them goes unseen"
        )
    return told


def _equal_columns(table: Table) -> list[list[str]]:
    """Return the names of columns that hold the same values, constants aside."""
    named: dict[bytes, list[str]] = {}
    for column, values in zip(table.columns, table.values, strict=True):
        if not column.constant:
            key = hashlib.sha256(values.tobytes()).digest()
            named.setdefault(key, []).append(column.name)
    return [names for names in named.values() if len(names) > 1]


def build_table(
    raw: list[RawColumn],
    kinds: Mapping[Any, str | Sequence[Any]] | None,
    groups: Mapping[str, Sequence[Any]] | None,
    scale: str | None,
    missing: str,
) -> Table:
    """Make a `Table` of columns that are read already; `as_table` without its warnings."""
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if missing not in ("error", "drop"):
        raise unknown("missing", missing, ("error", "drop"))
    for option, example, given in [
        ("kinds", "{'column': 'nominal'}", kinds),
        ("groups", "{'variable': ['x', 'y']}", groups),
    ]:
        if given is not None and not isinstance(given, Mapping):
            raise InputError(f"{option}= wants a dict, such as {example}, got {given!r}")
    names = [column.name for column in raw]
    wanted = {_position(key, names, "kinds"): kind for key, kind in (kinds or {}).items()}
    members = _resolve_groups(groups, names)

    keep = complete_rows(raw, missing)
    encoded = [encode(column, keep, wanted.get(position)) for position, column in enumerate(raw)]
    values = np.empty((len(raw), int(keep.sum())))
    for row, position in enumerate(position for _, owned in members for position in owned):
        column, codes = encoded[position]
        values[row] = codes if column.kind == "nominal" else scaled(codes, scale)
    values.flags.writeable = False
    starts = np.zeros(len(members) + 1, dtype=np.int64)
    np.cumsum([len(owned) for _, owned in members], out=starts[1:])
    starts.flags.writeable = False
    return Table(
        names=tuple(name for name, _ in members),
        columns=tuple(encoded[position][0] for _, owned in members for position in owned),
        starts=starts,
        values=values,
        scale=scale,
        n_dropped=int((~keep).sum()),
    )


def _position(key: Any, names: list[str], option: str) -> int:
    """Return the position of a column that an option names, or numbers from 0."""
    if str(key) in names:
        return names.index(str(key))
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and 0 <= key < len(names):
        return int(key)
    error = unknown("column", key, names)
    raise InputError(f"{option}=: {error}")


def _resolve_groups(
    groups: Mapping[str, Sequence[Any]] | None, names: list[str]
) -> list[tuple[str, list[int]]]:
    """Return (variable, positions of its columns), in the order of each one's first column."""
    owner: dict[int, str] = {}
    members: dict[str, list[int]] = {}
    for variable, columns in (groups or {}).items():
        if isinstance(columns, str) or not isinstance(columns, Sequence) or not len(columns):
            raise InputError(
                f"groups=: {variable!r} must list its columns, such as "
                f"{{{str(variable)!r}: ['x', 'y']}}, got {columns!r}"
            )
        if str(variable) in members:
            raise InputError(f"groups=: two groups are named {str(variable)!r}; rename one")
        for key in columns:
            position = _position(key, names, "groups")
            if owner.get(position) == str(variable):
                raise InputError(
                    f"groups=: column {names[position]!r} is listed twice in {str(variable)!r}; "
                    "list it once"
                )
            if position in owner:
                raise InputError(
                    f"groups=: column {names[position]!r} is in {owner[position]!r} and in "
                    f"{str(variable)!r}; a column belongs to one variable"
                )
            owner[position] = str(variable)
        members[str(variable)] = [_position(key, names, "groups") for key in columns]
    variables = []
    for position, name in enumerate(names):
        if position not in owner:
            if name in members:
                raise InputError(
                    f"groups=: {name!r} is also the name of a column outside the group; "
                    "choose another name for the group"
                )
            variables.append((name, [position]))
        elif position == min(members[owner[position]]):
            variables.append((owner[position], members[owner[position]]))
    return variables


def complete_rows(raw: list[RawColumn], missing: str) -> NDArray[np.bool_]:
    """Return the mask of rows to keep, or say which columns have holes."""
    bad = np.logical_or.reduce([column.missing | column.infinite for column in raw])
    if not bad.any():
        return ~bad
    for column in raw:
        if (column.missing | column.infinite).all():
            raise InputError(f"column {column.name!r} holds no value at all: leave it out")
    if missing == "error":
        parts = []
        for column in raw:
            counts = [
                f"{n} {what}"
                for n, what in [
                    (int(column.missing.sum()), "NaN or missing"),
                    (int(column.infinite.sum()), "infinite (inf)"),
                ]
                if n
            ]
            if counts:
                parts.append(f"{column.name!r} ({', '.join(counts)})")
        raise MissingValuesError(
            f"missing or infinite values in {listed(parts)}",
            f"pass missing='drop' to leave out the {int(bad.sum())} of {len(bad)} rows concerned, "
            "or fill them in first",
        )
    if int((~bad).sum()) < 2:
        worst = max(raw, key=lambda column: int((column.missing | column.infinite).sum()))
        raise InputError(
            f"missing='drop' leaves {int((~bad).sum())} of {len(bad)} rows; column {worst.name!r} "
            f"has {int((worst.missing | worst.infinite).sum())} missing or infinite values: drop "
            "that column first"
        )
    return ~bad
