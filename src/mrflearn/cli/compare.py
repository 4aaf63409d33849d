"""`mrflearn compare`: all methods that suit a table, side by side."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from mrflearn.cli._completion import complete_methods
from mrflearn.cli._graphs import check_targets, edge_rows
from mrflearn.cli._options import (
    EXIT_CODES,
    MeasureOptions,
    TableOptions,
    WorkOptions,
    alpha_option,
    file_argument,
    json_option,
    measure_options,
    quiet_option,
    seed_option,
    table_options,
    work_options,
)
from mrflearn.cli._output import in_flags, plain_warnings, show_rows, write_json
from mrflearn.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

    from mrflearn.graph import Graph

__all__ = ["compare"]


@click.command(
    epilog=f"""\b
Example:
  mrflearn simulate gaussian --rows 300 -o gaussian.csv
  mrflearn compare gaussian.csv --methods gsmple,glasso,jose --dependence gaussian --figure all.png

{EXIT_CODES}""",
)
@file_argument
@click.option(
    "--methods",
    multiple=True,
    metavar="NAME,...",
    shell_complete=complete_methods,
    help="Methods to compare; see mrflearn estimators. [default: all that suit the table]",
)
@alpha_option
@seed_option
@measure_options
@work_options
@table_options
@click.option(
    "-o", "--output", type=click.Path(), metavar="PATH", help="Write the table of edges: .csv."
)
@click.option(
    "--figure", type=click.Path(), metavar="PATH", help="Draw a heat map: .png, .svg or .pdf."
)
@json_option
@quiet_option
def compare(
    file: str,
    methods: tuple[str, ...],
    alpha: float | None,
    seed: int,
    measure: MeasureOptions,
    work: WorkOptions,
    table: TableOptions,
    output: str | None,
    figure: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn from FILE by all methods that suit it.

    Each method chooses its own lambda. A row for each edge says how many methods found it, and how
    strong it is by each, in the unit of that method. Methods that do not suit the table are left
    out, each with a reason. Options of dependence, scaling and memory are for the searches.
    """
    check_targets(file, figure=figure, others=[(output, [".csv"])])

    from mrflearn._shown import shown
    from mrflearn.estimators import ESTIMATORS

    names = [name.strip() for text in methods for name in text.split(",")] or list(ESTIMATORS)
    for name in names:
        if name not in ESTIMATORS:
            raise unknown("method", name, ESTIMATORS)
    with plain_warnings():
        frame, reading = table.read(file)
        common = {"lam": "auto", "random_state": seed, **reading, **work.as_dict()}
        with shown(quiet or as_json):
            searching = measure.as_dict() | ({} if alpha is None else {"alpha": alpha})
            graphs, left_out = _learn_all(list(dict.fromkeys(names)), frame, common, searching)
        if not graphs:
            reasons = " ".join(f"{name}: {reason}." for name, reason in left_out.items())
            raise InputError(f"none of the methods suits the table. {reasons}")
        rows = _rows(graphs)
        written = _write_files(graphs, rows, output, figure)
    if as_json:
        write_json(_document(graphs, rows, left_out, written))
        return
    headings = ["source", "target", "methods", *graphs]
    show_rows(headings, rows, numbers=range(2, len(headings)))
    for name, reason in left_out.items():
        click.echo(f"Left out {name}: {reason}", err=True)
    if not quiet:
        _tell(graphs, written)


