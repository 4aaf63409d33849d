"""Milliseconds per conditional mutual information, ours and the peers', on one core.

k = 5, on Gaussian columns that depend on each other. Ours: one question with 30 candidates, its
time divided by 30, asked of a dependence that knows nothing yet. Peers: one call, each on the next
of the same candidates. All take turns, and shown are medians. Writes `results/cmi.csv` and draws
it: `docs/images/cmi.png`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
from _measure import (
    IMAGES,
    RESULTS,
    Task,
    count_cores,
    describe_machine,
    fit_exponent,
    print_table,
    read_rows,
    take_medians,
    time_in_turn,
    use_one_core,
    write_rows,
)
from peers import TOLERANCE, WIDE_TOLERANCE, Cmi, Peer, check, load_peers
from sklearn.isotonic import isotonic_regression

from mrflearn.dependence import KNN, FrenzelPompe, MixedKSG, Specification, Threaded
from mrflearn.table import Table, as_table

K = 5
N_CANDIDATES = 30
SAMPLES = (100, 300, 1000, 3000, 10000)
GIVEN = (0, 1, 3, 6)
OURS: dict[str, tuple[Specification, float]] = {
    "knn": (KNN(K), TOLERANCE),
    "frenzel-pompe": (FrenzelPompe(K), TOLERANCE),
    "mixed-ksg": (MixedKSG(K), WIDE_TOLERANCE),
}
ROUNDS = 9
BUDGET = 2.0
"""Seconds for one estimator in one cell: as many rounds as fit, and at least one."""
CALL_LIMIT = 20.0
"""Seconds past which a call is not made; expected is the time at the last N, times (N / N')²."""
MEMORY_LIMIT = 4e9
LOOKS = (
    ("#0072B2", "s"), ("#56B4E9", "D"), ("#D55E00", "^"), ("#CC79A7", "v"), ("#E69F00", "P"),
    ("#7F3C8D", "X"), ("#009E73", "<"), ("#00796B", "h"), ("#A05A2C", ">"), ("#777777", "d"),
)  # fmt: skip
"""A colour and a marker for each peer: no two alike to any eye, or in print."""
THREADED = "knn, threads"
FILE = RESULTS / "cmi.csv"
FIGURE = IMAGES / "cmi.png"

Row = dict[str, Any]
Cell = tuple[int, int]
End = tuple[tuple[int, float], str, str]


def draw_table(n_samples: int, n_given: int) -> Table:
    """Return a table of x, the conditions and the candidates, in this order."""
    rng = np.random.default_rng(0)
    n_variables = 1 + n_given + N_CANDIDATES
    mixing = np.eye(n_variables) + 0.15 * rng.normal(size=(n_variables, n_variables))
    return as_table(rng.normal(size=(n_samples, n_variables)) @ mixing)


def ask(specification: Specification, table: Table, n_given: int, n_jobs: int = 1) -> np.ndarray:
    """Return our values for the one question of a cell.

    The dependence is bound anew, since it keeps sorted columns, and some keep values: whatever a
    question needs is paid for in its time.
    """
    candidates = range(1 + n_given, 1 + n_given + N_CANDIDATES)
    dependence = specification.bind(table)
    if n_jobs > 1:
        dependence = Threaded(dependence, n_jobs)
    return dependence.cmi_many(0, candidates, range(1, 1 + n_given))


def build_call(cmi: Cmi, table: Table, n_given: int) -> Task:
    """Return a call of a peer: its value for one candidate, the next time for the next."""
    x = np.array(table.values[0])
    z = np.array(table.values[1 : 1 + n_given].T, order="C") if n_given else None
    candidates = cycle(np.array(table.values[1 + n_given :]))
    return lambda: cmi(x, next(candidates), z, K)


def check_ours(sizes: tuple[int, ...]) -> None:
    """Print the errors of our estimates where the peers' are printed."""
    for name, (specification, tolerance) in OURS.items():

        def cmi(x: Any, y: Any, z: Any, k: int, specification: Any = specification) -> float:
            columns = np.column_stack([x, y] if z is None else [x, y, z])
            dependence = specification.bind(as_table(columns, scale=None))
            return dependence.cmi(0, 1, range(2, columns.shape[1]))

        errors = check(cmi, sizes, tolerance)
        print(f"  {name:36s} " + " ".join(f"{error:+.3f}" for error in errors))


def measure(samples: Sequence[int], peers: dict[Peer, Cmi], rounds: int) -> list[Row]:
    """Return one row for each cell and estimator."""
    rows: list[Row] = []
    last: dict[tuple[str, int], tuple[int, float]] = {}  # by name and |Z|: N and seconds a call
    for n_samples, n_given in product(samples, GIVEN):
        tasks, sizes = build_tasks(n_samples, n_given, peers)
        notes: dict[str, str] = {}
        for name in tasks:
            n_before, seconds = last.get((name, n_given), (n_samples, 0.0))
            expected = seconds * (n_samples / n_before) ** 2
            if expected > CALL_LIMIT:
                notes[name] = f"not measured: about {expected:.0f} s expected"
            elif sizes[name] > MEMORY_LIMIT:
                notes[name] = f"not measured: about {sizes[name] / 1e9:.0f} GB expected"
        tasks = {name: task for name, task in tasks.items() if name not in notes}
        for name in OURS:
            if name in tasks:
                tasks[name]()  # whatever compiles, compiles now
        failures: dict[str, str] = {}
        times = time_in_turn(tasks, rounds, BUDGET, failures)
        notes |= {name: f"not measured: {reason}" for name, reason in failures.items()}
        for name, seconds in take_medians(times).items():
            last[name, n_given] = n_samples, seconds
            n_values = N_CANDIDATES if name in OURS else 1
            milliseconds = 1e3 * seconds / n_values
            rows.append(build_row(n_samples, n_given, name, milliseconds, len(times[name])))
        rows += [build_row(n_samples, n_given, name, note=note) for name, note in notes.items()]
        print(f"N = {n_samples}, |Z| = {n_given} measured", file=sys.stderr, flush=True)
    return rows


def build_tasks(
    n_samples: int, n_given: int, peers: dict[Peer, Cmi]
) -> tuple[dict[str, Task], dict[str, float]]:
    """Return a call of everyone who takes part in a cell, and the bytes it is known to need."""
    table = draw_table(n_samples, n_given)
    tasks: dict[str, Task] = {
        name: partial(ask, specification, table, n_given)
        for name, (specification, _) in OURS.items()
    }
    sizes = dict.fromkeys(OURS, 0.0)
    for peer, cmi in peers.items():
        if n_given <= peer.max_given:
            tasks[peer.name] = build_call(cmi, table, n_given)
            sizes[peer.name] = peer.count_bytes(n_samples, n_given)
    return tasks, sizes


def build_row(
    n_samples: int,
    n_given: int,
    name: str,
    milliseconds: float | str = "",
    repeats: int = 0,
    cores: int = 1,
    note: str = "",
) -> Row:
    return {
        "n_samples": n_samples,
        "n_given": n_given,
        "name": name,
        "ours": int(name in OURS or name == THREADED),
        "cores": cores,
        "milliseconds": milliseconds,
        "repeats": repeats,
        "note": note,
    }


def measure_cores(samples: Sequence[int], rounds: int) -> list[Row]:
    """Return the times of `knn` on one core and on all, in turn."""
    rows: list[Row] = []
    n_cores = count_cores()
    for n_samples, n_given in product(samples, GIVEN):
        table = draw_table(n_samples, n_given)
        tasks = {
            str(n_jobs): partial(ask, KNN(K), table, n_given, n_jobs) for n_jobs in (1, n_cores)
        }
        for task in tasks.values():
            task()
        times = time_in_turn(tasks, rounds, BUDGET)
        for cores, seconds in take_medians(times).items():
            milliseconds, repeats = 1e3 * seconds / N_CANDIDATES, len(times[cores])
            row = build_row(n_samples, n_given, THREADED, milliseconds, repeats, int(cores))
            rows.append(row)
    return rows


def index_times(rows: Sequence[Row]) -> dict[str, dict[Cell, float]]:
    """Return milliseconds by estimator and cell, of what was measured on one core in turn."""
    times: dict[str, dict[Cell, float]] = {}
    for row in rows:
        if row["milliseconds"] != "" and row["name"] != THREADED:
            cell = int(row["n_samples"]), int(row["n_given"])
            times.setdefault(row["name"], {})[cell] = float(row["milliseconds"])
    return times


def print_times(rows: Sequence[Row]) -> None:
    times = index_times(rows)
    rivals = [name for name in times if name not in OURS]
    body = []
    for cell in times["knn"]:
        ours = times["knn"][cell]
        best = min((times[name][cell], name) for name in rivals if cell in times[name])
        everyone = [times[name].get(cell) for name in (*OURS, *rivals) if name != "knn"]
        body.append([*cell, best[0] / ours, ours, *best, *everyone])
    headings = ["N", "|Z|", "fastest peer / knn", "knn", "fastest peer", "which"]
    headings += [name for name in (*OURS, *rivals) if name != "knn"]
    print_table("Milliseconds per value, one core", headings, body)
    for row in rows:
        if row["note"]:
            print(f"N = {row['n_samples']}, |Z| = {row['n_given']}: {row['name']} {row['note']}")


def print_exponents(rows: Sequence[Row]) -> None:
    times = index_times(rows)
    largest = max(n for n, _ in times["knn"])
    body = []
    for name, cells in times.items():
        exponents: list[float | None] = []
        for n_given in GIVEN:
            points = [(n, cells[n, z]) for n, z in cells if z == n_given and n >= 1000]
            whole = len(points) > 1 and max(points)[0] == largest
            exponents.append(fit_exponent(*zip(*points, strict=True)) if whole else None)
        body.append([name, *exponents])
    headings = ["", *(f"|Z| = {n_given}" for n_given in GIVEN)]
    print_table("Exponent of the time in N, from N = 1,000 on", headings, body)


def print_cores(rows: Sequence[Row]) -> None:
    threads = [row for row in rows if row["name"] == THREADED]
    n_cores = max(int(row["cores"]) for row in threads)
    times = {(r["n_samples"], r["n_given"], r["cores"]): r["milliseconds"] for r in threads}
    body = []
    for n_samples, n_given, cores in times:
        if cores == 1:
            one, every = times[n_samples, n_given, 1], times[n_samples, n_given, n_cores]
            body.append([n_samples, n_given, one / every, one, every])
    headings = ["N", "|Z|", "one / all", "one core", f"all {n_cores} cores"]
    print_table("One core and all cores: milliseconds per value, knn", headings, body)


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw time per value against N, one panel for each |Z|."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    times = index_times(rows)
    rivals = [name for name in times if name not in OURS]
    looks = dict(zip(rivals, LOOKS, strict=False))
    figure, panels = plt.subplots(2, 2, figsize=(9.5, 8), sharex=True, sharey=True)
    ends: dict[Any, list[End]] = {panel: [] for panel in panels.flat}
    for panel, n_given in zip(panels.flat, GIVEN, strict=True):
        for name in [*rivals, "knn"]:
            points = sorted((n, cell) for (n, z), cell in times[name].items() if z == n_given)
            if not points:
                continue
            colour, marker = looks.get(name, ("black", "o"))
            wide = name == "knn"
            panel.plot(
                *zip(*points, strict=True), color=colour, marker=marker, label=name,
                linewidth=3.5 if wide else 1.2, markersize=7 if wide else 4.5,
                zorder=3 if wide else 2,
            )  # fmt: skip
            ends[panel].append((points[-1], name, colour))
        panel.set(xscale="log", yscale="log")
        panel.set_title(f"|Z| = {n_given}", loc="left", fontsize=11, fontweight="bold")
        panel.grid(True, which="major", color="0.9", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xticks(sorted({n for n, _ in times["knn"]}))
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        panel.minorticks_off()
    for panel in panels.flat:
        label_ends(panel, ends[panel])
    for panel in panels[1]:
        panel.set_xlabel("samples N")
    for panel in panels[:, 0]:
        panel.set_ylabel("milliseconds per value")
    figure.suptitle(
        "One conditional mutual information, k = 5, one core: mrflearn and public peers",
        x=0.01, ha="left", fontsize=12,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0, 0.98, 1), w_pad=4)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"\n{path}")


