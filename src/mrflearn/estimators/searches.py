"""Estimators that search, and the options of each. No algorithm here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mrflearn.dependence import Memo
from mrflearn.errors import InputError
from mrflearn.estimators.base import documented
from mrflearn.estimators.constraints import constraints_of
from mrflearn.estimators.searching import COMMON, BlanketEstimator, SearchEstimator
from mrflearn.search import Constraints, SearchResult, chow_liu, greedy_entropy, gs_mple, gsmn, iamb
from mrflearn.table import Table

__all__ = ["GSMN", "GSMPLE", "IAMB", "ChowLiu", "GreedyEntropy"]


@documented(COMMON)
@dataclass(eq=False, repr=False)
class GSMPLE(SearchEstimator):
    """Grow-shrink maximum pseudolikelihood estimation over the edge set.

    Adds the edge that lowers the pseudolikelihood objective most while it lowers it by more than
    `lam`, then removes edges that lower it by no more. The score of an edge is the sum of the
    conditional mutual informations of its ends, given the neighbours of either.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Penalty for an edge, in nats, on the scale of the sum of the two. Larger is sparser;
        infinite and negative values are allowed. `"auto"` chooses it; see `selection`.
    refine : {"auto", "alternate", "pairs", None}, default="auto"
        How to go on where Algorithm 1 ends: an edge that was left out may be worth more than `lam`
        once others are removed. `None` is Algorithm 1 to the letter. `"alternate"`: add and remove
        in turn until nothing changes; estimates may contradict each other, so a graph that comes
        again, or ten times as many steps as before, ends it too. `"pairs"`: as `"alternate"`, and
        when nothing changes, add two edges with an end in common or the three of a triangle, worth
        more than `lam` each on average. That finds what no edge shows alone, such as an exclusive
        or. `"auto"`: `"pairs"` for up to 50 variables, else `"alternate"`.
    {common}

    References
    ----------
    Takashina, Nakatani and Inoue (2018), Structure learning of Markov random fields through
    grow-shrink maximum pseudolikelihood estimation.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn import GSMPLE
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=300)
    >>> b = a + rng.normal(size=300)
    >>> c = b + rng.normal(size=300)
    >>> X = np.column_stack([a, b, c])
    >>> GSMPLE(dependence="gaussian").fit(X).graph_.to_networkx().edges
    EdgeView([('x0', 'x1'), ('x1', 'x2')])
    """

    _search: ClassVar[Any] = gs_mple
    _method_options: ClassVar[tuple[str, ...]] = ("refine",)

    refine: str | None = "auto"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class GSMN(BlanketEstimator):
    """Grow-shrink Markov network.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Conditional mutual information, in nats, that counts as dependence. Larger is sparser.
        `"auto"` chooses it; see `selection`.
    rule : {"and", "or"}, default="and"
        Keep an edge that both ends chose, or one that at least one did.
    {common}
    neighbourhoods_ : tuple of tuples of str
        The neighbours each variable chose, before `rule` was applied.

    References
    ----------
    Bromberg, Margaritis and Honavar (2009), Efficient Markov network structure discovery using
    independence tests.
    """

    _search: ClassVar[Any] = gsmn
    _method_options: ClassVar[tuple[str, ...]] = ("rule",)

    rule: str = "and"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class IAMB(BlanketEstimator):
    """Incremental association Markov blanket.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        Conditional mutual information, in nats, that counts as dependence. Larger is sparser.
        `"auto"` chooses it; see `selection`.
    rule : {"or", "and"}, default="or"
        Keep an edge that at least one end chose, or one that both did.
    {common}
    neighbourhoods_ : tuple of tuples of str
        The neighbours each variable chose, before `rule` was applied.

    References
    ----------
    Tsamardinos, Aliferis and Statnikov (2003), Algorithms for large scale Markov blanket
    discovery.
    """

    _search: ClassVar[Any] = iamb
    _method_options: ClassVar[tuple[str, ...]] = ("rule",)

    rule: str = "or"


@documented(COMMON)
@dataclass(eq=False, repr=False)
class GreedyEntropy(BlanketEstimator):
    """Greedy conditional entropy, forward only or forward-backward.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The epsilon of Netrapalli and others: a neighbour must lower the conditional entropy of
        the node by more than lam / 2 nats. `"auto"` chooses it; see `selection`.
    rule : {"or", "and"}, default="or"
        Keep an edge that at least one end chose, or one that both did.
    backward : bool, default=False
        Follow each addition by removals that cost at most half of what it gained (FoBa).
    {common}
    neighbourhoods_ : tuple of tuples of str
        The neighbours each variable chose, before `rule` was applied.

    References
    ----------
    Netrapalli, Banerjee, Sanghavi and Shakkottai (2010), Greedy learning of Markov network
    structure. Jalali, Johnson and Ravikumar (2011), On learning discrete graphical models using
    greedy methods.
    """

    _search: ClassVar[Any] = greedy_entropy
    _share: ClassVar[float] = 0.5
    _method_options: ClassVar[tuple[str, ...]] = ("rule", "backward")

    rule: str = "or"
    backward: bool = False


@documented(COMMON)
@dataclass(eq=False, repr=False)
class ChowLiu(SearchEstimator):
    """Chow-Liu tree, or forest, of largest total mutual information.

    Parameters
    ----------
    lam : float or "auto", default=-inf
        Edges with no more mutual information than this are left out: -inf gives a tree, anything
        larger a forest. `"auto"` leaves out what chance would explain; see `selection`.
    root : str or int, optional
        Variable from which edges point away; sets `parents_` and `arcs_`.
    {common}
    parents_ : ndarray of int
        With `root`: the position of each variable's parent, -1 for the top of each tree.
    arcs_ : tuple of (parent, child)
        With `root`: the directed edges by name.

    References
    ----------
    Chow and Liu (1968), Approximating discrete probability distributions with dependence trees.
    """

    _search: ClassVar[Any] = chow_liu

    lam: float | str = -math.inf
    root: str | int | None = None

    def _prepare(
        self, table: Table, node: int | None = None, n_held: int = 1
    ) -> tuple[Memo, Constraints]:
        if self.root is not None:
            table.index(self.root)  # a typing mistake shows before the work
        required = constraints_of(table, self.required, self.forbidden, None).required
        closing = chow_liu.circle_in(required, table.n_variables)
        if closing is not None:
            one, other = (table.names[end] for end in closing)
            raise InputError(
                f"the required edges form a circle at {one!r} and {other!r}: no tree holds them "
                "all, so leave one out"
            )
        return super()._prepare(table, node, n_held)

    def _rule(self) -> str:
        return "and"  # both ends share one mutual information

    def _conditions(self, result: SearchResult) -> tuple[tuple[int, ...], ...]:
        return ((),) * result.n_variables

    def _finish(self, result: SearchResult, table: Table) -> None:
        if self.root is not None:
            root = table.index(self.root)
            self.parents_ = np.array(chow_liu.direct(result.edges, table.n_variables, root))
            self.arcs_ = tuple(
                (table.names[parent], table.names[child])
                for child, parent in enumerate(self.parents_)
                if parent >= 0
            )
