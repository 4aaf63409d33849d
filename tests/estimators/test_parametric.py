"""What every parametric estimator promises. A new one joins by a line in `CASES`."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from mrflearn import (
    JOSE,
    GLasso,
    InputError,
    MixedPairwise,
    NodewiseLasso,
    NodewiseLogistic,
    Skeptic,
    Space,
)
from mrflearn.datasets import mixed_world, shapes, sparse_gaussian
from mrflearn.datasets.gaussian import gaussian_on
from mrflearn.datasets.ising import ising_on
from mrflearn.estimators import ESTIMATORS, ParametricEstimator

CONTINUOUS = gaussian_on(shapes.chain(4), strength=0.45, random_signs=False)
BINARY = ising_on(shapes.chain(4), coupling=0.8)
TRUTH = shapes.chain(4)

# For each: the estimator, a world whose graph is a chain, and a lambda that gives some edges.
CASES = {
    "glasso": (GLasso(), CONTINUOUS, 0.2),
    "skeptic": (Skeptic(), CONTINUOUS, 0.2),
    "skeptic-kendall": (Skeptic(rank="kendall"), CONTINUOUS, 0.2),
    "space": (Space(), CONTINUOUS, 0.3),
    "space-residual": (Space(weights="residual"), CONTINUOUS, 0.3),
    "lasso-and": (NodewiseLasso(), CONTINUOUS, 0.15),
    "lasso-or": (NodewiseLasso(rule="or"), CONTINUOUS, 0.2),
    "lasso-paired": (NodewiseLasso(rule="paired"), CONTINUOUS, 0.2),
    "logistic-and": (NodewiseLogistic(), BINARY, 0.05),
    "logistic-or": (NodewiseLogistic(rule="or"), BINARY, 0.07),
    "logistic-paired": (NodewiseLogistic(rule="paired"), BINARY, 0.08),
    "jose": (JOSE(), BINARY, 0.1),
    "jose-group": (JOSE(form="group"), BINARY, 0.1),
    "mixed-continuous": (MixedPairwise(), CONTINUOUS, 0.3),
    "mixed-binary": (MixedPairwise(kinds=dict.fromkeys(range(4), "nominal")), BINARY, 0.1),
}


@pytest.fixture(params=CASES)
def case(request):
    estimator, world, lam = CASES[request.param]
    return estimator, world.sample(400, random_state=1), lam


def _is_chain(graph):
    return np.array_equal(graph.adjacency, TRUTH)


def _set(estimator, **options):
    return type(estimator)(**(estimator.get_params() | options))


@parametrize_with_checks(
    [GLasso(), Skeptic(), Space(), NodewiseLasso(), MixedPairwise()],
)
def test_scikit_learn_conventions_hold(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_all_are_known_by_name():
    named = {cls for cls in ESTIMATORS.values() if issubclass(cls, ParametricEstimator)}
    assert named == {type(estimator) for estimator, _, _ in CASES.values()}


def test_a_chain_is_found(case):
    estimator, frame, _ = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = estimator.path(frame)
    right = [lam for lam, graph in zip(path.lams, path, strict=True) if _is_chain(graph)]
    assert right, "no lambda gives the chain"
    lam = right[len(right) // 2]
    fitted = _set(estimator, lam=lam).fit(frame)
    np.testing.assert_array_equal(fitted.adjacency_, TRUTH)
    assert fitted.converged_
    assert fitted.residual_ <= fitted.tol
    assert fitted.n_iter_ >= 1
    assert np.isfinite(fitted.objective_)
    assert fitted.lam_ == fitted.graph_.lam == lam
    assert fitted.graph_.unit != "nats"
    assert fitted.graph_.nodes == tuple(frame.columns)
    assert all(edge.weight > 0 for edge in fitted.graph_.edges)
    assert fitted.path_[0] == fitted.graph_


def test_a_path_is_a_fit_at_each_lambda(case):
    estimator, frame, lam = case
    lams = [lam, 4.0, lam / 4, lam]
    path = estimator.path(frame, lams)
    assert path.lams == tuple(lams)
    for at, graph in zip(lams, path, strict=True):
        alone = _set(estimator, lam=at).fit(frame).graph_
        np.testing.assert_array_equal(graph.adjacency, alone.adjacency)
        weights = [[edge.weight for edge in one.edges] for one in (graph, alone)]
        np.testing.assert_allclose(*weights, atol=2e-4)
    assert not path[1].edges


def test_without_lambdas_a_path_goes_from_no_edge_to_many(case):
    estimator, frame, _ = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = estimator.path(frame)
    assert len(path) == 50
    assert list(path.lams) == sorted(path.lams, reverse=True)
    assert not path[0].edges
    assert len(path[-1].edges) >= 3


def test_columns_in_another_order_give_the_same_graph(case):
    estimator, frame, lam = case
    if estimator.kinds:
        estimator = _set(estimator, kinds=dict.fromkeys(frame.columns, "nominal"))
    plain = _set(estimator, lam=lam).fit(frame).graph_
    moved = _set(estimator, lam=lam).fit(frame.iloc[:, ::-1]).graph_
    named = {frozenset(edge[:2]): edge.weight for edge in plain.edges}
    again = {frozenset(edge[:2]): edge.weight for edge in moved.edges}
    assert named.keys() == again.keys()
    for ends, weight in named.items():
        assert again[ends] == pytest.approx(weight, abs=2e-4)


def test_a_constant_is_isolated_and_changes_nothing_else(case):
    estimator, frame, lam = case
    estimator = _set(estimator, lam=lam)
    alone = estimator.fit(frame)
    weights = [edge.weight for edge in alone.graph_.edges]
    if estimator.kinds:
        estimator = _set(estimator, kinds=dict.fromkeys(frame.columns, "nominal"))
    frame = frame.copy()
    frame.insert(2, "constant", 1)
    with pytest.warns(UserWarning, match="constant column 'constant'"):
        fitted = estimator.fit(frame)
    assert fitted.graph_.neighbors("constant") == ()
    np.testing.assert_allclose([edge.weight for edge in fitted.graph_.edges], weights, atol=1e-6)
    for name in ("precision_", "couplings_", "coefficients_", "partial_correlations_"):
        if hasattr(fitted, name):
            assert getattr(fitted, name).shape == (5, 5)
            assert not np.delete(getattr(fitted, name)[2], 2).any()


def test_constants_alone_have_no_edges(case):
    estimator, _, _ = case
    estimator = _set(estimator, kinds=None)
    with pytest.warns(UserWarning, match="constant"):
        fitted = estimator.fit(pd.DataFrame({"a": [1] * 5, "b": [0] * 5, "c": [0, 1, 0, 1, 0]}))
    assert not fitted.graph_.edges
    with pytest.warns(UserWarning, match="constant"):
        assert not estimator.path(pd.DataFrame({"a": [1] * 5, "b": [0] * 5}))[0].edges


def test_two_columns_that_are_the_same_share_an_edge(case):
    estimator, frame, lam = case
    frame = frame.assign(twin=frame.iloc[:, 0])
    if estimator.kinds:
        estimator = _set(estimator, kinds=dict.fromkeys(frame.columns, "nominal"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = _set(estimator, lam=lam).fit(frame)
    assert fitted.graph_.has_edge(frame.columns[0], "twin")


def test_a_solver_that_falls_short_says_so(case):
    estimator, frame, lam = case
    with pytest.warns(ConvergenceWarning, match=r"did not converge at lam=.*raise max_iter or lam"):
        fitted = _set(estimator, lam=lam / 10, max_iter=1, tol=1e-12).fit(frame)
    assert not fitted.converged_
    assert fitted.residual_ > 1e-12


def test_a_path_that_falls_short_says_so_once(case):
    estimator, frame, lam = case
    with pytest.warns(ConvergenceWarning) as caught:
        _set(estimator, max_iter=1, tol=1e-12).path(frame, [lam / 10, lam / 20])
    assert len(caught) == 1
    assert "and 1 more" in str(caught[0].message)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lam": -0.1}, "lam must not be negative, got -0.1"),
        ({"lam": np.nan}, "got NaN"),
        ({"lam": "much"}, "lam must be a number or 'auto', got 'much'"),
        ({"tol": 0}, "tol must be a positive number, got 0"),
        ({"tol": None}, "tol must be a positive number, got None"),
        ({"max_iter": 0}, "max_iter must be a positive whole number, got 0"),
        ({"max_iter": 2.5}, "max_iter must be a positive whole number, got 2.5"),
        ({"groups": {"both": [0, 1]}}, "'both' is a group of 2"),
        ({"missing": "fill"}, "unknown missing 'fill'"),
    ],
)
def test_bad_options_are_refused(case, options, words):
    estimator, frame, _ = case
    with pytest.raises(InputError, match=words):
        _set(estimator, **options).fit(frame)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (Skeptic(rank="pearson"), "unknown rank 'pearson'"),
        (Space(weights="none"), "unknown weights 'none'"),
        (NodewiseLasso(rule="nor"), "unknown rule 'nor'"),
        (NodewiseLogistic(rule="nor"), "unknown rule 'nor'"),
        (JOSE(form="ternary"), "unknown form 'ternary'"),
        (MixedPairwise(calibrated="no"), "calibrated must be True or False, got 'no'"),
    ],
)
def test_an_unknown_choice_is_refused(estimator, words):
    with pytest.raises(InputError, match=words):
        estimator.fit(BINARY.sample(50, random_state=0))


@pytest.mark.parametrize("cls", [GLasso, Skeptic, Space, NodewiseLasso])
def test_methods_for_numbers_refuse_names(cls):
    frame = CONTINUOUS.sample(60, random_state=0)
    frame["city"] = list("abc") * 20
    with pytest.raises(InputError, match=r"column 'city' is nominal with 3 levels: use Mixed"):
        cls().fit(frame)
    frame["city"] = list("ab") * 30
    cls().fit(frame)


@pytest.mark.parametrize("cls", [JOSE, NodewiseLogistic])
def test_methods_for_categories_refuse_numbers(cls):
    frame = BINARY.sample(60, random_state=0).assign(mass=np.linspace(0, 1, 60))
    with pytest.raises(InputError, match=r"'mass'.*MixedPairwise"):
        cls().fit(frame)


def test_binary_methods_say_what_to_use_for_more_levels():
    frame = BINARY.sample(60, random_state=0).assign(city=list("abc") * 20)
    for estimator in (JOSE(form="binary"), NodewiseLogistic()):
        with pytest.raises(InputError, match=r"'city'.*3.*form=.group."):
            estimator.fit(frame)
    JOSE().fit(frame)


def test_a_mixed_table_is_fitted():
    frame = mixed_world().sample(200, random_state=0)
    fitted = MixedPairwise(lam=0.2).fit(frame)
    assert fitted.converged_
    assert fitted.graph_.edges


@pytest.mark.parametrize(
    "estimator", [GLasso(0.3), Skeptic(0.3), NodewiseLasso(0.3), MixedPairwise(0.3)]
)
def test_fewer_rows_than_columns_are_enough(estimator):
    frame = sparse_gaussian(30, random_state=2).sample(20, random_state=0)
    fitted = estimator.fit(frame)
    assert fitted.converged_
    assert fitted.graph_.edges


def test_positions_count_constants():
    frame = mixed_world().sample(100, random_state=0)
    plain = MixedPairwise(lam=0.3).fit(frame)
    frame.insert(0, "constant", 1)
    with pytest.warns(UserWarning, match="constant"):
        fitted = MixedPairwise(lam=0.3).fit(frame)
    np.testing.assert_array_equal(fitted.continuous_, plain.continuous_ + 1)
    np.testing.assert_array_equal(fitted.discrete_, plain.discrete_ + 1)
    np.testing.assert_allclose(fitted.beta_, plain.beta_, atol=1e-8)


@pytest.mark.parametrize("cls", [GLasso, Skeptic])
@pytest.mark.parametrize("lam", [0.5, 0.75, 0.01])
def test_columns_that_are_all_the_same_are_no_crash(cls, lam):
    column = np.random.default_rng(0).normal(size=(100, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert cls(lam).fit(np.tile(column, (1, 5)) * [1, -1, 1, 2, 1]).graph_.edges
        assert cls(lam).fit(np.random.default_rng(1).normal(size=(2, 5))).graph_.edges


def test_another_fit_leaves_nothing_of_the_one_before():
    frame = BINARY.sample(60, random_state=0)
    estimator = JOSE(form="group").fit(frame)
    assert hasattr(estimator, "blocks_")
    estimator.set_params(form="binary").fit(frame)
    assert not hasattr(estimator, "blocks_")
    estimator = NodewiseLasso().fit(frame)
    assert not hasattr(estimator.set_params(rule="paired").fit(frame), "neighbourhoods_")


def test_a_warning_points_at_the_call(case):
    estimator, frame, lam = case
    with pytest.warns(ConvergenceWarning) as caught:
        _set(estimator, lam=lam / 10, max_iter=1, tol=1e-12).fit(frame)
    assert caught[0].filename == __file__


def test_a_path_wants_a_list(case):
    estimator, frame, _ = case
    with pytest.raises(InputError, match=r"lams must be a list of numbers, .* got 0.1"):
        estimator.path(frame, 0.1)


def test_a_penalty_by_the_name_that_scikit_learn_gives_it_is_refused():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(InputError, match=r"alpha is a share of false edges, .* lam=0\.1 is a pen"):
        GLasso(alpha=0.1).fit(X)