def label_ends(panel: Any, ends: list[End]) -> None:
    """Write names at the right of their lines, moved apart where they would touch."""
    low, high = np.log10(panel.get_ylim())
    ends = sorted(ends, key=lambda end: end[0][1])
    apart = 0.046 * (high - low) * np.arange(len(ends))
    heights = isotonic_regression([np.log10(end[0][1]) for end in ends] - apart) + apart
    right = 1.35 * max(n for (n, _), _, _ in ends)
    for (point, name, colour), height in zip(ends, heights, strict=True):
        leader = {"arrowstyle": "-", "color": colour, "lw": 0.6, "relpos": (0, 0.5), "shrinkB": 0}
        panel.annotate(
            "mrflearn" if name == "knn" else name,
            point, xytext=(right, 10**height), fontsize=9, color=colour, va="center",
            fontweight="bold" if name == "knn" else "normal", annotation_clip=False,
            arrowprops=leader,
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="N up to 1,000, other files")
    parser.add_argument("--plot-only", action="store_true", help="draw the last results again")
    options = parser.parse_args()
    file, figure = FILE, FIGURE
    if options.quick:
        file, figure = RESULTS / "cmi-quick.csv", RESULTS / "cmi-quick.png"
    if options.plot_only:
        draw(read_rows(file), figure)
        return
    samples, rounds = (SAMPLES[:3], 3) if options.quick else (SAMPLES, ROUNDS)
    print(describe_machine())
    peers, failed = load_peers(GIVEN)
    check_ours(GIVEN)
    rows = measure(samples, peers, rounds)
    rows += measure_cores(samples[2:], rounds)
    write_rows(file, rows)
    print_times(rows)
    for name, reason in failed.items():
        print(f"{name} not measured: {reason}")
    if len(samples) > 3:
        print_exponents(rows)
    print_cores(rows)
    draw(rows, figure)


if __name__ == "__main__":
    use_one_core()
    main()
