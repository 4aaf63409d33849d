"""Options that several commands share: each set is written once, and given as one value.

`@table_options` adds the options that say how a table is read, and calls the command with
`table=TableOptions(...)`; so do the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from mrflearn.cli._completion import complete_dependences, complete_methods
from mrflearn.cli._names import read_codes, read_groups, read_kinds, read_names, read_pairs
from mrflearn.errors import InputError, unknown
from mrflearn.selection.options import ALPHA, SELECTIONS

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EXIT_CODES",
    "PENGUINS",
    "EdgeOptions",
    "MeasureOptions",
    "SelectionOptions",
    "TableOptions",
    "WorkOptions",
    "alpha_option",
    "edge_options",
    "figure_option",
    "file_argument",
    "json_option",
    "measure_options",
    "method_option",
    "outputs_option",
    "quiet_option",
    "report_option",
    "search_options_of",
    "seed_option",
    "selection_options",
    "table_options",
    "work_options",
]

Decorator = Callable[[Any], Any]

PENGUINS = (
    '  python -c "import mrflearn.datasets as d; print(d.penguins_path().read_text())"'
    " > penguins.csv"
)
"""The line of an example that makes a table."""

EXIT_CODES = "Exit codes: 0, 2 for a mistake in the file or the options, 130 after Ctrl-C."


class Lambda(click.ParamType):
    """A number, or auto."""

    name = "number or auto"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the number, or "auto"."""
        if value == "auto":
            return "auto"
        try:
            return float(value)
        except ValueError:
            raise InputError(f"--lam must be a number or auto, got {value!r}") from None


@dataclass(frozen=True)
class TableOptions:
    """How a table is read: `read` gives its columns, and what they are taken for."""

    kinds: tuple[str, ...]
    groups: tuple[str, ...]
    drop: tuple[str, ...]
    only: tuple[str, ...]
    missing: str
    na: tuple[str, ...]
    delimiter: str | None

    def read(self, file: str, at_least: int = 2) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the columns wanted, and kinds, groups and missing for whoever learns from them."""
        from mrflearn.io import read_table

        frame = read_table(file, self.delimiter, read_codes(self.na))
        columns = [str(column) for column in frame.columns]
        only = set(read_names(self.only, columns, "--only") or columns)
        dropped = read_names(self.drop, columns, "--drop")
        for name in dropped:
            if self.only and name in only:
                raise InputError(
                    f"column {name!r} is in both --only and --drop: take it out of one of the two"
                )
        wanted = only - set(dropped)
        kept = [name for name in columns if name in wanted]
        if len(kept) < at_least and len(columns) >= at_least:
            option = "--only" if self.only else "--drop"
            needs = "a graph needs two" if at_least == 2 else "keep one at least"
            raise InputError(f"{option} leaves {len(kept)} of the columns: {needs}")
        frame = frame.loc[:, [name in wanted for name in columns]]
        return frame, {
            "kinds": read_kinds(self.kinds, kept),
            "groups": read_groups(self.groups, kept),
            "missing": self.missing,
        }


@dataclass(frozen=True)
class MeasureOptions:
    """How a search measures dependence, and with which means."""

    dependence: str
    n_neighbors: int | None
    scale: str
    device: str
    max_memory: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return them as estimators take them."""
        from mrflearn.dependence import resolve

        found = resolve(self.dependence, n_neighbors=self.n_neighbors)
        return {
            "dependence": self.dependence if self.n_neighbors is None else found,
            "scale": None if self.scale == "none" else self.scale,
            "device": self.device,
            "max_memory": self.max_memory,
        }


