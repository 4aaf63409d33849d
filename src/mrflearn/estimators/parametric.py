"""Estimators that fit a parametric model, and the options of each. No algorithm here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mrflearn.estimators.base import documented
from mrflearn.estimators.fitting import COMMON, ParametricEstimator
from mrflearn.parametric import (
    glasso,
    jose,
    mixed_pairwise,
    nodewise_lasso,
    nodewise_logistic,
    skeptic,
    space,
)
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = [
    "JOSE",
    "GLasso",
    "MixedPairwise",
    "NodewiseLasso",
    "NodewiseLogistic",
    "Skeptic",
    "Space",
]


@documented(COMMON)
@dataclass(eq=False, repr=False)
class GLasso(ParametricEstimator):
    """Graphical lasso: a Gaussian whose inverse correlation matrix has few entries.

    Minimises -ln det T + tr(S T) + lam * (sum of `|T_ij|` over i ≠ j), S the correlation matrix.
    Weights of edges are absolute partial correlations.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for an entry of the precision matrix, on the scale of correlations: at 1 no edge is
        left. 0 gives the inverse of the correlation matrix, where it has one.
    {common}
    precision_ : ndarray of shape (n_variables, n_variables)
        The precision matrix of the standardised columns.
    covariance_ : ndarray of shape (n_variables, n_variables)
        Its inverse.
    partial_correlations_ : ndarray of shape (n_variables, n_variables)
        Partial correlations, with their signs.

    References
    ----------
    Friedman, Hastie and Tibshirani (2008), Sparse inverse covariance estimation with the graphical
    lasso.

    Examples
    --------
    >>> from mrflearn import GLasso
    >>> from mrflearn.datasets import load_penguins
    >>> sizes = load_penguins().dropna().iloc[:, 2:6]
    >>> GLasso(0.5).fit(sizes).graph_.neighbors("flipper_length_mm")
    ('bill_length_mm', 'bill_depth_mm', 'body_mass_g')
    """

    _method: ClassVar[Any] = glasso
    _unit: ClassVar[str] = "partial correlation"

    max_iter: int = 100


@documented(COMMON)
@dataclass(eq=False, repr=False)
class Skeptic(ParametricEstimator):
    """SKEPTIC: graphical lasso on rank correlations, blind to monotone transforms of a column.

    Weights of edges are absolute partial correlations of the Gaussian behind the transforms.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        As in `GLasso`.
    rank : {"spearman", "kendall"}, default="spearman"
        Rank correlation to start from; ties get average ranks. The transformed matrix is replaced
        by the nearest correlation matrix if it is not positive semidefinite.
    {common}
    correlation_ : ndarray of shape (n_variables, n_variables)
        The correlation matrix fitted.
    precision_, covariance_, partial_correlations_ : ndarray
        As in `GLasso`.

    References
    ----------
    Liu, Han, Yuan, Lafferty and Wasserman (2012), High-dimensional semiparametric Gaussian copula
    graphical models.
    """

    _method: ClassVar[Any] = skeptic
    _method_options: ClassVar[tuple[str, ...]] = ("rank",)
    _unit: ClassVar[str] = "partial correlation"

    rank: str = "spearman"
    max_iter: int = 100

    def _refit(self, table: Table, graphs: Graphs) -> Refits:
        return skeptic.refit(table, graphs, rank=self.rank)


@documented(COMMON)
@dataclass(eq=False, repr=False)
class JOSE(ParametricEstimator):
    """Joint structure estimation: the penalised pseudolikelihood of an Ising or Potts model.

    Columns are binary, or discrete with more levels: then the coefficients of an edge are a block
    with one norm. Weights of edges are `|theta|`, or twice the norm of the block, which is the same
    for two levels.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for `|theta|`, where the mean log pseudolikelihood of a row is maximised.
    form : {"auto", "binary", "group"}, default="auto"
        One coefficient for an edge, for binary columns alone, or a block of them. `"auto"` takes
        the first if all columns are binary.
    {common}
    couplings_ : ndarray of shape (n_variables, n_variables)
        theta: change of the log odds of one variable with the other, given the rest; for blocks,
        twice their norms.
    intercepts_ : ndarray of shape (n_variables,), or (n_levels,) for blocks
        Intercepts of the conditional log odds.
    blocks_ : ndarray of shape (n_levels, n_levels)
        For blocks alone, over the levels of all variables that vary: those of the j-th begin at
        `starts_[j]`, and `codes_` says which level each is.

    References
    ----------
    Guo, Levina, Michailidis and Zhu (2010), Joint structure estimation for categorical Markov
    networks.
    """

    _method: ClassVar[Any] = jose
    _method_options: ClassVar[tuple[str, ...]] = ("form",)
    _unit: ClassVar[str] = "log odds ratio"

    form: str = "auto"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class NodewiseLasso(ParametricEstimator):
    """Neighbourhood selection: a lasso regression of each column on all others.

    Columns are standardised. Weights of edges are the means of the absolute coefficients in both
    regressions.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for a coefficient, where half the mean squared error is minimised.
    rule : {"and", "or", "paired"}, default="and"
        Keep an edge that both regressions chose, or one that at least one did; or fit all
        regressions at once with one norm for the two coefficients of an edge.
    {common}
    coefficients_ : ndarray of shape (n_variables, n_variables)
        Row i holds the regression of variable i on the others.
    neighbourhoods_ : tuple of tuples of str
        The neighbours each variable chose, before `rule` was applied; not with `"paired"`.

    References
    ----------
    Meinshausen and Bühlmann (2006), High-dimensional graphs and variable selection with the lasso.
    Friedman, Hastie and Tibshirani (2010), Applications of the lasso and grouped lasso to the
    estimation of sparse graphical models.
    """

    _method: ClassVar[Any] = nodewise_lasso
    _method_options: ClassVar[tuple[str, ...]] = ("rule",)
    _unit: ClassVar[str] = "coefficient"

    rule: str = "and"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class NodewiseLogistic(ParametricEstimator):
    """Neighbourhood selection for binary columns: a logistic regression of each on all others.

    Weights of edges are the means of the absolute coefficients in both regressions.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for a coefficient, where the mean logistic loss is minimised.
    rule : {"and", "or", "paired"}, default="and"
        Keep an edge that both regressions chose, or one that at least one did; or fit all
        regressions at once with one norm for the two coefficients of an edge.
    {common}
    couplings_ : ndarray of shape (n_variables, n_variables)
        Row i holds the coefficients of the regression of variable i on the others.
    intercepts_ : ndarray of shape (n_variables,)
        Its intercepts.
    neighbourhoods_ : tuple of tuples of str
        The neighbours each variable chose, before `rule` was applied; not with `"paired"`.

    References
    ----------
    Ravikumar, Wainwright and Lafferty (2010), High-dimensional Ising model selection using
    l1-regularized logistic regression.
    """

    _method: ClassVar[Any] = nodewise_logistic
    _method_options: ClassVar[tuple[str, ...]] = ("rule",)
    _unit: ClassVar[str] = "log odds ratio"

    rule: str = "and"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class Space(ParametricEstimator):
    """SPACE: all regressions of a Gaussian at once, with one partial correlation for each edge.

    Weights of edges are absolute partial correlations.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for a partial correlation, where half the mean squared error of a row is minimised.
    weights : {"uniform", "residual"}, default="uniform"
        Weights of the regressions: equal, or by the precision of their residuals.
    {common}
    partial_correlations_ : ndarray of shape (n_variables, n_variables)
        Partial correlations, with their signs.
    precisions_ : ndarray of shape (n_variables,)
        Inverse of the residual variance of each column, standardised.

    References
    ----------
    Peng, Wang, Zhou and Zhu (2009), Partial correlation estimation by joint sparse regression
    models.
    """

    _method: ClassVar[Any] = space
    _method_options: ClassVar[tuple[str, ...]] = ("weights",)
    _unit: ClassVar[str] = "partial correlation"

    weights: str = "uniform"
    max_iter: int = 200


@documented(COMMON)
@dataclass(eq=False, repr=False)
class MixedPairwise(ParametricEstimator):
    """Pairwise model of continuous and discrete columns by penalised pseudolikelihood.

    Given the others, a continuous column is Gaussian and a discrete one multinomial; each pair has
    a coefficient, a vector or a block with one norm. Ordinal columns count as discrete.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for the norm of an edge, where the mean log pseudolikelihood of a row is maximised.
    calibrated : bool, default=True
        Weigh the penalty of an edge by the product of the standard deviations of its ends.
    {common}
    beta_ : ndarray of shape (n_continuous, n_continuous)
        Precisions of the continuous variables, standardised, whose positions are `continuous_`.
    rho_ : ndarray of shape (n_continuous, n_levels)
        Between those and the levels of the discrete variables, whose positions are `discrete_`: the
        levels of the j-th begin at `starts_[j]`, and `codes_` says which level each is.
    phi_ : ndarray of shape (n_levels, n_levels)
        Between those levels.
    alpha_, gamma_ : ndarray
        Intercepts of the continuous variables and of the levels.

    References
    ----------
    Lee and Hastie (2015), Learning the structure of mixed graphical models.
    """

    _method: ClassVar[Any] = mixed_pairwise
    _method_options: ClassVar[tuple[str, ...]] = ("calibrated",)
    _unit: ClassVar[str] = "norm"

    calibrated: bool = True
