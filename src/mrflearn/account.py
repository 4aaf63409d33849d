"""What was done, in words: of the table, the method, lambda, the edges, and what to mind."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mrflearn._words import counted, listed
from mrflearn.estimators import ChowLiu, GraphEstimator, SearchEstimator
from mrflearn.graph import DOUBTFUL, Graph
from mrflearn.result import Account
from mrflearn.stability import Stability
from mrflearn.table import Table

__all__ = ["account_of"]

MOST_NAMED = 5
"""Edges that cannot be tested that are named, at most."""


def account_of(
    estimator: GraphEstimator,
    graph: Graph,
    table: Table,
    stable: Stability | None,
    warnings: Sequence[str],
) -> Account:
    """Return what was done, in words.

    Parameters
    ----------
    estimator : GraphEstimator
        That learned the graph.
    graph : Graph
        With all that is known of its edges.
    table : Table
        The data.
    stable : Stability or None
        How often edges were found in parts of it.
    warnings : sequence of str
        What a reader should mind.
    """
    if estimator.choice_ is None and estimator.lam_ == -math.inf:
        lam = "No lambda was asked for: nothing is left out for being weak."
    elif estimator.choice_ is None:
        lam = f"Lambda was given: {estimator.lam_:g}."
    else:
        ways = f"Lambda was chosen among {len(estimator.path_)} by {estimator.choice_.selection!r}"
        lam = f"{ways}: {estimator.choice_.reason}."
    edges = _of_edges(graph)
    if stable is not None and graph.edges:
        sure = sum((edge.confidence or 0) >= 0.5 for edge in graph.edges)
        edges.append(
            f"Learned again from {stable.n_subsamples} random parts of {stable.fraction:.0%} of "
            f"the rows, {sure} of the {counted(len(graph.edges), 'edge')} came back in at least "
            "half."
        )
    return Account(_of_table(table), _of_method(estimator), lam, tuple(edges), tuple(warnings))


def _of_table(table: Table) -> str:
    counts = [
        f"{number} {kind}"
        for kind in ("continuous", "ordinal", "nominal", "mixed")
        if (number := table.kinds.count(kind))
    ]
    left_out = (
        f"; {counted(table.n_dropped, 'row')} with missing values left out"
        if table.n_dropped
        else ""
    )
    return (
        f"{counted(table.n_samples, 'row')} and {counted(table.n_variables, 'variable')}: "
        f"{', '.join(counts)}{left_out}."
    )


def _of_method(estimator: GraphEstimator) -> str:
    name = type(estimator).__name__
    if not isinstance(estimator, SearchEstimator):
        return f"Edges were found by {name}, which assumes a parametric model."
    how = str(estimator.dependence)
    if isinstance(estimator, ChowLiu):
        return (
            f"Edges were found by {name}: the tree, or forest, of the pairs that share most "
            f"(mutual information, estimate {how!r})."
        )
    return (
        f"Edges were found by {name}: two variables share one if they still tell about each other "
        f"once their neighbors are known (conditional mutual information, estimate {how!r})."
    )


def _of_edges(graph: Graph) -> list[str]:
    if not graph.edges:
        return ["No edge was found: what there is could be chance."]
    strongest = graph.by_strength()[:3]
    shown = ", ".join(f"{edge.source} – {edge.target} ({edge.weight:.2g})" for edge in strongest)
    few = "" if len(graph.edges) <= len(strongest) else "; the strongest"
    told = [f"{counted(len(graph.edges), 'edge')}{few}, in {graph.unit}: {shown}."]
    tested = [edge for edge in graph.edges if edge.q_value is not None]
    doubtful = [edge for edge in graph.unsure if edge.q_value is not None]
    how = "Each was tested given the other neighbors of its ends: "
    if tested and not doubtful:
        told.append(f"{how}all have q ≤ {DOUBTFUL:g}.")
    elif tested:
        named = [f"{edge.source} – {edge.target} (q = {edge.q_value:.2g})" for edge in doubtful]
        told.append(
            f"{how}{len(tested) - len(doubtful)} of {len(tested)} have q ≤ {DOUBTFUL:g}. Not sure: "
            f"{listed(named, most=5)}; the rows are too few to tell them from chance."
        )
    stand_ins = {} if graph.evidence is None else graph.evidence.stand_ins
    for (i, j), members in list(stand_ins.items())[:MOST_NAMED]:
        named = [graph.nodes[k] for k in members]
        told.append(
            f"{graph.nodes[i]} – {graph.nodes[j]} cannot be tested: {listed(named, most=5)} "
            f"determine{'s' if len(named) == 1 else ''} {graph.nodes[i]}, and could stand in its "
            "place."
        )
    alone = [node for node in graph.nodes if not graph.neighbors(node)]
    if alone:
        told.append(f"Without an edge: {listed(alone)}.")
    return told
