"""Rates and curves: worked by hand, against scikit-learn, and what must hold for any graphs."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from mrflearn.errors import InputError
from mrflearn.graph import Graph, GraphPath
from mrflearn.metrics import (
    Confusion,
    RocCurve,
    area_under_roc,
    average_roc,
    best_f1,
    confusion,
    confusions,
    f1,
    false_positive_rate,
    precision,
    roc,
    structural_hamming_distance,
    true_positive_rate,
)

patient = settings(deadline=None)  # the first call of a library is slow

# Four nodes have six pairs. In truth a - b - c - d; found are a - b, b - c, a - c and a - d.
#   ab, bc: true and found.   cd: true, not found.   ac, ad: found, not true.   bd: neither.
CHAIN = Graph(tuple("abcd"), (("a", "b"), ("b", "c"), ("c", "d")))
FOUND = Graph(tuple("abcd"), (("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")))


def complete(graph):
    n_nodes = len(graph.nodes)
    return Graph.from_adjacency(~np.eye(n_nodes, dtype=bool), graph.nodes)


def pairs(adjacency):
    """Return the entries above the diagonal: what scikit-learn's functions compare."""
    return np.asarray(adjacency)[np.triu_indices(len(adjacency), 1)]


def symmetric(values, n_nodes):
    """Return the symmetric matrix with these values above its diagonal."""
    matrix = np.zeros((n_nodes, n_nodes), dtype=np.asarray(values).dtype)
    matrix[np.triu_indices(n_nodes, 1)] = values
    return matrix + matrix.T if matrix.dtype != bool else matrix | matrix.T


def nested_path(scores):
    """Return the graphs of pairs with scores above each threshold, sparsest first."""
    thresholds = np.unique(pairs(scores))[::-1]
    graphs = scores >= thresholds[:, None, None]
    return graphs & ~np.eye(len(scores), dtype=bool), thresholds


@st.composite
def adjacencies(draw, least=2, most=2):
    """Draw an array of graphs over the same nodes, by default two."""
    nodes, graphs = draw(st.integers(2, 7)), draw(st.integers(least, most))
    n_pairs = nodes * (nodes - 1) // 2
    values = draw(st.lists(st.booleans(), min_size=graphs * n_pairs, max_size=graphs * n_pairs))
    rows = np.array(values, dtype=bool).reshape(graphs, n_pairs)
    return np.array([symmetric(row, nodes) for row in rows]).reshape(graphs, nodes, nodes)


rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12)


# Counting


def test_pairs_are_counted_once_by_what_they_are_and_were_found_to_be():
    counts = confusion(CHAIN, FOUND)
    assert counts == Confusion(tp=2, fp=2, fn=1, tn=1)
    assert counts.tpr == 2 / 3
    assert counts.fpr == 2 / 3
    assert counts.precision == 2 / 4
    assert counts.f1 == 4 / 7  # 2 * 2 / (2 * 2 + 2 + 1)
    assert counts.shd == 3  # remove ac and ad, add cd


def test_functions_give_the_same_numbers_as_the_counts():
    assert true_positive_rate(CHAIN, FOUND) == 2 / 3
    assert false_positive_rate(CHAIN, FOUND) == 2 / 3
    assert precision(CHAIN, FOUND) == 0.5
    assert f1(CHAIN, FOUND) == 4 / 7
    assert structural_hamming_distance(CHAIN, FOUND) == 3


def test_rates_of_nothing_are_nan_but_two_empty_graphs_agree():
    empty, full = Graph(CHAIN.nodes), complete(CHAIN)
    assert math.isnan(true_positive_rate(empty, CHAIN))
    assert false_positive_rate(empty, CHAIN) == 0.5
    assert math.isnan(false_positive_rate(full, CHAIN))
    assert math.isnan(precision(CHAIN, empty))
    assert f1(CHAIN, empty) == 0.0
    assert f1(empty, CHAIN) == 0.0
    assert f1(empty, empty) == 1.0
    assert structural_hamming_distance(empty, full) == 6


@pytest.mark.parametrize("n_nodes", [0, 1])
def test_graphs_without_pairs_can_be_compared(n_nodes):
    graph = Graph(tuple("a"[:n_nodes]))
    assert confusion(graph, graph) == Confusion(0, 0, 0, 0)
    assert f1(graph, graph) == 1.0


