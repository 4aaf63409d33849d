"""Is the lambda that is chosen a good one? F1 of the chosen graph against the best in hindsight.

The best is that of each run: the largest F1 on the path of its own table, which no choice without
the true graph could know. `--noise` asks instead how often independent columns get an edge.
"""

import argparse
import sys
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from _script import RESULTS
from joblib import Parallel, delayed

from mrflearn._files import write_atomically
from mrflearn.estimators import GSMPLE, GLasso
from mrflearn.experiments.suite import suite
from mrflearn.metrics import f1

METHODS = {
    "fdr": lambda: GSMPLE(),
    "fdr, Algorithm 1": lambda: GSMPLE(refine=None),
    "fdr, kNN": lambda: GSMPLE(dependence="knn", refine=None),
    "stars": lambda: GSMPLE(selection="stars"),
    "heldout": lambda: GSMPLE(selection="heldout"),
    "ebic, GLASSO": lambda: GLasso(),
}

NOISE = {
    "continuous": "c",
    "5 levels": "o",
    "4 labels": "l",
    "2 labels": "b",
    "heavy tails": "t",
    "all kinds": "clobt",
}


def one_run(method, split, world, n_samples, run):
    """Return how good the chosen graph of one table is, and the best on its path."""
    truth = suite(split)[world]
    frame = truth.sample(n_samples, random_state=run)
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = METHODS[method]().fit(frame)
    seconds = time.monotonic() - begun
    adjacency = np.asarray(truth.adjacency)
    n_false = int(np.triu(fitted.adjacency_ & ~adjacency).sum())
    n_found = int(np.triu(fitted.adjacency_).sum())
    return {
        "world": world, "n_samples": n_samples, "run": run, "method": method,
        "f1": f1(adjacency, fitted.adjacency_),
        "best": max(f1(adjacency, found) for found in fitted.path_.adjacencies),
        "n_found": n_found, "false": n_false / max(n_found, 1), "seconds": seconds,
    }  # fmt: skip


def noise_table(kinds, n_samples, n_variables, rng):
    """Return independent columns of these kinds, in turn."""
    draws = {
        "c": lambda: rng.normal(size=n_samples),
        "t": lambda: rng.standard_t(2, size=n_samples),
        "o": lambda: rng.integers(5, size=n_samples),
        "l": lambda: rng.choice(list("pqrs"), size=n_samples, p=[0.4, 0.3, 0.2, 0.1]),
        "b": lambda: rng.choice(list("yn"), size=n_samples, p=[0.3, 0.7]),
    }
    return pd.DataFrame({f"x{c}": draws[kinds[c % len(kinds)]]() for c in range(n_variables)})


def one_noise(method, kind, n_samples, n_variables, run):
    """Return how many edges independent columns get."""
    rng = np.random.default_rng([run, n_samples, list(NOISE).index(kind)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = METHODS[method]().fit(noise_table(NOISE[kind], n_samples, n_variables, rng))
    return {
        "world": kind, "n_samples": n_samples, "run": run, "method": method,
        "any": bool(fitted.adjacency_.any()), "n_found": int(np.triu(fitted.adjacency_).sum()),
    }  # fmt: skip


def options_of():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", default="report", help="design, report or the seed of a set")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=["fdr"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--worlds", help="only worlds whose name has this in it")
    parser.add_argument("--runs", type=int, default=20, help="tables for each case")
    parser.add_argument("--noise", action="store_true", help="independent columns")
    parser.add_argument("--variables", type=int, default=20, help="columns of noise")
    parser.add_argument("--table-only", action="store_true", help="print what was run before")
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
    """Print how often there is an edge in noise."""
    shares = results.groupby(["method", "n_samples", "world"], sort=False)["any"].agg(
        ["mean", "size"]
    )
    print("| method | N | columns | tables | with an edge |\n|---|---|---|---|---|")
    for (method, n_samples, kind), row in shares.iterrows():
        print(f"| {method} | {n_samples} | {kind} | {row['size']:.0f} | {row['mean']:.3f} |")


def print_choices(results):
    """Print F1 at the choice, at the best lambda, and their ratio."""
    means = results.groupby(["method", "n_samples", "world"], sort=False)[
        ["f1", "best", "false", "n_found", "seconds"]
    ].mean()
    means["ratio"] = means["f1"] / means["best"]
    print("| method | N | world | F1 | best | ratio | false | edges | seconds |")
    print("|---" * 9 + "|")
    for (method, n_samples, world), row in means.iterrows():
        print(
            f"| {method} | {n_samples} | {world} | {row.f1:.3f} | {row.best:.3f} | {row.ratio:.3f} "
            f"| {row.false:.3f} | {row.n_found:.1f} | {row.seconds:.2f} |"
        )
    print("\n| method | N | mean ratio | least | where | mean share of false edges |")
    print("|---" * 6 + "|")
    for (method, n_samples), own in means.groupby(["method", "n_samples"], sort=False):
        worst = own["ratio"].idxmin()[2]
        print(
            f"| {method} | {n_samples} | {own.ratio.mean():.3f} | {own.ratio.min():.3f} | {worst} "
            f"| {own.false.mean():.3f} |"
        )


def main():
    """Run, keep the rows of each number of samples in a file, and print the table."""
    options = options_of()
    folder = RESULTS / "selection" / ("noise" if options.noise else options.split)
    folder.mkdir(parents=True, exist_ok=True)
    if not options.table_only:
        for size, method in product(options.sizes, options.methods):
            found = run_all(tasks_of(options, size, method), options.n_jobs)
            file = folder / f"{method}-{size}{f'-{options.worlds}' if options.worlds else ''}.csv"
            write_atomically(file, found.to_csv(index=False).encode())
    results = pd.concat([pd.read_csv(file) for file in sorted(folder.glob("*.csv"))])
    results = results.drop_duplicates(["method", "n_samples", "world", "run"])
    (print_noise if options.noise else print_choices)(results.sort_values(["method", "n_samples"]))


def tasks_of(options, size, method):
    """Return what is to be run for one number of samples and one method."""
    if options.noise:
        return [
            delayed(one_noise)(method, kind, size, options.variables, run)
            for kind in NOISE
            for run in range(options.runs)
        ]
    return [
        delayed(one_run)(method, options.split, world, size, run)
        for world in suite(options.split)
        if (options.worlds or "") in world
        for run in range(options.runs)
    ]


if __name__ == "__main__":
    main()
