"""Do the tests keep the level they state? Type-I error where the null is true, or power.

x and y have causes in common, and are independent given the neighbours of either: x given
z0, ..., y given those one further along a chain z0 - z1 - ... They are tested as an edge between
them would be, whose ends have these neighbours.
"""

import argparse
import sys
import warnings
from itertools import pairwise, product

import numpy as np
import pandas as pd
from _script import RESULTS
from joblib import Parallel, delayed

from mrflearn import learn
from mrflearn._files import write_atomically
from mrflearn.datasets import sparse_gaussian
from mrflearn.dependence import KNN, Gaussian, MixedKSG, PlugIn, Sieve
from mrflearn.selection.significance import Examiner
from mrflearn.table import as_table

SIZES = (0, 1, 3, 8)
LEVELS = (0.01, 0.05)
N_SHUFFLES = 200
N_WIDE = 100
N_NOISE = 3
"""Columns of noise beside x, y and the conditions: the default learns from the whole table."""

KINDS = {
    "Gaussian": "ccc",
    "curved": "qqc",
    "wavy": "wwc",
    "2 labels": "bbb",
    "4 labels": "lll",
    "5 levels": "ooo",
    "continuous given all kinds": "cc*",
    "continuous and labels given all kinds": "cl*",
    "labels given continuous": "lbc",
    "wavy labels": "vvc",
    "products": "ppc",
    "jumps": "jjc",
}
"""Sorts of x, of y and of the conditions: continuous, quadratic, wavy, products of two causes,
jumping, binary, labels, wavy labels, ordinal or all."""

SLOPES = {
    "b": (-1.5, 1.5),
    "l": (0, 1.2, -1.2, 0.6),
    "v": (-1, 1),
    "o": (-1.5, -0.75, 0, 0.75, 1.5),
}

CLOSED = {
    "gaussian": Gaussian(),
    "copula": Gaussian(copula=True),
    "plugin": PlugIn(),
    "auto": Sieve(),
}
"""Asked of every table they can be bound to, also where what they assume does not hold."""

SHUFFLED = CLOSED | {"knn": KNN(), "mixed-ksg": MixedKSG()}
KEYS = ["kind", "n_given", "n_samples", "run"]


def child(sort, rng, causes, n_samples, push=0.0):
    """Draw a column that depends on standardised columns, and on a sum that is given."""
    causes = list(causes)
    if sort in "wv":
        causes = [1.5 * np.sin(3 * cause) for cause in causes]
    elif sort == "q":
        causes = [cause**2 - 1 for cause in causes]
    elif sort == "j":
        causes = [1.5 * np.sign(cause) for cause in causes]
    elif sort == "p":
        causes = [one * other for one, other in pairwise(causes)] or causes
    drive = sum(causes, np.zeros(n_samples)) / np.sqrt(max(len(causes), 1)) + push
    slopes = SLOPES.get(sort)
    if slopes is None:
        return drive + rng.normal(size=n_samples)
    return np.argmax(np.outer(drive, slopes) + rng.gumbel(size=(n_samples, len(slopes))), axis=1)


def draw(kind, n_given, n_samples, rng, edge=0.0, n_noise=N_NOISE):
    """Return a table whose first variables are x and y, and the neighbours of either.

    With an edge, x pushes y.
    """
    x_sort, y_sort, z_sort = KINDS[kind]
    columns, sorts, chain = {}, {}, []
    for z in range(n_given + 1 if n_given else 0):
        sort = "lcob"[z % 4] if z_sort == "*" else z_sort
        column = child(sort, rng, chain[-1:], n_samples)
        chain.append((column - np.mean(column)) / max(np.std(column), 1e-9))
        columns[f"z{z}"], sorts[f"z{z}"] = column, sort
    x = child(x_sort, rng, chain[:n_given], n_samples)
    push = edge * (x - np.mean(x)) / max(np.std(x), 1e-9)
    first = {"x": x, "y": child(y_sort, rng, chain[1:], n_samples, push)}
    for c in range(n_noise):
        sort = z_sort if z_sort in "bl" else ("o" if z_sort == "o" else "c")
        columns[f"noise{c}"], sorts[f"noise{c}"] = child(sort, rng, [], n_samples), sort
    sorts |= {"x": x_sort, "y": y_sort}
    names = {"b": "nominal", "l": "nominal", "v": "nominal", "o": "ordinal"}
    kinds = {name: names.get(sort, "continuous") for name, sort in sorts.items()}
    table = as_table(pd.DataFrame(first | columns), kinds=kinds)
    return table, list(range(2, 2 + n_given)), list(range(3, 3 + n_given))


