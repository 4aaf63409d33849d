"""What an experiment is: worlds to draw tables from, and methods to try on each table."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import mrflearn
from mrflearn.datasets import World
from mrflearn.errors import InputError
from mrflearn.estimators import GraphEstimator

__all__ = ["Case", "Method", "check_runs", "penalties", "thresholds"]


@dataclass(frozen=True, eq=False)
class Method:
    """An estimator under a name, and the lambdas to sweep it over."""

    name: str
    estimator: GraphEstimator
    lams: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A world at one sample size, with the methods to try on it.

    Attributes
    ----------
    world_name : str
        What results call the world; cases of one experiment differ in it or in `n_samples`.
    world : World
        Where tables are drawn from.
    n_samples : int
        Rows of a table.
    methods : tuple of Method
        All see the same tables.
    """

    world_name: str
    world: World
    n_samples: int
    methods: tuple[Method, ...]

    def seed(self, run: int) -> int:
        """Return the seed of a run's table, the same whatever else is in the experiment."""
        text = zlib.crc32(f"{self.world_name}/{self.n_samples}".encode())
        return int(np.random.SeedSequence([text, run]).generate_state(1)[0])

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the design and of our version, so that no stale run is taken for one of it.

        Not of other libraries: each row of the results says which versions it was computed with.
        """
        digest = hashlib.sha256(mrflearn.__version__.encode())
        sample = self.world.sample(20, random_state=0)
        digest.update(sample.to_csv(float_format="%.6g").encode())  # what machines agree on
        digest.update(self.world.adjacency.tobytes())
        digest.update(f"{self.world_name}/{self.n_samples}".encode())
        for method in self.methods:
            parameters = sorted(method.estimator.get_params().items())
            described = f"{method.name} {type(method.estimator).__name__} {parameters} "
            digest.update((described + repr(method.lams)).encode())
        return digest.hexdigest()[:12]


def check_runs(runs: int) -> int:
    """Return a number of runs, or say why it is none."""
    if isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs < 1:
        raise InputError(f"runs must be a positive whole number, got {runs!r}")
    return int(runs)


def thresholds(largest: float, n_lams: int = 121, finest: float = 0.01) -> tuple[float, ...]:
    """Return lambdas for a search, from no edge to all: inf, `largest` to its negative, -inf.

    Estimates of conditional mutual information may be negative, and most are near 0; there the
    steps are `finest` of the largest ones.
    """
    bend = float(np.arccosh(1 / finest))
    inner = np.sinh(np.linspace(bend, -bend, n_lams - 2)) * largest / np.sinh(bend)
    return (np.inf, *_rounded(inner), -np.inf)


def penalties(largest: float, smallest: float, n_lams: int = 60) -> tuple[float, ...]:
    """Return lambdas for a penalised method, equally spaced on a log scale, largest first."""
    return _rounded(np.geomspace(largest, smallest, n_lams))


def _rounded(lams: NDArray[np.float64]) -> tuple[float, ...]:
    """Leave out the last digits, which differ between machines: so runs of one are known to all."""
    return tuple(np.round(lams, 12).tolist())


def distinct(cases: Sequence[Case]) -> None:
    """Refuse two cases that results could not tell apart."""
    keys = [(case.world_name, case.n_samples) for case in cases]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError(f"two cases are world {key[0]!r} at N = {key[1]}: rename one")
