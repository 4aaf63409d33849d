"""How sure is an edge? In how many random halves of the table it is found again."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn.checkpoint import checkpointing
from mrflearn.errors import InputError
from mrflearn.estimators import GraphEstimator, as_estimator
from mrflearn.graph import Graph
from mrflearn.selection.options import check_count, check_seed
from mrflearn.selection.subsamples import draw_rows
from mrflearn.table import Table
from mrflearn.work import Executor, as_executor, do_pieces

__all__ = ["Parts", "Stability", "repeated", "stability"]


class Parts:
    """Random parts of a table's rows, or a sentence that says why there are none."""

    fraction: float
    rows: list[NDArray[np.intp]]
    kept_as: str

    def __init__(
        self, n_samples: int, n_subsamples: int, fraction: float, random_state: int
    ) -> None:
        check_count("n_subsamples", n_subsamples, 2)
        if not isinstance(fraction, Real) or not 0 < fraction < 1:
            raise InputError(f"fraction must be between 0 and 1, both excluded; got {fraction!r}")
        size, seed = math.floor(fraction * n_samples), check_seed(random_state)
        self.fraction = float(fraction)
        self.rows = [draw_rows(n_samples, size, number, seed) for number in range(n_subsamples)]
        self.kept_as = f"stability {size} of {n_samples}, seed {seed}"


@dataclass(frozen=True, eq=False)
class Stability:
    """How often edges were found in subsamples.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    frequencies : ndarray of shape (n_nodes, n_nodes)
        Share of subsamples with each edge; symmetric, 0 on the diagonal.
    n_subsamples : int
        How many.
    fraction : float
        Rows of each, as a share of all.
    """

    nodes: tuple[str, ...]
    frequencies: NDArray[np.float64]
    n_subsamples: int
    fraction: float

    def of(self, graph: Graph) -> Graph:
        """Return a graph whose edges have these frequencies as their confidence."""
        if graph.nodes != self.nodes:
            raise InputError("the graph and the subsamples have different variables")
        edges = (
            edge._replace(
                confidence=self.frequencies[graph.index(edge.source), graph.index(edge.target)]
            )
            for edge in graph.edges
        )
        return Graph(graph.nodes, tuple(edges), graph.lam, graph.unit, graph.evidence)

    def graph(self, at_least: float = 0.5) -> Graph:
        """Return the graph of the edges found in at least this share of the subsamples."""
        if not isinstance(at_least, Real) or not 0 < at_least <= 1:
            raise InputError(f"at_least must be a share between 0 and 1, got {at_least!r}")
        found = Graph.from_adjacency(
            self.frequencies >= at_least, self.nodes, self.frequencies, unit="selection frequency"
        )
        return self.of(found)

    def to_pandas(self) -> Any:
        """Return the pairs found at all as a data frame, the surest first."""
        import pandas as pd

        one, other = np.nonzero(np.triu(self.frequencies, 1))
        frame = pd.DataFrame(
            {
                "source": [self.nodes[i] for i in one],
                "target": [self.nodes[j] for j in other],
                "frequency": self.frequencies[one, other],
            }
        )
        return frame.sort_values("frequency", ascending=False, kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        n_found = int((np.triu(self.frequencies, 1) >= 0.5).sum())
        return (
            f"Stability({len(self.nodes)} nodes, {self.n_subsamples} subsamples of "
            f"{self.fraction:.0%}, {n_found} edges in at least half of them)"
        )


def stability(
    data: Any,
    method: str | GraphEstimator = "gsmple",
    *,
    n_subsamples: int = 50,
    fraction: float = 0.5,
    random_state: int = 0,
    n_jobs: int | None = -1,
    executor: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    quiet: bool = False,
    **options: Any,
) -> Stability:
    """Learn from random parts of a table, and count how often each edge is found.

    With `lam="auto"` lambda is chosen anew in each part: what is repeated is all that `learn` does.
    Rows are drawn without replacement, as a row that came twice would look like an atom. Halves
    vary about as much as the whole table would from one study to another (Meinshausen and Bühlmann
    2010), but tell less: a weak edge is found in the whole more often than in a half.

    Parameters
    ----------
    data : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
        The data.
    method : str or estimator, default="gsmple"
        As in `learn`.
    n_subsamples : int, default=50
        Parts to learn from.
    fraction : float, default=0.5
        Rows of a part, as a share of all.
    random_state : int, default=0
        Seed. Each part is seeded by its number: results depend neither on `n_jobs` nor on order.
    n_jobs : int, default=-1
        Processes; -1 for all cores.
    executor : str or dask.distributed.Client, optional
        Who works: `"serial"`, `"threads"`, `"processes"`, a Dask client or the address of a Dask
        scheduler. The result does not depend on it.
    checkpoint : path, optional
        A file that keeps what was found, from which a run that was stopped goes on.
    quiet : bool, default=False
        Show no progress.
    **options
        Of the estimator, if `method` is a name.

    Returns
    -------
    Stability

    Notes
    -----
    A column that is constant in a part has no edge there.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn import stability
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=200)
    >>> X = np.column_stack([a, a + rng.normal(size=200), rng.normal(size=200)])
    >>> found = stability(X, n_subsamples=10, dependence="gaussian", n_jobs=1, quiet=True)
    >>> found.graph(at_least=0.9).neighbors("x0")
    ('x1',)
    """
    from mrflearn._columns import read_columns
    from mrflearn._shown import shown

    estimator = as_estimator(method, options)
    estimator._check_lam()
    table = estimator._read(read_columns(data))
    parts = Parts(table.n_samples, n_subsamples, fraction, random_state)
    place = checkpoint if checkpoint is not None else estimator.checkpoint
    asked = estimator.executor if executor is None else executor
    with shown(quiet), checkpointing(place, table.fingerprint, estimator._plain_options()):
        return repeated(estimator, table, parts, as_executor(asked, n_jobs, "processes"))


def repeated(
    estimator: GraphEstimator, table: Table, parts: Parts, executor: Executor
) -> Stability:
    """Count how often an estimator finds each edge in parts of a table."""
    found = do_pieces(
        _found_in,
        (estimator._for_parts(table.at_rows(parts.rows[0]), executor), table),
        parts.rows,
        executor,
        "Checking stability",
        parts.kept_as,
        (table.n_variables, table.n_variables),
    )
    frequencies = np.mean(found, axis=0)
    frequencies.flags.writeable = False
    return Stability(table.names, frequencies, len(parts.rows), parts.fraction)


def _found_in(shared: tuple[GraphEstimator, Table], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the adjacency that some rows lead to."""
    estimator, table = shared
    part = table.at_rows(rows)
    given = estimator._check_lam()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a solver: the whole table has its own
        if isinstance(given, float):
            return estimator._learn(part, given).adjacency
        return estimator._select(part, given).graph.adjacency
