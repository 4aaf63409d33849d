"""Whole GS-MPLE fits: against the authors' program, against D and N, large, discrete; memory.

    python benchmarks/fits.py                 # all sections
    python benchmarks/fits.py paper discrete  # some

Each section prints a table, and its rows replace those of the last time in `results/fits.csv`;
`sizes` is drawn as `docs/images/fits.png`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from _measure import (
    IMAGES,
    RESULTS,
    Task,
    count_cores,
    describe_machine,
    print_table,
    read_memory,
    read_rows,
    run_in_fresh_process,
    take_medians,
    time_in_turn,
    use_one_core,
    write_rows,
)
from fits_depynd import measure_depynd, measure_paper
from fits_figure import draw
from fits_tables import LAM, Row, build_row, draw_sparse

from mrflearn import GSMPLE
from mrflearn.dependence import KNN, Dependence, PlugIn
from mrflearn.search import gs_mple
from mrflearn.table import as_table

FILE = RESULTS / "fits.csv"
FIGURE = IMAGES / "fits.png"


# Against D and N


def warm_up(data: np.ndarray) -> None:
    """Have all kernels that a fit may use on such data compiled, or loaded."""
    dependence = KNN().bind(as_table(data))
    for n_given in range(min(4, data.shape[1] - 1)):
        others = range(1 + n_given, data.shape[1])
        dependence.cmi_many(0, others[:8], range(1, 1 + n_given))
        dependence.cmi_many(0, others[:1], range(1, 1 + n_given))


def measure_fit(
    n_samples: int, n_variables: int, lam: float, jobs: Sequence[int], rounds: int, budget: float
) -> Row:
    """Fit one table with several numbers of threads, in turn; for a fresh process."""
    GSMPLE(0.05, dependence="knn").fit(draw_sparse(30, 4))
    before = read_memory("VmRSS")
    data = draw_sparse(n_samples, n_variables)
    warm_up(data)
    estimators = {str(n_jobs): GSMPLE(lam, dependence="knn", n_jobs=n_jobs) for n_jobs in jobs}
    tasks = {name: partial(estimator.fit, data) for name, estimator in estimators.items()}
    seconds = take_medians(time_in_turn(tasks, rounds, budget))
    one = next(iter(estimators.values()))
    return {
        "seconds": {int(name): taken for name, taken in seconds.items()},
        "edges": len(one.graph_.edges),
        "evaluations": one.n_evaluations_,
        "before": before,
        "peak": read_memory("VmHWM"),
    }


def measure_sizes(quick: bool) -> list[Row]:
    """Time fits against D at N = 1,000 and against N at D = 20, on one core and on all."""
    against_d = [(1000, n_variables) for n_variables in (5, 10, 20, 50, 100)]
    against_n = [(n_samples, 20) for n_samples in (100, 300, 1000, 3000)]
    if quick:
        against_d, against_n = against_d[:3], against_n[:3]
    jobs = (1, count_cores())
    rows: list[Row] = []
    body = []
    for n_samples, n_variables in dict.fromkeys(against_d + against_n):
        large = n_variables >= 100
        settings = (2 if large else 5, math.inf if large else 10.0)
        found = run_in_fresh_process(measure_fit, n_samples, n_variables, LAM, jobs, *settings)
        seconds, growth = found["seconds"], found["peak"] - found["before"]
        for cores, taken in seconds.items():
            row = build_row(
                "sizes", "mrflearn", n_samples, n_variables, cores=cores, seconds=taken,
                edges=found["edges"], evaluations=found["evaluations"], growth_mib=growth,
                peak_mib=found["peak"],
            )  # fmt: skip
            rows.append(row)
        one, every = seconds[jobs[0]], seconds[jobs[1]]
        per_second = f"{found['evaluations'] / one:,.0f}"
        body.append([n_variables, n_samples, one, every, one / every, found["edges"],
                     found["evaluations"], per_second, growth])  # fmt: skip
        print(f"N = {n_samples}, D = {n_variables} measured", file=sys.stderr, flush=True)
    print_table(
        f"GS-MPLE fits, lambda = {LAM}, knn: seconds",
        ["D", "N", "one core", f"all {jobs[1]} cores", "one / all", "edges", "evaluations",
         "a second", "growth of memory, MiB"],
        body,
    )  # fmt: skip
    return rows + measure_depynd([against_d, against_n])


# Large, discrete, memory


def measure_large(quick: bool) -> list[Row]:
    """Fit D = 500, N = 500 once on all cores."""
    n_samples, n_variables, lam = (200, 60, 0.15) if quick else (500, 500, 0.15)
    n_cores = count_cores()
    found = run_in_fresh_process(measure_fit, n_samples, n_variables, lam, (n_cores,), 1, math.inf)
    seconds = found["seconds"][n_cores]
    growth = found["peak"] - found["before"]
    print_table(
        f"A large fit, lambda = {lam}, knn, all {n_cores} cores",
        ["D", "N", "seconds", "edges", "evaluations", "a second", "peak, MiB", "growth, MiB"],
        [[n_variables, n_samples, seconds, found["edges"], found["evaluations"],
          f"{found['evaluations'] / seconds:,.0f}", found["peak"], growth]],
    )  # fmt: skip
    row = build_row(
        "large", "mrflearn", n_samples, n_variables, cores=n_cores, seconds=seconds,
        edges=found["edges"], evaluations=found["evaluations"], growth_mib=growth,
        peak_mib=found["peak"],
    )  # fmt: skip
    return [row]


class Recorder(Dependence):
    """The same dependence, which remembers what it was asked."""

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables
        self.symmetric = dependence.symmetric
        self.asked: list[tuple[int, ...]] = []

    def _cmi_many(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> np.ndarray:
        self.asked.extend((i, j, *given) for j in candidates)
        return self.inner.cmi_many(i, candidates, given)


def measure_discrete(quick: bool) -> list[Row]:
    """Time an all-discrete fit against the contingency tables it needs, counted by NumPy.

    One table for each conditional mutual information, from codes of its cells made beforehand:
    the time for 50 of those that the fit asks for, counted again and again, so that the codes are
    in the processor's cache.
    """
    n_samples, n_variables, rounds = (2000, 15, 3) if quick else (10000, 50, 9)
    lam = 0.15
    data = draw_sparse(n_samples, n_variables)
    cuts = np.quantile(data, (0.25, 0.5, 0.75), axis=0)
    levels = (data[:, np.newaxis, :] > cuts).sum(axis=1)
    recorder = Recorder(PlugIn().bind(as_table(levels)))
    gs_mple.run(recorder, lam)
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(recorder.asked), 50, replace=False)
    cells = [code_cells(levels[:, list(recorder.asked[at])]) for at in chosen]
    estimator, repeats = GSMPLE(lam, dependence="plugin"), 10
    tasks: dict[str, Task] = {
        "fit": partial(estimator.fit, levels),
        "count": lambda: [np.bincount(codes) for _ in range(repeats) for codes in cells],
    }
    for task in tasks.values():
        task()
    seconds = take_medians(time_in_turn(tasks, rounds))
    n_evaluations, n_edges = estimator.n_evaluations_, len(estimator.graph_.edges)
    count = seconds["count"] / (repeats * len(cells))
    counting = count * n_evaluations
    print_table(
        f"A discrete fit, N = {n_samples}, D = {n_variables}, 4 levels, lambda = {lam}, one core",
        ["fit / counting", "fit, s", "counting, s", "edges", "evaluations", "µs each",
         "µs a count"],
        [[seconds["fit"] / counting, seconds["fit"], counting, n_edges, n_evaluations,
          1e6 * seconds["fit"] / n_evaluations, 1e6 * count]],
    )  # fmt: skip
    found = {"edges": n_edges, "evaluations": n_evaluations}
    return [
        build_row("discrete", "fit", n_samples, n_variables, seconds=seconds["fit"], **found),
        build_row("discrete", "counting", n_samples, n_variables, seconds=counting, **found),
    ]


def code_cells(columns: np.ndarray) -> np.ndarray:
    """Return for each row the number of its cell, the cells in use numbered from 0."""
    codes = np.unique(columns, axis=0, return_inverse=True)[1]
    return np.ascontiguousarray(codes.ravel(), dtype=np.int64)


def measure_memory(quick: bool) -> list[Row]:
    """Fit N = 10,000, D = 50 with a lambda that ends it after the first scores."""
    n_samples, n_variables = (3000, 10) if quick else (10000, 50)
    rows, body = [], []
    for n_jobs in (1, count_cores()):
        found = run_in_fresh_process(
            measure_fit, n_samples, n_variables, math.inf, (n_jobs,), 1, math.inf
        )
        seconds, growth = found["seconds"][n_jobs], found["peak"] - found["before"]
        body.append([n_jobs, found["before"], found["peak"], growth, seconds,
                     found["evaluations"]])  # fmt: skip
        row = build_row(
            "memory", "mrflearn", n_samples, n_variables, cores=n_jobs, seconds=seconds,
            evaluations=found["evaluations"], growth_mib=growth, peak_mib=found["peak"],
        )  # fmt: skip
        rows.append(row)
    size = n_samples * n_variables * 8 / 2**20
    print_table(
        f"Memory of a fit, N = {n_samples}, D = {n_variables} ({size:.1f} MiB of data): MiB",
        ["cores", "after imports", "peak", "growth", "seconds", "evaluations"],
        body,
    )
    return rows


SECTIONS: dict[str, Callable[[bool], list[Row]]] = {
    "paper": measure_paper,
    "sizes": measure_sizes,
    "large": measure_large,
    "discrete": measure_discrete,
    "memory": measure_memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="smaller tables, other files")
    parser.add_argument("--plot-only", action="store_true", help="draw the last results again")
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}: there are {', '.join(SECTIONS)}")
    file, figure = FILE, FIGURE
    if options.quick:
        file, figure = RESULTS / "fits-quick.csv", RESULTS / "fits-quick.png"
    if options.plot_only:
        draw(read_rows(file), figure)
        return
    print(describe_machine())
    chosen = options.sections or list(SECTIONS)
    rows: list[Row] = [
        row for row in (read_rows(file) if file.exists() else []) if row["section"] not in chosen
    ]
    for name in chosen:
        rows += SECTIONS[name](options.quick)
        write_rows(file, rows)
    if "sizes" in chosen:
        draw(rows, figure)


if __name__ == "__main__":
    use_one_core()
    main()
