"""How long whole jobs take: `learn` with its defaults, tests included, and one Markov blanket.

Each with two workers and with one. Beside the mixed table of 10,000 rows, scikit-learn's estimate
of mutual information for all pairs, which says nothing about conditions.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import describe_machine, print_table

from mrflearn import GSMPLE, learn
from mrflearn.datasets import mixed_random, sparse_gaussian

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "experiments"))


def mixed(n_columns, n_samples):
    """Return a table of continuous columns and labels."""
    return mixed_random(n_columns, random_state=0).sample(n_samples, random_state=0)


def genes(n_samples, n_columns, n_hubs=15, n_leaves=19):
    """Return hubs, their leaves, and noise."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_samples, n_columns))
    for leaf in range(n_hubs * n_leaves):
        values[:, n_hubs + leaf] *= 0.6
        values[:, n_hubs + leaf] += 0.8 * values[:, leaf % n_hubs]
    return pd.DataFrame(values, columns=[f"g{c}" for c in range(n_columns)])


def network(name, n_samples, folder):
    """Return a table drawn from a network of the literature."""
    import families

    return families.network(folder, name).sample(n_samples, random_state=0)


def all_pairs_by_scikit_learn(frame):
    """Estimate the mutual information of all pairs."""
    from sklearn.feature_selection import mutual_info_regression

    discrete = np.array([not pd.api.types.is_float_dtype(frame[name]) for name in frame])
    numbers = np.array(
        [
            pd.factorize(frame[name])[0] if coded else frame[name]
            for name, coded in zip(frame, discrete, strict=True)
        ],
        dtype=float,
    ).T
    for c in range(numbers.shape[1]):
        mutual_info_regression(numbers, numbers[:, c], discrete_features=discrete)


def blanket(frame, n_jobs):
    """Learn the neighborhood of the first column."""
    from mrflearn.estimators import IAMB

    IAMB(n_jobs=n_jobs).markov_blanket(frame, frame.columns[0])


def screened(frame, n_jobs):
    """Learn a graph with twenty candidates for each column."""
    GSMPLE(screen=20, n_jobs=n_jobs).fit(frame)


def whole(frame, n_jobs):
    """Learn all there is to learn."""
    learn(frame, n_jobs=n_jobs, quiet=True)


JOBS = {
    "learn 1,000 x 20 mixed": (partial(mixed, 20, 1_000), whole),
    "learn 1,000 x 50 Gaussian": (
        lambda: sparse_gaussian(50, random_state=0).sample(1_000, random_state=0),
        whole,
    ),
    "learn 10,000 x 30 mixed": (partial(mixed, 30, 10_000), whole),
    "learn 100,000 x 30 mixed": (partial(mixed, 30, 100_000), whole),
    "blanket 50,000 x 60 mixed": (partial(mixed, 60, 50_000), blanket),
    "fit 150 x 2,000, 20 candidates": (partial(genes, 150, 2_000), screened),
}


def seconds(work, *arguments) -> float:
    """Return how long some work takes."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work(*arguments)
    return time.perf_counter() - begun


def main() -> None:
    """Print a row for each job."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bif", help="folder with alarm.bif, for alarm; see families.py")
    parser.add_argument("--jobs", nargs="+", help="jobs whose names contain one of these")
    options = parser.parse_args()
    jobs = dict(JOBS)
    if options.bif:
        jobs["learn alarm, 2,000 rows"] = (partial(network, "alarm", 2_000, options.bif), whole)
    print(describe_machine())
    learn(mixed(20, 60), quiet=True)  # imports
    rows = []
    for name, (table, work) in jobs.items():
        if options.jobs and not any(part in name for part in options.jobs):
            continue
        frame = table()
        one, two = seconds(work, frame, 1), seconds(work, frame, 2)
        other = seconds(all_pairs_by_scikit_learn, frame) if "10,000 x 30" in name else None
        rows.append([name, one, two, one / two, None if other is None else two / other])
        print(f"{name}: {two:.2f} s", flush=True)
    print_table(
        "Whole jobs", ["job", "one worker, s", "two, s", "ratio", "of scikit-learn's pairs"], rows
    )


if __name__ == "__main__":
    main()
