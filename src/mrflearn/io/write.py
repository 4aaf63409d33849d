"""Writing graphs, and checking before the work whether a file can be written at all."""

from __future__ import annotations

import importlib.util
import io
import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mrflearn._as_graph import as_graph
from mrflearn._files import write_atomically
from mrflearn.errors import InputError, either, suggestion, unknown
from mrflearn.graph import Edge, Graph
from mrflearn.io._fields import delimited, harmless

__all__ = ["WRITERS", "check_target", "write_graph"]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_UNICODE = re.compile("[\ud800-\udfff]")
_NOT_DOT = re.compile("[\x00\ud800-\udfff]")

_NEEDS_LABEL = re.compile(r"[\\&\n]|^%")
"""Names that Graphviz would not show as they are; one that begins with % it would number."""

THINNEST, THICKEST = 1.0, 5.0
"""Widths of the weakest and the strongest edge that Graphviz draws, in points."""


def write_graph(graph: Any, path: str | os.PathLike[str]) -> Path:
    """Write a graph to a file whose suffix says how. The file is never half written.

    Parameters
    ----------
    graph : Graph, Result or fitted estimator
        The graph, or what has one.
    path : str or path
        `.graphml` and `.gexf` for network tools, `.dot` and `.gv` for Graphviz, `.json` for
        `Graph.load`, `.csv` and `.parquet` (which needs pyarrow) for a list of edges (source,
        target, weight, confidence, p_value, q_value). A list of edges leaves isolated nodes out. In
        `.graphml`, nodes have their `name` as well, by which igraph finds them. In
        `.csv`, names that a spreadsheet would run as a formula get an apostrophe before them; so
        do those that begin with apostrophes and go on like a formula, so that taking one away
        gives the name. In `.dot`, edges are as wide as they are strong.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If there is no graph, the suffix is unknown, or the file cannot be written or cannot hold a
        node's name.

    Examples
    --------
    >>> import tempfile
    >>> graph = Graph(("rain", "wet"), (("rain", "wet", 0.4),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_graph(graph, f"{folder}/weather.csv").read_text())
    source,target,weight,confidence,p_value,q_value
    rain,wet,0.4,,,
    <BLANKLINE>
    """
    if isinstance(graph, str | os.PathLike) and not isinstance(path, str | os.PathLike):
        raise InputError(
            "write_graph takes first the graph and then the file: call write_graph(graph, "
            f"{os.fspath(graph)!r})"
        )
    found = as_graph(graph, "write_graph")
    target = check_target(path, WRITERS)
    return WRITERS[target.suffix.lower()](found, target)


