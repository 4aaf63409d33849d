"""Pictures inside the page, without styles of their own: its policy would refuse those."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import pairwise

from mrflearn.graph import Graph
from mrflearn.plot import plot_graph
from mrflearn.plot._layout import Positions
from mrflearn.plot._looks import EDGE_COLOUR, LOOKS, width_legend
from mrflearn.plot._save import figure_bytes
from mrflearn.report._words import escaped

__all__ = ["figure_of_graph", "kind_swatch", "line_swatch", "widths_of"]

_POINT = 96 / 72
"""Pixels of a point."""
_DECIMALS = re.compile(r"-?\d+\.\d+")
_SWATCHES = {
    "o": '<circle cx="8" cy="8" r="6" fill="{}"/>',
    "D": '<path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" fill="{}"/>',
    "s": '<rect x="2.5" y="2.5" width="11" height="11" fill="{}"/>',
    "h": '<path d="M4.5 2h7L15 8l-3.5 6h-7L1 8Z" fill="{}"/>',
}


def figure_of_graph(graph: Graph, kinds: Sequence[str], places: Positions, label: str) -> str:
    """Return the picture that `plot_graph` draws, as an element of a page."""
    drawn = figure_bytes(plot_graph(graph, kinds=kinds, places=places), ".svg")
    root = ET.fromstring(drawn)
    _make_plain(root)
    _join_halos(root)
    width = float(root.attrib.pop("width").removesuffix("pt"))
    del root.attrib["height"], root.attrib["version"]
    root.set("width", f"{width * _POINT:.0f}")
    root.attrib.update({"role": "img", "stroke-linejoin": "round", "stroke-linecap": "butt"})
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    return text.replace("<svg ", f'<svg aria-label="{escaped(label)}" ', 1)


def kind_swatch(kind: str) -> str:
    """Return a small mark as nodes of a kind have it."""
    colour, marker = LOOKS[kind]
    shape = _SWATCHES[marker].format(colour)
    return f'<svg class="swatch" viewBox="0 0 16 16" aria-hidden="true">{shape}</svg>'


def line_swatch(width: float, dashed: bool = False, opacity: float = 1.0) -> str:
    """Return a short line as edges of a width, in points, have it."""
    dashes = ' stroke-dasharray="5 3"' if dashed else ""
    return (
        '<svg class="line swatch" viewBox="0 0 32 16" aria-hidden="true"><path d="M2 8H30" '
        f'stroke="{EDGE_COLOUR}" stroke-width="{width * _POINT:.2f}" '
        f'stroke-opacity="{opacity:g}"{dashes}/></svg>'
    )


def widths_of(weights: Sequence[float]) -> list[tuple[str, str]]:
    """Return lines that explain the widths of edges, each with its label."""
    return [
        (line_swatch(width, style == "--"), label) for width, style, label in width_legend(weights)
    ]


def _make_plain(root: ET.Element) -> None:
    """Take namespaces, metadata and styles out of a picture; styles become attributes."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text = element.tail = None
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        for declaration in attributes.pop("style", "").split(";"):
            name, _, value = declaration.partition(":")
            if value:
                attributes[name.strip()] = value.strip()
        if "id" in attributes:
            attributes["id"] = f"figure-{attributes['id']}"
        for name, value in attributes.items():
            attributes[name] = value.replace("url(#", "url(#figure-")
        if "d" in attributes:
            attributes["d"] = _DECIMALS.sub(_rounded, " ".join(attributes["d"].split()))
        if attributes.get("href", "").startswith("#"):
            attributes["href"] = f"#figure-{attributes['href'][1:]}"
        element.attrib.clear()
        element.attrib.update(attributes)


def _join_halos(root: ET.Element) -> None:
    """Let each label have its outline once, not again for its halo: nearly half of the picture."""
    for parent in root.iter():
        for halo, label in pairwise(list(parent)):
            same = halo.get("d") == label.get("d") is not None
            if same and "stroke" in halo.attrib and "stroke" not in label.attrib:
                halo.attrib.update(label.attrib)
                halo.set("paint-order", "stroke")  # below its own filling
                parent.remove(label)


def _rounded(found: re.Match[str]) -> str:
    """Return a number of an outline with two decimals: more do not show, and double the file."""
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