def p_values(kind, n_given, n_samples, run, edge=0.0, shuffled=tuple(SHUFFLED), n_noise=N_NOISE):
    """Return the p-value of each closed form, and of these shuffled tests, of one table."""
    seed = [run, n_given, n_samples, list(KINDS).index(kind)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        rng = np.random.default_rng(seed)
        table, of_x, of_y = draw(kind, n_given, n_samples, rng, edge, n_noise)
    found = {}
    for name, specification in CLOSED.items():
        if name == "plugin" and not table.all_discrete:
            continue
        bound = specification.bind(table)
        found[f"{name}, one"] = bound.null(0, [1], of_x).tail(bound.cmi_many(0, [1], of_x))[0]
        null = bound.null(0, [1], of_x) + bound.null(1, [0], of_y)
        score = bound.cmi_many(0, [1], of_x) + bound.cmi_many(1, [0], of_y)
        found[f"{name}, score"] = null.tail(score)[0]
    for name in shuffled:
        if name in ("knn", "mixed-ksg") if table.all_discrete else name == "plugin":
            continue
        specification = SHUFFLED[name]
        examiner = Examiner(table, specification, specification.bind(table), N_SHUFFLES)
        rng = np.random.default_rng([*seed, 1])
        found[f"{name}, shuffled"] = examiner.examine((0, of_x), (1, of_y), rng)[2]
    return {"kind": kind, "n_given": n_given, "n_samples": n_samples, "run": run} | found


def run_all(n_samples, runs, options):
    """Return all p-values, one row for each table."""
    cases = product(KINDS, options.conditions)
    asked = [(kind, size, run) for kind, size in cases for run in runs]
    rows = []
    tasks = (
        delayed(p_values)(kind, size, n_samples, run, options.edge, options.shuffled, options.noise)
        for kind, size, run in asked
    )
    for row in Parallel(options.n_jobs, return_as="generator")(tasks):
        rows.append(row)
        print(f"\r{len(rows)} of {len(asked)} tables", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pd.DataFrame(rows)


def print_shares(results, ending):
    """Print how often each test whose name ends so is significant at each level."""
    tests = [name for name in results if name.endswith(ending)]
    print(
        "| data | N | conditions | "
        + " | ".join(test.removesuffix(ending) for test in tests)
        + " |"
    )
    print("|---" * (3 + len(tests)) + "|")
    for (kind, n_samples, size), own in results.groupby(
        ["kind", "n_samples", "n_given"], sort=False
    ):
        shares = " | ".join(_shares(own[test].dropna()) for test in tests)
        print(f"| {kind} | {n_samples} | {size} | {shares} |")


def _shares(p_values):
    return (
        " ".join(f"{np.mean(p_values <= level):.3f}" for level in LEVELS) if len(p_values) else "-"
    )


def print_tables(results):
    """Print the shares of all tests, and how far they may be off by chance."""
    for ending in (", shuffled", ", score", ", one"):
        print(f"\nTests{ending}:\n")
        print_shares(results, ending)
    print("\nShares at most 0.01 and at most 0.05. 19 times of 20, those of a test that keeps its "
          "level are by chance within:")  # fmt: skip
    cases = results.groupby(["kind", "n_samples", "n_given"])
    for test in [name for name in results if name not in KEYS]:
        counted = cases[test].count()
        n_tables = counted[counted > 0].min()
        near = " and ".join(
            f"{1.96 * np.sqrt(level * (1 - level) / n_tables):.3f} of {level}" for level in LEVELS
        )
        print(f"{test}, {n_tables} tables each: {near}")


def print_wide():
    """Print how many of the edges found in a wide table are true, and how many are significant."""
    world = sparse_gaussian(N_WIDE, random_state=0)
    for n_samples in (300, 1_000):
        found = learn(world.sample(n_samples, random_state=0), quiet=True).graph
        true = [edge for edge in found.edges if world.graph.has_edge(edge.source, edge.target)]
        n_significant = sum(edge.q_value <= 0.05 for edge in true)
        print(
            f"{N_WIDE} columns, {n_samples} rows: {len(found.edges)} edges, {len(true)} of them "
            f"true, {n_significant} true ones with q <= 0.05"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="tables for each case")
    parser.add_argument("--rows", type=int, nargs="+", default=[200], help="rows of a table")
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--edge", type=float, default=0.0, help="how x pushes y: then, power")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    parser.add_argument("--shuffled", nargs="*", choices=list(SHUFFLED), default=list(SHUFFLED),
                        help="dependences whose shuffled test is asked, too")  # fmt: skip
    parser.add_argument("--conditions", type=int, nargs="+", default=SIZES, help="how many")
    parser.add_argument("--noise", type=int, default=N_NOISE, help="columns of noise in a table")
    parser.add_argument("--table-only", action="store_true", help="print what was run before")
    parser.add_argument("--wide", action="store_true", help="only tests of edges of a wide table")
    options = parser.parse_args()
    if options.wide:
        return print_wide()
    what = "power" if options.edge else "null"
    if options.noise != N_NOISE:
        what += f"-with-{options.noise}-of-noise"
    folder = RESULTS / "significance" / what
    if not options.table_only:
        folder.mkdir(parents=True, exist_ok=True)
        runs = range(options.first, options.first + options.runs)
        for rows in options.rows:
            found = run_all(rows, runs, options)
            file = folder / f"{rows}-rows-from-{options.first}-{'-'.join(options.shuffled)}.csv"
            write_atomically(file, found.to_csv(index=False).encode())
    parts = [pd.read_csv(file) for file in sorted(folder.glob("*.csv"))]
    print_tables(pd.concat(parts).groupby(KEYS, sort=False, as_index=False).first())


if __name__ == "__main__":
    main()
