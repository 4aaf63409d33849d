"""The whole sentence in one call: what it finds, what it says, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

import mrflearn
from mrflearn import GSMPLE, GLasso, InputError, learn
from mrflearn.datasets import load_penguins, sparse_gaussian
from mrflearn.estimators import ParametricEstimator, SearchEstimator
from mrflearn.learn import results
from mrflearn.selection import Heldout, Stars


def _chain(n_samples=300, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_samples)
    b = a + rng.normal(size=n_samples)
    c = np.where(b + rng.normal(size=n_samples) > 0, "yes", "no")
    return pd.DataFrame({"a": a, "b": b, "c": c, "noise": rng.normal(size=n_samples)})


@pytest.fixture(scope="module")
def found():
    return learn(_chain(), quiet=True, n_jobs=1)


def test_a_table_of_mixed_kinds_becomes_its_graph(found):
    assert [(edge.source, edge.target) for edge in found.graph.edges] == [("a", "b"), ("b", "c")]
    assert found.lam == found.graph.lam == found.path.lams[found.choice.position]
    assert found.path[found.choice.position] == mrflearn.Graph(
        found.graph.nodes,
        tuple(edge._replace(p_value=None, q_value=None) for edge in found.graph.edges),
        found.lam,
    )


def test_every_edge_has_a_small_p_value_and_a_q_value_that_is_no_smaller(found):
    for edge in found.graph.edges:
        assert 0 <= edge.p_value <= edge.q_value <= 0.01
        assert edge.confidence is None


def test_it_is_the_best_of_the_searches_that_looks(found):
    """Of docs/accuracy.md."""
    assert found.options["method"] == "GSMPLE"
    assert found.options["refine"] == "auto"
    assert found.options["dependence"] == "auto"
    reference = GSMPLE().fit(_chain())
    assert reference.path_ == found.path
    assert reference.choice_ == found.choice


def test_beyond_fifty_variables_edges_are_tried_one_by_one():
    sample = sparse_gaussian(n_variables=51, random_state=1).sample(100, random_state=1)
    options = {"dependence": "gaussian", "quiet": True, "test": False}
    for n_variables, refine in ((51, "alternate"), (50, "pairs")):
        found = learn(sample.iloc[:, :n_variables], lam=0.06, **options)
        assert found.options["refine"] == "auto"
        graphs = {
            name: learn(sample.iloc[:, :n_variables], lam=0.06, refine=name, **options).graph
            for name in ("alternate", "pairs")
        }
        assert graphs["alternate"] != graphs["pairs"]
        assert found.graph == graphs[refine]


def test_it_says_in_words_what_it_did(capsys):
    result = learn(_chain(), test=False, n_jobs=1)
    said = capsys.readouterr().out
    assert said == f"{result}\n" == "\n".join(result.messages) + "\n"
    assert "300 rows and 4 variables: 3 continuous, 1 nominal." in said
    assert "Lambda was chosen among 50 by 'fdr': at lambda 0." in said
    assert "2 edges, in nats: " in said
    assert "Without an edge: noise." in said
    learn(_chain(), test=False, n_jobs=1, quiet=True)
    assert capsys.readouterr().out == ""


def test_odd_columns_and_missing_rows_are_told(capsys):
    frame = _chain().assign(constant=1.0)
    frame.loc[:4, "a"] = np.nan
    result = learn(frame, missing="drop", dependence="gaussian", n_jobs=1)
    assert "5 rows with missing values left out" in result.messages[0]
    assert any("constant column 'constant'" in message for message in result.messages)
    assert result.table.n_dropped == 5
    assert result.table.n_samples == 295


def test_noise_gives_no_edge_and_says_so():
    rng = np.random.default_rng(1)
    result = learn(rng.normal(size=(100, 5)), quiet=True, n_jobs=1)
    assert not result.graph.edges
    assert "No edge was found: what there is could be chance." in result.messages


def test_the_result_does_not_depend_on_the_number_of_jobs(found):
    assert learn(_chain(), quiet=True, n_jobs=2) == found


def test_edges_are_looked_for_again_if_asked():
    result = learn(_chain(), quiet=True, n_jobs=1, test=False, n_subsamples=4, dependence="copula")
    again = learn(_chain(), quiet=True, n_jobs=2, test=False, n_subsamples=4, dependence="copula")
    assert result.graph == again.graph
    assert {edge.confidence for edge in result.graph.edges} == {1.0}
    assert "Learned again from 4 random parts of 50% of the rows, 2 of the 2 edges" in str(result)


@pytest.mark.parametrize("selection", ["stars", "heldout", Stars(n_subsamples=5), Heldout(3)])
def test_other_ways_of_choosing_are_there_by_name(selection):
    result = learn(
        _chain(), selection=selection, dependence="gaussian", quiet=True, test=False, n_jobs=1
    )
    name = selection if isinstance(selection, str) else selection.name
    assert result.choice.selection == name
    # Of four variables one that flickers is more than StARS allows: it returns no edge.
    assert result.graph.has_edge("a", "b") == (name == "heldout")
    assert len(result.choice.values) == len(result.path)


def test_a_parametric_method_chooses_by_ebic_and_is_not_tested():
    world = sparse_gaussian(random_state=0)
    result = learn(world.sample(200, random_state=0), "glasso", quiet=True)
    assert result.choice.selection == "ebic"
    assert result.graph.edges
    assert all(edge.p_value is None for edge in result.graph.edges)
    assert "GLasso, which assumes a parametric model" in result.messages[1]


def test_an_estimator_is_taken_as_it_is():
    estimator = GSMPLE(0.3, dependence="gaussian", refine=None)
    result = learn(_chain(), estimator, quiet=True, test=False)
    assert result.lam == 0.3
    assert result.choice is None
    assert "Lambda was given: 0.3." in result.messages
    assert result.options["refine"] is None
    assert not hasattr(estimator, "graph_"), "the one given stays as it is"
    glasso = GLasso(0.5)
    assert learn(_chain().drop(columns="c"), glasso, quiet=True).lam == 0.5
    assert not hasattr(glasso, "graph_")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "gsmpel"}, "unknown method 'gsmpel'; did you mean 'gsmple'?"),
        ({"dependense": "knn"}, "method 'gsmple': unknown option 'dependense'; did you mean"),
        ({"n_subsample": 5}, "unknown option 'n_subsample'; did you mean 'n_subsamples'"),
        ({"alpha": 0}, "alpha must be between 0 and 1, both excluded; got 0"),
        ({"alpha": 1.5}, "alpha must be between 0 and 1, both excluded; got 1.5"),
        ({"selection": "star"}, "unknown selection 'star'; did you mean 'stars'?"),
        ({"selection": "ebic"}, "selection 'ebic' does not apply to GSMPLE: choose 'fdr'"),
        ({"method": "glasso", "selection": "fdr"}, "does not apply to GLasso: choose"),
        ({"lam": "automatic"}, "lam must be a number or 'auto', got 'automatic'"),
        ({"random_state": -1}, "random_state must be a whole number that is not negative, got -1"),
        ({"random_state": -1, "lam": 0.1}, "random_state must be a whole number"),
        ({"random_state": None, "lam": 0.1}, "random_state must be a whole number"),
        ({"n_subsamples": 1}, "n_subsamples must be a whole number of at least 2, got 1"),
        ({"n_subsamples": 4, "fraction": 1.0}, "fraction must be between 0 and 1"),
        ({"method": GSMPLE(), "lam": 0.1}, "lam= belongs into the estimator given"),
    ],
)
def test_mistakes_are_one_sentence(options, words):
    with pytest.raises(InputError, match=words):
        learn(_chain(40), quiet=True, n_jobs=1, test=False, **options)


@pytest.mark.parametrize("method", ["gsmple", "glasso"])
def test_too_few_rows_for_folds_or_subsamples_are_said_before_the_work(method, monkeypatch):
    def work(*_, **__):
        raise AssertionError("work was begun")

    monkeypatch.setattr(SearchEstimator, "_prepare", work)
    monkeypatch.setattr(ParametricEstimator, "_fits", work)
    with pytest.raises(InputError, match=r"6 rows are too few for 5 folds.* n_folds=3"):
        learn(_chain(6).drop(columns="c"), method, selection="heldout", quiet=True)
    with pytest.raises(InputError, match="a subsample of 1 rows of 3"):
        learn(_chain(3)[["a", "b"]], method, n_subsamples=5, lam=0.1, quiet=True)
    with pytest.raises(InputError, match=r"fraction must be between 0 and 1.*got 1\.5"):
        learn(_chain(40)[["a", "b"]], method, n_subsamples=5, fraction=1.5, lam=0.1, quiet=True)


def test_whole_numbers_of_numpy_are_whole_numbers():
    found = learn(_chain(40)[["a", "b"]], "glasso", n_subsamples=np.int64(2), n_jobs=1, quiet=True)
    assert found.stability.n_subsamples == 2


def test_who_works_and_where_it_is_kept_is_what_was_asked_last(tmp_path):
    estimator = GSMPLE(0.1, dependence="gaussian", checkpoint=tmp_path / "of the estimator")
    learn(_chain(40)[["a", "b"]], estimator, checkpoint=tmp_path / "of learn", quiet=True)
    assert [file.name for file in tmp_path.iterdir()] == ["of learn"]


def test_a_level_in_one_fold_only_and_a_column_constant_in_a_part_are_no_crash():
    frame = _chain(60)
    frame.loc[7, "c"] = "never again"
    frame["rare"] = 0.0
    frame.loc[:2, "rare"] = 1.0
    for selection in ("heldout", "stars"):
        result = learn(frame, selection=selection, quiet=True, test=False, n_subsamples=2, n_jobs=1)
        assert np.isfinite(result.lam) or not result.graph.edges


def test_a_tree_is_not_said_to_know_neighbours():
    table = np.random.default_rng(0).normal(size=(60, 3)) + np.arange(60)[:, None] / 20
    told = learn(table, "chow-liu", dependence="gaussian", test=False, quiet=True).messages
    assert any("the tree, or forest, of the pairs that share most" in line for line in told)
    assert any("No lambda was asked for" in line for line in told)
    assert not any("once their neighbors are known" in line for line in told)


def test_the_graph_comes_before_its_subsamples():
    frame = load_penguins().dropna().drop(columns="year")
    first, last = results(frame, dependence="gaussian", n_subsamples=4, quiet=True)
    assert first.stability is None
    assert last.stability.n_subsamples == 4
    assert first.graph.adjacency.tolist() == last.graph.adjacency.tolist()
    assert len(list(results(frame, dependence="gaussian", quiet=True))) == 1
