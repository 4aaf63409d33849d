"""F1 of the chosen graph on the tables that people of each field bring, against other methods.

Gaussian tables, Likert items, Bayesian networks of the literature and mixed tables, at many sizes.
`--bif DIR` names a folder with `asia.bif.gz` and so on, as the package pgmpy has them in
`pgmpy/utils/example_models`; without it networks are left out. Methods of R are run by `Rscript`,
on the same tables, where it and their package are there.
"""

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from mrflearn._files import write_atomically
from mrflearn.datasets import mixed_random, sparse_gaussian
from mrflearn.datasets.networks import BayesianNetwork
from mrflearn.estimators import GSMN, GSMPLE, IAMB, GLasso, MixedPairwise, NodewiseLasso
from mrflearn.metrics import f1

RESULTS = Path(__file__).parent / "results"


class OfR:
    """A method of R: code that makes the adjacency matrix `a` of the table `d`."""

    def __init__(self, code, columns="'numeric'"):
        self.code = f"d <- read.csv(commandArgs(TRUE)[1], colClasses = {columns}); {code}"
        self.code += "; write(1 * (as.matrix(a) != 0), stdout(), ncolumns = ncol(d))"

    def fit(self, frame):
        """Write the table, and read what R makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.csv"
            frame.set_axis([f"v{k}" for k in range(frame.shape[1])], axis=1).to_csv(
                file, index=False
            )
            try:
                done = subprocess.run(
                    ["Rscript", "-e", self.code, str(file)], capture_output=True, text=True
                )
            except FileNotFoundError:
                raise ValueError("Rscript is not installed") from None
        if done.returncode:
            raise ValueError(done.stderr.strip().splitlines()[-1])
        rows = done.stdout.strip().splitlines()[-frame.shape[1] :]
        self.adjacency_ = np.array([row.split() for row in rows], dtype=int) != 0
        return self


METHODS = {
    "default": GSMPLE,
    "copula": lambda: GSMPLE(dependence="copula"),
    "plug-in": lambda: GSMPLE(dependence="plugin"),
    "IAMB": IAMB,
    "GSMN": GSMN,
    "GLasso": GLasso,
    "NodewiseLasso": NodewiseLasso,
    "MixedPairwise": MixedPairwise,
    "hc, bnlearn": lambda: OfR("a <- bnlearn::amat(bnlearn::moral(bnlearn::hc(d)))", "'factor'"),
    "mb ric, huge": lambda: OfR(
        "x <- as.matrix(d); set.seed(1); "
        "a <- huge::huge.select(huge::huge(x, method = 'mb', verbose = FALSE), "
        "criterion = 'ric', verbose = FALSE)$refit"
    ),
    "EBIC, mgm": lambda: OfR(
        "real <- sapply(d, function(x) is.numeric(x) && length(unique(x)) > 2); "
        "d[!real] <- lapply(d[!real], function(x) as.integer(factor(x))); "
        "level <- ifelse(real, 1, sapply(d, function(x) length(unique(x)))); set.seed(1); "
        "a <- mgm::mgm(as.matrix(d), ifelse(real, 'g', 'c'), level, lambdaSel = 'EBIC', k = 2, "
        "pbar = FALSE, signInfo = FALSE, warnings = FALSE)$pairwise$wadj",
        "NA",
    ),
    "ggmModSelect, qgraph": lambda: OfR(
        "a <- qgraph::ggmModSelect(cor(d, method = 'spearman'), nrow(d), verbose = FALSE)$graph"
    ),
}
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder")
STYLES = {
    "equal": (False, 0.0),
    "skewed": (True, 0.0),
    "equal, response style": (False, 0.35),
}
FAMILIES = {
    "gaussian": [(columns, n) for columns in (20, 50, 100) for n in (200, 1_000)],
    "likert": [
        ((levels, style), n)
        for levels in (3, 5, 7, 10)
        for style in STYLES
        for n in (300, 1_000, 3_000)
    ],
    "networks": [(name, n) for name in NETWORKS for n in (500, 2_000, 10_000)],
    "mixed": [(20, n) for n in (300, 1_000, 3_000, 10_000)],
}


def network(folder, name):
    """Return a network from a file in the Bayesian Interchange Format."""
    file = next(Path(folder).glob(f"{name}.bif*"))
    content = file.read_bytes()
    text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode()
    levels = {
        found[1]: [level.strip() for level in found[2].split(",")]
        for found in re.finditer(
            r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", text
        )
    }
    names = list(levels)
    parents, tables = {}, {}
    for found in re.finditer(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}", text):
        child, _, rest = (part.strip() for part in found[1].partition("|"))
        own = [part.strip() for part in rest.split(",") if part.strip()]
        table = np.zeros([len(levels[parent]) for parent in own] + [len(levels[child])])
        if own:
            for row in re.finditer(r"\(([^)]*)\)([^;]*);", found[2]):
                values = [value.strip() for value in row[1].split(",")]
                place = tuple(
                    levels[parent].index(v) for parent, v in zip(own, values, strict=True)
                )
                table[place] = [float(p) for p in row[2].split(",")]
        else:
            row = re.search(r"table([^;]*);", found[2])
            table[:] = [float(p) for p in row[1].split(",")]
        parents[child] = [names.index(parent) for parent in own]
        tables[child] = table / table.sum(axis=-1, keepdims=True)
    return BayesianNetwork(
        names,
        [levels[v] for v in names],
        [parents[v] for v in names],
        [tables[v] for v in names],
        name,
    )


def likert(n_items, n_samples, n_levels, skewed, style, seed):
    """Return Gaussian items cut into levels, and their graph; `style` is a common log scale."""
    world = sparse_gaussian(n_items, random_state=seed)
    rng = np.random.default_rng([seed, n_levels, n_samples])
    data = world.sample(n_samples, random_state=seed + 1_000).to_numpy()
    data = data * np.exp(style * rng.normal(size=(n_samples, 1)))
    items = {}
    for k, values in enumerate(data.T):
        shares = rng.dirichlet(np.full(n_levels, 1.5)) if skewed else np.full(n_levels, 1.0)
        cuts = np.cumsum(shares / shares.sum())[:-1]
        items[f"q{k}"] = np.searchsorted(np.quantile(values, cuts), values)
    return pd.DataFrame(items), np.asarray(world.adjacency)


def table_of(family, case, n_samples, run, folder):
    """Return a table and its true graph."""
    if family == "likert":
        n_levels, style = case
        return likert(20, n_samples, n_levels, *STYLES[style], run)
    if family == "networks":
        world = network(folder, case)
    elif family == "gaussian":
        world = sparse_gaussian(case, random_state=run)
    else:
        world = mixed_random(case, random_state=run + 10)
    return world.sample(n_samples, random_state=run + 50), np.asarray(world.adjacency)


def one_run(method, family, case, n_samples, run, folder):
    """Return how good the chosen graph of one table is."""
    frame, truth = table_of(family, case, n_samples, run, folder)
    begun = time.monotonic()
    found, reason = np.zeros_like(truth), ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = METHODS[method]().fit(frame).adjacency_
        except ValueError as error:  # a method that does not take such columns
            reason = str(error)
    n_found = int(np.triu(found).sum())
    return {
        "family": family, "case": str(case), "n_samples": n_samples, "run": run, "method": method,
        "f1": f1(truth, found), "false": int(np.triu(found & ~truth).sum()) / max(n_found, 1),
        "seconds": time.monotonic() - begun, "reason": reason,
    }  # fmt: skip


def main():
    """Run, keep the rows in a file, and print a table for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=["default"])
    parser.add_argument("--bif", help="folder with networks as .bif or .bif.gz files")
    parser.add_argument("--runs", type=int, default=3, help="tables for each case")
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--output", default=str(RESULTS / "families" / "results.csv"))
    options = parser.parse_args()
    families = [name for name in options.families if name != "networks" or options.bif]
    tasks = [
        delayed(one_run)(method, family, case, n_samples, run, options.bif)
        for family in families
        for case, n_samples in reversed(FAMILIES[family])
        for method in options.methods
        for run in range(options.runs)
    ]
    rows = []
    for row in Parallel(options.n_jobs, return_as="generator_unordered")(tasks):
        rows.append(row)
        print(f"\r{len(rows)} of {len(tasks)} tables", end="", file=sys.stderr, flush=True)
        if len(rows) % 50 == 0 or len(rows) == len(tasks):
            Path(options.output).parent.mkdir(parents=True, exist_ok=True)
            results = pd.DataFrame(rows)
            write_atomically(Path(options.output), results.to_csv(index=False).encode())
    results = results[results["reason"].isna() | (results["reason"] == "")]
    for family in families:
        own = results[results["family"] == family]
        means = own.groupby(["case", "n_samples", "method"])[["f1", "false", "seconds"]].mean()
        print(
            f"\n{family}\n| case | N | method | F1 | false | seconds |\n|---|---|---|---|---|---|"
        )
        for (case, n_samples, method), row in means.iterrows():
            cells = f"{row.f1:.3f} | {row.false:.3f} | {row.seconds:.2f}"
            print(f"| {case} | {n_samples} | {method} | {cells} |")
        print(own.groupby(["method", "n_samples"])["f1"].mean().unstack("n_samples").round(3))


if __name__ == "__main__":
    main()
