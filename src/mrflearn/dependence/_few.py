"""Counts for few candidates and few samples: every sample is compared with every other.

There is nothing to share, so each candidate has its own distances to all samples, eight samples
at a time.
"""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled
from mrflearn.dependence._distances import forget, measure, n_within, select
from mrflearn.dependence._lanes import LANES, LEVELS, keep_smallest_of

__all__ = ["few_counts"]


@compiled
def _find_radius(distances, width, n_samples, k, smallest, best, spare):  # type: ignore
    """Return the k-th smallest distance, NaN left out."""
    if k > LEVELS:
        for p in range(n_samples):
            spare[p] = distances[p] if distances[p] >= 0.0 else np.inf  # the sample itself
        return select(spare, n_samples, k - 1)
    for i in range(LEVELS):
        best[i] = np.inf
        for c in range(LANES):
            smallest[i, c] = np.inf
    keep_smallest_of(distances, width // LANES, smallest)
    for i in range(k):
        for c in range(LANES):
            distance = smallest[i, c]
            place = k - 1
            if distance < best[place]:
                while place > 0 and best[place - 1] > distance:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = distance
    return best[k - 1]


@compiled
def few_counts(  # type: ignore
    shared, nominal, nominal_distance, euclidean, n_samples, n_z, columns, starts, own_nominal, k,
    ball,
):  # fmt: skip
    """Return counts and radii of each candidate y.

    Parameters
    ----------
    shared : array of shape (n_z + n_x, N rounded up to 64)
        The columns of z, then those of x, nominal ones last among either.
    nominal, nominal_distance
        Which of these columns are nominal; the distance of different labels.
    euclidean : bool
        Take Euclidean norms inside x and inside y; without z alone.
    n_samples : int
        N.
    n_z : int
        The first columns form z; 0: there is no condition.
    columns : array of shape (n_columns, N rounded up to 64)
        Columns of the candidates.
    starts, own_nominal
        Candidate c owns the columns from starts[c] up to starts[c + 1]; the nominal ones.
    k, ball
        Neighbours; 0: closed, 1: open, 2: open where the radius is positive.

    Returns
    -------
    counts : array of shape (n_candidates, 4, N)
        k_m, n_z, n_xz and n_yz, without the sample itself; n_z counts all without a condition.
    radii : array of shape (n_candidates, N)
        Distance to the k-th neighbour.
    """
    n_shared, width = shared.shape
    n_candidates = len(starts) - 1
    counts = np.empty((n_candidates, 4, n_samples), dtype=np.int32)
    radii = np.empty((n_candidates, n_samples))
    dz, dxz, dyz, joint = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    zeros, spare = np.empty(width), np.empty(width)
    smallest, best = np.empty((LEVELS, LANES)), np.empty(LEVELS)
    for p in range(width):
        zeros[p], dyz[p] = 0.0, np.nan
    for m in range(n_samples):
        measure(shared, nominal, nominal_distance, False, 0, n_z, m, n_samples, zeros, spare, dz)
        measure(
            shared, nominal, nominal_distance, euclidean, n_z, n_shared, m, n_samples, dz, spare,
            dxz,
        )  # fmt: skip
        forget(dz, m, n_samples)
        forget(dxz, m, n_samples)
        for c in range(n_candidates):
            measure(
                columns, own_nominal, nominal_distance, euclidean, starts[c], starts[c + 1], m,
                n_samples, dz, spare, dyz,
            )  # fmt: skip
            for p in range(width):
                joint[p] = dxz[p] if dxz[p] > dyz[p] else dyz[p]
            radius = _find_radius(joint, width, n_samples, k, smallest, best, spare)
            radii[c, m] = radius
            if ball == 1 or (ball == 2 and radius > 0.0):
                radius = np.nextafter(radius, -np.inf)
            counts[c, 0, m] = n_within(joint, n_samples, radius)
            counts[c, 1, m] = n_within(dz, n_samples, radius)
            counts[c, 2, m] = n_within(dxz, n_samples, radius)
            counts[c, 3, m] = n_within(dyz, n_samples, radius)
    return counts, radii
