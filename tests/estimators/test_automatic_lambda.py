"""lam="auto" on every estimator: a path, a choice on it, and what tells about the graph chosen."""

import math

import numpy as np
import pandas as pd
import pytest

from mrflearn import GSMPLE, IAMB, ChowLiu, GLasso, InputError, MarkovBlanketSelector
from mrflearn.estimators import ESTIMATORS, SearchEstimator
from mrflearn.selection import FalseDiscoveryRate, Heldout, Stars

NUMBERS = [name for name in ESTIMATORS if name not in ("jose", "nodewise-logistic")]


def _chain(n_samples=300, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_samples)]
    for _ in range(4):
        columns.append(columns[-1] + rng.normal(size=n_samples))
    return pd.DataFrame(np.column_stack(columns), columns=list("abcde"))


def _table_for(name):
    return _chain() if name in NUMBERS else (_chain() > 0).astype(int)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_point_on_the_path_is_chosen(name):
    estimator = ESTIMATORS[name]("auto").fit(_table_for(name))
    choice = estimator.choice_
    assert len(choice.values) == len(estimator.path_)
    chosen = estimator.path_[choice.position]
    assert chosen == estimator.graph_.without_tests()
    assert estimator.lam_ == estimator.path_.lams[choice.position] == chosen.lam
    assert np.array_equal(estimator.adjacency_, chosen.adjacency)
    alone = ESTIMATORS[name](estimator.lam_).fit(_table_for(name))
    assert np.array_equal(alone.adjacency_, estimator.adjacency_)
    assert alone.choice_ is None
    assert alone.objective_ == pytest.approx(estimator.objective_, abs=1e-5)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_chain_is_found(name):
    found = ESTIMATORS[name]("auto").fit(_table_for(name)).graph_
    for a, b in ("ab", "bc", "cd", "de"):
        assert found.has_edge(a, b)


@pytest.mark.parametrize("name", ["gsmple", "gsmn", "iamb", "greedy-entropy"])
def test_searches_choose_no_edge_in_noise(name):
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(150, 6)))
    assert not ESTIMATORS[name](dependence="copula").fit(frame).graph_.edges


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_is_the_default_but_for_a_tree(name):
    assert ESTIMATORS[name]().lam == (-math.inf if name == "chow-liu" else "auto")


@pytest.mark.parametrize("dependence", ["knn", "mixed-ksg", "frenzel-pompe", "gaussian", "copula"])
def test_every_dependence_can_be_chosen_with(dependence):
    frame = _chain(120)[["a", "b", "d"]]
    fitted = GSMPLE(dependence=dependence).fit(frame)
    assert fitted.graph_.edges
    assert fitted.choice_.selection == "fdr"
    again = GSMPLE(dependence=dependence).fit(frame)
    assert again.path_ == fitted.path_
    assert again.choice_ == fitted.choice_


def test_a_smaller_alpha_gives_no_more_edges():
    world = np.random.default_rng(2).normal(size=(60, 12)) @ np.triu(
        np.random.default_rng(3).random((12, 12)) < 0.2
    )
    found = [
        GSMPLE(dependence="gaussian", alpha=alpha).fit(world + 0.1).graph_
        for alpha in (0.001, 0.05, 0.4)
    ]
    sizes = [len(graph.edges) for graph in found]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


def test_required_edges_stay_and_do_not_count_as_found():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(100, 5)), columns=list("abcde"))
    required = [("a", "b"), ("c", "d"), ("a", "e")]
    fitted = GSMPLE(dependence="gaussian", required=required).fit(noise)
    assert {(edge.source, edge.target) for edge in fitted.graph_.edges} == set(required)


@pytest.mark.parametrize("selection", [Stars(n_subsamples=4), Heldout(n_folds=3)])
@pytest.mark.parametrize("cls", [GSMPLE, GLasso])
def test_resampling_does_not_depend_on_jobs(cls, selection):
    options = [{"n_jobs": 1}, {"n_jobs": 2}] if issubclass(cls, SearchEstimator) else [{}, {}]
    one, two = (cls(selection=selection, **own).fit(_chain(80)) for own in options)
    assert one.choice_ == two.choice_
    assert one.graph_ == two.graph_


def test_the_path_is_that_without_lambdas():
    estimator = GSMPLE(dependence="gaussian")
    assert estimator.path(_chain()) == estimator.fit(_chain()).path_


def test_a_markov_blanket_is_chosen_alone():
    estimator = IAMB(dependence="gaussian")
    assert estimator.markov_blanket(_chain(), "c") == ("b", "d")
    assert estimator.markov_blanket(_chain(), 0) == (1,)
    assert MarkovBlanketSelector(estimator).fit(_chain()[list("abde")], _chain()["c"]).blanket_ == (
        "b",
        "d",
    )
    with pytest.raises(InputError, match="chooses for a whole graph: for one Markov blanket use"):
        IAMB(selection="stars").markov_blanket(_chain(), "c")


def test_shuffles_are_as_many_as_asked():
    few, many = (
        GSMPLE(dependence="knn", selection=FalseDiscoveryRate(n_shuffles=n))
        .fit(_chain(60))
        .choice_.values
        for n in (3, 12)
    )
    assert few != many


@pytest.mark.parametrize("name", ["gsmple", "glasso", "mixed-pairwise"])
def test_a_graph_is_scored_on_rows_it_has_not_seen(name):
    fitted = ESTIMATORS[name]("auto").fit(_chain())
    held_out = _chain(200, seed=9)
    nothing = ESTIMATORS[name](math.inf).fit(_chain())
    assert fitted.score(held_out) > nothing.score(held_out) + 0.5
    assert fitted.score(held_out) == fitted.score(held_out[list("edcba")])


def test_a_score_of_other_columns_is_refused():
    fitted = GLasso(0.1).fit(_chain())
    with pytest.raises(InputError, match="X has 4 features, but GLasso is expecting 5 features"):
        fitted.score(_chain()[list("abcd")])
    with pytest.raises(InputError, match="lack the column 'e'"):
        fitted.score(_chain().rename(columns={"e": "f"}))


def test_a_tree_can_be_a_forest_of_what_chance_does_not_explain():
    frame = _chain().assign(noise=np.random.default_rng(8).normal(size=300))
    forest = ChowLiu("auto", dependence="gaussian").fit(frame).graph_
    assert not forest.neighbors("noise")
    assert len(forest.edges) == 4
