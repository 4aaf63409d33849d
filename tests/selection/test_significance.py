"""The test of an edge: valid where nothing is there, and awake where something is."""

import numpy as np
import pandas as pd
import pytest

from mrflearn.dependence import KNN, Gaussian, Memo, MixedKSG, PlugIn, Sieve, Threaded
from mrflearn.selection import significance
from mrflearn.selection.significance import Examiner, p_value_among
from mrflearn.table import as_table


def _frame(kind, n_samples, seed, edge):
    """x and y with two neighbours each, one in common, and two columns of noise."""
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


def _p_value(specification, table, seed):
    rng = np.random.default_rng(seed)
    bound = specification.bind(table)
    examiner = Examiner(table, specification, bound, 40)
    return examiner.examine((0, [2, 3]), (1, [3, 4]), rng)[2]


SHUFFLED = [KNN(), MixedKSG(3), Gaussian(copula=True)]
SPECIFICATIONS = [Sieve(), *SHUFFLED]


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda s: type(s).__name__)
def test_a_pair_without_an_edge_is_rarely_significant(specification):
    """Though each has a cause in common with the other. More than 4 of 24 have a chance of 0.006,
    if the test keeps 0.05; shuffles of all samples would make every one significant."""
    found = [
        _p_value(specification, _frame("continuous", 120, seed, 0.0), seed) for seed in range(24)
    ]
    assert np.sum(np.array(found) <= 0.05) <= 4


@pytest.mark.parametrize(("kind", "level"), [("continuous", 1e-5), ("mixed", 0.01)])
def test_an_edge_is_significant(kind, level):
    found = [_p_value(Sieve(), _frame(kind, 300, seed, 0.8), seed) for seed in range(8)]
    assert np.median(found) < level


def test_an_edge_that_correlations_do_not_see_is_significant():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(300, 4))
    values[:, 1] = values[:, 0] ** 2 + 0.5 * values[:, 1]
    table = as_table(values)
    examiner = Examiner(table, Sieve(), Sieve().bind(table), 80)
    assert examiner.examine((0, []), (1, []), rng)[2] < 1e-6


