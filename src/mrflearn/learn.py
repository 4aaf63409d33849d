"""The whole sentence in one call: table -> dependence -> search -> path -> selection -> graph."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sklearn.base import clone

from mrflearn._blas import one_thread
from mrflearn._columns import read_columns
from mrflearn._shown import shown
from mrflearn.account import account_of
from mrflearn.estimators import GraphEstimator, SearchEstimator, as_estimator
from mrflearn.graph import Graph
from mrflearn.result import Result, TableSummary
from mrflearn.stability import Parts, Stability, repeated
from mrflearn.table import Table

__all__ = ["learn", "results"]

OWN = ("test", "n_subsamples", "fraction", "quiet")
"""Options of `learn` that estimators do not have."""


def learn(
    data: Any,
    method: str | GraphEstimator = "gsmple",
    *,
    test: bool = True,
    n_subsamples: int = 0,
    fraction: float = 0.5,
    n_jobs: int | None = -1,
    executor: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    quiet: bool = False,
    **options: Any,
) -> Result:
    """Learn from a table which variables depend on each other directly, and say how sure that is.

    Without options: what `GSMPLE()` does, and a p-value and a q-value for each edge. At most
    about one edge of ten is expected to be there by chance. For hundreds of variables see `screen`.

    Parameters
    ----------
    data : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
        The data, of continuous, ordinal and nominal columns in any mix.
    method : str or estimator, default="gsmple"
        How edges are found: a name of `mrflearn.estimators.ESTIMATORS`, or an estimator.
    test : bool, default=True
        Give each edge of a search a p-value and a q-value, by the null by which lambda is chosen;
        parametric methods have no such test.
    n_subsamples : int, default=0
        Parts of the table in which to look for the edges again; see `stability`. 50 are usual, and
        take about 15 times as long as the rest.
    fraction : float, default=0.5
        Rows of a part, as a share of all.
    n_jobs : int, default=-1
        Threads and processes; -1 for all cores. The result does not depend on it.
    executor : str or dask.distributed.Client, optional
        Who works: `"serial"`, `"threads"`, `"processes"`, a Dask client or the address of a Dask
        scheduler, such as `"tcp://10.0.0.1:8786"`. The result does not depend on it.
    checkpoint : path, optional
        A file that keeps what was found, so that a run that was stopped goes on from there, to the
        same result. It belongs to one table and one set of options; delete it when you are done.
    quiet : bool, default=False
        Print nothing. Else what was done is printed when it is done, and progress is shown if
        somebody is watching.
    **options
        Of the estimator: `lam`, `selection`, `alpha`, `random_state`, `kinds`, `groups`,
        `missing`, and those of its own, such as `dependence`, `required` and `forbidden`.

    Returns
    -------
    Result

    Examples
    --------
    >>> from mrflearn import learn
    >>> from mrflearn.datasets import load_penguins
    >>> found = learn(load_penguins().drop(columns="year"), missing="drop", quiet=True)
    >>> found.graph.neighbors("island")
    ('species',)
    """
    *_, found = results(
        data,
        method,
        test=test,
        n_subsamples=n_subsamples,
        fraction=fraction,
        n_jobs=n_jobs,
        executor=executor,
        checkpoint=checkpoint,
        quiet=quiet,
        **options,
    )
    if not quiet:
        print(found)
    return found


def results(
    data: Any,
    method: str | GraphEstimator = "gsmple",
    *,
    test: bool = True,
    n_subsamples: int = 0,
    fraction: float = 0.5,
    n_jobs: int | None = -1,
    executor: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    quiet: bool = False,
    **options: Any,
) -> Iterator[Result]:
    """Yield what `learn` returns, before that what is known once there is a graph.

    Where tests or subsamples take long, the graph can be written before they begin. Parameters are
    those of `learn`.
    """
    estimator = as_estimator(method, options, OWN)
    estimator = clone(estimator)  # the one given stays as it is
    if estimator.n_jobs is None:
        estimator.set_params(n_jobs=n_jobs)
    own = {"executor": executor, "checkpoint": checkpoint}
    estimator.set_params(**{name: value for name, value in own.items() if value is not None})
    remarks: list[str] = []
    with _noted(remarks):
        estimator._check_lam()
        columns = read_columns(data)
        table = estimator._read(columns)
        parts = None
        if n_subsamples:
            parts = Parts(table.n_samples, n_subsamples, fraction, estimator.random_state)
        with one_thread(), shown(quiet), estimator._checkpointing(table):
            estimator._fit(data, columns, table)
    graph, stable = estimator.graph_, None
    if not test:
        graph = graph.without_tests()
    asks_tests = test and isinstance(estimator, SearchEstimator) and not _is_tested(graph)
    if asks_tests or parts is not None:
        yield _result(estimator, graph, table, None, remarks)
        with _noted(remarks), one_thread(), shown(quiet), estimator._checkpointing(table):
            if asks_tests:
                assert isinstance(estimator, SearchEstimator)
                graph = estimator._test(graph, table)
            if parts is not None:
                stable = repeated(estimator, table, parts, estimator._executor("processes"))
                graph = stable.of(graph)
    yield _result(estimator, graph, table, stable, remarks)


@contextmanager
def _noted(remarks: list[str]) -> Iterator[None]:
    """Add what a user is warned of to a list; what is for developers is passed on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            remarks.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def _result(
    estimator: GraphEstimator,
    graph: Graph,
    table: Table,
    stable: Stability | None,
    remarks: Sequence[str],
) -> Result:
    return Result(
        graph=graph,
        path=estimator.path_,
        lam=estimator.lam_,
        choice=estimator.choice_,
        table=TableSummary.of(table),
        options=estimator._plain_options(),
        account=account_of(estimator, graph, table, stable, tuple(dict.fromkeys(remarks))),
        stability=stable,
    )


def _is_tested(graph: Graph) -> bool:
    """Return whether there is nothing to test, or it was tested."""
    known = any(edge.p_value is not None for edge in graph.edges)
    return not graph.edges or known or bool(graph.unsure)
