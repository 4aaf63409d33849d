"""`mrflearn simulate`: tables of worlds whose graphs are known."""

from __future__ import annotations

import click

from mrflearn.cli._completion import complete_worlds
from mrflearn.cli._graphs import check_targets
from mrflearn.cli._options import EXIT_CODES
from mrflearn.cli._output import show_rows, write
from mrflearn.errors import InputError

__all__ = ["simulate"]


@click.command(
    epilog=f"""\b
Example:
  mrflearn simulate --list
  mrflearn simulate mixed --rows 200 -o mixed.csv --truth mixed.graphml

{EXIT_CODES}""",
)
@click.argument("world", required=False, shell_complete=complete_worlds)
@click.option("--list", "list_worlds", is_flag=True, help="List the worlds, with a line on each.")
@click.option("--rows", type=int, default=500, show_default=True, metavar="N", help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the rows drawn.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="PATH",
    help="Write the table to this .csv file. [default: standard output]",
)
@click.option(
    "--truth",
    type=click.Path(),
    metavar="PATH",
    help="Write the true graph: .graphml, .gexf, .dot, .json, .csv or .parquet (edges).",
)
def simulate(
    world: str | None,
    list_worlds: bool,
    rows: int,
    seed: int,
    output: str | None,
    truth: str | None,
) -> None:
    """Draw a table whose graph is known.

    WORLD is the distribution it is drawn from. The same seed gives the same table.
    """
    if list_worlds:
        from mrflearn.datasets import WORLDS

        show_rows(["world", "what it is"], list(WORLDS.items()))
        return
    if world is None:
        raise InputError("name a world to draw from; mrflearn simulate --list shows them")
    if rows < 1:
        raise InputError(f"--rows must be a positive whole number, got {rows}")
    if seed < 0:
        raise InputError(f"--seed must be a whole number of at least 0, got {seed}")
    check_targets(None, [truth] if truth else [], others=[(output, [".csv"])])

    from mrflearn._files import write_atomically
    from mrflearn.datasets import load_world
    from mrflearn.io import write_graph

    drawn = load_world(world)
    text = drawn.sample(rows, random_state=seed).to_csv(index=False, lineterminator="\n")
    if truth is not None:
        write_graph(drawn.graph, truth)
    if output is None:
        write(text)
    else:
        write_atomically(output, text)
