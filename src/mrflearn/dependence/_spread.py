"""How plug-in estimates spread if samples were shuffled within their groups.

Twice the estimate times the number of samples is a chi-square variable where all levels are
common. Of a rare level it is not: of levels of 4 samples and of 1 in 10,000, it is 0 nearly always
and 14 once in 2,500 times, when they meet. So the sum is taken apart as the chi-square is: into one
2 x 2 table for each level of x and each of y, in each group, of these levels and all others. Tables
count for as much as they add to the degrees of freedom, one less the shares of samples that have
the one level and the other, and are taken to be independent. In such a table the number of samples
that have both levels is hypergeometric. Its cumulants are exact where few are expected, and so is
how likely the table says much.

A gamma variable with the cumulants of the sum is near its distribution where many tables add to
it. Where one does, it is too light far out: where all other tables say what they usually do, the
sum is as likely to be large as one is. So the gamma variable is that of as many copies of the sum
as it takes to be as likely. And if the sum is nearly always the same small number, which the
variable would hardly reach, it is moved there.

Sums are of whole numbers, hence the same in any order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrflearn._compile import compiled, inlined
from mrflearn.dependence._expected import MANY, UNIT, level_sizes, runs

__all__ = ["PARTS", "STEP", "careful", "copies", "cumulants", "raised", "spread_sums"]

STEP = 0.125
"""Nats between the values at which tails of 2 x 2 tables are known: of what these say more than
they usually do."""

N_STEPS = 192
"""How many such values there are: up to 24 nats, beyond all that is likelier than `LEAST_LIKELY`
but of millions of tables."""

PARTS = 2**36
"""Parts of a probability that are counted."""

LIKELY, LEAST_LIKELY = 0.5, 1e-6
"""Probabilities between which a tail is compared with those of 2 x 2 tables."""

ROUNDING = 1e-6
"""Part of a step."""

ENOUGH = 0.55
"""Share of these that a tail reaches: what is counted has steps, and a smooth tail runs through
their middle, at half of the probability of the top."""

MOST_COPIES = 16.0
"""The tail of the gamma variable with the cumulants of a rare leap is a fifth of its probability,
which five copies make up for."""

HALVINGS = 8
"""Of the logarithm of the number of copies, which are then known to 1 %."""

LEAST_SPREAD = 0.1
"""Least deviation of what a 2 x 2 table says, as a share of its mean. Shuffles cannot change what a
single sample says of two halves, and rounding must not make it rare."""

ABOVE_USUAL = (1.1, 1e-3)
"""What the sum usually is, times the first and with the second added, is what the gamma variable
reaches half of the time: the tables are not quite independent."""

TINY = 1e-300
"""Shape of what cannot vary."""

NEGLIGIBLE = 1e-14
"""Probability below which larger counts are left out of sums."""


@inlined
def _estimate(k, a, b, n, plain, rest, terms):  # type: ignore
    """Return n times the estimate if k samples have both levels; the others have what is given."""
    other = n - a - b + k
    exact = plain + terms[k, 0] + terms[a - k, 0] + terms[b - k, 0] + terms[other, 0]
    rest = rest + terms[k, 1] + terms[a - k, 1] + terms[b - k, 1] + terms[other, 1]
    return max(exact + rest, 0.0)


@compiled
def _two_levels(a, b, n, logs, terms, share, far):  # type: ignore
    """Return three cumulants of n times the estimate from a 2 x 2 table, and the likeliest value.

    Of n samples, a <= n / 2 have one level and b <= n / 2 the other. How likely it is to say how
    much more than that is added to `far`, times `share`.
    """
    if a * b >= MANY * n:
        in_x, in_y = n / a + n / (n - a) - 1, n / b + n / (n - b) - 1
        mean = 0.5 + in_x * in_y / (12 * n)
        return mean, 2 * mean**2, 8 * mean**3, 0.0
    plain = terms[n, 0] - terms[a, 0] - terms[n - a, 0] - terms[b, 0] - terms[n - b, 0]
    rest = terms[n, 1] - terms[a, 1] - terms[n - a, 1] - terms[b, 1] - terms[n - b, 1]
    chance = math.exp(logs[n - a] + logs[n - b] - logs[n] - logs[n - a - b])
    usual = _estimate((a + 1) * (b + 1) // (n + 2), a, b, n, plain, rest, terms)
    first = second = third = 0.0
    k = 0
    while k <= a and k <= b:
        value = _estimate(k, a, b, n, plain, rest, terms)
        first += chance * value
        second += chance * value**2
        third += chance * value**3
        step = math.ceil((value - usual) / STEP - ROUNDING)
        if chance <= LIKELY and step >= 0:
            far[min(step, N_STEPS - 1)] += round(share * chance * PARTS)
        chance *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1))
        k += 1
        if k * n > a * b and chance < NEGLIGIBLE:
            break
    third += first * (2 * first**2 - 3 * second)
    second = max(second - first**2, (LEAST_SPREAD * first) ** 2)
    return first, second, third, usual


@compiled
def _shares(sizes, n_found, n, distinct, shares):  # type: ignore
    """Write each distinct size, the other n - size if that is smaller, and for how much it counts.

    Return how many there are. Of two levels, tables with either are the same.
    """
    n_distinct = runs(sizes, n_found, distinct)
    for k in range(n_distinct):
        shares[k] = distinct[k, 1] * (1 - distinct[k, 0] / n)
        distinct[k, 0] = min(distinct[k, 0], n - distinct[k, 0])
    if n_found == 2:
        shares[0] = 1.0
        n_distinct = 1
    return n_distinct


@compiled
def spread_sums(codes, levels, x, candidates, order, starts, logs, terms):  # type: ignore
    """Return sums over 2 x 2 tables: of cumulants, and of the probabilities of what they say.

    Parameters
    ----------
    codes, levels, x, candidates, order, starts, logs
        As of `expected_sums`.
    terms : ndarray of shape (N + 1, 3)
        The first two columns add up to v ln v, and sums of the first are exact.

    Returns
    -------
    ndarray of int64, shape (4, n_candidates)
        The first three cumulants of N times the estimate, and what it usually is, in units.
    ndarray of int64, shape (n_candidates, N_STEPS)
        How many tables say so much more than they usually do, in parts.
    """
    most = levels[x]
    for c in range(len(candidates)):
        most = max(most, levels[candidates[c]])
    counts, sizes = np.zeros(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    of_x, of_y = np.empty((most, 2), dtype=np.int64), np.empty((most, 2), dtype=np.int64)
    shares_x, shares_y = np.empty(most), np.empty(most)
    totals = np.zeros((4, len(candidates)), dtype=np.int64)
    far = np.zeros((len(candidates), N_STEPS), dtype=np.int64)
    for g in range(len(starts) - 1):
        start, end = starts[g], starts[g + 1]
        n = end - start
        n_x = level_sizes(codes, x, order, start, end, counts, sizes)
        if n_x == 1:
            continue
        n_x = _shares(sizes, n_x, n, of_x, shares_x)
        for c in range(len(candidates)):
            n_y = level_sizes(codes, candidates[c], order, start, end, counts, sizes)
            if n_y == 1:
                continue
            n_y = _shares(sizes, n_y, n, of_y, shares_y)
            for s in range(n_x):
                for t in range(n_y):
                    a, b = min(of_x[s, 0], of_y[t, 0]), max(of_x[s, 0], of_y[t, 0])
                    share = shares_x[s] * shares_y[t]
                    found = _two_levels(a, b, n, logs, terms, share, far[c])
                    for part in range(4):
                        totals[part, c] += round(share * found[part] * UNIT)
    return totals, far


def cumulants(
    mean: NDArray[np.float64], totals: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the second and the third cumulant of N times the estimate, of which `mean` is known.

    Tables are not independent: that their means do not add up to the mean says how much more or
    less they vary. No tail falls faster than that of the chi-square, or of the one with this mean
    and deviation if that is narrower: three cumulants of few values may say so.

    Examples
    --------
    >>> cumulants(np.array([1.0]), UNIT * np.array([[1], [1], [1], [0]]))
    (array([1.]), array([2.]))
    """
    first, second, third = totals[:3] / UNIT
    ratio = np.divide(mean, first, out=np.zeros_like(mean), where=first > 0)
    second, third = second * ratio**2, third * ratio**3
    per_mean = np.divide(second, mean, out=np.zeros_like(mean), where=mean > 0)
    return second, np.maximum(third, 2 * second * np.minimum(per_mean, 1.0))


