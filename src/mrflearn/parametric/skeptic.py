"""SKEPTIC: the graphical lasso on rank correlations, blind to monotone transforms of a column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mrflearn.parametric import glasso
from mrflearn.parametric.base import Fit, Matrix, numbers
from mrflearn.parametric.correlation import nearest_correlation, skeptic_correlation
from mrflearn.table import Table

__all__ = ["largest_lam", "path"]


def path(
    table: Table,
    lams: Iterable[float],
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    rank: str = "spearman",
) -> tuple[Fit, ...]:
    """Fit the graphical lasso to the copula correlations of a table at each lambda.

    Parameters of a fit: those of the graphical lasso, and `correlation`, which was fitted. The
    log-likelihood is that of Gaussian rows with these correlations: of what is behind the monotone
    transforms, up to a term that is the same at each lambda.
    """
    matrix = _correlation(table, rank)
    return tuple(
        replace(fit, parameters={**fit.parameters, "correlation": matrix})
        for fit in glasso.solve(matrix, lams, table.names, tol, max_iter, n_samples=table.n_samples)
    )


def largest_lam(table: Table, *, rank: str = "spearman") -> float:
    """Return the smallest lambda that leaves no edge: the largest absolute correlation."""
    return glasso.largest_entry(_correlation(table, rank))


def _correlation(table: Table, rank: str) -> Matrix:
    return nearest_correlation(skeptic_correlation(numbers(table, "Skeptic"), rank))