def test_an_edge_among_answers_on_a_scale_is_significant():
    """Given five of five levels hardly two rows are alike, and shuffles among those show little."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        causes = rng.normal(size=(5, 200))
        x = causes.sum(axis=0) / 2 + rng.normal(size=200)
        columns = [x, x + rng.normal(size=200), *causes]
        answers = np.clip(np.round(1.2 * np.array(columns)), -2, 2).astype(int)
        table = as_table(answers.T)
        examiner = Examiner(table, Sieve(), Sieve().bind(table), 60)
        found.append(examiner.examine((0, [2, 3, 4, 5, 6]), (1, []), rng)[2])
    assert np.median(found) < 0.001


def test_among_discrete_variables_shuffles_are_within_groups():
    """With one row for each condition nothing can be shuffled: every score is the observed one."""
    rng = np.random.default_rng(2)
    frame = {"x": rng.integers(2, size=40), "y": rng.integers(2, size=40), "z": np.arange(40)}
    table = as_table(pd.DataFrame(frame), kinds=dict.fromkeys("xyz", "nominal"))
    dependence = PlugIn().bind(table)
    score = 2 * dependence.cmi(0, 1, [2])
    chance = Examiner(table, PlugIn(), dependence, 20).scores_by_chance((0, [2]), (1, [2]), rng)
    np.testing.assert_allclose(chance, score)


@pytest.mark.parametrize("specification", SHUFFLED, ids=lambda s: type(s).__name__)
def test_either_end_is_given_its_own_neighbours(specification):
    """Seen where copies are the data, as each row has a label of its own."""
    rng = np.random.default_rng(3)
    x, y, p, q = rng.normal(size=(4, 40))
    frame = {"x": x, "y": x + y, "p": x + p, "q": y + q, "id": np.arange(40)}
    table = as_table(pd.DataFrame(frame), kinds={"id": "nominal"})
    dependence = specification.bind(table)
    for own, its in (([2], [4]), ([2, 3], [4]), ([4], [3])):
        score = dependence.cmi(0, 1, own) + dependence.cmi(1, 0, its)
        other = dependence.cmi(0, 1, its) + dependence.cmi(1, 0, own)
        assert dependence.symmetric or score != pytest.approx(other)
        chance = Examiner(table, specification, dependence, 4).scores_by_chance(
            (0, own), (1, its), rng
        )
        np.testing.assert_allclose(chance, score, atol=1e-9)


def test_the_sieve_is_tested_by_its_null_given_the_neighbours_of_both():
    """Whoever holds the dependence, and however many copies were asked for."""
    table = _frame("mixed", 100, 3, 0.5)
    dependence, both = Sieve().bind(table), [2, 3, 4]
    score = dependence.cmi(0, 1, both) + dependence.cmi(1, 0, both)
    null = dependence.null(0, [1], both) + dependence.null(1, [0], both)
    for n_copies, held in enumerate((dependence, Memo(dependence), Memo(Threaded(dependence, 2)))):
        rng = np.random.default_rng(4)
        examiner = Examiner(table, Sieve(), held, n_copies)
        found = examiner.examine((0, [2, 3]), (1, [3, 4]), rng)
        assert found == (score, null.mean[0], null.tail(score)[0])
        assert rng.random() == np.random.default_rng(4).random()  # none was drawn


def test_in_a_table_of_few_variables_plain_dependence_is_as_sure_as_correlations_are():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 300))
    table = as_table(np.column_stack([x, y + 0.5 * x]))  # by a correlation, p is about 1e-20
    examiner = Examiner(table, Sieve(), Sieve().bind(table), 100)
    assert examiner.examine((0, []), (1, []), rng)[2] < 1e-10


def test_equal_scores_by_chance_are_counted():
    same = np.full(30, 0.25)
    assert p_value_among(0.25, same) == 1.0
    assert p_value_among(0.3, same) == 1 / 31
    rounded = 0.25 + 1e-17 * np.arange(-15, 15)
    assert p_value_among(0.25 + 2e-16, rounded) == 1.0


@pytest.mark.filterwarnings("ignore:column 'id' is taken as nominal")
def test_where_no_rows_can_be_exchanged_nothing_is_shown():
    """Copies are the data then, up to rounding; the tail of that rounding was once taken."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(1, 6, size=(120, 14)), columns=[f"q{i}" for i in range(14)])
    frame = frame.assign(id=[f"row {n}" for n in range(120)], x=rng.normal(size=120).round(1))
    table = as_table(frame.assign(y=rng.integers(2, size=120)))
    x, y, others = 15, 16, list(range(15))
    for specification in SPECIFICATIONS:
        examiner = Examiner(table, specification, specification.bind(table), 60)
        for seed in range(3):
            rng = np.random.default_rng(seed)
            assert examiner.examine((x, others), (y, others), rng)[2] > 0.05


def _graph(n_variables, *edges):
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = True
    return adjacency


@pytest.mark.parametrize(
    ("specification", "given"),
    [(Gaussian(), [[2, 3, 4], [2, 3, 4]]), (KNN(), [[2, 3], [3, 4]])],
    ids=["of both ends", "of either"],
)
def test_an_edge_is_tested_given_the_neighbours(specification, given):
    table = _frame("continuous", 60, 5, 0.8)
    bound = specification.bind(table)
    graph = _graph(7, (0, 1), (0, 2), (0, 3), (1, 3), (1, 4))
    found = significance.examine_edges(table, specification, bound, graph, 5)
    assert found[0].score == bound.cmi(0, 1, given[0]) + bound.cmi(1, 0, given[1])


