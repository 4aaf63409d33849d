"""Edges found in pure noise at a fixed lambda: six independent columns, 15 pairs, none related.

Averages over 20 tables, for GS-MPLE at two lambdas, at the one that is chosen, and with a corrected
plug-in estimate. Then, how much what neighbours say of such columns varies, as a multiple of the
error that the default takes it to have, and how far it goes with what correlations say.
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


def neighbours_in_noise(mixed: bool, n_samples: int) -> tuple[float, float]:
    """Return the deviation of neighbour estimates, in units of their error, and a slope.

    The slope is that of neighbour estimates over estimates by correlations: 1 where both see the
    correlation that a sample has by chance, 0 where they are independent.
    """
    found, by_correlations = [], []
    for seed in range(10 * N_TABLES):
        columns = noise("continuous", n_samples, seed)
        if mixed:
            columns[:, ::2] = np.round(columns[:, ::2])
        table = as_table(columns, kinds={f"x{c}": "ordinal" for c in range(0, 6, 2) if mixed})
        bound = Auto().bind(table)
        for i in range(0, 5, 2):
            others = tuple(j for j in range(1, 6, 2))
            ((parametric, difference, error, _),) = bound._compared([(i, others, ())])
            found.append((parametric + difference) / error)
            by_correlations.append(parametric / error)
    estimates = np.concatenate(found)
    slope = np.polyfit(np.concatenate(by_correlations), estimates, 1)[0]
    return float(np.std(estimates)), float(slope)


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
        measured = zip(*(neighbours_in_noise(mixed, n_samples) for n_samples in sizes), strict=True)
        for what, values in zip(("spread of neighbours", "slope"), measured, strict=True):
            print(f"{kind:12} {what:26} {' '.join(f'{value:<8.2f}' for value in values)}")


if __name__ == "__main__":
    main()
