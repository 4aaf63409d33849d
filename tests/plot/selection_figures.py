"""Results to draw, and ways to read the figures of a choice."""

import itertools
import math

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from mrflearn.graph import Graph, GraphPath
from mrflearn.result import Account, Result, TableSummary
from mrflearn.selection.choice import Choice
from mrflearn.stability import Stability
from mrflearn.table import as_table

BLUE, VERMILION = "#0072b2", "#d55e00"
NODES = ("a", "b", "c", "d")


def graph_of(*pairs, nodes=NODES, lam=None):
    return Graph(nodes, tuple(tuple(pair.split()) for pair in pairs), lam)


# At 0.2 the edge a - b is gone, and comes back at 0.1.
PATH = GraphPath(
    (0.8, 0.4, 0.2, 0.1),
    (
        graph_of(),
        graph_of("a b"),
        graph_of("a c", "b d"),
        graph_of("a b", "a c", "b d", "c d"),
    ),
)
SHARES = {"a c": 1.0, "b d": 0.6, "a b": 0.5, "a d": 0.2}


def stability_of(shares, nodes=NODES, n_subsamples=10):
    matrix = np.zeros((len(nodes), len(nodes)))
    for pair, share in shares.items():
        i, j = (nodes.index(end) for end in pair.split())
        matrix[i, j] = matrix[j, i] = share
    return Stability(nodes, matrix, n_subsamples, 0.5)


def result_of(path=PATH, position=2, values=None, limit=0.05, criterion="instability", **changes):
    """Return a result as `learn` makes it."""
    values = np.linspace(0.0, 0.08, len(path)) if values is None else values
    given = position is None
    numbers = np.random.default_rng(0).normal(size=(9, len(path.nodes)))
    content = {
        "graph": Graph(path.nodes) if given else path[position],
        "path": path,
        "lam": math.inf if given else path.lams[position],
        "choice": Choice("stars", position, criterion, tuple(values), limit, "so"),
        "table": TableSummary.of(as_table(pd.DataFrame(numbers, columns=list(path.nodes)))),
        "options": {},
        "account": Account("", "", ""),
        "stability": stability_of(SHARES),
    }
    return Result(**(content | changes))


def chain_path(n_edges, n_lams=60, name="variable_{}"):
    """Return a path on which the edges of a chain come one after the other."""
    nodes = tuple(name.format(i) for i in range(n_edges + 1))
    lams = np.geomspace(1.0, 0.01, n_lams)
    counts = np.linspace(0, n_edges, n_lams).astype(int)
    graphs = [Graph(nodes, tuple(itertools.pairwise(nodes[: n + 1]))) for n in counts]
    return GraphPath(tuple(lams), tuple(graphs))


def names_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def legend_of(axes):
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def numbers_above(axes):
    (above,) = axes.child_axes
    return {
        float(tick): int(label.get_text())
        for tick, label in zip(above.get_xticks(), above.get_xticklabels(), strict=True)
    }


def rows_of(axes):
    """Return the lines drawn in each row: their ends, colour and whether they are filled."""
    rows = {}
    for line in axes.get_lines():
        x, y = line.get_xdata(), line.get_ydata()
        if line.get_transform() == axes.transData and len(y) == 2 and y[0] == y[1]:
            colour = to_hex(line.get_color())
            filled = to_hex(line.get_markerfacecolor()) == colour
            name = names_of(axes)[int(y[0])]
            rows.setdefault(name, []).append((*map(float, x), colour, filled, line.get_marker()))
    return rows


def upright_lines(axes):
    """Return the places of lines that cross the axes upwards."""
    lines = (line for line in axes.get_lines() if list(line.get_ydata()) == [0, 1])
    return [line.get_xdata()[0] for line in lines if line.get_xdata()[0] == line.get_xdata()[1]]


def texts_drawn(axes):
    """Return every text of the axes with the box it takes when drawn."""
    figure = axes.figure
    figure.canvas.draw()
    every = [*axes.get_yticklabels(), *axes.get_xticklabels(), *axes.texts, axes.xaxis.label]
    every += [axes.yaxis.label, axes.title, axes._left_title]
    for above in axes.child_axes:
        every += [*above.get_xticklabels(), above.xaxis.label]
    if axes.get_legend():
        every += axes.get_legend().get_texts()
    return [(text, text.get_window_extent()) for text in every if text.get_text()]


def assert_readable(axes):
    """Check that no two texts share a dot, and that all are inside of the figure."""
    drawn = texts_drawn(axes)
    for (one, box), (other, taken) in itertools.combinations(drawn, 2):
        apart = box.x1 <= taken.x0 or taken.x1 <= box.x0 or box.y1 <= taken.y0 or taken.y1 <= box.y0
        assert apart, f"{one.get_text()!r} and {other.get_text()!r} overlap"
    whole = axes.figure.bbox
    for text, box in drawn:
        inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= whole.x1 and box.y1 <= whole.y1
        assert inside, f"{text.get_text()!r} is cut"
