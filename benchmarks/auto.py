"""What the default dependence costs, against the direct neighbour estimate it is made of.

    python benchmarks/auto.py             # both sections
    python benchmarks/auto.py questions   # one

`questions`: one question with 30 candidates, its time divided by 30, where the default does ask
neighbours. Both are bound, and have sorted their columns, before; beyond these, neither remembers
anything of a question. `fits`: whole GS-MPLE fits, and the part of them that goes into binding,
when the default takes its probes. Each dependence has the lambda that gives it about as many edges
as there are. All on one core, in turn; shown are medians. Writes `results/auto.csv`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from _measure import (
    RESULTS,
    Task,
    describe_machine,
    print_table,
    take_medians,
    time_in_turn,
    use_one_core,
    write_rows,
)

from mrflearn import GSMPLE
from mrflearn.datasets import World, mixed_random, random_network, sparse_gaussian
from mrflearn.dependence import KNN, Auto, Dependence, Gaussian, PlugIn, Specification, auto
from mrflearn.dependence.disagreement import Disagreement
from mrflearn.table import Table, as_table

K = 5
N_CANDIDATES = 30
SAMPLES = (100, 1000, 10_000)
GIVEN = (0, 1, 3, 6)
ROUNDS = 9
BUDGET = 3.0
"""Seconds for one dependence in one cell: as many rounds as fit, and at least one."""
LAMS = (0.01, 0.5)
"""Where to look for the lambda of a fit: not lower, as a graph of all pairs takes long."""
N_HALVINGS = 5
FILE = RESULTS / "auto.csv"

Row = dict[str, Any]


def build_row(section: str, table: str, n_samples: int, n_variables: int, **found: Any) -> Row:
    """Return a row of the file: what a section does not measure stays empty."""
    row: Row = {
        "section": section,
        "table": table,
        "n_samples": n_samples,
        "n_variables": n_variables,
        "n_given": "",
        "name": "",
        "milliseconds": "",
        "lam": "",
        "edges": "",
    }
    return row | found


# Questions


def draw_continuous(n_samples: int, n_variables: int) -> Table:
    """Return Gaussian columns that depend on each other."""
    rng = np.random.default_rng(0)
    mixing = np.eye(n_variables) + 0.15 * rng.normal(size=(n_variables, n_variables))
    return as_table(rng.normal(size=(n_samples, n_variables)) @ mixing)


def draw_mixed(n_samples: int, n_variables: int) -> Table:
    """Return continuous columns, counts, and nominal ones of two and of more labels."""
    world = mixed_random(n_variables, random_state=0)
    return as_table(world.sample(n_samples, random_state=0))


def bind_asking(table: Table) -> Dependence:
    """Return the default as if probes had found what correlations miss: it asks neighbours then.

    With the fewest probes, as they change values, not what a question costs.
    """
    before = auto.MAX_ROWS
    auto.MAX_ROWS = 1
    try:
        dependence: Any = Auto(K).bind(table)
    finally:
        auto.MAX_ROWS = before
    dependence.learned = Disagreement(variance=0.01, misfit=0.0)
    return dependence


def measure_questions(quick: bool) -> list[Row]:
    """Time questions to the default, to the neighbour estimate and to correlations alone."""
    samples, rounds = (SAMPLES[:2], 3) if quick else (SAMPLES, ROUNDS)
    rows: list[Row] = []
    for (kind, draw), n_samples in product(
        {"continuous": draw_continuous, "mixed": draw_mixed}.items(), samples
    ):
        n_variables = 1 + max(GIVEN) + N_CANDIDATES
        table = draw(n_samples, n_variables)
        bound = {
            "auto": bind_asking(table),
            "knn": KNN(K).bind(table),
            "copula": Gaussian(copula=True).bind(table),
        }
        for n_given in GIVEN:
            # The last is asked about the others, so that a mixed table's first kind is not all.
            given = range(n_variables - 1 - n_given, n_variables - 1)
            tasks: dict[str, Task] = {
                name: partial(dependence.cmi_many, n_variables - 1, range(N_CANDIDATES), given)
                for name, dependence in bound.items()
            }
            for task in tasks.values():
                task()  # compiles, and sorts columns
            for name, seconds in take_medians(time_in_turn(tasks, rounds, BUDGET)).items():
                found = {"name": name, "milliseconds": 1e3 * seconds / N_CANDIDATES}
                cell = ("questions", kind, n_samples, n_variables)
                rows.append(build_row(*cell, n_given=n_given, **found))
        print(f"{kind}, N = {n_samples} measured", file=sys.stderr, flush=True)
    print_questions(rows)
    return rows


def print_questions(rows: Sequence[Row]) -> None:
    times: dict[tuple[str, int, int], dict[str, float]] = {}
    for row in rows:
        cell = row["table"], row["n_samples"], row["n_given"]
        times.setdefault(cell, {})[row["name"]] = row["milliseconds"]
    print_table(
        f"One value, of questions with {N_CANDIDATES} candidates: milliseconds",
        ["table", "N", "|Z|", "auto / knn", "auto", "knn", "copula"],
        [
            [*cell, by["auto"] / by["knn"], by["auto"], by["knn"], by["copula"]]
            for cell, by in times.items()
        ],
    )


# Fits


@dataclass(frozen=True)
class Fit:
    """A table to be fitted, and with what."""

    label: str
    world: World
    n_samples: int
    specifications: Mapping[str, Specification]


def fits(quick: bool) -> list[Fit]:
    both = {"auto": Auto(K), "knn": KNN(K)}
    every = both | {"plugin": PlugIn("df")}
    chosen = [
        Fit("sparse Gaussian", sparse_gaussian(9), 100, both),
        Fit("sparse Gaussian", sparse_gaussian(30), 1000, both),
        Fit("mixed", mixed_random(20, random_state=0), 1000, both),
        Fit("discrete network", random_network(20, max_parents=2, random_state=0), 1000, every),
    ]
    return chosen[::3] if quick else chosen


def choose_lam(specification: Specification, data: pd.DataFrame, n_edges: int) -> float:
    """Return a lambda at which there are about as many edges as given, by halving a range."""
    low, high = np.log(LAMS)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        found = len(GSMPLE(np.exp(middle), dependence=specification).fit(data).graph_.edges)
        if found == n_edges:
            break
        low, high = (low, middle) if found < n_edges else (middle, high)
    return float(np.exp(middle))


def measure_fits(quick: bool) -> list[Row]:
    """Time whole fits, and binding alone."""
    rows: list[Row] = []
    body = []
    for fit in fits(quick):
        data = fit.world.sample(fit.n_samples, random_state=0)
        table = as_table(data)
        n_edges = int(fit.world.adjacency.sum()) // 2
        estimators = {
            name: GSMPLE(choose_lam(specification, data, n_edges), dependence=specification)
            for name, specification in fit.specifications.items()
        }
        tasks: dict[str, Task] = {
            name: partial(estimator.fit, data) for name, estimator in estimators.items()
        }
        tasks |= {
            f"{name}, binding": partial(specification.bind, table)
            for name, specification in fit.specifications.items()
        }
        # Whatever compiles was compiled when lambdas were chosen.
        times = take_medians(time_in_turn(tasks, 3 if quick else ROUNDS, 2 * BUDGET))
        size = fit.n_samples, fit.world.n_variables
        for name, seconds in times.items():
            of = estimators[name.removesuffix(", binding")]
            found = {"lam": of.lam, "edges": len(of.graph_.edges), "milliseconds": 1e3 * seconds}
            rows.append(build_row("fits", fit.label, *size, name=name, **found))
        for name, estimator in estimators.items():
            seconds = times[name]
            body.append(
                [fit.label, size[1], size[0], name, seconds / times["knn"], 1e3 * seconds,
                 1e3 * times[f"{name}, binding"], estimator.n_evaluations_, estimator.lam,
                 len(estimator.graph_.edges), n_edges]
            )  # fmt: skip
        print(f"{fit.label}, D = {size[1]} measured", file=sys.stderr, flush=True)
    print_table(
        "Whole GS-MPLE fits: milliseconds",
        ["table", "D", "N", "dependence", "this / knn", "fit", "binding", "evaluations", "lambda",
         "edges", "of"],
        body,
    )  # fmt: skip
    return rows


SECTIONS = {"questions": measure_questions, "fits": measure_fits}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}; all if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, another file")
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}: there are {', '.join(SECTIONS)}")
    print(describe_machine())
    rows: list[Row] = []
    for name in options.sections or SECTIONS:
        rows += SECTIONS[name](options.quick)
    write_rows(RESULTS / "auto-quick.csv" if options.quick else FILE, rows)


if __name__ == "__main__":
    use_one_core()
    main()