def careful(
    mean: NDArray[np.float64],
    second: NDArray[np.float64],
    third: NDArray[np.float64],
    usual: NDArray[np.int64],
    far: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return cumulants of a gamma variable that is large as often as single tables are, or these.

    Parameters
    ----------
    mean, second, third : ndarray
        Cumulants of the sum.
    usual, far : ndarray of int64
        What the sum usually is, in units, and how many tables say how much more than they do.

    Examples
    --------
    >>> common = np.array([0.5]), np.array([0.5]), np.array([1.0])
    >>> careful(*common, np.zeros(1, dtype=np.int64), np.zeros((1, N_STEPS), dtype=np.int64))
    (array([0.5]), array([0.5]), array([1.]))
    """
    n = copies(mean, second, third, usual, far)
    return raised(n * mean, n * second, n * third, usual), n * second, n * third


def copies(
    mean: NDArray[np.float64],
    second: NDArray[np.float64],
    third: NDArray[np.float64],
    usual: NDArray[np.int64],
    far: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return of how many copies the sum is as likely to be large as single tables are; 1 or more.

    Each copy is a gamma variable with these cumulants; for all else see `careful`.

    Examples
    --------
    >>> rare = np.zeros((1, N_STEPS), dtype=np.int64)
    >>> rare[0, round(8 / STEP)] = PARTS // 1000
    >>> leap = [np.array([8.0**power / 1000]) for power in (1, 2, 3)]
    >>> copies(*leap, np.zeros(1, dtype=np.int64), rare).round(1)
    array([2.8])
    """
    from scipy.special import gammaincc

    tails = np.cumsum(far[:, ::-1], axis=1)[:, ::-1] / PARTS
    known = (far > 0) & (tails >= LEAST_LIKELY) & (tails <= LIKELY) & (third > 0)[:, None]
    which, step = np.nonzero(known)
    needed, value = ENOUGH * tails[which, step], usual[which] / UNIT + step * STEP
    mean, second, third = mean[which], second[which], third[which]
    shape = 4 * second**3 / third**2
    scale = third / (2 * second)
    start = mean - shape * scale
    low, high = np.zeros(len(which)), np.full(len(which), math.log(MOST_COPIES))

    def reached(log_copies: NDArray[np.float64]) -> NDArray[np.bool_]:
        n = np.exp(log_copies)
        tail = gammaincc(n * shape, np.maximum(value - n * start, 0.0) / scale)
        return np.asarray(tail >= needed)

    high[reached(low)] = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = reached(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    n_copies = np.ones(len(far))
    np.maximum.at(n_copies, which, np.exp(high))
    return n_copies


def raised(
    mean: NDArray[np.float64],
    second: NDArray[np.float64],
    third: NDArray[np.float64],
    usual: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the mean of the gamma variable if it exceeds what is usual half of the time.

    Variables of a shape of 1 or more do, or near enough; their mean stays. `usual` is in units.

    Examples
    --------
    >>> leap = [np.array([8.0**power / 1000]) for power in (1, 2, 3)]
    >>> raised(*leap, np.array([UNIT // 1000])).round(4)
    array([0.0181])
    """
    from scipy.special import gammaincinv

    times, more = ABOVE_USUAL
    least = np.minimum(times * usual / UNIT + more, mean)
    divisor = np.where(third > 0, third, 1.0)
    shape = 4 * second**3 / divisor**2
    scale = divisor / np.where(second > 0, 2 * second, 1.0)
    half = mean - shape * scale + scale * gammaincinv(np.maximum(shape, TINY), 0.5)
    return np.where((third > 0) & (shape < 1), mean + np.maximum(least - half, 0.0), mean)
