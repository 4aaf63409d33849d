"""Results made by hand, so that nothing has to be learned to test a report."""

import numpy as np

from mrflearn.evidence import Evidence
from mrflearn.graph import Edge, Graph, GraphPath
from mrflearn.result import Account, Result, TableSummary
from mrflearn.selection.choice import Choice
from mrflearn.stability import Stability
from mrflearn.table import Column

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!-- <script>",
    "]]>",
    "<img src=x onerror=alert(3)>",
    '" onmouseover="alert(4)" x=\'',
    "' autofocus onfocus=alert(5) '",
    "${7*7}{{7*7}}$title",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "@SUM(1;2)",
    "-2\t3",
    "x" * 5_000,
    "\u202eעברית right to left",
    "😀👩‍👩‍👧 emoji\u2028line",
    "null",
    "NaN",
    "__proto__",
    "</style></title>&amp;&lt;",
    'a,"b"\r\nc',
)
"""Names of columns that would break a careless page."""

KINDS = ("continuous", "ordinal", "nominal")


def make_result(names, n_edges, n_lams=6, chosen=None, seed=0, stable=True):
    """Return a result of random edges; each smaller lambda has more of them."""
    rng = np.random.default_rng(seed)
    names = tuple(names)
    n = len(names)
    every = [(i, j) for i in range(n) for j in range(i + 1, n)]
    order = rng.permutation(len(every))[:n_edges]
    strength = np.sort(rng.gamma(1.0, size=n_edges))[::-1]
    sizes = np.linspace(0, n_edges, n_lams).round().astype(int)
    lams = tuple(float(lam) for lam in np.geomspace(1.0, 0.01, n_lams))
    chosen = n_lams // 2 if chosen is None else chosen
    edges = [
        Edge(names[every[at][0]], names[every[at][1]], float(weight))
        for at, weight in zip(order, strength, strict=True)
    ]
    path = GraphPath(
        lams, [Graph(names, edges[:size], lam) for lam, size in zip(lams, sizes, strict=True)]
    )
    found = Stability(names, np.full((n, n), 0.75), 20, 0.5) if stable else None
    evidence = Evidence("sum", rng.gamma(1.0, size=(n, n)), path.entry)
    tested = [edge._replace(p_value=0.001, q_value=0.01) for edge in edges[: sizes[chosen]]]
    graph = Graph(names, tested, lams[chosen], evidence=evidence)
    kinds = tuple(KINDS[at % 3] for at in range(n))
    columns = tuple(
        Column(name, kind, "declared", (name, "other") if kind == "nominal" else None, 7, 1)
        for name, kind in zip(names, kinds, strict=True)
    )
    reason = "made by hand"
    return Result(
        graph=found.of(graph) if found else graph,
        path=path,
        lam=lams[chosen],
        choice=Choice("fdr", chosen, "share", (0.1,) * n_lams, 0.05, reason),
        table=TableSummary(names, kinds, columns, 100, 3, "0123456789abcdef"),
        options={"method": "GSMPLE", "required": [[names[0], names[1]]]},
        account=Account(
            f"First {names[0]}.",
            "Found by hand.",
            f"Lambda was chosen: {reason}.",
            warnings=("take care & <b>look</b>.",),
        ),
        stability=found,
        versions={"mrflearn": "1.2.3", "numpy": "2.0"},
    )
