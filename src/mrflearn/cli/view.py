"""`mrflearn view`: what a result file says, and its figures and graphs once more."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mrflearn.cli._graphs import (
    FIGURES_OF,
    REPORTS,
    check_targets,
    document,
    n_edges_in_words,
    show_edges,
    write_files,
)
from mrflearn.cli._names import read_pairs
from mrflearn.cli._options import (
    EXIT_CODES,
    PENGUINS,
    file_argument,
    json_option,
    outputs_option,
    quiet_option,
    report_option,
)
from mrflearn.cli._output import in_flags, plain_warnings, printable, write, write_json
from mrflearn.errors import InputError

if TYPE_CHECKING:
    from mrflearn.graph import Graph
    from mrflearn.result import Result

__all__ = ["view"]


@click.command(
    epilog=f"""\b
Example:
{PENGUINS}
  mrflearn learn penguins.csv --missing drop --result penguins.json
  mrflearn view penguins.json --explain species:island
  mrflearn view penguins.json --draw path --figure path.png --report penguins.html

{EXIT_CODES}""",
)
@file_argument
@click.option("--lam", type=float, help="Show the graph of its path at the lambda closest to this.")
@click.option("--explain", metavar="A:B", help="Say why two variables have an edge, or none.")
@outputs_option
@click.option(
    "--figure", type=click.Path(), metavar="PATH", help="Draw it once more: .png, .svg or .pdf."
)
@click.option(
    "--draw",
    type=click.Choice(FIGURES_OF),
    default="graph",
    show_default=True,
    help="What --figure shows: the graph, when edges come onto the path, why lambda was chosen, or "
    "how often edges were found in subsamples.",
)
@report_option
@json_option
@quiet_option
def view(
    file: str,
    lam: float | None,
    explain: str | None,
    outputs: tuple[str, ...],
    figure: str | None,
    draw: str,
    report: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show a result again, and draw it.

    FILE is what `mrflearn learn --result` wrote. Edges go to standard output, what was done to
    standard error. Nothing is learned again, and the data are not needed.
    """
    if lam is not None and math.isnan(lam):
        raise InputError("--lam must be a number, got NaN")
    if draw != "graph" and figure is None:
        raise InputError(f"--draw {draw} needs --figure: add a file to draw to")
    if lam is not None and draw != "graph":
        raise InputError(
            f"--lam is for --draw graph, and --draw {draw} shows the result as it was learned: "
            "leave --lam out"
        )
    check_targets(file, outputs, figure, [(report, REPORTS)], what="result")

    from mrflearn.result import Result

    try:
        found = Result.load(file)
    except InputError as error:
        another = " is not a " in str(error)
        remedy = "; mrflearn learn --result writes what view reads" if another else ""
        raise InputError(f"{error}{remedy}") from None
    if draw == "choice" and found.choice is None:
        how = "without --lam" if found.lam == -math.inf else f"with --lam {found.lam:g}"
        raise InputError(
            f"--draw choice has nothing to draw: the result was learned {how}, so no lambda was "
            "chosen; learn it with --lam auto"
        )
    graph = found.graph if lam is None else _at(found, lam)
    (pair,) = read_pairs([explain], graph.nodes, "--explain") if explain is not None else [None]
    with plain_warnings():
        written = write_files(found, graph, outputs, figure, draw, report=report)
    if as_json:
        write_json(document(found, graph, written))
    elif pair is not None:
        write(f"{printable(str(graph.explain(*pair)))}\n")
    else:
        if not quiet:
            _tell(found, graph)
        show_edges(graph)
    if written and not (quiet or as_json):
        click.echo(f"Wrote {', '.join(map(str, written))}", err=True)


def _at(found: Result, lam: float) -> Graph:
    """Return the graph of the path whose lambda is closest, and when edges come onto that."""
    from mrflearn.evidence import Evidence

    # An infinite lambda is as far from all: the largest, or the smallest, is meant.
    wanted = max(min(lam, max(found.path.lams)), min(found.path.lams))
    position = min(range(len(found.path)), key=lambda at: abs(found.path.lams[at] - wanted))
    return replace(found.path[position], evidence=Evidence(entry=found.path.entry))


def _tell(found: Result, graph: Graph) -> None:
    """Say what was done; of another graph of the path, which one it is."""
    if graph is found.graph:
        in_words = replace(found.account, warnings=tuple(map(in_flags, found.account.warnings)))
        for message in in_words.messages:
            click.echo(printable(message), err=True)
        return
    lams = found.path.lams
    click.echo(printable(found.account.table), err=True)
    if lams == (-math.inf,):
        said = (
            f"No lambda was asked for: the path has this graph alone, of {n_edges_in_words(graph)}."
        )
    else:
        said = f"The graph at lambda {graph.lam:g}: {n_edges_in_words(graph)}. {_of_path(found)}"
    click.echo(said, err=True)


def _of_path(found: Result) -> str:
    """Return which lambdas there are, and which of them was used."""
    lams = found.path.lams
    if lams == (found.lam,):
        return "The path has no other lambda."
    others = (
        f"{len(lams)} lambdas from {max(lams):g} to {min(lams):g}"
        if len(lams) > 1
        else "no other lambda"
    )
    return f"The path has {others}, and {found.lam:g} was used."
