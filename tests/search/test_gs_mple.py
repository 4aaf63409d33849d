"""GS-MPLE against Algorithm 1 read literally, against exact distributions, and by the count."""

import itertools
import math

import numpy as np
import pytest
from literal import gs_mple as literal_gs_mple
from worlds import random_dependence, random_graph, random_world

from mrflearn.dependence import KNN, Gaussian, Memo, MixedKSG, OracleGraph
from mrflearn.dependence.base import Dependence
from mrflearn.search import Constraints, gs_mple
from mrflearn.table import as_table

LAMS = (-math.inf, -0.3, -0.05, 0.0, 0.02, 0.1, 0.5, 2.0, math.inf)


@pytest.mark.parametrize("seed", range(300))
def test_the_fast_search_is_algorithm_1(seed):
    dependence = random_dependence(seed)
    lam = LAMS[seed % len(LAMS)]
    edges, steps, _ = literal_gs_mple(dependence, lam)
    result = gs_mple.run(dependence, lam)
    assert set(result.edges) == edges
    assert [(step.phase, step.edge, step.score) for step in result.trace] == steps


def test_the_literal_comparison_meets_ties_and_removals():
    """The 300 tables above would prove little if their scores never tied."""
    with_ties = with_removals = 0
    for seed in range(300):
        _, steps, ties = literal_gs_mple(random_dependence(seed), LAMS[seed % len(LAMS)])
        with_ties += ties > 0
        with_removals += any(phase == "shrink" for phase, _, _ in steps)
    assert with_ties >= 50
    assert with_removals >= 10


def _exact_objective(oracle, edges):
    """J(E): the sum over i of I(i; all but N[i] | N(i))."""
    nodes = range(oracle.n_variables)
    total = 0.0
    for i in nodes:
        near = {a + b - i for a, b in edges if i in (a, b)}
        far = [v for v in nodes if v != i and v not in near]
        total += oracle.information([i], far, near) if far else 0.0
    return total


@pytest.mark.parametrize("seed", range(240))
def test_with_an_oracle_the_true_graph_is_recovered_and_the_chain_rule_holds(seed):
    oracle, truth = random_world(seed)
    result = gs_mple.run(oracle, 0.0)
    np.testing.assert_array_equal(result.adjacency, truth)

    edges = set()
    empty = _exact_objective(oracle, edges)
    for step in result.trace:
        (edges.add if step.phase == "grow" else edges.remove)(step.edge)
        assert step.objective == pytest.approx(_exact_objective(oracle, edges) - empty, abs=1e-9)
    # With the true graph nothing is left to learn: J is the constant of the paper, 0 here.
    assert result.objective == pytest.approx(-empty, abs=1e-9)


def test_the_oracle_runs_grow_too_far_and_shrink_back():
    """The chain rule above would be checked for growth alone if nothing were ever removed."""
    traces = [gs_mple.run(random_world(seed)[0], 0.0).trace for seed in range(240)]
    assert sum(any(step.phase == "shrink" for step in trace) for trace in traces) >= 40


@pytest.mark.parametrize("seed", range(30))
def test_graph_separation_alone_recovers_the_graph(seed):
    rng = np.random.default_rng(seed)
    truth = random_graph(rng, int(rng.integers(2, 12)), "sparse")
    np.testing.assert_array_equal(gs_mple.run(OracleGraph(truth), 0.0).adjacency, truth)


@pytest.mark.parametrize("seed", range(60))
def test_evaluations_stay_within_their_bounds(seed):
    dependence = random_dependence(seed)
    n_variables = dependence.n_variables
    for lam in (-math.inf, 0.0, 0.1):
        memo = Memo(dependence)
        steps = gs_mple.grow(memo, lam, Constraints())
        first = n_variables * (n_variables - 1) // (2 if dependence.symmetric else 1)
        assert memo.n_evaluations <= first + 2 * n_variables * len(steps)

        fresh = Memo(dependence)  # what shrinking alone asks for, nothing known from growing
        result = gs_mple.shrink(fresh, lam, steps, Constraints())
        degree = np.zeros(n_variables, dtype=int)
        for step in steps:
            degree[list(step.edge)] += 1
        bound = 2 * len(steps)
        for step in result.trace[len(steps) :]:
            degree[list(step.edge)] -= 1
            bound += degree[list(step.edge)].sum()
        assert fresh.n_evaluations <= bound


def test_a_symmetric_dependence_is_asked_once_about_each_pair():
    data = np.random.default_rng(0).normal(size=(20, 7))
    for specification, expected in ((KNN(), 21), (MixedKSG(), 21)):
        memo = Memo(specification.bind(as_table(data)))
        gs_mple.run(memo, math.inf)
        assert memo.n_evaluations == expected


@pytest.mark.parametrize("seed", range(40))
def test_a_path_is_a_run_at_each_lambda(seed):
    dependence = random_dependence(seed)
    lams = [0.3, -math.inf, 0.0, 0.05, math.inf, -0.1, 0.05]
    for lam, result in zip(lams, gs_mple.path(dependence, lams), strict=True):
        assert result == gs_mple.run(dependence, lam)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("smallest", [-0.5, 0.0, 0.05])
