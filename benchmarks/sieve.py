"""Time of a fit by the default against the number of rows, and of its pass over them.

Mixed columns; lambda is chosen. After the pass, time should hardly depend on the rows.
"""

import argparse
import time
import warnings

from mrflearn.datasets import mixed_random
from mrflearn.dependence import Sieve
from mrflearn.estimators import GSMPLE
from mrflearn.metrics import f1
from mrflearn.table import as_table


def main():
    """Print a line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--columns", type=int, default=30)
    options = parser.parse_args()
    world = mixed_random(options.columns, random_state=30)
    print("| rows | pass, s | fit, s | fit less the pass, s | F1 |\n|---|---|---|---|---|")
    for n_rows in options.rows:
        frame = world.sample(n_rows, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = as_table(frame)
            begun = time.process_time()
            Sieve().bind(table)
            bound = time.process_time() - begun
            begun = time.process_time()
            fitted = GSMPLE().fit(frame)
            whole = time.process_time() - begun
        score = f1(world.adjacency, fitted.adjacency_)
        print(
            f"| {n_rows} | {bound:.2f} | {whole:.2f} | {whole - bound:.2f} | {score:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
