"""What the estimators share that search: a table, a dependence and a search put together."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mrflearn._blas import one_thread
from mrflearn._columns import read_columns
from mrflearn._memory import TooLittleMemoryError, as_bytes, as_text
from mrflearn._progress import Count
from mrflearn._words import counted
from mrflearn.checkpoint import current
from mrflearn.dependence import (
    Dependence,
    Memo,
    Question,
    Specification,
    Threaded,
    on_device,
    resolve,
)
from mrflearn.dependence.remote import Remote
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
from mrflearn.estimators.constraints import constraints_of
from mrflearn.estimators.resampling import choose_by_resampling, draw_parts
from mrflearn.evidence import Evidence
from mrflearn.graph import Edge, Graph, GraphPath
from mrflearn.search import (
    Constraints,
    SearchResult,
)
from mrflearn.search.base import FREE
from mrflearn.search.chow_liu import forest
from mrflearn.search.nodewise import Blanket
from mrflearn.search.screen import among_nearest, among_nearest_of
from mrflearn.selection import fdr
from mrflearn.selection.choice import Choice
from mrflearn.selection.conditional_permutation import ConditionalPermutation
from mrflearn.selection.edge_test import edge_tests
from mrflearn.selection.options import ALPHA, FalseDiscoveryRate, Selection
from mrflearn.selection.score_nulls import ScoreNulls
from mrflearn.table import Table
from mrflearn.work import Executor, Threads

__all__ = ["COMMON", "BlanketEstimator", "SearchEstimator"]

MOST_LAMS = 100
"""Lambdas looked at, at most, while the densest graph so far will still do."""

BYTES_A_PAIR = 700
"""Memory that a search and the choice of lambda take for a pair, at most (`benchmarks/wide.py`)."""

LEAST_FOR_DENSITY, DENSE, FEW = 5, 0.8, 0.5
"""Variables, or edges, from which on a graph can look odd; the share of all pairs above which it is
dense, and the share of the edges that pairwise dependence calls for below which they are few."""

MOST_EXPLAINED = 300
"""Variables up to which a graph remembers what all pairs share."""

_ALPHA = f"""alpha : float, default={ALPHA}
        Largest expected share of false edges that `"fdr"` allows, between 0 and 1."""

_WAYS = """`"fdr"` (the densest graph of whose edges at most a share `alpha` is
        expected to be false), `"stars"` (stable in subsamples) or `"heldout"` (predicts rows left
        out)"""

COMMON = f"""
    dependence : str or specification, default="auto"
        How conditional mutual information is estimated: `"auto"`, `"knn"`, `"mixed-ksg"`,
        `"frenzel-pompe"`, `"plugin"`, `"gaussian"`, `"copula"`, or an object of
        `mrflearn.dependence` such as `KNN(n_neighbors=7)`.
    scale : {{"standard", "rank", None}}, default="standard"
        Scaling of continuous and ordinal columns; see `as_table`.
    {SELECTION_PARAMETERS.format(ways=_WAYS, alpha=_ALPHA).strip()}
    {TABLE_PARAMETERS.strip()}
    required : list of pairs, optional
        Edges that must be in the graph, each a pair of variables by name or position.
    forbidden : list of pairs, optional
        Edges that must not be.
    screen : int, list of pairs or Graph, optional
        Look at some pairs alone, for wide tables. A number: those that each variable shares most
        information with, so many, before anything else is known. That is an approximation: what
        depends on each other only given others may be missed. Pairs, or the edges of a graph: what
        structure is possible, such as neighbours in space; exactly as if all others were forbidden.
    {WORK_PARAMETERS.strip()}
    device : {{"cpu", "cuda", "auto"}}, default="cpu"
        Where neighbours are counted: on the processor, on an NVIDIA card (`"cuda"`, for which
        `pip install 'mrflearn[gpu]'`), or on the card if there is one and the table is large enough
        (`"auto"`). The result does not depend on it, to the last bit.
    max_memory : int or str, optional
        Bound on the working memory of all workers together, beside the table: bytes, or text such
        as `"500 MB"`. Each process has a table of its own; so has a card. The result does not
        depend on it; a bound that cannot be kept is refused before the work begins.

    Attributes
    ----------
    {GRAPH_ATTRIBUTES.strip()}
    trace_ : tuple of Step
        What the search did, step by step.
    objective_ : float
        Objective of the result, 0 for the empty graph.
    n_evaluations_ : int
        Conditional mutual informations asked for.
    n_ahead_, n_foreseen_ : int
        Those estimated ahead since workers were idle, and how many of these were asked for later.
    {FEATURE_ATTRIBUTES.strip()}
