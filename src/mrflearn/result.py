"""What `learn` returns: the graph, the path it was chosen from, and how; saved as one JSON file."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mrflearn._files import write_atomically
from mrflearn._json import (
    check_json_target,
    dump,
    plain,
    plain_matrix,
    read_list,
    read_matrix,
    read_names,
    read_position,
    read_text,
    reading,
)
from mrflearn.graph import Graph, GraphPath
from mrflearn.selection.choice import Choice
from mrflearn.stability import Stability
from mrflearn.table import KINDS, Column, Table

__all__ = ["NOTE", "Account", "Result", "TableSummary", "plain_choice"]

FORMAT = "mrflearn result"

NOTE = "Note: "
"""How warnings begin among the messages of a result."""


@dataclass(frozen=True)
class TableSummary:
    """What the data were: everything about a table but its values.

    Attributes
    ----------
    names, kinds : tuple of str
        Of the variables.
    columns : tuple of Column
        What each column was taken for, and why; levels as text.
    n_samples, n_dropped : int
        Rows learned from, and rows left out because of missing values.
    fingerprint : str
        Of names, kinds and values: two tables that share it are the same.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    columns: tuple[Column, ...]
    n_samples: int
    n_dropped: int
    fingerprint: str

    @classmethod
    def of(cls, table: Table) -> TableSummary:
        """Return the summary of a table."""
        columns = tuple(_with_plain_levels(column) for column in table.columns)
        return cls(
            table.names,
            table.kinds,
            columns,
            table.n_samples,
            table.n_dropped,
            table.fingerprint,
        )

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)


@dataclass(frozen=True)
class Account:
    """What was done, in words.

    Attributes
    ----------
    table, method, lam : str
        What the data were, how edges were found, and how lambda was chosen.
    edges : tuple of str
        What was found.
    warnings : tuple of str
        What a reader should mind.
    """

    table: str
    method: str
    lam: str
    edges: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        """All of it, one after the other."""
        warnings = (f"{NOTE}{warning}" for warning in self.warnings)
        return (self.table, self.method, self.lam, *self.edges, *warnings)


@dataclass(frozen=True)
class Result:
    """A graph, and how it came about. Printed, it says in words what was done.

    Attributes
    ----------
    graph : Graph
        The graph chosen; `graph.explain(a, b)` says why two variables have an edge or none.
    path : GraphPath
        The graphs it was chosen from.
    lam : float
        The penalty chosen.
    choice : Choice or None
        Why; None if lambda was given.
    table : TableSummary
        What the data were.
    options : dict
        What was asked for.
    account : Account
        What was done, in words.
    stability : Stability or None
        How often edges were found in subsamples, if asked for.
    versions : dict
        Of mrflearn and what it stands on.
    """

    graph: Graph
    path: GraphPath
    lam: float
    choice: Choice | None
    table: TableSummary
    options: Mapping[str, Any]
    account: Account
    stability: Stability | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: versions())

    @property
    def messages(self) -> tuple[str, ...]:
        """What was done, in words, one after the other."""
        return self.account.messages

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all of it as JSON, readable by `Result.load`. The data themselves are not in it."""
        content = {
            "format": FORMAT,
            "version": 1,
            "nodes": list(self.graph.nodes),
            "graph": self.graph._content(),
            "path": {
                "lams": [plain(lam) for lam in self.path.lams],
                "graphs": [graph._content() for graph in self.path],
            },
            "lam": plain(self.lam),
            "choice": None if self.choice is None else plain_choice(self.choice),
            "table": asdict(self.table),
            "options": dict(self.options),
            "account": asdict(self.account),
            "stability": None
            if self.stability is None
            else {
                "frequencies": plain_matrix(self.stability.frequencies),
                "n_subsamples": self.stability.n_subsamples,
                "fraction": self.stability.fraction,
            },
            "versions": dict(self.versions),
        }
        return write_atomically(check_json_target(path), dump(content))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result that `save` wrote."""
        with reading(path, FORMAT) as content:
            nodes = read_names(content["nodes"])
            lams = tuple(map(float, read_list(content["path"]["lams"])))
            graphs = read_list(content["path"]["graphs"])
            return cls(
                graph=Graph._from_content(nodes, content["graph"]),
                path=GraphPath(lams, tuple(Graph._from_content(nodes, item) for item in graphs)),
                lam=float(content["lam"]),
                choice=_read_choice(content["choice"], len(lams)),
                table=_read_table(content["table"], nodes),
                options=dict(content["options"]),
                account=_read_account(content["account"]),
                stability=_read_stability(content["stability"], nodes),
                versions={name: read_text(one) for name, one in dict(content["versions"]).items()},
            )

    def __str__(self) -> str:
        return "\n".join(self.messages)

    def __repr__(self) -> str:
        return f"Result({self.graph!r}, chosen from {len(self.path)})"

    def _repr_html_(self) -> str:
        import html

        words = "".join(f"<li>{html.escape(message)}</li>" for message in self.messages)
        return f"<div><ul>{words}</ul>{self.graph._repr_html_()}</div>"