def test_graphs_are_compared_by_name_and_matrices_by_position():
    turned = Graph(tuple("dcab"), tuple(edge[:2] for edge in FOUND.edges))
    assert confusion(CHAIN, turned) == confusion(CHAIN, FOUND)
    # A star around a, its centre first or last.
    star = Graph(tuple("abcd"), (("a", "b"), ("a", "c"), ("a", "d")))
    moved = Graph(tuple("bcda"), tuple(edge[:2] for edge in star.edges))
    assert structural_hamming_distance(star, moved) == 0
    for truth, estimate in [
        (star.adjacency, moved),
        (star, moved.adjacency),
        (star.adjacency, moved.adjacency),
    ]:  # 01, 02, 03 against 03, 13, 23: one in common
        assert confusion(truth, estimate) == Confusion(1, 2, 2, 1)


def test_zeros_and_ones_are_a_boolean_matrix():
    counts = confusion(CHAIN.adjacency.astype(int), FOUND.adjacency.astype(float).tolist())
    assert counts == confusion(CHAIN, FOUND)


@pytest.mark.parametrize(
    ("estimate", "message"),
    [
        (
            Graph(tuple("abcx")),
            "only the true graph has 'd' and only the estimate has 'x': compare graphs over the "
            "same nodes",
        ),
        (Graph(tuple("abc")), "only the true graph has 'd': compare"),
        (Graph(tuple("abcdefghij")), "only the estimate has 'e', 'f', 'g', 'h', 'i', …: compare"),
        (np.zeros((3, 3), bool), "the estimate has 3 nodes and the true graph 4"),
        (
            np.zeros((4, 3), bool),
            r"the estimate must be .* square boolean matrix, got shape \(4, 3",
        ),
        (np.zeros((1, 4, 4), bool), r"got shape \(1, 4, 4\)"),
        ([[0, 1], [1]], "its rows have different lengths"),
        (np.triu(FOUND.adjacency), "the estimate is not symmetric"),
        (np.eye(4, dtype=bool), "the estimate has True on its diagonal"),
        (FOUND.adjacency * 0.3, "must hold True and False alone: of weights, give weights != 0"),
        (np.full((4, 4), math.nan), "must hold True and False alone"),
        (None, "the estimate must be a Graph or a square boolean matrix"),
    ],
)
def test_graphs_that_cannot_be_compared_are_refused(estimate, message):
    with pytest.raises(InputError, match=message):
        confusion(CHAIN, estimate)


def test_a_wrong_true_graph_is_named_as_such():
    with pytest.raises(InputError, match="the true graph is not symmetric"):
        confusion(np.triu(FOUND.adjacency), FOUND)


@given(adjacencies())
@patient
def test_counts_and_rates_are_those_of_scikit_learn(both):
    truth, found = pairs(both[0]), pairs(both[1])
    counts = confusion(*both)
    tn, fp, fn, tp = reference.confusion_matrix(truth, found, labels=[False, True]).ravel()
    assert counts == Confusion(tp, fp, fn, tn)
    nan = {"zero_division": np.nan}
    assert counts.tpr == pytest.approx(reference.recall_score(truth, found, **nan), nan_ok=True)
    assert counts.precision == pytest.approx(
        reference.precision_score(truth, found, **nan), nan_ok=True
    )
    assert counts.f1 == pytest.approx(reference.f1_score(truth, found, zero_division=1.0))


@given(adjacencies())
def test_swapping_truth_and_estimate_swaps_the_two_errors(both):
    counts, swapped = confusion(both[0], both[1]), confusion(both[1], both[0])
    assert (swapped.tp, swapped.fp, swapped.fn, swapped.tn) == (
        counts.tp,
        counts.fn,
        counts.fp,
        counts.tn,
    )
    assert swapped.f1 == counts.f1
    assert swapped.shd == counts.shd


@given(adjacencies(), st.randoms(use_true_random=False))
def test_relabelling_the_nodes_changes_nothing(both, random):
    order = list(range(len(both[0])))
    random.shuffle(order)
    moved = [matrix[np.ix_(order, order)] for matrix in both]
    assert confusion(*moved) == confusion(*both)
    names = [f"v{i}" for i in range(len(order))]
    truth = Graph.from_adjacency(both[0], names)
    turned = Graph.from_adjacency(moved[1], [names[i] for i in order])
    assert confusion(truth, turned) == confusion(*both)


