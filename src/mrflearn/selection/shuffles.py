"""Copies of a variable that know nothing of the others but what some conditions tell.

A permutation of all samples would break the dependence on the conditions too, and what they explain
would count as dependence. So a sample takes the value of one near it in the conditions (Runge
2018), of any with the same conditions if all of them are discrete. Near is not the same: of a
continuous variable, what regression on the conditions and their squares explains stays, and only
the rest is exchanged. Curves of another shape, of several conditions, still leave near samples
unlike: a test by such copies is then too liberal (`wavy` of experiments/significance.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.gaussian import normal_scores
from mrflearn.table import Table

__all__ = ["shuffled_orders", "with_copies"]

N_NEAR = 6
"""Samples that may stand in a sample's place, itself among them."""

FOR_EACH_TERM = 5
"""Samples for each term of a regression, without which it is left out."""

APART = 1e3
"""Distance between different labels, which no other distance reaches."""


def shuffled_orders(
    table: Table, given: Sequence[int], n_orders: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return orders of the samples in which those alike in the conditions change places.

    Returns
    -------
    ndarray of int32, shape (n_orders, n_samples)
        Which sample stands in each place.
    """
    n_samples = table.n_samples
    keys = rng.random((n_orders, n_samples))
    conditions = [z for z in given if not table.constant[z]]
    kinds = {column.kind for z in conditions for column in table.columns_of(z)}
    if "continuous" not in kinds:
        groups = _groups(table, conditions)
        places = np.argsort(groups, kind="stable")
        orders = np.empty((n_orders, n_samples), dtype=np.int32)
        for order, key in zip(orders, keys, strict=True):
            order[places] = np.lexsort((key, groups))
        return orders
    from mrflearn.selection._orders import near_orders

    near = _near(table, conditions, rng)
    turns = np.argsort(keys, axis=1).astype(np.int32)
    return near_orders(near, turns, rng.random((n_orders, *near.shape)))


def with_copies(
    table: Table,
    i: int,
    others: Sequence[int],
    given: Sequence[int],
    orders: NDArray[np.int32],
) -> Table:
    """Return the table of `others` and copies of `i`, one for each order.

    Of a continuous column, what the conditions explain keeps its place. Its copies have the same
    values as the column: the sums only say in which order.
    """
    base, values, columns = table.take(others), table.values_of(i), table.columns_of(i)
    copies = np.stack([values[:, order] for order in orders])
    fitted = [c for c, column in enumerate(columns) if column.kind == "continuous" and given]
    for c in fitted:
        scores, ordered = normal_scores(values[c]), np.sort(values[c])
        explained = _explained(table, scores, given)
        sums = explained + (scores - explained)[orders]
        ranks = np.argsort(np.argsort(sums, axis=1, kind="stable"), axis=1, kind="stable")
        copies[:, c] = ordered[ranks]
    ends = base.starts[-1] + len(columns) * np.arange(1, len(orders) + 1)
    together = np.vstack([base.values, *copies])
    starts = np.concatenate([base.starts, ends])
    for array in (together, starts):
        array.flags.writeable = False
    return replace(
        base,
        names=(*base.names, *(f"copy {number}" for number in range(len(orders)))),
        columns=(*base.columns, *columns * len(orders)),
        starts=starts,
        values=together,
    )


def _groups(table: Table, given: Sequence[int]) -> NDArray[np.intp]:
    """Return to which group of samples, alike in all the conditions, each belongs."""
    if not given:
        return np.zeros(table.n_samples, dtype=np.intp)
    rows = np.vstack([table.values_of(z) for z in given])
    return np.unique(rows, axis=1, return_inverse=True)[1].reshape(-1)


def _near(table: Table, given: Sequence[int], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the samples nearest to each in the conditions, ties in random order."""
    from scipy.spatial import cKDTree

    rows = []
    for z in given:
        for column, values in zip(table.columns_of(z), table.values_of(z), strict=True):
            rows.append(APART * values if column.kind == "nominal" else normal_scores(values))
    points = np.array(rows).T
    points = points + 1e-9 * rng.random(points.shape)
    n_near = min(N_NEAR, len(points))
    distances, near = cKDTree(points).query(points, k=n_near, p=np.inf)
    distances, near = distances.reshape(-1, n_near), near.reshape(-1, n_near)
    # A sample with a label of its own stays where it is.
    return np.where(distances < APART / 2, near, near[:, :1]).astype(np.int32)


def _explained(
    table: Table, values: NDArray[np.float64], given: Sequence[int]
) -> NDArray[np.float64]:
    """Return the least-squares fit of a column by the conditions and by their squares."""
    rows = [np.ones(table.n_samples)]
    for z in given:
        for column, own in zip(table.columns_of(z), table.values_of(z), strict=True):
            if column.kind == "nominal":
                rows += [(own == level).astype(float) for level in np.unique(own)[1:]]
            else:
                scores = normal_scores(own)
                rows += [scores] if column.n_distinct <= 2 else [scores, scores**2]
    design = np.array(rows).T
    if FOR_EACH_TERM * design.shape[1] > table.n_samples:
        return np.zeros_like(values)
    fitted: NDArray[np.float64] = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return fitted
