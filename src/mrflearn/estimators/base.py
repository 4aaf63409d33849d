"""What all graph estimators share: the way from a table to a graph, and what they say about it."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from mrflearn._blas import one_thread
from mrflearn._columns import RawColumn, read_columns
from mrflearn._edges import check_lams
from mrflearn.checkpoint import checkpointing
from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath
from mrflearn.selection.choice import Choice
from mrflearn.selection.options import ALPHA, Selection, check_alpha, check_seed, resolve
from mrflearn.table import Table, build_table, refuse_identifiers, warn_of_oddities
from mrflearn.work import Executor, as_executor

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

NO_MATTER = ("n_jobs", "executor", "checkpoint", "max_memory", "device")
"""Options on which no result depends."""

WORK_PARAMETERS = """
    n_jobs : int, optional
        Workers of this machine: threads, or processes for whole fits; -1 for all cores. The result
        does not depend on it.
    executor : str or dask.distributed.Client, optional
        Who works: `"serial"`, `"threads"`, `"processes"`, a Dask client or the address of a Dask
        scheduler, such as `"tcp://10.0.0.1:8786"`. The result does not depend on it.
    checkpoint : path, optional
        A file that keeps what was found, so that a run that was stopped goes on from there, to the
        same result. It belongs to one table and one set of options.
"""

SELECTION_PARAMETERS = """
    selection : str or object of `mrflearn.selection`, default="auto"
        How `lam="auto"` chooses: {ways}. `"auto"` is the first.
    {alpha}
    random_state : int, default=0
        Seed of shuffles, subsamples and folds.
"""

GRAPH_ATTRIBUTES = """
    graph_ : Graph
        The graph found.
    adjacency_ : ndarray of bool, shape (n_variables, n_variables)
        Its matrix: symmetric, False on the diagonal.
    path_ : GraphPath
        The graphs among which `lam="auto"` chose; else the graph at `lam` alone.
    lam_ : float
        The penalty used.
    choice_ : Choice or None
        Why `lam="auto"` chose it.
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


class Selected(NamedTuple):
    """What `lam="auto"` leads to."""

    graph: Graph
    path: GraphPath
    choice: Choice