@given(adjacencies())
def test_a_graph_agrees_with_itself(both):
    counts = confusion(both[0], both[0])
    assert counts.fp == counts.fn == counts.shd == 0
    assert counts.f1 == 1.0


# Along a path


@given(adjacencies(1, 6))
@patient
def test_a_path_is_counted_as_its_graphs_are_one_by_one(matrices):
    truth, found = matrices[0], matrices[1:]
    each = [confusion(truth, matrix) for matrix in found]
    names = [f"v{i}" for i in range(len(truth))][::-1]
    graphs = [Graph.from_adjacency(matrix, names) for matrix in found]
    ways = [found, list(found), graphs, (graph for graph in graphs)]
    if graphs:
        ways.append(GraphPath(tuple(range(len(graphs))), tuple(graphs)))
    for path in ways:
        counts = confusions(truth, path)
        assert len(counts) == len(each)
        assert list(counts) == each
        for rate in ("tpr", "fpr", "precision", "f1", "shd"):
            expected = [getattr(one, rate) for one in each]
            assert np.array_equal(getattr(counts, rate), expected, equal_nan=True)


def test_a_path_is_compared_by_name():
    turned = Graph(tuple("dcab"), tuple(edge[:2] for edge in FOUND.edges))
    path = GraphPath((1.0, 0.0), (turned, Graph(turned.nodes)))
    assert list(confusions(CHAIN, path)) == [Confusion(2, 2, 1, 1), Confusion(0, 0, 3, 3)]
    assert list(confusions(CHAIN, [turned, FOUND])) == [Confusion(2, 2, 1, 1)] * 2
    with pytest.raises(InputError, match="only the path has 'x'"):
        confusions(CHAIN, GraphPath((0.0,), (Graph(tuple("abcdx")),)))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (FOUND, "a path is a GraphPath or a sequence of graphs, got Graph"),
        (3, "got int"),
        (FOUND.adjacency, r"the path must be .* square boolean matrix, got shape \(4,\)"),
        ([FOUND, Graph(tuple("abc"))], "only the true graph has 'd': compare"),
        ([FOUND, Graph(tuple("abcde"))], "only graph 1 of the path has 'e'"),
        ([FOUND, np.eye(4)], "graph 1 of the path has True on its diagonal"),
        (np.ones((2, 4, 4)), "the path has True on its diagonal"),
    ],
)
def test_what_is_no_path_is_refused(path, message):
    with pytest.raises(InputError, match=message):
        confusions(CHAIN, path)


def test_rates_come_in_the_order_of_the_path():
    empty, full = Graph(CHAIN.nodes), complete(CHAIN)
    path = GraphPath((0.1, 0.9, 0.0), (FOUND, empty, full))
    curve = roc(CHAIN, path)
    assert curve.lams.tolist() == [0.1, 0.9, 0.0]
    assert curve.fpr.tolist() == [2 / 3, 0.0, 1.0]
    assert curve.tpr.tolist() == [2 / 3, 0.0, 1.0]


def test_lambdas_are_those_given_or_those_the_graphs_know():
    graphs = [Graph(CHAIN.nodes, CHAIN.edges, lam) for lam in (0.5, 0.25)]
    assert roc(CHAIN, graphs).lams.tolist() == [0.5, 0.25]
    assert roc(CHAIN, iter(graphs)).lams.tolist() == [0.5, 0.25]
    assert roc(CHAIN, graphs, lams=[2, 1]).lams.tolist() == [2.0, 1.0]
    assert np.isnan(roc(CHAIN, [CHAIN.adjacency]).lams).all()
    with pytest.raises(InputError, match="3 lambdas for 2 graphs"):
        roc(CHAIN, graphs, lams=[3, 2, 1])
    with pytest.raises(InputError, match="lams must be a sequence of numbers"):
        roc(CHAIN, graphs, lams=["high", "low"])