def versions() -> dict[str, str]:
    """Return the versions of mrflearn and of what its numbers depend on."""
    from importlib.metadata import version

    import mrflearn

    needed = ("numpy", "scipy", "scikit-learn", "numba")
    return {
        "mrflearn": mrflearn.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in needed},
    }


def _with_plain_levels(column: Column) -> Column:
    from dataclasses import replace

    return replace(column, levels=None if column.levels is None else tuple(map(str, column.levels)))


def _read_table(content: dict[str, Any], nodes: list[str]) -> TableSummary:
    names, kinds = read_names(content["names"]), read_names(content["kinds"])
    if names != nodes or len(kinds) != len(nodes):
        raise ValueError("its table has other variables than its graph")
    return TableSummary(
        tuple(names),
        tuple(kinds),
        tuple(map(_read_column, read_list(content["columns"]))),
        read_position(content["n_samples"]),
        read_position(content["n_dropped"]),
        read_text(content["fingerprint"]),
    )


def _read_column(content: dict[str, Any]) -> Column:
    levels = content["levels"]
    if content["kind"] not in KINDS:
        raise ValueError(f"{content['kind']!r} is not a kind")
    return Column(
        read_text(content["name"]),
        content["kind"],
        read_text(content["reason"]),
        None if levels is None else tuple(map(read_text, read_list(levels))),
        read_position(content["n_distinct"]),
        read_position(content["n_missing"]),
        *(read_text(content[name]) for name in ("note", "about", "code")),
    )


def _read_account(content: dict[str, Any]) -> Account:
    table, method, lam = (read_text(content[name]) for name in ("table", "method", "lam"))
    edges, warnings = (
        tuple(map(read_text, read_list(content[name]))) for name in ("edges", "warnings")
    )
    return Account(table, method, lam, edges, warnings)


def _read_stability(content: dict[str, Any] | None, nodes: list[str]) -> Stability | None:
    if content is None:
        return None
    frequencies = read_matrix(read_list(content["frequencies"]), len(nodes))
    n_subsamples, fraction = read_position(content["n_subsamples"]), float(content["fraction"])
    if frequencies is None or not ((frequencies >= 0) & (frequencies <= 1)).all():
        raise ValueError("frequencies are shares between 0 and 1")
    return Stability(tuple(nodes), frequencies, n_subsamples, fraction)


def plain_choice(choice: Choice) -> dict[str, Any]:
    """Return a choice as JSON can hold it."""
    return asdict(choice) | {"values": [plain(value) for value in choice.values]}


def _read_choice(content: dict[str, Any] | None, n_lams: int) -> Choice | None:
    if content is None:
        return None
    position, limit = content["position"], content["limit"]
    values = [math.nan if one is None else float(one) for one in read_list(content["values"])]
    if len(values) != n_lams or (position is not None and read_position(position) >= n_lams):
        raise ValueError("what was chosen from is not the path")
    selection, criterion, reason = (
        read_text(content[name]) for name in ("selection", "criterion", "reason")
    )
    bound = None if limit is None else float(limit)
    return Choice(selection, position, criterion, tuple(values), bound, reason)
