"""Time and memory of a fit by the default against the number of rows, of its pass and of a test.

Mixed columns; lambda is chosen. After the pass, time should hardly depend on the rows. Memory is
the largest that was held beyond what was held before: by the pass beside the table, by the fit
beside the frame, its table included.
"""

import argparse
import time
import warnings
from pathlib import Path

from mrflearn.datasets import mixed_random
from mrflearn.dependence import Sieve
from mrflearn.estimators import GSMPLE
from mrflearn.metrics import f1
from mrflearn.selection.edge_test import pair_test
from mrflearn.table import as_table

PROCESS = Path("/proc/self")
"""Where Linux says how much memory is held."""


def held(what):
    """Return megabytes held now (VmRSS) or at most since the peak was forgotten (VmHWM)."""
    lines = (PROCESS / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def measured(work):
    """Return what some work returns, its seconds of this process, and its peak of memory."""
    (PROCESS / "clear_refs").write_text("5")
    before, begun = held("VmRSS"), time.process_time()
    found = work()
    return found, time.process_time() - begun, held("VmHWM") - before


def milliseconds_of_a_test(dependence):
    """Return the time of a test of two variables given five others, the mean of ten."""
    pair_test(dependence, (0, 1), range(2, 7), range(2, 7))  # what tests share is made once
    begun = time.process_time()
    for i in range(10):
        given = [(i + k) % dependence.n_variables for k in range(2, 7)]
        pair_test(dependence, (i, i + 1), given, given)
    return 100 * (time.process_time() - begun)


def main():
    """Print a line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--columns", type=int, default=30)
    options = parser.parse_args()
    world = mixed_random(options.columns, random_state=30)
    print(
        "| rows | pass, s | fit, s | fit less the pass, s | a test, ms | pass, MB | fit, MB | F1 |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for n_rows in options.rows:
        frame = world.sample(n_rows, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = as_table(frame)
            dependence, bound, of_pass = measured(lambda table=table: Sieve().bind(table))
            a_test = milliseconds_of_a_test(dependence)
            del table, dependence
            fitted, whole, of_fit = measured(lambda frame=frame: GSMPLE().fit(frame))
        score = f1(world.adjacency, fitted.adjacency_)
        print(
            f"| {n_rows} | {bound:.2f} | {whole:.2f} | {whole - bound:.2f} | {a_test:.1f} | "
            f"{of_pass:.0f} | {of_fit:.0f} | {score:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
