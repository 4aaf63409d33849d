"""Which terms of a sieve enter the conditions of a regression.

Every condition enters by its first features. Its further functions enter if some other variable
depends on them, and there are many of them if that depends on many. The products of two conditions
enter if some third variable does. So the terms that stand for a set of conditions depend on that
set alone, and those of a larger set contain those of a smaller one.

A term that is left out does little harm. What regressions of x and of y miss leaves a squared
correlation e^2 f^2 between residuals that should have none, where e^2 and f^2 are the shares of
variance that they miss. A term is left out if tests find it in no variable, so that n e^2 and
n f^2 are below a constant c, and n e^2 f^2 is below c^2 / n.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrflearn.dependence.null import log_tail

__all__ = ["Blocks", "Terms", "choose_terms", "most_products", "needs_many"]

FUNCTION_LEVEL = 0.05
"""Level of the test whether others depend on the functions of a variable beyond its first."""

MANY_LEVEL = 0.01
"""Level of the test whether others depend on more functions of a variable than the few it has."""

PRODUCT_LEVEL = 0.01
"""Level of the test whether others depend on the products of two variables."""

MOST_IN_PRODUCT = 40
"""Product features of two variables, at most."""

FEW_CONTRASTS = 3
"""Contrasts of a nominal variable up to which its products have many functions of the other."""

CROSS = 4, 6
"""Largest product of the places of two functions of numeric variables that are multiplied in
conditions, with few rows and with many: 8 to 14 products, which stand for a smooth function of
both."""

MOST_PRODUCTS = 800
"""Product features that enter, at most: those that are surest."""

MOST_TESTED = 20_000
"""Product features that are tested, at most."""

PARTNERS = (64, 32, 16, 12, 8, 6, 4, 3, 2)
"""Where there are too many products of all pairs, those of the strongest partners are tested:
of as many of each variable as fit."""

DETERMINED = 1e-7
"""Share of a feature's variance left by the conditions below which it counts as determined."""

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The features of each variable.

    Attributes
    ----------
    first, low, all : list of ndarray of int
        For each variable: its first features, these and the second ones, and all.
    numeric : list of bool
        Which variables are a continuous or ordinal column.
    """

    first: list[Ints]
    low: list[Ints]
    all: list[Ints]
    numeric: list[bool]


@dataclass(frozen=True, eq=False)
class Terms:
    """What stands for conditions.

    Attributes
    ----------
    curved : ndarray of bool, shape (n_variables,)
        Variables that enter conditions by all their functions.
    products : dict
        For two variables, the smaller first, whose products enter: how many are products of first
        features, and the features that are the factors of each. The first ones come first.
    """

    curved: NDArray[np.bool_]
    products: dict[tuple[int, int], tuple[int, Ints, Ints]]


def needs_many(rows: Floats, blocks: Blocks, many: Callable[[int], Floats | None]) -> list[int]:
    """Return the variables of which others depend on many functions, given the few they have.

    Parameters
    ----------
    rows : ndarray
        Some rows of features.
    blocks : Blocks
        The features of each variable.
    many : callable
        Returns many functions of a variable in these rows, a row for each, or None.
    """
    rows = rows - rows.mean(axis=0)
    covariance = rows.T @ rows / len(rows)
    low = np.concatenate(blocks.low)
    found = []
    for s, few in enumerate(blocks.all):
        functions = many(s)
        if functions is None:
            continue
        functions -= functions.mean(axis=1, keepdims=True)
        functions /= np.maximum(functions.std(axis=1, keepdims=True), DETERMINED)
        used = np.union1d(low, few)
        cross = np.zeros((len(functions), rows.shape[1]))
        cross[:, used] = functions @ rows[:, used] / len(rows)
        inner = functions @ functions.T / len(rows)
        others = [own for j, own in enumerate(blocks.low) if j != s]
        log_p = _log_p(inner, cross, covariance, few, others, len(rows))
        if log_p < math.log(MANY_LEVEL):
            found.append(s)
    return found


def choose_terms(rows: Floats, blocks: Blocks) -> Terms:
    """Return the terms that some variable depends on, judged from some rows of features."""
    n_variables = len(blocks.first)
    rows = rows - rows.mean(axis=0)
    covariance = rows.T @ rows / len(rows)
    curved = np.array([_is_curved(s, covariance, len(rows), blocks) for s in range(n_variables)])
    entering = [blocks.all[s] if curved[s] else blocks.first[s] for s in range(n_variables)]
    strength: dict[tuple[int, int], float] = {}
    pairs = _pairs(covariance, blocks)
    tests = _ProductTests(rows, covariance, entering, blocks)
    for s, own in itertools.groupby(pairs, key=lambda pair: pair[0]):
        strength.update(tests.of(s, [t for _, t in own]))
    products: dict[tuple[int, int], tuple[int, Ints, Ints]] = {}
    n_products = 0
    for pair in sorted(strength, key=lambda pair: (strength[pair], pair)):
        if strength[pair] >= math.log(PRODUCT_LEVEL):
            break
        product = _factors(*pair, blocks, rich=True)
        n_products += len(product[1])
        if n_products > MOST_PRODUCTS:
            break
        products[pair] = product
    return Terms(curved, products)


def most_products(blocks: Blocks) -> int:
    """Return how many products enter at most."""
    total, varying = 0, [s for s, own in enumerate(blocks.first) if len(own)]
    for s, t in itertools.combinations(varying, 2):
        total += len(_factors(s, t, blocks, rich=True)[1])
        if total >= MOST_PRODUCTS:
            return MOST_PRODUCTS
    return total


def _is_curved(s: int, covariance: Floats, n_rows: int, blocks: Blocks) -> bool:
    """Return whether another variable depends on functions of `s` beyond its first."""
    first, others = blocks.first[s], [j for j in range(len(blocks.first)) if j != s]
    second, further = blocks.low[s][len(first) :], blocks.all[s][len(first) :]
    sets = [features for features in (second, further) if len(features)]
    level = math.log(FUNCTION_LEVEL / max(len(sets), 1))
    for features in sets:
        inner = covariance[np.ix_(features, features)]
        found = _log_p(
            inner, covariance[features], covariance, first, [blocks.low[j] for j in others], n_rows
        )
        if found < level:
            return True
    return False


class _ProductTests:
    """Tests whether variables depend on products of two others."""

    def __init__(
        self, rows: Floats, covariance: Floats, entering: Sequence[Ints], blocks: Blocks
    ) -> None:
        self.rows, self.covariance, self.blocks = rows, covariance, blocks
        self.entering = entering
        self.used = np.unique(np.concatenate([*entering, *blocks.low]))
        self.position = np.full(rows.shape[1], -1)
        self.position[self.used] = np.arange(len(self.used))
        self.inner = covariance[np.ix_(self.used, self.used)]

    def of(self, s: int, others: Sequence[int]) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield each pair of s and another with the least log p-value, after both corrections."""
        made = [_factors(s, t, self.blocks) for t in others]
        rows = self.rows
        left, right = (np.concatenate([factors[part] for factors in made]) for part in (1, 2))
        products = rows[:, left] * rows[:, right]
        products -= products.mean(axis=0)
        cross = products.T @ rows[:, self.used] / len(rows)
        begin = 0
        for t, (n_first, factors, _) in zip(others, made, strict=True):
            own = products[:, begin : begin + len(factors)]
            inner = own.T @ own / len(rows)
            with_others = cross[begin : begin + len(factors)]
            begin += len(factors)
            if len(factors):
                yield (s, t), self._least(s, t, n_first, inner, with_others)

    def _least(self, s: int, t: int, n_first: int, inner: Floats, cross: Floats) -> float:
        conditions = self.position[np.concatenate([self.entering[s], self.entering[t]])]
        found = []
        for size, of in ((n_first, self.blocks.first), (len(inner), self.blocks.low)):
            responses = [self.position[own] for k, own in enumerate(of) if k not in (s, t)]
            if size:
                found.append(
                    _log_p(
                        inner[:size, :size],
                        cross[:size],
                        self.inner,
                        conditions,
                        responses,
                        len(self.rows),
                    )
                )
        return min(found) + math.log(len(found))


