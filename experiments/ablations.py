"""What each constant and each check of the sieve is worth: F1 with it changed, all else as it is.

On the worlds of design. A row names the change; its figures are the mean F1 of the chosen graph and
the share of false edges, at each number of rows, on the same tables as the row above all.
"""

import argparse
import sys
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from _script import RESULTS
from joblib import Parallel, delayed

from mrflearn._files import write_atomically
from mrflearn.dependence import Sieve, _features, _terms, sieve
from mrflearn.estimators import GSMPLE
from mrflearn.experiments.suite import suite
from mrflearn.metrics import f1
from mrflearn.selection import fdr

Bound = sieve.BoundSieve


def constants(module, **values):
    """Return a change of some constants of a module."""
    return [(module, name, value) for name, value in values.items()]


def functions(factor):
    """Return a change of how many functions a continuous column has."""
    usual = sieve.n_functions
    return [(sieve, "n_functions", lambda n: max(1, round(factor * usual(n))))]


CHANGES = {
    "nothing changed": [],
    "half as many functions": functions(0.5),
    "half as many functions again": functions(1.5),
    "conditions have all functions (FUNCTION_LEVEL 1)": constants(_terms, FUNCTION_LEVEL=1.0),
    "conditions have first functions only (FUNCTION_LEVEL 0)": [
        (_terms, "_is_curved", lambda *_: False)
    ],
    "products by a level of 0.1 (PRODUCT_LEVEL)": constants(_terms, PRODUCT_LEVEL=0.1),
    "no products (MOST_PRODUCTS 0)": constants(_terms, MOST_PRODUCTS=0),
    "200 products (MOST_PRODUCTS)": constants(_terms, MOST_PRODUCTS=200),
    "terms from 1,024 rows (CHOICE_ROWS)": constants(sieve, CHOICE_ROWS=2**10),
    "even shares (SHARES)": constants(
        sieve, SHARES={"first": 1 / 3, "further": 1 / 3, "product": 1 / 3}
    ),
    "the same shares for every table (AS_GOOD_AS)": constants(sieve, AS_GOOD_AS=1e12),
    "ends taken to agree (null_correlations)": [(Bound, "null_correlations", lambda *_: None)],
    "no check of variances": [(Bound, "_moments", lambda *_: (1.0, 2.0))],
    "no shrinkage of variances": [
        (sieve, "_shrinkage", lambda explained, *_: np.ones_like(explained))
    ],
    "variances from 512 rows (VARIANCE_ROWS)": constants(sieve, VARIANCE_ROWS=512),
    "no cells": [(Bound, "_cells", lambda *_: None)],
    "5 rows in a cell (ROWS_A_CELL)": constants(sieve, ROWS_A_CELL=5),
    "20 rows in a cell (ROWS_A_CELL)": constants(sieve, ROWS_A_CELL=20),
    "no latent correlations": [(Bound, "_measured_with_error", lambda *_: False)],
    "no check of products (MISFIT_ROWS)": constants(sieve, MISFIT_ROWS=10**12),
    "products checked in small tables as well (MISFIT_ROWS)": constants(sieve, MISFIT_ROWS=0),
    "few functions of every column (most_functions)": [(sieve, "most_functions", lambda n: 1)],
    "many functions by a level of 0.05 (MANY_LEVEL)": constants(_terms, MANY_LEVEL=0.05),
    "spread not checked with squares": [(Bound, "_of_residual_squares", lambda *_: None)],
    "one end never decides": [(Bound, "independence_bound", lambda *_: -np.inf)],
    "one end decides by 1 standard error (BELOW)": constants(sieve, BELOW=1.0),
    "one end decides by 3 standard errors (BELOW)": constants(sieve, BELOW=3.0),
    "a tolerance everywhere": [(Bound, "_tolerance", lambda self, _: self.sieve.tolerance)],
    "checks from p = 0.0009 down (WORTH_CHECKING)": constants(sieve, WORTH_CHECKING=-7.0),
    "all answers checked (BEYOND_DOUBT)": constants(sieve, BEYOND_DOUBT=(np.inf, np.inf)),
    "tolerance 0": constants(sieve, TOLERANCE=0.0),
    "tolerance 1e-3": constants(sieve, TOLERANCE=1e-3),
    "levels of 15 rows (RARE)": constants(_features, RARE=15),
    "no indicators of values (HEAVY)": constants(_features, HEAVY=2.0),
    "false discovery rate 0.05": [],
    "no more asked of few edges (MORE)": constants(fdr, MORE=0.0),
    "last edges may be false": [(fdr, "_last_are_true", lambda *_: True)],
    "a window of 1e-2 (WINDOW)": constants(fdr, WINDOW=1e-2),
    "no least number of true edges (LEAST_TRUE)": constants(fdr, LEAST_TRUE=0.0),
}


def one_run(change, world, n_samples, run):
    """Return how good the chosen graph of one table is with something changed."""
    truth = suite("design")[world]
    frame = truth.sample(n_samples, random_state=500 + run)
    alpha = 0.05 if change.startswith("false discovery rate") else 0.1
    begun = time.process_time()
    with warnings.catch_warnings(), ExitStack() as changed:
        warnings.simplefilter("ignore")
        options = {}
        for owner, name, value in CHANGES[change]:
            if name == "TOLERANCE":
                options["tolerance"] = value
            else:
                changed.enter_context(patch.object(owner, name, value))
        found = GSMPLE(dependence=Sieve(**options), alpha=alpha).fit(frame).adjacency_
    adjacency = np.asarray(truth.adjacency)
    n_false = int(np.triu(found & ~adjacency).sum())
    return {
        "change": change, "world": world, "n_samples": n_samples, "run": run,
        "f1": f1(adjacency, found), "false": n_false / max(int(np.triu(found).sum()), 1),
        "seconds": time.process_time() - begun,
    }  # fmt: skip


def main():
    """Run, keep the rows in a file, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--runs", type=int, default=2, help="tables of each world")
    parser.add_argument("--changes", nargs="+", choices=list(CHANGES), default=list(CHANGES))
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--output", default=str(RESULTS / "ablations" / "results.csv"))
    options = parser.parse_args()
    tasks = [
        delayed(one_run)(change, world, n_samples, run)
        for change in options.changes
        for n_samples in options.sizes
        for world in suite("design")
        for run in range(options.runs)
    ]
    rows = []
    for row in Parallel(options.n_jobs, return_as="generator_unordered")(tasks):
        rows.append(row)
        if len(rows) % 50 == 0 or len(rows) == len(tasks):
            print(f"\r{len(rows)} of {len(tasks)} tables", end="", file=sys.stderr, flush=True)
            Path(options.output).parent.mkdir(parents=True, exist_ok=True)
            content = pd.DataFrame(rows).to_csv(index=False).encode()
            write_atomically(Path(options.output), content)
    print(file=sys.stderr)
    means = pd.DataFrame(rows).groupby(["change", "n_samples"])[["f1", "false", "seconds"]].mean()
    sizes = " | ".join(f"{size:,}" for size in options.sizes)
    print(f"| change | F1 at {sizes} | false at {sizes} | seconds at {sizes} |")
    print("|---" * (1 + 3 * len(options.sizes)) + "|")
    for change in options.changes:
        cells = [
            f"{means.loc[(change, size), figure]:.{digits}f}"
            for figure, digits in (("f1", 3), ("false", 3), ("seconds", 1))
            for size in options.sizes
        ]
        print(f"| {change} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
