"""`mrflearn blanket`: the Markov blanket of one column."""

from __future__ import annotations

from typing import Any

import click

from mrflearn.cli._names import check_name
from mrflearn.cli._options import (
    EXIT_CODES,
    PENGUINS,
    EdgeOptions,
    MeasureOptions,
    SelectionOptions,
    TableOptions,
    WorkOptions,
    edge_options,
    file_argument,
    json_option,
    measure_options,
    method_option,
    quiet_option,
    search_options_of,
    selection_options,
    table_options,
    work_options,
)
from mrflearn.cli._output import few_of, plain_warnings, printable, show_rows, write_json

__all__ = ["blanket"]


@click.command(
    epilog=f"""\b
Example:
{PENGUINS}
  mrflearn blanket penguins.csv --target sex --missing drop --dependence gaussian

{EXIT_CODES}""",
)
@file_argument
@click.option("--target", required=True, metavar="COLUMN", help="The variable to tell about.")
@method_option("iamb")
@selection_options
@measure_options
@work_options
@table_options
@edge_options
@json_option
@quiet_option
def blanket(
    file: str,
    target: str,
    method: str,
    selection: SelectionOptions,
    measure: MeasureOptions,
    work: WorkOptions,
    table: TableOptions,
    edges: EdgeOptions,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find which columns of FILE tell about one of them.

    They are its Markov blanket: once they are known, no other column tells more. iamb, gsmn
    and greedy-entropy learn the neighbourhood of the target and skip the rest; the score is what a
    member still tells about it, given the others, in nats. Other methods learn the whole graph, and
    the score is the weight of its edge at the target.
    """
    from mrflearn._shown import shown
    from mrflearn.estimators import as_estimator
    from mrflearn.table import as_table

    options = search_options_of(method, measure)
    with plain_warnings():
        frame, reading = table.read(file)
        names = list(as_table(frame, **reading).names)
        check_name(target, names, "--target")
        if options:
            options |= edges.as_dict(names)
        options |= work.as_dict()
        estimator = as_estimator(method, selection.as_dict() | reading | options)
        with shown(quiet):
            scores, unit, lam = _scores(estimator, frame, target)
    members = sorted(scores, key=lambda name: -scores[name])
    if as_json:
        from mrflearn._json import plain

        write_json(
            {
                "target": target,
                "members": [{"name": name, "score": plain(scores[name])} for name in members],
                "unit": unit,
                "lam": plain(lam),
                "method": method,
            }
        )
        return
    show_rows(["member", "score"], [[name, f"{scores[name]:.6g}"] for name in members], (1,))
    if not quiet:
        said = f"{len(members)} of {len(names) - 1} others: {few_of(members)}"
        empty = "nothing; a smaller --lam lets more in"
        click.echo(
            f"Markov blanket of {printable(target)} at lam {lam:g}, in {unit}: "
            f"{said if members else empty}",
            err=True,
        )


def _scores(estimator: Any, frame: Any, target: str) -> tuple[dict[str, float], str, float]:
    """Return the members with their scores, the unit of these, and lambda."""
    from mrflearn._columns import read_columns
    from mrflearn.estimators import BlanketEstimator

    if isinstance(estimator, BlanketEstimator):
        table = estimator._read(read_columns(frame))
        found, lam = estimator._learn_blanket(table, table.index(target))
        return {table.names[j]: weight for j, weight in found.weights.items()}, "nats", lam
    graph = estimator.fit(frame).graph_
    scores = {
        edge.target if edge.source == target else edge.source: edge.weight
        for edge in graph.edges
        if target in (edge.source, edge.target)
    }
    return scores, graph.unit, estimator.lam_
