"""Graphical lasso paths: our steps from the solution before against scikit-learn's solver."""

import time
import warnings

import numpy as np
from _measure import describe_machine, use_one_core
from sklearn.covariance import graphical_lasso

from mrflearn.datasets import sparse_gaussian
from mrflearn.parametric import glasso
from mrflearn.parametric.correlation import correlation

LAMS = np.geomspace(0.9, 0.01, 30)


def ours(matrix):
    fits = glasso.solve(matrix, LAMS, range(len(matrix)))
    return max(fit.residual for fit in fits)


def theirs(matrix, tol, inner):
    worst = 0.0
    for lam in LAMS:
        _, precision = graphical_lasso(matrix, lam, tol=tol, enet_tol=inner, max_iter=100)
        worst = max(worst, glasso.residual(matrix, lam, precision, np.linalg.inv(precision)))
    return worst


def timed(function, *arguments):
    """Return the best of three times in ms, and the largest residual along the path."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        residual = function(*arguments)
        times.append(1e3 * (time.perf_counter() - begun))
    return min(times), residual


def main():
    use_one_core()
    print(describe_machine())
    print(
        "| N | D | ours, ms (residual) | scikit-learn 1e-7/1e-8 | scikit-learn 1e-4/1e-4 | ratio |"
    )
    print("|---|---|---|---|---|---|")
    for n_samples, n_variables in [(100, 9), (500, 20), (500, 30), (500, 60)]:
        world = sparse_gaussian(n_variables, random_state=0)
        matrix = correlation(world.sample(n_samples, random_state=0).to_numpy())
        cells = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for function, *arguments in [(ours,), (theirs, 1e-7, 1e-8), (theirs, 1e-4, 1e-4)]:
                cells.append(timed(function, matrix, *arguments))
        shown = " | ".join(f"{ms:.0f} ({residual:.0e})" for ms, residual in cells)
        print(f"| {n_samples} | {n_variables} | {shown} | {cells[1][0] / cells[0][0]:.1f} |")


if __name__ == "__main__":
    main()
