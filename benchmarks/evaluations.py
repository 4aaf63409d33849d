"""Conditional mutual informations that a GS-MPLE fit asks for, against D and against the bounds.

Prints, for random sparse Gaussian tables: evaluations of one fit, the bound D(D-1) + 2 D |E_grow|
(its first term halved, the dependence being symmetric), the cost of IAMB on the same data, and
what a path of 50 lambdas costs beyond its smallest lambda alone. Then the last of these where it
is worst: tables of noise, and lambdas among its scores, so that graphs are dense.
"""

from __future__ import annotations

import numpy as np

from mrflearn.dependence import KNN, Gaussian, Memo
from mrflearn.search import gs_mple, iamb
from mrflearn.table import as_table

N_SAMPLES = 400
LAM = 0.03


def sparse_gaussian(n_variables: int, seed: int) -> np.ndarray:
    """Return a table whose graph has at most 1.5 edges a node."""
    rng = np.random.default_rng(seed)
    n_edges = 3 * n_variables // 2
    precision = np.zeros((n_variables, n_variables))
    ends = rng.integers(n_variables, size=(n_edges, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    precision[ends[:, 0], ends[:, 1]] = rng.uniform(0.3, 0.9, len(ends))
    precision += precision.T
    np.fill_diagonal(precision, np.abs(precision).sum(axis=1) + 0.5)
    covariance = np.linalg.inv(precision)
    return rng.multivariate_normal(np.zeros(n_variables), covariance, size=N_SAMPLES)


def main() -> None:
    print(f"{'D':>4} {'edges':>6} {'fit':>8} {'bound':>8} {'IAMB':>8} {'fit / IAMB':>10} "
          f"{'path / fit':>10} {'fit / D^2':>9}")  # fmt: skip
    for n_variables in (5, 10, 20, 40, 80, 160):
        dependence = Gaussian().bind(as_table(sparse_gaussian(n_variables, seed=0)))
        fit, rival, whole = Memo(dependence), Memo(dependence), Memo(dependence)
        result = gs_mple.run(fit, LAM)
        iamb.run(rival, LAM / 2)
        gs_mple.path(whole, np.geomspace(1.0, LAM, 50))
        grown = sum(step.phase == "grow" for step in result.trace)
        bound = n_variables * (n_variables - 1) // 2 + 2 * n_variables * grown
        print(
            f"{n_variables:4d} {len(result.edges):6d} {fit.n_evaluations:8d} {bound:8d} "
            f"{rival.n_evaluations:8d} {fit.n_evaluations / rival.n_evaluations:10.2f} "
            f"{whole.n_evaluations / fit.n_evaluations:10.2f} "
            f"{fit.n_evaluations / n_variables**2:9.2f}"
        )
    print("\nNoise, knn: evaluations of a path of 50 lambdas over those of its smallest alone")
    print(f"{'N':>4} {'D':>3} {'lambdas':>14} {'median':>7} {'largest':>8}")
    for n_samples, n_variables, top, bottom in (
        (200, 10, 0.1, -0.1),
        (60, 12, 0.2, -0.3),
        (60, 12, 1.0, 0.1),
    ):
        ratios = []
        for seed in range(12):
            data = np.random.default_rng(seed).normal(size=(n_samples, n_variables))
            noise = KNN().bind(as_table(data))
            alone, whole = Memo(noise), Memo(noise)
            gs_mple.run(alone, bottom)
            gs_mple.path(whole, np.linspace(top, bottom, 50))
            ratios.append(whole.n_evaluations / alone.n_evaluations)
        print(
            f"{n_samples:4d} {n_variables:3d} {f'{top} to {bottom}':>14} "
            f"{np.median(ratios):7.2f} {max(ratios):8.2f}"
        )


if __name__ == "__main__":
    main()
