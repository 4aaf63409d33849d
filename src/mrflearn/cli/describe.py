"""`mrflearn describe`: what each column is taken for, and what to look at twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mrflearn.cli._names import written
from mrflearn.cli._options import (
    EXIT_CODES,
    PENGUINS,
    TableOptions,
    file_argument,
    json_option,
    table_options,
)
from mrflearn.cli._output import in_flags, plain_warnings, printable, show_rows, write_json
from mrflearn.errors import InputError

if TYPE_CHECKING:
    from mrflearn._columns import RawColumn
    from mrflearn.table import Column

__all__ = ["describe"]

ADVICE = {
    "constant": "leave it out with --drop {dropped}",
    "text": "if they are amounts or times, say --kinds '{declared}=continuous'",
    "plain": "if they are amounts or times, do so in the file, else say "
    "--kinds '{declared}=nominal'",
    "typo": "correct the file, name it by --na if it stands for a missing value, or "
    "say --kinds '{declared}=nominal'",
    "identifier": "if so, leave it out with --drop {dropped}: it says nothing of other rows",
    "rare": "do so in the file, or leave the column out with --drop {dropped}",
    "code": "if so, say --na {code}, else --kinds '{declared}={kind}'",
    "few": "say --kinds '{declared}=ordinal' or '{declared}=nominal' if it is",
}
"""What to do about the notes of a column, by what they are about; about text, `plain` if it has to
be written in another way first."""


@dataclass(frozen=True)
class Description:
    """What is said of one column."""

    name: str
    kind: str | None
    reason: str
    n_levels: int
    n_missing: int
    warnings: tuple[str, ...]


@click.command(
    epilog=f"""\b
Example:
{PENGUINS}
  mrflearn describe penguins.csv --kinds year=nominal

{EXIT_CODES}""",
)
@file_argument
@table_options
@json_option
def describe(file: str, table: TableOptions, as_json: bool) -> None:
    """Say what each column of FILE is taken for, and why.

    Each column is looked at without its missing values. The last column of the table says what
    looks odd, and which option of `mrflearn learn` helps.
    """
    import numpy as np

    from mrflearn._columns import read_columns

    with plain_warnings():
        frame, reading = table.read(file, at_least=1)
    columns = read_columns(frame)
    described = [_describe(column, reading["kinds"]) for column in columns]
    described = _as_learned(described, columns, reading)
    copies = _told_of_copies(columns, reading)
    gaps = [column.missing | column.infinite for column in columns]
    n_incomplete = int(np.logical_or.reduce(gaps).sum())
    if as_json:
        write_json(
            {
                "n_rows": len(frame),
                "n_incomplete": n_incomplete,
                "copies": copies,
                "columns": [vars(column) for column in described],
            }
        )
        return
    show_rows(
        ["column", "kind", "why", "levels", "missing", "look at"],
        [
            [
                column.name,
                column.kind or "none",
                column.reason,
                str(column.n_levels),
                str(column.n_missing),
                "; ".join(column.warnings),
            ]
            for column in described
        ],
        numbers=(3, 4),
    )
    name = "standard input" if file == "-" else file
    many = "column" if len(columns) == 1 else "columns"
    click.echo(f"{name}: {len(frame)} rows, {len(columns)} {many}", err=True)
    if n_incomplete:
        kept = f"and {len(frame) - n_incomplete} stay"
        refused = f"learn leaves them out with --missing drop, {kept}, or fill them in first"
        advice = f"they are left out, {kept}" if table.missing == "drop" else refused
        click.echo(
            f"{n_incomplete} of the rows have missing or infinite values: {advice}", err=True
        )
    for sentence in copies:
        click.echo(printable(sentence), err=True)


def _told_of_copies(columns: list[RawColumn], reading: dict[str, Any]) -> list[str]:
    """Return what to say of copies among the complete rows, if there are enough of those."""
    from mrflearn.table import build_table, told_of_copies

    try:
        return told_of_copies(build_table(columns, reading["kinds"], None, "standard", "drop"))
    except InputError:  # of too few rows; each column is told of by itself
        return []


def _describe(raw: RawColumn, kinds: dict[str, Any]) -> Description:
    """Describe one column by the values it has."""
    from mrflearn.table import build_table

    absent = raw.missing | raw.infinite
    n_there = int((~absent).sum())
    own = {name: kind for name, kind in kinds.items() if name == raw.name}
    if n_there == 0:
        advice = (f"no value at all: leave it out with --drop {written(raw.name)}",)
        return Description(raw.name, None, "no value", 0, len(absent), advice)
    if n_there == 1 and absent.any():
        advice = (f"a single value: leave it out with --drop {written(raw.name)}",)
        return Description(raw.name, None, "a single value", 1, len(absent) - 1, advice)
    (column,) = build_table([raw], own, None, None, "drop").columns
    return Description(
        raw.name,
        column.kind,
        column.reason,
        column.n_distinct,
        column.n_missing,
        (*_warnings(column), *_infinite(raw)),
    )


def _warnings(column: Column) -> tuple[str, ...]:
    """Return the note of a column with what to do about it."""
    if not column.note:
        return ()
    mended = column.about == "text" and not column.note.endswith("continuous?")
    advised = ADVICE["plain" if mended else column.about].format(
        dropped=written(column.name),
        declared=written(column.name, ",=")[1:-1],
        kind=column.kind,
        code=column.code,
    )
    asked = column.note.endswith("?")
    return (f"{column.note}{'' if asked else ':'} {advised}",)


def _infinite(raw: RawColumn) -> tuple[str, ...]:
    n_infinite = int(raw.infinite.sum())
    return (f"{n_infinite} infinite, counted as missing",) if n_infinite else ()


def _as_learned(
    described: list[Description], raw: list[RawColumn], reading: dict[str, Any]
) -> list[Description]:
    """Add a word where the complete rows, from which `learn` learns, lead to another kind."""
    from dataclasses import replace

    from mrflearn.table import build_table

    try:
        table = build_table(raw, reading["kinds"], reading["groups"], None, "drop")
    except InputError as error:
        if not any((column.missing | column.infinite).any() for column in raw):
            raise
        click.echo(f"Warning: {in_flags(str(error))}", err=True)
        return described
    kinds = {column.name: column.kind for column in table.columns}
    return [
        column
        if kinds[column.name] == column.kind
        else replace(
            column,
            warnings=(
                *column.warnings,
                f"{kinds[column.name]} among the {table.n_samples} complete rows: say which with "
                f"--kinds {written(column.name, ',=')[:-1]}={column.kind}'",
            ),
        )
        for column in described
    ]