def test_edges_of_a_graph_are_tested_among_all_pairs():
    table = _frame("continuous", 150, 5, 0.8)
    specification = Gaussian()
    bound = specification.bind(table)
    edges = [(0, 1), (0, 2), (0, 3), (1, 3), (1, 4), (2, 5)]
    found = significance.examine_edges(table, specification, bound, _graph(7, *edges), 100)
    assert [test.edge for test in found] == edges
    first = found[0]
    assert first.by_chance < 0.2 * first.score
    p_values = np.append([test.p_value for test in found], np.ones(21 - 6))
    expected = [
        min(1.0, min(p * 21 / np.sum(p_values <= p) for p in p_values if p >= test.p_value))
        for test in found
    ]
    assert [test.q_value for test in found] == pytest.approx(expected)
    assert found[-1].p_value > 0.01  # to a column of noise
    assert all(test.q_value < 0.01 for test in found[:5])


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda s: type(s).__name__)
def test_what_an_edge_is_tested_by_depends_on_its_ends_and_neighbours_alone(specification):
    table = _frame("mixed", 100, 6, 0.5)
    bound = specification.bind(table)
    one, two = (
        {
            test.edge: (test.score, test.by_chance, test.p_value)
            for test in significance.examine_edges(
                table, specification, bound, _graph(7, *edges), 30, 3
            )
        }
        for edges in ([(0, 2), (1, 4), (3, 5)], [(0, 2), (1, 6), (3, 4)])
    )
    assert one[0, 2] == two[0, 2]
    other = significance.examine_edges(table, specification, bound, _graph(7, (0, 2)), 30, 4)
    assert (other[0].by_chance == one[0, 2][1]) == bound.has_exact_null


def test_a_graph_without_edges_has_no_tests():
    table = _frame("continuous", 50, 7, 0.0)
    bound = Gaussian().bind(table)
    assert significance.examine_edges(table, Gaussian(), bound, _graph(7)) == ()


def test_far_tails_are_at_least_as_heavy_as_the_closed_form_says():
    """Of 200 chi-square variables, the far tail is as long as their largest happen to be."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(300):
        by_chance = rng.chisquare(1, size=200)
        plain, known = (p_value_among(12.1, by_chance, skew) for skew in (0.0, np.sqrt(8)))
        assert known >= plain
        ratios.append((plain / 5e-4, known / 5e-4))
    plain, known = np.median(ratios, axis=0)
    assert plain < 0.7  # too small
    assert 0.8 < known < 1.25


@pytest.mark.parametrize("specification", SHUFFLED, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("labels", [False, True], ids=["numbers", "labels"])
def test_scores_do_not_depend_on_how_many_copies_are_bound_at_once(
    specification, labels, monkeypatch
):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("xypq"))
    if labels:
        frame[["x", "y"]] = np.where(frame[["x", "y"]] > 0.3, "high", "low")
    table = as_table(frame)
    found = []
    for most in (1000, 7, 1):
        monkeypatch.setattr(significance, "MOST_TOGETHER", most)
        examiner = Examiner(table, specification, specification.bind(table), 12)
        rng = np.random.default_rng(5)
        found.append(examiner.scores_by_chance((0, [2]), (1, [2, 3]), rng))
    assert len(found[0]) == 12
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)
    np.testing.assert_allclose(found[2], found[0], atol=1e-12)


def test_the_more_labels_the_fewer_copies_are_bound_at_once():
    frame = pd.DataFrame({"x": np.arange(300.0), "few": np.arange(300) % 4})
    frame["label"] = [f"row {n}" for n in range(300)]
    kinds = {"few": "ordinal", "label": "nominal"}
    table = as_table(frame, kinds=kinds, groups={"both": ["few", "label"]})
    sizes = {name: significance._n_together(table, table.index(name)) for name in table.names}
    most = significance.MOST_TOGETHER
    assert sizes == {"x": most, "both": most // 301}
    alone = as_table(frame, kinds=kinds)
    assert significance._n_together(alone, alone.index("few")) == most
    assert significance._n_together(alone, alone.index("label")) == most // 300
