"""What every search promises. A new one joins by a line in `SEARCHES`."""

import itertools
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import random_dependence, random_world

from mrflearn.dependence import Memo
from mrflearn.errors import InputError
from mrflearn.search import Constraints, chow_liu, greedy_entropy, gs_mple, gsmn, iamb
from mrflearn.search.refine import REFINEMENTS


def with_options(search, **options):
    """A search whose options are not those it has by itself."""
    return SimpleNamespace(run=partial(search.run, **options), path=partial(search.path, **options))


SEARCHES = {
    "gs_mple": gs_mple,
    **{f"gs_mple, {refine}": with_options(gs_mple, refine=refine) for refine in REFINEMENTS},
    "gsmn": gsmn,
    "iamb": iamb,
    "greedy_entropy": greedy_entropy,
    "chow_liu": chow_liu,
}
LAMS = (-math.inf, -0.1, 0.0, 0.05, 0.2, math.inf)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(14))
def test_a_path_is_a_run_at_each_lambda(name, seed):
    dependence = random_dependence(seed)
    lams = [0.3, -math.inf, 0.0, 0.05, math.inf, -0.1, 0.05]
    for lam, result in zip(lams, SEARCHES[name].path(dependence, lams), strict=True):
        assert result == SEARCHES[name].run(dependence, lam)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(14))
def test_required_edges_stay_and_forbidden_ones_never_come(name, seed):
    dependence = random_dependence(seed)
    pairs = list(itertools.combinations(range(dependence.n_variables), 2))
    required, forbidden = pairs[:1], pairs[1::3]
    constraints = Constraints(frozenset(required), frozenset(forbidden))
    for lam in LAMS:
        edges = SEARCHES[name].run(dependence, lam, constraints).edges
        assert set(required) <= set(edges)
        assert set(forbidden).isdisjoint(edges)


@pytest.mark.parametrize("name", SEARCHES)
def test_extreme_lambdas_give_the_empty_and_the_fullest_graph(name):
    for seed in range(7):
        dependence = random_dependence(seed)
        n_variables = dependence.n_variables
        assert SEARCHES[name].run(dependence, math.inf).edges == ()
        most = n_variables - 1 if name == "chow_liu" else n_variables * (n_variables - 1) // 2
        assert len(SEARCHES[name].run(dependence, -math.inf).edges) == most


@pytest.mark.parametrize("name", SEARCHES)
def test_bad_lambdas_are_refused(name):
    dependence = random_dependence(0)
    for lams in ([math.nan], [], ["much"], [None]):
        with pytest.raises(InputError, match="lam"):
            SEARCHES[name].path(dependence, lams)


def test_contradictory_constraints_are_refused():
    with pytest.raises(InputError, match="both required and forbidden"):
        Constraints(frozenset([(1, 0)]), frozenset([(0, 1)]))


@given(st.data(), st.integers(2, 6), st.booleans())
def test_a_search_may_decide_what_is_not_decided_and_not_screened_out(data, n_variables, screened):
    pairs = list(itertools.combinations(range(n_variables), 2))
    said = ("required", "forbidden", "screened out", "free")
    of_pair = {edge: data.draw(st.sampled_from(said)) for edge in pairs}
    free = {edge for edge in pairs if of_pair[edge] == "free"}
    if not screened:
        free |= {edge for edge in pairs if of_pair[edge] == "screened out"}
    required, forbidden = (
        frozenset(edge[::-1] for edge in pairs if of_pair[edge] == word) for word in said[:2]
    )
    among = tuple(
        tuple(
            j
            for j in range(n_variables)
            if j != i and of_pair[min(i, j), max(i, j)] != "screened out"
        )
        for i in range(n_variables)
    )
    constraints = Constraints(required, forbidden, among if screened else None)
    for i, j in itertools.permutations(range(n_variables), 2):
        expected = (min(i, j), max(i, j)) in free
        assert constraints.is_free(i, j) == expected
        assert (j in constraints.free_of(i, n_variables)) == expected


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(14))
def test_the_trace_adds_up(name, seed):
    result = SEARCHES[name].run(random_dependence(seed), 0.05)
    objective = 0.0
    for step in result.trace:
        assert step.phase in ("required", "grow", "shrink")
        assert step.change == (step.score if step.phase == "shrink" else -step.score)
        objective += step.change
        assert step.objective == pytest.approx(objective, abs=1e-12)
    assert result.objective == pytest.approx(objective, abs=1e-12)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(7))
def test_results_are_well_formed_and_frozen(name, seed):
    dependence = random_dependence(seed)
    result = SEARCHES[name].run(dependence, 0.02)
    assert list(result.edges) == sorted({(min(edge), max(edge)) for edge in result.edges})
    assert len(result.weights) == len(result.edges)
    assert result.adjacency.shape == (dependence.n_variables,) * 2
    assert result.adjacency.sum() == 2 * len(result.edges)
    assert result.lam == 0.02
    with pytest.raises(AttributeError):
        result.lam = 0.0


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("seed", range(7))
def test_what_was_asked_before_does_not_matter(name, seed):
    dependence = random_dependence(seed)
    fresh = SEARCHES[name].run(dependence, 0.02)
    used = Memo(dependence)
    for i, j in itertools.combinations(range(dependence.n_variables), 2):
        used.cmi(j, i, [v for v in range(dependence.n_variables) if v not in (i, j)])
        used.cmi(j, i)
    SEARCHES[name].run(used, -0.2)
    assert SEARCHES[name].run(used, 0.02) == fresh


@pytest.mark.parametrize("name", SEARCHES)
def test_an_oracle_of_a_tree_gives_the_tree(name):
    for seed in range(0, 36, 3):  # every third world is a tree
        oracle, truth = random_world(seed)
        np.testing.assert_array_equal(SEARCHES[name].run(oracle, 0.0).adjacency, truth)
