"""Edges found in pure noise at a fixed lambda: six independent columns, 15 pairs, none related.

Averages over 20 tables, for GS-MPLE at two lambdas, at the one that is chosen, and with a corrected
plug-in estimate. Then, how much what neighbours say of such columns varies, as a multiple of the
error that the default takes it to have.
"""

from __future__ import annotations

import numpy as np

from mrflearn import GSMPLE
from mrflearn.dependence import Auto, PlugIn
from mrflearn.table import as_table

N_TABLES = 20
SETTINGS = [
    ("continuous", "lam=0.05", GSMPLE(0.05)),
    ("continuous", "lam=0.2", GSMPLE(0.2)),
    ("continuous", 'lam="auto", the default', GSMPLE()),
    ("nominal", "lam=0.05", GSMPLE(0.05)),
    ("nominal", "lam=0.2", GSMPLE(0.2)),
    ("nominal", 'lam="auto", the default', GSMPLE()),
    ("nominal", 'lam=0.05, PlugIn("df")', GSMPLE(0.05, dependence=PlugIn("df"))),
]


def noise(kind: str, n_samples: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        return rng.normal(size=(n_samples, 6))
    return np.array(["a", "b", "c"])[rng.integers(3, size=(n_samples, 6))]


def spread_of_neighbours(mixed: bool, n_samples: int) -> float:
    """Return the deviation of neighbour estimates of noise, in units of their error."""
    found = []
    for seed in range(10 * N_TABLES):
        columns = noise("continuous", n_samples, seed)
        if mixed:
            columns[:, ::2] = np.round(columns[:, ::2])
        table = as_table(columns, kinds={f"x{c}": "ordinal" for c in range(0, 6, 2) if mixed})
        bound = Auto().bind(table)
        for i in range(0, 5, 2):
            others = tuple(j for j in range(1, 6, 2))
            parametric, difference, error, _ = bound._compared(i, others, ())
            found.append((parametric + difference) / error)
    return float(np.std(np.concatenate(found)))


def main() -> None:
    sizes = (100, 300, 1000)
    print(f"{'columns':12} {'setting':26} " + " ".join(f"N={n:<6}" for n in sizes))
    for kind, setting, estimator in SETTINGS:
        means = [
            np.mean([len(estimator.fit(noise(kind, n, s)).graph_.edges) for s in range(N_TABLES)])
            for n in sizes
        ]
        print(f"{kind:12} {setting:26} " + " ".join(f"{mean:<8.1f}" for mean in means))
    for mixed, kind in ((False, "continuous"), (True, "and ordinal")):
        spreads = [f"{spread_of_neighbours(mixed, n_samples):<8.2f}" for n_samples in sizes]
        print(f"{kind:12} {'spread of neighbours':26} {' '.join(spreads)}")


if __name__ == "__main__":
    main()
