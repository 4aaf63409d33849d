"""A result as one HTML file, for readers who have neither Python nor a network."""

from __future__ import annotations

import base64
import hashlib
import os
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from mrflearn._files import write_atomically
from mrflearn._words import counted
from mrflearn.errors import InputError
from mrflearn.plot.graph import place_nodes
from mrflearn.report import _sections as sections
from mrflearn.report._content import content_of, kinds_of, script_json
from mrflearn.report._figure import figure_of_graph
from mrflearn.report._results import Reported
from mrflearn.report._stops import Stops
from mrflearn.report._words import escaped

__all__ = ["render_report", "write_report"]

_SCRIPTS = ("vendor/cytoscape.min.js", "words.js", "table.js", "picture.js", "report.js")
"""In the order they run, after early.js."""


def write_report(result: Any, path: str | os.PathLike[str]) -> Path:
    """Write a result as one web page: the graph to explore, and how it was found.

    The file needs no network and no other file, asks for nothing, and the same result gives the
    same bytes. The data themselves are not in it, but for the labels of columns that have some.

    Parameters
    ----------
    result : Result
        What `learn` returns, or `Result.load` reads.
    path : str or path
        The file; `.html` is usual. It is never half written.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If `result` is something else, or the file cannot be written.
    """
    return write_atomically(path, render_report(result))


def render_report(result: Any) -> str:
    """Return the page that `write_report` writes."""
    if not isinstance(result, Reported):
        raise InputError(
            "a report needs what mrflearn.learn returns, or a file of it read by Result.load; got "
            f"{type(result).__name__}"
        )
    stops = Stops.of(result)
    graph = result.graph
    places = place_nodes(graph if graph.edges else max(stops.graphs, key=lambda g: len(g.edges)))
    summary = sections.summary(result)
    style, early = _read("report.css"), _read("early.js")
    scripts = [_read(name) for name in _SCRIPTS]
    warned = sections.warnings_of(result)
    return Template(_read("page.html")).substitute(
        policy=_policy([early, *scripts], [style]),
        style=style,
        early=early,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
        content=script_json(content_of(result, stops, places)),
        title=escaped(
            f"{counted(len(graph.nodes), 'variable')}, {counted(len(graph.edges), 'edge')}"
        ),
        method=escaped(result.options.get("method", "a method unknown")),
        rows=escaped(counted(result.table.n_samples, "row")),
        meaning=escaped(sections.meaning(result)),
        summary=escaped(summary),
        figure=figure_of_graph(graph, kinds_of(result), places, summary),
        legend=sections.legend(result, stops),
        last=len(stops.lams) - 1,
        chosen=stops.chosen,
        edge_headings=sections.edge_headings(result),
        edges=sections.edge_rows(result),
        data=escaped(sections.data_text(result)),
        columns=sections.column_rows(result),
        messages=sections.items(sections.method_messages(result)),
        choice=escaped(result.account.lam),
        warnings=sections.items(warned or ["None."]),
        warned="warned" if warned else "",
        options=sections.facts(result.options),
        versions=sections.facts({**result.versions, "data": result.table.fingerprint}),
        version=escaped(result.versions.get("mrflearn", "of unknown version")),
    )


def _read(name: str) -> str:
    return files("mrflearn.report").joinpath(name).read_text(encoding="utf-8")


def _policy(scripts: list[str], styles: list[str]) -> str:
    """Return what the page may do: run its own scripts, use its own style, and nothing else."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_digest, scripts))}",
            f"style-src {' '.join(map(_digest, styles))}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(block: str) -> str:
    """Return the source expression that allows an inline block."""
    digest = hashlib.sha256(block.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
