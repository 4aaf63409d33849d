"""Do the tests keep the level they state? Type-I error where the null is true, or power.

x and y have causes in common, and are independent given the neighbors of either: x given
z0, ..., y given those one further along a chain z0 - z1 - ... They are tested as an edge between
them would be, whose ends have these neighbors. `--agreement` asks instead how many true edges of
the chosen graph have q <= 0.05, and how many false ones; `--gaussian` how often true edges of
Gaussian worlds are significant, and by Student's t-test of the partial correlation.
"""

import argparse
import sys
import warnings
from itertools import pairwise, product

import numpy as np
import pandas as pd
from _script import RESULTS
from families import network
from joblib import Parallel, delayed
from scipy import stats

from mrflearn._files import write_atomically
from mrflearn.datasets import mixed_random, sparse_gaussian
from mrflearn.dependence import KNN, Gaussian, MixedKSG, PlugIn, Sieve
from mrflearn.estimators import GSMPLE
from mrflearn.experiments.suite import suite
from mrflearn.selection.conditional_permutation import ConditionalPermutation
from mrflearn.selection.edge_test import pair_test
from mrflearn.table import as_table

SIZES = (0, 1, 3, 8)
LEVELS = (0.01, 0.05)
N_SHUFFLES = 30
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
    "unequal variances": "uuc",
    "heavy tails": "ttt",
    "skewed counts": "kkk",
    "rare labels": "rrb",
    "rare labels given continuous": "rrc",
    "Likert, 7 levels": "iii",
}
"""Sorts of x, of y and of the conditions: continuous, quadratic, wavy, products of two causes,
jumping, with a deviation that causes set, heavy-tailed, counts, binary, labels, wavy labels, rare
labels, ordinal, Likert items or all."""

SLOPES = {
    "b": (-1.5, 1.5),
    "l": (0, 1.2, -1.2, 0.6),
    "v": (-1, 1),
    "o": (-1.5, -0.75, 0, 0.75, 1.5),
}

CUTS = (-1.5, -0.8, -0.2, 0.4, 1.0, 1.7)
"""Of a normal variable, into the levels of an item."""

TESTS = {
    "default": Sieve(),
    "gaussian": Gaussian(),
    "copula": Gaussian(copula=True),
    "plugin": PlugIn(),
    "knn": KNN(),
    "mixed-ksg": MixedKSG(),
}
"""Asked of every table they can be bound to, also where what they assume does not hold; the last
two by conditional permutations."""

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
    if sort == "u":
        return drive + np.exp(0.5 * drive) * rng.normal(size=n_samples)
    if sort == "t":
        return drive + rng.standard_t(2, size=n_samples)
    if sort == "k":
        return rng.poisson(np.exp(np.clip(0.7 * drive, -5, 5)))
    if sort == "r":
        return (1.2 * drive - 3.2 + rng.logistic(size=n_samples) > 0).astype(int)
    if sort == "i":
        return np.digitize(drive + rng.normal(size=n_samples), CUTS)
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
        sort = z_sort if z_sort in "blotki" else "c"
        columns[f"noise{c}"], sorts[f"noise{c}"] = child(sort, rng, [], n_samples), sort
    sorts |= {"x": x_sort, "y": y_sort}
    names = {"b": "nominal", "l": "nominal", "v": "nominal", "o": "ordinal",
             "r": "nominal", "i": "ordinal", "k": "ordinal"}  # fmt: skip
    kinds = {name: names.get(sort, "continuous") for name, sort in sorts.items()}
    table = as_table(pd.DataFrame(first | columns), kinds=kinds)
    return table, list(range(2, 2 + n_given)), list(range(3, 3 + n_given))


