"""`screen=`: some pairs alone, by known structure or by what they share."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn import GSMN, GSMPLE, IAMB, ChowLiu, Graph, GreedyEntropy, learn
from mrflearn.datasets import sparse_gaussian
from mrflearn.errors import InputError

SEARCHES = (GSMPLE, GSMN, IAMB, GreedyEntropy, ChowLiu)


def _chain(n_samples=150, n_variables=9, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(n_samples, n_variables))
    for j in range(1, n_variables):
        columns[:, j] += columns[:, rng.integers(j)]
    return columns


def _said(fitted):
    return [(graph.lam, graph.edges) for graph in (*fitted.path_, fitted.graph_)]


@pytest.mark.parametrize("search", SEARCHES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.2, 0.6, 1.0]))
def test_known_structure_is_the_search_with_all_else_forbidden(search, seed, share):
    columns = _chain(seed=seed)
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(9), 2))
    allowed = [pair for pair in pairs if rng.random() < share]
    options = {"dependence": "gaussian"} | ({"lam": "auto"} if search is ChowLiu else {})
    screened = search(screen=allowed, **options).fit(columns)
    forbidden = search(forbidden=sorted(set(pairs) - set(allowed)), **options).fit(columns)
    assert _said(screened) == _said(forbidden)
    assert screened.trace_ == forbidden.trace_


@pytest.mark.parametrize("refine", [None, "auto", "alternate", "pairs"])
def test_refinements_keep_to_known_structure(refine):
    columns = _chain()
    pairs = list(itertools.combinations(range(9), 2))
    options = {"lam": 0.02, "refine": refine}
    screened = GSMPLE(screen=pairs[::2], **options).fit(columns)
    forbidden = GSMPLE(forbidden=pairs[1::2], **options).fit(columns)
    assert screened.graph_ == forbidden.graph_
    assert screened.trace_ == forbidden.trace_


@pytest.mark.parametrize("search", SEARCHES)
def test_all_others_as_candidates_are_no_screen(search):
    columns = _chain()
    assert _said(search(screen=8).fit(columns)) == _said(search().fit(columns))


def test_a_graph_says_what_structure_is_possible():
    columns = _chain()
    names = tuple(f"x{c}" for c in range(9))
    possible = Graph(names, (("x0", "x1"), ("x2", "x1"), ("x4", "x5")))
    pairs = [("x0", "x1"), ("x1", "x2"), ("x4", "x5")]
    by_graph = GSMPLE(screen=possible).fit(columns)
    assert _said(by_graph) == _said(GSMPLE(screen=pairs).fit(columns))
    assert by_graph._plain_options()["screen"] == [list(pair) for pair in pairs]
    assert by_graph.graph_.edges == GSMPLE(screen=by_graph.graph_).fit(columns).graph_.edges


def test_a_wide_sparse_graph_is_found_among_the_nearest():
    world = sparse_gaussian(n_variables=60, random_state=3)
    sample = world.sample(400, random_state=0)
    options = {"dependence": "gaussian"}
    everything, screened = (GSMPLE(screen=k, **options).fit(sample) for k in (None, 12))
    assert screened.graph_.edges == everything.graph_.edges
    assert screened.lam_ == pytest.approx(everything.lam_)
    assert screened.n_evaluations_ < 0.6 * everything.n_evaluations_


def test_lambdas_of_nearest_pairs_count_all_pairs_as_tested():
    """Noise must not get edges since only its strongest pairs are counted."""
    rng = np.random.default_rng(5)
    n_found = 0
    for _ in range(40):
        noise = rng.normal(size=(60, 30))
        options = {"dependence": "gaussian", "refine": None}
        screened = GSMPLE(screen=2, **options).fit(noise)
        everything = GSMPLE(**options).fit(noise)
        np.testing.assert_allclose(screened.path_.lams, everything.path_.lams)
        n_found += bool(screened.graph_.edges)
    assert n_found <= 7  # more have a chance of 0.001, if 0.05 is kept


def test_required_edges_need_not_be_candidates():
    columns = _chain()
    found = GSMPLE(0.5, dependence="gaussian", screen=[(0, 1)], required=[("x3", "x7")])
    graph = found.fit(columns).graph_
    assert "x7" in graph.neighbors("x3")


def test_pairs_that_were_not_looked_at_are_explained():
    columns = _chain()
    graph = GSMPLE(0.1, dependence="gaussian", screen=[(0, 1), (1, 2)]).fit(columns).graph_
    assert str(graph.explain("x0", "x5")) == (
        "x0 and x5 have no edge. The search did not look at this pair: it was screened out."
    )
    assert graph.explain("x0", "x1").looked_at


def test_no_pair_possible_is_no_edge():
    for search in SEARCHES:
        lam = {"lam": "auto"} if search is ChowLiu else {}
        assert not search(screen=[], **lam).fit(_chain()).graph_.edges


def test_blankets_of_the_nearest():
    columns = _chain(400)
    for search in (GSMN, IAMB, GreedyEntropy):
        everything = search(dependence="gaussian").markov_blanket(columns, 3)
        assert search(dependence="gaussian", screen=5).markov_blanket(columns, 3) == everything
        (nearest,) = search(0.0, dependence="gaussian", screen=1).markov_blanket(columns, 3)
        correlation = np.abs(np.corrcoef(columns.T))
        assert nearest == np.argsort(-correlation[3])[1]


def test_a_screen_is_an_option_of_a_result():
    found = learn(_chain(), screen=3, dependence="gaussian", quiet=True)
    assert found.options["screen"] == 3


def test_pairs_that_take_too_much_memory_are_refused_before_the_work():
    wide = np.random.default_rng(0).normal(size=(20, 300))
    options = {"dependence": "gaussian", "max_memory": "5 MB"}
    said = "what 44850 pairs of 300 variables share takes 30 MB: raise it, or look at fewer"
    with pytest.raises(InputError, match=said):
        GSMPLE(**options).fit(wide)
    assert GSMPLE(0.5, screen=5, **options).fit(wide).graph_.nodes


@pytest.mark.parametrize(
    ("screen", "message"),
    [
        (0, "screen= wants at least 1 candidate for each variable, or None for all; got 0"),
        (True, "wants a number of candidates for each variable, a list of pairs or a Graph"),
        (2.5, "a list of pairs or a Graph; got 2.5"),
        ("a", "a list of pairs or a Graph; got 'a'"),
        ([(0, 0)], "screen=: 0 cannot have an edge to itself"),
        ([("x0", "x99")], "screen=: unknown variable 'x99'"),
        ([(0, 1, 2)], "screen= wants pairs of variables"),
    ],
)
def test_bad_screens_are_refused(screen, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        GSMPLE(screen=screen).fit(_chain())
