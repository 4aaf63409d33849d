"""What a search finds: a graph, the path of graphs along lambda, and the steps that led there."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    reading,
)
from mrflearn._words import listed
from mrflearn.errors import InputError, unknown
from mrflearn.evidence import Evidence, Explanation

__all__ = ["Edge", "Graph", "GraphPath", "Step"]


DOUBTFUL = 0.05
"""Edges of a larger q-value are not sure."""


class Edge(NamedTuple):
    """Two variables that depend on each other directly. Read its parts by name."""

    source: str
    target: str
    weight: float = math.nan
    """Strength in the unit of its graph; NaN if unknown."""
    confidence: float | None = None
    """Share of subsamples in which it was found again, between 0 and 1; None if unknown."""
    p_value: float | None = None
    """How likely chance would make it as strong; None if not tested."""
    q_value: float | None = None
    """Share of false edges among those with a p-value as small; None if not tested."""


@dataclass(frozen=True)
class Step:
    """One step of a search.

    Attributes
    ----------
    phase : {"required", "grow", "shrink"}
        Required edges and growth add, shrinking removes.
    edge : tuple of int
        The two variables. Where a search works node by node, the first is the node whose
        neighborhood changes.
    score : float
        What the search compared with lambda.
    change : float
        Change of the objective: minus the score for an addition, plus the score for a removal.
    objective : float
        Objective after the step; 0 for the empty graph.
    """

    phase: str
    edge: tuple[int, int]
    score: float
    change: float
    objective: float


@dataclass(frozen=True)
class Graph:
    """An undirected graph over named variables.

    Attributes
    ----------
    nodes : tuple of str
        All variables, isolated ones included.
    edges : tuple of Edge
        Each edge once, its ends and the edges themselves in the order of `nodes`.
    lam : float or None
        The penalty the graph was learned with, if one was.
    unit : str
        What the weights of edges are: nats unless said otherwise.
    evidence : Evidence or None
        What it was learned from, where known; two graphs may be equal without.

    Examples
    --------
    >>> graph = Graph(("rain", "sprinkler", "wet"), (("wet", "rain", 0.4), ("wet", "sprinkler")))
    >>> graph.neighbors("wet")
    ('rain', 'sprinkler')
    >>> graph.edges[0]
    Edge(source='rain', target='wet', weight=0.4, confidence=None, p_value=None, q_value=None)
    """

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...] = ()
    lam: float | None = None
    unit: str = "nats"
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    _place: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        nodes = tuple(str(node) for node in self.nodes)
        place = {node: position for position, node in enumerate(nodes)}
        if len(place) < len(nodes):
            repeated = sorted({node for node in nodes if nodes.count(node) > 1})
            raise InputError(f"the graph has two nodes of the same name: {', '.join(repeated[:8])}")
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "_place", place)
        ordered: dict[tuple[int, int], Edge] = {}
        for item in self.edges:
            edge = _as_edge(item)
            ends = sorted((self.index(edge.source), self.index(edge.target)))
            if ends[0] == ends[1] or (ends[0], ends[1]) in ordered:
                raise InputError(
                    f"the edge {edge.source!r} – {edge.target!r} is a loop or is there twice"
                )
            ordered[ends[0], ends[1]] = edge._replace(source=nodes[ends[0]], target=nodes[ends[1]])
        object.__setattr__(self, "edges", tuple(ordered[ends] for ends in sorted(ordered)))

    @classmethod
    def from_adjacency(
        cls,
        adjacency: ArrayLike,
        nodes: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
        lam: float | None = None,
        unit: str = "nats",
    ) -> Graph:
        """Make a graph from a symmetric boolean matrix, with optional names and edge weights."""
        matrix = _as_matrix(adjacency, "adjacency").astype(bool)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or (matrix != matrix.T).any():
            raise InputError(f"adjacency must be square and symmetric, got shape {matrix.shape}")
        if matrix.diagonal().any():
            raise InputError("adjacency has True on its diagonal: a node has no edge to itself")
        names = [f"x{i}" for i in range(len(matrix))] if nodes is None else list(map(str, nodes))
        if len(names) != len(matrix):
            raise InputError(f"{len(names)} names for an adjacency of {len(matrix)} nodes")
        strength = (
            np.full(matrix.shape, math.nan) if weights is None else _as_matrix(weights, "weights")
        )
        if strength.shape != matrix.shape:
            raise InputError(
                f"weights of shape {strength.shape} for an adjacency of shape {matrix.shape}"
            )
        return cls(
            tuple(names),
            tuple(
                Edge(names[i], names[j], strength[i, j])
                for i, j in np.argwhere(np.triu(matrix)).tolist()
            ),
            lam,
            unit,
        )

    def index(self, node: str) -> int:
        """Return the position of a node."""
        try:
            return self._place[node]
        except KeyError:
            raise unknown("node", node, self.nodes) from None

    def neighbors(self, node: str) -> tuple[str, ...]:
        """Return the nodes that share an edge with `node`: its Markov blanket."""
        self.index(node)
        return self._neighbors[node]

    @cached_property
    def _neighbors(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.source].append(edge.target)
            found[edge.target].append(edge.source)
        return {node: tuple(others) for node, others in found.items()}

    def has_edge(self, a: str, b: str) -> bool:
        """Return whether two nodes share an edge."""
        return bool(self.adjacency[self.index(a), self.index(b)])

    @cached_property
    def _edge_of(self) -> dict[tuple[str, str], Edge]:
        return {(edge.source, edge.target): edge for edge in self.edges}

    @cached_property
    def adjacency(self) -> NDArray[np.bool_]:
        """Boolean matrix of shape (n_nodes, n_nodes): symmetric, False on the diagonal."""
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for edge in self.edges:
            i, j = self._place[edge.source], self._place[edge.target]
            matrix[i, j] = matrix[j, i] = True
        matrix.flags.writeable = False
        return matrix

    @property
    def unsure(self) -> tuple[Edge, ...]:
        """Edges with a q-value above 0.05, and those that cannot be tested; none if untested."""
        stand_ins = {} if self.evidence is None else self.evidence.stand_ins
        untested = {frozenset(self.nodes[end] for end in edge) for edge in stand_ins}
        return tuple(
            edge
            for edge in self.edges
            if (edge.q_value or 0) > DOUBTFUL or {edge.source, edge.target} in untested
        )

    def without_tests(self) -> Graph:
        """Return the graph without p-values and q-values."""
        edges = tuple(edge._replace(p_value=None, q_value=None) for edge in self.edges)
        known = None if self.evidence is None else replace(self.evidence, stand_ins={})
        return replace(self, edges=edges, evidence=known)

    def explain(self, a: str, b: str) -> Explanation:
        """Say why two nodes have an edge, or none: what they share, given what, and when it came.

        Examples
        --------
        >>> graph = Graph(("rain", "wet"), (("wet", "rain", 0.4),))
        >>> print(graph.explain("wet", "rain"))
        wet and rain have an edge. Its weight is 0.4 (nats).
        """
        i, j = self.index(a), self.index(b)
        if i == j:
            raise InputError(f"an edge has two ends: {a!r} and {b!r} are one")
        edge = self._edge_of.get((a, b)) or self._edge_of.get((b, a)) or Edge(a, b)
        found = self.evidence or Evidence()
        entered = math.nan if found.entry is None else float(found.entry[i, j])
        given = [self._given(node, other) for node, other in ((a, b), (b, a))]
        determined, stand_ins = found.determined_end(i, j)
        return Explanation(
            source=a,
            target=b,
            present=bool(self.adjacency[i, j]),
            informations=found.shared_by(i, j),
            given=(given[0], given[1]),
            weight=edge.weight,
            unit=self.unit,
            rule=found.rule,
            threshold=None if self.lam is None else self.lam * found.share,
            lam=self.lam,
            entered=None if math.isnan(entered) else entered,
            place=None if math.isnan(entered) else found.place_of(i, j),
            p_value=edge.p_value,
            q_value=edge.q_value,
            confidence=edge.confidence,
            looked_at=found.information is None or found.shared_by(i, j) is not None,
            determined=None if determined is None else self.nodes[determined],
            stand_ins=tuple(self.nodes[z] for z in stand_ins),
        )

    def _given(self, node: str, other: str) -> tuple[str, ...]:
        """Return what the search knew at a node, beside another."""
        known = None if self.evidence is None else self.evidence.given
        if known is None:
            return tuple(z for z in self.neighbors(node) if z != other)
        members = (self.nodes[z] for z in known[self.index(node)])
        return tuple(z for z in members if z != other)

    def to_networkx(self) -> Any:
        """Return a `networkx.Graph`; edges carry `weight`, and what else is known of them."""
        import networkx as nx

        graph = nx.Graph() if self.lam is None else nx.Graph(lam=self.lam)
        graph.add_nodes_from(self.nodes)
        for edge in self.edges:
            known = dict(zip(Edge._fields[2:], edge[2:], strict=True))
            graph.add_edge(
                edge.source,
                edge.target,
                **{key: value for key, value in known.items() if _is_known(value)},
            )
        return graph

    def by_strength(self) -> tuple[Edge, ...]:
        """Return the edges, strongest first; those of unknown weight last."""
        known = (edge.weight for edge in self.edges)
        order = [math.inf if math.isnan(weight) else -weight for weight in known]
        return tuple(self.edges[at] for at in sorted(range(len(order)), key=order.__getitem__))

    def to_pandas(self) -> Any:
        """Return the edges as a data frame, strongest first."""
        import pandas as pd

        frame = pd.DataFrame(self.by_strength(), columns=list(Edge._fields))
        return frame.astype(dict.fromkeys(Edge._fields[2:], "float64"))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the graph as JSON, readable by `Graph.load` and by anything that reads JSON."""
        return write_atomically(check_json_target(path), dump(self._content("mrflearn graph")))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Graph:
        """Read a graph that `save` wrote."""
        with reading(path, "mrflearn graph") as content:
            return cls._from_content(read_names(content["nodes"]), content)

    def _content(self, format_name: str | None = None) -> dict[str, Any]:
        content: dict[str, Any] = {
            "lam": plain(self.lam),
            "unit": self.unit,
            "edges": [
                [self._place[edge.source], self._place[edge.target], *map(plain, edge[2:])]
                for edge in self.edges
            ],
        }
        if self.evidence is not None:
            content["evidence"] = {
                "rule": self.evidence.rule,
                "share": self.evidence.share,
                "information": plain_matrix(self.evidence.information),
                "entry": plain_matrix(self.evidence.entry),
                "given": self.evidence.given,
                "stand_ins": [[*edge, *own] for edge, own in self.evidence.stand_ins.items()],
            }
        if format_name:
            return {"format": format_name, "version": 1, "nodes": list(self.nodes)} | content
        return content

    @classmethod
    def _from_content(cls, nodes: Sequence[str], content: dict[str, Any]) -> Graph:
        edges = tuple(
            Edge(
                nodes[read_position(i)],
                nodes[read_position(j)],
                math.nan if weight is None else float(weight),
                *(None if value is None else float(value) for value in known),
            )
            for i, j, weight, *known in map(_edge_row, read_list(content["edges"]))
        )
        lam, unit = content["lam"], content.get("unit", "nats")
        if not isinstance(unit, str):
            raise ValueError(f"{unit!r} is not the name of a unit")
        return cls(
            tuple(nodes),
            edges,
            None if lam is None else float(lam),
            unit,
            _evidence(content.get("evidence"), len(nodes)),
        )

    def __repr__(self) -> str:
        lam = "" if self.lam is None else f", lam={self.lam:g}"
        return f"Graph({len(self.nodes)} nodes, {len(self.edges)} edges{lam})"

    def _repr_html_(self) -> str:
        """Show the strongest edges as a table in a notebook."""
        most = 30
        rows = "".join(
            f"<tr><td>{html.escape(source)}</td><td>{html.escape(target)}</td>"
            f"<td style='text-align:right'>{'' if math.isnan(weight) else f'{weight:.4g}'}"
            "</td></tr>"
            for source, target, weight, *_ in self.by_strength()[:most]
        )
        n_more = len(self.edges) - most
        more = f"<p>… and {n_more} more</p>" if n_more > 0 else ""
        alone = [node for node in self.nodes if not self.neighbors(node)]
        isolated = f"<p>Isolated: {html.escape(listed(alone, most=most))}</p>" if alone else ""
        return (
            f"<div><p><b>{html.escape(repr(self))}</b></p><table><thead><tr><th>source</th>"
            f"<th>target</th><th>weight ({html.escape(self.unit)})</th></tr></thead><tbody>{rows}"
            f"</tbody></table>{more}{isolated}</div>"
        )


