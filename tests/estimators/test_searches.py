"""The estimators: scikit-learn's rules, what they say about a fit, and what they refuse."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mrflearn import (
    GSMN,
    GSMPLE,
    IAMB,
    ChowLiu,
    GreedyEntropy,
    InputError,
    MarkovBlanketSelector,
)
from mrflearn.dependence import KNN, MixedKSG, OracleGaussian, OracleGraph
from mrflearn.estimators import ESTIMATORS
from mrflearn.search import gs_mple
from mrflearn.search.refine import REFINEMENTS
from mrflearn.table import as_table

ALL = [GSMPLE, GSMN, IAMB, GreedyEntropy, ChowLiu]
BLANKETS = [GSMN, IAMB, GreedyEntropy]


@parametrize_with_checks([cls() for cls in ALL] + [MarkovBlanketSelector()])
def test_scikit_learn_conventions_hold(estimator, check):
    check(estimator)


def _chain(n_samples=120, seed=0):
    """Return a -> b -> c and an unrelated d."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_samples)
    b = a + 0.5 * rng.normal(size=n_samples)
    c = b + 0.5 * rng.normal(size=n_samples)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=n_samples)})


CHAIN = {("a", "b"), ("b", "c")}


def _edges(graph):
    return {(edge.source, edge.target) for edge in graph.edges}


@pytest.mark.parametrize("cls", ALL)
def test_a_fit_tells_what_it_found(cls):
    estimator = cls(lam=0.1, dependence="gaussian").fit(_chain())
    assert _edges(estimator.graph_) == CHAIN
    assert estimator.adjacency_.dtype == bool
    assert (estimator.adjacency_ == estimator.adjacency_.T).all()
    assert not estimator.adjacency_.diagonal().any()
    assert estimator.adjacency_.sum() == 4
    assert estimator.lam_ == 0.1
    assert len(estimator.path_) == 1
    assert estimator.path_[0] == estimator.graph_
    assert estimator.trace_
    assert all(step.phase in ("grow", "shrink") for step in estimator.trace_)
    assert estimator.objective_ == estimator.trace_[-1].objective < 0
    assert estimator.n_features_in_ == 4
    assert estimator.feature_names_in_.tolist() == list("abcd")
    assert estimator.n_evaluations_ > 0
    assert estimator.graph_.lam == 0.1
    assert all(edge.weight > 0.1 for edge in estimator.graph_.edges)


@pytest.mark.parametrize("cls", ALL)
def test_arrays_and_frames_of_every_library_give_the_same(cls):
    frame = _chain(60)
    expected = cls().fit(frame)
    for data in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        estimator = cls().fit(data)
        assert estimator.graph_ == expected.graph_
        assert estimator.trace_ == expected.trace_
        assert estimator.n_features_in_ == 4
    array = cls().fit(frame.to_numpy())
    assert array.trace_ == expected.trace_
    assert array.graph_.nodes == ("x0", "x1", "x2", "x3")
    assert not hasattr(array, "feature_names_in_")


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dependence", ["knn", "mixed-ksg", "gaussian"])
def test_threads_do_not_change_a_bit(cls, dependence):
    frame = _chain(60)
    serial = cls(dependence=dependence).fit(frame)
    for n_jobs in (2, 3, -1):
        parallel = cls(dependence=dependence, n_jobs=n_jobs).fit(frame)
        assert parallel.graph_ == serial.graph_
        assert parallel.trace_ == serial.trace_
        assert parallel.n_evaluations_ == serial.n_evaluations_


@pytest.mark.parametrize("cls", ALL)
def test_a_path_holds_the_fits_in_the_order_given(cls):
    frame = _chain(60)
    lams = [0.1, math.inf, -math.inf, 0.5, 0.1]
    path = cls().path(frame, lams)
    assert path.lams == tuple(lams)
    assert path.adjacencies.shape == (5, 4, 4)
    for lam, graph in zip(lams, path, strict=True):
        assert graph == cls(lam=lam).fit(frame).graph_.without_tests()
    entry = path.entry
    assert entry[0, 1] == entry[1, 0]
    assert np.isnan(entry.diagonal()).all()


@pytest.mark.parametrize("cls", ALL)
def test_the_order_of_columns_does_not_matter(cls):
    frame = _chain(80)
    plain = cls(lam=0.1).fit(frame).graph_
    moved = cls(lam=0.1).fit(frame[["d", "b", "a", "c"]]).graph_
    named = {frozenset((edge.source, edge.target)): edge.weight for edge in plain.edges}
    assert named == {frozenset((e.source, e.target)): e.weight for e in moved.edges}


