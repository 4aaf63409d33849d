"""Does the extended BIC choose a good lambda? F1 of its graph against the best in hindsight.

Every parametric method on worlds that suit it. The best is that of each run: the largest F1 on the
path of its own table. `--noise` asks instead how often independent columns get an edge.
"""

import argparse
import sys
import warnings

import numpy as np
import pandas as pd
from _script import RESULTS
from joblib import Parallel, delayed

from mrflearn._files import write_atomically
from mrflearn.datasets import (
    gaussian_on,
    ising_lattice,
    ising_on,
    mixed_random,
    random_network,
    shapes,
    sparse_gaussian,
)
from mrflearn.estimators import (
    JOSE,
    GLasso,
    MixedPairwise,
    NodewiseLasso,
    NodewiseLogistic,
    Skeptic,
    Space,
)
from mrflearn.metrics import f1
from mrflearn.selection.options import EBIC

NUMBERS = {
    "sparse Gaussian, 9": lambda run: sparse_gaussian(9, random_state=run),
    "sparse Gaussian, 30": lambda run: sparse_gaussian(30, random_state=run),
    "Gaussian chain, 15": lambda run: gaussian_on(
        shapes.chain(15), strength=0.45, random_state=run
    ),
}
COINS = {
    "Ising lattice, 3 x 3": lambda run: ising_lattice(3, 3),
    "Ising chain, 15": lambda run: ising_on(shapes.chain(15), coupling=0.6),
}
LEVELS = {"network, 12": lambda run: random_network(12, max_parents=2, random_state=run)}
MIXED = {"mixed, 9": lambda run: mixed_random(9, random_state=run)}
WORLDS = NUMBERS | COINS | LEVELS | MIXED

METHODS = {
    "GLasso": (GLasso, {}, NUMBERS),
    "Skeptic": (Skeptic, {}, NUMBERS),
    "Space": (Space, {}, NUMBERS),
    "Space, residual": (Space, {"weights": "residual"}, NUMBERS),
    "NodewiseLasso, and": (NodewiseLasso, {}, NUMBERS),
    "NodewiseLasso, or": (NodewiseLasso, {"rule": "or"}, NUMBERS),
    "NodewiseLasso, paired": (NodewiseLasso, {"rule": "paired"}, NUMBERS),
    "NodewiseLogistic, and": (NodewiseLogistic, {}, COINS),
    "NodewiseLogistic, or": (NodewiseLogistic, {"rule": "or"}, COINS),
    "NodewiseLogistic, paired": (NodewiseLogistic, {"rule": "paired"}, COINS),
    "JOSE": (JOSE, {}, COINS | LEVELS),
    "MixedPairwise": (MixedPairwise, {}, NUMBERS | MIXED),
}


def fitted(method, gamma, frame):
    """Return the estimator, fitted with a lambda of its own choice."""
    make, given, _ = METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(selection=EBIC(gamma), **given).fit(frame)


def one_run(method, world, n_samples, gamma, run):
    """Return how good the chosen graph of one table is, and the best on its path."""
    truth = WORLDS[world](run)
    found = fitted(method, gamma, truth.sample(n_samples, random_state=1000 + run))
    adjacency = np.asarray(truth.adjacency)
    return {
        "method": method, "world": world, "n_samples": n_samples, "run": run,
        "f1": f1(adjacency, found.adjacency_),
        "best": max(f1(adjacency, other) for other in found.path_.adjacencies),
        "n_edges": int(np.triu(adjacency).sum()),
        "n_found": int(np.triu(found.adjacency_).sum()),
    }  # fmt: skip


def one_noise(method, n_variables, n_samples, gamma, run):
    """Return how many edges independent columns get."""
    rng = np.random.default_rng([run, n_samples, n_variables])
    shape = (n_samples, n_variables)
    coins = METHODS[method][2] is not NUMBERS and method != "MixedPairwise"
    frame = rng.integers(2, size=shape) if coins else rng.normal(size=shape)
    n_found = int(np.triu(fitted(method, gamma, frame).adjacency_).sum())
    return {
        "method": method, "n_variables": n_variables, "n_samples": n_samples, "run": run,
        "any": n_found > 0, "n_found": n_found,
    }  # fmt: skip


def options_of():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--gamma", type=float, default=0.5, help="price of the choice")
    parser.add_argument("--runs", type=int, default=10, help="tables for each case")
    parser.add_argument("--noise", action="store_true", help="independent columns")
    parser.add_argument("--variables", type=int, default=20, help="columns of noise")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    return parser.parse_args()


def run_all(tasks, n_jobs):
    """Return the rows of all tasks, with a progress line."""
    rows = []
    for row in Parallel(n_jobs, return_as="generator", pre_dispatch="4*n_jobs")(tasks):
        rows.append(row)
        print(f"\r{len(rows)} of {len(tasks)} tables", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pd.DataFrame(rows)


def print_noise(results):
    """Print how often there is an edge in noise, and how many."""
    means = results.groupby(["method", "n_variables", "n_samples"], sort=False)[
        ["any", "n_found"]
    ].mean()
    print("| method | D | N | with an edge | edges |\n|---|---|---|---|---|")
    for (method, n_variables, n_samples), row in means.iterrows():
        print(f"| {method} | {n_variables} | {n_samples} | {row['any']:.2f} | {row.n_found:.1f} |")


def print_choices(results):
    """Print F1 at the choice and at the best lambda, and numbers of edges."""
    means = results.groupby(["method", "world", "n_samples"], sort=False)[
        ["f1", "best", "n_found", "n_edges"]
    ].mean()
    print("| method | world | N | F1 | best | edges | true |\n|---|---|---|---|---|---|---|")
    for (method, world, n_samples), row in means.iterrows():
        print(
            f"| {method} | {world} | {n_samples} | {row.f1:.2f} | {row.best:.2f} "
            f"| {row.n_found:.0f} | {row.n_edges:.0f} |"
        )


def main():
    """Run, keep the rows, and print the table."""
    options = options_of()
    tasks = [
        delayed(one_noise)(method, options.variables, size, options.gamma, run)
        for method in options.methods for size in options.sizes for run in range(options.runs)
    ] if options.noise else [
        delayed(one_run)(method, world, size, options.gamma, run)
        for method in options.methods for world in METHODS[method][2] for size in options.sizes
        for run in range(options.runs)
    ]  # fmt: skip
    results = run_all(tasks, options.n_jobs)
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = "ebic-noise.csv" if options.noise else "ebic.csv"
    write_atomically(RESULTS / name, results.to_csv(index=False).encode())
    (print_noise if options.noise else print_choices)(results)


if __name__ == "__main__":
    main()
