"""Nearest-neighbour estimators of conditional mutual information: the paper's and better ones.

All take any mix of columns. The distance between two samples in a set of variables is the largest
of the distances in its columns: |x - x'| for continuous and ordinal columns, 0 or
`nominal_distance` for nominal ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mrflearn.dependence.base import Dependence, Specification
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["KNN", "VARIANTS", "FrenzelPompe", "MixedKSG"]

VARIANTS = ("paper", "reference", "depynd")


def _check_neighbors(n_neighbors: Any, nominal_distance: Any, device: Any) -> None:
    from mrflearn.dependence.devices import check_device

    check_device(device)
    if not isinstance(n_neighbors, (int, np.integer)) or isinstance(n_neighbors, bool):
        raise InputError(f"n_neighbors must be a whole number, got {n_neighbors!r}")
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1, got {n_neighbors}")
    if not isinstance(nominal_distance, (int, float)) or not nominal_distance > 0:
        raise InputError(
            f"nominal_distance must be a positive number or infinity, got {nominal_distance!r}"
        )


@dataclass(frozen=True)
class KNN(Specification):
    """Direct nearest-neighbour estimate for mixtures (Mesner and Shalizi 2019).

    The mean over samples of psi(k_m) - psi(n_xz) - psi(n_yz) + psi(n_z), where the radius is the
    distance to the k-th neighbour in all variables and counts are of other samples in the closed
    ball. Symmetric. An empty condition counts all N - 1 others, so that it equals a constant one;
    the authors' function uses psi(N) there, and clips negative values, which this does not.

    Parameters
    ----------
    n_neighbors : int, default=5
        k: larger is smoother.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column. A finite one makes the estimate
        depend on the units of the continuous columns.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to count neighbours: on the processor, on an NVIDIA card, or on the card if there is
        one and the table is large enough. The result is the same to the last bit.
    """

    n_neighbors: int = 5
    nominal_distance: float = math.inf
    device: str = "cpu"

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance, self.device)

    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`."""
        from mrflearn.dependence._bound import BoundDirect
        from mrflearn.dependence.devices import counts_on

        counts = counts_on(self.device, table, self.n_neighbors, self.nominal_distance, max_memory)
        return BoundDirect(table, counts, open_ball=False)


@dataclass(frozen=True)
class FrenzelPompe(Specification):
    """Direct nearest-neighbour estimate for continuous data (Frenzel and Pompe 2007).

    psi(k) plus the mean of psi(n_z + 1) - psi(n_xz + 1) - psi(n_yz + 1), with counts in the open
    ball; without a condition, the first estimator of Kraskov, Stögbauer and Grassberger (2004).
    Symmetric. Ties bias it: prefer `KNN` for discrete or rounded columns.

    Parameters
    ----------
    n_neighbors : int, default=5
        k: larger is smoother.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to count neighbours: on the processor, on an NVIDIA card, or on the card if there is
        one and the table is large enough. The result is the same to the last bit.
    """

    n_neighbors: int = 5
    nominal_distance: float = math.inf
    device: str = "cpu"

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance, self.device)

    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`."""
        from mrflearn.dependence._bound import BoundDirect
        from mrflearn.dependence.devices import counts_on

        counts = counts_on(self.device, table, self.n_neighbors, self.nominal_distance, max_memory)
        return BoundDirect(table, counts, open_ball=True)


@dataclass(frozen=True)
class MixedKSG(Specification):
    """The GS-MPLE paper's estimate: mixed-KSG mutual informations (Gao and others 2017).

    I(X; Y | Z) is I((X, Z); Y) - I(Y; Z), which is *not* symmetric in X and Y: X is the node
    whose neighbourhood Z conditions. Without a condition it is I(X; Y), and symmetric.

    Parameters
    ----------
    n_neighbors : int, default=3
        k, the same in both terms.
    variant : {"paper", "reference", "depynd"}, default="paper"
        `"paper"`: the formula printed by Gao and others, mean of psi(k_m) + ln N - ln(n_x + 1)
        - ln(n_y + 1) with closed balls. `"reference"`: their published code, with open balls where
        the radius is positive, counts that include the sample, and psi in place of ln.
        `"depynd"`: the code of the GS-MPLE authors, ln(n_x n_y) with counts that exclude the
        sample, and Euclidean norms inside (X, Z) and inside Y.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to count neighbours: on the processor, on an NVIDIA card, or on the card if there is
        one and the table is large enough. The result is the same to the last bit.
    """

    n_neighbors: int = 3
    variant: str = "paper"
    nominal_distance: float = math.inf
    device: str = "cpu"

    def __post_init__(self) -> None:
        _check_neighbors(self.n_neighbors, self.nominal_distance, self.device)
        if self.variant not in VARIANTS:
            raise unknown("variant", self.variant, VARIANTS)
        if self.variant == "depynd" and self.device == "cuda":
            raise InputError("variant='depynd' runs on the processor alone: use device='cpu'")

    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`."""
        from mrflearn.dependence._bound import BoundMixedKSG
        from mrflearn.dependence.devices import counts_on

        device = "cpu" if self.variant == "depynd" else self.device
        counts = counts_on(device, table, self.n_neighbors, self.nominal_distance, max_memory)
        max_known = None
        if max_memory is not None:  # some for the values that are kept
            max_known = (max_memory - counts.least_memory) // 4
            counts.reserve(max_known)
        return BoundMixedKSG(table, counts, self.variant, max_known)
