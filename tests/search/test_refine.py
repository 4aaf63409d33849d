"""GS-MPLE that goes on after Algorithm 1: its literal twin, fixed points, circles, the count."""

import collections
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import gs_mple as literal_gs_mple
from literal import refined_gs_mple
from literal import several as literal_several
from worlds import ising_oracle, random_dependence, random_graph, random_world

from mrflearn.dependence import Memo, OracleJoint
from mrflearn.dependence.base import Around, Dependence
from mrflearn.errors import InputError
from mrflearn.search import Constraints, gs_mple, refine
from mrflearn.search.refine import REFINEMENTS, refinement_for

LAMS = (-math.inf, -0.3, -0.05, 0.0, 0.02, 0.1, 0.5, 2.0, math.inf)
GOING_ON = ("alternate", "pairs")
OPTIONS = (None, *GOING_ON)


class Noise(Dependence):
    """A random number for each question, one of `levels`: the chain rule and all else broken."""

    def __init__(self, seed, n_variables, symmetric, levels, alone=1.0):
        self.seed, self.n_variables, self.symmetric = seed, n_variables, symmetric
        self.levels, self.alone = levels, alone

    def _cmi_many(self, i, candidates, given):
        # With no condition every dependence is symmetric.
        ends = [sorted((i, j)) if self.symmetric or not given else (i, j) for j in candidates]
        rngs = [np.random.default_rng([self.seed, *end, *given]) for end in ends]
        drawn = np.array([rng.integers(1, self.levels) / self.levels for rng in rngs])
        return drawn if given else self.alone * drawn


def noise(seed, alone=1.0):
    """Noise of any number of variables up to seven, with and without symmetry and many ties.

    With little `alone` many edges show only beside others.
    """
    return Noise(seed, 3 + seed % 5, seed % 2 == 0, (5, 50, 10**9)[seed % 3], alone)


class RockPaperScissors(Dependence):
    """Three nodes, any two edges of which make the next one look worthless.

    Given k, node i tells about j if j comes before i in the round 0, 1, 2, 0, and less than
    nothing otherwise. With (0, 1) and (0, 2) there, (0, 1) goes; with (0, 2) and (1, 2), (0, 2)
    does; with (1, 2) and (0, 1), (1, 2) does.
    """

    n_variables = 3
    symmetric = False

    def _cmi_many(self, i, candidates, given):
        if not given:
            return np.full(len(candidates), 0.2)
        return np.array([1.0 if (j - i) % 3 == 2 else -1.0 for j in candidates])


def _steps(result):
    return [(step.phase, step.edge, step.score) for step in result.trace]


def _score(dependence, edges, edge):
    """The score of an edge in a graph, whether it is there or not."""
    i, j = edge
    near = [{a + b - v for a, b in set(edges) - {edge} if v in (a, b)} for v in edge]
    return dependence.cmi(i, j, near[0]) + dependence.cmi(j, i, near[1])


def _exact_penalised_objective(oracle, edges, lam):
    """J(E) + lam |E|, J the sum over i of I(i; all but N[i] | N(i))."""
    nodes = range(oracle.n_variables)
    total = lam * len(edges)
    for i in nodes:
        near = {a + b - i for a, b in edges if i in (a, b)}
        far = [v for v in nodes if v != i and v not in near]
        total += oracle.information([i], far, near) if far else 0.0
    return total


@pytest.mark.parametrize("seed", range(60))
def test_without_refinement_it_is_algorithm_1(seed):
    dependence, lam = random_dependence(seed), LAMS[seed % len(LAMS)]
    edges, steps, _ = literal_gs_mple(dependence, lam)
    result = gs_mple.run(dependence, lam, refine=None)
    assert result == gs_mple.run(dependence, lam)
    assert set(result.edges) == edges
    assert _steps(result) == steps == refined_gs_mple(dependence, lam)[1]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("seed", range(0, 150, 2))
