"""An estimator on many parts of a table: what stability and prediction are judged by.

Each part is learned from on its own, in any order and by any process; results do not depend on it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mrflearn.selection import stars
from mrflearn.selection.choice import Choice
from mrflearn.selection.options import Heldout, Selection, Stars
from mrflearn.selection.subsamples import draw_rows, usual_size
from mrflearn.table import Table
from mrflearn.work import do_pieces

if TYPE_CHECKING:
    from mrflearn.estimators.base import GraphEstimator

__all__ = ["choose_by_resampling", "draw_parts"]

PHASE = "Choosing lambda"

Shared = tuple["GraphEstimator", Table, tuple[float, ...]]
"""What is learned from each part, and with which lambdas."""

Part = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows to learn from, and those that are left out to be predicted, if any."""


def draw_parts(selection: Selection, n_samples: int, random_state: int) -> list[Part]:
    """Return the parts that a way of choosing learns from; none, if it does not.

    Drawn before anything is learned, as there may be too few rows.
    """
    if isinstance(selection, Stars):
        size, nothing = usual_size(n_samples), np.empty(0, dtype=np.intp)
        numbers = range(selection.n_subsamples)
        return [(draw_rows(n_samples, size, number, random_state), nothing) for number in numbers]
    if isinstance(selection, Heldout):
        from mrflearn.selection import heldout

        return heldout.draw_folds(n_samples, selection.n_folds, random_state)
    return []


def choose_by_resampling(
    estimator: GraphEstimator,
    table: Table,
    lams: Sequence[float],
    selection: Selection,
    parts: Sequence[Part],
) -> Choice:
    """Choose a lambda by how stable graphs are, or how well they predict."""
    executor = estimator._executor("processes")
    one = estimator._for_parts(table.at_rows(parts[0][0]), executor, n_held=2)
    shared = one, table, tuple(lams)
    if isinstance(selection, Stars):
        shape = (len(lams), table.n_variables, table.n_variables)
        graphs = do_pieces(_graphs_of, shared, parts, executor, PHASE, "stars", shape)
        return stars.choose(lams, np.mean(graphs, axis=0), selection.beta)
    from mrflearn.selection import heldout

    scored = do_pieces(_scores_of, shared, parts, executor, PHASE, "heldout")
    scores = np.empty((len(lams), table.n_samples))
    for (_, left_out), found in zip(parts, scored, strict=True):
        scores[:, left_out] = found
    return heldout.choose(lams, scores)


def _graphs_of(shared: Shared, part: Part) -> NDArray[np.bool_]:
    """Return the adjacencies along lambda that the rows of a part lead to."""
    estimator, table, lams = shared
    rows, _ = part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a solver: the whole table has its own
        graphs = estimator._learn_path(table.at_rows(rows), lams)
    return np.array([graph.adjacency for graph in graphs])


def _scores_of(shared: Shared, part: Part) -> NDArray[np.float64]:
    """Return how well the graphs of a part predict the rows left out, (n_lams, n_left_out)."""
    from mrflearn.selection import heldout

    _, table, _ = shared
    training, left_out = part
    graphs = _graphs_of(shared, part)
    return heldout.log_pseudolikelihoods(table.at_rows(training), table.at_rows(left_out), graphs)
