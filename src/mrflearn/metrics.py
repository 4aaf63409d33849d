"""How close a learned graph, or a path of them, is to the true graph.

The true graph comes first. Two `Graph`s are compared by the names of their nodes, which may stand
in any order; a boolean adjacency matrix is compared by position. Each pair of nodes counts once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath

__all__ = [
    "Confusion",
    "Confusions",
    "RocCurve",
    "area_under_roc",
    "average_roc",
    "best_f1",
    "confusion",
    "confusions",
    "f1",
    "false_positive_rate",
    "precision",
    "roc",
    "structural_hamming_distance",
    "true_positive_rate",
]

AnyGraph: TypeAlias = Graph | ArrayLike
"""A `Graph`, or a symmetric boolean matrix with a False diagonal."""

AnyPath: TypeAlias = GraphPath | Iterable[AnyGraph] | ArrayLike
"""A `GraphPath`, a sequence of graphs, or a boolean array of shape (n_graphs, n_nodes, n_nodes)."""


# --- Counts of pairs ------------------------------------------------------------------------------


class _Rates:
    """What follows from the counts, for one graph or for each graph of a path."""

    tp: Any
    fp: Any
    fn: Any
    tn: Any

    @property
    def tpr(self) -> Any:
        """True positive rate, or recall: tp / (tp + fn). NaN if there is no true edge."""
        return _ratio(self.tp, self.tp + self.fn, math.nan)

    @property
    def fpr(self) -> Any:
        """False positive rate: fp / (fp + tn). NaN if every pair is a true edge."""
        return _ratio(self.fp, self.fp + self.tn, math.nan)

    @property
    def precision(self) -> Any:
        """Share of the edges found that are true: tp / (tp + fp). NaN if none was found."""
        return _ratio(self.tp, self.tp + self.fp, math.nan)

    @property
    def f1(self) -> Any:
        """Harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn). 1 if both are empty."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn, 1.0)

    @property
    def shd(self) -> Any:
        """Structural Hamming distance: edges to add or to remove, fp + fn."""
        return self.fp + self.fn


@dataclass(frozen=True)
class Confusion(_Rates):
    """Pairs of nodes, counted by what they are and what they were found to be.

    Rates are properties: `tpr`, `fpr`, `precision`, `f1` and `shd`. A rate of nothing is NaN: `tpr`
    without a true edge, `fpr` without a true non-edge, `precision` without an edge found. But `f1`
    of two empty graphs is 1, for they agree.

    Attributes
    ----------
    tp, fp : int
        Edges found that are true, and that are not.
    fn, tn : int
        Pairs left without an edge that have one in truth, and that have none.
    """

    tp: int
    fp: int
    fn: int
    tn: int


