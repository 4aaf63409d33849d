"""Areas under ROC curves from the results of an experiment, with bootstrap intervals over runs.

Runs are resampled with replacement, the same runs for all methods of a world, so that differences
between methods are paired: they saw the same tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, unknown
from mrflearn.metrics import RocCurve, area_under_roc

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Interval", "Standing", "Standings", "standings"]

N_RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate between the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, eq=False)
class Standing:
    """How one method did in one world.

    Attributes
    ----------
    curve : RocCurve
        Mean TPR against mean FPR over runs, at each lambda.
    area : float
        Area under that curve, which is what the paper's figure shows.
    mean_area : float
        Mean over runs of the area under each run's own curve.
    resampled, mean_resampled : ndarray of shape (n_resamples,)
        The two in each resample of the runs.
    seconds : float
        Median wall time of a path.
    """

    curve: RocCurve
    area: float
    mean_area: float
    resampled: NDArray[np.float64]
    mean_resampled: NDArray[np.float64]
    seconds: float

    @property
    def interval(self) -> Interval:
        """The area under the averaged curve, with its interval."""
        return _interval(self.area, self.resampled)

    @property
    def mean_interval(self) -> Interval:
        """The mean of the areas of the runs, with its interval."""
        return _interval(self.mean_area, self.mean_resampled)


@dataclass(frozen=True, eq=False)
class Standings:
    """All methods in all worlds, by (world, n_samples) and then by method, in their order."""

    places: Mapping[tuple[str, int], Mapping[str, Standing]]
    n_runs: int

    def of(self, world: str, method: str) -> Standing:
        """Return one method in a world that was tried at one sample size."""
        keys = [key for key in self.places if key[0] == world]
        if len(keys) != 1:
            raise unknown("world", world, [key[0] for key in self.places])
        if method not in self.places[keys[0]]:
            raise unknown("method", method, self.places[keys[0]])
        return self.places[keys[0]][method]

    def lead(self, world: str, method: str, rival: str) -> Interval:
        """Return by how much the area of `method` exceeds that of `rival`, run for run."""
        first, second = self.of(world, method), self.of(world, rival)
        return _interval(first.area - second.area, first.resampled - second.resampled)

    def areas(self) -> pd.DataFrame:
        """Return one row for each world and method: both areas with their intervals."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "world": world,
                    "n_samples": n_samples,
                    "method": method,
                    **_columns("area", standing.interval),
                    **_columns("mean_area", standing.mean_interval),
                    "seconds": standing.seconds,
                }
                for (world, n_samples), methods in self.places.items()
                for method, standing in methods.items()
            ]
        )

    def differences(self, method: str) -> pd.DataFrame:
        """Return one row for each world and rival: the paired lead of `method`, both ways."""
        import pandas as pd

        rows = []
        for (world, n_samples), methods in self.places.items():
            if method not in methods:
                continue
            own = methods[method]
            for rival, other in methods.items():
                if rival == method:
                    continue
                lead = _interval(own.area - other.area, own.resampled - other.resampled)
                mean_lead = _interval(
                    own.mean_area - other.mean_area, own.mean_resampled - other.mean_resampled
                )
                rows.append(
                    {
                        "world": world,
                        "n_samples": n_samples,
                        "method": method,
                        "rival": rival,
                        **_columns("lead", lead),
                        **_columns("mean_lead", mean_lead),
                    }
                )
        return pd.DataFrame(rows)


def standings(
    results: pd.DataFrame, n_resamples: int = N_RESAMPLES, random_state: int = 0
) -> Standings:
    """Work out how each method did in each world.

    Parameters
    ----------
    results : pandas.DataFrame
        As `run_experiment` returns them.
    n_resamples : int
        Bootstrap resamples of the runs.
    random_state : int
        Seed of the resampling.

    Returns
    -------
    Standings
    """
    places: dict[tuple[str, int], dict[str, Standing]] = {}
    n_runs = int(results["run"].nunique())
    for key, part in results.groupby(["world", "n_samples"], sort=False):
        world, n_samples = str(key[0]), int(str(key[1]))
        if part["run"].nunique() != n_runs:
            raise InputError(f"world {world!r} has fewer runs than others: run the rest first")
        shares = _resamples(n_runs, n_resamples, random_state)
        places[world, n_samples] = {
            str(method): _standing(rows, shares)
            for method, rows in part.groupby("method", sort=False)
        }
    return Standings(places, n_runs)


def _standing(rows: pd.DataFrame, shares: NDArray[np.float64]) -> Standing:
    n_runs = shares.shape[1]
    lams = rows["lam"].to_numpy()[: len(rows) // n_runs]
    shape = (n_runs, len(lams))
    tp, fp, fn, tn = (rows[name].to_numpy().reshape(shape) for name in ("tp", "fp", "fn", "tn"))
    tpr, fpr = tp / (tp + fn), fp / (fp + tn)
    per_run = areas_under_roc(fpr, tpr)
    curve = RocCurve(lams, fpr.mean(axis=0), tpr.mean(axis=0))
    return Standing(
        curve=curve,
        area=area_under_roc(curve),
        mean_area=float(per_run.mean()),
        resampled=areas_under_roc(shares @ fpr, shares @ tpr),
        mean_resampled=shares @ per_run,
        seconds=float(rows.groupby("run")["seconds"].first().median()),
    )


def areas_under_roc(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `metrics.area_under_roc` of each row, all at once."""
    ends = np.zeros((len(fpr), 1)), np.ones((len(fpr), 1))
    x, y = np.hstack([ends[0], fpr, ends[1]]), np.hstack([ends[0], tpr, ends[1]])
    order = np.lexsort((y, x), axis=-1)
    x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    return (np.diff(x) * (y[:, 1:] + y[:, :-1])).sum(axis=1) / 2


def _interval(value: float, resampled: NDArray[np.float64]) -> Interval:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(float(value), float(low), float(high))


def _resamples(n_runs: int, n_resamples: int, random_state: int) -> NDArray[np.float64]:
    """Return the share of each run in each resample; one run alone says nothing of its spread."""
    if n_runs == 1:
        return np.full((1, 1), np.nan)
    rng = np.random.default_rng(random_state)
    return rng.multinomial(n_runs, np.full(n_runs, 1 / n_runs), size=n_resamples) / n_runs


def _columns(name: str, interval: Interval) -> dict[str, Any]:
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
