"""Choosing lambda by stability: StARS, the stability approach to regularization selection.

Liu, Roeder and Wasserman (2010): the densest graph whose edges are nearly the same in whatever
subsample they are learned from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.selection.choice import Choice

__all__ = ["choose", "instabilities"]


def instabilities(lams: Sequence[float], frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the instability at each lambda: how often two subsamples disagree about a pair.

    The mean over pairs of 2 p (1 - p), p the share of subsamples with that edge, and not less than
    at any larger lambda. Some packages report twice this.

    Parameters
    ----------
    lams : sequence of float
        In any order.
    frequencies : ndarray of shape (n_lams, D, D)
        Shares of subsamples with each edge.
    """
    one, other = np.triu_indices(frequencies.shape[1], 1)
    shares = frequencies[:, one, other]
    means = (2 * shares * (1 - shares)).mean(axis=1)
    order = np.argsort(-np.asarray(lams), kind="stable")
    found = np.empty_like(means)
    found[order] = np.maximum.accumulate(means[order])
    return found


def choose(lams: Sequence[float], frequencies: NDArray[np.float64], beta: float = 0.05) -> Choice:
    """Return the smallest lambda whose instability is at most `beta`.

    Examples
    --------
    >>> edge = np.array([[0, 1], [1, 0]])
    >>> choose([0.1, 0.5, 0.9], np.array([0.5 * edge, 0.98 * edge, 0 * edge])).position
    1
    """
    if not 0 < beta < 0.5:
        raise InputError(f"beta must be between 0 and 0.5, the largest instability; got {beta!r}")
    found = instabilities(lams, frequencies)
    stable = np.flatnonzero(found <= beta)
    position = int(stable[np.argmin(np.asarray(lams)[stable])]) if len(stable) else None
    if position is None:
        reason = f"even the sparsest graph differs between subsamples by more than {beta:g}"
    else:
        reason = (
            f"lambda {lams[position]:.3g} is the smallest at which two subsamples disagree about "
            f"no more than {beta:g} of the pairs ({found[position]:.3g})"
        )
    return Choice(
        selection="stars",
        position=position,
        criterion="instability",
        values=tuple(found.tolist()),
        limit=beta,
        reason=reason,
    )
