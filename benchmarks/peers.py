"""Public estimators of conditional mutual information, behind one signature.

Each peer gives `cmi(x, y, z, k)` in nats, with x and y of shape (N,), z of shape (N, d) or None,
on one core, at its best: scaling, added noise and significance tests are switched off where they
are no part of the estimate. Before it is timed it must find a known value. All but depynd compute
the estimate of Frenzel and Pompe, which without a condition is that of Kraskov and others.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_regression
from sklearn.neighbors import KDTree

Columns = NDArray[np.float64]
Cmi = Callable[[Columns, Columns, Columns | None, int], float]
Count = Callable[[Columns, Columns], NDArray[np.int64]]

TOLERANCE = 0.08
"""Nats from the truth of `draw_known`: 0 and the value in bits are both farther away."""

WIDE_TOLERANCE = 0.15
"""For I((X, Z); Y) - I(Y; Z) as the difference of two estimates. Both are pulled towards 0, the
first more, having more columns: half of the truth is lost with six conditions and 1,000 samples."""


@dataclass(frozen=True)
class Peer:
    """A public estimator.

    Parameters
    ----------
    name : str
        How tables and figures call it.
    distribution : str
        What to install to have it.
    load : callable
        Imports it and returns its `cmi`.
    max_given : int, optional
        The most columns of z that it takes.
    tolerance : float
        How far it may be from the truth and still be ranked.
    count_bytes : callable, optional
        Memory for N samples and d conditions, where that is what ends it.
    """

    name: str
    distribution: str
    load: Callable[[], Cmi]
    max_given: float = math.inf
    tolerance: float = TOLERANCE
    count_bytes: Callable[[int, int], float] = lambda n_samples, n_given: 0.0

    @property
    def title(self) -> str:
        """Name and version."""
        try:
            return f"{self.name} ({self.distribution} {version(self.distribution)})"
        except PackageNotFoundError:
            return f"{self.name} ({self.distribution})"


def load_tigramite() -> Cmi:
    from tigramite.independence_tests.cmiknn import CMIknn

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        rows = np.vstack([x, y] if z is None else [x, y, z.T])
        role = np.array([0, 1] + [2] * (len(rows) - 2))
        test = CMIknn(knn=k, transform=False, workers=1)
        return float(test.get_dependence_measure(rows, role))

    return cmi


def load_ennemi() -> Cmi:
    from ennemi import estimate_mi

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        return float(estimate_mi(y, x, k=k, cond=z, preprocess=False, max_threads=1)[0, 0])

    return cmi


def load_npeet_plus() -> Cmi:
    from npeet_plus import mi

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        return float(mi(x, y, z, k=k, base=math.e))

    return cmi


def load_infomeasure() -> Cmi:
    from infomeasure import conditional_mutual_information, mutual_information

    logging.getLogger("numba").setLevel(logging.WARNING)  # it turns on everybody's messages

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        options = {"approach": "ksg", "k": k, "noise_level": 0, "base": "e"}
        if z is None:
            return float(mutual_information(x, y, **options))
        return float(conditional_mutual_information(x, y, cond=z, **options))

    return cmi


def load_pycit() -> Cmi:
    from pycit.estimators import ksg_cmi, ksg_mi

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        return float(ksg_mi(x, y, k) if z is None else ksg_cmi(x, y, z, k))

    return cmi


def load_depynd() -> Cmi:
    import_depynd()
    from depynd.information import conditional_mutual_information

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        given = np.empty((len(x), 0)) if z is None else z
        options = {"mi_estimator": "knn", "is_discrete": False, "n_neighbors": k}
        return float(conditional_mutual_information(x, y, given, **options))

    return cmi


def import_depynd() -> None:
    """Import depynd 0.6.4, which asks scikit-learn for a name that it no longer has.

    `sklearn.covariance.graph_lasso` became `graphical_lasso` in 0.20 and left in 0.22. It is lent
    for the import alone, and serves depynd's graphical lasso, not what is measured here.
    """
    from sklearn import covariance

    covariance.graph_lasso = covariance.graphical_lasso
    try:
        import depynd  # noqa: F401
    finally:
        del covariance.graph_lasso


def load_scikit_learn() -> Cmi:
    """Return the estimate behind feature selection; it always scales and adds its noise."""

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        options = {"discrete_features": False, "n_neighbors": k, "random_state": 0}
        return float(mutual_info_regression(x[:, np.newaxis], y, **options)[0])

    return cmi


def load_scipy_tree() -> Cmi:
    return build_cmi(find_radius_by_scipy, count_by_scipy)


def load_scipy_tree_and_sorting() -> Cmi:
    return build_cmi(find_radius_by_scipy, count_by_sorting)


def load_scikit_learn_tree() -> Cmi:
    def find_radius(points: Columns, k: int) -> Columns:
        return KDTree(points, metric="chebyshev").query(points, k + 1)[0][:, k]

    def count(points: Columns, radius: Columns) -> NDArray[np.int64]:
        return KDTree(points, metric="chebyshev").query_radius(points, radius, count_only=True)

    return build_cmi(find_radius, count)


def build_cmi(find_radius: Callable[[Columns, int], Columns], count: Count) -> Cmi:
    """Return the estimate of Frenzel and Pompe on a search tree, as one would write it."""

    def cmi(x: Columns, y: Columns, z: Columns | None, k: int) -> float:
        given = [] if z is None else [z]
        radius = np.nextafter(find_radius(np.column_stack([x, y, *given]), k), 0)
        n_z = len(x) if z is None else count(z, radius)
        n_xz, n_yz = (count(np.column_stack([v, *given]), radius) for v in (x, y))
        return float(digamma(k) + np.mean(digamma(n_z) - digamma(n_xz) - digamma(n_yz)))

    return cmi


def find_radius_by_scipy(points: Columns, k: int) -> Columns:
    return cKDTree(points).query(points, [k + 1], p=np.inf)[0][:, 0]


def count_by_scipy(points: Columns, radius: Columns) -> NDArray[np.int64]:
    return cKDTree(points).query_ball_point(points, radius, p=np.inf, return_length=True)


def count_by_sorting(points: Columns, radius: Columns) -> NDArray[np.int64]:
    """Count in one column by binary search, in several by a tree.

    The neighbour that the radius is taken from must stay out, which sums round away without care.
    """
    if points.shape[1] > 1:
        return count_by_scipy(points, radius)
    column, radius = points[:, 0], radius * (1 - 1e-9)
    ordered = np.sort(column)
    last = np.searchsorted(ordered, column + radius, "right")
    return last - np.searchsorted(ordered, column - radius, "left")


PEERS = (
    Peer("tigramite", "tigramite", load_tigramite),
    Peer("ennemi", "ennemi", load_ennemi),
    Peer("npeet-plus", "npeet-plus", load_npeet_plus),
    Peer("infomeasure", "infomeasure", load_infomeasure),
    Peer("pycit", "pycit", load_pycit),
    Peer("sklearn MI", "scikit-learn", load_scikit_learn, max_given=0),
    Peer("scipy tree", "scipy", load_scipy_tree),
    Peer("scipy tree+sort", "scipy", load_scipy_tree_and_sorting, max_given=1),
    Peer("sklearn tree", "scikit-learn", load_scikit_learn_tree),
    Peer(
        "depynd",
        "depynd",
        load_depynd,
        tolerance=WIDE_TOLERANCE,
        # The differences of all pairs of rows, their squares and what becomes of them.
        count_bytes=lambda n_samples, n_given: 24.0 * n_samples**2 * (1 + n_given),
    ),
)


def draw_known(n_given: int, seed: int = 0) -> tuple[Columns, Columns, Columns | None, float]:
    """Return x, y, z of 1,000 Gaussian samples, and the truth.

    Given z, x and y have the correlation 0.6, so that the truth does not depend on z.
    """
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(1000, n_given))
    common, own = rng.normal(size=(2, 1000))
    shared = 0.7 * z.sum(axis=1) / math.sqrt(max(n_given, 1))
    given = z if n_given else None
    return shared + common, shared + 0.6 * common + 0.8 * own, given, -math.log(0.8)


def check(cmi: Cmi, sizes: tuple[int, ...], tolerance: float) -> list[float]:
    """Return by how much an estimator is off on `draw_known`; ValueError if it is by too much."""
    errors = []
    for n_given in sizes:
        x, y, z, truth = draw_known(n_given)
        errors.append(cmi(x, y, z, 5) - truth)
        if not abs(errors[-1]) <= tolerance:
            raise ValueError(
                f"off by {errors[-1]:.3f} nats at |Z| = {n_given}, and {tolerance} is allowed"
            )
    return errors


def load_peers(sizes: tuple[int, ...]) -> tuple[dict[Peer, Cmi], dict[str, str]]:
    """Return the peers that can be ranked, and why the others cannot; prints how good they are."""
    ready: dict[Peer, Cmi] = {}
    failed: dict[str, str] = {}
    print(
        "\nPeers, and their errors in nats on Gaussian samples, |Z| = " + ", ".join(map(str, sizes))
    )
    for peer in PEERS:
        try:
            cmi = peer.load()
            errors = check(cmi, tuple(s for s in sizes if s <= peer.max_given), peer.tolerance)
        except Exception as error:  # whatever others' code may raise
            failed[peer.name] = f"{type(error).__name__}: {error}"
            print(f"  {peer.title:36s} not measured: {failed[peer.name]}")
        else:
            ready[peer] = cmi
            print(f"  {peer.title:36s} " + " ".join(f"{error:+.3f}" for error in errors))
    return ready, failed
