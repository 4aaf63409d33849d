"""`mrflearn learn`: from a table in a file to a graph."""

from __future__ import annotations

import csv
import io
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mrflearn.cli._options import Lambda, check_targets, read_kinds, read_names, read_pairs
from mrflearn.cli._output import in_flags, listed, plain_warnings, printable, write
from mrflearn.errors import InputError, unknown
from mrflearn.selection.options import SELECTIONS

if TYPE_CHECKING:
    from mrflearn.graph import Edge, Graph
    from mrflearn.table import Table

__all__ = ["learn"]


@click.command(
    epilog="""\b
Example:
  python -c "import mrflearn.datasets as d; print(d.penguins_path().read_text())" > penguins.csv
  mrflearn learn penguins.csv --missing drop --drop year -o penguins.graphml --figure penguins.png

\b
A comma, colon, equals sign or < in the name of a column is written with a backslash, in quotes:
  --required 'ratio a\\:b:age'

Exit codes: 0, 2 for a mistake in the table or the options, 130 after Ctrl-C.""",
)
@click.argument("file")
@click.option(
    "--method", default="gsmple", show_default=True, help="How to search; see mrflearn estimators."
)
@click.option(
    "--lam",
    type=Lambda(),
    help="Penalty for an edge; larger is sparser. In nats for a search, in the unit of its model "
    "for a parametric method. [default: auto, chosen from the data; chow-liu: a tree]",
)
@click.option(
    "--select",
    type=click.Choice(["auto", *SELECTIONS]),
    default="auto",
    show_default=True,
    help="How --lam auto chooses: by how many edges chance would bring (permutation), by stability "
    "in subsamples (stars), by predicting rows left out (heldout) or, for parametric methods, by "
    "the extended BIC (ebic).",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Share of false edges that --select permutation aims at.",
)
@click.option(
    "--test/--no-test",
    default=True,
    show_default=True,
    help="Test each edge of a search against shuffled copies of the data.",
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
    "--seed", type=int, default=0, show_default=True, help="Of shuffles, subsamples and folds."
)
@click.option(
    "--refine",
    type=click.Choice(["regrow", "alternate", "swap", "pairs"]),
    help="How gsmple goes on after growing and shrinking once. [default: pairs]",
)
@click.option(
    "--dependence",
    default="auto",
    show_default=True,
    help="How to measure dependence; see mrflearn estimators.",
)
@click.option(
    "--n-neighbors",
    type=int,
    metavar="K",
    help="Neighbours that a nearest-neighbour estimate uses.",
)
@click.option(
    "--scale",
    type=click.Choice(["standard", "rank", "none"]),
    default="standard",
    show_default=True,
    help="Scaling of continuous and ordinal columns.",
)
@click.option(
    "--kinds",
    multiple=True,
    metavar="COLUMN=KIND,...",
    help="continuous, ordinal or nominal, for columns whose type misleads; levels joined by < "
    "make a column ordinal, as in 'size=small<medium<large'.",
)
@click.option("--drop", multiple=True, metavar="COLUMN,...", help="Columns to leave out.")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do about rows with missing or infinite values.",
)
@click.option(
    "--required", multiple=True, metavar="A:B", help="An edge that must be there. Repeatable."
)
@click.option(
    "--forbidden", multiple=True, metavar="A:B", help="An edge that must not be. Repeatable."
)
@click.option("--n-jobs", type=int, metavar="N", help="Threads; -1 for all cores. [default: 1]")
@click.option(
    "--max-memory", metavar="SIZE", help="Bound on working memory, as in '500 MB' or '2G'."
)
@click.option(
    "--delimiter",
    metavar="X",
    help="Between the values of FILE; found from its header unless given.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="PATH",
    help="Write the graph: .graphml, .gexf, .dot, .json, .csv or .parquet (edges). Repeatable.",
)
@click.option("--figure", metavar="PATH", help="Draw the graph: .png, .svg or .pdf.")
@click.option(
    "-q", "--quiet", is_flag=True, help="Print the edges only, with warnings and errors if any."
)
def learn(
    file: str,
    method: str,
    lam: float | str | None,
    select: str,
    alpha: float,
    test: bool,
    stability: int,
    seed: int,
    refine: str | None,
    dependence: str,
    n_neighbors: int | None,
    scale: str,
    kinds: tuple[str, ...],
    drop: tuple[str, ...],
    missing: str,
    required: tuple[str, ...],
    forbidden: tuple[str, ...],
    n_jobs: int | None,
    max_memory: str | None,
    delimiter: str | None,
    outputs: tuple[str, ...],
    figure: str | None,
    quiet: bool,
) -> None:
    """Learn the graph of the table in FILE.

    FILE is CSV or other delimited text with a line of column names, Parquet or Feather; - is
    standard input. Edges go to standard output, strongest first, as a table on a terminal and as
    tab-separated text otherwise; all else goes to standard error.
    """
    begun = time.monotonic()
    check_targets(file, outputs, figure)  # before anything slow

    from mrflearn._shown import shown
    from mrflearn.dependence import resolve
    from mrflearn.estimators import ESTIMATORS, GSMPLE, SearchEstimator
    from mrflearn.io import read_table, write_graph
    from mrflearn.learn import NOTE
    from mrflearn.learn import learn as learn_from
    from mrflearn.table import as_table

    if method not in ESTIMATORS:
        raise unknown("method", method, ESTIMATORS)
    estimator = ESTIMATORS[method]
    if not issubclass(estimator, SearchEstimator):
        _refuse_search_options(method)
    if refine is not None and estimator is not GSMPLE:
        raise InputError(
            f"--refine does not apply to --method {method}: leave it out, or choose --method gsmple"
        )
    specification = resolve(dependence, n_neighbors=n_neighbors)
    with plain_warnings():
        frame = read_table(file, delimiter)
        dropped = read_names(drop, [str(column) for column in frame.columns])
        frame = frame.drop(columns=dropped)
        columns = [str(column) for column in frame.columns]
        if len(columns) < 2:
            raise InputError(f"--drop leaves {len(columns)} of the columns: a graph needs two")
        reading: dict[str, Any] = {
            "kinds": read_kinds(kinds, columns),
            "missing": missing,
        }
        options: dict[str, Any] = {
            "dependence": specification,
            "scale": None if scale == "none" else scale,
            "required": read_pairs(required, columns, "--required"),
            "forbidden": read_pairs(forbidden, columns, "--forbidden"),
            "max_memory": max_memory,
        }
        if not issubclass(estimator, SearchEstimator):
            options = {}
        if refine is not None:
            options["refine"] = refine
        if lam is not None:  # methods differ in what they do without
            options["lam"] = lam
        table = as_table(frame, **reading)
        if not quiet:
            _describe(table, file)
        with shown(quiet):
            found = learn_from(
                frame,
                method,
                selection=select,
                alpha=alpha,
                random_state=seed,
                test=test,
                n_subsamples=stability,
                n_jobs=n_jobs,
                quiet=True,
                **reading,
                **options,
            )
            graph = found.graph
            written = [write_graph(graph, path) for path in outputs]
            if figure is not None:
                from mrflearn.plot import plot_graph, save_figure

                written.append(save_figure(plot_graph(graph, kinds=table.kinds), figure))
    _show_edges(graph)
    if not quiet:
        n_known = 2 if found.choice else 3  # the table, the method, and lambda if it was given
        for message in found.messages[n_known:]:
            if not message.startswith(NOTE):  # said as a warning already
                click.echo(in_flags(message), err=True)
        _conclude(graph, written, time.monotonic() - begun)