"""


@dataclass(eq=False, repr=False)
class SearchEstimator(GraphEstimator):
    """What the estimators share that search. Subclasses say which search, with which options."""

    _: KW_ONLY
    dependence: str | Specification = "auto"
    scale: str | None = "standard"
    required: Collection[tuple[Any, Any]] | None = None
    forbidden: Collection[tuple[Any, Any]] | None = None
    screen: int | Collection[tuple[Any, Any]] | Graph | None = None
    device: str = "cpu"
    max_memory: int | str | None = None

    _selections: ClassVar[tuple[str, ...]] = ("fdr", "stars", "heldout")
    _search: ClassVar[Any]
    _share: ClassVar[float] = 1.0
    """The share of lambda that the search compares with."""

    def _learn(self, table: Table, lam: float) -> Graph:
        memo, constraints = self._prepare(table)
        result = self._search.run(memo, lam, constraints, **self._of_method())
        graph = self._remember(result, memo, table)
        graph = replace(graph, evidence=self._evidence(result, memo, constraints, None))
        return _tested(graph, result.neighbours, memo) if memo.has_null else graph

    def _select(self, table: Table, selection: Selection) -> Selected:
        parts = draw_parts(selection, table.n_samples, self.random_state)
        memo, constraints = self._prepare(table, n_held=2 if parts else 1)
        nulls = self._nulls(memo, table, constraints)
        lams = fdr.lambdas(nulls)
        results = self._search.path(memo, lams, constraints, **self._of_method())
        if isinstance(selection, FalseDiscoveryRate):
            choice = self._choose(nulls, lams, results, constraints)
            while choice.position == len(lams) - 1 and 1 < len(lams) < MOST_LAMS:
                further = fdr.further(lams)
                results += self._search.path(memo, further, constraints, **self._of_method())
                lams += further
                choice = self._choose(nulls, lams, results, constraints)
        else:
            choice = choose_by_resampling(self, table, lams, selection, parts)
        if choice.position is None:
            result = self._search.run(memo, math.inf, constraints, **self._of_method())
        else:
            result = results[choice.position]
        by_fdr = isinstance(selection, FalseDiscoveryRate)
        if by_fdr and constraints == FREE and self._rule() == "sum":
            at_floor = choice.position == len(lams) - 1 and len(lams) >= MOST_LAMS
            _warn_of_suspicions(result, memo, at_floor)
        path = GraphPath(lams, tuple(_as_graph(found, table) for found in results))
        graph = self._remember(result, memo, table)
        evidence = self._evidence(result, memo, constraints, path.entry)
        graph = replace(graph, evidence=evidence)
        if memo.has_null or by_fdr:
            graph = _tested(graph, result.neighbours, nulls.dependence)
        return Selected(graph, path, choice)

    def _test(self, graph: Graph, table: Table) -> Graph:
        """Return a graph of a table with the test of each edge."""
        memo = memo_of(self._bind(table, self._executor("threads"), 1))
        neighbors = [np.flatnonzero(row).tolist() for row in graph.adjacency]
        return _tested(graph, neighbors, self._with_null(memo, table))

    def _remember(self, result: SearchResult, memo: Memo, table: Table) -> Graph:
        self.trace_ = result.trace
        self.objective_ = result.objective
        self.n_evaluations_ = memo.n_evaluations
        self.n_ahead_, self.n_foreseen_ = memo.n_ahead, memo.n_foreseen
        self._finish(result, table)
        return _as_graph(result, table)

    def _choose(
        self,
        nulls: ScoreNulls,
        lams: tuple[float, ...],
        results: tuple[SearchResult, ...],
        constraints: Constraints,
    ) -> Choice:
        conditions = [self._conditions(result) for result in results]
        n_edges = [len(set(result.edges) - constraints.required) for result in results]
        return fdr.choose(nulls, lams, conditions, n_edges, self.alpha)

    def _evidence(
        self,
        result: SearchResult,
        memo: Memo,
        constraints: Constraints,
        entry: NDArray[np.float64] | None,
    ) -> Evidence:
        """Return what all pairs share in the graph found; most of it the search knows already.

        Where only some pairs were looked at, those alone.
        """
        if result.n_variables > MOST_EXPLAINED:
            return Evidence(self._rule(), None, entry, self._share)
        conditions = self._conditions(result)
        questions = []
        for i, members in enumerate(conditions):
            seen = range(len(conditions)) if constraints.among is None else constraints.among[i]
            others = [j for j in seen if j != i and j not in members]
            questions.append(Question(i, others, members))
            questions += [Question(i, [j], [z for z in members if z != j]) for j in members]
        with Count("Explaining pairs", sum(len(asked.candidates) for asked in questions)).shared():
            answers = memo.cmi_batch(questions)
        information = np.full((len(conditions), len(conditions)), np.nan)
        for question, answer in zip(questions, answers, strict=True):
            information[question.i, list(question.candidates)] = answer
        own = conditions != result.neighbours
        rule = "alone" if own and not any(conditions) else self._rule()
        return Evidence(rule, information, entry, self._share, conditions if own else None)

    def _usual_lams(self, table: Table) -> tuple[float, ...]:
        memo, constraints = self._prepare(table)
        return fdr.lambdas(self._nulls(memo, table, constraints))

    def _nulls(
        self, memo: Memo, table: Table, constraints: Constraints, node: int | None = None
    ) -> ScoreNulls:
        """Return how large the scores of this search are by chance, or those of a single node."""
        n, before = table.n_variables, self._before_screening(constraints)
        free: list[list[int]] = [[] for _ in range(n)]
        stand_for = np.ones(n)
        for i in range(n) if node is None else [node]:
            free[i] = constraints.free_of(i, n)
            stand_for[i] = len(before.free_of(i, n)) / max(len(free[i]), 1)
        if node is not None:
            for j in free[node]:
                free[j], stand_for[j] = [node], stand_for[node]
        dependence = self._with_null(memo, table)
        return ScoreNulls(dependence, self._rule(), free, self._share, stand_for, node)

    def _before_screening(self, constraints: Constraints) -> Constraints:
        """Return the constraints before the nearest were taken, which stand for all others."""
        nearest = isinstance(self.screen, numbers.Integral)
        return replace(constraints, among=None) if nearest else constraints

    def _with_null(self, memo: Memo, table: Table) -> Dependence:
        """Return the dependence if it knows what chance does, else with shuffles that do."""
        if memo.has_null:
            return memo
        ways = FalseDiscoveryRate()
        if isinstance(self.selection, FalseDiscoveryRate):
            ways = self.selection
        memory = as_bytes(self.max_memory)
        if memory is not None:
            n_held = 1 if isinstance(self._check_lam(), FalseDiscoveryRate) else 2
            memory //= self._shares(self._executor("threads"), n_held)[0]
        return ConditionalPermutation(
            memo,
            self._specification(),
            table,
            ways.n_shuffles,
            int(self.random_state),
            memory,
        )

    def _rule(self) -> str:
        """Return what must exceed lambda for an edge; see `ScoreNulls`."""
        return getattr(self, "rule", "sum")

    def _conditions(self, result: SearchResult) -> tuple[tuple[int, ...], ...]:
        """Return what the search conditioned on at each node."""
        return result.neighbours if result.neighbourhoods is None else result.neighbourhoods

    def _learn_path(self, table: Table, lams: tuple[float, ...]) -> tuple[Graph, ...]:
        memo, constraints = self._prepare(table)
        results = self._search.path(memo, lams, constraints, **self._of_method())
        return tuple(_as_graph(result, table) for result in results)

    def _prepare(
        self, table: Table, node: int | None = None, n_held: int = 1
    ) -> tuple[Memo, Constraints]:
        """Return the dependence of a table, and the constraints by position, or those of a node.

        Where parts of the table are learned from beside it, a worker holds two dependences.
        """
        constraints = constraints_of(table, self.required, self.forbidden, self.screen)
        if node is None:
            self._check_memory_of_pairs(table, constraints)
        executor = self._executor("threads")
        dependence = self._bind(table, executor, n_held)
        if dependence.batched:
            pass  # it has many workers of its own, on a card
        elif isinstance(executor, Threads):
            dependence = Threaded(dependence, executor.n_workers)
        elif executor.elsewhere:
            dependence = Remote(dependence, executor)
        memo = memo_of(dependence)
        if isinstance(self.screen, numbers.Integral) and self.screen < table.n_variables - 1:
            n_nearest = int(self.screen)
            if node is None:
                among = among_nearest(memo, n_nearest, constraints)
            else:
                among = among_nearest_of(memo, node, n_nearest, constraints)
            constraints = replace(constraints, among=among)
        return memo, constraints

    def _check_memory_of_pairs(self, table: Table, constraints: Constraints) -> None:
        """Refuse a bound on memory that the scores of all pairs would exceed."""
        n_pairs = table.n_variables * (table.n_variables - 1) // 2
        if constraints.among is not None:
            n_pairs = sum(map(len, constraints.among)) // 2
        elif isinstance(self.screen, numbers.Integral):
            n_pairs = min(n_pairs, table.n_variables * int(self.screen))
        needed, memory = BYTES_A_PAIR * n_pairs, as_bytes(self.max_memory)
        if memory is not None and needed > memory:
            raise InputError(
                f"max_memory={as_text(memory, math.floor)} is too little: what {n_pairs} pairs of "
                f"{table.n_variables} variables share takes {as_text(needed)}: raise it, or look "
                "at fewer pairs by screen="
            )

    def _bind(self, table: Table, executor: Executor, n_held: int) -> Dependence:
        """Return the dependence of a table, for workers who share the memory there is."""
        n_shares, who = self._shares(executor, n_held)
        return self._bind_share(table, n_shares, executor.n_workers, who)

    def _shares(self, executor: Executor, n_held: int) -> tuple[int, str]:
        """Return among how many the memory there is, is shared, and who they are."""
        if executor.elsewhere:  # this process holds the dependence, too
            return n_held * (executor.n_workers + 1), "each process"
        if executor.n_workers == 1:
            return n_held, "each fit"
        # Two questions at a time, shared by threads that need room of their own.
        return n_held * (executor.n_workers + 2), "one question"

    def _bind_share(self, table: Table, n_shares: int, n_workers: int, who: str) -> Dependence:
        """Return the dependence of a table, bound to one of some shares of the memory there is."""
        specification, memory = self._specification(), as_bytes(self.max_memory)
        if memory is None:  # which a specification of a user's own need not know
            return specification.bind(table)
        if n_shares == 1:
            return specification.bind(table, memory)
        share = memory // n_shares
        try:
            return specification.bind(table, share)
        except TooLittleMemoryError as error:
            raise InputError(
                f"with {counted(n_workers, 'worker')} {who} may take {as_text(share)} of "
                f"max_memory={as_text(memory)}, and {error}: "
                f"max_memory={as_text(n_shares * error.needed)} would do"
            ) from None

    def _specification(self) -> Specification:
        """Return how dependence is estimated, and where."""
        return on_device(resolve(self.dependence), self.device)

    def _for_parts(self, part: Table, executor: Executor, n_held: int = 1) -> Self:
        """Return this estimator for one of many parts, with a worker's share of the memory."""
        one, memory = super()._for_parts(part, executor, n_held), as_bytes(self.max_memory)
        n_shares = n_held * executor.n_workers
        if memory is not None and n_shares > 1:
            self._bind_share(part, n_shares, executor.n_workers, "each fit")
            one.max_memory = max(1, memory // n_shares)
        return one

    def _finish(self, result: SearchResult, table: Table) -> None:
        """Set attributes of one kind of estimator alone."""


@dataclass(eq=False, repr=False)
class BlanketEstimator(SearchEstimator):
    """What the estimators share that learn one neighbourhood at a time."""

    def markov_blanket(self, X: Any, target: str | int) -> tuple[str, ...] | tuple[int, ...]:
        """Return the neighbours one variable chooses, without learning those of the others.

        In the graph of `fit` it may have fewer (`rule="and"`) or more (`rule="or"`): those depend
        on what the others choose.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_columns)
            The data.
        target : str or int
            The variable, by name or by position.

        Returns
        -------
        tuple
            Names if `target` is a name, positions if it is a position; in the order of the table.
        """
        self._check_lam()
        table = self._read(read_columns(X))
        members = self._blanket(table, table.index(target))
        if isinstance(target, str):
            return tuple(table.names[j] for j in members)
        return members

    def _blanket(self, table: Table, node: int) -> tuple[int, ...]:
        """Return the neighbourhood of one node as the search of this estimator learns it."""
        return self._learn_blanket(table, node)[0].members

    def _learn_blanket(self, table: Table, node: int) -> tuple[Blanket, float]:
        """Return the neighbourhood of one node with its weights, and the lambda used."""
        with one_thread(), self._checkpointing(table):
            return self._search_blanket(table, node)

    def _search_blanket(self, table: Table, node: int) -> tuple[Blanket, float]:
        given = self._check_lam()
        memo, constraints = self._prepare(table, node)
        options = {name: value for name, value in self._of_method().items() if name != "rule"}
        if isinstance(given, float):
            return self._search.blankets(memo, node, [given], constraints, **options)[0], given
        if not isinstance(given, FalseDiscoveryRate):
            raise InputError(
                f"selection {given.name!r} chooses for a whole graph: for one Markov blanket use "
                "selection='fdr', or fit the estimator and take the neighbours"
            )
        nulls = self._nulls(memo, table, constraints, node)
        lams = fdr.lambdas(nulls)
        found = self._search.blankets(memo, node, lams, constraints, **options)
        conditions = [
            (*nulls.empty[:node], blanket.members, *nulls.empty[node + 1 :]) for blanket in found
        ]
        free = set(nulls.candidates[node])
        n_found = [len(free.intersection(blanket.members)) for blanket in found]
        choice = fdr.choose(nulls, lams, conditions, n_found, self.alpha)
        if choice.position is None:  # required neighbours alone
            (none,) = self._search.blankets(memo, node, [math.inf], constraints, **options)
            return none, math.inf
        return found[choice.position], lams[choice.position]

    def _finish(self, result: SearchResult, table: Table) -> None:
        self.neighbourhoods_ = tuple(
            tuple(table.names[j] for j in members) for members in result.neighbourhoods or ()
        )


def _warn_of_suspicions(result: SearchResult, memo: Memo, at_floor: bool) -> None:
    """Warn where a graph that was chosen says that something is wrong with the table or the rule.

    Variables that depend on each other alone are connected in the graph. So it has at least as many
    edges as a forest over the pairs that are worth more than lambda alone.
    """
    n_variables, n_edges = result.n_variables, len(result.edges)
    n_pairs = n_variables * (n_variables - 1) // 2
    if at_floor:
        warn_user(
            f"lambda was chosen at {result.lam:.3g}, the smallest that is looked at: nearly all "
            "that two variables share would be an edge, so choose lambda yourself by lam="
        )
    if n_variables >= LEAST_FOR_DENSITY and n_edges > DENSE * n_pairs:
        warn_user(
            f"{n_edges} of {n_pairs} pairs have an edge: a common cause that is not in the table, "
            "such as a total, a scale or repeated rows, makes everything depend on everything"
        )
    if n_variables <= MOST_EXPLAINED:
        alone = [Question(i, range(i + 1, n_variables)) for i in range(n_variables - 1)]
        answers = memo.cmi_batch(alone)
        pairs = [
            (i, j)
            for (i, others, _), values in zip(alone, answers, strict=True)
            for j, value in zip(others, values.tolist(), strict=True)
            if 2 * value > result.lam
        ]
        n_expected = len(forest(pairs, n_variables))
        if n_expected >= LEAST_FOR_DENSITY and n_edges < FEW * n_expected:
            warn_user(
                f"the graph has {n_edges} edges where pairwise dependence calls for {n_expected}: "
                "columns that determine each other hide the edges of each other, so leave out "
                "copies, totals and recoded columns"
            )


def memo_of(dependence: Dependence) -> Memo:
    """Return a memo that keeps answers in the checkpoint there is, and has those kept before."""
    checkpoint = current()
    if checkpoint is None:
        return Memo(dependence)
    memo = Memo(
        dependence,
        lambda asked, answers: checkpoint.keep_answers(
            (question.i, tuple(question.candidates), tuple(question.given), answer)
            for question, answer in zip(asked, answers, strict=True)
        ),
    )
    for i, candidates, given, answer in checkpoint.answers(dependence.n_variables):
        memo.remember(Question(i, candidates, given), answer.tolist())
    return memo


def _tested(graph: Graph, neighbors: Sequence[Sequence[int]], dependence: Dependence) -> Graph:
    """Return the graph with the test of each edge."""
    edges, stand_ins = [], {}
    ends = [(graph.index(edge.source), graph.index(edge.target)) for edge in graph.edges]
    for edge, test in zip(graph.edges, edge_tests(dependence, ends, neighbors), strict=True):
        edges.append(edge._replace(p_value=test.p_value, q_value=test.q_value))
        if test.determined is not None:
            (other,) = set(test.edge) - {test.determined}
            stand_ins[test.determined, other] = test.stand_ins
    evidence = replace(graph.evidence or Evidence(), stand_ins=stand_ins)
    return replace(graph, edges=tuple(edges), evidence=evidence)


def _as_graph(result: SearchResult, table: Table) -> Graph:
    names = table.names
    edges = (
        Edge(names[i], names[j], weight)
        for (i, j), weight in zip(result.edges, result.weights, strict=True)
    )
    return Graph(names, tuple(edges), result.lam)
