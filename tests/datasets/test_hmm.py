"""Hidden Markov models against tables made by loops, the Markov property, and exact moments."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from mrflearn.datasets.hmm import ContinuousHMM, DiscreteHMM
from mrflearn.dependence import OracleJoint
from mrflearn.errors import InputError

UNEVEN = DiscreteHMM(
    transitions=[[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.25, 0.75]]],
    emission=[[0.15, 0.7], [0.85, 0.4]],
    initial=[0.3, 0.6],
)
"""No two numbers alike, so that no table can be read the wrong way round unnoticed."""


def _by_ancestors(world):
    """The joint table, state by state, parents first."""

    def bernoulli(p, x):
        return p if x == 1 else 1 - p

    n_steps = world.n_steps
    table = {}
    for state in itertools.product((0, 1), repeat=3 * n_steps):
        named = dict(zip(world.names, state, strict=True))
        p = 1.0
        for c in (1, 2):
            p *= bernoulli(world.initial[c - 1], named[f"s{c}_1"])
            for t in range(2, n_steps + 1):
                before, now = named[f"s{c}_{t - 1}"], named[f"s{c}_{t}"]
                p *= world.transitions[c - 1][before][now]
        for t in range(1, n_steps + 1):
            p *= bernoulli(world.emission[named[f"s1_{t}"]][named[f"s2_{t}"]], named[f"o_{t}"])
        table[state] = p
    return table


@pytest.mark.parametrize("world", [DiscreteHMM(), UNEVEN, DiscreteHMM(n_steps=2)])
def test_the_joint_table_is_the_product_of_the_conditional_ones(world):
    table = _by_ancestors(world)
    for state, p in table.items():
        assert world.joint[state] == pytest.approx(p, abs=1e-15)
    assert world.joint.sum() == pytest.approx(1.0, abs=1e-12)


def _p_value(frame, joint):
    cells = np.ravel_multi_index(frame.to_numpy().T, joint.shape)
    observed = np.bincount(cells, minlength=joint.size)
    expected = joint.ravel() * len(frame)
    common = expected >= 5
    return chisquare(
        np.append(observed[common], observed[~common].sum() + 1e-9),
        np.append(expected[common], expected[~common].sum() + 1e-9),
    ).pvalue


@pytest.mark.parametrize("world", [DiscreteHMM(), UNEVEN])
def test_samples_are_drawn_from_the_joint_table(world):
    assert _p_value(world.sample(60_000, random_state=0), world.joint) > 1e-4


def test_the_goodness_of_fit_rejects_the_other_world():
    assert _p_value(UNEVEN.sample(60_000, random_state=0), DiscreteHMM().joint) < 1e-9
    swapped = DiscreteHMM(3, UNEVEN.transitions[::-1], UNEVEN.emission, UNEVEN.initial)
    assert _p_value(UNEVEN.sample(60_000, random_state=0), swapped.joint) < 1e-9
    near = DiscreteHMM(emission=[[0.1, 0.9], [0.9, 0.12]])
    assert _p_value(DiscreteHMM().sample(60_000, random_state=0), near.joint) < 1e-4


def test_marginals_and_conditionals_of_a_long_chain_are_exact():
    """Too many variables for a table: marginals by powers of the transition matrix."""
    n_steps, n_samples = 20, 40_000
    world = DiscreteHMM(n_steps, UNEVEN.transitions, UNEVEN.emission, UNEVEN.initial)
    frame = world.sample(n_samples, random_state=1)
    for c in range(2):
        now = np.array([1 - UNEVEN.initial[c], UNEVEN.initial[c]])
        for t in range(1, n_steps + 1):
            error = np.sqrt(now[1] * now[0] / n_samples)
            assert abs(frame[f"s{c + 1}_{t}"].mean() - now[1]) < 5 * error
            now = now @ UNEVEN.transitions[c]
    for t in (1, 7, 20):
        for a, b in itertools.product((0, 1), repeat=2):
            seen = frame.loc[(frame[f"s1_{t}"] == a) & (frame[f"s2_{t}"] == b), f"o_{t}"]
            p = UNEVEN.emission[a][b]
            assert abs(seen.mean() - p) < 5 * np.sqrt(p * (1 - p) / len(seen))


@pytest.mark.parametrize("world", [DiscreteHMM(), UNEVEN, DiscreteHMM(n_steps=4)])
def test_edges_are_exactly_the_dependences_given_all_the_rest(world):
    oracle = OracleJoint(world.joint, tolerance=0.0)
    for i, j in itertools.combinations(range(world.n_variables), 2):
        rest = [v for v in range(world.n_variables) if v not in (i, j)]
        value = oracle.cmi(i, j, rest)
        assert value > 1e-3 if world.adjacency[i, j] else abs(value) < 1e-12


def test_the_observation_makes_independent_states_dependent():
    oracle = OracleJoint(DiscreteHMM().joint)
    s1, s2, o = (DiscreteHMM().names.index(name) for name in ("s1_2", "s2_2", "o_2"))
    assert oracle.cmi(s1, s2) == oracle.cmi(s1, o) == oracle.cmi(s2, o) == 0.0
    assert oracle.cmi(s1, s2, [o]) > 0.3


@pytest.mark.parametrize("make", [DiscreteHMM, ContinuousHMM])
@pytest.mark.parametrize("n_steps", [1, 2, 3, 10])
def test_the_graph_is_the_moralised_network(make, n_steps):
    world = make(n_steps=n_steps)
    network = nx.DiGraph()
    for t in range(1, n_steps + 1):
        network.add_edges_from([(f"s1_{t}", f"o_{t}"), (f"s2_{t}", f"o_{t}")])
        if t > 1:
            network.add_edges_from((f"s{c}_{t - 1}", f"s{c}_{t}") for c in (1, 2))
    moral = nx.to_numpy_array(nx.moral_graph(network), nodelist=world.names).astype(bool)
    np.testing.assert_array_equal(world.adjacency, moral)
    assert len(world.graph.edges) == 3 * n_steps + 2 * (n_steps - 1)


def test_three_steps_give_nine_variables_in_the_order_of_the_chains():
    expected = ("s1_1", "s1_2", "s1_3", "s2_1", "s2_2", "s2_3", "o_1", "o_2", "o_3")
    assert DiscreteHMM().names == ContinuousHMM().names == expected
    assert len(DiscreteHMM().graph.edges) == 13


SPACES = {
    "default": ContinuousHMM(),
    "uneven": ContinuousHMM(4, [0.9, -0.5], [0.3, 1.2]),
    "started": ContinuousHMM(3, [1.1, 0.6], [0.5, 0.4], [0.2, 2.0]),
}


@pytest.fixture(params=SPACES.values(), ids=SPACES.keys())
def space(request):
    return request.param


def _assert_mean(values, exact):
    """The mean of a sample is within 5 standard errors, as the sample itself estimates them."""
    error = values.std(axis=0) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - exact) < 5 * error).all()


def test_second_moments_of_the_continuous_model_are_exact(space):
    data = space.sample(200_000, random_state=0).to_numpy()
    _assert_mean(data, 0.0)
    for i in range(space.n_variables):
        _assert_mean(data * data[:, [i]], space.covariance[i])


def test_the_spread_of_the_observation_is_the_second_state(space):
    """E[(o - s1)²] = E s2², E[(o - s1)² s2²] = E s2⁴ = 3 Var², and no skew."""
    frame = space.sample(200_000, random_state=1)
    for t in range(1, space.n_steps + 1):
        rest = (frame[f"o_{t}"] - frame[f"s1_{t}"]).to_numpy()
        s2 = frame[f"s2_{t}"].to_numpy()
        variance = space.covariance[space.names.index(f"s2_{t}"), space.names.index(f"s2_{t}")]
        _assert_mean(rest**2, variance)
        _assert_mean(rest**2 * s2**2, 3 * variance**2)
        _assert_mean(rest * s2, 0.0)
        _assert_mean((rest / np.abs(s2)) ** 4, 3.0)  # standard normal


def test_the_test_of_moments_has_power():
    data = ContinuousHMM().sample(200_000, random_state=0).to_numpy()
    wrong = ContinuousHMM(noise=(0.6, 0.61)).covariance
    with pytest.raises(AssertionError):
        _assert_mean(data * data[:, [3]], wrong[3])


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6),
    st.tuples(*[st.floats(-0.95, 0.95).filter(lambda a: abs(a) > 0.01)] * 2),
    st.tuples(*[st.floats(0.1, 3.0)] * 2),
    st.none() | st.tuples(*[st.floats(0.1, 3.0)] * 2),
)
def test_the_covariance_is_that_of_the_linear_recursion(n_steps, coefficients, noise, initial):
    """States are a matrix times independent noise: invert the recursion, and square."""
    world = ContinuousHMM(n_steps, coefficients, noise, initial)
    blocks = []
    for c in range(2):
        recursion = np.eye(n_steps) - coefficients[c] * np.eye(n_steps, k=-1)
        scale = np.full(n_steps, noise[c])
        start = noise[c] ** 2 / (1 - coefficients[c] ** 2) if initial is None else initial[c]
        scale[0] = np.sqrt(start)
        blocks.append(np.linalg.inv(recursion) * scale)
    first, second = (block @ block.T for block in blocks)
    zero = np.zeros_like(first)
    expected = np.block(
        [
            [first, zero, first],
            [zero, second, zero],
            [first, zero, first + np.diag(np.diag(second))],
        ]
    )
    np.testing.assert_allclose(world.covariance, expected, rtol=1e-9, atol=1e-12)


def test_by_default_the_states_are_stationary():
    covariance = ContinuousHMM(n_steps=8, coefficients=(0.3, -0.9), noise=(2.0, 0.1)).covariance
    for c, exact in ((0, 4.0 / (1 - 0.09)), (1, 0.01 / (1 - 0.81))):
        variances = covariance.diagonal()[c * 8 : (c + 1) * 8]
        np.testing.assert_allclose(variances, exact)


@pytest.mark.parametrize("make", [DiscreteHMM, ContinuousHMM])
@pytest.mark.parametrize("n_steps", [0, -1, 2.0, True])
def test_the_number_of_steps_is_a_positive_integer(make, n_steps):
    with pytest.raises(InputError, match="n_steps must be an integer of at least 1"):
        make(n_steps=n_steps)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DiscreteHMM(emission=[[0.1, 1.2], [0.5, 0.5]]), "emission holds 1.2, but"),
        (lambda: DiscreteHMM(initial=[-0.1, 0.5]), "initial holds -0.1, but probabilities lie"),
        (
            lambda: DiscreteHMM(transitions=[[[0.8, 0.2], [0.2, 0.8]], [[0.8, 0.3], [0.2, 0.8]]]),
            r"transitions\[1\]\[0\] must sum to 1, but sums to 1.1",
        ),
        (
            lambda: DiscreteHMM(emission=[0.1, 0.9]),
            r"emission must have shape \(2, 2\), got \(2,\)",
        ),
        (lambda: DiscreteHMM(emission=[[0.1, "x"], [1, 1]]), "emission must be numbers of shape"),
        (lambda: DiscreteHMM(initial=[np.nan, 0.5]), "initial holds NaN or infinite"),
        (lambda: DiscreteHMM(n_steps=7).joint, "at most 6 steps, and here are 7"),
        (lambda: ContinuousHMM(coefficients=(1.0, 0.5)), "no stationary state"),
        (lambda: ContinuousHMM(coefficients=(0.0, 0.5)), "coefficients must not be 0"),
        (lambda: ContinuousHMM(noise=(0.0, 0.5)), "noise must be positive"),
        (lambda: ContinuousHMM(noise=0.5), r"noise must have shape \(2,\), got \(\)"),
        (lambda: ContinuousHMM(initial_variances=(1, -1)), "initial_variances must be positive"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