@dataclass(frozen=True)
class GraphPath:
    """Graphs along lambda, in the order the lambdas were given.

    `path[k]` is the `Graph` at `path.lams[k]`; iterating gives them all.
    """

    lams: tuple[float, ...]
    graphs: tuple[Graph, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "lams", tuple(float(lam) for lam in self.lams))
        object.__setattr__(self, "graphs", tuple(self.graphs))
        if len(self.lams) != len(self.graphs) or not self.lams:
            raise InputError("a path needs at least one lambda, and one graph for each")
        if any(math.isnan(lam) for lam in self.lams):
            raise InputError("a lambda of a path is NaN: every graph belongs to a number")
        if any(graph.nodes != self.graphs[0].nodes for graph in self.graphs):
            raise InputError("the graphs of a path must have the same nodes")

    @property
    def nodes(self) -> tuple[str, ...]:
        """All variables."""
        return self.graphs[0].nodes

    @cached_property
    def adjacencies(self) -> NDArray[np.bool_]:
        """Boolean array of shape (n_lams, n_nodes, n_nodes)."""
        adjacencies = np.stack([graph.adjacency for graph in self.graphs])
        adjacencies.flags.writeable = False
        return adjacencies

    @cached_property
    def entry(self) -> NDArray[np.float64]:
        """The largest lambda at which each edge is present, NaN if never; (n_nodes, n_nodes)."""
        entry = np.full((len(self.nodes), len(self.nodes)), np.nan)
        for lam, graph in zip(self.lams, self.graphs, strict=True):
            present = graph.adjacency
            entry[present] = np.fmax(entry[present], lam)
        entry.flags.writeable = False
        return entry

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the path as JSON, readable by `GraphPath.load`."""
        content = {
            "format": "mrflearn path",
            "version": 1,
            "nodes": list(self.nodes),
            "lams": [plain(lam) for lam in self.lams],
            "graphs": [graph._content() for graph in self.graphs],
        }
        return write_atomically(check_json_target(path), dump(content))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GraphPath:
        """Read a path that `save` wrote."""
        with reading(path, "mrflearn path") as content:
            nodes = read_names(content["nodes"])
            return cls(
                tuple(float(lam) for lam in read_list(content["lams"])),
                tuple(Graph._from_content(nodes, item) for item in read_list(content["graphs"])),
            )

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, position: int) -> Graph:
        return self.graphs[position]

    def __iter__(self) -> Iterator[Graph]:
        return iter(self.graphs)

    def __repr__(self) -> str:
        return (
            f"GraphPath({len(self.nodes)} nodes, {len(self.lams)} lambdas from "
            f"{max(self.lams):g} to {min(self.lams):g})"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{lam:.4g}</td><td style='text-align:right'>{len(graph.edges)}</td></tr>"
            for lam, graph in zip(self.lams, self.graphs, strict=True)
        )
        return (
            f"<div><p><b>{html.escape(repr(self))}</b></p><table><thead><tr><th>lambda</th>"
            f"<th>edges</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )


def _as_edge(item: Any) -> Edge:
    """Return an edge whose unknowns are the one NaN and None, so that equal graphs are equal."""
    try:
        edge = Edge(*item)
        return Edge(
            str(edge.source),
            str(edge.target),
            float(edge.weight) if _is_known(edge.weight) else math.nan,
            *(float(value) if _is_known(value) else None for value in edge[3:]),
        )
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"an edge is (source, target), with a weight and a confidence if known; got {item!r}"
        ) from None


def _as_matrix(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be a matrix: its rows have different lengths") from None


def _is_known(value: float | None) -> TypeGuard[float]:
    return value is not None and not math.isnan(value)


def _edge_row(value: Any) -> list[Any]:
    """Return an edge of a file; the first files had no p-values and q-values."""
    if len(read_list(value)) not in (4, len(Edge._fields)):
        raise ValueError(f"{value!r} is not an edge")
    return list(value)


def _evidence(content: Any, n_nodes: int) -> Evidence | None:
    if content is None:
        return None
    return Evidence(
        content["rule"],
        read_matrix(content["information"], n_nodes),
        read_matrix(content["entry"], n_nodes),
        float(content["share"]),
        None if content["given"] is None else _given(content["given"], n_nodes),
        _stand_ins(content.get("stand_ins", []), n_nodes),
    )


def _stand_ins(value: Any, n_nodes: int) -> dict[tuple[int, int], tuple[int, ...]]:
    found = {}
    for row in read_list(value):
        i, j, *members = map(read_position, read_list(row))
        if not members or max(i, j, *members) >= n_nodes:
            raise ValueError(f"{row!r} are not an edge and variables that stand for an end")
        found[i, j] = tuple(members)
    return found


def _given(value: Any, n_nodes: int) -> tuple[tuple[int, ...], ...]:
    members = tuple(tuple(map(read_position, read_list(row))) for row in read_list(value))
    if len(members) != n_nodes or any(z >= n_nodes for row in members for z in row):
        raise ValueError("what was given at the nodes does not fit them")
    return members