@dataclass(frozen=True, eq=False)
class Confusions(_Rates):
    """A `Confusion` for each graph of a path: counts and rates are arrays of shape (n_graphs,)."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    fn: NDArray[np.int64]
    tn: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.tp)

    def __getitem__(self, position: int) -> Confusion:
        return Confusion(*(int(count[position]) for count in (self.tp, self.fp, self.fn, self.tn)))

    def __iter__(self) -> Iterator[Confusion]:
        return (self[position] for position in range(len(self)))


def confusion(truth: AnyGraph, estimate: AnyGraph) -> Confusion:
    """Count the pairs of nodes that two graphs agree and disagree on.

    Parameters
    ----------
    truth, estimate : Graph or boolean matrix of shape (n_nodes, n_nodes)
        Two graphs of class `Graph` must have the same node names, in any order.

    Returns
    -------
    Confusion
        Counts over the n_nodes (n_nodes - 1) / 2 pairs.

    Examples
    --------
    >>> truth = Graph(("a", "b", "c"), (("a", "b"), ("b", "c")))
    >>> found = Graph(("c", "b", "a"), (("a", "b"), ("a", "c")))
    >>> confusion(truth, found)
    Confusion(tp=1, fp=1, fn=1, tn=0)
    >>> confusion(truth, found).f1
    0.5
    """
    return _compare(truth, _single(estimate, "the estimate"), "the estimate")[0]


def confusions(truth: AnyGraph, path: AnyPath) -> Confusions:
    """Count the pairs for each graph of a path, all at once.

    Parameters
    ----------
    truth : Graph or boolean matrix of shape (n_nodes, n_nodes)
        The true graph.
    path : GraphPath, sequence of graphs, or boolean array of shape (n_graphs, n_nodes, n_nodes)
        The graphs that were found.

    Examples
    --------
    >>> truth = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> confusions(truth, [np.zeros((3, 3)), truth]).tpr
    array([0., 1.])
    """
    graphs = _as_path(path)
    if not isinstance(graphs, list):
        return _compare(truth, graphs, "the path")
    counts = []
    for position, graph in enumerate(graphs):
        what = f"graph {position} of the path"
        one = _compare(truth, _single(graph, what), what)
        counts.append((one.tp, one.fp, one.fn, one.tn))
    return Confusions(*np.concatenate([np.empty((4, 0), dtype=np.int64), *counts], axis=1))


def true_positive_rate(truth: AnyGraph, estimate: AnyGraph) -> float:
    """Return the share of true edges that were found, or recall; NaN if there is no true edge."""
    return confusion(truth, estimate).tpr


def false_positive_rate(truth: AnyGraph, estimate: AnyGraph) -> float:
    """Return the share of true non-edges found as edges; NaN if every pair is a true edge."""
    return confusion(truth, estimate).fpr


def precision(truth: AnyGraph, estimate: AnyGraph) -> float:
    """Return the share of the edges found that are true; NaN if none was found."""
    return confusion(truth, estimate).precision


def f1(truth: AnyGraph, estimate: AnyGraph) -> float:
    """Return the harmonic mean of precision and recall; 1 if both graphs are empty."""
    return confusion(truth, estimate).f1


def structural_hamming_distance(truth: AnyGraph, estimate: AnyGraph) -> int:
    """Return how many edges must be added or removed to turn one graph into the other."""
    return confusion(truth, estimate).shd


# --- Along a path ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RocCurve:
    """False and true positive rates along a path, in its order.

    Attributes
    ----------
    lams : ndarray of shape (n_lams,)
        The penalties; NaN where unknown.
    fpr, tpr : ndarray of shape (n_lams,)
        The rates: read-only, and NaN where there is no such rate.
    """

    lams: NDArray[np.float64]
    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("lams", "fpr", "tpr"):
            values = _numbers(getattr(self, name), name)
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if self.lams.ndim != 1 or not self.lams.shape == self.fpr.shape == self.tpr.shape:
            raise InputError(
                "a ROC curve needs one FPR and one TPR for each lambda, got "
                f"shapes {self.lams.shape}, {self.fpr.shape} and {self.tpr.shape}"
            )
        for name, rates in (("FPR", self.fpr), ("TPR", self.tpr)):
            wrong = (rates < 0) | (rates > 1)
            if wrong.any():
                raise InputError(f"{name} {rates[wrong][0]:g} is not a rate between 0 and 1")

    def line(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the curve from (0, 0) to (1, 1), sorted by FPR, then TPR: drawn and integrated.

        Raises
        ------
        InputError
            If a rate is NaN.
        """
        _refuse_nan(self, "the ROC curve")
        x, y = np.r_[0.0, self.fpr, 1.0], np.r_[0.0, self.tpr, 1.0]
        order = np.lexsort((y, x))
        return x[order], y[order]


def roc(truth: AnyGraph, path: AnyPath, lams: Iterable[float] | None = None) -> RocCurve:
    """Return false and true positive rates along a path.

    Parameters
    ----------
    truth : Graph or boolean matrix of shape (n_nodes, n_nodes)
        The true graph.
    path : GraphPath, sequence of graphs, or boolean array of shape (n_lams, n_nodes, n_nodes)
        The graphs that were found.
    lams : iterable of float, optional
        One penalty for each graph. A `GraphPath` knows its own, and so may each `Graph`; for
        matrices they stay NaN unless given.

    Examples
    --------
    >>> names = ("a", "b", "c")
    >>> truth = Graph(names, (("a", "b"),))
    >>> path = GraphPath((0.2, 0.1), (truth, Graph(names, (("a", "b"), ("b", "c")))))
    >>> curve = roc(truth, path)
    >>> curve.fpr, curve.tpr
    (array([0. , 0.5]), array([1., 1.]))
    """
    graphs = _as_path(path)
    counts = confusions(truth, graphs)
    return RocCurve(_lams_of(graphs, len(counts), lams), counts.fpr, counts.tpr)


