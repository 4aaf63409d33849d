"""GSMN, IAMB, greedy entropy and Chow-Liu: literal readings, oracles, rules and constraints."""

import itertools
import math

import literal
import networkx as nx
import numpy as np
import pytest
from worlds import ising_oracle, random_dependence, random_graph, random_world

from mrflearn.dependence import Memo, OracleJoint
from mrflearn.dependence.base import Dependence
from mrflearn.errors import InputError
from mrflearn.search import (
    Constraints,
    chow_liu,
    greedy_entropy,
    gsmn,
    iamb,
    symmetrise,
)

LAMS = (-math.inf, -0.1, 0.0, 0.05, 0.2, math.inf)
NODEWISE = {"gsmn": gsmn, "iamb": iamb, "greedy": greedy_entropy}


@pytest.mark.parametrize("seed", range(60))
def test_blankets_are_those_of_the_literal_algorithms(seed):
    dependence = random_dependence(seed)
    lam = LAMS[seed % len(LAMS)]
    for search, transcription in (
        (gsmn, literal.gsmn),
        (iamb, literal.iamb),
        (greedy_entropy, literal.greedy_entropy),
    ):
        result = search.run(dependence, lam)
        for node, members in enumerate(result.neighbourhoods):
            assert set(members) == transcription(dependence, node, lam), search.__name__


@pytest.mark.parametrize("seed", range(60))
def test_backward_blankets_are_those_of_the_literal_algorithm(seed):
    dependence = random_dependence(seed)
    for lam in (-0.2, 0.0, 0.05):
        result = greedy_entropy.run(dependence, lam, backward=True)
        for node, members in enumerate(result.neighbourhoods):
            assert set(members) == literal.forward_backward(dependence, node, lam)


@pytest.mark.parametrize("rule", ["and", "or"])
@pytest.mark.parametrize("seed", range(30))
def test_with_an_oracle_neighbourhood_searches_recover_the_graph(rule, seed):
    oracle, truth = random_world(seed)
    for search in (gsmn, iamb):
        np.testing.assert_array_equal(search.run(oracle, 0.0, rule=rule).adjacency, truth)


def test_backward_steps_remove_what_forward_steps_should_not_have_added():
    wrong = {False: 0, True: 0}
    for seed in range(60):
        oracle, truth = random_world(seed)
        for backward in wrong:
            adjacency = greedy_entropy.run(oracle, 0.0, backward=backward).adjacency
            assert not (truth & ~adjacency).any()  # no true edge is missed
            wrong[backward] += int((adjacency & ~truth).sum())
    assert wrong[True] <= wrong[False] / 2
    assert wrong[False] > 20


@pytest.mark.parametrize("seed", range(28))
def test_a_path_of_the_backward_form_is_a_run_at_each_lambda(seed):
    dependence = random_dependence(seed)
    lams = [0.3, -math.inf, 0.0, math.inf, -0.1]
    for lam, result in zip(lams, greedy_entropy.path(dependence, lams, backward=True), strict=True):
        assert result == greedy_entropy.run(dependence, lam, backward=True)


def test_and_rule_needs_both_sides():
    chosen = [(1, 2), (0,), ()]
    assert symmetrise(chosen, "and") == ((0, 1),)
    assert symmetrise(chosen, "or") == ((0, 1), (0, 2))
    with pytest.raises(InputError, match="unknown rule 'nor'; did you mean 'or'"):
        symmetrise(chosen, "nor")


class OneSided(Dependence):
    """0 needs 1, but 1 does not need 0 once it knows 2: the two sides disagree."""

    n_variables = 3
    symmetric = False

    def _cmi_many(self, i, candidates, given):
        strength = {(0, 1): 0.5, (0, 2): 0.1, (1, 2): 1.0}
        values = [strength[min(i, j), max(i, j)] for j in candidates]
        if i == 1 and 2 in given:
            values = [0.0] * len(candidates)
        if i == 0 and 1 in given:
            values = [0.0] * len(candidates)
        return np.array(values)


@pytest.mark.parametrize("name", ["gsmn", "iamb"])
def test_rules_apply_to_the_neighbourhoods_as_learned(name):
    both, either = (NODEWISE[name].run(OneSided(), 0.2, rule=rule) for rule in ("and", "or"))
    assert both.neighbourhoods == either.neighbourhoods == ((1,), (2,), (1,))
    assert both.edges == ((1, 2),)
    assert either.edges == ((0, 1), (1, 2))
    assert either.weights == (0.5, 2.0)


@pytest.mark.parametrize("name", NODEWISE)
def test_an_unknown_rule_costs_nothing(name):
    memo = Memo(OneSided())
    with pytest.raises(InputError, match="unknown rule 'nor'"):
        NODEWISE[name].run(memo, 0.2, rule="nor")
    assert memo.n_evaluations == 0


def test_default_rules_are_those_of_the_authors():
    assert gsmn.run(OneSided(), 0.2).edges == ((1, 2),)
    assert iamb.run(OneSided(), 0.2).edges == ((0, 1), (1, 2))


def test_one_blanket_costs_less_than_all():
    dependence = random_dependence(6)
    for search in NODEWISE.values():
        one, every = Memo(dependence), Memo(dependence)
        (blanket,) = search.blankets(one, 2, [0.0])
        result = search.run(every, 0.0)
        assert blanket.members == result.neighbourhoods[2]
        assert one.n_evaluations < every.n_evaluations


@pytest.mark.parametrize("name", NODEWISE)
def test_what_equals_lambda_is_not_added_and_costs_nothing_more(name):
    class Nothing(Dependence):
        n_variables = 5
        symmetric = True

        def _cmi_many(self, i, candidates, given):
            return np.zeros(len(candidates))

    memo = Memo(Nothing())
    assert NODEWISE[name].run(memo, 0.0).neighbourhoods == ((),) * 5
    assert memo.n_evaluations == 10  # of each pair alone


@pytest.mark.parametrize("seed", range(40))
def test_chow_liu_is_the_maximum_spanning_tree(seed):
    dependence = random_dependence(seed)
    graph = nx.Graph()
    for i, j in itertools.combinations(range(dependence.n_variables), 2):
        graph.add_edge(i, j, weight=dependence.cmi(i, j))
    best = nx.maximum_spanning_tree(graph).size("weight")
    result = chow_liu.run(dependence)
    assert sum(result.weights) == pytest.approx(best)
    assert -result.objective == pytest.approx(best)
    assert nx.is_tree(nx.Graph(list(result.edges)))
    forest = chow_liu.run(dependence, 0.1)
    assert set(forest.edges) == {
        edge for edge, w in zip(result.edges, result.weights, strict=True) if w > 0.1
    }


@pytest.mark.parametrize("seed", range(10))
def test_chow_liu_recovers_a_true_tree(seed):
    rng = np.random.default_rng(seed)
    truth = random_graph(rng, 7, "tree")
    np.testing.assert_array_equal(chow_liu.run(ising_oracle(rng, truth), 0.0).adjacency, truth)


def test_directions_point_away_from_the_root():
    edges = [(0, 1), (1, 2), (1, 3), (4, 5)]
    assert chow_liu.direct(edges, 6, root=2) == (1, 2, -1, 1, -1, 4)
    assert chow_liu.direct(edges, 6, root=5) == (-1, 0, 1, 1, 5, -1)


def test_a_circle_of_required_edges_has_no_tree():
    oracle = OracleJoint(np.ones((2, 2, 2)))
    with pytest.raises(InputError, match="circle"):
        chow_liu.run(oracle, 0.0, Constraints(frozenset([(0, 1), (1, 2), (0, 2)])))
