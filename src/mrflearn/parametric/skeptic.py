"""SKEPTIC: the graphical lasso on rank correlations, blind to monotone transforms of a column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mrflearn.parametric import covariance_selection, glasso
from mrflearn.parametric.base import Fit, Matrix, numbers
from mrflearn.parametric.correlation import nearest_correlation, skeptic_correlation
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["largest_lam", "path", "refit"]


def path(
    table: Table,
    lams: Iterable[float],
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    rank: str = "spearman",
) -> tuple[Fit, ...]:
    """Fit the graphical lasso to the copula correlations of a table at each lambda.

    Parameters of a fit: those of the graphical lasso, and `correlation`, which was fitted.
    """
    matrix = _correlation(table, rank)
    return tuple(
        replace(fit, parameters={**fit.parameters, "correlation": matrix})
        for fit in glasso.solve(matrix, lams, table.names, tol, max_iter)
    )


def largest_lam(table: Table, *, rank: str = "spearman") -> float:
    """Return the smallest lambda that leaves no edge: the largest absolute correlation."""
    return glasso.largest_entry(_correlation(table, rank))


def refit(table: Table, graphs: Graphs, *, rank: str = "spearman") -> Refits:
    """Return the largest likelihood of each graph, of Gaussian rows with the copula correlations.

    It is that of what is behind the monotone transforms, up to a term that all graphs share.
    """
    return covariance_selection.refit(_correlation(table, rank), table.n_samples, graphs)


def _correlation(table: Table, rank: str) -> Matrix:
    return nearest_correlation(skeptic_correlation(numbers(table, "Skeptic"), rank))
