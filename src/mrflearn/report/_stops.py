"""The stops of the slider: the graphs of the path, and among them the one chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mrflearn.graph import Graph
from mrflearn.report._results import Reported

__all__ = ["Stops"]


@dataclass(frozen=True)
class Stops:
    """Graphs from the largest lambda to the smallest.

    Attributes
    ----------
    lams : tuple of float
        Lambda at each stop.
    graphs : tuple of Graph
        The graph there; at the stop chosen, the one with all that is known of its edges.
    chosen : int
        Which stop was chosen.
    """

    lams: tuple[float, ...]
    graphs: tuple[Graph, ...]
    chosen: int

    @classmethod
    def of(cls, result: Reported) -> Stops:
        """Return the stops of a result; a graph that is not on its path has a stop of its own."""
        lams, graphs = list(result.path.lams), list(result.path.graphs)
        position = _position(result)
        if position is None:
            position = len(lams)
            lams.append(result.lam)
            graphs.append(result.graph)
        graphs[position] = result.graph
        order = sorted(range(len(lams)), key=lambda at: -lams[at])
        return cls(
            tuple(lams[at] for at in order),
            tuple(graphs[at] for at in order),
            order.index(position),
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All pairs that have an edge somewhere, those of the graph chosen first."""
        found = {
            (edge.source, edge.target): None
            for graph in (self.graphs[self.chosen], *self.graphs)
            for edge in graph.edges
        }
        return tuple(found)


def _position(result: Reported) -> int | None:
    """Return where on the path the graph chosen is, None if it is not there."""
    if result.choice is not None:
        position = result.choice.position
    else:
        position = next((at for at, lam in enumerate(result.path.lams) if lam == result.lam), None)
    if position is None or not 0 <= position < len(result.path):
        return None
    same = np.array_equal(result.path[position].adjacency, result.graph.adjacency)
    return position if same else None
