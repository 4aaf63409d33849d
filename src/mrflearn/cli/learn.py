"""`mrflearn learn`: from a table in a file to a graph."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mrflearn._words import listed
from mrflearn.cli._graphs import (
    REPORTS,
    check_targets,
    document,
    n_edges_in_words,
    show_edges,
    write_files,
)
from mrflearn.cli._options import (
    EXIT_CODES,
    PENGUINS,
    EdgeOptions,
    MeasureOptions,
    SelectionOptions,
    TableOptions,
    WorkOptions,
    edge_options,
    figure_option,
    file_argument,
    json_option,
    measure_options,
    method_option,
    outputs_option,
    quiet_option,
    report_option,
    search_options_of,
    selection_options,
    table_options,
    work_options,
)
from mrflearn.cli._output import few_of, in_flags, plain_warnings, printable, write_json
from mrflearn.errors import InputError, either

if TYPE_CHECKING:
    from mrflearn.graph import Graph
    from mrflearn.table import Table

__all__ = ["learn"]

NEIGHBORS = ("knn", "mixed-ksg", "frenzel-pompe")
"""Dependences whose cost grows faster than the number of rows."""

MANY_COLUMNS = 200
"""Columns from which on a user is told that it takes long: minutes by nearest neighbours."""

MANY_ROWS = 50_000
"""Rows from which on a user is told that nearest neighbors take long: minutes for three columns,
most of them for the conditional permutations that test edges."""


@click.command(
    epilog=f"""\b
Example:
{PENGUINS}
  mrflearn learn penguins.csv --missing drop --drop year -o penguins.graphml --report penguins.html

\b
A comma, colon, equals sign, plus or < in the name of a column is written with a backslash, in
quotes:
  --required 'ratio a\\:b:age'

{EXIT_CODES}""",
)
@file_argument
@method_option("gsmple")
@selection_options
@click.option(
    "--test/--no-test",
    default=True,
    show_default=True,
    help="Test each edge of a search given the neighbors of both ends.",
)
@click.option(
    "--stability",
    type=int,
    default=0,
    metavar="N",
    help="Learn again from N random halves of the rows, and say how often each edge is found. "
    "[default: not]",
)
@click.option(
    "--refine",
    type=click.Choice(["auto", "alternate", "pairs", "none"]),
    help="How gsmple goes on after growing and shrinking once; none is Algorithm 1 of the paper. "
    "[default: auto]",
)
@measure_options
@work_options
@click.option(
    "--checkpoint",
    type=click.Path(),
    metavar="PATH",
    help="Keep what was found in this file, so that the same command, if it was stopped, goes on "
    "from there and ends with the same result.",
)
@table_options
@edge_options
@outputs_option
@click.option(
    "--result",
    type=click.Path(),
    metavar="PATH",
    help="Write all that was found as .json, for mrflearn view: graph, path, choice, options, "
    "versions, and a fingerprint of the data but not the data.",
)
@figure_option
@report_option
@json_option
@quiet_option
def learn(
    file: str,
    method: str,
    selection: SelectionOptions,
    test: bool,
    stability: int,
    refine: str | None,
    measure: MeasureOptions,
    work: WorkOptions,
    checkpoint: str | None,
    table: TableOptions,
    edges: EdgeOptions,
    outputs: tuple[str, ...],
    result: str | None,
    figure: str | None,
    report: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn the graph of the table in FILE.

    FILE is CSV or other delimited text with a line of column names, Parquet or Feather; - is
    standard input. Edges go to standard output, strongest first, as a table on a terminal and as
    tab-separated text otherwise; all else goes to standard error.
    """
    begun = time.monotonic()
    others = [(result, (".json",)), (report, REPORTS)]
    check_targets(file, outputs, figure, others)  # before anything slow

    from mrflearn._shown import shown
    from mrflearn.learn import results
    from mrflearn.table import as_table

    options = search_options_of(method, measure)
    if refine is not None:
        if method != "gsmple":
            raise InputError(
                f"--refine does not apply to --method {method}: leave it out, or choose --method "
                "gsmple"
            )
        options["refine"] = None if refine == "none" else refine
    with plain_warnings():
        frame, reading = table.read(file)
        taken = as_table(frame, **reading)
        if options:
            options |= edges.as_dict(list(taken.names))
        if not (quiet or as_json):
            _describe(taken, file)
            _warn_of_time(taken, options, test)
        written: list[Path] = []
        try:
            with shown(quiet):
                for found in results(
                    frame,
                    method,
                    test=test,
                    n_subsamples=stability,
                    checkpoint=checkpoint,
                    quiet=True,
                    **work.as_dict(),
                    **selection.as_dict(),
                    **reading,
                    **options,
                ):
                    written = write_files(
                        found, found.graph, outputs, figure, result=result, report=report
                    )
        except KeyboardInterrupt:
            if written:
                files = listed([str(path) for path in written])
                click.echo(
                    f"stopped early: {files} hold the graph, without tests and frequencies that "
                    "were not done",
                    err=True,
                )
            raise
        for warning in found.account.warnings:  # shown once: some were said when it was read
            warnings.warn(warning, UserWarning, stacklevel=1)
    if as_json:
        write_json(document(found, found.graph, written))
        return
    show_edges(found.graph)
    if not quiet:
        chosen = [in_flags(found.account.lam)] if found.choice else []
        for message in (*chosen, *found.account.edges):
            click.echo(printable(message), err=True)
        _conclude(found.graph, written, time.monotonic() - begun)


def _describe(table: Table, file: str) -> None:
    """Say what each column is taken for, one line a kind."""
    name = "standard input" if file == "-" else file
    left_out = f" ({table.n_dropped} left out: missing values)" if table.n_dropped else ""
    n_rows = table.n_samples + table.n_dropped
    click.echo(f"{name}: {n_rows} rows{left_out}, {table.n_variables} columns", err=True)
    for kind in ("continuous", "ordinal", "nominal"):
        names = [column.name for column in table.columns if column.kind == kind]
        if names:
            click.echo(f"  {kind:<11} {few_of(names)}", err=True)


def _warn_of_time(table: Table, options: dict[str, Any], test: bool) -> None:
    """Say that many rows or columns take long, and what is faster.

    A parametric method has no options.
    """
    if not options:
        return
    slow = options["dependence"] in NEIGHBORS
    by_regressions = ["the default --dependence"] if slow else []
    if table.n_samples >= MANY_ROWS and slow:
        faster = [*by_regressions, *(["--no-test"] if test else []), "a part of the rows"]
        click.echo(
            f"{table.n_samples} rows may take minutes, and more with each edge; faster: "
            f"{either(faster)}",
            err=True,
        )
    if table.n_variables >= MANY_COLUMNS and options["screen"] is None:
        faster = [*by_regressions, "--screen 20, which looks at the 20 nearest of each alone"]
        click.echo(f"{table.n_variables} columns may take long; faster: {either(faster)}", err=True)


def _conclude(graph: Graph, written: Sequence[Path], seconds: float) -> None:
    """Say how many edges there are, and which files were written."""
    lam = "" if graph.lam is None or math.isinf(graph.lam) else f" at lam {graph.lam:g}"
    files = f"; wrote {', '.join(map(str, written))}" if written else ""
    hint = "" if graph.edges else "; a smaller --lam lets more edges in"
    click.echo(f"{n_edges_in_words(graph)}{lam} in {seconds:.1f} s{files}{hint}", err=True)
