"""Subsamples of rows, without replacement: a row that came twice would look like an atom.

Each is seeded by its number, so that it is the same whoever draws it, and when.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError

__all__ = ["draw_rows", "usual_size"]

FEW_ROWS = 144
"""Rows up to which subsamples are a share of all, as 10 times their root would be nearly all."""


def usual_size(n_samples: int) -> int:
    """Return the rows of a subsample that Liu, Roeder and Wasserman (2010) advise.

    Examples
    --------
    >>> usual_size(100), usual_size(144), usual_size(145), usual_size(10_000)
    (80, 115, 120, 1000)
    """
    if n_samples > FEW_ROWS:
        return math.floor(10 * math.sqrt(n_samples))
    return math.floor(0.8 * n_samples)


def draw_rows(n_samples: int, size: int, number: int, random_state: int) -> NDArray[np.intp]:
    """Return the rows of one subsample, in their order.

    Parameters
    ----------
    n_samples : int
        Rows to draw from.
    size : int
        Rows to draw: fewer than there are, and at least two.
    number : int
        Which subsample, from 0.
    random_state : int
        Seed of all of them.
    """
    if not 2 <= size < n_samples:
        raise InputError(
            f"a subsample of {size} rows of {n_samples} tells nothing: it takes at least 2 rows "
            "and fewer than there are"
        )
    seed = np.random.SeedSequence(random_state, spawn_key=(number,))
    rows = np.random.default_rng(seed).choice(n_samples, size=size, replace=False)
    return np.sort(rows)
