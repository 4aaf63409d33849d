"""What the estimators share that fit a parametric model: solvers, constants, the choice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, warn_user
from mrflearn.estimators.base import (
    FEATURE_ATTRIBUTES,
    GRAPH_ATTRIBUTES,
    SELECTION_PARAMETERS,
    TABLE_PARAMETERS,
    WORK_PARAMETERS,
    GraphEstimator,
    Selected,
)
from mrflearn.estimators.resampling import choose_by_resampling, draw_parts
from mrflearn.evidence import Evidence
from mrflearn.graph import Graph, GraphPath
from mrflearn.parametric.base import Fit, check_penalties, decades
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.selection import ebic
from mrflearn.selection.choice import Choice
from mrflearn.selection.options import EBIC, Selection
from mrflearn.table import Table

__all__ = ["COMMON", "ParametricEstimator"]

POSITIONS = ("continuous", "discrete")
"""Parameters that are positions of variables, for which others have rows and columns."""

_WAYS = """`"ebic"` (the extended Bayesian information criterion), `"stars"` (stable in
        subsamples) or `"heldout"` (predicts rows left out)"""

_ALPHA = """alpha : None
        Refused: a share of false edges, which a penalty cannot aim at; `lam` is the penalty."""

COMMON = f"""
    {SELECTION_PARAMETERS.format(ways=_WAYS, alpha=_ALPHA).strip()}
    {TABLE_PARAMETERS.strip()}
    {WORK_PARAMETERS.strip()}
    tol : float, default=1e-6
        Largest violation of the optimality conditions that counts as solved, in the unit of `lam`.
    max_iter : int
        Iterations of the solver before it gives up, with a warning.

    Attributes
    ----------
    {GRAPH_ATTRIBUTES.strip()}
    objective_ : float
        The penalised objective, which is minimised, at the solution.
    residual_ : float
        Largest violation of the optimality conditions there.
    converged_ : bool
        Whether that is within `tol` and, without a penalty, there is a minimum at all. A
        `ConvergenceWarning` says if not.
    n_iter_ : int
        Iterations of the solver.
    trace_ : tuple
        Empty: a solver adds no edge by itself.
    {FEATURE_ATTRIBUTES.strip()}
