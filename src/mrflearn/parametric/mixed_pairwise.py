"""Pairwise model of continuous and discrete variables, by penalised pseudolikelihood.

Lee and Hastie, "Learning the structure of mixed graphical models", 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError
from mrflearn.parametric import regressions
from mrflearn.parametric._pairwise import Described, fit_path, largest, observed_levels, symmetric
from mrflearn.parametric.base import Fit, check_columns, check_penalties, unit_columns
from mrflearn.parametric.pseudolikelihood import Estimate, Pseudolikelihood
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["largest_lam", "path", "refit"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def path(
    table: Table,
    lams: Iterable[float],
    *,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    calibrated: bool = True,
    standardize: bool = True,
) -> tuple[Fit, ...]:
    r"""Fit a pairwise model of continuous and discrete variables at each lambda.

    Parameters
    ----------
    table : Table
        Columns of any kinds, unscaled, none constant. Ordinal columns are taken as levels without
        their order; declare them continuous to use their numbers.
    lams : iterable of floats
        Penalties, not negative.
    tol : float
        Largest violation of the conditions of a minimum, in the unit of lambda.
    max_iter : int
        Most steps for each lambda.
    calibrated : bool
        Weigh the norm of a pair by the product of the scales of its ends, so that pairs of
        independent variables of all kinds enter at about the same lambda. False: all weigh 1.
    standardize : bool
        Take continuous columns with mean 0 and variance 1. False: in the units they have, with
        parameters and, unless `calibrated`, penalties that depend on these.

    Returns
    -------
    tuple of Fit
        One for each lambda, in the order given. With p continuous variables, q discrete ones and
        S levels of these together, the parameters are

        - `"beta"` (p x p): :math:`\beta_{st}`, with :math:`\beta_{ss}` on the diagonal;
        - `"rho"` (p x S): :math:`\rho_{sj}(l)` at `[s, starts[j] + l]`;
        - `"phi"` (S x S): :math:`\phi_{rj}(l, m)` at `[starts[r] + l, starts[j] + m]`;
        - `"alpha"` (p): :math:`\alpha_s`; `"gamma"` (S): :math:`\gamma_j(l)` at `starts[j] + l`;
        - `"continuous"` (p), `"discrete"` (q): positions of these variables in the table;
        - `"starts"` (q + 1): where the levels of each discrete variable begin;
        - `"codes"` (S): the code of each level in the table; those not observed are left out.

        The weight of an edge is the norm of its parameters, :math:`|\beta_{st}|`,
        :math:`\lVert\rho_{sj}\rVert_2` or :math:`\lVert\phi_{rj}\rVert_F`, without the penalty's
        weight.

    Notes
    -----
    Given all others, a continuous variable is normal with variance :math:`1 / \beta_{ss}` and mean
    :math:`(\alpha_s + \sum_j \rho_{sj}(y_j) - \sum_{t \ne s} \beta_{st} x_t) / \beta_{ss}`; level l
    of a discrete one has the score :math:`\gamma_j(l) + \sum_s \rho_{sj}(l) x_s + \sum_r
    \phi_{rj}(y_r, l)`, and probabilities are proportional to exponentials of scores. The objective
    is the mean negative logarithm of the product of all these, a convex function, plus

    .. math::
        \lambda \Bigl[ \sum_{s<t} w_{st} |\beta_{st}| + \sum_{s,j} w_{sj} \lVert\rho_{sj}\rVert_2
        + \sum_{r<j} w_{rj} \lVert\phi_{rj}\rVert_F \Bigr],

    where w is the product of the scales of both ends: the standard deviation of a continuous
    variable (1 if standardised), and :math:`\sqrt{\sum_l p_l (1 - p_l)}` of a discrete one with
    shares :math:`p_l`. No level is a reference; at the minimum blocks sum to zero over the levels
    of each end, and those are the ones reported.

    With binary columns alone and `calibrated=False` this is JOSE at half of lambda: the norm of a
    block is half of its coupling (see `mrflearn.parametric.jose.path`).

    The residual is that of the parameters of standardised columns, also if the units are kept.
    Without a penalty (lambda up to `tol`) there may be no minimum: a discrete variable that can be
    told from other discrete ones without error, or a continuous one that is a linear function of
    others, as always with fewer samples than variables. The fit is then reported as not converged.

    References
    ----------
    Lee and Hastie, "Learning the structure of mixed graphical models", Journal of Computational
    and Graphical Statistics 24, 2015.

    Examples
    --------
    A group shifts x, and x shifts y:

    >>> import numpy as np, pandas as pd
    >>> from mrflearn.table import as_table
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(3, size=400)
    >>> x = group + rng.normal(size=400)
    >>> y = x + rng.normal(size=400)
    >>> frame = pd.DataFrame({"group": pd.Categorical(group), "x": x, "y": y})
    >>> (fit,) = path(as_table(frame, scale=None), [0.15])
    >>> fit.adjacency.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    design = _design(table, standardize, calibrated)
    order = np.concatenate([design.continuous, design.discrete])

    def describe(estimate: Estimate, norms: Vector) -> Described:
        weights = np.zeros((table.n_variables, table.n_variables))
        weights[np.ix_(order, order)] = symmetric(norms / design.pair_units, table.n_variables)
        return weights, design.parameters(estimate)

    return fit_path(
        design.model,
        design.scales,
        check_penalties(lams),
        tol,
        max_iter,
        describe,
        # The density of a column in its own unit is that of the standardised one, divided by it.
        constant=float(np.log(design.units).sum()),
    )