@pytest.mark.parametrize("cls", ALL)
def test_required_and_forbidden_edges_by_name_and_position(cls):
    frame = _chain(60)
    estimator = cls(lam=0.3, required=[("d", 0)], forbidden=[("b", "a")]).fit(frame)
    assert ("a", "d") in _edges(estimator.graph_)
    assert ("a", "b") not in _edges(estimator.graph_)


@pytest.mark.parametrize("cls", ALL)
def test_constants_are_isolated_whatever_lambda(cls):
    frame = _chain(40).assign(constant=1.0)
    with pytest.warns(UserWarning, match="constant column 'constant'"):
        graph = cls(lam=-math.inf).fit(frame).graph_
    assert graph.neighbors("constant") == ()
    assert all(graph.neighbors(name) for name in "abcd")


def test_a_circle_of_required_edges_is_named_before_pairs_are_compared(monkeypatch):
    monkeypatch.setattr(
        "mrflearn.search.chow_liu.compare_pairs", lambda *_: pytest.fail("compared")
    )
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    with pytest.raises(InputError, match="form a circle at 'b' and 'c': no tree holds them all"):
        ChowLiu(required=circle).fit(_chain(40))


@pytest.mark.parametrize("cls", ALL)
def test_an_edge_to_a_constant_is_there_if_it_is_required(cls):
    frame = _chain(40).assign(constant=1.0)
    with pytest.warns(UserWarning, match="constant"):
        graph = cls(lam=0.5, required=[("a", "constant")]).fit(frame).graph_
    assert graph.neighbors("constant") == ("a",)


@pytest.mark.parametrize("cls", ALL)
def test_two_variables_are_enough(cls):
    graph = cls(lam=0.2).fit(_chain()[["a", "b"]]).graph_
    assert _edges(graph) == {("a", "b")}


@pytest.mark.parametrize("cls", ALL)
def test_groups_are_nodes(cls):
    estimator = cls(lam=0.2, groups={"ab": ["a", "b"]}).fit(_chain())
    assert estimator.graph_.nodes == ("ab", "c", "d")
    assert _edges(estimator.graph_) == {("ab", "c")}
    assert estimator.n_features_in_ == 4


def test_mixed_tables_work():
    rng = np.random.default_rng(1)
    frame = _chain(200)
    frame["city"] = np.where(frame["c"] + 0.3 * rng.normal(size=200) > 0, "north", "south")
    frame["score"] = (2 * frame["a"]).round().astype(int)
    graph = GSMPLE(lam=0.25).fit(frame).graph_
    assert graph.has_edge("c", "city")
    assert graph.has_edge("a", "score")
    assert not graph.neighbors("d")


@pytest.mark.parametrize("cls", ALL)
def test_missing_rows_can_be_dropped(cls):
    frame = _chain(60)
    holes = frame.copy()
    holes.loc[5, "b"] = np.nan
    assert cls(missing="drop").fit(holes).graph_ == cls().fit(frame.drop(index=5)).graph_


def test_an_oracle_needs_no_particular_data():
    truth = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    data = np.random.default_rng(0).normal(size=(10, 3))
    for dependence in (OracleGraph(truth), OracleGaussian([[1, 0.5, 0.25], [0.5, 1, 0.5],
                                                           [0.25, 0.5, 1]])):  # fmt: skip
        estimator = GSMPLE(lam=0.0, dependence=dependence).fit(data)
        assert (estimator.adjacency_ == truth).all()
        assert (clone(estimator).fit(data).adjacency_ == truth).all()


def test_an_estimator_is_its_search_on_its_table():
    frame = _chain(50)
    estimator = GSMPLE(lam=0.0, dependence=MixedKSG(2), scale="rank", refine=None).fit(frame)
    result = gs_mple.run(MixedKSG(2).bind(as_table(frame, scale="rank")), 0.0)
    assert estimator.trace_ == result.trace
    assert estimator.objective_ == result.objective


@pytest.mark.parametrize("refine", REFINEMENTS)
def test_a_refinement_reaches_the_search(refine):
    rng = np.random.default_rng(2)
    mixing = np.eye(10) + rng.normal(size=(10, 10)) * (rng.random((10, 10)) < 0.15)
    X = rng.normal(size=(40, 10)) @ mixing
    dependence = KNN(3).bind(as_table(X))
    lams = [0.3, 0.05, 0.0]
    path = GSMPLE(dependence=KNN(3), refine=refine).path(X, lams)
    for lam, graph in zip(lams, path, strict=True):
        estimator = GSMPLE(lam, dependence=KNN(3), refine=refine).fit(X)
        assert estimator.trace_ == gs_mple.run(dependence, lam, refine=refine).trace
        assert estimator.graph_ == graph
        assert estimator.objective_ == estimator.trace_[-1].objective
        assert graph != GSMPLE(lam, dependence=KNN(3), refine=None).fit(X).graph_