def test_a_path_of_50_lambdas_from_1_costs_at_most_two_runs(seed, smallest):
    rng = np.random.default_rng(seed)
    n_variables = int(rng.integers(5, 13))
    mixing = rng.normal(size=(n_variables,) * 2) * (rng.random((n_variables,) * 2) < 0.3)
    data = rng.normal(size=(40, n_variables)) @ (mixing + np.eye(n_variables))
    specification = (KNN(3), MixedKSG(3))[seed % 2]
    dependence = specification.bind(as_table(data))
    alone, whole = Memo(dependence), Memo(dependence)
    gs_mple.run(alone, smallest)
    gs_mple.path(whole, np.linspace(1.0, smallest, 50))
    assert whole.n_evaluations <= 2 * alone.n_evaluations


def test_when_edges_apart_are_removed_most_answers_are_foreseen():
    """Of five stars that have nothing to do with each other, the next weakest edge is the next."""

    class Roomy(Dependence):
        """A dependence that could answer more at once than it is asked."""

        n_variables, symmetric, capacity = 25, True, 200

        def _cmi_many(self, i, candidates, given):
            return inner.cmi_many(i, candidates, given)

    inner = Gaussian().bind(as_table(np.random.default_rng(0).normal(size=(100, 25))))
    edges = [(5 * star, 5 * star + leaf) for star in range(5) for leaf in range(1, 5)]
    grown = gs_mple.grow(Memo(inner), math.inf, Constraints(required=frozenset(edges)))
    memo = Memo(Roomy())
    result = gs_mple.shrink(memo, math.inf, grown, Constraints())
    assert result.edges == ()
    n_later = memo.n_evaluations - 2 * len(edges)  # all but those that begin it
    assert memo.n_foreseen > 0.5 * n_later > 0


class Renamed(Dependence):
    """The same dependence with its variables in another order."""

    def __init__(self, dependence, order):
        self.dependence, self.order = dependence, order
        self.n_variables, self.symmetric = dependence.n_variables, dependence.symmetric

    def _cmi_many(self, i, candidates, given):
        order = self.order
        return self.dependence.cmi_many(order[i], order[list(candidates)], order[list(given)])


def test_renaming_the_variables_renames_the_result():
    compared = 0
    for seed in range(60):
        dependence = random_dependence(seed)
        _, _, ties = literal_gs_mple(dependence, 0.05)
        if ties:  # they go to the smallest pair, which depends on the names
            continue
        order = np.random.default_rng(seed).permutation(dependence.n_variables)
        plain = gs_mple.run(dependence, 0.05)
        renamed = gs_mple.run(Renamed(dependence, order), 0.05)
        moved = {tuple(sorted((int(order[i]), int(order[j])))) for i, j in renamed.edges}
        assert moved == set(plain.edges)
        compared += 1
    assert compared >= 30


@pytest.mark.parametrize("seed", range(14))
def test_extreme_lambdas_give_the_empty_and_the_complete_graph(seed):
    dependence = random_dependence(seed)
    n_variables = dependence.n_variables
    assert gs_mple.run(dependence, math.inf).edges == ()
    assert gs_mple.run(dependence, 1e6).edges == ()
    complete = gs_mple.run(dependence, -math.inf)
    assert complete.edges == tuple(itertools.combinations(range(n_variables), 2))


@pytest.mark.parametrize("seed", range(40))
def test_required_edges_stay_and_forbidden_ones_never_come(seed):
    dependence = random_dependence(seed)
    pairs = list(itertools.combinations(range(dependence.n_variables), 2))
    np.random.default_rng(seed).shuffle(pairs)
    pairs = [tuple(map(int, edge)) for edge in pairs]
    required, forbidden = pairs[: len(pairs) // 3], pairs[len(pairs) // 3 : len(pairs) // 2]
    constraints = Constraints(frozenset(required), frozenset(forbidden))
    for lam in (-math.inf, 0.0, 0.2, math.inf):
        result = gs_mple.run(dependence, lam, constraints)
        assert set(required) <= set(result.edges)
        assert set(forbidden).isdisjoint(result.edges)
        # Objective and weights follow from the same chain of steps.
        assert result.objective == pytest.approx(sum(step.change for step in result.trace))
        first = [step.edge for step in result.trace[: len(required)]]
        assert first == sorted(required)


def test_weights_are_the_scores_of_the_final_graph():
    dependence = random_dependence(1)
    result = gs_mple.run(dependence, -0.05)
    near = [set(np.flatnonzero(row)) for row in result.adjacency]
    for (i, j), weight in zip(result.edges, result.weights, strict=True):
        forward = dependence.cmi(i, j, near[i] - {j})
        assert weight == forward + dependence.cmi(j, i, near[j] - {i})


def test_a_dependence_that_returns_nan_is_an_error():
    class Broken(Dependence):
        n_variables = 3
        symmetric = True

        def _cmi_many(self, i, candidates, given):
            return np.full(len(candidates), np.nan)

    with pytest.raises(ValueError, match="NaN"):
        gs_mple.run(Broken(), 0.0)