def test_the_area_of_a_curve_worked_by_hand():
    # Trapezoids (0, 0) - (0, 1/2) - (1/2, 1) - (1, 1): 0 + (1/2 + 1) / 4 + 1/2.
    assert area_under_roc([0.0, 0.5], [0.5, 1.0]) == 0.875
    # The order of points does not matter, nor do end points that are there already.
    assert area_under_roc([1.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.5, 0.0]) == 0.875
    assert area_under_roc(RocCurve([0.2, 0.1], [0.5, 0.0], [1.0, 0.5])) == 0.875
    # One point (1/4, 3/4): a triangle of 3/32, then (3/4 + 1) / 2 * 3/4 = 21/32.
    assert area_under_roc([0.25], [0.75]) == 24 / 32


def test_a_curve_is_completed_by_a_straight_line():
    assert area_under_roc([], []) == 0.5
    assert area_under_roc(roc(CHAIN, [])) == 0.5
    # A path that ends with (0, 1/2): the line from there to (1, 1) bounds 3/4.
    assert area_under_roc([0.0, 0.0], [0.0, 0.5]) == 0.75
    assert area_under_roc([0.0], [1.0]) == 1.0
    assert area_under_roc([1.0], [0.0]) == 0.0


def test_points_of_the_same_fpr_are_sorted_by_tpr():
    # Up to (1/2, 0), up to (1/2, 1): 0 + 1/2.
    assert area_under_roc([0.5, 0.5], [1.0, 0.0]) == 0.5
    x, y = RocCurve([2, 1], [0.5, 0.5], [1.0, 0.0]).line()
    assert x.tolist() == [0.0, 0.5, 0.5, 1.0]
    assert y.tolist() == [0.0, 0.0, 1.0, 1.0]


@given(st.integers(3, 8), st.randoms(use_true_random=False), st.integers(2, 30))
@patient
def test_the_area_of_a_nested_path_is_that_of_scikit_learn(n_nodes, random, n_levels):
    n_pairs = n_nodes * (n_nodes - 1) // 2
    labels = [True, False] + [random.random() < 0.4 for _ in range(n_pairs - 2)]
    random.shuffle(labels)
    truth = symmetric(np.array(labels), n_nodes)
    # Few levels make ties, many make none.
    scores = symmetric(np.array([random.randrange(n_levels) for _ in range(n_pairs)]), n_nodes)
    graphs, thresholds = nested_path(scores)
    curve = roc(truth, graphs, thresholds)
    assert area_under_roc(curve) == pytest.approx(
        reference.roc_auc_score(pairs(truth), pairs(scores)), abs=1e-12
    )
    fpr, tpr, steps = reference.roc_curve(pairs(truth), pairs(scores), drop_intermediate=False)
    assert curve.lams.tolist() == steps[1:].tolist()  # its first point is the empty graph
    assert curve.fpr == pytest.approx(fpr[1:])
    assert curve.tpr == pytest.approx(tpr[1:])


def test_a_nested_path_in_the_opposite_order_has_the_area_above_the_curve():
    rng = np.random.default_rng(0)
    truth = symmetric(rng.random(45) < 0.3, 10)
    scores = symmetric(rng.integers(0, 20, 45), 10)
    areas = [area_under_roc(roc(truth, nested_path(values)[0])) for values in (scores, -scores)]
    assert areas[0] != 0.5
    assert sum(areas) == pytest.approx(1.0)


@given(rates)
def test_areas_are_between_0_and_1(points):
    fpr, tpr = np.array(points).reshape(-1, 2).T
    assert 0.0 <= area_under_roc(fpr, tpr) <= 1.0


@given(adjacencies(1, 6))
def test_a_path_and_that_of_its_complements_share_the_square(matrices):
    # The complement of each graph turns the square by half a turn, whatever the path.
    truth = symmetric(np.arange(math.comb(len(matrices[0]), 2)) % 2 == 0, len(matrices[0]))
    assume(math.comb(len(truth), 2) > 1)  # an edge and a non-edge
    complements = ~matrices & ~np.eye(len(truth), dtype=bool)
    areas = [area_under_roc(roc(truth, path)) for path in (matrices, complements)]
    assert sum(areas) == pytest.approx(1.0)


