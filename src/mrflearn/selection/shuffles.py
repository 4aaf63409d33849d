"""Copies of a variable that know nothing of the others but what some conditions tell.

A permutation of all samples would break the dependence on the conditions too, and what they explain
would count as dependence. So a sample takes the value of one near it in the conditions (Runge
2018), of any with the same conditions if all of them are discrete and enough samples are alike.
Near is not the same: what a regression on the conditions explains stays, and only the rest is
exchanged. Of labels, what stays is how likely each is. No such test is valid for all distributions
(Shah and Peters 2020); experiments/significance.py measures this one where causes are curved, wavy,
multiplied or jump.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.gaussian import normal_scores
from mrflearn.selection._conditions import standardised
from mrflearn.selection._smoother import Smoother
from mrflearn.table import Table

__all__ = ["shuffled_orders", "smoother_of", "with_copies"]

N_NEAR = 10
"""Samples that may stand in a sample's place, itself among them. About a fifth stay: with fewer,
more do, and copies are too like the variable; if none did, what regressions miss would be taken for
an edge more often."""

LEAST_ALIKE, MOST_ALONE = 6, 0.2
"""Samples with the same labels, from which on no others need to take their places, and the share
that may have fewer: with more, copies would be the data."""

MOST_LABELS = 20
"""Labels of a column for which regressions are worth their time; those of more are exchanged."""

LEAST_FOR_SCALE = 10
"""Samples from which on it can be told how far from normal they are."""

APART = 1e3
"""Distance between different labels that are kept apart, which no other distance reaches."""

MOST_COMPARED = 2_000
"""Samples among which near ones are sought where labels are not kept apart: trees of so many
dimensions, one for each label, compare all with all."""

MOST_PREFERENCES = 2**21
"""Numbers drawn at once to say which samples others would rather change places with."""


def shuffled_orders(
    table: Table, i: int, given: Sequence[int], n_orders: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return orders of the samples in which those alike in the conditions change places.

    Parameters
    ----------
    table : Table
        The data.
    i : int
        The variable to be copied.
    given : sequence of int
        The conditions.
    n_orders : int
        How many.
    rng : Generator
        Where randomness comes from.

    Returns
    -------
    ndarray of int32, shape (n_orders, n_samples)
        Which sample stands in each place.
    """
    keys = rng.random((n_orders, table.n_samples))
    conditions = _varying(table, given)
    if not _any_continuous(table, conditions):
        groups = _groups(table, conditions)
        if _enough_alike(groups) or not _few_labels(table, i):
            places = np.argsort(groups, kind="stable")
            orders = np.empty(keys.shape, dtype=np.int32)
            for order, key in zip(orders, keys, strict=True):
                order[places] = np.lexsort((key, groups))
            return orders
    from mrflearn.selection._orders import near_orders

    near = _near(table, i, conditions, rng)
    turns = np.argsort(keys, axis=1).astype(np.int32)
    n_together = max(1, MOST_PREFERENCES // near.size)
    return np.concatenate(
        [
            near_orders(near, some, rng.random((len(some), *near.shape)))
            for some in (turns[at : at + n_together] for at in range(0, n_orders, n_together))
        ]
    )


def smoother_of(table: Table, given: Sequence[int]) -> Smoother | None:
    """Return the regression on conditions; None if enough samples are alike in them."""
    conditions = _varying(table, given)
    if _any_continuous(table, conditions) or not _enough_alike(_groups(table, conditions)):
        return Smoother(table, conditions)
    return None


def with_copies(
    table: Table,
    i: int,
    others: Sequence[int],
    smoother: Smoother | None,
    orders: NDArray[np.int32],
    rng: np.random.Generator,
) -> Table:
    """Return the table of `others` and copies of `i`, one for each order.

    Where too few samples are alike, what the conditions explain keeps its place. Copies of a
    continuous column have the same values as the column: the sums only say in which order. Copies
    of a discrete one have the same labels, each about as often.

    Parameters
    ----------
    table : Table
        The data.
    i : int
        The variable that is copied.
    others : sequence of int
        The variables that stand before the copies.
    smoother : Smoother or None
        That of the conditions, by `smoother_of`.
    orders : ndarray of int32, shape (n_orders, n_samples)
        Which samples stand in the places of which, from `shuffled_orders`.
    rng : Generator
        Where randomness comes from.
    """
    base, values, columns = table.take(others), table.values_of(i), table.columns_of(i)
    copies = np.stack([values[:, order] for order in orders])
    if smoother is not None:
        for c, column in enumerate(columns):
            if column.kind == "continuous":
                copies[:, c] = _with_residuals(smoother, values[c], orders)
            elif 1 < column.n_distinct <= MOST_LABELS:
                copies[:, c] = _with_quantiles(smoother, values[c], orders, rng)
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


def _with_residuals(
    smoother: Smoother, values: NDArray[np.float64], orders: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return copies of a column in which what is not explained has changed places.

    What is explained and what is not are taken to add up on some scale.
    """
    scale = _additive_scale(smoother, values)
    explained = smoother.fit(scale)
    sums = explained + (scale - explained)[orders]
    ranks = np.argsort(np.argsort(sums, axis=1, kind="stable"), axis=1, kind="stable")
    return np.sort(values)[ranks]


def _additive_scale(smoother: Smoother, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values, standardised, or their normal scores: which makes them more likely.

    They are taken to be normal around what is explained, as Box and Cox (1964) do: more explained
    on the plain scale must make up for how far from normal the values are there.
    """
    from scipy.stats import differential_entropy

    scores, plain = normal_scores(values), standardised(values, values)[0]
    if len(np.unique(values)) < len(values) or len(values) < LEAST_FOR_SCALE:
        return scores
    far_from_normal = (1 + np.log(2 * np.pi)) / 2 - differential_entropy(plain, method="ebrahimi")
    left_of_scores, left_of_plain = smoother.left(scores), smoother.left(plain)
    more_likely = left_of_scores > left_of_plain * np.exp(2 * far_from_normal)
    return plain if more_likely else scores


def _with_quantiles(
    smoother: Smoother,
    values: NDArray[np.float64],
    orders: NDArray[np.int32],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return copies of discrete values, each drawn as likely as its label is in its place.

    A sample's label is where a number between 0 and 1 falls among the labels' shares. Such numbers,
    random within the share of the sample's own label, change places: among samples whose shares
    are equal, the labels do.
    """
    levels, codes = np.unique(values, return_inverse=True)
    uppers = np.cumsum(smoother.fit_shares(codes), axis=0)
    lowers = np.vstack([np.zeros(len(values)), uppers[:-1]])
    places = np.arange(len(values))
    lower, upper = lowers[codes, places], uppers[codes, places]
    numbers = lower[orders] + rng.random(orders.shape) * (upper - lower)[orders]
    drawn = (numbers[:, None] >= uppers[None, :-1]).sum(axis=1)
    return levels[drawn]


def _varying(table: Table, given: Sequence[int]) -> list[int]:
    return [z for z in given if not table.constant[z]]


def _any_continuous(table: Table, given: Sequence[int]) -> bool:
    return any(column.kind == "continuous" for z in given for column in table.columns_of(z))


def _few_labels(table: Table, i: int) -> bool:
    """Return whether regressions tell of a variable what conditions explain."""
    return all(
        column.kind == "continuous" or column.n_distinct <= MOST_LABELS
        for column in table.columns_of(i)
    )


def _enough_alike(groups: NDArray[np.intp]) -> bool:
    n_alike = np.bincount(groups)[groups]
    return bool(np.mean(n_alike < min(LEAST_ALIKE, len(groups))) <= MOST_ALONE)


def _groups(table: Table, given: Sequence[int]) -> NDArray[np.intp]:
    """Return to which group of samples, alike in all the conditions, each belongs."""
    return _alike_in((row for z in given for row in table.values_of(z)), table.n_samples)


def _alike_in(rows: Iterable[NDArray[np.float64]], n_samples: int) -> NDArray[np.intp]:
    """Return to which group of samples with the same values in all rows each belongs."""
    groups = np.zeros(n_samples, dtype=np.intp)
    for row in rows:
        own = np.unique(row, return_inverse=True)[1]
        groups = np.unique(groups * (own.max() + 1) + own, return_inverse=True)[1]
    return groups


def _near(
    table: Table, i: int, given: Sequence[int], rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return the samples nearest to each in the conditions, itself first, ties in random order.

    Different labels are apart, if enough samples share theirs, or if regressions cannot tell what
    they explain: of a variable with many labels, or where a column has hardly a label twice. Where
    fewer samples are near, itself comes again.
    """
    scores, labels = [], []
    for z in given:
        for column, values in zip(table.columns_of(z), table.values_of(z), strict=True):
            if column.kind == "nominal":
                labels.append(values)
            else:
                scores.append(normal_scores(values))
    apart = _alike_in(labels, table.n_samples)
    if _enough_alike(apart) or not _few_labels(table, i):
        return _nearest(np.array([APART * apart, *scores]).T, np.inf, rng)
    told = [_enough_alike(_alike_in([own], table.n_samples)) for own in labels]
    apart = _alike_in(compress(labels, np.logical_not(told)), table.n_samples)
    # A label that differs counts as much as a normal score that differs by the square root of 2.
    indicators = [own == label for own in compress(labels, told) for label in np.unique(own)]
    points = np.array([APART * apart, *scores, *indicators]).T
    near = np.empty((table.n_samples, min(N_NEAR, table.n_samples)), dtype=np.int32)
    n_parts = -(-table.n_samples // MOST_COMPARED)
    for part in np.array_split(rng.permutation(table.n_samples), n_parts):
        near[part] = part[_nearest(points[part], 2, rng)]
    return near


def _nearest(
    points: NDArray[np.float64], norm: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return the points nearest to each, none of which is apart."""
    from scipy.spatial import cKDTree

    points = points + 1e-9 * rng.random(points.shape)
    n_near = min(N_NEAR, len(points))
    distances, near = cKDTree(points).query(points, k=n_near, p=norm)
    distances, near = distances.reshape(-1, n_near), near.reshape(-1, n_near)
    # A sample with a label of its own stays where it is.
    return np.where(distances < APART / 2, near, near[:, :1]).astype(np.int32)
