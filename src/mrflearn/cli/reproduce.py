"""`mrflearn reproduce`: the experiment of the GS-MPLE paper."""

from __future__ import annotations

from pathlib import Path

import click

from mrflearn.cli._options import WorkOptions, work_options
from mrflearn.cli._output import plain_warnings, write
from mrflearn.errors import InputError

__all__ = ["reproduce"]

QUICK = 10
"""Runs with --quick."""


@click.command(
    epilog="""\b
Example:
  mrflearn reproduce --quick -o reproduction

Exit codes: 0, 2 for a mistake in the options, 130 after Ctrl-C.""",
)
@click.option("--runs", type=int, metavar="N", help="Tables from each world. [default: 100]")
@click.option("--quick", is_flag=True, help=f"{QUICK} runs: a first look, with wide intervals.")
@work_options
@click.option(
    "-o",
    "--output",
    default="reproduction",
    show_default=True,
    metavar="DIR",
    help="Folder for results, figure and report.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
def reproduce(runs: int | None, quick: bool, work: WorkOptions, output: str, quiet: bool) -> None:
    """Repeat the experiment of the GS-MPLE paper.

    It has four worlds of nine variables, and all its methods. DIR gets results.parquet (a row for
    each world, run, method and lambda), the ROC figure (roc.png, roc.pdf), tables of areas and of
    paired differences (areas.csv, differences.csv), and report.md, which says which of the paper's
    claims hold. Interrupted, the same command goes on where it stopped, and ends with the same
    results.
    """
    if quick and runs is not None:
        raise InputError("--quick sets the number of runs: leave out --quick or --runs")
    n_runs = QUICK if quick else 100 if runs is None else runs
    if n_runs < 1:
        raise InputError(f"--runs must be a positive whole number, got {n_runs}")
    if not output:
        raise InputError("--output is empty: name a folder for the results")
    if Path(output).exists() and not Path(output).is_dir():
        raise InputError(f"{output!r} is a file: name a folder for the results")

    from mrflearn._shown import shown
    from mrflearn.experiments.reproduction import reproduce as run

    with plain_warnings():
        try:
            with shown(quiet):
                text, written = run(output, n_runs, **work.as_dict())
        except KeyboardInterrupt:
            click.echo(f"What was finished is in {output}: the same command goes on.", err=True)
            raise
    if not quiet:
        write(text)
        click.echo(f"Wrote {', '.join(map(str, written))}", err=True)