def _log_p(
    inner: Floats,
    cross: Floats,
    covariance: Floats,
    conditions: Ints,
    responses: Iterable[Ints],
    n_rows: int,
) -> float:
    """Return the least log p-value of tests whether blocks depend on predictors, given conditions.

    Times the number of blocks (Bonferroni). The statistic is Pillai's trace, times the rows left.

    Parameters
    ----------
    inner, cross : ndarray
        Covariances of the predictors with each other, and with all features.
    covariance : ndarray
        Covariances of all features.
    conditions : ndarray of int
        Features that are conditions.
    responses : iterable of ndarray of int
        Features of each block.
    n_rows : int
        Rows that covariances come from.
    """
    by_size: dict[int, list[Ints]] = {}
    for block in responses:
        if len(block):
            by_size.setdefault(len(block), []).append(block)
    if not by_size:
        return 0.0
    given = covariance[np.ix_(conditions, conditions)]
    solved = np.linalg.pinv(given, rcond=DETERMINED, hermitian=True)
    slopes = cross[:, conditions] @ solved
    inner = inner - slopes @ cross[:, conditions].T
    values, vectors = np.linalg.eigh(inner)
    varies = values > DETERMINED
    if not varies.any():
        return 0.0
    white = (vectors[:, varies] / np.sqrt(values[varies])).T
    n_tests, least = 0, 0.0
    for blocks in by_size.values():
        features = np.array(blocks)  # (blocks, size)
        n_tests += len(features)
        flat = features.ravel()
        of_block = covariance[conditions[:, None], flat]
        both = white @ (cross[:, flat] - slopes @ of_block)
        of_block = of_block.reshape(len(conditions), *features.shape).transpose(1, 0, 2)
        explained = of_block.transpose(0, 2, 1) @ (solved @ of_block)
        left = covariance[features[:, :, None], features[:, None, :]] - explained
        own, directions = np.linalg.eigh(left)
        counts = own > DETERMINED
        inverse = np.where(counts, 1 / np.where(counts, own, 1.0), 0.0)
        both = both.reshape(len(both), *features.shape).transpose(1, 0, 2) @ directions
        trace = ((both**2).sum(axis=1) * inverse).sum(axis=1)
        ranks = counts.sum(axis=1)
        n_left = n_rows - 1 - len(conditions) - (varies.sum() + ranks + 1) / 2
        degrees = varies.sum() * ranks
        statistic = np.maximum(n_left, 0.0) * trace
        least = min(least, float(log_tail(degrees / 2, statistic / 2).min()))
    return min(least + math.log(n_tests), 0.0)