@dataclass(eq=False, repr=False)
class GraphEstimator(BaseEstimator):
    """From a table to a graph. Subclasses say how."""

    lam: float | str = "auto"
    _: KW_ONLY
    selection: str | Selection = "auto"
    alpha: float = ALPHA
    random_state: int = 0
    kinds: Mapping[Any, str | Sequence[Any]] | None = None
    groups: Mapping[str, Sequence[Any]] | None = None
    missing: str = "error"
    n_jobs: int | None = None
    executor: Any = None
    checkpoint: str | os.PathLike[str] | None = None

    _selections: ClassVar[tuple[str, ...]]
    _method_options: ClassVar[tuple[str, ...]] = ()

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
        self._check_lam()  # before anything slow
        columns = read_columns(X)
        return self._fit(X, columns, self._read(columns))

    def _fit(self, X: Any, columns: list[RawColumn], table: Table) -> Self:
        """Learn the graph of data that are read already."""
        given = self._check_lam()
        remember_features(self, X, columns)
        with one_thread(), self._checkpointing(table):
            if isinstance(given, float):
                self.graph_, self.choice_ = self._learn(table, given), None
                self.path_ = GraphPath((given,), (self.graph_,))
            else:
                self.graph_, self.path_, self.choice_ = self._select(table, given)
        self.adjacency_ = np.array(self.graph_.adjacency)
        self.lam_ = math.nan if self.graph_.lam is None else self.graph_.lam
        self._columns = columns
        return self

    def path(self, X: Any, lams: Iterable[float] | None = None) -> GraphPath:
        """Return the graphs along several lambdas: what `fit` finds with each, without tests.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            The data.
        lams : iterable of float, optional
            Penalties in any order; `lam` of the estimator is not used. Those that `lam="auto"`
            chooses among, unless given.

        Returns
        -------
        GraphPath
            Its graphs in the order of `lams`.
        """
        penalties = None if lams is None else self._check_lams(lams)
        table = self._read(read_columns(X))
        with one_thread(), self._checkpointing(table):
            if penalties is None:
                penalties = self._usual_lams(table)
            return GraphPath(penalties, self._learn_path(table, penalties))

    def score(self, X: Any, y: Any = None) -> float:
        """Return how well the graph predicts rows, new ones or those it was learned from.

        The mean over rows of the log pseudolikelihood in nats: each variable is predicted from its
        neighbours in the graph, by a model fitted to the rows of `fit`. It depends on the graph
        alone, so graphs of different methods can be compared; continuous columns count on the
        scale on which those of `fit` have variance 1.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            Rows of the same columns.
        y : ignored
            There for scikit-learn.
        """
        from mrflearn._alike import alike
        from mrflearn.selection.heldout import log_pseudolikelihoods

        check_is_fitted(self)
        columns = read_columns(X)
        if len(columns) != self.n_features_in_:  # in the words of scikit-learn
            raise InputError(
                f"X has {len(columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        known = build_table(self._columns, self.kinds, self.groups, None, self.missing)
        new = alike(known, columns, self.missing)
        with one_thread():
            return float(log_pseudolikelihoods(known, new, self.adjacency_[None]).mean())

    @abstractmethod
    def _learn(self, table: Table, lam: float) -> Graph:
        """Return the graph at one lambda, and set the attributes that tell about the fit."""

    @abstractmethod
    def _learn_path(self, table: Table, lams: tuple[float, ...]) -> tuple[Graph, ...]:
        """Return the graphs at several lambdas."""

    @abstractmethod
    def _usual_lams(self, table: Table) -> tuple[float, ...]:
        """Return the lambdas worth looking at."""

    @abstractmethod
    def _select(self, table: Table, selection: Selection) -> Selected:
        """Learn a path and choose from it, and set the attributes that tell about the fit."""

    def _check_lam(self) -> float | Selection:
        """Return the lambda given, or how to choose one."""
        check_seed(self.random_state)
        if isinstance(self.lam, str):
            if self.lam != "auto":
                raise InputError(f"lam must be a number or 'auto', got {self.lam!r}")
            if "fdr" in self._selections:
                check_alpha(self.alpha)
            return resolve(self.selection, self._selections, type(self).__name__)
        (lam,) = self._check_lams([self.lam])
        return lam

    def _checkpointing(self, table: Table) -> AbstractContextManager[None]:
        """Keep what is found in the checkpoint of this estimator, if it has one."""
        return checkpointing(self.checkpoint, table.fingerprint, self._plain_options())

    def _plain_options(self) -> dict[str, Any]:
        """Return what was asked for and results depend on, as a file can hold it."""
        options: dict[str, Any] = {"method": type(self).__name__}
        for name, value in self.get_params(deep=False).items():
            if name not in NO_MATTER:
                options[name] = _plain(value)
        return options

    def _of_method(self) -> dict[str, Any]:
        """Return the options that its method takes, as given."""
        return {name: getattr(self, name) for name in self._method_options}

    def _executor(self, usual: str) -> Executor:
        """Return who does the work."""
        return as_executor(self.executor, self.n_jobs, usual)

    def _for_parts(self, part: Table, executor: Executor, n_held: int = 1) -> Self:
        """Return this estimator for one of many parts of a table, each learned from in one go.

        Parameters
        ----------
        part : Table
            One of them. Where memory is bounded, it is refused if workers cannot have such parts.
        executor : Executor
            Who learns from them.
        n_held : int
            Dependences that a worker holds at a time: 2 if a search has one already.
        """
        return clone(self).set_params(n_jobs=None, executor=None, checkpoint=None)

    def __sklearn_clone__(self) -> Self:
        options = {
            name: value if name == "executor" else clone(value, safe=False)
            for name, value in self.get_params(deep=False).items()
        }
        return type(self)(**options)

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if not isinstance(state.get("executor"), str):  # a client stays where it is connected
            state["executor"] = None
        return state

    def _check_lams(self, lams: Iterable[float]) -> tuple[float, ...]:
        return check_lams(lams)

    def _read(self, columns: list[RawColumn]) -> Table:
        """Return the table, with warnings of what looks odd in it."""
        scale = getattr(self, "scale", None)
        table = build_table(columns, self.kinds, self.groups, scale, self.missing)
        refuse_identifiers(table)
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


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return [_plain(item) for item in sorted(value, key=repr)]
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    if isinstance(value, Graph):
        return [[edge.source, edge.target] for edge in value.edges]
    return repr(value)


def remember_features(estimator: BaseEstimator, X: Any, columns: list[RawColumn]) -> None:
    """Set `n_features_in_`, and `feature_names_in_` if all columns are named by strings."""
    try:
        validate_data(estimator, X, skip_check_array=True)
    except TypeError as error:  # names of several types
        raise InputError(str(error)) from None
    estimator.n_features_in_ = len(columns)