def test_on_tables_the_fast_search_is_the_literal_one(option, seed):
    dependence, lam = random_dependence(seed), (0.02, 0.0, 0.05, -0.05, 0.1, 0.3)[seed // 2 % 6]
    edges, steps, _ = refined_gs_mple(dependence, lam, option)
    result = gs_mple.run(dependence, lam, refine=option)
    assert set(result.edges) == edges
    assert _steps(result) == steps


class ShowingIndependence(Around):
    """A dependence: two of three nodes show independence of all but what gains most."""

    def cmi_batch(self, questions):
        return self.inner.cmi_batch(questions)

    def independence_bound(self, i, given):
        given = sorted(given)
        others = [j for j in range(self.n_variables) if j != i and j not in given]
        if (i + sum(given)) % 3 == 0 or not others:
            return -math.inf
        return float(np.max(self.inner.cmi_many(i, others, given)))


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("seed", range(60))
def test_one_end_that_shows_independence_decides_after_algorithm_1(option, seed):
    dependence, lam = ShowingIndependence(Memo(noise(seed))), (0.6, 0.8, 1.0, 1.2, 1.4)[seed % 5]
    edges, steps, _ = refined_gs_mple(dependence, lam, option)
    result = gs_mple.run(dependence, lam, refine=option)
    assert set(result.edges) == edges
    assert _steps(result) == steps


def test_the_comparison_above_meets_ends_that_show_independence():
    n_different = 0
    for seed in range(60):
        dependence, lam = Memo(noise(seed)), (0.6, 0.8, 1.0, 1.2, 1.4)[seed % 5]
        plain, shown = (
            refined_gs_mple(asked, lam, "pairs")[0]
            for asked in (dependence, ShowingIndependence(dependence))
        )
        n_different += plain != shown
    assert n_different >= 10, n_different


@settings(deadline=None, max_examples=100, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    lam=st.sampled_from((0.6, 0.8, 1.0, 1.2, 1.4)),
    option=st.sampled_from(OPTIONS),
    shares=st.tuples(st.floats(0, 0.3), st.floats(0, 0.3)),
    alone=st.sampled_from((0.5, 1.0)),
)
def test_on_noise_the_fast_search_is_the_literal_one(seed, lam, option, shares, alone):
    dependence = Memo(noise(seed, alone))
    pairs = list(itertools.combinations(range(dependence.n_variables), 2))
    order = np.random.default_rng(seed).permutation(len(pairs))
    n_required, n_forbidden = (int(share * len(pairs)) for share in shares)
    required = {pairs[at] for at in order[:n_required]}
    forbidden = {pairs[at] for at in order[n_required : n_required + n_forbidden]}
    edges, steps, _ = refined_gs_mple(dependence, lam, option, required, forbidden)
    constraints = Constraints(frozenset(required), frozenset(forbidden))
    result = gs_mple.run(dependence, lam, constraints, refine=option)
    assert set(result.edges) == edges
    assert _steps(result) == steps
    assert required <= edges
    assert forbidden.isdisjoint(edges)


def test_the_literal_comparisons_meet_what_they_are_about():
    """Twins that never grow again, never add two edges and never go round would prove little."""
    endings = collections.Counter()
    again = together = 0
    kinds = ((0.6, 1.0), (1.4, 1.0), (0.8, 0.5), (1.0, 0.5))
    for seed, (lam, alone) in itertools.product(range(60), kinds):
        memo = Memo(noise(seed, alone))
        _, steps, ending = refined_gs_mple(memo, lam, "pairs")
        endings[ending] += 1
        _, one_by_one, _ = refined_gs_mple(memo, lam, "alternate")
        together += steps != one_by_one
        again += len(one_by_one) > len(gs_mple.run(memo, lam).trace)
    assert again >= 20
    assert together >= 40
    assert endings["done"] >= 30
    assert endings["circle"] >= 30


@pytest.mark.parametrize("option", GOING_ON)
def test_in_the_end_nothing_is_worth_adding_or_removing(option):
    settled = 0
    for seed in range(60):
        dependence, lam = (noise(seed), 1.4) if seed % 2 else (random_dependence(seed), 0.05)
        dependence = Memo(dependence)
        if refined_gs_mple(dependence, lam, option)[2] != "done":
            continue
        settled += 1
        edges = gs_mple.run(dependence, lam, refine=option).edges
        pairs = set(itertools.combinations(range(dependence.n_variables), 2))
        outside = pairs - set(edges)
        assert all(_score(dependence, edges, edge) > lam for edge in edges)
        assert all(_score(dependence, edges, edge) <= lam for edge in outside)
        if option == "pairs":
            assert literal_several(dependence, lam, set(edges), outside) == []
    assert settled >= 40


@pytest.mark.parametrize("option", GOING_ON)
def test_a_graph_that_comes_again_ends_the_search(option):
    first = gs_mple.run(RockPaperScissors(), 0.0)
    assert first.edges == ((0, 2),)
    result = gs_mple.run(RockPaperScissors(), 0.0, refine=option)
    assert result.edges == first.edges
    added = [step.edge for step in result.trace if step.phase == "grow"]
    removed = [step.edge for step in result.trace if step.phase == "shrink"]
    assert added == [(0, 1), (0, 2), (1, 2), (0, 1), (0, 2)]
    assert removed == [(0, 1), (0, 2), (1, 2), (0, 1)]


def test_too_many_steps_end_the_search(monkeypatch):
    monkeypatch.setattr(refine, "PATIENCE", 0)
    result = gs_mple.run(RockPaperScissors(), 0.0, refine="alternate")
    edges, steps, ending = refined_gs_mple(RockPaperScissors(), 0.0, "alternate", patience=0)
    assert ending == "patience"
    assert set(result.edges) == edges == {(1, 2)}
    assert _steps(result) == steps


@pytest.mark.parametrize("option", GOING_ON)
def test_a_search_that_only_wanders_ends(option):
    """On noise of twelve variables graphs seldom come again: patience ends the search."""
    dependence = Noise(1, 12, True, 10**9)
    first = gs_mple.run(dependence, 1.0)
    result = gs_mple.run(dependence, 1.0, refine=option)
    n_most = 11 * len(first.trace)
    one_turn = 12 * 11 + 3  # all pairs in, all pairs out, after a triangle
    assert n_most < len(result.trace) <= n_most + one_turn


@pytest.mark.parametrize(("more", "n_new"), [(1e-13, 0), (1e-6, 2)])
def test_rounding_moves_no_edge(more, n_new):
    class WorthNothing(Dependence):
        """Nodes 1 and 2 together tell node 0 what two edges cost, but for the last bits."""

        n_variables = 3
        symmetric = True

        def _cmi_many(self, i, candidates, given):
            return np.full(len(candidates), 0.3 + more if given else 0.1)

    apart = Constraints(forbidden=frozenset([(1, 2)]))
    begun = gs_mple.run(WorthNothing(), 0.3, apart).trace
    steps = refine.add_several(Memo(WorthNothing()), 0.3, begun, apart)
    assert [step.edge for step in steps] == [(0, 1), (0, 2)][:n_new]


@pytest.mark.parametrize("option", GOING_ON)
@pytest.mark.parametrize("lam", [0.0, 0.02, 0.1])
def test_with_exact_values_every_change_is_for_the_better(option, lam):
    """With the chain rule J(E) + lam |E| falls whenever the graph is not that of Algorithm 1."""
    for seed in range(0, 180, 2):
        oracle, _ = random_world(seed)
        memo = Memo(oracle)
        first = gs_mple.run(memo, lam)
        result = gs_mple.run(memo, lam, refine=option)
        empty = _exact_penalised_objective(oracle, (), lam)
        reached = _exact_penalised_objective(oracle, result.edges, lam)
        assert result.objective + lam * len(result.edges) == pytest.approx(
            reached - empty, abs=1e-9
        )
        if result.edges == first.edges:
            assert result == first
        else:
            assert reached < _exact_penalised_objective(oracle, first.edges, lam) - 1e-12


@pytest.mark.parametrize("option", GOING_ON)
def test_at_lambda_0_an_oracle_gives_the_true_graph(option):
    for seed in range(60):
        oracle, truth = random_world(seed)
        np.testing.assert_array_equal(gs_mple.run(oracle, 0.0, refine=option).adjacency, truth)


def test_several_edges_are_the_literal_ones():
    two = three = none = 0
    for seed, lam in itertools.product(range(120), (0.4, 0.9, 1.3)):
        memo = Memo(noise(seed))
        pairs = list(itertools.combinations(range(memo.n_variables), 2))
        rng = np.random.default_rng(seed)
        forbidden = {edge for edge in pairs if rng.random() < 0.2}
        constraints = Constraints(forbidden=frozenset(forbidden))
        found = gs_mple.run(memo, 1.5, constraints)
        steps = refine.add_several(memo, lam, found.trace, constraints)
        assert steps[: len(found.trace)] == list(found.trace)
        new = [step.edge for step in steps[len(found.trace) :]]
        free = set(pairs) - set(found.edges) - forbidden
        assert new == literal_several(memo, lam, set(found.edges), free)
        two, three, none = two + (len(new) == 2), three + (len(new) == 3), none + (not new)
        graph = set(found.edges)
        for step in steps[len(found.trace) :]:
            assert (step.phase, step.score) == ("grow", _score(memo, graph, step.edge))
            graph.add(step.edge)
    assert min(two, three, none) >= 20


def _differs_oracle():
    """Nodes 0 and 1 are fair coins, 2 says whether they differ, 3 repeats it, wrong 1 time in 5."""
    joint = np.zeros((2, 2, 2, 2))
    for x, y, copy in itertools.product(range(2), repeat=3):
        joint[x, y, x ^ y, copy] = 0.8 if copy == x ^ y else 0.2
    return OracleJoint(joint)


def test_pairs_find_what_no_edge_shows_alone():
    triangle, copy = ((0, 1), (0, 2), (1, 2)), (2, 3)
    for lam in (0.05, 0.1):
        for option in (None, "alternate"):
            assert gs_mple.run(_differs_oracle(), lam, refine=option).edges == (copy,)
        found = gs_mple.run(_differs_oracle(), lam, refine="pairs")
        assert found.edges == (*triangle, copy)
        assert found.objective < gs_mple.run(_differs_oracle(), lam).objective
    # Three edges that gain ln 2 at each node: worth it up to there, and no further.
    for lam, edges in ((math.log(2) - 0.01, triangle), (math.log(2) + 0.01, ())):
        assert gs_mple.run(_differs_oracle(), lam, refine="pairs").edges == edges


def test_where_growth_begins_with_a_wrong_edge_going_on_finds_the_true_graph():
    """Nodes 0 and 1 meet through all others: their own edge comes first and stands for others.

    Growing takes (0, 1), then (0, k) and (1, k) until those left tell less than lam given it.
    Shrinking removes (0, 1), and one that it stood for is worth more than lam again.
    """
    better = worse = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = random_graph(rng, int(rng.integers(5, 8)), "bundle")
        memo = Memo(ising_oracle(rng, truth, frustrated=False))
        first = (gs_mple.run(memo, 0.02).adjacency == truth).all()
        then = (gs_mple.run(memo, 0.02, refine="alternate").adjacency == truth).all()
        better += then and not first
        worse += first and not then
    assert better >= 5
    assert worse == 0


@pytest.mark.parametrize("option", GOING_ON)
@pytest.mark.parametrize("seed", range(12))
def test_a_path_is_a_run_at_each_lambda_and_shares_its_evaluations(option, seed):
    dependence = noise(seed) if seed % 2 else random_dependence(seed)
    lams = [0.3, 1.0, -math.inf, 0.0, 0.05, math.inf, 0.7, 1.0]
    shared = Memo(dependence)
    alone = 0
    for lam, result in zip(lams, gs_mple.path(shared, lams, refine=option), strict=True):
        memo = Memo(dependence)
        assert result == gs_mple.run(memo, lam, refine=option)
        alone += memo.n_evaluations
    assert shared.n_evaluations < alone


@pytest.mark.parametrize("option", GOING_ON)
@pytest.mark.parametrize("seed", range(24))
def test_evaluations_stay_within_their_bounds(option, seed):
    dependence, lam = (noise(seed), 1.0) if seed % 2 else (random_dependence(seed), 0.05)
    memo = Memo(dependence)
    result = gs_mple.run(memo, lam, refine=option)
    n_variables = dependence.n_variables
    # Each neighbourhood of a node that ever was there has one row; for pairs, one more a node.
    bound = n_variables * (n_variables + 2 * len(result.trace))
    assert memo.n_evaluations <= bound * {"alternate": 1, "pairs": n_variables}[option]


@pytest.mark.parametrize(("most", "option"), [(4, "alternate"), (5, "pairs")])
def test_auto_tries_pairs_of_edges_unless_the_table_is_wide(most, option, monkeypatch):
    monkeypatch.setattr(refine, "MOST_FOR_PAIRS", most)
    n_apart = 0
    for seed in range(2, 62, 5):  # of five variables
        memo = Memo(noise(seed, 0.5))
        others = {name: gs_mple.run(memo, 1.0, refine=name) for name in GOING_ON}
        assert gs_mple.run(memo, 1.0, refine="auto") == others[option]
        n_apart += others["alternate"] != others["pairs"]
    assert n_apart >= 3


def test_auto_stands_for_no_refinement_that_a_user_chose():
    assert set(REFINEMENTS) == {"auto", *GOING_ON}
    assert refine.MOST_FOR_PAIRS == 50
    for n_variables in (2, 50, 51, 1000):
        for chosen in OPTIONS:
            assert refinement_for(chosen, n_variables) == chosen
        expected = "pairs" if n_variables <= 50 else "alternate"
        assert refinement_for("auto", n_variables) == expected


def test_an_unknown_refinement_is_refused_before_any_work():
    memo = Memo(random_dependence(0))
    with pytest.raises(InputError, match="unknown refine 'alternat'; did you mean 'alternate'"):
        gs_mple.run(memo, 0.0, refine="alternat")
    with pytest.raises(InputError, match="unknown refine True"):
        gs_mple.path(memo, [0.0], refine=True)
    assert memo.n_evaluations == 0
