"""Writing graphs, and checking before the work whether a file can be written at all."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mrflearn._files import write_atomically
from mrflearn.errors import InputError, either, suggestion, unknown
from mrflearn.graph import Edge, Graph

__all__ = ["WRITERS", "check_target", "write_graph"]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_UNICODE = re.compile("[\ud800-\udfff]")


def write_graph(graph: Graph, path: str | os.PathLike[str]) -> Path:
    """Write a graph to a file whose suffix says how. The file is never half written.

    Parameters
    ----------
    graph : Graph
        The graph.
    path : str or path
        `.graphml` and `.gexf` for network tools, `.json` for `Graph.load`, `.csv` for a list of
        edges (source, target, weight, confidence, p_value, q_value). A list of edges leaves
        isolated nodes out; names that a spreadsheet would run as a formula get a leading apostrophe
        in it.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    InputError
        If the suffix is unknown, or the file cannot be written or cannot hold a node's name.

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
    target = check_target(path, WRITERS)
    return WRITERS[target.suffix.lower()](graph, target)


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
        If the suffix is unknown, the folder is not there or not writable, or `path` is a folder.
    """
    target = Path(path)
    shown = repr(str(target))
    if os.path.isdir(target):
        raise InputError(f"cannot write {shown}: it is a folder; name a file in it")
    known = list(suffixes)
    if not target.suffix:
        raise InputError(f"cannot write {shown}: its name needs one of the endings {either(known)}")
    if target.suffix.lower() not in known:
        raise InputError(f"cannot write {shown}: {unknown('file type', target.suffix, known)}")
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

    return _write_xml(graph, path, nx.write_graphml_xml)


def _write_gexf(graph: Graph, path: Path) -> Path:
    import networkx as nx

    return _write_xml(graph, path, nx.write_gexf)


def _write_xml(graph: Graph, path: Path, write: Callable[[Any, io.BytesIO], None]) -> Path:
    _check_nodes(graph, path, _NOT_XML)
    stream = io.BytesIO()
    write(graph.to_networkx(), stream)
    return write_atomically(path, stream.getvalue())


def _write_csv(graph: Graph, path: Path) -> Path:
    _check_nodes(graph, path, _NOT_UNICODE)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(Edge._fields)
    for edge in graph.edges:
        ends = (_harmless(edge.source), _harmless(edge.target))
        writer.writerow([*ends, *map(_number, edge[2:])])
    return write_atomically(path, stream.getvalue())


WRITERS: dict[str, Callable[[Graph, Path], Path]] = {
    ".graphml": _write_graphml,
    ".gexf": _write_gexf,
    ".json": Graph.save,
    ".csv": _write_csv,
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


def _harmless(text: str) -> str:
    """Return text that no spreadsheet runs as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else repr(float(value))