def _learn_all(
    names: Sequence[str], frame: pd.DataFrame, common: dict[str, Any], searching: dict[str, Any]
) -> tuple[dict[str, Graph], dict[str, str]]:
    """Return the graph of each method, and why others have none.

    Some options are common to all, those of `searching` are for searches.
    """
    import numpy as np

    from mrflearn._progress import tracked
    from mrflearn.estimators import ESTIMATORS, SearchEstimator, as_estimator
    from mrflearn.work import WorkError

    graphs: dict[str, Graph] = {}
    left_out: dict[str, str] = {}
    for name in tracked("Comparing methods", names):
        own = searching if issubclass(ESTIMATORS[name], SearchEstimator) else {}
        try:
            estimator = as_estimator(name, common | own)
            graphs[name] = estimator.fit(frame).graph_
        except WorkError:  # the fault of who works, not of a method
            raise
        except InputError as error:
            left_out[name] = _reason(error)
        except (ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
            left_out[name] = f"it failed on this table ({error})"
    return graphs, left_out


def _reason(error: InputError) -> str:
    """Return why a method does not suit a table, without the remedies: others are there already."""
    message = in_flags(str(error))
    if re.match(r"--(?!method )", message):  # the fault of an option, not of a method
        raise error
    return re.sub(r"^--method \S+ ", "it ", re.split(r": (?:use|leave) ", message)[0])


def _rows(graphs: Mapping[str, Graph]) -> list[list[str]]:
    """Return the edges, those that most methods found first: ends, how many, weight by each."""
    weights = {
        name: {(edge.source, edge.target): edge.weight for edge in graph.edges}
        for name, graph in graphs.items()
    }
    pairs = {pair for own in weights.values() for pair in own}
    graph = next(iter(graphs.values()))

    def order(pair: tuple[str, str]) -> tuple[int, int, int]:
        agreeing = sum(pair in own for own in weights.values())
        return -agreeing, graph.index(pair[0]), graph.index(pair[1])

    return [
        [
            *pair,
            str(sum(pair in own for own in weights.values())),
            *(f"{own[pair]:.4g}" if pair in own else "" for own in weights.values()),
        ]
        for pair in sorted(pairs, key=order)
    ]


def _agreements(graphs: Mapping[str, Graph]) -> list[tuple[str, str, int, float]]:
    """Return, for each two methods, edges in common and their share of all edges of the two."""
    found = []
    for (one, first), (other, second) in itertools.combinations(graphs.items(), 2):
        common = int((first.adjacency & second.adjacency).sum()) // 2
        either = int((first.adjacency | second.adjacency).sum()) // 2
        found.append((one, other, common, common / either if either else 1.0))
    return found


def _write_files(
    graphs: Mapping[str, Graph], rows: list[list[str]], output: str | None, figure: str | None
) -> list[str]:
    from mrflearn._files import write_atomically
    from mrflearn.io._fields import delimited, harmless

    written = []
    if output is not None:
        headings = ["source", "target", "methods", *graphs]
        safe = [[harmless(row[0]), harmless(row[1]), *row[2:]] for row in rows]
        written.append(str(write_atomically(output, delimited([headings, *safe]))))
    if figure is not None and not rows:
        click.echo(f"Warning: no method found an edge, so {figure!r} is not drawn", err=True)
    elif figure is not None:
        from mrflearn.plot import plot_comparison, save_figure

        written.append(str(save_figure(plot_comparison(graphs), figure)))
    return written


def _document(
    graphs: Mapping[str, Graph],
    rows: list[list[str]],
    left_out: dict[str, str],
    written: list[str],
) -> dict[str, Any]:
    """Return all of it for machines."""
    from mrflearn._json import plain

    return {
        "methods": {
            name: {"lam": plain(graph.lam), "unit": graph.unit, "edges": edge_rows(graph)}
            for name, graph in graphs.items()
        },
        "edges": [
            {"source": source, "target": target, "methods": int(count)}
            for source, target, count, *_ in rows
        ],
        "agreement": [
            {"methods": [one, other], "common": common, "jaccard": share}
            for one, other, common, share in _agreements(graphs)
        ],
        "left_out": left_out,
        "files": written,
    }


def _tell(graphs: Mapping[str, Graph], written: list[str]) -> None:
    """Say how many edges there are, how far methods agree, and which files were written."""
    n_edges = ", ".join(f"{name} {len(graph.edges)}" for name, graph in graphs.items())
    click.echo(f"Edges: {n_edges}", err=True)
    if len(graphs) > 1:
        click.echo("Edges in common, in percent of all edges of the two:", err=True)
        _show_agreements(graphs)
    if written:
        click.echo(f"Wrote {', '.join(written)}", err=True)


def _show_agreements(graphs: Mapping[str, Graph]) -> None:
    """Show how far each two methods agree, the later of them by number."""
    shares = {frozenset((one, other)): share for one, other, _, share in _agreements(graphs)}
    names = list(graphs)
    width = max(map(len, names))
    click.echo(" " * (width + 6) + "".join(f"{at:>5}" for at in range(1, len(names) + 1)), err=True)
    for at, one in enumerate(names):
        cells = [
            "    –" if other == one else f"{shares[frozenset((one, other))]:>5.0%}"[:-1].rjust(5)
            for other in names
        ]
        click.echo(f"{at + 1:>4}  {one:<{width}}{''.join(cells)}", err=True)
