"""What the parts of fits.py share: lambda, tables to fit, and rows of the file of results."""

from __future__ import annotations

from typing import Any

import numpy as np

LAM = 0.1
"""Finds about as many edges as there are, and mostly those, in the tables of `draw_sparse`."""

Row = dict[str, Any]


def draw_sparse(n_samples: int, n_variables: int, seed: int = 0) -> np.ndarray:
    """Return Gaussian columns of unit variance, with about 1.5 edges a node.

    Each column depends on an earlier one, and every other one on a parent of that one as well, so
    that parents are neighbours and these pairs are all the edges.
    """
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_samples)]
    parents: list[list[int]] = [[]]
    for i in range(1, n_variables):
        chosen = [int(rng.integers(max(0, i - 4), i))]
        if i % 2 == 0 and parents[chosen[0]]:
            chosen.append(int(rng.choice(parents[chosen[0]])))
        signal = sum(rng.choice((-1, 1)) * columns[parent] for parent in chosen)
        columns.append(0.8 * signal / np.std(signal) + 0.6 * rng.normal(size=n_samples))
        parents.append(chosen)
    return np.column_stack(columns)


def build_row(section: str, what: str, n_samples: int, n_variables: int, **found: Any) -> Row:
    """Return a row of the file: what a section does not measure stays empty."""
    row: Row = {
        "section": section,
        "what": what,
        "n_samples": n_samples,
        "n_variables": n_variables,
        "cores": 1,
        "seconds": "",
        "edges": "",
        "evaluations": "",
        "growth_mib": "",
        "peak_mib": "",
        "note": "",
    }
    unknown = set(found) - set(row)
    if unknown:
        raise KeyError(f"no such columns: {unknown}")
    return row | found