@dataclass(frozen=True)
class WorkOptions:
    """Who works."""

    n_jobs: int
    dask: str | None

    def __post_init__(self) -> None:
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise InputError(
                f"--n-jobs must be a positive number of workers, or -1 for all cores; got "
                f"{self.n_jobs}"
            )
        if self.dask is not None and "://" not in self.dask:
            raise InputError(
                f"--dask wants the address of a scheduler, such as tcp://127.0.0.1:8786; got "
                f"{self.dask!r}"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return them as estimators take them."""
        return {"n_jobs": self.n_jobs, "executor": self.dask}


@dataclass(frozen=True)
class EdgeOptions:
    """Which edges there may be."""

    required: tuple[str, ...]
    forbidden: tuple[str, ...]
    screen: int | None

    def as_dict(self, variables: list[str]) -> dict[str, Any]:
        """Return them as estimators take them."""
        return {
            "required": read_pairs(self.required, variables, "--required"),
            "forbidden": read_pairs(self.forbidden, variables, "--forbidden"),
            "screen": self.screen,
        }


@dataclass(frozen=True)
class SelectionOptions:
    """The penalty, or how to choose one."""

    lam: float | str | None
    select: str
    alpha: float | None
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return them as estimators take them."""
        options: dict[str, Any] = {"selection": self.select, "random_state": self.seed}
        if self.alpha is not None:
            options["alpha"] = self.alpha
        # Methods differ in what they do without a lambda.
        return options if self.lam is None else {"lam": self.lam, **options}


def packed(cls: type, name: str, options: list[Decorator]) -> Decorator:
    """Return a decorator that adds options, and gives their values as one argument."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(**given: Any) -> Any:
            own = {field.name: given.pop(field.name) for field in fields(cls)}
            return command(**{name: cls(**own)}, **given)

        for option in reversed(options):
            call = option(call)
        return call

    return decorate


def _named(context: click.Context, parameter: click.Parameter, path: str) -> str:
    """Return a path, which is not empty: as a variable of a shell may be, unset."""
    if not path:
        raise InputError(f"{parameter.human_readable_name} is empty: name a file")
    return path


file_argument = click.argument("file", type=click.Path(), callback=_named)

alpha_option = click.option(
    "--alpha",
    type=float,
    default=None,
    help=f"Largest false discovery rate: the share of edges that may be false.  [default: {ALPHA}]",
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Of shuffles, subsamples and folds."
)
figure_option = click.option(
    "--figure", type=click.Path(), metavar="PATH", help="Draw the graph: .png, .svg or .pdf."
)
report_option = click.option(
    "--report",
    type=click.Path(),
    metavar="PATH",
    help="Write a web page to explore and to send, .html: the graph along its path, why each edge "
    "is there, and what was done. It needs no network, and holds no data but labels.",
)
outputs_option = click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(),
    metavar="PATH",
    help="Write the graph: .graphml, .gexf, .dot, .json (the graph alone), .csv or .parquet "
    "(edges). Repeatable.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document for machines instead."
)
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print the result only, with warnings and errors if any."
)


def method_option(default: str) -> Decorator:
    """Return the option that names a method."""
    return click.option(
        "--method",
        default=default,
        show_default=True,
        shell_complete=complete_methods,
        help="How to search; see mrflearn estimators.",
    )


table_options = packed(
    TableOptions,
    "table",
    [
        click.option(
            "--kinds",
            multiple=True,
            metavar="COLUMN=KIND,...",
            help="continuous, ordinal or nominal, for columns whose type misleads; levels joined "
            "by < make a column ordinal, as in 'size=small<medium<large'. A * stands for anything: "
            "'q*=never<rarely<often'.",
        ),
        click.option(
            "--group",
            "groups",
            multiple=True,
            metavar="NAME=COLUMN+...",
            help="Columns that together are one variable, as in position=x+y+z. Repeatable.",
        ),
        click.option(
            "--drop", multiple=True, metavar="COLUMN,...", help="Columns to leave out, as in 'id*'."
        ),
        click.option(
            "--only", multiple=True, metavar="COLUMN,...", help="Columns to keep; all by default."
        ),
        click.option(
            "--missing",
            type=click.Choice(["error", "drop"]),
            default="error",
            show_default=True,
            help="What to do about rows with missing or infinite values.",
        ),
        click.option(
            "--na",
            multiple=True,
            metavar="VALUE,...",
            help="Values that stand for missing ones, as in -99 or, of one column alone, age=999.",
        ),
        click.option(
            "--delimiter",
            metavar="X",
            help="Between the values of FILE; found from its header unless given.",
        ),
    ],
)

measure_options = packed(
    MeasureOptions,
    "measure",
    [
        click.option(
            "--dependence",
            default="auto",
            show_default=True,
            shell_complete=complete_dependences,
            help="How to measure dependence; see mrflearn estimators.",
        ),
        click.option(
            "--n-neighbors",
            type=int,
            metavar="K",
            help="Neighbours that a nearest-neighbour estimate uses.",
        ),
        click.option(
            "--scale",
            type=click.Choice(["standard", "rank", "none"]),
            default="standard",
            show_default=True,
            help="Scaling of continuous and ordinal columns.",
        ),
        click.option(
            "--device",
            type=click.Choice(["cpu", "cuda", "auto"]),
            default="cpu",
            show_default=True,
            help="Where neighbours are counted: on the processor, on an NVIDIA card, or on the "
            "card if there is one. The result is the same.",
        ),
        click.option(
            "--max-memory", metavar="SIZE", help="Bound on working memory, as in '500 MB' or '2G'."
        ),
    ],
)

work_options = packed(
    WorkOptions,
    "work",
    [
        click.option(
            "--n-jobs",
            type=int,
            default=-1,
            metavar="N",
            help="Threads and processes. [default: all cores]",
        ),
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Let the workers of a Dask cluster do the work; the address of its scheduler, as "
            "in tcp://127.0.0.1:8786.",
        ),
    ],
)

edge_options = packed(
    EdgeOptions,
    "edges",
    [
        click.option(
            "--required",
            multiple=True,
            metavar="A:B",
            help="An edge that must be there. Repeatable.",
        ),
        click.option(
            "--forbidden",
            multiple=True,
            metavar="A:B",
            help="An edge that must not be. Repeatable.",
        ),
        click.option(
            "--screen",
            type=click.IntRange(min=1),
            metavar="K",
            help="For wide tables: look only at the K variables that each shares most information "
            "with. Faster, and may miss what depends on each other only given others. [default: "
            "all]",
        ),
    ],
)

selection_options = packed(
    SelectionOptions,
    "selection",
    [
        click.option(
            "--lam",
            type=Lambda(),
            help="Penalty for an edge; larger is sparser. In nats for a search, in the unit of its "
            "model for a parametric method. [default: auto, chosen from the data; chow-liu: a "
            "tree]",
        ),
        click.option(
            "--select",
            type=click.Choice(["auto", *SELECTIONS]),
            default="auto",
            show_default=True,
            help="How --lam auto chooses: by the false discovery rate (fdr), by "
            "stability in subsamples (stars), by predicting rows left out (heldout) or, for "
            "parametric methods, by the extended BIC (ebic).",
        ),
        alpha_option,
        seed_option,
    ],
)


def search_options_of(method: str, measure: MeasureOptions) -> dict[str, Any]:
    """Return the options of a search; none for a method that is none, which refuses them."""
    from mrflearn.estimators import ESTIMATORS, SearchEstimator

    if method not in ESTIMATORS:
        raise unknown("method", method, ESTIMATORS)
    if issubclass(ESTIMATORS[method], SearchEstimator):
        return measure.as_dict()
    context = click.get_current_context()
    for name in (field.name for field in (*fields(MeasureOptions), *fields(EdgeOptions))):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise InputError(
                f"--{name.replace('_', '-')} does not apply to --method {method}, which fits a "
                "parametric model: leave it out, or choose --method gsmple"
            )
    return {}
