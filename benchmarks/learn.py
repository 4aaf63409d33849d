"""How long `learn` takes with its defaults, and what the parts of that are.

Mixed tables of 20 variables. Fitting is the path along lambda with pairs and the choice on it;
testing is the p-value of each edge; again is one fit to half the rows, of which `n_subsamples=50`
takes 50. The first call compiles, and is not counted.
"""

from __future__ import annotations

import time
from functools import partial

from _measure import describe_machine, print_table

from mrflearn import GSMPLE, learn
from mrflearn.datasets import mixed_random
from mrflearn.selection import FalseDiscoveryRate
from mrflearn.table import as_table

SIZES = (100, 300, 1000)
N_TABLES = 2


def seconds(work) -> float:
    """Return how long some work takes."""
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def main() -> None:
    """Print a row for each number of rows."""
    print(describe_machine())
    learn(mixed_random(20, random_state=0).sample(60, random_state=0), quiet=True)
    rows = []
    for n_samples in SIZES:
        for seed in range(N_TABLES):
            frame = mixed_random(20, random_state=seed).sample(n_samples, random_state=seed)
            half = as_table(frame).at_rows(range(n_samples // 2))
            rows.append(
                [
                    n_samples,
                    seed,
                    seconds(partial(learn, frame, quiet=True)),
                    seconds(partial(learn, frame, quiet=True, test=False)),
                    seconds(partial(GSMPLE(refine="pairs")._select, half, FalseDiscoveryRate())),
                ]
            )
            print(f"N = {n_samples}, table {seed} measured", flush=True)
    headings = ["N", "table", "learn", "without tests", "half, one core"]
    print_table("Seconds, all cores unless said otherwise", headings, rows)


if __name__ == "__main__":
    main()
