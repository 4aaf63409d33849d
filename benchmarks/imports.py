"""Seconds to import, after the first time: `import mrflearn` and its heavier parts.

Each statement runs in fresh interpreters, interleaved; shown are medians, less the median of an
interpreter that does nothing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

STATEMENTS = [
    "pass",
    "import mrflearn",
    "import mrflearn.cli",
    "from mrflearn import as_table",
    "from mrflearn import mutual_information",
    "from mrflearn import GSMPLE",
    "import sklearn.base",
]
REPEATS = 7


def seconds(statement: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def main() -> None:
    for statement in STATEMENTS:
        seconds(statement)
    times: dict[str, list[float]] = {statement: [] for statement in STATEMENTS}
    for _ in range(REPEATS):
        for statement in STATEMENTS:
            times[statement].append(seconds(statement))
    base = statistics.median(times["pass"])
    print(f"{'statement':42s} seconds")
    for statement, taken in times.items():
        extra = 0.0 if statement == "pass" else base
        print(f"{statement:42s} {statistics.median(taken) - extra:.3f}")


if __name__ == "__main__":
    main()