def p_values(kind, n_given, n_samples, run, edge=0.0, tests=tuple(TESTS), n_noise=N_NOISE):
    """Return the p-value of each test of one table, given the neighbors of either end."""
    seed = [run, n_given, n_samples, list(KINDS).index(kind)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        rng = np.random.default_rng(seed)
        table, of_x, of_y = draw(kind, n_given, n_samples, rng, edge, n_noise)
    found = {}
    for name in tests:
        if name in ("knn", "mixed-ksg") if table.all_discrete else name == "plugin":
            continue
        specification = TESTS[name]
        bound = specification.bind(table)
        if not bound.has_null:
            bound = ConditionalPermutation(bound, specification, table, N_SHUFFLES, run)
        p_value = pair_test(bound, (0, 1), of_x, of_y).p_value
        found[name] = np.nan if p_value is None else p_value
    return {"kind": kind, "n_given": n_given, "n_samples": n_samples, "run": run} | found


def run_all(n_samples, runs, options):
    """Return all p-values, one row for each table."""
    cases = product(KINDS, options.conditions)
    asked = [(kind, size, run) for kind, size in cases for run in runs]
    rows = []
    tasks = (
        delayed(p_values)(kind, size, n_samples, run, options.edge, options.tests, options.noise)
        for kind, size, run in asked
    )
    for row in Parallel(options.n_jobs, return_as="generator")(tasks):
        rows.append(row)
        print(f"\r{len(rows)} of {len(asked)} tables", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pd.DataFrame(rows)


def print_table(results):
    """Print how often each test is significant at each level, and how far that is off by chance."""
    tests = [name for name in results if name not in KEYS]
    print(f"| data | N | conditions | {' | '.join(tests)} |")
    print("|---" * (3 + len(tests)) + "|")
    cases = results.groupby(["kind", "n_samples", "n_given"], sort=False)
    for (kind, n_samples, size), own in cases:
        shares = " | ".join(_shares(own[test].dropna()) for test in tests)
        print(f"| {kind} | {n_samples} | {size} | {shares} |")
    print("\nShares at most 0.01 and at most 0.05. 19 times of 20, those of a test that keeps its "
          "level are by chance within:")  # fmt: skip
    for test in tests:
        counted = cases[test].count()
        n_tables = counted[counted > 0].min()
        near = " and ".join(
            f"{1.96 * np.sqrt(level * (1 - level) / n_tables):.3f} of {level}" for level in LEVELS
        )
        print(f"{test}, {n_tables} tables each: {near}")


def _shares(p_values):
    return (
        " / ".join(f"{np.mean(p_values <= level):.3f}" for level in LEVELS)
        if len(p_values)
        else "–"
    )


def hub(n_leaves, n_samples, seed):
    """Return a table of a hub and its leaves, and its graph."""
    rng = np.random.default_rng(seed)
    center = rng.normal(size=n_samples)
    leaves = 0.5 * center[:, None] + rng.normal(size=(n_samples, n_leaves))
    graph = np.zeros((n_leaves + 1, n_leaves + 1), dtype=bool)
    graph[0, 1:] = graph[1:, 0] = True
    return pd.DataFrame(np.column_stack([center, leaves])), graph


def agreement_cases(folder):
    """Return draws of tables and graphs, by what they are."""

    def of(world, n_samples):
        return lambda seed: (
            world(seed).sample(n_samples, random_state=seed),
            np.asarray(world(seed).adjacency),
        )

    cases = {
        "Gaussian, 50 columns, 1,000 rows": of(
            lambda seed: sparse_gaussian(50, random_state=seed), 1_000
        ),
        "Gaussian, 100 columns, 300 rows": of(
            lambda seed: sparse_gaussian(100, random_state=seed), 300
        ),
        "mixed, 20 columns, 2,000 rows": of(
            lambda seed: mixed_random(20, random_state=seed), 2_000
        ),
        "a hub of 24 leaves, 300 rows": lambda seed: hub(24, 300, seed),
    }
    if folder:
        for name in ("asia", "alarm"):
            cases[f"{name}, 2,000 rows"] = of(lambda _, name=name: network(folder, name), 2_000)
    for name, world in suite("report").items():
        cases[f"report: {name}, 1,000 rows"] = of(lambda _, world=world: world, 1_000)
    return cases


def one_agreement(case, seed, folder):
    """Return how many edges of the chosen graph are true, how many are sure, and how many both."""
    frame, truth = agreement_cases(folder)[case](seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = GSMPLE().fit(frame).graph_
    sure = [edge.q_value is not None and edge.q_value <= 0.05 for edge in graph.edges]
    true = [truth[graph.index(edge.source), graph.index(edge.target)] for edge in graph.edges]
    found = {"edges": len(true), "true": sum(true), "sure": sum(sure)}
    found["both"] = sum(a and b for a, b in zip(sure, true, strict=True))
    found["untested"] = sum(edge.q_value is None for edge in graph.edges)
    return {"case": case, "seed": seed, "of": int(truth.sum()) // 2} | found


def print_agreement(options):
    """Print how far tests and graph agree, and the false discovery rate of sure edges."""
    tasks = [
        delayed(one_agreement)(case, seed, options.bif)
        for case in agreement_cases(options.bif)
        for seed in range(options.runs)
    ]
    found = pd.DataFrame(Parallel(options.n_jobs)(tasks))
    found["false"] = (found["sure"] - found["both"]) / found["sure"].clip(lower=1)
    print("| tables | true edges found | of these with q <= 0.05 | false among those with q <= "
          "0.05 | cannot be tested |\n|---|---|---|---|---|")  # fmt: skip
    report = found["case"].str.startswith("report")
    groups = [(case, own) for case, own in found[~report].groupby("case", sort=False)]
    for case, own in [*groups, ("all report worlds, 1,000 rows", found[report])]:
        total = own.sum(numeric_only=True)
        print(
            f"| {case} | {total.true / total.of:.2f} | {total.both / max(total.true, 1):.3f} "
            f"| {own['false'].mean():.3f} | {total.untested:.0f} of {total.edges:.0f} |"
        )


def t_test(values, i, j, given):
    """Return the p-value of Student's t-test of a partial correlation."""
    design = np.column_stack([np.ones(len(values)), values[:, given]])
    slopes, *_ = np.linalg.lstsq(design, values[:, [i, j]], rcond=None)
    r = np.corrcoef((values[:, [i, j]] - design @ slopes).T)[0, 1]
    n_left = len(values) - 2 - len(given)
    return 2 * stats.t.sf(abs(r) * np.sqrt(n_left / (1 - r * r)), n_left)


def gaussian_power(n_variables, n_samples, seed):
    """Return p-values of the true edges of a Gaussian world, given the true neighbors."""
    world = sparse_gaussian(n_variables, random_state=seed)
    frame, graph = world.sample(n_samples, random_state=seed), np.asarray(world.adjacency)
    bound, found = Sieve().bind(as_table(frame)), []
    for i, j in zip(*np.nonzero(np.triu(graph)), strict=True):
        of_i, of_j = (sorted(set(np.flatnonzero(graph[k]).tolist()) - {i, j}) for k in (i, j))
        fewer, both = min(of_i, of_j, key=len), sorted({*of_i, *of_j})
        found.append({
            "columns": n_variables, "N": n_samples,
            "default": pair_test(bound, (int(i), int(j)), of_i, of_j).p_value,
            "t, the neighbors of both ends": t_test(frame.to_numpy(), i, j, both),
            "t, those of the end with fewer": t_test(frame.to_numpy(), i, j, fewer),
        })  # fmt: skip
    return found


def print_gaussian_power(options):
    """Print how often true edges are significant."""
    cases = product(((20, 60), (20, 100), (20, 200), (50, 100)), range(options.runs))
    tasks = (delayed(gaussian_power)(*case, seed) for case, seed in cases)
    found = pd.DataFrame([row for rows in Parallel(options.n_jobs)(tasks) for row in rows])
    tests = list(found)[2:]
    print(f"| columns | N | true edges | {' | '.join(tests)} |")
    print("|---" * (3 + len(tests)) + "|")
    for (columns, n_samples), own in found.groupby(["columns", "N"]):
        shares = " | ".join(_shares(own[test]) for test in tests)
        print(f"| {columns} | {n_samples} | {len(own)} | {shares} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="tables for each case")
    parser.add_argument("--rows", type=int, nargs="+", default=[200], help="rows of a table")
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--edge", type=float, default=0.0, help="how x pushes y: then, power")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    parser.add_argument("--tests", nargs="*", choices=list(TESTS), default=list(TESTS))
    parser.add_argument("--conditions", type=int, nargs="+", default=SIZES, help="how many")
    parser.add_argument("--noise", type=int, default=N_NOISE, help="columns of noise in a table")
    parser.add_argument("--table-only", action="store_true", help="print what was run before")
    parser.add_argument("--agreement", action="store_true", help="edges of graphs instead")
    parser.add_argument("--gaussian", action="store_true", help="power in Gaussian worlds instead")
    parser.add_argument("--bif", help="folder with networks, for --agreement; see families.py")
    options = parser.parse_args()
    if options.agreement:
        return print_agreement(options)
    if options.gaussian:
        return print_gaussian_power(options)
    what = "power" if options.edge else "null"
    if options.noise != N_NOISE:
        what += f"-with-{options.noise}-of-noise"
    folder = RESULTS / "significance" / what
    if not options.table_only:
        folder.mkdir(parents=True, exist_ok=True)
        runs = range(options.first, options.first + options.runs)
        for rows in options.rows:
            found = run_all(rows, runs, options)
            file = folder / f"{rows}-rows-from-{options.first}-{'-'.join(options.tests)}.csv"
            write_atomically(file, found.to_csv(index=False).encode())
    parts = [pd.read_csv(file) for file in sorted(folder.glob("*.csv"))]
    print_table(pd.concat(parts).groupby(KEYS, sort=False, as_index=False).first())


if __name__ == "__main__":
    main()