def test_fitted_estimators_survive_pickling():
    estimator = GSMPLE().fit(_chain(40))
    again = pickle.loads(pickle.dumps(estimator))
    assert again.graph_ == estimator.graph_
    assert again.trace_ == estimator.trace_


def test_chow_liu_directs_from_the_root():
    estimator = ChowLiu(root="c").fit(_chain()[["a", "b", "c"]])
    assert set(estimator.arcs_) == {("c", "b"), ("b", "a")}
    assert estimator.parents_.tolist() == [1, 2, -1]
    with pytest.raises(InputError, match="unknown variable 'e'"):
        ChowLiu(root="e").fit(_chain())


@pytest.mark.parametrize("cls", BLANKETS)
def test_one_blanket_is_the_neighbourhood_of_a_whole_fit(cls):
    frame = _chain()
    estimator = cls(lam=0.1, dependence="gaussian").fit(frame)
    for position, name in enumerate("abcd"):
        blanket = cls(lam=0.1, dependence="gaussian").markov_blanket(frame, name)
        assert blanket == estimator.neighbourhoods_[position]
        assert cls(lam=0.1, dependence="gaussian").markov_blanket(frame, position) == tuple(
            "abcd".index(member) for member in blanket
        )
    assert cls(lam=0.1, dependence="gaussian").markov_blanket(frame, "b") == ("a", "c")


def test_blankets_honour_constraints():
    blanket = IAMB(0.2, required=[("a", "d")], forbidden=[("a", "b")]).markov_blanket(_chain(), "a")
    assert "d" in blanket
    assert "b" not in blanket


def test_the_selector_keeps_the_blanket_of_the_target():
    frame = _chain(200)
    y = frame.pop("b")
    selector = MarkovBlanketSelector(IAMB(0.2)).fit(frame, y)
    assert selector.blanket_ == ("a", "c")
    assert selector.get_support().tolist() == [True, True, False]
    assert selector.get_feature_names_out().tolist() == ["a", "c"]
    assert selector.transform(frame).shape == (200, 2)
    kept = selector.set_output(transform="pandas").transform(frame)
    assert kept.columns.tolist() == ["a", "c"]


@pytest.mark.parametrize("estimator", ["gsmn", "iamb", "greedy-entropy", GSMN(0.2), None])
def test_the_selector_takes_any_neighbourhood_search(estimator):
    frame = _chain(100)
    y = frame.pop("b")
    assert MarkovBlanketSelector(estimator).fit(frame, y).get_support()[0]


def test_the_selector_takes_class_labels_and_a_declared_kind():
    frame = _chain(200)
    labels = np.where(frame.pop("b") > 0, "yes", "no")
    inferred = MarkovBlanketSelector(IAMB(0.05)).fit(frame, labels)
    assert "c" in inferred.blanket_
    numbers = np.where(labels == "yes", 7.5, -1.0)
    declared = MarkovBlanketSelector(IAMB(0.05), target_kind="nominal").fit(frame, numbers)
    assert declared.blanket_ == inferred.blanket_
    assert declared.estimator.kinds is None


def test_the_selector_works_in_a_pipeline():
    frame = _chain(200)
    y = frame.pop("b")
    pipeline = make_pipeline(MarkovBlanketSelector(IAMB(0.2)), LinearRegression())
    assert cross_val_score(pipeline, frame, y, cv=3).min() > 0.7


def test_the_selector_lets_holes_through_where_its_estimator_does():
    frame = _chain(100)
    y = frame.pop("b")
    frame.loc[3, "d"] = np.nan
    selector = MarkovBlanketSelector(IAMB(0.2, missing="drop")).fit(frame, y)
    assert selector.transform(frame).shape == (100, selector.support_.sum())
    with pytest.raises(ValueError, match="NaN"):
        MarkovBlanketSelector(IAMB(0.2)).fit(frame.dropna(), y.drop(3)).transform(frame)
    with pytest.raises(InputError, match=r"'d' \(1 NaN .* estimator=IAMB\(missing='drop'\)"):
        MarkovBlanketSelector(IAMB(0.2)).fit(frame, y)


