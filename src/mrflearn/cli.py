"""The command line: table -> dependence -> search -> graph -> files, with flags.

pandas, scikit-learn, numba and matplotlib are imported where they are used, so that `--help` and
mistakes in the options answer at once.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mrflearn
from mrflearn.errors import InputError, unknown

if TYPE_CHECKING:
    from mrflearn.graph import Edge, Graph
    from mrflearn.table import Table

__all__ = ["main"]

INTERRUPTED = 130
"""Exit code after Ctrl-C: what shells report for a program that the signal ended."""


class Commands(click.Group):
    """Commands that tell a user's mistakes from bugs: one line and exit code 2, or a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line and leave with its exit code."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name that the terminal's encoding lacks is shown as \uXXXX instead of a traceback.
            sys.stdout.reconfigure(errors="backslashreplace")
        options["standalone_mode"] = False
        try:
            code = super().main(*args, **options)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except InputError as error:
            click.echo(f"Error: {_in_flags(str(error))}", err=True)
            code = 2
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


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


@main.command(
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
    type=float,
    help="Penalty for an edge in nats; larger is sparser. [default: 0.05; none for chow-liu]",
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
    help="Write the graph: .graphml, .gexf, .json or .csv (edges). Repeatable.",
)
@click.option("--figure", metavar="PATH", help="Draw the graph: .png, .svg or .pdf.")
@click.option(
    "-q", "--quiet", is_flag=True, help="Print the edges only, with warnings and errors if any."
)
def learn(
    file: str,
    method: str,
    lam: float | None,
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
    _check_targets(file, outputs, figure)  # before anything slow

    from mrflearn.dependence import resolve
    from mrflearn.estimators import ESTIMATORS
    from mrflearn.io import read_table, write_graph
    from mrflearn.table import as_table

    if method not in ESTIMATORS:
        raise unknown("method", method, ESTIMATORS)
    specification = resolve(dependence, n_neighbors=n_neighbors)
    with _plain_warnings():
        frame = read_table(file, delimiter)
        dropped = _names(drop, [str(column) for column in frame.columns])
        frame = frame.drop(columns=dropped)
        columns = [str(column) for column in frame.columns]
        if len(columns) < 2:
            raise InputError(f"--drop leaves {len(columns)} of the columns: a graph needs two")
        reading: dict[str, Any] = {
            "kinds": _kinds(kinds, columns),
            "scale": None if scale == "none" else scale,
            "missing": missing,
        }
        options: dict[str, Any] = {
            "dependence": specification,
            "required": _pairs(required, columns, "--required"),
            "forbidden": _pairs(forbidden, columns, "--forbidden"),
            "n_jobs": n_jobs,
            "max_memory": max_memory,
        }
        if lam is not None:  # methods differ in what they do without
            options["lam"] = lam
        table = as_table(frame, **reading)
        if not quiet:
            _describe(table, file)
        with _progress(f"Learning from {table.n_samples} rows", quiet):
            graph = ESTIMATORS[method](**reading, **options).fit(frame).graph_
            written = [write_graph(graph, path) for path in outputs]
            if figure is not None:
                from mrflearn.plot import plot_graph, save_figure

                written.append(save_figure(plot_graph(graph, kinds=table.kinds), figure))
    _show_edges(graph)
    if not quiet:
        _conclude(graph, written, time.monotonic() - begun)


@main.command(
    epilog="""\b
Example:
  mrflearn estimators"""
)
def estimators() -> None:
    """List the methods and the dependences that `learn` knows."""
    from mrflearn.dependence import DEPENDENCES
    from mrflearn.estimators import ESTIMATORS

    rows = [("Methods, --method", "", "")]
    rows += [(f"  {name}", cls.__name__, _summary(cls)) for name, cls in ESTIMATORS.items()]
    rows += [("", "", ""), ("Dependences, --dependence", "", "")]
    for name, specification in DEPENDENCES.items():
        cls = type(specification)
        shown = cls.__name__ if specification == cls() else repr(specification)
        rows.append((f"  {name}", shown, _summary(cls)))
    width = max(len(shown) for _, shown, _ in rows)
    lines = [f"{name:<17}{shown:<{width}}  {summary}".rstrip() for name, shown, summary in rows]
    _print("\n".join(lines) + "\n")


# --- Options --------------------------------------------------------------------------------------


def _check_targets(file: str, outputs: Sequence[str], figure: str | None) -> None:
    """Check that every output can be written, and that none is the table or written twice."""
    from mrflearn.io import WRITERS, check_target
    from mrflearn.plot import FIGURES

    targets = [check_target(path, WRITERS) for path in outputs]
    if figure is not None:
        targets.append(check_target(figure, FIGURES))
    for position, target in enumerate(targets):
        if target in targets[:position]:
            raise InputError(f"{str(target)!r} is to be written twice: name it once")
        if os.path.exists(file) and os.path.exists(target) and os.path.samefile(file, target):
            raise InputError(f"{str(target)!r} is the table itself: name another file to write")


def _split(text: str, separator: str) -> list[str]:
    r"""Split at a separator, except where a backslash precedes it.

    Examples
    --------
    >>> _split(r"ratio a\:b:age", ":")
    ['ratio a:b', 'age']
    """
    parts = re.split(rf"(?<!\\){re.escape(separator)}", text)
    return [part.replace(f"\\{separator}", separator).strip() for part in parts]


def _check_name(name: str, columns: Sequence[str], option: str) -> str:
    if name not in columns:
        raise InputError(f"{option}: {unknown('column', name, columns)}")
    return name


def _names(texts: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Read the columns to drop."""
    return [_check_name(name, columns, "--drop") for text in texts for name in _split(text, ",")]


def _kinds(texts: Sequence[str], columns: Sequence[str]) -> dict[str, str | list[str]]:
    """Read kinds of columns, or the levels of ordinal ones."""
    kinds: dict[str, str | list[str]] = {}
    for text in texts:
        for item in _split(text, ","):
            parts = _split(item, "=")
            if len(parts) != 2:
                raise InputError(
                    f"--kinds wants COLUMN=KIND, such as age=continuous, got {item!r}; write \\= "
                    "for an equals sign in a name"
                )
            levels = _split(parts[1], "<")
            name = _check_name(parts[0], columns, "--kinds")
            kinds[name] = levels if len(levels) > 1 else parts[1]
    return kinds


def _pairs(texts: Sequence[str], columns: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Read edges."""
    pairs = []
    for text in texts:
        ends = _split(text, ":")
        if len(ends) != 2:
            raise InputError(
                f"{option} wants two columns, such as age:income, got {text!r}; write \\: for a "
                "colon in a name"
            )
        pairs.append((_check_name(ends[0], columns, option), _check_name(ends[1], columns, option)))
    return pairs


# --- What is shown --------------------------------------------------------------------------------


_FLAGS: list[tuple[str, str]] = [
    (r"missing='drop'", "--missing drop"),
    (r"kinds=\{'(.+?)': \[lowest, …, highest\]\}", r"--kinds '\1=lowest<…<highest'"),
    (r"kinds=\{'(.+?)': '?(.+?)'?\}", r"--kinds '\1=\2'"),
    (r"^(required|forbidden)=:", r"--\1:"),
    (r"\bn_samples=(\d+)", r"\1 rows"),
    (r"\bn_neighbors\b=?\s?", "--n-neighbors "),
    (r"\bn_jobs\b=?\s?", "--n-jobs "),
    (r"\bmax_memory\b=?\s?", "--max-memory "),
    (r"^(lam|delimiter) must", r"--\1 must"),
    (r"give (\S+|' ') as the delimiter$", r"add --delimiter \1"),
    (r"(does not apply to dependence .+?): it takes .*", r"\1: leave it out"),
]
"""Options as the library spells them, and as the command line does."""


def _in_flags(message: str) -> str:
    """Return a message of the library in the words of the command line, on one line."""
    for pattern, replacement in _FLAGS:
        message = re.sub(pattern, replacement, message)
    return " ".join(message.split())


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show each warning once, as one line."""
    shown = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = f"Warning: {_in_flags(str(message))}"
        if line not in shown:
            shown.add(line)
            click.echo(line, err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


@contextmanager
def _progress(what: str, quiet: bool) -> Iterator[None]:
    """Turn a spinner on standard error while the work goes on, if somebody is watching."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(what, total=None)
        yield


def _describe(table: Table, file: str) -> None:
    """Say what each column is taken for, one line a kind."""
    name = "standard input" if file == "-" else file
    left_out = f" ({table.n_dropped} left out: missing values)" if table.n_dropped else ""
    n_rows = table.n_samples + table.n_dropped
    click.echo(f"{name}: {n_rows} rows{left_out}, {table.n_variables} columns", err=True)
    for kind in ("continuous", "ordinal", "nominal"):
        names = [column.name for column in table.columns if column.kind == kind]
        if names:
            click.echo(f"  {kind:<11} {_listed(names)}", err=True)


def _conclude(graph: Graph, written: Sequence[Path], seconds: float) -> None:
    """Say how many edges there are, and which files were written."""
    n_edges = len(graph.edges)
    edges = f"{n_edges or 'no'} edge{'' if n_edges == 1 else 's'}"
    lam = "" if graph.lam is None or math.isinf(graph.lam) else f" at lam {graph.lam:g}"
    files = f"; wrote {', '.join(map(str, written))}" if written else ""
    hint = "" if n_edges else "; a smaller --lam lets more edges in"
    click.echo(f"{edges}{lam} in {seconds:.1f} s{files}{hint}", err=True)


def _show_edges(graph: Graph) -> None:
    """Print the edges, strongest first: a table on a terminal, tab-separated text elsewhere."""
    edges = sorted(graph.edges, key=lambda edge: (math.isnan(edge.weight), -edge.weight))
    if sys.stdout.isatty():
        _show_table(edges)
        return
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(["source", "target", "score"])
    writer.writerows([edge.source, edge.target, f"{edge.weight:.6g}"] for edge in edges)
    _print(stream.getvalue())


def _show_table(edges: Sequence[Edge]) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    if not edges:
        return
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    table.add_column("source", overflow="fold")
    table.add_column("target", overflow="fold")
    table.add_column("score (nats)", justify="right", no_wrap=True)
    for edge in edges:
        names = (Text(_printable(edge.source)), Text(_printable(edge.target)))
        table.add_row(*names, f"{edge.weight:.4f}")
    Console().print(table)


def _print(text: str) -> None:
    """Write to standard output; a reader that has stopped reading, such as head, is no error."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except OSError as error:
        # Python would try once more on its way out, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"cannot write to standard output: {error.strerror}") from None


def _printable(name: str) -> str:
    """Return a name without characters that would steer the terminal."""
    return name if name.isprintable() else repr(name)[1:-1]


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(_printable(name) for name in names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def _summary(cls: type) -> str:
    """Return the first line of a docstring."""
    return (cls.__doc__ or "").strip().split("\n")[0]
