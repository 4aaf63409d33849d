"""Orders of samples in which each takes the place of one near it."""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled

__all__ = ["near_orders"]


@compiled
def near_orders(near, turns, preferences):  # type: ignore
    """Return, for each order, which sample stands in each place: one near it, each in one place.

    Samples choose in turn, each the one most to its liking that none has chosen (Runge 2018). Where
    all near it are taken, others make way: along the shortest chain of places, each of which takes
    another sample near it, to one that is free. There is such a chain, as each sample is near
    itself. Without it one sample in ten would stand in two places that are alike in the conditions,
    and copies would seem to depend on them more than the variable does.

    Parameters
    ----------
    near : ndarray of int32, shape (n_samples, n_near)
        The samples that may stand in a sample's place, itself first. It may come again, where there
        are fewer, and counts once.
    turns : ndarray of int32, shape (n_orders, n_samples)
        Permutations of the samples.
    preferences : ndarray of float64, shape (n_orders, n_samples, n_near)
        The smaller the better.

    Returns
    -------
    ndarray of int32, shape (n_orders, n_samples)
        Permutations.
    """
    n_orders, n_samples = turns.shape
    orders = np.empty((n_orders, n_samples), dtype=np.int32)
    asked_by = np.full(n_samples, -1, dtype=np.int32)  # the place in the chain that would take it
    asked = np.empty(n_samples, dtype=np.int32)
    queue = np.empty(n_samples, dtype=np.int32)
    for o in range(n_orders):
        holder = np.full(n_samples, -1, dtype=np.int32)
        for turn in range(n_samples):
            place = turns[o, turn]
            best = -1
            for n in range(near.shape[1]):
                if holder[near[place, n]] >= 0 or (n > 0 and near[place, n] == place):
                    continue
                if best < 0 or preferences[o, place, n] < preferences[o, place, best]:
                    best = n
            if best >= 0:
                orders[o, place] = near[place, best]
                holder[near[place, best]] = place
                continue
            queue[0] = place
            first, last, n_asked, free = 0, 1, 0, -1
            while free < 0:
                if first == last:
                    raise ValueError("a sample is not among those near it")
                asking = queue[first]
                first += 1
                for n in range(near.shape[1]):
                    sample = near[asking, n]
                    if asked_by[sample] >= 0:
                        continue
                    asked_by[sample] = asking
                    asked[n_asked] = sample
                    n_asked += 1
                    if holder[sample] < 0:
                        free = sample
                        break
                    queue[last] = holder[sample]
                    last += 1
            while True:
                taker = asked_by[free]
                left = orders[o, taker]
                orders[o, taker] = free
                holder[free] = taker
                if taker == place:
                    break
                free = left
            # Those alone: to clear all would take a time that grows with the square of the samples.
            for a in range(n_asked):
                asked_by[asked[a]] = -1
    return orders