def _refuse_search_options(method: str) -> None:
    """Refuse options of a search for a method that is none."""
    context = click.get_current_context()
    for name in (
        "dependence",
        "n_neighbors",
        "scale",
        "required",
        "forbidden",
        "n_jobs",
        "max_memory",
    ):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise InputError(
                f"--{name.replace('_', '-')} does not apply to --method {method}, which fits a "
                "parametric model: leave it out, or choose --method gsmple"
            )


def _describe(table: Table, file: str) -> None:
    """Say what each column is taken for, one line a kind."""
    name = "standard input" if file == "-" else file
    left_out = f" ({table.n_dropped} left out: missing values)" if table.n_dropped else ""
    n_rows = table.n_samples + table.n_dropped
    click.echo(f"{name}: {n_rows} rows{left_out}, {table.n_variables} columns", err=True)
    for kind in ("continuous", "ordinal", "nominal"):
        names = [column.name for column in table.columns if column.kind == kind]
        if names:
            click.echo(f"  {kind:<11} {listed(names)}", err=True)


def _conclude(graph: Graph, written: Sequence[Path], seconds: float) -> None:
    """Say how many edges there are, and which files were written."""
    n_edges = len(graph.edges)
    edges = f"{n_edges or 'no'} edge{'' if n_edges == 1 else 's'}"
    lam = "" if graph.lam is None or math.isinf(graph.lam) else f" at lam {graph.lam:g}"
    files = f"; wrote {', '.join(map(str, written))}" if written else ""
    hint = "" if n_edges else "; a smaller --lam lets more edges in"
    click.echo(f"{edges}{lam} in {seconds:.1f} s{files}{hint}", err=True)


def _known(edges: Sequence[Edge]) -> list[tuple[str, str, str]]:
    """Return what is known of the edges: the parts of each, their headings, and formats."""
    parts = [("weight", "score", ".6g")]
    if any(edge.p_value is not None for edge in edges):
        parts += [("p_value", "p", ".3g"), ("q_value", "q", ".3g")]
    if any(edge.confidence is not None for edge in edges):
        parts.append(("confidence", "frequency", ".2f"))
    return parts


def _show_edges(graph: Graph) -> None:
    """Print the edges, strongest first: a table on a terminal, tab-separated text elsewhere."""
    edges = sorted(graph.edges, key=lambda edge: (math.isnan(edge.weight), -edge.weight))
    if sys.stdout.isatty():
        _show_table(edges, graph.unit)
        return
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    known = _known(edges)
    writer.writerow(["source", "target", *(heading for _, heading, _ in known)])
    for edge in edges:
        numbers = [f"{getattr(edge, part):{form}}" for part, _, form in known]
        writer.writerow([edge.source, edge.target, *numbers])
    write(stream.getvalue())


def _show_table(edges: Sequence[Edge], unit: str) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    if not edges:
        return
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    table.add_column("source", overflow="fold")
    table.add_column("target", overflow="fold")
    known = _known(edges)
    for part, heading, _ in known:
        shown = f"{heading} ({unit})" if part == "weight" else heading
        table.add_column(shown, justify="right", no_wrap=True)
    for edge in edges:
        names = (Text(printable(edge.source)), Text(printable(edge.target)))
        numbers = [f"{getattr(edge, part):{form.replace('6', '4')}}" for part, _, form in known]
        table.add_row(*names, *numbers)
    Console().print(table)
