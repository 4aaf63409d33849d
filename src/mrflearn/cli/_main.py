"""The command that holds all commands."""

from __future__ import annotations

import click

import mrflearn
from mrflearn.cli._commands import Commands
from mrflearn.cli.blanket import blanket
from mrflearn.cli.compare import compare
from mrflearn.cli.completion import completion
from mrflearn.cli.describe import describe
from mrflearn.cli.estimators import estimators
from mrflearn.cli.learn import learn
from mrflearn.cli.reproduce import reproduce
from mrflearn.cli.simulate import simulate
from mrflearn.cli.view import view

__all__ = ["main"]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Example:
  python -c "import mrflearn.datasets as d; print(d.penguins_path().read_text())" > penguins.csv
  mrflearn learn penguins.csv --missing drop --figure penguins.png""",
)
@click.version_option(mrflearn.__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Learn which columns of a table depend on each other directly.

    The result is a Markov random field: an undirected graph in which two columns share an edge if
    they still tell about each other once all other columns are known.
    """


for command in (
    learn,
    describe,
    blanket,
    compare,
    view,
    simulate,
    estimators,
    reproduce,
    completion,
):
    main.add_command(command)
