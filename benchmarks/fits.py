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
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

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
    run_with_limit,
    take_medians,
    time_in_turn,
    use_one_core,
    write_rows,
)
from peers import import_depynd

from mrflearn import GSMPLE
from mrflearn.dependence import KNN, Dependence, MixedKSG, PlugIn, Specification
from mrflearn.search import gs_mple
from mrflearn.table import Table, as_table

LAM = 0.1
"""Finds about as many edges as there are, and mostly those, in the tables of `draw_sparse`."""
DEPYND_LIMIT = 90.0
"""Seconds after which a fit of depynd is given up."""
FILE = RESULTS / "fits.csv"
FIGURE = IMAGES / "fits.png"

Row = dict[str, Any]


def draw_sparse(n_samples: int, n_variables: int, seed: int = 0) -> np.ndarray:
    """Return Gaussian columns of unit variance, with about 1.5 edges a node.

    Each column depends on an earlier one, and every other one on a parent of that one as well, so
    that parents are neighbours and these pairs are all the edges.
    """
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_samples)]
    parents: list[list[int]] = [[]]
    for i in range(1, n_variables):
        chosen = [int(rng.integers(max(0, i - 4), i))]
        if i % 2 == 0 and parents[chosen[0]]:
            chosen.append(int(rng.choice(parents[chosen[0]])))
        signal = sum(rng.choice((-1, 1)) * columns[parent] for parent in chosen)
        columns.append(0.8 * signal / np.std(signal) + 0.6 * rng.normal(size=n_samples))
        parents.append(chosen)
    return np.column_stack(columns)


def draw_chain(seed: int, n_samples: int = 100) -> np.ndarray:
    """Return a chain of five variables and, for all but the last, an observation of each."""
    rng = np.random.default_rng(seed)
    chain = [rng.normal(size=n_samples)]
    for _ in range(4):
        chain.append(0.8 * chain[-1] + 0.6 * rng.normal(size=n_samples))
    observed = [0.8 * state + 0.6 * rng.normal(size=n_samples) for state in chain[:-1]]
    return np.column_stack([*chain, *observed])


def build_row(section: str, what: str, n_samples: int, n_variables: int, **found: Any) -> Row:
    """Return a row of the file: what a section does not measure stays empty."""
    row: Row = {
        "section": section,
        "what": what,
        "n_samples": n_samples,
        "n_variables": n_variables,
        "cores": 1,
        "seconds": "",
        "edges": "",
        "evaluations": "",
        "growth_mib": "",
        "peak_mib": "",
        "note": "",
    }
    unknown = set(found) - set(row)
    if unknown:
        raise KeyError(f"no such columns: {unknown}")
    return row | found


# Against the authors' program


@dataclass(frozen=True)
class AsDepyndAsks(Specification):
    """depynd's estimate, and its order: of a pair it takes the later variable for X in both terms.

    I(X; Y | Z) is estimated as I((X, Z); Y) - I(Y; Z), which is not symmetric. We take for X the
    node whose neighbours are Z, in either term.
    """

    n_neighbors: int = 3

    def bind(self, table: Table) -> Dependence:
        """Return the dependence between the variables of `table`."""
        return _BoundAsDepyndAsks(MixedKSG(self.n_neighbors, "depynd").bind(table))


