"""An estimator on many parts of a table: what stability and prediction are judged by.

Each part is learned from on its own, in any order and by any process; results do not depend on it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from mrflearn._progress import tracked, unheard
from mrflearn.selection import stars
from mrflearn.selection.choice import Choice
from mrflearn.selection.options import Heldout, Selection, Stars
from mrflearn.selection.subsamples import draw_rows, usual_size
from mrflearn.table import Table

if TYPE_CHECKING:
    from mrflearn.estimators.base import GraphEstimator

__all__ = ["choose_by_resampling", "in_processes"]

Answer = TypeVar("Answer")


def choose_by_resampling(
    estimator: GraphEstimator,
    table: Table,
    lams: Sequence[float],
    selection: Selection,
    random_state: int,
    n_jobs: int,
) -> Choice:
    """Choose a lambda by how stable graphs are, or how well they predict."""
    if isinstance(selection, Stars):
        size = usual_size(table.n_samples)
        parts = [
            draw_rows(table.n_samples, size, number, random_state)
            for number in range(selection.n_subsamples)
        ]
        tasks = [(estimator, table, rows, lams) for rows in parts]
        graphs = in_processes(_graphs_of, tasks, n_jobs, "Choosing lambda")
        return stars.choose(lams, np.mean(graphs, axis=0), selection.beta)
    if not isinstance(selection, Heldout):
        raise ValueError(f"{selection!r} does not resample")
    from mrflearn.selection import heldout

    folds = heldout.draw_folds(table.n_samples, selection.n_folds, random_state)
    scored = in_processes(
        _scores_of,
        [(estimator, table, training, left_out, lams) for training, left_out in folds],
        n_jobs,
        "Choosing lambda",
    )
    scores = np.empty((len(lams), table.n_samples))
    for (_, left_out), found in zip(folds, scored, strict=True):
        scores[:, left_out] = found
    return heldout.choose(lams, scores)


def in_processes(
    function: Callable[..., Answer], tasks: Iterable[tuple[Any, ...]], n_jobs: int, phase: str
) -> list[Answer]:
    """Return function(*task) for each task, in their order; with one job, in this process."""
    asked = list(tasks)
    found = Parallel(n_jobs, return_as="generator")(
        delayed(_unheard)(function, task) for task in asked
    )
    return list(tracked(phase, found, len(asked)))


def _unheard(function: Callable[..., Answer], task: tuple[Any, ...]) -> Answer:
    """Return what one task gives; of its phases nobody hears, in this process or another."""
    with unheard():
        return function(*task)


def _graphs_of(
    estimator: GraphEstimator, table: Table, rows: NDArray[np.intp], lams: tuple[float, ...]
) -> NDArray[np.bool_]:
    """Return the adjacencies along lambda that some rows lead to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a solver: the whole table has its own
        graphs = estimator._learn_path(table.at_rows(rows), tuple(lams))
    return np.array([graph.adjacency for graph in graphs])


def _scores_of(
    estimator: GraphEstimator,
    table: Table,
    training: NDArray[np.intp],
    left_out: NDArray[np.intp],
    lams: tuple[float, ...],
) -> NDArray[np.float64]:
    """Return how well the graphs that some rows lead to predict the others, (n_lams, n_others)."""
    from mrflearn.selection import heldout

    graphs = _graphs_of(estimator, table, training, lams)
    return heldout.log_pseudolikelihoods(table.at_rows(training), table.at_rows(left_out), graphs)
