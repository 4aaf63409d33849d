"""The parts of a page that are there without its script: tables and lists, escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mrflearn._words import counted, listed
from mrflearn.graph import Edge
from mrflearn.plot._looks import UNSURE, edge_opacity
from mrflearn.plot._style import number
from mrflearn.report._content import kinds_of, scale_of
from mrflearn.report._figure import kind_swatch, line_swatch, widths_of
from mrflearn.report._results import ColumnLike, Reported
from mrflearn.report._stops import Stops
from mrflearn.report._words import escaped, replaced, shorten

__all__ = [
    "column_rows",
    "data_text",
    "edge_headings",
    "edge_rows",
    "facts",
    "items",
    "legend",
    "meaning",
    "method_messages",
    "summary",
    "warnings_of",
]

_HEADINGS = {
    "source": "variable",
    "target": "variable",
    "weight": "strength ({unit})",
    "p_value": "p",
    "q_value": "q",
    "confidence": "found again",
    "entered": "enters at lambda",
}
_MOST_LEVELS = 6
_MOST_NAMED = 5


def summary(result: Reported) -> str:
    """Return the graph in a few sentences, for those who cannot see it."""
    graph = result.graph
    said = [f"{counted(len(graph.nodes), 'variable')} and {counted(len(graph.edges), 'edge')}."]
    strongest = graph.by_strength()[:_MOST_NAMED]
    if strongest:
        named = ", ".join(f"{shorten(edge.source)} – {shorten(edge.target)}" for edge in strongest)
        said.append(f"The strongest: {named}.")
    alone = [shorten(node) for node in graph.nodes if not graph.neighbors(node)]
    if alone:
        said.append(f"Without an edge: {listed(alone, most=_MOST_NAMED)}.")
    return " ".join(said)


def meaning(result: Reported) -> str:
    """Return what an edge says."""
    evidence = result.graph.evidence
    # A tree without edges, or of very many variables, has no evidence of its rule.
    alone = evidence is not None and evidence.rule == "alone"
    if alone or result.options.get("method") == "ChowLiu":
        return (
            "The edges are the tree, or forest, of the pairs that share most; each pair was looked "
            "at by itself."
        )
    return (
        "Two variables share an edge if they still tell about each other once their neighbors are "
        "known."
    )


def data_text(result: Reported) -> str:
    """Return how large the table was."""
    table = result.table
    left_out = (
        f" {counted(table.n_dropped, 'row')} with missing values "
        f"{'was' if table.n_dropped == 1 else 'were'} left out."
        if table.n_dropped
        else ""
    )
    return (
        f"{counted(table.n_samples, 'row')}, {counted(len(table.columns), 'column')} and "
        f"{counted(len(table.names), 'variable')}.{left_out}"
    )


def method_messages(result: Reported) -> list[str]:
    """Return what was done and found, in words; how lambda was chosen is told elsewhere."""
    told = (result.account.table, result.account.method, *result.account.edges)
    return [replaced(message, result.graph.nodes) for message in told]


def warnings_of(result: Reported) -> list[str]:
    """Return what a reader should mind."""
    return [replaced(warning, result.graph.nodes) for warning in result.account.warnings]


def items(texts: Iterable[str]) -> str:
    """Return the items of a list."""
    return "\n".join(f"<li>{escaped(text)}</li>" for text in texts)


def facts(known: Mapping[str, Any]) -> str:
    """Return names with their values, those without a value left out."""
    return "\n".join(
        f"<div><dt>{escaped(name)}</dt><dd>{escaped(_shown(value))}</dd></div>"
        for name, value in known.items()
        if value is not None
    )


def column_rows(result: Reported) -> str:
    """Return a row for each column: what it was taken for, and why."""
    return "\n".join(_column_row(result, column) for column in result.table.columns)


def edge_headings(result: Reported) -> str:
    """Return the headings of the table of edges; the script reads its columns from them."""
    return "".join(_heading(result, key) for key in _keys(result))


def edge_rows(result: Reported) -> str:
    """Return a row for each edge of the graph chosen, the strongest first."""
    return "\n".join(
        f"<tr>{''.join(_edge_cell(result, edge, key) for key in _keys(result))}</tr>"
        for edge in result.graph.by_strength()
    )


def legend(result: Reported, stops: Stops) -> str:
    """Return what colours, shapes, widths and opacities mean."""
    kinds = kinds_of(result)
    entries = [
        f"<li>{kind_swatch(kind)}{escaped(kind or 'unknown kind')}</li>"
        for kind in dict.fromkeys(sorted(kinds))
    ]
    weights = [edge.weight for edge in stops.graphs[stops.chosen].edges] or [scale_of(stops)]
    lines = widths_of([weight for weight in weights if weight])
    parts = [f'<ul class="legend" aria-label="Kinds of variables">{"".join(entries)}</ul>']
    if lines:
        drawn = "".join(f"<li>{line}{escaped(label)}</li>" for line, label in lines)
        if result.graph.unsure:
            drawn += f"<li>{line_swatch(1.5, dashed=True)}{UNSURE}</li>"
        title = f"<li>strength ({escaped(result.graph.unit)}):</li>"
        parts.append(f'<ul class="legend" aria-label="Widths of edges">{title}{drawn}</ul>')
    if result.stability is not None:
        shown = "".join(
            f"<li>{line_swatch(2.5, opacity=edge_opacity(share))}{share:.0%}</li>"
            for share in (0.0, 0.5, 1.0)
        )
        title = "<li>found again in subsamples:</li>"
        parts.append(f'<ul class="legend" aria-label="Opacities of edges">{title}{shown}</ul>')
    return "\n".join(parts)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _name(name: str) -> str:
    return f'<bdi title="{escaped(name)}">{escaped(shorten(name))}</bdi>'


def _column_row(result: Reported, column: ColumnLike) -> str:
    levels = [shorten(str(level)) for level in column.levels or ()]
    kind = column.kind if column.kind in ("continuous", "ordinal", "nominal") else ""
    why = f"{column.reason}; {column.note}" if column.note else column.reason
    name = _name(column.name)
    if column.name in result.graph.nodes:
        at = result.graph.index(column.name)
        name = f'<button type="button" class="name" data-node="{at}">{name}</button>'
    return (
        f'<tr><th scope="row">{name}</th><td class="kind">{kind_swatch(kind)}'
        f'{escaped(column.kind)}</td><td>{escaped(why)}</td><td class="number">'
        f'{column.n_distinct:,}</td><td class="number">{column.n_missing:,}</td>'
        f"<td>{escaped(listed(levels, most=_MOST_LEVELS))}</td></tr>"
    )


def _keys(result: Reported) -> list[str]:
    """Return the columns of the table of edges: those of which something is known."""
    edges = result.graph.edges
    known = {
        "p_value": any(edge.p_value is not None for edge in edges),
        "q_value": any(edge.q_value is not None for edge in edges),
        "confidence": result.stability is not None
        or any(edge.confidence is not None for edge in edges),
    }
    return [key for key in _HEADINGS if known.get(key, True)]


def _heading(result: Reported, key: str) -> str:
    text = _HEADINGS[key].format(unit=result.graph.unit)
    order = "descending" if key == "weight" else "none"
    numeric = "" if key in ("source", "target") else ' class="number"'
    return (
        f'<th scope="col" aria-sort="{order}"{numeric}><button type="button" data-key="{key}">'
        f"{escaped(text)}</button></th>"
    )


def _edge_cell(result: Reported, edge: Edge, key: str) -> str:
    if key in ("source", "target"):
        return f"<td>{_name(getattr(edge, key))}</td>"
    if key == "entered":
        ends = result.graph.index(edge.source), result.graph.index(edge.target)
        text = number(float(result.path.entry[ends]))
    elif key == "confidence":
        text = "–" if edge.confidence is None else f"{edge.confidence:.0%}"
    else:
        text = number(getattr(edge, key), 3 if key == "weight" else 2)
    return f'<td class="number">{text}</td>'
