"""Memory, files, threads and processes of one process that fits many random tables.

    python benchmarks/soak.py [--fits N] [--warm-up N]

Tables have columns of all kinds, with ties, constants and missing values; methods and dependences
take turns, with one thread and with two, some with a checkpoint, some by `learn`. The first fits
compile what the others use, and are a warm-up. The last line is JSON, for a test to read.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _measure import describe_machine, print_table, use_one_core

from mrflearn import learn
from mrflearn.errors import InputError
from mrflearn.estimators import as_estimator
from mrflearn.selection import Stars

WARM_UP = 100
"""Fits before the first figure: each way twice at least, so that all is imported and compiled,
unless told otherwise."""

SETTLING = 5.0
"""Seconds that threads have to end when nobody needs them any more."""

WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("gsmple", "mixed", {}),
    ("gsmple", "mixed", {"dependence": "knn", "lam": 0.05}),
    ("gsmple", "mixed", {"dependence": "knn"}),
    ("gsmple", "mixed", {"dependence": "mixed-ksg", "lam": 0.1}),
    ("gsmple", "mixed", {"dependence": "frenzel-pompe", "lam": 0.1}),
    ("gsmple", "discrete", {"dependence": "plugin"}),
    ("gsmple", "mixed", {"dependence": "gaussian"}),
    ("gsmple", "numbers", {"dependence": "copula", "selection": Stars(n_subsamples=4)}),
    ("gsmn", "mixed", {"lam": 0.05}),
    ("iamb", "mixed", {"dependence": "knn", "lam": 0.05, "max_memory": "20 MB"}),
    ("greedy-entropy", "discrete", {"lam": 0.05}),
    ("chow-liu", "mixed", {}),
    ("glasso", "numbers", {}),
    ("skeptic", "numbers", {"lam": 0.2}),
    ("space", "numbers", {"lam": 0.2}),
    ("nodewise-lasso", "numbers", {}),
    ("jose", "binary", {"lam": 0.1}),
    ("mixed-pairwise", "mixed", {"lam": 0.2}),
)
"""Methods, the tables they are for, and options."""


class Held(NamedTuple):
    """What this process holds."""

    memory: float
    """MB that are resident."""
    descriptors: int
    threads: int
    children: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=1000, help="fits after the warm-up")
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="fits before them")
    options = parser.parse_args()
    n_fits, warm_up = options.fits, options.warm_up
    use_one_core()
    print(describe_machine())
    warnings.simplefilter("ignore")
    begun = time.monotonic()
    n_refused = 0
    figures: list[tuple[int, Held]] = []
    with tempfile.TemporaryDirectory() as place:
        for number in range(warm_up + n_fits + 1):
            n_measured = number - warm_up
            if n_measured >= 0 and (n_measured % 100 == 0 or n_measured == n_fits):
                figures.append((n_measured, held()))
            if n_measured < n_fits:
                n_refused += not fit(number, Path(place))
    print_table(
        f"After {warm_up} fits to warm up; {time.monotonic() - begun:.0f} s, {n_refused} refused",
        ["fits", "MB", "descriptors", "threads", "children"],
        [[n_measured, *now] for n_measured, now in figures],
    )
    print(json.dumps({"n_refused": n_refused, "figures": [now._asdict() for _, now in figures]}))


def fit(number: int, place: Path) -> bool:
    """Fit one table, and return whether the estimator took it."""
    rng = np.random.default_rng(number)
    method, kinds, options = WAYS[number % len(WAYS)]
    options = {**options, "missing": "drop", "n_jobs": 1 + number // len(WAYS) % 2}
    options["executor"] = "threads"
    if rng.random() < 0.3:
        options["checkpoint"] = place / str(number)
    table = draw_table(rng, kinds)
    try:
        if rng.random() < 0.2:
            learn(table, method, n_subsamples=2, quiet=True, **options)
        else:
            as_estimator(method, options).fit(table)
    except InputError:
        return False
    return True


def draw_table(rng: np.random.Generator, kinds: str) -> pd.DataFrame:
    """Return a table of some rows and columns that depend on each other."""
    n_samples, n_columns = int(rng.integers(30, 200)), int(rng.integers(2, 8))
    hidden = rng.normal(size=n_samples)
    columns: dict[str, Any] = {}
    for c in range(n_columns):
        x = rng.normal(size=n_samples) + rng.normal() * hidden
        columns[f"v{c}"] = _as_kind(x, rng.choice(_KINDS[kinds]))
    frame = pd.DataFrame(columns)
    if kinds == "mixed" and rng.random() < 0.2:
        frame["constant"] = 1.0
    if rng.random() < 0.3:
        frame = frame.mask(rng.random(frame.shape) < 0.02)
    return frame


_KINDS = {
    "mixed": ["continuous", "tied", "whole", "labels", "two"],
    "numbers": ["continuous", "tied"],
    "discrete": ["labels", "two"],
    "binary": ["two"],
}


def _as_kind(x: np.ndarray, kind: str) -> Any:
    if kind == "continuous":
        return x
    if kind == "tied":
        return np.round(x, 1)
    if kind == "whole":
        return np.clip(np.round(2 * x), -3, 3)
    if kind == "labels":
        return np.array(["low", "middle", "high"], dtype=object)[np.digitize(x, [-0.5, 0.5])]
    return np.where(x > 0, "yes", "no").astype(object)


def held() -> Held:
    """Return what this process holds, when threads that nobody needs have ended."""
    gc.collect()
    n_threads, deadline = _count("task"), time.monotonic() + SETTLING
    while time.monotonic() < deadline:
        time.sleep(0.05)
        before, n_threads = n_threads, _count("task")
        if n_threads == before:
            break
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    children = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
    return Held(
        round(resident * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
        _count("fd"),
        n_threads,
        sum(map(len, children)),
    )


def _count(what: str) -> int:
    return len(os.listdir(f"/proc/self/{what}"))


if __name__ == "__main__":
    main()
