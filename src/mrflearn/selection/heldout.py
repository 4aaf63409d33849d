"""The held-out score of a graph: how well neighbours predict each variable in rows not seen.

The mean over held-out rows of sum_i ln p(x_i | x_N(i)), where N(i) are the neighbours of i in the
graph and p was learned from the other rows. It looks at the graph alone, not at how it was found,
so graphs of any method can be compared. A missing edge costs what the neighbour would have told;
a false one costs a little, as p has more to learn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.selection._predictive import log_densities
from mrflearn.selection.choice import Choice
from mrflearn.table import Table

__all__ = ["choose", "draw_folds", "log_pseudolikelihoods"]


def draw_folds(
    n_samples: int, n_folds: int, random_state: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return (training rows, held-out rows) of each fold, in ascending order.

    Every row is held out once; folds differ by one row at most.

    Examples
    --------
    >>> [len(held_out) for _, held_out in draw_folds(11, 3, random_state=0)]
    [4, 4, 3]
    """
    if n_folds < 2:
        raise InputError(
            f"n_folds must be at least 2, got {n_folds}: rows are held out from learning on others"
        )
    if n_samples < 2 * n_folds:
        most = n_samples // 2
        remedy = f"n_folds={most}" if most > 1 else "at least 4 rows"
        raise InputError(
            f"{n_samples} rows are too few for {n_folds} folds, which take two rows each: give "
            f"{remedy}{' or fewer' * (most > 2)}"
        )
    seed = np.random.SeedSequence(random_state, spawn_key=(n_samples, n_folds))
    parts = np.array_split(np.random.default_rng(seed).permutation(n_samples), n_folds)
    rows = np.arange(n_samples)
    return [(np.setdiff1d(rows, part), np.sort(part)) for part in parts]


def log_pseudolikelihoods(
    train: Table, test: Table, adjacencies: Sequence[NDArray[np.bool_]] | NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return sum_i ln p(x_i | x_N(i)) for each graph and each row of `test`, p from `train`.

    Parameters
    ----------
    train, test : Table
        With the same columns, codes and scale.
    adjacencies : array-like of bool, shape (n_graphs, D, D)
        The graphs.

    Returns
    -------
    ndarray of shape (n_graphs, test.n_samples)
        In nats, finite. What a graph says of one variable is found once, however many graphs have
        the same neighbours there.

    Notes
    -----
    Continuous columns are measured in their standard deviations in `train`; see
    `mrflearn.selection._predictive.log_densities` for the models, and for levels and values that
    `train` does not have.
    """
    known: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}
    found = np.zeros((len(adjacencies), test.n_samples))
    for graph, adjacency in enumerate(adjacencies):
        for i, row in enumerate(np.asarray(adjacency, dtype=bool)):
            neighbours = tuple(np.flatnonzero(row).tolist())
            if (i, neighbours) not in known:
                known[i, neighbours] = log_densities(train, test, i, neighbours)
            found[graph] += known[i, neighbours]
    return found


def choose(lams: Sequence[float], scores: NDArray[np.float64]) -> Choice:
    """Return the sparsest graph that is not clearly worse than the best.

    That is the largest lambda whose mean score is within one standard error of the best mean. The
    error is that of the mean difference between the two graphs over rows: rows that are hard for
    one are hard for the other, so it is smaller than the error of either mean.

    Parameters
    ----------
    lams : sequence of float
        In any order.
    scores : ndarray of shape (n_lams, n_samples)
        Held-out log pseudolikelihoods of all rows, as by `log_pseudolikelihoods`.

    Examples
    --------
    >>> scores = np.array([[-3.0, -2.0, -3.0, -4.0], [-2.0, -1.0, -2.1, -3.0],
    ...                    [-2.1, -1.0, -1.9, -3.0]])
    >>> choose([0.9, 0.5, 0.1], scores).position
    1
    """
    if not len(lams) or np.shape(scores)[:1] != (len(lams),) or not np.isfinite(scores).all():
        raise ValueError("give finite scores of rows for each lambda, and at least one lambda")
    means = scores.mean(axis=1)
    order = np.argsort(-np.asarray(lams, dtype=float), kind="stable")
    best = order[np.argmax(means[order])]
    n_samples = scores.shape[1]
    shortfalls = scores[best] - scores
    # One row tells no spread; then only the best will do.
    errors = shortfalls.std(axis=1, ddof=1 if n_samples > 1 else 0) / np.sqrt(n_samples)
    position = next(k for k in order if k == best or means[best] - means[k] <= errors[k])
    if position == best:
        limit = None
        reason = (
            f"the graph at lambda {lams[best]:.4g} predicts rows held out best "
            f"({means[best]:.4g} nats a row), and each sparser one does clearly worse"
            if best != order[0]
            else f"the sparsest graph, at lambda {lams[best]:.4g}, predicts rows held out best "
            f"({means[best]:.4g} nats a row)"
        )
    else:
        limit = float(means[best] - errors[position])
        reason = (
            f"the sparsest graph that predicts rows held out as well as the best, within one "
            f"standard error: {means[position]:.4g} nats a row at lambda {lams[position]:.4g}; "
            f"the best, {means[best]:.4g} at lambda {lams[best]:.4g}, is ahead by "
            f"{means[best] - means[position]:.2g} ± {errors[position]:.2g}"
        )
    return Choice(
        selection="heldout",
        position=int(position),
        criterion="mean log pseudolikelihood of rows held out, in nats",
        values=tuple(means.tolist()),
        limit=limit,
        reason=reason,
    )
