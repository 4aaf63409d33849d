"""What all graph estimators share: the way from a table to a graph, and what they say about it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from mrflearn._columns import RawColumn, read_columns
from mrflearn._edges import check_lams
from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath
from mrflearn.table import Table, build_table, warn_of_oddities

__all__ = ["GraphEstimator", "documented", "remember_features"]

Estimator = TypeVar("Estimator")

TABLE_PARAMETERS = """
    kinds : dict, optional
        Kinds of columns whose type misleads; see `as_table`.
    groups : dict, optional
        Columns that together are one variable; see `as_table`.
    missing : {"error", "drop"}, default="error"
        What to do about rows with missing or infinite values.
"""

GRAPH_ATTRIBUTES = """
    graph_ : Graph
        The graph found.
    adjacency_ : ndarray of bool, shape (n_variables, n_variables)
        Its matrix: symmetric, False on the diagonal.
    path_ : GraphPath
        The path fitted: the graph at `lam_` alone. `path` gives graphs along many lambdas.
    lam_ : float
        The penalty used.
"""

FEATURE_ATTRIBUTES = """
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, where all are strings.
"""


def documented(common: str) -> Any:
    """Write the parameters and attributes that estimators share into a docstring."""

    def write(cls: type[Estimator]) -> type[Estimator]:
        cls.__doc__ = (cls.__doc__ or "").replace("    {common}", common.strip("\n"))
        return cls

    return write


@dataclass(eq=False, repr=False)
class GraphEstimator(BaseEstimator):
    """From a table to a graph. Subclasses say how."""

    lam: float = 0.05
    _: KW_ONLY
    kinds: Mapping[Any, str | Sequence[Any]] | None = None
    groups: Mapping[str, Sequence[Any]] | None = None
    missing: str = "error"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            The data.
        y : ignored
            There for scikit-learn.

        Returns
        -------
        self
        """
        (lam,) = self._check_lams([self.lam])
        columns = read_columns(X)
        remember_features(self, X, columns)
        self.graph_ = self._learn(self._read(columns), lam)
        self.adjacency_ = np.array(self.graph_.adjacency)
        self.path_ = GraphPath((lam,), (self.graph_,))
        self.lam_ = lam
        return self

    def path(self, X: Any, lams: Iterable[float]) -> GraphPath:
        """Return the graphs along several lambdas, each equal to what `fit` finds with it.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            The data.
        lams : iterable of float
            Penalties in any order; `lam` of the estimator is not used.

        Returns
        -------
        GraphPath
            Its graphs in the order of `lams`.
        """
        penalties = self._check_lams(lams)
        return GraphPath(penalties, self._learn_path(self._read(read_columns(X)), penalties))

    @abstractmethod
    def _learn(self, table: Table, lam: float) -> Graph:
        """Return the graph at one lambda, and set the attributes that tell about the fit."""

    @abstractmethod
    def _learn_path(self, table: Table, lams: tuple[float, ...]) -> tuple[Graph, ...]:
        """Return the graphs at several lambdas."""

    def _check_lams(self, lams: Iterable[float]) -> tuple[float, ...]:
        return check_lams(lams)

    def _read(self, columns: list[RawColumn]) -> Table:
        """Return the table, with warnings of what looks odd in it."""
        scale = getattr(self, "scale", None)
        table = build_table(columns, self.kinds, self.groups, scale, self.missing)
        warn_of_oddities(table)
        if table.n_variables < 2:
            raise InputError(
                f"a graph needs two variables, and n_features={len(table.columns)} "
                f"column(s) make {table.n_variables}"
            )
        return table

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = False
        return tags


def remember_features(estimator: BaseEstimator, X: Any, columns: list[RawColumn]) -> None:
    """Set `n_features_in_`, and `feature_names_in_` if all columns are named by strings."""
    try:
        validate_data(estimator, X, skip_check_array=True)
    except TypeError as error:  # names of several types
        raise InputError(str(error)) from None
    estimator.n_features_in_ = len(columns)
