"""Wide tables: how long one fit takes, what it asks for, and the memory it takes a variable.

Each row is a fit in a process of its own, all cores; the columns are a random tree, each the child
of one before it. `--small` runs a tenth of the variables.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from _measure import describe_machine, print_table, read_memory, run_in_fresh_process

RUNS = [  # dependence, variables, rows, lambda, screen
    ("gaussian", 2000, 500, "auto", None),
    ("gaussian", 2000, 500, "auto", 20),
    ("knn", 500, 1000, 0.12, None),
    ("knn", 500, 1000, 0.12, 20),
    ("gaussian", 8000, 500, "auto", 20),
    ("auto", 500, 1000, "auto", 20),
    ("copula", 2000, 500, "auto", None),
]


def random_tree(n_samples: int, n_variables: int, seed: int = 0) -> np.ndarray:
    """Return normal columns, each correlated 0.6 with one of the ten before it."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        parent = rng.integers(max(0, j - 10), j)
        columns[:, j] = 0.6 * columns[:, parent] + 0.8 * columns[:, j]
    return columns


def measure(
    dependence: str, n_variables: int, n_samples: int, lam: float | str, screen: int | None
) -> tuple[float, int, int, float, float]:
    """Return seconds, edges, values asked for, and MiB before the fit and at most."""
    from mrflearn import GSMPLE

    GSMPLE(0.1, dependence=dependence, n_jobs=-1).fit(random_tree(60, 4))  # compiles
    columns = random_tree(n_samples, n_variables)
    before = read_memory("VmRSS")
    begun = time.perf_counter()
    found = GSMPLE(lam, dependence=dependence, screen=screen, n_jobs=-1).fit(columns)
    taken = time.perf_counter() - begun
    return taken, len(found.graph_.edges), found.n_evaluations_, before, read_memory()


def main() -> None:
    """Print a row for each run, as they end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a tenth of the variables")
    small = parser.parse_args().small
    print(describe_machine(), flush=True)
    rows = []
    for dependence, n_variables, n_samples, lam, screen in RUNS:
        n = n_variables // 10 if small else n_variables
        run = dependence, n, n_samples, lam, screen
        taken, n_edges, n_asked, before, most = run_in_fresh_process(measure, *run)
        each = 1024 * (most - before) / n
        rows.append(
            [dependence, n, n_samples, lam, screen or "all", taken, n_edges, n_asked, most, each]
        )
        print(
            f"{dependence}, D = {n}, screen {screen}: {taken:.1f} s, {n_edges} edges, {n_asked} "
            f"values, {most:.0f} MiB, {each:.0f} KiB a variable",
            flush=True,
        )
    print_table(
        "One fit",
        ["dependence", "D", "N", "lambda", "candidates", "s", "edges", "values asked for",
         "MiB at most", "KiB a variable"],
        rows,
    )  # fmt: skip


if __name__ == "__main__":
    main()