class _BoundAsDepyndAsks(Dependence):
    symmetric = False

    def __init__(self, dependence: Dependence) -> None:
        self.inner = dependence
        self.n_variables = dependence.n_variables

    def _cmi_many(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> np.ndarray:
        return np.array([self.inner.cmi(max(i, j), min(i, j), given) for j in candidates])


def load_depynd() -> Callable[[np.ndarray, float], frozenset[tuple[int, int]]]:
    """Return depynd's GS-MPLE, with the neighbour estimate that is its default for such data."""
    import_depynd()
    from depynd.markov_networks import _gsmple

    def fit(data: np.ndarray, lam: float) -> frozenset[tuple[int, int]]:
        options = {"mi_estimator": "knn", "is_discrete": False, "n_neighbors": 3}
        return as_edges(_gsmple(data, lam, **options))

    return fit


def as_edges(adjacency: np.ndarray) -> frozenset[tuple[int, int]]:
    return frozenset(zip(*np.nonzero(np.triu(adjacency)), strict=True))


def measure_paper(quick: bool) -> list[Row]:
    """Time fits at N = 100, D = 9, and compare the edges with depynd's."""
    rounds, n_tables, lam = (2, 3, 0.2) if quick else (5, 20, 0.2)
    estimators = {
        'MixedKSG(3, "depynd")': GSMPLE(lam, dependence=MixedKSG(3, "depynd"), scale=None),
        "the same, in depynd's order": GSMPLE(lam, dependence=AsDepyndAsks(), scale=None),
        "KNN(), the default": GSMPLE(lam, scale=None),
    }
    data = draw_chain(0)
    tasks: dict[str, Task] = {
        name: partial(estimator.fit, data) for name, estimator in estimators.items()
    }
    lams = np.geomspace(1.0, lam, 50)
    tasks["KNN(), path of 50 lambdas"] = partial(GSMPLE(scale=None).path, data, lams)
    for task in tasks.values():
        task()
    try:
        depynd = load_depynd()
    except Exception as error:  # whatever others' code may raise
        print(f"\ndepynd not measured: {type(error).__name__}: {error}")
    else:
        tasks["depynd"] = partial(depynd, data, lam)
    seconds = take_medians(time_in_turn(tasks, rounds))
    print_table(
        f"Fits at N = 100, D = 9, lambda = {lam}, one core: milliseconds",
        ["", "depynd / this", "ms", "evaluations", "edges"],
        [
            [
                name,
                seconds["depynd"] / taken if "depynd" in seconds else None,
                1e3 * taken,
                getattr(estimators.get(name), "n_evaluations_", None),
                len(estimators[name].graph_.edges) if name in estimators else None,
            ]
            for name, taken in seconds.items()
        ],
    )
    ratio = seconds["KNN(), path of 50 lambdas"] / seconds["KNN(), the default"]
    print(f"\nA path of 50 lambdas takes {ratio:.2f} times as long as its smallest alone.")
    if "depynd" in seconds:
        compare_edges(depynd, estimators, n_tables, lam)
    return [build_row("paper", name, 100, 9, seconds=taken) for name, taken in seconds.items()]


def compare_edges(
    depynd: Callable[[np.ndarray, float], frozenset[tuple[int, int]]],
    estimators: dict[str, GSMPLE],
    n_tables: int,
    lam: float,
) -> None:
    """Print in how many tables an estimator finds depynd's edges, and how many edges differ."""
    tables = [draw_chain(seed) for seed in range(1, 1 + n_tables)]
    theirs = [depynd(data, lam) for data in tables]
    body = []
    for name, estimator in estimators.items():
        ours = [as_edges(estimator.fit(data).adjacency_) for data in tables]
        differing = [len(a ^ b) for a, b in zip(ours, theirs, strict=True)]
        body.append([name, f"{differing.count(0)} of {n_tables}", sum(differing)])
    print_table(
        f"The same edges as depynd, which finds {sum(map(len, theirs))} in {n_tables} tables",
        ["", "same graph", "edges that differ"],
        body,
    )


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
    GSMPLE(0.05).fit(draw_sparse(30, 4))
    before = read_memory("VmRSS")
    data = draw_sparse(n_samples, n_variables)
    warm_up(data)
    estimators = {str(n_jobs): GSMPLE(lam, n_jobs=n_jobs) for n_jobs in jobs}
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


def measure_depynd(groups: Sequence[Sequence[tuple[int, int]]]) -> list[Row]:
    """Time depynd on the same tables, each group in order until one takes longer than the limit."""
    found: dict[tuple[int, int], float | None] = {}
    for group in groups:
        for size in group:
            if size not in found:
                try:
                    found[size] = run_with_limit(DEPYND_LIMIT, time_depynd, *size)
                except Exception as error:  # whatever others' code may raise
                    print(f"\ndepynd not measured: {type(error).__name__}: {error}")
                    return []
            if found[size] is None:
                break
    late = f"not finished in {DEPYND_LIMIT:.0f} s"
    print_table(
        "depynd's GS-MPLE on the same tables, one core; larger ones not tried",
        ["D", "N", "seconds"],
        [[d, n, late if seconds is None else seconds] for (n, d), seconds in found.items()],
    )
    return [
        build_row("sizes", "depynd", n, d, **({"note": late} if s is None else {"seconds": s}))
        for (n, d), s in found.items()
    ]


def time_depynd(n_samples: int, n_variables: int) -> float:
    """Return the seconds of one fit; for a fresh process."""
    task = partial(load_depynd(), draw_sparse(n_samples, n_variables), LAM)
    return time_in_turn({"fit": task}, 1)["fit"][0]


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
    estimator, repeats = GSMPLE(lam), 10
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


# The figure


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the seconds of `sizes` against D and against N."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    sizes = [row for row in rows if row["section"] == "sizes"]
    n_cores = max(int(row["cores"]) for row in sizes)
    lines = [
        ("mrflearn, one core", "black", "o", 3.0, "mrflearn", 1),
        (f"mrflearn, {n_cores} cores", "#0072B2", "s", 2.0, "mrflearn", n_cores),
        (f"depynd, one core, up to {DEPYND_LIMIT:.0f} s", "#D55E00", "^", 2.5, "depynd", 1),
    ]
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    for panel, free, fixed, value in (
        (panels[0], "n_variables", "n_samples", 1000),
        (panels[1], "n_samples", "n_variables", 20),
    ):
        for label, colour, marker, width, what, cores in lines:
            points = sorted(
                (int(row[free]), float(row["seconds"]))
                for row in sizes
                if row["what"] == what and int(row["cores"]) == cores and int(row[fixed]) == value
                if row["seconds"] != ""
            )
            if points:
                panel.plot(
                    *zip(*points, strict=True), color=colour, marker=marker, label=label,
                    linewidth=width, markersize=4 + width, zorder=width,
                )  # fmt: skip
        panel.set(xscale="log", yscale="log")
        ticks = sorted({int(row[free]) for row in sizes if int(row[fixed]) == value})
        panel.set_xticks(ticks)
        panel.minorticks_off()
        panel.grid(True, which="major", color="0.9", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,g}"))
    panels[0].set(xlabel="variables D", ylabel="seconds for one fit")
    panels[0].set_title("N = 1,000", loc="left", fontsize=11, fontweight="bold")
    panels[1].set_xlabel("samples N")
    panels[1].set_title("D = 20", loc="left", fontsize=11, fontweight="bold")
    panels[0].legend(frameon=False, fontsize=9)
    figure.suptitle("GS-MPLE fits of sparse Gaussian tables", x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"\n{path}")


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
