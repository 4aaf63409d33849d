"""The graph of whatever holds one."""

from __future__ import annotations

import os
from typing import Any

from mrflearn.errors import InputError
from mrflearn.graph import Graph

__all__ = ["as_graph"]


def as_graph(found: Any, taker: str) -> Graph:
    """Return a graph, or that of what holds one: of a result, or of a fitted estimator.

    `taker` is who takes it, for the message.

    Examples
    --------
    >>> as_graph(Graph(("rain", "wet")), "plot_graph")
    Graph(2 nodes, 0 edges)
    """
    for graph in (found, getattr(found, "graph", None), getattr(found, "graph_", None)):
        if isinstance(graph, Graph):
            return graph
    if found is None or isinstance(found, str | os.PathLike):
        got = repr(found)
    elif isinstance(found, type):
        got = f"the class {found.__name__}"
    elif type(found).__name__ == Graph.__name__:  # of another library
        got = f"{type(found).__module__}.{type(found).__name__}"
    else:
        got = type(found).__name__
    if hasattr(found, "fit") and not hasattr(found, "graph_"):
        got += " that is not fitted: call its fit first"
    raise InputError(f"{taker} takes a Graph, a Result or a fitted estimator, got {got}")
