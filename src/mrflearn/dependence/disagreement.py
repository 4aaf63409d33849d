"""How much two estimates of the same dependences disagree, beyond their errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MISFITS", "VARIANCES", "Disagreement", "disagreement"]

VARIANCES = np.concatenate([[0.0], 10 ** np.linspace(-6, 0, 61)])
"""Of true differences, in squared nats: 0, and values a quarter apart."""

MISFITS = (0.0, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8)
"""Share of a dependence by which correlations may misjudge it, where they do see it."""

TINY = 1e-300
"""To divide by where all is 0."""


class Disagreement(NamedTuple):
    """True differences between two estimates have variance τ² + (ρ size)²."""

    variance: float
    """τ², of what correlations do not see, in squared nats."""
    misfit: float
    """ρ, the share by which they misjudge the dependence that they do see."""

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return max(self) > 0

    def weight(
        self, sizes: NDArray[np.float64], errors: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return which share of an observed difference to take for a true one."""
        true = self.variance + (self.misfit * np.maximum(sizes, 0.0)) ** 2
        total = true + errors**2
        return np.divide(true, total, out=np.zeros_like(total), where=total > 0)


def disagreement(
    differences: NDArray[np.float64], errors: NDArray[np.float64], sizes: NDArray[np.float64]
) -> Disagreement:
    """Return the disagreement behind differences observed with errors, the most likely one.

    True differences are taken to be normal with mean 0 and variance τ² + (ρ size)²: that
    correlations misjudge a dependence that they see is no reason to mistrust them where they see
    none. τ² is among `VARIANCES`, ρ among `MISFITS`.

    Examples
    --------
    >>> tuple(disagreement(np.array([0.01, -0.01, 0.0]), np.full(3, 0.02), np.zeros(3)))
    (0.0, 0.0)
    >>> found = disagreement(np.array([0.3, -0.3, 0.3]), np.full(3, 0.02), np.zeros(3))
    >>> round(found.variance, 2), found.misfit
    (0.1, 0.0)
    >>> sizes = np.array([0.6, 0.0, 0.0])
    >>> tuple(disagreement(np.array([0.1, 0.01, 0.01]), np.full(3, 0.02), sizes))
    (0.0, 0.14)
    """
    likelihood = np.empty((len(VARIANCES), len(MISFITS)))
    for column, misfit in enumerate(MISFITS):
        total = VARIANCES[:, None] + (misfit * np.maximum(sizes, 0.0)) ** 2 + errors**2
        total = np.maximum(total, TINY)
        likelihood[:, column] = -0.5 * (np.log(total) + differences**2 / total).sum(axis=1)
    row, column = divmod(int(np.argmax(likelihood)), len(MISFITS))
    return Disagreement(float(VARIANCES[row]), MISFITS[column])