"""


@dataclass(eq=False, repr=False)
class ParametricEstimator(GraphEstimator):
    """What the parametric estimators share. Subclasses say which method, with which options.

    A constant column is an isolated node: the model is fitted to the others, and its parameters
    are 0 there.
    """

    _: KW_ONLY
    alpha: float | None = None  # type: ignore[assignment]
    tol: float = 1e-6
    max_iter: int = 10_000

    _selections: ClassVar[tuple[str, ...]] = ("ebic", "stars", "heldout")
    _method: ClassVar[Any]
    _unit: ClassVar[str]

    def path(self, X: Any, lams: Iterable[float] | None = None) -> GraphPath:
        """Return the graphs along several lambdas, each equal to what `fit` finds with it.

        Equal up to the tolerance of the solver, which starts each solution from the one before;
        for `Space`, whose objective has several fixed points on correlated columns, not always.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            The data.
        lams : iterable of float, optional
            Penalties in any order; `lam` of the estimator is not used. Unless given, 50 from the
            smallest that leaves no edge down to a hundredth of it.

        Returns
        -------
        GraphPath
            Its graphs in the order of `lams`.
        """
        return super().path(X, lams)

    def _usual_lams(self, table: Table) -> tuple[float, ...]:
        varying = table.take(np.flatnonzero(~table.constant))
        fitted = varying.n_variables > 1
        return decades(self._method.largest_lam(varying, **self._of_method()) if fitted else 0.0)

    def _select(self, table: Table, selection: Selection) -> Selected:
        parts = draw_parts(selection, table.n_samples, self.random_state)
        lams = self._usual_lams(table)
        fits = self._fits(table, lams)
        if isinstance(selection, EBIC):
            choice = self._choose_by_ebic(table, fits, selection.gamma)
        else:
            choice = choose_by_resampling(self, table, lams, selection, parts)
        if choice.position is None:
            (fit,) = self._fits(table, (math.inf,))
        else:
            fit = fits[choice.position]
        path = GraphPath(lams, tuple(self._as_graph(found, table) for found in fits))
        graph = self._remember(fit, table)
        return Selected(replace(graph, evidence=Evidence(entry=path.entry)), path, choice)

    def _choose_by_ebic(self, table: Table, fits: tuple[Fit, ...], gamma: float) -> Choice:
        """Choose among fits by what their graphs reach without a penalty."""
        varying = np.flatnonzero(~table.constant)
        graphs = np.array([fit.adjacency[np.ix_(varying, varying)] for fit in fits])
        refits = self._refit(table.take(varying), graphs)
        return ebic.choose(
            [fit.lam for fit in fits],
            refits.log_likelihoods,
            refits.n_parameters,
            refits.n_choices,
            table.n_samples,
            len(varying),
            gamma,
            refits.form,
        )

    def _refit(self, table: Table, graphs: Graphs) -> Refits:
        """Return what graphs of variables that vary reach without a penalty."""
        refits: Refits = self._method.refit(table, graphs)
        return refits

    def _check_lam(self) -> float | Selection:
        if self.alpha is not None:  # users of scikit-learn mean the penalty by it
            raise InputError(
                f"alpha is a share of false edges, which {type(self).__name__} cannot aim at: "
                f"lam={self.alpha!r} is a penalty, and selection= says how it is chosen"
            )
        return super()._check_lam()

    def _check_lams(self, lams: Iterable[float]) -> tuple[float, ...]:
        return check_penalties(lams)

    def _learn(self, table: Table, lam: float) -> Graph:
        (fit,) = self._fits(table, (lam,))
        return self._remember(fit, table)

    def _remember(self, fit: Fit, table: Table) -> Graph:
        """Set the attributes that tell about a fit, and return its graph."""
        self.objective_ = fit.objective
        self.residual_ = fit.residual
        self.converged_ = fit.converged
        self.n_iter_ = fit.n_iterations
        self.trace_ = ()
        for name in getattr(self, "_fitted", ()):  # of an earlier fit, with other options perhaps
            delattr(self, name)
        self._fitted = tuple(f"{name}_" for name in fit.parameters)
        for name, values in fit.parameters.items():
            setattr(self, f"{name}_", values)
        if fit.neighbourhoods is not None:
            self._fitted += ("neighbourhoods_",)
            self.neighbourhoods_ = tuple(
                tuple(table.names[j] for j in members) for members in fit.neighbourhoods
            )
        return self._as_graph(fit, table)

    def _learn_path(self, table: Table, lams: tuple[float, ...]) -> tuple[Graph, ...]:
        return tuple(self._as_graph(fit, table) for fit in self._fits(table, lams))

    def _fits(self, table: Table, lams: tuple[float, ...]) -> tuple[Fit, ...]:
        """Fit the model to the variables that vary, and warn where the solver fell short."""
        self._check_solver()
        varying = np.flatnonzero(~table.constant)
        if len(varying) < 2:
            nothing = np.zeros((table.n_variables, table.n_variables))
            return tuple(Fit(lam, nothing, 0.0, 0.0, True, 0) for lam in lams)
        fits = self._method.path(
            table.take(varying), lams, tol=self.tol, max_iter=self.max_iter, **self._of_method()
        )
        unsolved = [fit for fit in fits if not fit.converged]
        if unsolved:
            from sklearn.exceptions import ConvergenceWarning

            worst = max(unsolved, key=lambda fit: fit.residual)
            where = f" and {len(unsolved) - 1} more" if len(unsolved) > 1 else ""
            reason = (
                f"optimality is violated by {worst.residual:.1e} after {worst.n_iterations} "
                f"iterations (tol={self.tol:g})"
                if worst.residual > self.tol
                else "without a penalty, these data do not determine the parameters"
            )
            warn_user(
                f"{type(self).__name__} did not converge at lam={worst.lam:g}{where}: {reason}, so "
                "edges may be missing or too many; raise max_iter or lam",
                ConvergenceWarning,
            )
        return tuple(_among(fit, varying, table.n_variables) for fit in fits)

    def _check_solver(self) -> None:
        if not isinstance(self.tol, Real) or not self.tol > 0:
            raise InputError(f"tol must be a positive number, got {self.tol!r}")
        if not isinstance(self.max_iter, Integral) or self.max_iter < 1:
            raise InputError(f"max_iter must be a positive whole number, got {self.max_iter!r}")

    def _as_graph(self, fit: Fit, table: Table) -> Graph:
        return Graph.from_adjacency(
            fit.adjacency, table.names, fit.weights, fit.lam, unit=self._unit
        )


def _among(fit: Fit, varying: NDArray[np.intp], n_variables: int) -> Fit:
    """Return a fit of some variables as one of all: parameters of the others are 0."""
    n_varying = len(varying)
    if n_varying == n_variables:
        return fit

    def spread(values: NDArray[Any]) -> NDArray[Any]:
        if values.shape not in ((n_varying,), (n_varying, n_varying)):
            return values
        wide = np.zeros((n_variables,) * values.ndim, dtype=values.dtype)
        wide[np.ix_(*(varying,) * values.ndim)] = values
        return wide

    parameters = {
        name: varying[values] if name in POSITIONS else values
        for name, values in fit.parameters.items()
    }
    if parameters.keys().isdisjoint(POSITIONS):
        parameters = {name: spread(values) for name, values in parameters.items()}
    members: list[tuple[int, ...]] = [()] * n_variables
    for at, chosen in zip(varying, fit.neighbourhoods or (), strict=False):
        members[at] = tuple(int(varying[j]) for j in chosen)
    return replace(
        fit,
        weights=spread(fit.weights),
        parameters=parameters,
        neighbourhoods=None if fit.neighbourhoods is None else tuple(members),
    )
