"""Lambda by what chance would do: the arithmetic, and what it promises on noise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mrflearn.datasets import sparse_gaussian
from mrflearn.dependence import Gaussian, Memo, PlugIn, Sieve
from mrflearn.metrics import f1
from mrflearn.search import gs_mple
from mrflearn.selection.fdr import (
    FEWEST_FALSE,
    LEAST,
    MOST_FALSE,
    MOST_OF_PAIRS,
    choose,
    further,
    lambdas,
)
from mrflearn.selection.score_nulls import ScoreNulls, _distinct
from mrflearn.table import as_table


def _table(n_samples=100, n_variables=6, seed=0):
    rng = np.random.default_rng(seed)
    mixing = np.eye(n_variables) + 0.4 * np.eye(n_variables, k=1)
    return as_table(rng.normal(size=(n_samples, n_variables)) @ mixing)


def _graph(n_variables, *edges):
    """Return the neighbours of each node."""
    return tuple(
        tuple(sorted(a + b - i for a, b in edges if i in (a, b))) for i in range(n_variables)
    )


def _nulls_of_node(bound, node, others, share=1.0, each_stands_for=1.0):
    """Return the nulls of a search for the neighborhood of one node."""
    free = [[node] * (i in others) for i in range(bound.n_variables)]
    free[node] = list(others)
    stand_for = [each_stands_for] * bound.n_variables
    return ScoreNulls(bound, "sum", free, share, stand_for, node)


def test_nulls_are_those_of_both_ends_given_their_other_neighbours():
    bound = Gaussian().bind(_table())
    adjacency = _graph(6, (0, 1), (1, 2), (1, 4))
    found = ScoreNulls(bound).of(adjacency)
    for place, (i, j) in enumerate(itertools.combinations(range(6), 2)):
        for own, a, b in ((found[0], i, j), (found[1], j, i)):
            given = [z for z in adjacency[a] if z != b]
            null = bound.null(a, [b], given)
            assert own.mean[place] == pytest.approx(null.mean[0])
            assert own.deviation[place] == pytest.approx(null.deviation[0])
            assert own.skewness[place] == pytest.approx(null.skewness[0])


@pytest.mark.parametrize(("rule", "both"), [("and", min), ("or", sum)])
def test_an_edge_by_chance_takes_both_ends_or_one(rule, both):
    bound = Gaussian().bind(_table())
    conditions = _graph(6, (0, 1), (1, 2), (1, 4))
    tails = ScoreNulls(bound, rule).tails(conditions, 0.05)
    for found, (i, j) in zip(tails, itertools.combinations(range(6), 2), strict=True):
        given = [tuple(z for z in conditions[a] if z not in (i, j)) for a in (i, j)]
        ends = [bound.null(i, [j], own).tail(0.05)[0] for own in given]
        expected = ends[0] if given[0] == given[1] else both(ends)
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["sum", "and", "or"])
def test_no_pair_is_likelier_than_certain(rule):
    """Though both ends exceed lambda, where one suffices and their conditions differ."""
    nulls = ScoreNulls(Gaussian().bind(_table()), rule)
    tails = nulls.tails(_graph(6, (0, 1), (1, 2), (1, 4)), 0.0)
    assert tails == pytest.approx(np.ones(15))


def test_pairs_that_are_decided_already_are_not_expected():
    bound = Gaussian().bind(_table())
    decided = _graph(6, (0, 1), (2, 5))
    free = [[j for j in range(6) if j != i and j not in decided[i]] for i in range(6)]
    everything, some = ScoreNulls(bound), ScoreNulls(bound, candidates=free)
    assert some.expected(_graph(6), 0.05) == pytest.approx(
        everything.expected(_graph(6), 0.05) * 13 / 15
    )


@pytest.mark.parametrize("rule", ["sum", "and", "or"])
def test_pairs_tested_have_the_tails_they_have_among_all(rule):
    bound = Sieve().bind(_table())
    conditions = _graph(6, (0, 1), (1, 2), (1, 4))
    candidates = _graph(6, (0, 1), (0, 4), (1, 2), (2, 4), (3, 5))
    everything, some = (ScoreNulls(bound, rule, among) for among in (None, candidates))
    tails = dict(
        zip(itertools.combinations(range(6), 2), everything.tails(conditions, 0.05), strict=True)
    )
    found = some.tails(conditions, 0.05)
    assert found.tolist() == [tails[i, j] for i, j in zip(*some.ends, strict=True)]


def test_candidates_may_stand_for_more():
    """Where all nulls are the same, as many false edges are expected as among all pairs."""
    bound = Gaussian().bind(_table())
    candidates = _graph(6, (0, 1), (0, 4), (1, 2), (2, 4), (3, 5))
    stand_for = [5 / len(others) for others in candidates]
    nulls = ScoreNulls(bound, "sum", candidates, 1.0, stand_for)
    everything = ScoreNulls(bound)
    assert nulls.n_tested == pytest.approx(15)
    assert nulls.expected(_graph(6), 0.05) == pytest.approx(everything.expected(_graph(6), 0.05))
    assert nulls.expected_alone()(0.05) == pytest.approx(everything.expected(_graph(6), 0.05))
    blanket = _nulls_of_node(bound, 0, [1, 4], each_stands_for=2.5)
    all_others = _nulls_of_node(bound, 0, range(1, 6))
    assert blanket.expected(_graph(6), 0.05) == pytest.approx(all_others.expected(_graph(6), 0.05))


@pytest.mark.parametrize("rule", ["sum", "and", "or"])
def test_alone_as_many_are_expected_as_in_a_graph_without_edges(rule):
    table = as_table(
        pd.DataFrame(
            {f"x{c}": np.random.default_rng(c).integers(2 + c, size=90) for c in range(6)}
        ),
        kinds={f"x{c}": "nominal" for c in range(6)},
    )
    for tolerance in (0.0, 0.004):
        nulls = ScoreNulls(Sieve(tolerance=tolerance).bind(table), rule)
        alone = nulls.expected_alone()
        beyond = (2 if rule == "sum" else 1) * tolerance  # which a null with nothing given lacks
        for lam in (0.0, 0.02, 0.05, 0.2):
            expected = nulls.expected(_graph(6), lam)
            assert alone(lam + beyond) == pytest.approx(expected, rel=1e-8)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(0, 12), st.integers(1, 5))
def test_distinct_columns_say_what_all_of_them_do(seed, n_rows, n_columns, n_values):
    rows = np.random.default_rng(seed).integers(n_values, size=(n_rows, n_columns)) / 7
    found, groups = _distinct(rows)
    np.testing.assert_array_equal(found[:, groups], rows)
    assert found.shape[1] == len(set(map(tuple, rows.T.tolist())))


def test_a_node_has_the_nulls_of_its_own_end():
    bound = Gaussian().bind(_table())
    conditions = _graph(6, (2, 1), (2, 5), (1, 4))
    found = _nulls_of_node(bound, 2, [0, 1, 4]).tails(conditions, 0.05)
    for tail, j in zip(found, [0, 1, 4], strict=True):
        given = [z for z in conditions[2] if z != j]
        assert tail == pytest.approx(bound.null(2, [j], given).tail(0.05)[0])


def test_false_edges_expected_are_the_tails_summed():
    """Of correlations of normal columns alone, with N less the correction of Bartlett."""
    nulls = ScoreNulls(Gaussian().bind(_table(n_samples=80)))
    lam = 0.06
    expected = 15 * stats.chi2.sf(lam * (80 - 1 - 1.5), 1)
    assert nulls.expected(_graph(6), lam) == pytest.approx(expected, rel=1e-9)


class Counting:
    """A dependence that remembers of which nulls it was asked."""

    def __init__(self, inner):
        self.inner, self.n_variables, self.asked = inner, inner.n_variables, []
        self.tolerance = inner.tolerance

    def null(self, i, candidates, given):
        self.asked.append((i, *candidates, tuple(given)))
        return self.inner.null(i, candidates, given)

    def null_correlations(self, conditions):
        return self.inner.null_correlations(conditions)


def test_nulls_are_asked_for_once():
    counting = Counting(Gaussian().bind(_table()))
    nulls = ScoreNulls(counting)
    for adjacency in (_graph(6), _graph(6, (0, 1)), _graph(6), _graph(6, (0, 1), (1, 2))):
        nulls.expected(adjacency, 0.1)
    assert len(counting.asked) == len(set(counting.asked))


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("rule", ["sum", "and", "or", "of one node"])
def test_no_pair_exceeds_the_largest_lambda(rule, share):
    bound = Gaussian().bind(_table())
    if rule == "of one node":
        nulls, pairs = _nulls_of_node(bound, 2, [0, 1, 4], share), [(2, 0), (2, 1), (2, 4)]
    else:
        nulls, pairs = ScoreNulls(bound, rule, None, share), itertools.combinations(range(6), 2)
    most = max(bound.cmi(i, j) for i, j in pairs)
    assert nulls.largest() == pytest.approx((2 if rule == "sum" else 1) * most / share)


def test_where_all_is_decided_there_is_nothing_to_exceed():
    bound = Gaussian().bind(_table())
    for nulls in (ScoreNulls(bound, candidates=[()] * 6), _nulls_of_node(bound, 0, [])):
        assert nulls.largest() == nulls.n_tested == 0
        assert len(lambdas(nulls)) == 1


class Tails:
    """Stands for nulls by which a given number of edges is expected at each lambda."""

    def __init__(self, expected):
        self.by_lam = expected

    def expected(self, adjacency, lam):
        return self.by_lam[lam]


def _nested(*sizes):
    pairs = list(itertools.combinations(range(8), 2))
    return [_graph(8, *pairs[:size]) for size in sizes], sizes


def _literal_choice(expected, n_edges, alpha):
    """Return the position of the densest graph that is allowed, from the sparsest graph on."""
    best = None
    limits = [alpha * max(n, 1) ** 2 / (max(n, 1) + 2) for n in n_edges]
    for position, (e, n) in enumerate(zip(expected, n_edges, strict=True)):
        n_before, e_before = 0, 0.0
        for earlier in range(position + 1):
            if expected[earlier] <= e / 1000:
                n_before, e_before = n_edges[earlier], expected[earlier]
        density_of_true = max(n - n_before - (e - e_before), 0.25) / np.log(1000)
        if e <= limits[position] and e <= density_of_true:
            best = position
    if best is None:
        return None
    same = itertools.takewhile(
        lambda k: n_edges[k] == n_edges[best] and expected[k] <= limits[k],
        range(best, len(n_edges)),
    )
    return max(same)


@given(
    st.lists(st.tuples(st.floats(0, 0.4), st.integers(0, 5)), min_size=1, max_size=8),
    st.sampled_from([0.05, 0.1, 0.3]),
)
def test_the_densest_graph_whose_last_edges_are_true_is_chosen(steps, alpha):
    expected, n_edges = (np.cumsum(part).tolist() for part in zip(*steps, strict=True))
    most = [0.4 * max(n, 1) ** 2 / (max(n, 1) + 2) for n in n_edges]
    expected = np.minimum(expected, most).tolist()
    lams = np.linspace(0.9, 0.1, len(steps)).tolist()
    tails = Tails(dict(zip(lams, expected, strict=True)))
    found = choose(tails, lams, *_nested(*n_edges), alpha)
    assert found.position == _literal_choice(expected, n_edges, alpha)
    turned = choose(Tails(tails.by_lam), lams[::-1], *_nested(*n_edges[::-1]), alpha)
    position = None if turned.position is None else len(lams) - 1 - turned.position
    assert position == found.position


def test_a_table_that_shows_all_edges_gets_no_denser_graph():
    """Ten edges long before chance brings any, then one: the limit alone would allow eleven."""
    expected = {0.9: 0.0, 0.5: 0.0005, 0.3: 0.5, 0.2: 0.9}
    found = choose(Tails(expected), list(expected), *_nested(0, 10, 10, 11), 0.1)
    assert found.position == 2  # the smallest lambda with these ten
    assert found.reason.endswith("further edges are more likely false than true")
    expected = {0.9: 0.0, 0.5: 0.01, 0.3: 0.5, 0.2: 1.0}
    assert choose(Tails(expected), list(expected), *_nested(0, 10, 14, 18), 0.1).position == 3


@pytest.mark.parametrize(("by_chance", "position"), [(0.03, 3), (0.04, 2)])
def test_a_later_graph_of_no_more_edges_is_reached_where_chance_brings_none(by_chance, position):
    """Search may go from a local optimum of eleven edges to the true graph of ten."""
    expected = {0.9: 0.0, 0.5: 1e-9, 0.4: 1e-7, 0.3: by_chance}
    found = choose(Tails(expected), list(expected), *_nested(0, 11, 11, 10), 0.1)
    assert found.position == position


@pytest.mark.parametrize(("n_edges", "asked"), [(1, 0.05 / 3), (2, 0.05), (9, 0.05 * 81 / 11)])
def test_the_fewer_edges_the_fewer_false_ones_are_allowed(n_edges, asked):
    for expected, position in ((asked * 1.01, 0), (asked * 0.99, 1)):
        tails = Tails({0.5: 0.0, 0.4: expected})
        assert choose(tails, [0.5, 0.4], *_nested(0, n_edges), 0.05).position == position


def test_a_graph_beyond_a_worse_one_is_reached_and_none_beyond_a_hopeless_one():
    expected = {0.9: 0.0, 0.5: 0.05, 0.3: 0.4, 0.2: 0.4}
    assert choose(Tails(expected), list(expected), *_nested(0, 4, 6, 10), 0.05).position == 3
    expected = {0.9: 0.0, 0.5: 0.05, 0.3: 3.1, 0.2: 0.4}
    found = choose(Tails(expected), list(expected), *_nested(0, 4, 6, 10), 0.05)
    assert found.position == 1
    assert np.isnan(found.values[3])


def test_as_many_false_edges_as_are_allowed_are_not_too_many():
    """Of a single edge, which counts as 1/3, half may be false if 1/6 is expected."""
    expected = {0.5: 1 / 6, 0.4: 0.01}
    sizes = _nested(1, 1)
    found = choose(Tails(expected), list(expected), *sizes, 0.05)
    assert found.values[0] == pytest.approx(0.5)
    assert found.position == 1  # beyond one of which half may be
    assert choose(Tails({0.5: 1 / 7, 0.4: 3.0}), [0.5, 0.4], *sizes, 3 / 7).position is None
    assert choose(Tails({0.5: 1 / 8, 0.4: 3.0}), [0.5, 0.4], *sizes, 3 / 8).position == 0


def test_an_empty_graph_counts_as_one_edge():
    """Else no graph with one edge would ever be reached."""
    expected = {0.5: 0.01, 0.4: 0.015, 0.3: 0.04}
    assert choose(Tails(expected), list(expected), *_nested(0, 1, 1), 0.05).position == 1


def test_none_is_chosen_if_none_will_do():
    expected = {0.5: 2.0, 0.4: 3.0}
    found = choose(Tails(expected), list(expected), *_nested(1, 2), 0.05)
    assert found.position is None
    assert "in every graph" in found.reason


def test_the_reason_says_what_was_found_and_what_was_refused():
    expected = {0.9: 0.0, 0.5: 0.1, 0.3: 0.7}
    reason = choose(Tails(expected), list(expected), *_nested(0, 4, 6), 0.05).reason
    assert reason == (
        "at lambda 0.5 there are 4 edges, and 0.1 would be expected by chance; at the next lambda, "
        "0.3, it would be 0.7 of 6, and the limit is 0.23"
    )
    nothing = choose(Tails({0.9: 0.0, 0.5: 0.1}), [0.9, 0.5], *_nested(0, 0), 0.05).reason
    assert nothing.endswith("there are no edges, and 0 would be expected by chance; at the next "
                            "lambda, 0.5, it would be 0.1, and the limit is 0.017")  # fmt: skip
    for n_edges, words in ((1, "there is 1 edge, and"), (2, "there are 2 edges, and")):
        assert words in choose(Tails({0.5: 0.0}), [0.5], *_nested(n_edges), 0.05).reason


def test_lambdas_go_from_no_edge_to_what_chance_brings():
    for table in (_table(), _table(1000), _table(50, 3)):
        memo = Memo(Sieve().bind(table))
        nulls = ScoreNulls(memo)
        lams = lambdas(nulls, 20)
        assert len(lams) == 20
        assert all(a > b > 0 for a, b in itertools.pairwise(lams))
        results = gs_mple.path(memo, lams)
        assert not results[0].edges
        n = table.n_variables
        most = min(0.5 * n, 0.1 * n * (n - 1) / 2)
        assert nulls.expected_alone()(lams[-1]) == pytest.approx(most, rel=0.01)


class Fading:
    """Stands for nulls by which n exp(-lambda / scale) of n pairs exceed lambda."""

    def __init__(self, n_variables, scale, largest):
        self.n_variables, self.scale, self._largest = n_variables, scale, largest
        self.dependence, self.n_tested = self, n_variables * (n_variables - 1) / 2

    def n_questions_alone(self):
        return 0

    def hopeless(self):
        return 60 * self.scale

    def expected_alone(self):
        return lambda lam: self.n_tested * np.exp(-lam / self.scale)

    def largest(self):
        return self._largest


@pytest.mark.parametrize("n_variables", [10, 30])
@pytest.mark.parametrize(("scale", "largest"), [(0.1, 0.02), (0.1, 50.0), (1e-4, 50.0)])
def test_the_ends_of_the_lambdas_are_where_chance_says(n_variables, scale, largest):
    n_tested = n_variables * (n_variables - 1) / 2
    most = min(MOST_FALSE * n_variables, MOST_OF_PAIRS * n_tested)
    top = max(largest, scale * np.log(n_tested / FEWEST_FALSE))
    least = max(scale * np.log(n_tested / most), LEAST * top)
    lams = lambdas(Fading(n_variables, scale, largest), 9)
    ratio = (least / top) ** (1 / 8)
    assert lams == pytest.approx([top * ratio**k for k in range(9)])


def test_further_lambdas_go_on_in_the_steps_of_the_last_two():
    lams = [0.3 * 0.8**k for k in range(12)]
    assert further([7.0, *lams[:5]], 7) == pytest.approx(lams[5:])


def test_lambdas_of_constants_are_positive():
    with pytest.warns(UserWarning, match="constant"):
        table = as_table(pd.DataFrame({"a": [1.0] * 20, "b": [2.0] * 20, "c": np.arange(20.0)}))
    lams = lambdas(ScoreNulls(Sieve().bind(table)))
    assert all(lam > 0 for lam in lams)


NOISE = {
    "continuous": (Sieve(), lambda rng, n: rng.normal(size=n)),
    "ordinal": (Sieve(), lambda rng, n: rng.integers(4, size=n)),
    "labels": (Sieve(), lambda rng, n: rng.choice(list("pqrs"), size=n, p=[0.4, 0.3, 0.2, 0.1])),
    "counted": (PlugIn("df"), lambda rng, n: rng.choice(list("pqr"), size=n)),
    "correlated": (Gaussian(copula=True), lambda rng, n: rng.standard_cauchy(size=n)),
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_has_an_edge_as_rarely_as_is_said(kind):
    """Of 60 tables no more than 9 may: more have a chance of 0.001, if 0.05 is kept."""
    specification, draw = NOISE[kind]
    n_found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = as_table(pd.DataFrame({f"x{c}": draw(rng, 80) for c in range(8)}))
        memo = Memo(specification.bind(table))
        nulls = ScoreNulls(memo)
        lams = lambdas(nulls, 30)
        results = gs_mple.path(memo, lams)
        conditions = [result.neighbours for result in results]
        n_edges = [len(result.edges) for result in results]
        n_found += n_edges[choose(nulls, lams, conditions, n_edges, 0.05).position] > 0
    assert n_found <= 9


def test_a_gaussian_graph_is_found():
    world = sparse_gaussian(random_state=1)
    found = []
    for seed in range(5):
        memo = Memo(Sieve().bind(as_table(world.sample(400, random_state=seed))))
        nulls = ScoreNulls(memo)
        lams = lambdas(nulls)
        results = gs_mple.path(memo, lams)
        conditions = [result.neighbours for result in results]
        n_edges = [len(result.edges) for result in results]
        chosen = results[choose(nulls, lams, conditions, n_edges, 0.05).position]
        found.append(f1(np.asarray(world.adjacency), chosen.adjacency))
    assert np.mean(found) > 0.9
