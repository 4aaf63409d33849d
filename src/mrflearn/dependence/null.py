"""How large estimates are by chance: between variables that are independent given the condition."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["N_ROWS", "Null", "log_tail", "one_degree_quantile"]

N_ROWS = 3
"""Numbers of a null: its mean, deviation and skewness."""

LEAST_SKEWED = 1e-3
"""Skewness below which the tail of a gamma distribution is that of a normal one."""


@dataclass(frozen=True)
class Null:
    """Distribution of some estimates under conditional independence, one for each candidate.

    Each is a gamma variable, shifted: so are the sums of chi-square and normal variables that
    estimates are made of, to within three moments. A single chi-square variable is one exactly.

    Attributes
    ----------
    mean, deviation : ndarray
        In nats.
    skewness : ndarray
        Not negative.
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    skewness: NDArray[np.float64]

    def tail(self, values: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the probability of an estimate of at least each value.

        An estimate that cannot vary is its mean: 1 up to that, 0 above.

        Examples
        --------
        >>> three = Null.chi_square(np.array([1.0, 4.0, 0.0]), np.ones(3))
        >>> three.tail(np.array([3.841, 9.488, 1.0])).round(3).tolist()
        [0.05, 0.05, 0.0]
        """
        from scipy.special import gammaincc, ndtr

        varies = self.deviation > 0
        distance = np.zeros_like(self.mean)
        np.divide(values - self.mean, self.deviation, out=distance, where=varies)
        shape = 4 / np.maximum(self.skewness, LEAST_SKEWED) ** 2
        tails = gammaincc(shape, np.maximum(shape + distance * np.sqrt(shape), 0.0))
        tails = np.where(self.skewness < LEAST_SKEWED, ndtr(-distance), tails)
        return np.where(varies, tails, np.where(values <= self.mean, 1.0, 0.0))

    @property
    def rows(self) -> NDArray[np.float64]:
        """Mean, deviation and skewness in rows."""
        return np.array([self.mean, self.deviation, self.skewness])

    @classmethod
    def from_rows(cls, rows: NDArray[np.float64]) -> Null:
        """Return the null of such rows."""
        return cls(*rows)

    @classmethod
    def chi_square(
        cls, degrees: NDArray[np.float64], per_degree: NDArray[np.float64] | float
    ) -> Null:
        """Return the null of chi-square variables of these degrees, times `per_degree`."""
        second, third = 2 * degrees * per_degree**2, 8 * degrees * per_degree**3
        return cls.from_cumulants(degrees * per_degree, second, third)

    @classmethod
    def from_cumulants(
        cls, mean: NDArray[np.float64], second: NDArray[np.float64], third: NDArray[np.float64]
    ) -> Null:
        """Return the null with these cumulants."""
        deviation = np.sqrt(second)
        cubed = deviation**3
        skewness = np.divide(third, cubed, out=np.zeros_like(third), where=cubed > 0)
        return cls(mean, deviation, np.maximum(skewness, 0.0))

    def shifted(self, by: float) -> Null:
        """Return the null of estimates that are larger by a number, where they vary."""
        mean = self.mean + np.where(self.deviation > 0, by, 0.0)
        return Null(mean, self.deviation, self.skewness)

    def __add__(self, other: Null) -> Null:
        """Return the null of sums of two estimates that rise and fall together.

        Of two estimates of one degree of freedom that are less alike, the sum exceeds a value of
        more than 1.54 times its mean more rarely (Székely and Bakirov 2003). For others this is
        taken over, not proved; `experiments/significance.py` measures it.
        """
        return self.plus(other, 1.0)

    def plus(self, other: Null, correlation: NDArray[np.float64] | float) -> Null:
        """Return the null of sums of two estimates, squares of normal variables so correlated.

        Three cumulants are exact for squares of normal variables, and taken over to others.

        Examples
        --------
        >>> one = Null.chi_square(np.ones(3), 1.0)
        >>> one.plus(one, np.array([0.0, 0.5, 1.0])).tail(15.0).round(4).tolist()
        [0.0006, 0.0019, 0.0062]
        """
        squared = np.square(correlation)
        one, two = self.deviation, other.deviation
        second = one**2 + two**2 + 2 * squared * one * two
        one, two = (np.cbrt(null.skewness) * null.deviation for null in (self, other))
        third = one**3 + two**3 + 3 * squared * one * two * (one + two)
        return Null.from_cumulants(self.mean + other.mean, second, third)


FAR = 1e-280
"""Tail below which its logarithm is taken from an expansion."""


def log_tail(shape: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log of the probability that a gamma variable of unit scale reaches each value.

    Of a chi-square variable of d degrees of freedom, with half of d and half of the value. One of
    no degrees is 0, and reaches nothing else: its tail is taken as 1.

    Examples
    --------
    >>> log_tail(np.array([0.5, 0.5]), np.array([3.841, 4000.0]) / 2).round(2).tolist()
    [-3.0, -2004.37]
    """
    from scipy.special import gammaincc, gammaln

    shape, values = np.broadcast_arrays(shape, np.clip(values, 0.0, np.finfo(float).max / 2))
    tail = np.where(shape > 0, gammaincc(np.where(shape > 0, shape, 1.0), values), 1.0)
    found = np.log(np.maximum(tail, FAR))
    far = tail < FAR
    if far.any():
        a, x = shape[far], values[far]
        total, term = np.ones_like(x), np.ones_like(x)
        for k in range(1, 60):  # asymptotic in 1 / x, which is above 600 here
            term = term * (a - k) / x
            total += term
        found[far] = -x + (a - 1) * np.log(x) - gammaln(a) + np.log(np.maximum(total, FAR))
    return found


def one_degree_quantile(log_p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what a chi-square variable of one degree of freedom exceeds with a probability.

    Examples
    --------
    >>> one_degree_quantile(np.log([1.0, 0.05])).round(3).tolist()
    [0.0, 3.841]
    """
    from scipy.special import ndtri_exp

    return np.asarray(ndtri_exp(log_p - math.log(2)) ** 2)