def area_under_roc(fpr: RocCurve | ArrayLike, tpr: ArrayLike | None = None) -> float:
    """Return the area under a ROC curve.

    The points are sorted by FPR, then by TPR; (0, 0) and (1, 1) are added as end points; the area
    is that of the trapezoids between. Hence no points at all give 0.5, and a curve that ends early
    is completed by a straight line to (1, 1), as if further edges were drawn at random. For nested
    graphs this is the probability that a true edge enters the path before a non-edge, ties
    counting one half.

    Parameters
    ----------
    fpr : RocCurve, or array of shape (n_points,)
        The curve, or its false positive rates.
    tpr : array of shape (n_points,), optional
        True positive rates, if `fpr` is no curve.

    Raises
    ------
    InputError
        If a rate is NaN or outside 0 to 1.

    Examples
    --------
    >>> area_under_roc([0.0, 0.5], [0.5, 1.0])
    0.875
    """
    if isinstance(fpr, RocCurve):
        if tpr is not None:
            raise InputError("the RocCurve has its own tpr: leave out tpr=")
        curve = fpr
    elif tpr is None:
        raise InputError("tpr= is missing: give false and true positive rates, or a RocCurve")
    else:
        x, y = _numbers(fpr, "fpr"), _numbers(tpr, "tpr")
        curve = RocCurve(np.full(x.shape, math.nan), x, y)
    x, y = curve.line()
    area = float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    return min(area, 1.0)  # rounding of the sum


def average_roc(curves: Iterable[RocCurve]) -> RocCurve:
    """Return the mean FPR and the mean TPR over runs, at each lambda.

    The area under this curve is *not* the mean of the areas of the runs: averaging at equal lambda
    joins points of different runs that lie at different places on their curves. Report both.

    Parameters
    ----------
    curves : iterable of RocCurve
        One for each run, all at the same lambdas.

    Raises
    ------
    InputError
        If lambdas differ or are unknown, or a rate is NaN.

    Examples
    --------
    >>> first = RocCurve([0.2, 0.1], [0.0, 0.5], [0.0, 1.0])
    >>> second = RocCurve([0.2, 0.1], [0.0, 0.0], [0.5, 1.0])
    >>> mean = average_roc([first, second])
    >>> mean.fpr, mean.tpr
    (array([0.  , 0.25]), array([0.25, 1.  ]))
    """
    runs = list(curves)
    if not runs:
        raise InputError("there is no ROC curve to average: give at least one run")
    for position, run in enumerate(runs):
        if np.isnan(run.lams).any():
            raise InputError(f"the lambdas of run {position} are unknown: give lams= to roc")
        if not np.array_equal(run.lams, runs[0].lams):
            raise InputError(
                f"the lambdas of run {position} differ from those of run 0: "
                "learn every run at the same lambdas"
            )
        _refuse_nan(run, f"run {position}")
    return RocCurve(
        runs[0].lams,
        np.mean([run.fpr for run in runs], axis=0),
        np.mean([run.tpr for run in runs], axis=0),
    )


def best_f1(
    truth: AnyGraph, path: AnyPath, lams: Iterable[float] | None = None
) -> tuple[float, float]:
    """Return the lambda whose graph has the largest F1, and that F1: the best choice in hindsight.

    Among equals the largest lambda is chosen, the sparsest graph. Parameters are those of `roc`.

    Examples
    --------
    >>> names = ("a", "b", "c")
    >>> truth = Graph(names, (("a", "b"),))
    >>> path = GraphPath((0.3, 0.2, 0.1), (Graph(names), truth, truth))
    >>> best_f1(truth, path)
    (0.2, 1.0)
    """
    graphs = _as_path(path)
    scores = confusions(truth, graphs).f1
    known = _lams_of(graphs, len(scores), lams)
    if not len(scores) or np.isnan(known).any():
        raise InputError("there is no best lambda: give at least one graph, and lams= for matrices")
    best = np.lexsort((known, scores))[-1]
    return float(known[best]), float(scores[best])


# --- Comparing ------------------------------------------------------------------------------------


def _ratio(part: Any, whole: Any, of_nothing: float) -> Any:
    """Return part / whole, with a given value where whole is 0; a float for integers."""
    if isinstance(whole, np.ndarray):
        return np.where(whole > 0, part / np.maximum(whole, 1), of_nothing)
    return part / whole if whole else of_nothing


