"""Orders of samples in which each takes the place of one near it."""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled

__all__ = ["near_orders"]


@compiled
def near_orders(near, turns, preferences):  # type: ignore
    """Return, for each order, which sample stands in each place: one near it, none twice if it can.

    Samples choose in turn, each the nearest to its liking that none has chosen; where all near it
    are taken, the one it likes most stands in two places (Runge 2018).

    Parameters
    ----------
    near : ndarray of int32, shape (n_samples, n_near)
        The samples that may stand in a sample's place.
    turns : ndarray of int32, shape (n_orders, n_samples)
        Permutations of the samples.
    preferences : ndarray of float64, shape (n_orders, n_samples, n_near)
        The smaller the better.

    Returns
    -------
    ndarray of int32, shape (n_orders, n_samples)
    """
    n_orders, n_samples = turns.shape
    orders = np.empty((n_orders, n_samples), dtype=np.int32)
    for o in range(n_orders):
        taken = np.zeros(n_samples, dtype=np.bool_)
        for turn in range(n_samples):
            place = turns[o, turn]
            best = liked = -1
            for n in range(near.shape[1]):
                if liked < 0 or preferences[o, place, n] < preferences[o, place, liked]:
                    liked = n
                if not taken[near[place, n]] and (
                    best < 0 or preferences[o, place, n] < preferences[o, place, best]
                ):
                    best = n
            chosen = near[place, best if best >= 0 else liked]
            orders[o, place] = chosen
            taken[chosen] = True
    return orders