def test_the_selector_names_its_mistakes():
    frame = _chain(30)
    with pytest.raises(InputError, match="X has 30 rows and y has 29"):
        MarkovBlanketSelector().fit(frame, np.arange(29.0))
    with pytest.raises(InputError, match="Markov blanket 'gsmple'"):
        MarkovBlanketSelector("gsmple").fit(frame, frame["a"])
    with pytest.raises(InputError, match=r"'y' \(1 NaN"):
        MarkovBlanketSelector().fit(frame, np.r_[np.nan, np.arange(29.0)])
    words = r"y must hold .*, got 'a': .* X without the column 'a', and y=df\['a'\]"
    with pytest.raises(InputError, match=words):
        MarkovBlanketSelector().fit(frame, "a")
    with pytest.raises(InputError, match=r"y must hold .* one for each row of X, got 'e'$"):
        MarkovBlanketSelector().fit(frame, "e")
    with pytest.raises(InputError, match=r"y must hold .* one for each row of X, got 3$"):
        MarkovBlanketSelector().fit(frame, 3)


def test_estimators_are_listed_by_name():
    assert set(ALL) <= set(ESTIMATORS.values())
    assert ESTIMATORS["gsmple"] is GSMPLE


ARRAY = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    ("options", "X", "words"),
    [
        ({}, ARRAY[:, 0], "1-D data of shape"),
        ({}, np.zeros((4, 3, 2)), "3-D data of shape"),
        ({}, ARRAY[:0], r"0 sample\(s\)"),
        ({}, ARRAY[:1], r"1 sample\(s\)"),
        ({}, ARRAY[:, :1], "a graph needs two variables, and n_features=1"),
        ({}, np.where(ARRAY > 1, np.nan, ARRAY), "NaN or missing.*missing='drop'"),
        ({}, np.where(ARRAY > 1, np.inf, ARRAY), "infinite"),
        ({}, ARRAY + 1j, "Complex data not supported"),
        ({}, pd.DataFrame(ARRAY, columns=["a", "b", "a"]), "duplicate column names 'a'"),
        (
            {"kinds": {"x0": "continuous"}},
            np.array([["1.5", "a"], ["oops", "b"]] * 5, dtype=object),
            "'x0' is declared continuous but holds 'oops' in row 1",
        ),
        ({"groups": {"g": ["x0", "x9"]}}, ARRAY, "groups=: unknown column 'x9'"),
        ({"required": [(0, 1)], "forbidden": [(1, 0)]}, ARRAY, "both required and forbidden"),
        ({"required": [("x0", "x7")]}, ARRAY, "required=: unknown variable 'x7'"),
        ({"required": [("x0", "x0")]}, ARRAY, "edge to itself"),
        ({"required": ["x0"]}, ARRAY, "wants pairs"),
        ({"required": iter([(0, 1)])}, ARRAY, "required= wants a list of pairs"),
        ({"required": [(0, 3)]}, ARRAY, "out of range"),
        ({"lam": "some"}, ARRAY, "lam must be a number"),
        ({"lam": math.nan}, ARRAY, "lam must be a number"),
        ({"dependence": "ksg"}, ARRAY, "unknown dependence 'ksg'"),
        ({"dependence": KNN(20)}, ARRAY, "n_neighbors=20 needs at least 21 rows"),
        ({"scale": "max"}, ARRAY, "unknown scale 'max'"),
        ({"missing": "keep"}, ARRAY, "unknown missing 'keep'"),
        ({"kinds": {"x0": "numeric"}}, ARRAY, "column 'x0': unknown kind 'numeric'"),
        ({"n_jobs": 0}, ARRAY, "n_jobs must be"),
        ({"n_jobs": "two"}, ARRAY, "n_jobs must be"),
    ],
)
def test_mistakes_are_named(cls, options, X, words):
    with pytest.raises(InputError, match=words):
        cls(**options).fit(X)


def test_an_unknown_refinement_is_named():
    with pytest.raises(InputError, match="unknown refine 'pair'; did you mean 'pairs'"):
        GSMPLE(refine="pair").fit(ARRAY)


@pytest.mark.parametrize("cls", BLANKETS)
def test_an_unknown_rule_or_target_is_named(cls):
    with pytest.raises(InputError, match="unknown rule 'xor'; did you mean 'or'"):
        cls(rule="xor").fit(ARRAY)
    with pytest.raises(InputError, match="unknown variable 'x8'"):
        cls().markov_blanket(ARRAY, "x8")
