"""The test of an edge: valid where nothing is there, powerful where something is."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mrflearn import independence_test, learn
from mrflearn.dependence import KNN, Gaussian, Memo, Sieve
from mrflearn.estimators import GSMPLE
from mrflearn.selection.conditional_permutation import ConditionalPermutation
from mrflearn.selection.edge_test import edge_tests, pair_test
from mrflearn.table import as_table


def frame_of(kind, n_samples, seed, edge):
    """Return x and y with two neighbors each, one in common, and two columns of noise."""
    rng = np.random.default_rng(seed)
    p, q, r = rng.normal(size=(3, n_samples))
    x = p + q + rng.normal(size=n_samples)
    y = q + r + rng.normal(size=n_samples) + edge * x
    frame = pd.DataFrame({"x": x, "y": y, "p": p, "q": q, "r": r})
    frame[["noise", "more"]] = rng.normal(size=(n_samples, 2))
    if kind == "mixed":
        frame["y"] = pd.qcut(y + rng.logistic(size=n_samples), 3, labels=list("abc"))
        frame["y"] = frame["y"].astype(str)
    return as_table(frame)


def p_value(specification, table):
    bound = specification.bind(table)
    if not bound.has_null:
        bound = ConditionalPermutation(bound, specification, table, 40)
    return pair_test(bound, (0, 1), [2, 3], [3, 4]).p_value


@pytest.mark.parametrize("specification", [Sieve(), Gaussian(copula=True), KNN()])
def test_a_pair_without_an_edge_is_rarely_significant(specification):
    """More than 4 of 24 have a chance of 0.006 at a level of 0.05."""
    found = [p_value(specification, frame_of("continuous", 120, seed, 0.0)) for seed in range(24)]
    assert np.sum(np.array(found) <= 0.05) <= 4


@pytest.mark.parametrize(("kind", "level"), [("continuous", 1e-5), ("mixed", 0.01)])
def test_an_edge_is_significant(kind, level):
    found = [p_value(Sieve(), frame_of(kind, 300, seed, 0.8)) for seed in range(8)]
    assert np.median(found) < level


def test_given_the_same_the_test_is_that_of_a_partial_correlation():
    """Of Gaussian columns and a linear sieve: its p-value is that of Student's t, nearly."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 4)) @ (np.eye(4) + 0.2)
    table = as_table(values)
    found = pair_test(Sieve(basis="linear", tolerance=0.0).bind(table), (0, 1), [2, 3], [2, 3])
    scores = stats.norm.ppf(stats.rankdata(values, axis=0) / 201)
    r = -np.linalg.inv(np.corrcoef(scores.T))
    r = r[0, 1] / math.sqrt(r[0, 0] * r[1, 1])
    t = abs(r) * math.sqrt(196 / (1 - r * r))
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, 196), rel=0.25)


def test_the_p_value_is_the_tail_of_the_null_that_chooses_lambda():
    table = frame_of("continuous", 200, 0, 0.3)
    bound = Sieve().bind(table)
    (found,) = edge_tests(bound, [(0, 1)], [[1, 2, 3], [0, 3, 4], [0], [0, 1], [1], [], []])
    score = bound.cmi(0, 1, [2, 3]) + bound.cmi(1, 0, [3, 4])
    null = bound.null(0, [1], [2, 3]) + bound.null(1, [0], [3, 4])
    assert found.score == score
    assert found.by_chance == pytest.approx(null.mean[0], abs=1e-12)
    assert found.p_value == null.tail(score)[0]
    assert found.q_value == pytest.approx(min(21 * found.p_value, 1.0))  # of 21 pairs


def test_q_values_are_those_of_benjamini_and_hochberg_among_all_pairs():
    table = frame_of("continuous", 300, 1, 0.6)
    edges = [(0, 1), (0, 2), (1, 5)]
    found = edge_tests(Sieve().bind(table), edges, [[1, 2], [0, 5], [0], [], [], [1], []])
    p_values = np.array([test.p_value for test in found] + [1.0] * 18)
    q_values = stats.false_discovery_control(p_values)[:3]
    assert [test.q_value for test in found] == pytest.approx(q_values.tolist())


def test_a_graph_without_edges_has_no_tests():
    bound = Sieve().bind(frame_of("continuous", 50, 0, 0.0))
    assert edge_tests(bound, [], [[]] * 7) == ()


def asia_like(n_samples=2_000):
    """Return a column that is the disjunction of two others, and a child of it."""
    rng = np.random.default_rng(0)
    one, other = rng.random((2, n_samples)) < [[0.1], [0.2]]
    either = one | other
    child = rng.random(n_samples) < np.where(either, 0.9, 0.1)
    columns = {"one": one, "other": other, "either": either, "child": child}
    return pd.DataFrame(columns).replace({True: "yes", False: "no"})


def test_an_edge_at_a_determined_end_has_no_p_value_and_names_what_could_stand_in():
    bound = Memo(Sieve().bind(as_table(asia_like())))
    neighbors = [[1, 2], [0, 2], [0, 1, 3], [2]]
    found = {t.edge: t for t in edge_tests(bound, [(0, 2), (2, 3)], neighbors)}
    assert found[2, 3].p_value is None
    assert found[2, 3].q_value is None
    assert found[2, 3].determined == 2
    assert found[2, 3].stand_ins == (0, 1)
    assert found[0, 2].p_value < 1e-10
    assert found[0, 2].stand_ins == ()


def test_a_copy_stands_in_for_its_original():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "copy": 2 * x, "y": x + rng.normal(size=300)})
    bound = Sieve().bind(as_table(frame))
    found = pair_test(bound, (0, 2), [1], [])
    assert found.p_value is None
    assert found.stand_ins == (1,)
    assert independence_test(frame["x"], frame["y"], frame["copy"]).p_value is None


def test_what_cannot_be_tested_is_said_in_words_and_kept_in_files(tmp_path):
    found = learn(asia_like(), quiet=True)
    graph = found.graph
    edge = next(edge for edge in graph.edges if edge.target == "child")
    assert edge.p_value is None
    assert edge in graph.unsure
    assert "one, other determine either, and could stand in its place" in " ".join(
        found.account.edges
    )
    assert "cannot be tested: one, other" in str(graph.explain("either", "child"))
    graph.save(tmp_path / "graph.json")
    again = type(graph).load(tmp_path / "graph.json")
    explained = again.explain("child", "either")
    assert explained.determined == "either"
    assert explained.stand_ins == ("one", "other")
    assert again.unsure == graph.unsure


def test_fit_tests_edges_and_learn_may_leave_it_out():
    frame = frame_of("continuous", 200, 0, 0.5)
    data = pd.DataFrame(frame.values.T, columns=frame.names)
    fitted = GSMPLE().fit(data).graph_
    assert fitted == learn(data, quiet=True).graph
    assert all(edge.p_value is not None for edge in fitted.edges)
    untested = learn(data, test=False, quiet=True).graph
    assert all(edge.p_value is None and edge.q_value is None for edge in untested.edges)
    assert not untested.unsure
    assert untested.adjacency.tolist() == fitted.adjacency.tolist()


def test_nearest_neighbors_are_tested_by_conditional_permutations():
    frame = frame_of("continuous", 150, 0, 1.0)
    data = pd.DataFrame(frame.values.T[:, :4], columns=frame.names[:4])
    fitted = GSMPLE(lam=0.3, dependence="knn").fit(data).graph_
    assert all(edge.p_value is None for edge in fitted.edges)
    tested = learn(data, lam=0.3, dependence="knn", quiet=True).graph
    assert tested.edges
    assert min(edge.p_value for edge in tested.edges) < 0.01
