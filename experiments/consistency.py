"""How often the default finds the true graph as rows grow, where it should and where it cannot.

The first worlds meet the conditions of docs/sieve.md: dependence is smooth, shows step by step and
is above the tolerance. Each of the others breaks one of them.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _script import RESULTS
from joblib import Parallel, delayed

from mrflearn._files import write_atomically
from mrflearn.datasets import (
    gaussian_on,
    ising_lattice,
    load_network,
    mixed_random,
    random_network,
    sparse_gaussian,
)
from mrflearn.datasets.shapes import grid
from mrflearn.estimators import GSMPLE
from mrflearn.experiments.suite import curved_random
from mrflearn.metrics import f1


def of_world(world):
    """Return a draw of tables of a world, and its graph."""
    return lambda n, seed: (world.sample(n, random_state=seed), np.asarray(world.adjacency))


def complete(n_variables, *others):
    """Return the graph in which all variables but some isolated ones are neighbors."""
    graph = ~np.eye(n_variables, dtype=bool)
    graph[list(others)] = graph[:, list(others)] = False
    return graph


def parity(n_coins):
    """Return a draw of fair coins, of which the last is the parity of the others, and one more."""

    def draw(n, seed):
        coins = np.random.default_rng(seed).integers(2, size=(n, n_coins + 1))
        coins[:, n_coins - 1] = coins[:, : n_coins - 1].sum(axis=1) % 2
        return pd.DataFrame(coins), complete(n_coins + 1, n_coins)

    return draw


def pair(effect):
    """Return a draw of two variables, the effect of one on the other, and one more."""

    def draw(n, seed):
        rng = np.random.default_rng(seed)
        x, noise, other = rng.normal(size=(3, n))
        return pd.DataFrame({"x": x, "y": effect(x) + noise, "z": other}), complete(3, 2)

    return draw


def copies(n, seed):
    """Draw a chain of which a variable has a copy."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    z = y + rng.normal(size=n)
    frame = pd.DataFrame({"x": x, "y": y, "copy": 3 * y + 1, "z": z})
    graph = np.zeros((4, 4), dtype=bool)
    for i, j in ((0, 1), (1, 3), (1, 2)):
        graph[i, j] = graph[j, i] = True
    return frame, graph


WORLDS = {
    "Gaussian, 20 variables": of_world(sparse_gaussian(20, random_state=12)),
    "Gaussian grid of 16": of_world(gaussian_on(grid(4, 4), (0.2, 0.3), random_state=12)),
    "Ising grid of 16": of_world(ising_lattice(4, 4, 0.4)),
    "curves, 10 variables": of_world(curved_random(10, 12)),
    "mixed, 12 variables": of_world(mixed_random(12, random_state=12)),
    "network, 12 of 2-4 levels": of_world(random_network(12, (2, 4), 2, random_state=12)),
    "parity of three fair coins": parity(3),
    "*no step shows*: parity of four": parity(4),
    "*below the tolerance*: correlation 0.02": pair(lambda x: 0.02 * x),
    "*hardly smooth*: a sine of 30 periods": pair(lambda x: 2 * np.sin(45 * x)),
    "*determined*: a copy": copies,
    "*determined*: asia": of_world(load_network("asia")),
}


def one_run(world, n_samples, run):
    """Return how near the chosen graph of one table is to the true one."""
    frame, truth = WORLDS[world](n_samples, 900 + run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = GSMPLE().fit(frame).adjacency_
    return {
        "world": world, "n_samples": n_samples, "run": run,
        "f1": f1(truth, found), "exact": bool((found == truth).all()),
    }  # fmt: skip


def main():
    """Run, keep the rows in a file, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sizes = [300, 1_000, 3_000, 10_000, 30_000, 100_000]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--runs", type=int, default=20, help="tables of each world and size")
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--output", default=str(RESULTS / "consistency" / "results.csv"))
    options = parser.parse_args()
    tasks = [
        delayed(one_run)(world, n_samples, run)
        for n_samples in reversed(options.sizes)
        for world in WORLDS
        for run in range(options.runs)
    ]
    rows = []
    for row in Parallel(options.n_jobs, return_as="generator_unordered")(tasks):
        rows.append(row)
        if len(rows) % 20 == 0 or len(rows) == len(tasks):
            print(f"\r{len(rows)} of {len(tasks)} tables", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    results = pd.DataFrame(rows)
    Path(options.output).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(Path(options.output), results.to_csv(index=False).encode())
    means = results.groupby(["world", "n_samples"])[["exact", "f1"]].mean()
    print(f"| world | {' | '.join(f'{size:,}' for size in options.sizes)} |")
    print("|---" * (1 + len(options.sizes)) + "|")
    for world in WORLDS:
        cells = [
            f"{means.loc[(world, size), 'exact']:.2f} ({means.loc[(world, size), 'f1']:.3f})"
            for size in options.sizes
        ]
        print(f"| {world} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
