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
from mrflearn.work import Executor, do_pieces

if TYPE_CHECKING:
    from mrflearn.estimators.base import GraphEstimator

__all__ = ["choose_by_resampling"]

PHASE = "Choosing lambda"

Shared = tuple["GraphEstimator", Table, tuple[float, ...]]
"""What is learned from each part, and with which lambdas."""

Rows = NDArray[np.intp]


def choose_by_resampling(
    estimator: GraphEstimator,
    table: Table,
    lams: Sequence[float],
    selection: Selection,
) -> Choice:
    """Choose a lambda by how stable graphs are, or how well they predict."""
    executor, random_state = estimator._executor("processes"), estimator.random_state
    if isinstance(selection, Stars):
        size = usual_size(table.n_samples)
        parts = [
            draw_rows(table.n_samples, size, number, random_state)
            for number in range(selection.n_subsamples)
        ]
        shape = (len(lams), table.n_variables, table.n_variables)
        shared = _shared(estimator, table, parts[0], lams, executor)
        graphs = do_pieces(_graphs_of, shared, parts, executor, PHASE, "stars", shape)
        return stars.choose(lams, np.mean(graphs, axis=0), selection.beta)
    if not isinstance(selection, Heldout):
        raise ValueError(f"{selection!r} does not resample")
    from mrflearn.selection import heldout

    folds = heldout.draw_folds(table.n_samples, selection.n_folds, random_state)
    shared = _shared(estimator, table, folds[0][0], lams, executor)
    scored = do_pieces(_scores_of, shared, folds, executor, PHASE, "heldout")
    scores = np.empty((len(lams), table.n_samples))
    for (_, left_out), found in zip(folds, scored, strict=True):
        scores[:, left_out] = found
    return heldout.choose(lams, scores)


def _shared(
    estimator: GraphEstimator,
    table: Table,
    rows: Rows,
    lams: Sequence[float],
    executor: Executor,
) -> Shared:
    """Return what workers need, if their memory suffices for parts like these rows."""
    one = estimator._for_parts(table.at_rows(rows), executor, n_held=2)
    return one, table, tuple(lams)


def _graphs_of(shared: Shared, rows: Rows) -> NDArray[np.bool_]:
    """Return the adjacencies along lambda that some rows lead to."""
    estimator, table, lams = shared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a solver: the whole table has its own
        graphs = estimator._learn_path(table.at_rows(rows), lams)
    return np.array([graph.adjacency for graph in graphs])


def _scores_of(shared: Shared, fold: tuple[Rows, Rows]) -> NDArray[np.float64]:
    """Return how well the graphs of a fold's rows predict those left out, (n_lams, n_left_out)."""
    from mrflearn.selection import heldout

    _, table, _ = shared
    training, left_out = fold
    graphs = _graphs_of(shared, training)
    return heldout.log_pseudolikelihoods(table.at_rows(training), table.at_rows(left_out), graphs)