def _compare(truth: AnyGraph, found: Graph | GraphPath | NDArray[Any], what: str) -> Confusions:
    """Count the pairs of each graph found, once nodes of the same name are in the same place."""
    true, nodes = _matrices(_single(truth, "the true graph"), "the true graph")
    matrices, names = _matrices(found, what)
    if nodes and names and nodes != names:
        _check_names(nodes, names, what)
        place = {node: position for position, node in enumerate(nodes)}
        order = np.array([place[name] for name in names])
        true = true[:, order[:, None], order]
    elif true.shape[1:] != matrices.shape[1:]:
        raise InputError(
            f"{what} has {matrices.shape[1]} nodes and the true graph {true.shape[1]}: "
            "compare graphs over the same nodes"
        )
    # Each pair is there twice in a symmetric matrix.
    n_pairs = matrices.shape[1] * (matrices.shape[1] - 1) // 2
    n_true, n_found = true.sum() // 2, matrices.sum(axis=(1, 2)) // 2
    tp = (matrices & true).sum(axis=(1, 2)) // 2
    return Confusions(tp, n_found - tp, n_true - tp, n_pairs - n_true - n_found + tp)


def _as_path(path: Any) -> GraphPath | NDArray[Any] | list[Any]:
    if isinstance(path, GraphPath | np.ndarray):
        return path
    if not isinstance(path, Iterable):
        raise InputError(
            f"a path is a GraphPath or a sequence of graphs, got {type(path).__name__}"
        )
    return list(path)


def _single(graph: AnyGraph, what: str) -> Graph | NDArray[Any]:
    """Return a graph, or a matrix as an array of one matrix."""
    if isinstance(graph, Graph):
        return graph
    try:
        return np.asarray(graph)[None]
    except ValueError:
        raise InputError(f"{what} must be a matrix: its rows have different lengths") from None


def _matrices(
    graphs: Graph | GraphPath | NDArray[Any], what: str
) -> tuple[NDArray[np.bool_], tuple[str, ...] | None]:
    """Return adjacency matrices, shape (n_graphs, n_nodes, n_nodes), and names if there are any."""
    if isinstance(graphs, Graph):
        return graphs.adjacency[None], graphs.nodes
    if isinstance(graphs, GraphPath):
        return graphs.adjacencies, graphs.nodes
    if graphs.ndim != 3 or graphs.shape[1] != graphs.shape[2]:
        raise InputError(
            f"{what} must be a Graph or a square boolean matrix, got shape {graphs.shape[1:]}"
        )
    if not (graphs.dtype == bool or ((graphs == 0) | (graphs == 1)).all()):
        raise InputError(f"{what} must hold True and False alone: of weights, give weights != 0")
    matrices = graphs.astype(bool, copy=False)
    if (matrices != matrices.transpose(0, 2, 1)).any():
        raise InputError(f"{what} is not symmetric: an edge has no direction")
    if matrices.diagonal(axis1=1, axis2=2).any():
        raise InputError(f"{what} has True on its diagonal: a node has no edge to itself")
    return matrices, None


def _check_names(true: Sequence[str], found: Sequence[str], what: str) -> None:
    """Refuse graphs over different nodes, and say which."""
    sides = ("the true graph", true, set(found)), (what, found, set(true))
    missing = [(whose, [node for node in own if node not in other]) for whose, own, other in sides]
    only = [
        f"only {whose} has {', '.join(map(repr, nodes[:5]))}{', …' if len(nodes) > 5 else ''}"
        for whose, nodes in missing
        if nodes
    ]
    if only:
        raise InputError(
            f"{' and '.join(only)}: compare graphs over the same nodes, "
            "or their adjacency matrices by position"
        )


def _lams_of(graphs: Any, n_graphs: int, lams: Iterable[float] | None) -> NDArray[np.float64]:
    """Return the lambda of each graph: as given, as the graphs know, or NaN."""
    if lams is not None:
        known = _numbers(list(lams), "lams")
    elif isinstance(graphs, GraphPath):
        known = np.array(graphs.lams)
    else:
        own = [graph.lam if isinstance(graph, Graph) else None for graph in graphs]
        known = np.array([math.nan if lam is None else lam for lam in own])
    if len(known) != n_graphs:
        raise InputError(f"lams= has {len(known)} lambdas for {n_graphs} graphs: give one for each")
    return known


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return a new array of numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a sequence of numbers, got {values!r:.80}") from None


def _refuse_nan(curve: RocCurve, what: str) -> None:
    if np.isnan(curve.tpr).any():
        raise InputError(f"{what} has a TPR of NaN: a true graph without edges has no ROC curve")
    if np.isnan(curve.fpr).any():
        raise InputError(f"{what} has an FPR of NaN: a complete true graph has no ROC curve")
