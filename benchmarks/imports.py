"""Seconds to import, after the first time; sizes of packages; seconds to compile.

Each statement runs in fresh interpreters, interleaved; shown are medians, less the median of an
interpreter that does nothing. Sizes are of the files each package installed, its own dependencies
not included. Last, a fit whose kernels have to be compiled, and the same once they are cached.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import files
from importlib.util import find_spec

OURS = [
    "import mrflearn",
    "import mrflearn.cli",
    "from mrflearn import as_table",
    "from mrflearn import mutual_information",
    "from mrflearn import GSMPLE",
]
PACKAGES = {
    "numpy": "import numpy",
    "scipy": "import scipy.special, scipy.stats",
    "scikit-learn": "import sklearn.base",
    "numba": "import numba",
    "llvmlite": "import llvmlite",
    "narwhals": "import narwhals",
    "pandas": "import pandas",
    "networkx": "import networkx",
    "matplotlib": "import matplotlib.figure",
    "click": "import click",
    "rich": "import rich.progress",
    "threadpoolctl": "import threadpoolctl",
    "lazy-loader": "import lazy_loader",
    "distributed": "import distributed",
    "dask": "import dask",
}
FIT = "import numpy; from mrflearn import GSMPLE; GSMPLE(0.05).fit(numpy.random.rand(50, 9))"
REPEATS = 5


def seconds(statement: str, **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, env=os.environ | environment)
    return time.perf_counter() - start


def megabytes(package: str) -> float:
    sizes = [
        file.locate().stat().st_size for file in files(package) or () if file.locate().exists()
    ]
    return sum(sizes) / 1e6


def main() -> None:
    there = {
        name: text for name, text in PACKAGES.items() if find_spec(text.split()[1].split(".")[0])
    }
    statements = ["pass", *OURS, *there.values()]
    for statement in statements:
        seconds(statement)
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(REPEATS):
        for statement in statements:
            times[statement].append(seconds(statement))
    base = statistics.median(times["pass"])
    print(f"{'statement':42s} seconds")
    for statement in OURS:
        print(f"{statement:42s} {statistics.median(times[statement]) - base:.3f}")
    print(f"\n{'package':13s} {'MB':>6s}  {'statement':36s} seconds")
    for package, statement in there.items():
        taken = statistics.median(times[statement]) - base
        print(f"{package:13s} {megabytes(package):6.1f}  {statement:36s} {taken:.3f}")
    with tempfile.TemporaryDirectory() as folder:
        first, second = (seconds(FIT, NUMBA_CACHE_DIR=folder) for _ in range(2))
    print(
        f"\nA fit in a new interpreter, kernels to be compiled {first:.1f} s, cached {second:.1f} s"
    )


if __name__ == "__main__":
    main()
