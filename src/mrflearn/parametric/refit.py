"""Graphs fitted again without a penalty: the largest likelihood that each allows.

A penalised estimate is shrunk, and its likelihood less than its graph could have. To compare
graphs, each is fitted again, with parameters for its edges alone and no penalty. A graph is a set
of edges: how a method came by it does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import tracked

__all__ = ["MOST", "NOISE", "Graphs", "Refits", "each_once"]

Graphs = NDArray[np.bool_]

MOST = 0.5
"""Most columns for each row that a variable may be regressed on. With as many as rows, residuals
vanish and the likelihood tells nothing."""

NOISE = 1e-8
"""Variance of the noise that standardised columns are taken to have besides their own. Columns that
determine one another then have a finite likelihood: a very large one, in which all graphs that join
them share. Others change by about as little as this."""


@dataclass(frozen=True, eq=False)
class Refits:
    """What some graphs reach without a penalty.

    Attributes
    ----------
    log_likelihoods : ndarray of shape (n_graphs,)
        The largest, of all rows, in nats; minus infinity for a graph too dense for the table.
    n_parameters : ndarray of shape (n_graphs,)
        Free parameters of the edges: one for an edge between numbers or binary variables,
        (r - 1)(s - 1) for one between r and s levels.
    n_choices : ndarray of shape (n_graphs,)
        Edges.
    form : {"likelihood", "nodewise"}
        Whether there is one likelihood for all variables, or the sum of those of each variable
        given its neighbours. Then both ends of an edge have parameters of their own, and parameters
        and choices are those of both.
    """

    log_likelihoods: NDArray[np.float64]
    n_parameters: NDArray[np.int64]
    n_choices: NDArray[np.int64]
    form: str


def each_once(graphs: Graphs, log_likelihood: Callable[[Graphs], float]) -> NDArray[np.float64]:
    """Return the log-likelihood of each graph, computed once for graphs that are equal.

    Parameters
    ----------
    graphs : ndarray of bool, of shape (n_graphs, n_variables, n_variables)
        Adjacency matrices.
    log_likelihood : callable
        `log_likelihood(graph)` of one of them.
    """
    known: dict[bytes, float] = {}
    for graph in tracked("Choosing lambda", list(graphs)):
        key = graph.tobytes()
        if key not in known:
            known[key] = log_likelihood(graph)
    return np.array([known[graph.tobytes()] for graph in graphs])
