"""What the scripts of this folder share: their options, a progress line, and where things go.

A script names cases (worlds, sample sizes, methods), runs them to Parquet, prints a table, and
draws its figure from the Parquet alone. Started again, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

from mrflearn._progress import listening
from mrflearn.experiments.design import Case
from mrflearn.experiments.runner import load_results, n_unconverged, run_experiment

mpl.use("Agg")

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "experiments" / "images"
RESULTS = ROOT / "experiments" / "results"


def results_of(name: str, cases: Sequence[Case], runs: int, summary: str):
    """Run an experiment as the command line asks, and return its results."""
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument("--runs", type=int, default=runs, help="tables for each case")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    parser.add_argument("--figure-only", action="store_true", help="draw from what was run before")
    options = parser.parse_args()
    folder = RESULTS / name
    return load_results(folder) if options.figure_only else run(cases, options, folder)


def run(cases: Sequence[Case], options: argparse.Namespace, folder: Path):
    """Run the cases `options.runs` times in `options.n_jobs` processes, with a progress line."""
    begun = time.monotonic()

    def show(_: str, done: int, total: int) -> None:
        passed = time.monotonic() - begun
        print(f"\r{done} of {total} runs, {passed:.0f} s", end="", file=sys.stderr, flush=True)

    with listening(show):
        results = run_experiment(cases, options.runs, folder, options.n_jobs)
    print(file=sys.stderr)
    short = n_unconverged(results)
    if short:
        print(f"{short} paths on which a solver fell short of its tolerance", file=sys.stderr)
    return results


def bars(intervals):
    """Return the lengths of error bars below and above; a bootstrap interval may miss its value."""
    below = [max(one.value - one.low, 0.0) for one in intervals]
    return [below, [max(one.high - one.value, 0.0) for one in intervals]]


def save(figure, name: str) -> None:
    """Write a figure of the documentation, as PNG and SVG."""
    from mrflearn.plot import save_figure

    FIGURES.mkdir(parents=True, exist_ok=True)
    for suffix in (".png", ".svg"):
        print("wrote", save_figure(figure, FIGURES / f"{name}{suffix}").relative_to(ROOT))