def largest_lam(table: Table, *, calibrated: bool = True, standardize: bool = True) -> float:
    """Return the smallest lambda whose graph is empty.

    For two continuous columns it is twice the absolute value of their correlation.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn.table import as_table
    >>> X = np.array([[0.0, 0.5], [1.0, 0.0], [2.0, 2.0], [3.0, 2.5]])
    >>> float(round(largest_lam(as_table(X, scale=None)) / np.corrcoef(X.T)[0, 1], 6))
    2.0
    """
    design = _design(table, standardize, calibrated)
    return largest(design.model, design.scales)


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the likelihood of each graph: of regressions of each variable on its neighbours.

    The two ends of an edge need not agree there, as they do in the penalised estimate.
    """
    return regressions.refit(table, graphs, levels=True)


class _Design(NamedTuple):
    """A table as the model takes it: continuous columns first, standardised."""

    model: Pseudolikelihood
    scales: Vector
    """Penalty of each pair, for standardised columns."""
    continuous: NDArray[np.int64]
    discrete: NDArray[np.int64]
    centres: Vector
    """Of the continuous columns, as parameters are told: 0 if standardised, else their means."""
    units: Vector
    """Likewise 1, or their standard deviations."""
    pair_units: Vector
    """Product of the units of each pair; discrete ones have none."""
    codes: Vector

    def parameters(self, estimate: Estimate) -> dict[str, NDArray[np.float64]]:
        """Return the parameters by name, in the units of the columns."""
        p = len(self.continuous)
        starts = self.model.row_starts[p:] - p
        beta = -estimate.interactions[:p, :p]
        np.fill_diagonal(beta, estimate.precisions)
        beta /= np.outer(self.units, self.units)
        rho = estimate.interactions[:p, p:] / self.units[:, None]
        return {
            "beta": beta,
            "rho": rho,
            "phi": estimate.interactions[p:, p:],
            "alpha": estimate.offsets[:p] / self.units + beta @ self.centres,
            "gamma": estimate.offsets[p:] - self.centres @ rho,
            "continuous": self.continuous,
            "discrete": self.discrete,
            "starts": starts,
            "codes": self.codes,
        }


def _products(values: Vector) -> Vector:
    """Return the product of the values of each pair (0, 1), (0, 2), …."""
    first, second = np.triu_indices(len(values), 1)
    return values[first] * values[second]


def _design(table: Table, standardize: bool, calibrated: bool) -> _Design:
    check_columns(table, "MixedPairwise")
    if not isinstance(calibrated, (bool, np.bool_)):
        raise InputError(f"calibrated must be True or False, got {calibrated!r}")
    kinds = np.array([kind == "continuous" for kind in table.kinds])
    continuous, discrete = np.flatnonzero(kinds), np.flatnonzero(~kinds)
    values = table.values[continuous]
    levels = [observed_levels(table, int(i)) for i in discrete]
    model = Pseudolikelihood(
        unit_columns(values.T).T if len(continuous) else values,
        [positions for _, positions in levels],
        binary=False,
    )
    centres, units = np.zeros(len(continuous)), np.ones(len(continuous))
    if not standardize:
        centres, units = values.mean(axis=1), values.std(axis=1)
    pair_units = _products(np.concatenate([units, np.ones(len(discrete))]))
    scales = 1.0 / pair_units
    if calibrated:
        spreads = []
        for codes, positions in levels:
            shares = np.bincount(positions, minlength=len(codes)) / table.n_samples
            spreads.append(math.sqrt(float(shares @ (1.0 - shares))))
        scales = _products(np.concatenate([np.ones(len(continuous)), spreads]))
    return _Design(
        model=model,
        scales=scales,
        continuous=continuous,
        discrete=discrete,
        centres=centres,
        units=units,
        pair_units=pair_units,
        codes=np.concatenate([codes for codes, _ in levels]) if levels else np.empty(0),
    )
