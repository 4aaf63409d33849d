"""Graphs and results on the command line: shown, written to files, and told to machines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrflearn._words import counted
from mrflearn.cli._output import show_rows
from mrflearn.errors import InputError

if TYPE_CHECKING:
    from mrflearn.graph import Edge, Graph
    from mrflearn.result import Result

__all__ = [
    "FIGURES_OF",
    "REPORTS",
    "check_targets",
    "document",
    "edge_rows",
    "n_edges_in_words",
    "show_edges",
    "write_files",
]

REPORTS = (".html", ".htm")
"""Suffixes of a report."""

FIGURES_OF = ("graph", "path", "choice", "stability")
"""What of a result can be drawn."""


def check_targets(
    file: str | None,
    outputs: Sequence[str] = (),
    figure: str | None = None,
    others: Iterable[tuple[str | None, Sequence[str]]] = (),
    what: str = "table",
) -> None:
    """Check that every output can be written, and that none is the input or written twice.

    `others` are files with the suffixes they may have; `what` is what `file` holds.
    """
    from mrflearn.io import WRITERS, check_target
    from mrflearn.plot import FIGURES

    wanted = [*((path, tuple(WRITERS)) for path in outputs), (figure, FIGURES), *others]
    targets = [check_target(path, suffixes) for path, suffixes in wanted if path is not None]
    for position, target in enumerate(targets):
        if target in targets[:position]:
            raise InputError(f"{str(target)!r} is to be written twice: name it once")
        there = file is not None and os.path.exists(file) and os.path.exists(target)
        if there and os.path.samefile(str(file), target):
            raise InputError(f"{str(target)!r} is the {what} itself: name another file to write")


def write_files(
    found: Result,
    graph: Graph,
    outputs: Sequence[str],
    figure: str | None,
    drawn: str = "graph",
    result: str | None = None,
    report: str | None = None,
) -> list[Path]:
    """Write what was asked for, and return the files."""
    from mrflearn.io import write_graph

    written = [write_graph(graph, path) for path in outputs]
    if result is not None:
        written.append(found.save(result))
    if figure is not None:
        from mrflearn.plot import save_figure

        written.append(save_figure(_draw(found, graph, drawn), figure))
    if report is not None:
        from mrflearn.report import write_report

        written.append(write_report(found, report))
    return written


def _draw(found: Result, graph: Graph, drawn: str) -> Any:
    from mrflearn.plot import plot_choice, plot_graph, plot_path, plot_stability

    if drawn == "graph":
        return plot_graph(graph, kinds=found.table.kinds)
    others: dict[str, Any] = {
        "path": plot_path,
        "choice": plot_choice,
        "stability": plot_stability,
    }
    return others[drawn](found)


def document(found: Result, graph: Graph, files: Sequence[Path] = ()) -> dict[str, Any]:
    """Return what a result says, for machines."""
    from mrflearn._json import plain
    from mrflearn.result import plain_choice

    nodes = zip(found.table.names, found.table.kinds, strict=True)
    return {
        "nodes": [{"name": name, "kind": kind} for name, kind in nodes],
        "edges": edge_rows(graph),
        "unit": graph.unit,
        "lam": plain(graph.lam),
        "choice": None if found.choice is None else plain_choice(found.choice),
        "messages": list(found.messages),
        "table": {
            "n_samples": found.table.n_samples,
            "n_dropped": found.table.n_dropped,
            "fingerprint": found.table.fingerprint,
        },
        "options": dict(found.options),
        "versions": dict(found.versions),
        "files": [str(path) for path in files],
    }


def edge_rows(graph: Graph) -> list[dict[str, Any]]:
    """Return the edges for machines, strongest first; what is not known is null."""
    from mrflearn._json import plain

    return [
        {
            part: value if isinstance(value, str) else plain(value)
            for part, value in edge._asdict().items()
        }
        for edge in graph.by_strength()
    ]


def n_edges_in_words(graph: Graph) -> str:
    """Return how many edges a graph has."""
    return counted(len(graph.edges), "edge") if graph.edges else "no edges"


def show_edges(graph: Graph) -> None:
    """Print the edges, strongest first: a table on a terminal, tab-separated text elsewhere."""
    edges = graph.by_strength()
    watched = sys.stdout.isatty()
    known = _known(edges)
    headings = ["source", "target"]
    for part, heading, _ in known:
        headings.append(f"{heading} ({graph.unit})" if watched and part == "weight" else heading)
    rows = []
    for edge in edges:
        forms = [form.replace("6", "4") if watched else form for _, _, form in known]
        values = [getattr(edge, part) for part, _, _ in known]
        numbers = [
            "–" if value is None else f"{value:{form}}"
            for value, form in zip(values, forms, strict=True)
        ]
        rows.append([edge.source, edge.target, *numbers])
    show_rows(headings, rows, numbers=range(2, len(headings)))


def _known(edges: Sequence[Edge]) -> list[tuple[str, str, str]]:
    """Return what is known of the edges: the parts of each, their headings, and formats."""
    parts = [("weight", "score", ".6g")]
    if any(edge.p_value is not None for edge in edges):
        parts += [("p_value", "p", ".3g"), ("q_value", "q", ".3g")]
    if any(edge.confidence is not None for edge in edges):
        parts.append(("confidence", "frequency", ".2f"))
    return parts
