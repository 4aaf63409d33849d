"""What the script of a page reads: nodes with places, graphs of the path, and words for edges."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._json import plain
from mrflearn.graph import Edge, Graph
from mrflearn.plot._layout import Positions
from mrflearn.plot._looks import LOOKS, largest_weight
from mrflearn.plot._style import cut
from mrflearn.report._results import Reported
from mrflearn.report._stops import Stops
from mrflearn.report._words import shorten

__all__ = ["content_of", "kinds_of", "scale_of", "script_json"]

_SHAPES = {"o": "ellipse", "D": "diamond", "s": "rectangle", "h": "hexagon"}
"""Shapes of nodes: matplotlib's names, and those of cytoscape.js."""
_MOST_EXPLAINED = 5_000
"""Pairs with a paragraph of their own; others have numbers alone, so that a page stays small."""


def content_of(result: Reported, stops: Stops, places: Positions) -> dict[str, Any]:
    """Return all that the script shows, by position and without NaN or infinity."""
    graph, pairs = result.graph, stops.pairs
    at = {pair: position for position, pair in enumerate(pairs)}
    entry, sure = result.path.entry, _frequencies(result)
    ends = [(graph.index(source), graph.index(target)) for source, target in pairs]
    return {
        "unit": graph.unit,
        "chosen": stops.chosen,
        "given": result.choice is None,
        "scale": scale_of(stops),
        "looks": {
            kind: {"colour": colour, "shape": _SHAPES[marker]}
            for kind, (colour, marker) in LOOKS.items()
        },
        "nodes": [
            {"name": node, "label": shorten(node), "mark": cut(node), "kind": kind, "x": x, "y": y}
            for node, kind, (x, y) in zip(
                graph.nodes, kinds_of(result), np.round(places, 4).tolist(), strict=True
            )
        ],
        "pairs": [
            [i, j, plain(sure[i, j]), plain(float(entry[i, j])), text]
            for (i, j), text in zip(ends, _explanations(graph, pairs), strict=True)
        ],
        "tests": {
            at[edge.source, edge.target]: [plain(edge.p_value), plain(edge.q_value)]
            for edge in graph.edges
            if edge.p_value is not None or edge.q_value is not None
        },
        "unsure": [at[edge.source, edge.target] for edge in graph.unsure],
        "stops": [
            {
                "lam": plain(lam),
                "pairs": [at[edge.source, edge.target] for edge in stop.edges],
                "weights": [_rounded(edge) for edge in stop.edges],
            }
            for lam, stop in zip(stops.lams, stops.graphs, strict=True)
        ],
    }


def kinds_of(result: Reported) -> list[str]:
    """Return the kind of each node, "" where it is not known."""
    known = dict(zip(result.table.names, result.table.kinds, strict=True))
    kinds = (known.get(node, "") for node in result.graph.nodes)
    return [kind if kind in LOOKS else "" for kind in kinds]


def scale_of(stops: Stops) -> float:
    """Return the weight of the widest edges: the largest chosen, or of all if none was chosen."""
    chosen = largest_weight([edge.weight for edge in stops.graphs[stops.chosen].edges])
    weights = (edge.weight for graph in stops.graphs for edge in graph.edges)
    return chosen or largest_weight(list(weights))


def script_json(content: Any) -> str:
    """Return JSON that no HTML parser takes for anything else: ASCII without <, > and &."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _frequencies(result: Reported) -> NDArray[np.float64]:
    """Return the share of subsamples with each edge, NaN where it is not known."""
    if result.stability is not None:
        return np.round(result.stability.frequencies, 6)
    graph = result.graph
    found = np.full((len(graph.nodes), len(graph.nodes)), np.nan)
    for edge in graph.edges:
        if edge.confidence is not None:
            found[graph.index(edge.source), graph.index(edge.target)] = edge.confidence
    return found


def _rounded(edge: Edge) -> float | str | None:
    """Return a weight with six digits: more would not show, and double the size of a page."""
    return plain(float(f"{edge.weight:.6g}")) if math.isfinite(edge.weight) else plain(edge.weight)


def _explanations(graph: Graph, pairs: tuple[tuple[str, str], ...]) -> list[str]:
    """Return why each pair has an edge in the graph chosen, or none."""
    texts = []
    for source, target in pairs[:_MOST_EXPLAINED]:
        found = graph.explain(source, target)
        here, there = (tuple(map(shorten, names)) for names in found.given)
        told = replace(found, source=shorten(source), target=shorten(target), given=(here, there))
        texts.append(str(told))
    return texts + [""] * (len(pairs) - len(texts))
