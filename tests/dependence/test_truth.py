"""Estimates against closed forms, exact oracles, naive twins and other libraries."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection._mutual_info import _compute_mi_cc
from sklearn.metrics import mutual_info_score

from mrflearn.dependence import (
    KNN,
    FrenzelPompe,
    Gaussian,
    MixedKSG,
    OracleGaussian,
    OracleGraph,
    OracleJoint,
    PlugIn,
    naive,
)
from mrflearn.dependence.information import conditional_mutual_information, mutual_information
from mrflearn.table import as_table


@pytest.mark.parametrize("specification", [KNN(), FrenzelPompe(), MixedKSG(variant="reference")])
@pytest.mark.parametrize("r", [0.0, 0.5, 0.9])
def test_neighbour_estimates_approach_the_gaussian_closed_form(specification, r):
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 2000))
    y = r * x + np.sqrt(1 - r**2) * noise
    exact = -0.5 * np.log(1 - r**2)
    assert mutual_information(x, y, method=specification) == pytest.approx(exact, abs=0.06)


@pytest.mark.parametrize("specification", [KNN(), FrenzelPompe(), Gaussian(), Gaussian(True)])
def test_conditional_estimates_approach_the_gaussian_closed_form(specification):
    covariance = np.array([[1.0, 0.7, 0.5], [0.7, 1.0, 0.6], [0.5, 0.6, 1.0]])
    exact = OracleGaussian(covariance).cmi(0, 1, (2,))
    x, y, z = np.random.default_rng(2).multivariate_normal(np.zeros(3), covariance, size=3000).T
    estimate = conditional_mutual_information(x, y, z, method=specification)
    assert estimate == pytest.approx(exact, abs=0.05)


def test_neighbour_estimates_see_the_closed_form_of_a_mixture():
    """A discrete x in {0..4}, y uniform on [x, x + 2]: I = ln 5 - (4/5) ln 2 (Gao 2017)."""
    rng = np.random.default_rng(3)
    x = rng.integers(5, size=3000)
    y = x + 2 * rng.random(3000)
    exact = np.log(5) - 0.8 * np.log(2)
    for kinds in ({"x": "nominal"}, {"x": "ordinal"}):
        for method in (KNN(), MixedKSG(variant="reference")):
            estimate = mutual_information(x, y, method=method, kinds=kinds)
            assert estimate == pytest.approx(exact, abs=0.1)


def test_every_discrete_estimate_sees_exclusive_or():
    rng = np.random.default_rng(4)
    x, y = rng.integers(2, size=(2, 2000)).astype(bool)
    z = x ^ y
    for method in ("plugin", "knn"):
        assert abs(mutual_information(x, y, method=method)) < 0.01
        estimate = conditional_mutual_information(x, y, z, method=method)
        assert estimate == pytest.approx(np.log(2), abs=0.01)


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from(["paper", "reference", "depynd"]))
def test_bound_estimates_equal_their_naive_twins(seed, k, variant):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(4, 15)), 1)
    values[0] = rng.integers(3, size=15)
    table = as_table(values.T, kinds={"x0": "nominal"}, scale=None)
    assert not table.constant.any()

    def distances(*columns, euclidean=False):
        index = np.array(columns, dtype=int)
        return naive.distances(table.values[index], table.nominal[index], np.inf, euclidean)

    d0, d1, d23 = distances(0), distances(1), distances(2, 3)
    assert KNN(k).bind(table).cmi(0, 1, (2, 3)) == pytest.approx(
        naive.knn(d0, d1, d23, k), abs=1e-12
    )
    assert FrenzelPompe(k).bind(table).cmi(0, 1, (2, 3)) == pytest.approx(
        naive.frenzel_pompe(d0, d1, d23, k), abs=1e-12
    )
    euclidean = variant == "depynd"
    joint = distances(0, 2, 3, euclidean=euclidean)
    condition = distances(2, 3, euclidean=euclidean)
    expected = naive.mixed_ksg(joint, d1, k, variant) - naive.mixed_ksg(condition, d1, k, variant)
    assert MixedKSG(k, variant).bind(table).cmi(0, 1, (2, 3)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.kernel
@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 30),
    st.lists(st.integers(1, 5), min_size=2, max_size=5),
    st.sampled_from([None, "miller-madow", "df", "bic"]),
    st.floats(0, 5),
    st.integers(0, 10_000),
)
def test_plug_in_equals_its_naive_twin(n_samples, levels, correction, strength, seed):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(top, size=n_samples) for top in levels])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constants are welcome here
        table = as_table(codes.T, kinds=dict.fromkeys(range(len(codes)), "nominal"))
    fast = PlugIn(correction, strength).bind(table).cmi(0, 1, range(2, len(codes)))
    slow = naive.plug_in(codes[:1], codes[1:2], codes[2:], correction, strength)
    assert fast == pytest.approx(slow, abs=1e-12)


def test_plug_in_is_exact_on_a_table_that_is_its_own_distribution():
    """Each cell of a joint table repeated as often as its weight says."""
    rng = np.random.default_rng(7)
    counts = rng.integers(1, 5, size=(2, 3, 2, 2))
    rows = np.repeat(np.array(list(np.ndindex(counts.shape))), counts.ravel(), axis=0)
    table = as_table(rows, kinds=dict.fromkeys(range(4), "nominal"))
    oracle = OracleJoint(counts)
    for i, j in itertools.combinations(range(4), 2):
        rest = [v for v in range(4) if v not in (i, j)]
        for given_variables in [(), rest[:1], rest]:
            assert PlugIn().bind(table).cmi(i, j, given_variables) == pytest.approx(
                oracle.cmi(i, j, given_variables), abs=1e-12
            )


def test_plug_in_agrees_with_scikit_learn():
    rng = np.random.default_rng(8)
    x = rng.integers(4, size=200)
    y = (x + rng.integers(3, size=200)) % 5
    assert mutual_information(x, y, method="plugin") == pytest.approx(mutual_info_score(x, y))


def test_frenzel_pompe_without_condition_agrees_with_scikit_learn():
    rng = np.random.default_rng(9)
    x = rng.normal(size=150)
    y = x + rng.normal(size=150)
    for k in (1, 3, 10):
        ours = mutual_information(x, y, method="frenzel-pompe", n_neighbors=k, scale=None)
        assert ours == pytest.approx(_compute_mi_cc(x, y, k), abs=1e-12)


@pytest.mark.kernel
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3), st.integers(0, 3))
def test_gaussian_equals_the_determinant_formula(seed, n_x, n_y, n_z):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(30, 9)) @ rng.normal(size=(9, 9))
    names = [f"x{c}" for c in range(9)]
    groups = {"x": names[:n_x], "y": names[3 : 3 + n_y]}
    condition = names[6 : 6 + n_z]
    if condition:
        groups["z"] = condition
    table = as_table(data, groups=groups)
    x, y = (table.index(name) for name in "xy")
    z = [table.index("z")] if condition else []
    ours = Gaussian().bind(table).cmi(x, y, z)
    exact = naive.gaussian(
        np.corrcoef(data.T), np.arange(n_x), np.arange(3, 3 + n_y), np.arange(6, 6 + n_z)
    )
    assert ours == pytest.approx(exact, rel=1e-7, abs=1e-9)


def test_copula_ignores_monotone_transforms():
    rng = np.random.default_rng(10)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=100).T
    plain = mutual_information(x, y, method="copula")
    assert mutual_information(np.exp(x), -(y**3), method="copula") == plain
    assert mutual_information(np.exp(x), -(y**3), method="gaussian") != plain


@pytest.mark.kernel
def test_gaussian_survives_columns_that_determine_each_other():
    rng = np.random.default_rng(11)
    a, b = rng.normal(size=(2, 50))
    table = as_table(np.column_stack([a, a, b, a + b, 2 * b]))
    dependence = Gaussian().bind(table)
    assert dependence.cmi(0, 1) == pytest.approx(17.67, abs=0.01)  # the most it gives
    assert dependence.cmi(0, 2, (1,)) == 0.0  # the condition says all about 0
    assert dependence.cmi(0, 2, (3, 4)) == 0.0
    assert dependence.cmi(0, 3, (2, 4)) > 10


def test_gaussian_takes_nominal_columns_as_indicators():
    rng = np.random.default_rng(12)
    city = rng.integers(3, size=400)
    height = np.array([0.0, 2.0, 0.0])[city] + rng.normal(size=400)  # no order of codes shows it
    labels = np.array(["a", "b", "c"])[city]
    assert mutual_information(labels, height, method="gaussian") > 0.2
    relabelled = np.array(["c", "a", "b"])[city]
    assert mutual_information(relabelled, height, method="gaussian") == pytest.approx(
        mutual_information(labels, height, method="gaussian")
    )


def test_nominal_distance_is_never_the_difference_of_codes():
    rng = np.random.default_rng(13)
    labels = rng.integers(4, size=80)
    y = np.array([0.0, 3.0, 1.0, 2.0])[labels] + 0.5 * rng.normal(size=80)
    z = rng.normal(size=80)
    for method in ("knn", "mixed-ksg", "frenzel-pompe"):
        for distance in (np.inf, 1.0):
            values = {
                conditional_mutual_information(
                    np.array(["p", "q", "r", "s"])[order][labels],
                    y,
                    z,
                    method=method,
                    nominal_distance=distance,
                )
                for order in map(list, itertools.permutations(range(4)))
            }
            assert len(values) == 1


def test_infinite_nominal_distance_makes_units_irrelevant():
    rng = np.random.default_rng(14)
    labels = np.array(["u", "v"])[rng.integers(2, size=60)]
    y, z = rng.normal(size=(2, 60))

    def value(factor, distance):
        return conditional_mutual_information(
            labels, factor * y, factor * z, method="knn", scale=None, nominal_distance=distance
        )

    assert value(1.0, np.inf) == value(128.0, np.inf)
    assert value(1.0, 1.0) != value(128.0, 1.0)


def test_oracle_joint_is_the_definition():
    rng = np.random.default_rng(15)
    joint = rng.random((2, 3, 2))
    joint /= joint.sum()
    exact = sum(
        joint[x, y, z]
        * np.log(
            joint[x, y, z] * joint[:, :, z].sum() / (joint[x, :, z].sum() * joint[:, y, z].sum())
        )
        for x, y, z in np.ndindex(joint.shape)
    )
    assert OracleJoint(joint).cmi(0, 1, (2,)) == pytest.approx(exact, abs=1e-14)
    assert OracleJoint(7 * joint).information([0], [1], [2]) == pytest.approx(exact, abs=1e-14)


def test_oracles_give_exact_zeros():
    px, py = np.array([0.3, 0.7]), np.array([0.1, 0.2, 0.7])
    assert OracleJoint(np.outer(px, py)).cmi(0, 1) == 0.0
    chain = np.linalg.inv(np.array([[1.0, -0.4, 0], [-0.4, 1.2, -0.5], [0, -0.5, 1.0]]))
    assert OracleGaussian(chain).cmi(0, 2, (1,)) == 0.0
    assert OracleGaussian(chain).cmi(0, 2) > 0.0


def test_oracle_graph_answers_separation():
    path = np.diag([1, 1, 1], 1) + np.diag([1, 1, 1], -1)
    oracle = OracleGraph(path)
    assert oracle.cmi(0, 3) == 1.0
    assert oracle.cmi(0, 3, (1,)) == 0.0
    assert oracle.cmi(0, 1, (2, 3)) == 1.0


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize("method", ["gaussian", "copula"])
def test_gaussian_does_not_depend_on_units(method, factor):
    rng = np.random.default_rng(16)
    x, noise = rng.normal(size=(2, 60))
    plain = mutual_information(x, x + noise, method=method, scale=None)
    scaled = mutual_information(factor * x, factor * (x + noise), method=method, scale=None)
    assert scaled == pytest.approx(plain, rel=1e-9)


@pytest.mark.kernel
def test_gaussian_keeps_conditions_that_are_nearly_but_not_quite_redundant():
    rng = np.random.default_rng(17)
    a, e, noise = rng.normal(size=(3, 400))
    near = a + 1e-3 * e  # one part in a million of its variance is its own
    data = np.column_stack([near, e + 0.5 * noise, a])
    exact = naive.gaussian(np.corrcoef(data.T), np.array([0]), np.array([1]), np.array([2]))
    assert exact > 0.5
    assert Gaussian().bind(as_table(data)).cmi(0, 1, (2,)) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("shape", [(2, 3), (3, 5), (4, 7, 2)])
def test_plug_in_is_exactly_zero_on_balanced_designs(shape):
    rows = np.array(list(np.ndindex(shape)) * 3)
    table = as_table(rows, kinds=dict.fromkeys(range(len(shape)), "nominal"))
    assert PlugIn().bind(table).cmi(0, 1, range(2, len(shape))) == 0.0


@pytest.mark.parametrize("method", ["knn", "mixed-ksg", "frenzel-pompe", "gaussian", "copula"])
def test_a_constant_shares_no_information(method):
    x = np.random.default_rng(18).normal(size=30)
    assert mutual_information(x, np.ones(30), method=method) == 0.0
    assert conditional_mutual_information(np.ones(30), x, x**2, method=method) == 0.0
