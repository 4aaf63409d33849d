"""Scaling one column so that distances in different columns can be compared.

Ties matter to neighbour counts, and rounding breaks them: after dividing by a standard deviation,
differences that were equal no longer are. Columns recorded with a few decimals are therefore
scaled as the integers they stand for, by a factor short enough to keep every product exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCALES", "scaled"]

SCALES = ("standard", "rank", None)

WEIGHT_BITS = 26
"""Significant bits of the factor that scales a lattice column. Integers below 2**27 times such a
factor are exact in double precision, so values that were equally far apart stay so."""


def scaled(codes: NDArray[np.float64], scale: str | None) -> NDArray[np.float64]:
    """Scale the values of one continuous or ordinal column."""
    if scale is None:
        return codes
    if scale == "rank":
        from scipy.stats import rankdata

        return (2 * rankdata(codes)) * _rounded(np.sqrt(3) / len(codes))
    steps = _as_steps(codes)
    if steps is not None:
        spread = float(np.std(steps))
        return steps * _rounded(1 / spread) if spread > 0 else np.zeros_like(codes)
    if codes.min() == codes.max():  # whose standard deviation need not round to 0
        return np.zeros_like(codes)
    # A power of two brings the largest value near one, so that nothing over- or underflows.
    largest = float(np.max(np.abs(codes)))
    codes = np.ldexp(codes, -int(np.frexp(largest)[1]))
    # Far from zero, dividing would round the distances away; shift where that loses nothing.
    shifted = codes - codes.min()
    if np.array_equal(shifted + codes.min(), codes):
        codes = shifted
    return codes / float(np.std(codes))


def _as_steps(codes: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return values on a lattice as integer steps from the smallest one, None if there is none.

    Two lattices are looked for: decimals with up to six places, and multiples of a power of two
    (whole numbers in any binary unit, single precision). Steps have no common divisor: they are
    the same in metres and in kilometres.
    """
    for whole in (_as_decimals(codes), _as_binary(codes)):
        if whole is not None:
            whole -= whole.min()
            whole //= max(int(np.gcd.reduce(whole)), 1)
            if whole.max() < 2 ** (53 - WEIGHT_BITS):
                return whole.astype(np.float64)
    return None


def _as_decimals(codes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return values with up to six decimals, times a power of ten.

    Dividing an integer by a power of ten gives the very double that reading the decimal gives, so
    the comparison is exact and needs no tolerance.
    """
    largest = float(np.max(np.abs(codes)))
    for decimals in range(7):
        unit = 10.0**decimals
        if largest >= 2.0**53 / unit:
            return None
        steps = np.rint(codes * unit)
        if np.array_equal(steps / unit, codes):
            return steps.astype(np.int64)
    return None


def _as_binary(codes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return values as multiples of the largest power of two that divides them all."""
    mantissa, exponent = np.frexp(codes[codes != 0])
    if not len(mantissa):
        return None
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    unit = int((exponent - 53 + lowest).min())
    if int(exponent.max()) - unit > 62:
        return None
    return np.ldexp(codes, -unit).astype(np.int64)


def _rounded(weight: float) -> float:
    """Return `weight` rounded to `WEIGHT_BITS` significant bits."""
    mantissa, exponent = np.frexp(weight)
    return float(np.ldexp(np.rint(np.ldexp(mantissa, WEIGHT_BITS)), exponent - WEIGHT_BITS))