def check_target(path: str | os.PathLike[str], suffixes: Iterable[str]) -> Path:
    """Return `path` if a file can be written there, so that a typing mistake shows before the work.

    Parameters
    ----------
    path : str or path
        The file to be written.
    suffixes : iterable of str
        The suffixes that are known, with their dots.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If the suffix is unknown, the folder is not there or not writable, or `path` is a folder or
        no path at all.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"what is written needs the name of a file, got {type(path).__name__}")
    if not os.fspath(path):
        raise InputError(f"cannot write '': name a file that ends in {either(list(suffixes))}")
    target = Path(path)
    shown = repr(str(target))
    if os.path.isdir(target):
        raise InputError(f"cannot write {shown}: it is a folder; name a file in it")
    known = list(suffixes)
    if not target.suffix:
        raise InputError(f"cannot write {shown}: its name needs one of the endings {either(known)}")
    if target.suffix.lower() not in known:
        raise InputError(f"cannot write {shown}: {unknown('file type', target.suffix, known)}")
    if target.suffix.lower() == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise InputError(
            f'writing {shown} needs pyarrow: pip install "mrflearn[arrow]", or choose .csv'
        )
    if not os.path.isdir(target.parent):
        raise InputError(
            f"cannot write {shown}: there is no folder {str(target.parent)!r}; make it first"
            f"{suggestion(target.parent)}"
        )
    if not os.access(target.parent, os.W_OK):
        raise InputError(
            f"cannot write {shown}: the folder {str(target.parent)!r} is not writable; "
            "choose another one"
        )
    try:
        target.exists()
    except OSError as error:  # the name is too long, for one
        raise InputError(f"cannot write {shown}: {error.strerror}; choose another name") from None
    return target


def _write_graphml(graph: Graph, path: Path) -> Path:
    import networkx as nx

    # igraph finds nodes by this, and reads "R&#38;D" where the id is "R&D".
    network = graph.to_networkx()
    nx.set_node_attributes(network, {node: node for node in graph.nodes}, "name")
    return _write_xml(graph, path, network, nx.write_graphml_xml)


def _write_gexf(graph: Graph, path: Path) -> Path:
    import networkx as nx

    return _write_xml(graph, path, graph.to_networkx(), nx.write_gexf)


def _write_xml(
    graph: Graph, path: Path, network: Any, write: Callable[[Any, io.BytesIO], None]
) -> Path:
    _check_nodes(graph, path, _NOT_XML)
    stream = io.BytesIO()
    write(network, stream)
    # Python leaves a carriage return in text bare, and readers take it for a new line.
    return write_atomically(path, stream.getvalue().replace(b"\r", b"&#13;"))


def _write_csv(graph: Graph, path: Path) -> Path:
    _check_nodes(graph, path, _NOT_UNICODE)
    rows = [
        [harmless(edge.source), harmless(edge.target), *map(_number, edge[2:])]
        for edge in graph.edges
    ]
    return write_atomically(path, delimited([Edge._fields, *rows]))


def _write_parquet(graph: Graph, path: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    _check_nodes(graph, path, _NOT_UNICODE)
    columns = {
        name: pa.array(
            [None if value != value else value for value in (edge[at] for edge in graph.edges)],
            pa.string() if name in ("source", "target") else pa.float64(),
        )
        for at, name in enumerate(Edge._fields)
    }
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns), stream)
    return write_atomically(path, stream.getvalue())


def _write_dot(graph: Graph, path: Path) -> Path:
    _check_nodes(graph, path, _NOT_DOT)
    largest = max((abs(e.weight) for e in graph.edges if math.isfinite(e.weight)), default=0.0)
    lines = ["graph {"]
    for node in graph.nodes:
        label = f" [label={_dot_label(node)}]" if _NEEDS_LABEL.search(node) else ""
        lines.append(f"  {_dot_name(node)}{label};")
    for edge in graph.edges:
        known = {
            name: _number(value)
            for name, value in zip(Edge._fields[2:], edge[2:], strict=True)
            if _number(value)
        }
        if "weight" in known:
            share = min(abs(edge.weight) / largest, 1.0) if largest else 1.0
            known["penwidth"] = f"{THINNEST + (THICKEST - THINNEST) * share:.3g}"
        attributes = ", ".join(f'{name}="{value}"' for name, value in known.items())
        ends = f"{_dot_name(edge.source)} -- {_dot_name(edge.target)}"
        lines.append(f"  {ends}{f' [{attributes}]' if attributes else ''};")
    return write_atomically(path, "\n".join([*lines, "}"]) + "\n")


WRITERS: dict[str, Callable[[Graph, Path], Path]] = {
    ".graphml": _write_graphml,
    ".gexf": _write_gexf,
    ".json": Graph.save,
    ".csv": _write_csv,
    ".dot": _write_dot,
    ".gv": _write_dot,
    ".parquet": _write_parquet,
}
"""How to write a graph, by the suffix of the file."""


def _check_nodes(graph: Graph, path: Path, illegal: re.Pattern[str]) -> None:
    """Say which node has a name that the file cannot hold."""
    for node in graph.nodes:
        found = illegal.search(node)
        if found:
            raise InputError(
                f"cannot write {str(path)!r}: the name of node {node!r} holds the character "
                f"{found[0]!r}, which {path.suffix} cannot; rename the column"
            )


def _dot_name(text: str) -> str:
    """Return a name for Graphviz, which knows one escape in names: that of a quote."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _dot_label(text: str) -> str:
    """Return what Graphviz is to show: in labels, it reads escapes and entities."""
    return _dot_name(text).replace("&", "&amp;").replace("\n", "\\n")


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else repr(float(value))