def _factors(s: int, t: int, blocks: Blocks, rich: bool = False) -> tuple[int, Ints, Ints]:
    """Return the features of two variables that are multiplied; first ones come first.

    The rich ones of a numeric variable and a nominal one with few levels have all functions that
    fit: regressions then differ between levels. Those of two numeric ones are a hyperbolic cross.
    """
    if rich and blocks.numeric[s] and blocks.numeric[t]:
        return _hyperbolic_cross(s, t, blocks)
    one, other = _factors_of(s, t, blocks, rich), _factors_of(t, s, blocks, rich)
    if len(one) * len(other) > MOST_IN_PRODUCT:
        one, other = blocks.first[s], blocks.first[t]
    if len(one) * len(other) > MOST_IN_PRODUCT:
        one = other = np.empty(0, dtype=np.intp)
    left, right = np.repeat(one, len(other)), np.tile(other, len(one))
    plain = np.isin(left, blocks.first[s]) & np.isin(right, blocks.first[t])
    order = np.argsort(~plain, kind="stable")
    return int(plain.sum()), left[order], right[order]


def _hyperbolic_cross(s: int, t: int, blocks: Blocks) -> tuple[int, Ints, Ints]:
    """Return the products of the a-th and the b-th function with a b within `CROSS`."""
    one, other = blocks.all[s], blocks.all[t]
    most = min(max(len(one) - 1, len(other) - 1, CROSS[0]), CROSS[1])
    order = [(a, b) for a in range(len(one)) for b in range(len(other))]
    kept = [(a, b) for a, b in order if (a + 1) * (b + 1) <= most]
    kept.sort(key=lambda pair: (pair != (0, 0), pair))
    left, right = np.array(kept, dtype=np.intp).T
    return 1, one[left], other[right]


def _factors_of(s: int, t: int, blocks: Blocks, rich: bool) -> Ints:
    """Return the features of s in products with t."""
    n_contrasts = len(blocks.first[t])
    if not blocks.numeric[s]:
        return blocks.first[s]
    if blocks.numeric[t] or n_contrasts > FEW_CONTRASTS:
        return blocks.low[s]
    return blocks.all[s][: MOST_IN_PRODUCT // n_contrasts if rich else 3]


def _pairs(covariance: Floats, blocks: Blocks) -> list[tuple[int, int]]:
    """Return the pairs whose products are tested: all, or those of the strongest partners."""
    varying = [s for s, own in enumerate(blocks.first) if len(own)]
    pairs = list(itertools.combinations(varying, 2))
    if sum(len(_factors(s, t, blocks)[1]) for s, t in pairs[:MOST_TESTED]) <= MOST_TESTED and (
        len(pairs) <= MOST_TESTED
    ):
        return pairs
    mean = np.zeros((len(covariance), len(blocks.first)))
    for s, own in enumerate(blocks.first):
        mean[own, s] = 1 / max(len(own), 1)
    strength = mean.T @ covariance**2 @ mean
    np.fill_diagonal(strength, -1.0)
    order = np.argsort(-strength, axis=1, kind="stable")
    near: set[tuple[int, int]] = set()
    for n_partners in PARTNERS:
        near = {
            pair
            for s in varying
            for pair in itertools.combinations(
                sorted([j for j in order[s, :n_partners].tolist() if len(blocks.first[j])]), 2
            )
        }
        if len(near) <= MOST_TESTED // 4:
            break
    return sorted(near)
