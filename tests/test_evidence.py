"""Why an edge: the numbers are those of the dependence, and the words those of the numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrflearn import GSMN, GSMPLE, IAMB, ChowLiu, GLasso, Graph, GreedyEntropy, InputError
from mrflearn.dependence import Gaussian
from mrflearn.evidence import Evidence, Explanation
from mrflearn.table import as_table


def _chain(n_samples=200):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_samples)
    b = a + rng.normal(size=n_samples)
    c = b + rng.normal(size=n_samples)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=n_samples)})


def test_an_edge_is_explained_by_both_ends_given_their_other_neighbours():
    fitted = GSMPLE(dependence="gaussian").fit(_chain())
    bound = Gaussian().bind(as_table(_chain()))
    why = fitted.graph_.explain("b", "c")
    assert why.present
    assert why.given == (("a",), ())
    assert why.informations == pytest.approx((bound.cmi(1, 2, [0]), bound.cmi(1, 2)))
    assert why.score == pytest.approx(sum(why.informations))
    assert why.entered == fitted.path_.entry[1, 2]
    assert why.place == 1 + (fitted.path_.entry[0, 1] > fitted.path_.entry[1, 2])
    text = str(why)
    assert text.startswith("b and c have an edge. They share ")
    assert "beyond what a tells about b" in text
    assert "with nothing else known about c" in text
    assert f"is more than lambda, {fitted.lam_:.3g}: so it stayed." in text


def test_no_edge_is_explained_too():
    why = GSMPLE(dependence="gaussian").fit(_chain()).graph_.explain("a", "c")
    assert not why.present
    assert why.given == (("b",), ("b",))
    assert "have no edge" in str(why)
    assert "so it was left out" in str(why)


@pytest.mark.parametrize("cls", [GSMN, IAMB, GreedyEntropy])
def test_node_by_node_the_node_s_own_choice_is_given(cls):
    fitted = cls(dependence="gaussian").fit(_chain())
    for a in "abcd":
        for b in "abcd":
            if a != b:
                why = fitted.graph_.explain(a, b)
                chosen = fitted.neighbourhoods_["abcd".index(a)]
                assert why.given[0] == tuple(z for z in chosen if z != b)
    why = fitted.graph_.explain("a", "b")
    bar = "lambda" if cls is not GreedyEntropy else "the share of lambda that counts"
    assert f"is more than {bar}" in str(why)


def test_a_tree_knows_no_conditions():
    why = ChowLiu("auto", dependence="gaussian").fit(_chain()).graph_.explain("a", "b")
    bound = Gaussian().bind(as_table(_chain()))
    assert why.informations == pytest.approx((bound.cmi(0, 1), bound.cmi(0, 1)))
    assert why.given == ((), ())


def test_a_parametric_edge_has_a_weight_and_an_entry():
    fitted = GLasso().fit(_chain())
    text = str(fitted.graph_.explain("a", "b"))
    assert "(partial correlation). It enters the path at lambda " in text


def test_required_and_forbidden_edges_say_that_they_were_decided_before():
    graph = GSMPLE(
        dependence="gaussian", required=[("a", "d")], forbidden=[("a", "b")]
    ).fit(_chain()).graph_  # fmt: skip
    assert "prior knowledge" in str(graph.explain("a", "d"))
    assert "prior knowledge" in str(graph.explain("a", "b"))


def test_confidence_and_p_values_are_told_where_known():
    graph = Graph(("a", "b"), (("a", "b", 0.3, 0.75, 0.001, 0.01),))
    text = str(graph.explain("a", "b"))
    assert "would have probability 0.001 (q = 0.01 among all pairs)." in text
    assert "found again in 75% of the subsamples." in text


def test_nodes_that_are_not_there_or_one_are_refused():
    graph = Graph(("rain", "wet"))
    with pytest.raises(InputError, match="unknown node 'rian'; did you mean 'rain'"):
        graph.explain("rian", "wet")
    with pytest.raises(InputError, match="an edge has two ends"):
        graph.explain("wet", "wet")


def test_evidence_is_saved_with_the_graph(tmp_path):
    for estimator in (GSMPLE(dependence="gaussian"), IAMB(dependence="gaussian"), GLasso()):
        graph = estimator.fit(_chain()).graph_
        back = Graph.load(graph.save(tmp_path / "graph.json"))
        for a, b in (("a", "b"), ("a", "c"), ("c", "d")):
            assert str(back.explain(a, b)) == str(graph.explain(a, b))


def test_a_given_lambda_is_explained_without_an_entry():
    why = GSMPLE(0.2, dependence="gaussian").fit(_chain()).graph_.explain("a", "b")
    assert why.informations is not None
    assert why.entered is None
    assert "is more than lambda, 0.2: so it stayed." in str(why)


def test_very_wide_graphs_remember_no_matrix():
    frame = np.random.default_rng(0).normal(size=(20, 301))
    graph = GSMPLE(5.0, dependence="gaussian").fit(frame).graph_
    assert graph.evidence.information is None
    assert str(graph.explain("x0", "x1")).startswith("x0 and x1 have no edge.")


@given(st.integers(2, 7), st.data())
def test_a_pair_comes_onto_the_path_after_all_that_came_at_larger_lambdas(n_nodes, data):
    lams = st.sampled_from([np.nan, 0.1, 0.2, 0.3])
    entry = np.full((n_nodes, n_nodes), np.nan)
    pairs = list(zip(*np.triu_indices(n_nodes, 1), strict=True))
    for i, j in pairs:
        entry[i, j] = entry[j, i] = data.draw(lams)
    evidence = Evidence(entry=entry)
    for i, j in pairs:
        earlier = sum(entry[pair] > entry[i, j] for pair in pairs)
        expected = None if np.isnan(entry[i, j]) else 1 + earlier
        assert evidence.place_of(i, j) == evidence.place_of(j, i) == expected
    assert Evidence().place_of(0, 1) is None


def _made(present=True, informations=None, given=((), ()), weight=np.nan, **others):
    """An explanation of made-up numbers."""
    known = {"rule": "sum", "threshold": 0.25, "lam": 0.25, "entered": None, "place": None}
    return str(
        Explanation("a", "b", present, informations, given, weight, "nats", **(known | others))
    )


@pytest.mark.parametrize(
    ("rule", "there", "value"),
    [("sum", 0.125, 0.25), ("and", 0.5, 0.125), ("or", 0.0, 0.125), ("alone", 0.125, 0.125)],
)
def test_what_equals_lambda_does_not_exceed_it(rule, there, value):
    said = {"informations": (0.125, there), "rule": rule, "threshold": value, "lam": value}
    words = f"{value:.3g}, is no more than lambda, {value:.3g}: "
    assert words + "so it was left out." in _made(False, **said)
    assert words + "but prior knowledge" in _made(True, **said)
    less = _made(True, **said | {"threshold": value / 2})
    assert "is more than the share of lambda that counts" in less
    assert less.endswith(": so it stayed.")


def test_what_neighbours_tell_is_told_of_one_and_of_several():
    text = _made(informations=(0.5, 0.25), given=(("p",), ("p", "q")))
    assert "0.5 nats of information beyond what p tells about a" in text
    assert "0.25 beyond what p, q tell about b." in text


def test_a_weight_is_told_where_there_is_one():
    assert _made(True, weight=0.4) == "a and b have an edge. Its weight is 0.4 (nats)."
    assert _made(True) == "a and b have an edge."
    assert _made(False, weight=0.4, lam=None) == "a and b have no edge."


def test_where_an_edge_is_on_the_path_is_told_as_far_as_it_is_known():
    nowhere = "It is nowhere on the path."
    assert _made(False).endswith(nowhere)
    for known in ({"present": True}, {"lam": None}, {"looked_at": False}):
        assert nowhere not in _made(**{"present": False} | known)
    assert _made(entered=0.3).endswith("It enters the path at lambda 0.3.")
    words = "It enters the path at lambda 0.3, as number 2 of all pairs that do."
    assert _made(entered=0.3, place=2).endswith(words)