def test_rates_that_are_none_are_refused():
    path = [FOUND, CHAIN]
    with pytest.raises(InputError, match="TPR of NaN: a true graph without edges has no ROC"):
        area_under_roc(roc(Graph(CHAIN.nodes), path))
    with pytest.raises(InputError, match="FPR of NaN: a complete true graph has no ROC"):
        area_under_roc(roc(complete(CHAIN), path))
    with pytest.raises(InputError, match=r"TPR 1.5 is not a rate between 0 and 1"):
        area_under_roc([0.5], [1.5])
    with pytest.raises(InputError, match="one FPR and one TPR for each lambda"):
        area_under_roc([0.5, 0.5], [0.5])
    with pytest.raises(InputError, match="tpr= is missing"):
        area_under_roc([0.5])
    with pytest.raises(InputError, match="leave out tpr="):
        area_under_roc(RocCurve([], [], []), [0.5])
    with pytest.raises(InputError, match="fpr must be a sequence of numbers"):
        area_under_roc("low", [0.5])


def test_a_curve_cannot_be_changed_and_survives_pickling():
    given_rates = np.array([0.0, 0.5])
    curve = RocCurve([2, 1], given_rates, [0.5, 1.0])
    given_rates[0] = 1.0
    assert curve.fpr.tolist() == [0.0, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        curve.tpr[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        curve.tpr = given_rates
    assert pickle.loads(pickle.dumps(curve)).tpr.tolist() == [0.5, 1.0]


# Over runs


def test_runs_are_averaged_at_each_lambda():
    first = RocCurve([0.2, 0.1], [0.0, 0.5], [0.5, 1.0])
    second = RocCurve([0.2, 0.1], [0.0, 0.0], [0.0, 0.5])
    mean = average_roc([first, second])
    assert mean.lams.tolist() == [0.2, 0.1]
    assert mean.fpr.tolist() == [0.0, 0.25]
    assert mean.tpr.tolist() == [0.25, 0.75]
    # The area of the mean is not the mean of the areas:
    # (1/4 + 3/4) / 2 * 1/4 + (3/4 + 1) / 2 * 3/4 = 25/32, but (28/32 + 24/32) / 2.
    assert area_under_roc(mean) == 25 / 32
    assert area_under_roc(first) == 28 / 32
    assert area_under_roc(second) == 24 / 32


def test_the_mean_of_one_run_is_that_run():
    run = RocCurve([0.2, 0.1], [0.0, 0.5], [0.5, 1.0])
    mean = average_roc(iter([run]))
    assert (mean.fpr.tolist(), mean.tpr.tolist()) == (run.fpr.tolist(), run.tpr.tolist())


def test_runs_that_cannot_be_averaged_are_refused():
    one = RocCurve([2, 1], [0.0, 0.5], [0.5, 1.0])
    with pytest.raises(InputError, match="no ROC curve to average"):
        average_roc([])
    with pytest.raises(InputError, match="lambdas of run 1 differ from those of run 0"):
        average_roc([one, RocCurve([2, 1.5], one.fpr, one.tpr)])
    with pytest.raises(InputError, match="lambdas of run 1 differ"):
        average_roc([one, RocCurve([2], [0.0], [0.5])])
    with pytest.raises(InputError, match="lambdas of run 0 are unknown: give lams= to roc"):
        average_roc([roc(CHAIN, [CHAIN.adjacency])])
    with pytest.raises(InputError, match="run 1 has a TPR of NaN"):
        average_roc([one, RocCurve([2, 1], one.fpr, [math.nan, math.nan])])


# In hindsight


def test_the_best_f1_is_at_the_largest_lambda_among_equals():
    # F1 against the chain: empty 0, FOUND 4/7, the chain 1.
    path = GraphPath((0.1, 0.4, 0.3, 0.2), (CHAIN, Graph(CHAIN.nodes), CHAIN, FOUND))
    assert best_f1(CHAIN, path) == (0.3, 1.0)
    assert best_f1(CHAIN, [FOUND.adjacency, FOUND], lams=[1, 2]) == (2.0, 4 / 7)
    empty = Graph(CHAIN.nodes)
    assert best_f1(empty, path) == (0.4, 1.0)
    # Hindsight looks at everything: no lambda of the path does better.
    assert best_f1(CHAIN, path)[1] == max(confusions(CHAIN, path).f1)


def test_there_is_no_best_lambda_where_none_is_known():
    for path in ([], [CHAIN.adjacency]):
        with pytest.raises(InputError, match="there is no best lambda"):
            best_f1(CHAIN, path)
