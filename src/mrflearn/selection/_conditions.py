"""Conditions as numbers that regressions and kernels can use, learned from the training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Conditions", "Pair", "prepare", "standardised"]

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Something of the training rows, and the same of the new rows; rows come first."""

MOST_LEVELS = 30
"""Levels of a nominal column told apart; rarer ones are one level."""

MOST_BUMPS = 12
"""Bumps a curve in one column is made of."""

LEAST_BUMPS = 4
"""Fewer cannot follow a bend."""

ALL_BUMPS = 100
"""Bumps of all columns together, unless each would have fewer than it needs."""

MOST_PRODUCTS = 80
"""Products of two columns; where there would be more, there are none."""

N_PROTOTYPES = 100
"""Training rows around which surfaces in several columns rise."""

OTHER_LEVEL = 0.5
"""Weight that the widest kernel gives to another level of a nominal column."""


@dataclass(frozen=True)
class Conditions:
    """What is known of each row, in the forms that models need.

    Attributes
    ----------
    lines, curves, pairs, surfaces : list of pairs of arrays of shape (rows, features)
        For regressions: linear in each column, additive, with products of two columns, and of any
        shape. Empty if of no use, or if it would be too many features.
    places : pair of arrays of shape (rows, d) or None
        For kernels, in units of the widest one; None without conditions.
    """

    lines: list[Pair]
    curves: list[Pair]
    pairs: list[Pair]
    surfaces: list[Pair]
    places: Pair | None


def prepare(
    train: Sequence[NDArray[np.float64]],
    new: Sequence[NDArray[np.float64]],
    nominal: Sequence[bool],
) -> Conditions:
    """Return the conditions of training and new rows; constant columns are left out.

    Ordered columns are standardised for lines, and replaced by normal scores for curves and
    kernels, so that neither a far value nor the unit matters. New values count as no farther than
    half a range outside what was seen. An unseen level is treated as an unknown one.
    """
    lines: list[Pair] = []
    scores: list[Pair] = []
    levels: list[Pair] = []
    for own, other, unordered in zip(train, new, nominal, strict=True):
        if own.min() == own.max():
            continue
        if unordered:
            levels.append(_indicators(own, other))
        else:
            reach = own.max() / 2 - own.min() / 2  # halves, as the range may overflow
            near = np.clip(other, own.min() - reach, own.max() + reach)
            line = standardised(own, near)
            lines.append((line[0][:, None], line[1][:, None]))
            scores.append(_normal_scores(own, other))
    if not scores and not levels:
        return Conditions([], [], [], [], None)
    n_train, n_scores = len(train[0]), len(scores)
    centred = [_centred(pair) for pair in levels]
    straight = _joined([*lines, *centred])

    width = 2 * n_train ** (-1 / (n_scores + 4))
    apart = np.sqrt(-np.log(OTHER_LEVEL))
    places = _joined(
        [(own / width, other / width) for own, other in scores]
        + [(apart * own, apart * other) for own, other in levels]
    )
    curves: list[Pair] = []
    n_bumps = max(LEAST_BUMPS, min(MOST_BUMPS, ALL_BUMPS // max(n_scores, 1)))
    bent = [
        _bumps(pair, n_bumps)
        for pair, own in zip(scores, lines, strict=True)
        if len(np.unique(own[0])) > 2
    ]
    if bent:
        curves = [_joined([straight, *bent])]
    products = _products([*scores, *centred])
    surfaces: list[Pair] = []
    if n_scores + len(levels) > 1:
        spread = _joined(
            [(own / np.sqrt(n_scores), other / np.sqrt(n_scores)) for own, other in scores] + levels
        )
        surfaces = [_joined([straight, *products, _rises(spread)])]
    pairs = [_joined([straight, *products])] if products else []
    return Conditions([straight], curves, pairs, surfaces, places)


def standardised(own: NDArray[np.float64], other: NDArray[np.float64]) -> Pair:
    """Return both with the mean 0 and deviation 1 of the first, which must vary."""
    unit = np.abs(own).max()  # else squares may overflow
    with np.errstate(over="ignore"):
        own, other = own / unit, np.clip(other / unit, -1e100, 1e100)
    middle, spread = own.mean(), own.std()
    with np.errstate(over="ignore"):
        return (own - middle) / spread, np.clip((other - middle) / spread, -1e100, 1e100)


def _normal_scores(own: NDArray[np.float64], other: NDArray[np.float64]) -> Pair:
    """Return normal quantiles of ranks, shape (rows, 1); ties share theirs, new values between."""
    from scipy.special import ndtri

    values, inverse, counted = np.unique(own, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counted) - counted / 2
    scores = ndtri(ranks / len(own))
    centre = (scores * counted).sum() / len(own)
    spread = np.sqrt((counted * (scores - centre) ** 2).sum() / len(own))
    scores = (scores - centre) / spread
    return scores[inverse.ravel()][:, None], np.interp(other, values, scores)[:, None]


def _indicators(own: NDArray[np.float64], other: NDArray[np.float64]) -> Pair:
    """Return a column for each level, all zero for an unseen one; the rarest are one level."""
    values, counted = np.unique(own, return_counts=True)
    kept = np.sort(values[np.argsort(-counted, kind="stable")[: MOST_LEVELS - 1]])
    pair = (own[:, None] == kept).astype(float), (other[:, None] == kept).astype(float)
    if len(kept) == len(values):
        return pair
    rest = [
        (np.isin(rows, values) & ~np.isin(rows, kept)).astype(float)[:, None]
        for rows in (own, other)
    ]
    return np.hstack([pair[0], rest[0]]), np.hstack([pair[1], rest[1]])


def _centred(pair: Pair) -> Pair:
    """Return indicators minus their means; an unseen level, with no indicator, is in the middle."""
    means = pair[0].mean(axis=0)
    return pair[0] - means, (pair[1] - means) * pair[1].sum(axis=1, keepdims=True)


def _bumps(scores: Pair, n_bumps: int) -> Pair:
    """Return normal bumps side by side along the normal scores of one column."""
    low, high = scores[0].min(), scores[0].max()
    step = (high - low) / (n_bumps - 1)
    knots = low + step * np.arange(n_bumps)
    own, other = (np.exp(-0.5 * ((rows - knots) / step) ** 2) for rows in scores)
    means = own.mean(axis=0)
    return own - means, other - means


def _products(columns: Sequence[Pair]) -> list[Pair]:
    """Return products of two columns each: the second order that pairwise fields are made of."""
    sizes = [own.shape[1] for own, _ in columns]
    if len(columns) < 2 or (sum(sizes) ** 2 - sum(size**2 for size in sizes)) / 2 > MOST_PRODUCTS:
        return []
    found = []
    for one, other in combinations(columns, 2):
        own, new = (
            (a[:, :, None] * b[:, None, :]).reshape(len(a), -1)
            for a, b in zip(one, other, strict=True)
        )
        means = own.mean(axis=0)
        found.append((own - means, new - means))
    return found


def _rises(spread: Pair) -> Pair:
    """Return normal bumps around prototypes: the first rows, which are in no special order."""
    prototypes = spread[0][:N_PROTOTYPES]
    own, other = (_kernel(rows, prototypes) for rows in spread)
    means = own.mean(axis=0)
    return own - means, other - means


def _kernel(rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None, :]
    return np.exp(-np.maximum(squares - 2 * rows @ others.T, 0.0))


def _joined(pairs: Sequence[Pair]) -> Pair:
    return np.hstack([own for own, _ in pairs]), np.hstack([other for _, other in pairs])
