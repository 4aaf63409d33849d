"""The slow, obvious version of every estimator: the specification that fast code must equal.

Everything here works on full N x N distance matrices or on plain counts, one formula a line.
Nothing in the library calls it; the tests do.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

__all__ = [
    "cmi_counts",
    "distances",
    "frenzel_pompe",
    "gaussian",
    "knn",
    "ksg_counts",
    "mixed_ksg",
    "plug_in",
]

Array = NDArray[Any]


def distances(
    columns: Array, nominal: Array, nominal_distance: float = np.inf, euclidean: bool = False
) -> Array:
    """Return all distances between samples in a set of columns, shape (N, N).

    Parameters
    ----------
    columns : ndarray of shape (n_columns, N)
        The values; no column at all gives zero distances.
    nominal : ndarray of bool, shape (n_columns,)
        Columns whose distance is 0 if equal, else `nominal_distance`.
    nominal_distance : float
        Distance between two different labels.
    euclidean : bool
        Combine columns by the Euclidean norm instead of the maximum.
    """
    n_samples = columns.shape[1]
    each = np.zeros((len(columns), n_samples, n_samples))
    for c, column in enumerate(columns):
        if nominal[c]:
            each[c] = np.where(column[:, None] == column[None, :], 0.0, nominal_distance)
        else:
            each[c] = np.abs(column[:, None] - column[None, :])
    largest = each.max(axis=0, initial=0.0)
    if not euclidean:
        return largest
    # A power of two keeps squares from over- and underflowing, and changes no digit.
    exponent = np.frexp(np.where(np.isfinite(largest), largest, 1.0))[1]
    with np.errstate(invalid="ignore", over="ignore"):  # where the largest is infinite
        total = sum(np.ldexp(distance, -exponent) ** 2 for distance in each)
    norm = np.ldexp(np.sqrt(total), exponent)
    return np.where(np.isfinite(largest), norm, largest)


def cmi_counts(dx: Array, dy: Array, dz: Array, k: int, open_ball: bool) -> Array:
    """Return k_m, n_z, n_xz and n_yz of each sample, shape (4, N).

    The radius of sample m is the distance to its k-th nearest other sample in (X, Y, Z); counted
    are other samples within it, or strictly within it for an open ball.
    """
    others = ~np.eye(len(dx), dtype=bool)
    xz, yz = np.maximum(dx, dz), np.maximum(dy, dz)
    joint = np.maximum(xz, dy)
    radii = _kth_smallest(joint, others, k)
    counts = np.empty((4, len(dx)), dtype=np.int64)
    for row, distance in enumerate((joint, dz, xz, yz)):
        inside = distance < radii if open_ball else distance <= radii
        counts[row] = np.sum(inside & others, axis=1)
    return counts


def _kth_smallest(distances: Array, others: Array, k: int) -> Array:
    """Return the distance of each sample to its k-th nearest other, shape (N, 1)."""
    n_samples = len(distances)
    return np.sort(distances[others].reshape(n_samples, n_samples - 1), axis=1)[:, k - 1 : k]


def knn(dx: Array, dy: Array, dz: Array, k: int) -> float:
    """Direct estimate for mixtures (Mesner and Shalizi 2019)."""
    k_m, n_z, n_xz, n_yz = cmi_counts(dx, dy, dz, k, open_ball=False)
    return float(np.mean(digamma(k_m) - digamma(n_xz) - digamma(n_yz) + digamma(n_z)))


def frenzel_pompe(dx: Array, dy: Array, dz: Array, k: int) -> float:
    """Direct estimate for continuous data (Frenzel and Pompe 2007)."""
    _, n_z, n_xz, n_yz = cmi_counts(dx, dy, dz, k, open_ball=True)
    return float(digamma(k) + np.mean(digamma(n_z + 1) - digamma(n_xz + 1) - digamma(n_yz + 1)))


def ksg_counts(da: Array, db: Array, k: int, open_ball: bool) -> Array:
    """Return k_m, n_a and n_b of each sample and whether its radius is 0, shape (4, N).

    Where the radius is positive, k_m = k and the ball is closed, or open on request; where it is
    0, k_m, n_a and n_b count the other samples at distance 0.
    """
    others = ~np.eye(len(da), dtype=bool)
    joint = np.maximum(da, db)
    radii = _kth_smallest(joint, others, k)
    counts = np.empty((4, len(da)), dtype=np.int64)
    for row, distance in ((1, da), (2, db)):
        strict = open_ball & (radii > 0)
        inside = np.where(strict, distance < radii, distance <= radii)
        counts[row] = np.sum(inside & others, axis=1)
    at_zero = np.sum((joint == 0) & others, axis=1)
    counts[0] = np.where(radii[:, 0] > 0, k, at_zero)
    counts[3] = radii[:, 0] == 0
    return counts


def mixed_ksg(da: Array, db: Array, k: int, variant: str) -> float:
    """Mutual information for mixtures (Gao, Kannan, Oh, Viswanath 2017), three variants."""
    k_m, n_a, n_b, atom = ksg_counts(da, db, k, open_ball=variant == "reference")
    log_n = np.log(len(da))
    if variant == "paper":
        return float(np.mean(digamma(k_m) + log_n - np.log(n_a + 1) - np.log(n_b + 1)))
    if variant == "reference":
        return float(np.mean(digamma(k_m + atom) + log_n - digamma(n_a + 1) - digamma(n_b + 1)))
    return float(np.mean(digamma(k_m) + log_n - np.log(n_a * n_b)))


def plug_in(
    x: Array, y: Array, z: Array, correction: str | None = None, strength: float = 2.0
) -> float:
    """Plug-in estimate from codes of shape (n_columns, N), with the corrections of `PlugIn`."""

    def cells(*parts: Array) -> Counter[tuple[Any, ...]]:
        return Counter(map(tuple, np.vstack(parts).T.tolist()))

    n = x.shape[1]
    count_z, count_xz = cells(z), cells(x, z)
    count_yz, count_xyz = cells(y, z), cells(x, y, z)

    def entropy(counts: Counter[tuple[Any, ...]]) -> float:
        return -sum(c / n * np.log(c / n) for c in counts.values())

    value = entropy(count_xz) + entropy(count_yz) - entropy(count_xyz) - entropy(count_z)
    k_z, k_xz, k_yz, k_xyz = map(len, (count_z, count_xz, count_yz, count_xyz))
    degrees = (k_xz - k_z) * (k_yz - k_z) / k_z
    if correction == "miller-madow":
        value += (k_xz + k_yz - k_xyz - k_z) / (2 * n)
    elif correction == "df":
        value -= strength * degrees / (2 * n)
    elif correction == "bic":
        value -= np.log(n) * degrees / (2 * n)
    return float(value)


def gaussian(covariance: Array, x: Array, y: Array, z: Array) -> float:
    """Conditional mutual information of a Gaussian, from determinants of its covariance."""

    def log_det(*parts: Array) -> float:
        index = np.concatenate(parts).astype(int)
        return float(np.linalg.slogdet(covariance[np.ix_(index, index)])[1]) if len(index) else 0.0

    return 0.5 * (log_det(x, z) + log_det(y, z) - log_det(z) - log_det(x, y, z))
