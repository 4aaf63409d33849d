"""Ising samplers against exact tables, transfer matrices and closed forms."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from mrflearn.datasets import ising
from mrflearn.datasets.ising import (
    Ising,
    balancing_signs,
    colour_classes,
    ising_lattice,
    ising_on,
)
from mrflearn.datasets.shapes import chain, cycle, grid, hub, random_graph
from mrflearn.dependence import OracleJoint
from mrflearn.errors import InputError

LEAST_P = 1e-4
"""A right sampler fails one test of ten thousand, and seeds are fixed."""


def _p_value(frame, joint):
    """Chi-square goodness of fit of a table; cells expected fewer than 5 times are merged."""
    cells = np.ravel_multi_index(frame.to_numpy().T, joint.shape)
    observed = np.bincount(cells, minlength=joint.size)
    expected = joint.ravel() * len(frame)
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return chisquare(observed, expected).pvalue


def _spins(frame):
    return 2.0 * frame.to_numpy() - 1.0


def _random_ising(seed, n_variables=6, **options):
    """Couplings of both signs on a graph with cycles, and fields: nothing is symmetric."""
    rng = np.random.default_rng(seed)
    adjacency = random_graph(n_variables, n_variables + 2, random_state=rng)
    fields = rng.uniform(-0.5, 0.5, n_variables)
    return ising_on(adjacency, (0.2, 0.8), True, rng, fields=fields, **options)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 6))
def test_the_joint_table_is_the_definition(seed, n_variables):
    world = _random_ising(seed, n_variables)
    weights = {}
    for state in itertools.product((0, 1), repeat=n_variables):
        s = [2 * x - 1 for x in state]
        energy = sum(h * a for h, a in zip(world.fields, s, strict=True))
        for i, j in itertools.combinations(range(n_variables), 2):
            energy += world.couplings[i, j] * s[i] * s[j]
        weights[state] = np.exp(energy)
    total = sum(weights.values())
    for state, weight in weights.items():
        assert world.joint[state] == pytest.approx(weight / total, rel=1e-12)


@pytest.mark.parametrize(
    "world",
    [ising_lattice(), ising_lattice(2, 4, -0.3, field=0.2), _random_ising(1, 8)],
    ids=["lattice", "field", "random"],
)
def test_edges_are_exactly_the_dependences_given_all_the_rest(world):
    oracle = OracleJoint(world.joint, tolerance=0.0)
    for i, j in itertools.combinations(range(world.n_variables), 2):
        rest = [v for v in range(world.n_variables) if v not in (i, j)]
        value = oracle.cmi(i, j, rest)
        assert value > 1e-4 if world.adjacency[i, j] else abs(value) < 1e-12


@pytest.mark.parametrize("method", ["exact", "gibbs", "wolff"])
@pytest.mark.parametrize("coupling", [0.4, -0.4, 1.0])
def test_samplers_draw_from_the_exact_table_of_a_lattice(method, coupling):
    world = ising_lattice(2, 3, coupling, method=method, n_sweeps=30)
    if method == "gibbs" and coupling == 1.0:  # strong: slow to change sides
        world = ising_lattice(2, 3, coupling, method=method, n_sweeps=1000)
    n_samples = 3_000 if coupling == 1.0 else 10_000
    assert _p_value(world.sample(n_samples, random_state=1), world.joint) > LEAST_P


@pytest.mark.parametrize("method", ["exact", "gibbs"])
@pytest.mark.parametrize("seed", range(3))
def test_samplers_draw_from_the_exact_table_with_fields_and_frustration(method, seed):
    world = _random_ising(seed, method=method)
    assert _p_value(world.sample(20_000, random_state=seed), world.joint) > LEAST_P


@pytest.mark.parametrize("seed", range(3))
def test_wolff_draws_from_the_exact_table_of_uneven_balanced_couplings(seed):
    """Two parts, an isolated variable, and no two couplings alike."""
    rng = np.random.default_rng(seed)
    couplings = np.zeros((7, 7))
    for i, j in [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)]:
        couplings[i, j] = couplings[j, i] = rng.uniform(0.2, 1.0)
    flips = rng.choice([-1.0, 1.0], 7)
    world = Ising(couplings * np.outer(flips, flips), method="wolff")
    assert _p_value(world.sample(10_000, random_state=seed), world.joint) > LEAST_P


@pytest.mark.parametrize("method", ["exact", "gibbs", "wolff"])
def test_the_goodness_of_fit_rejects_a_wrong_coupling(method):
    frame = ising_lattice(2, 3, 0.4, method=method).sample(10_000, random_state=1)
    assert _p_value(frame, ising_lattice(2, 3, 0.45).joint) < 1e-6
    fields = np.array([0.15, 0, 0, 0, 0, 0])
    assert _p_value(frame, ising_on(grid(2, 3), 0.4, fields=fields).joint) < 1e-6


def test_the_goodness_of_fit_rejects_a_chain_that_is_too_short():
    world = ising_lattice(2, 3, 0.8, method="gibbs", n_sweeps=1)
    assert _p_value(world.sample(10_000, random_state=1), world.joint) < 1e-6


def test_chains_run_in_blocks_give_the_same_distribution(monkeypatch):
    monkeypatch.setattr(ising, "SPINS_AT_ONCE", 6 * 700)
    world = _random_ising(5, method="gibbs", n_sweeps=40)
    frame = world.sample(10_000, random_state=0)
    assert len(frame) == 10_000
    assert _p_value(frame, world.joint) > LEAST_P


def test_a_single_chain_does_not_stop_after_large_clusters(monkeypatch):
    """Stopping at a number of flips alone gives 0.56 here, far from the exact 0.45."""
    monkeypatch.setattr(ising, "SPINS_AT_ONCE", 9)
    world = ising_lattice(3, 3, 0.4, method="wolff", n_sweeps=8)
    i, j = np.nonzero(np.triu(world.adjacency))
    spins = _spins(world.sample(600, random_state=0))
    energy = (spins[:, i] * spins[:, j]).mean(axis=1)
    exact = _strip_energy(3, 3, 0.4)
    assert abs(energy.mean() - exact) < 4 * energy.std() / np.sqrt(len(energy))


def _strip_energy(n_rows, n_columns, coupling):
    """Mean of s_i s_j over the bonds of a strip: d ln Z / dJ by transfer matrices.

    Z is analytic in J, so that one complex step gives its derivative without rounding.
    """
    step = 1e-30
    j = coupling + 1j * step
    columns = np.array(list(itertools.product((-1, 1), repeat=n_rows)))
    within = np.exp(j * (columns[:, :-1] * columns[:, 1:]).sum(axis=1))
    between = np.exp(j * (columns @ columns.T))
    vector = within.copy()
    for _ in range(n_columns - 1):
        vector = within * (between @ vector)
    z = vector.sum()
    n_bonds = (n_rows - 1) * n_columns + n_rows * (n_columns - 1)
    return z.imag / z.real / step / n_bonds


def test_the_transfer_matrix_agrees_with_enumeration():
    world = ising_lattice(3, 4, 0.37)
    states = np.array(list(itertools.product((-1, 1), repeat=12)))
    i, j = np.nonzero(np.triu(world.adjacency))
    exact = world.joint.ravel() @ (states[:, i] * states[:, j]).mean(axis=1)
    assert _strip_energy(3, 4, 0.37) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("method", "coupling"), [("wolff", 0.44), ("wolff", 0.7), ("gibbs", 0.3)])
def test_a_strip_of_48_spins_has_the_energy_of_its_transfer_matrix(method, coupling):
    world = ising_lattice(4, 12, coupling, method=method)
    spins = _spins(world.sample(2000, random_state=2))
    i, j = np.nonzero(np.triu(world.adjacency))
    energy = (spins[:, i] * spins[:, j]).mean(axis=1)
    error = energy.std() / np.sqrt(len(energy))
    assert abs(energy.mean() - _strip_energy(4, 12, coupling)) < 4 * error
    assert abs(energy.mean() - _strip_energy(4, 12, coupling + 0.03)) > 4 * error  # has power
    assert abs(spins.mean()) < 4 * spins.mean(axis=1).std() / np.sqrt(len(spins))


@pytest.mark.parametrize("method", ["gibbs", "wolff"])
def test_correlations_along_a_chain_are_products_of_tanh(method):
    couplings = np.triu(ising_on(chain(30), (0.3, 0.8), True, 0).couplings)
    world = Ising(couplings + couplings.T, method=method)
    spins = _spins(world.sample(3000, random_state=3))
    found = spins.T @ spins / len(spins)
    for i in range(30):
        exact = np.cumprod(np.tanh(couplings.diagonal(1)[i:]))
        error = np.sqrt((1 - exact**2) / len(spins))
        assert (np.abs(found[i, i + 1 :] - exact) < 5 * error).all()


def test_samples_are_independent_of_each_other():
    """Chains that shared clusters or noise would make the mean over samples spread too much."""
    for method in ("gibbs", "wolff"):
        world = ising_lattice(2, 3, 0.5, method=method, n_sweeps=30)
        spins = _spins(world.sample(4000, random_state=4)).mean(axis=1)
        lagged = np.corrcoef(spins[:-1], spins[1:])[0, 1]
        assert abs(lagged) < 5 / np.sqrt(len(spins))


@pytest.mark.parametrize(
    ("world", "method"),
    [
        (lambda m: ising_lattice(4, 5, method=m), "exact"),
        (lambda m: ising_lattice(3, 7, 0.4, method=m, n_sweeps=5), "wolff"),
        (lambda m: ising_lattice(3, 7, -0.4, method=m, n_sweeps=5), "wolff"),
        (lambda m: ising_lattice(3, 7, 0.1, method=m), "gibbs"),
        (lambda m: ising_lattice(3, 7, 0.4, field=0.1, method=m, n_sweeps=5), "gibbs"),
        (lambda m: ising_on(cycle(21), -0.7, method=m, n_sweeps=5), "gibbs"),  # an odd cycle
        (lambda m: ising_on(hub(400), 0.4, method=m, n_sweeps=3), "wolff"),
    ],
)
def test_auto_takes_the_exact_table_then_clusters_then_gibbs(world, method):
    assert world("auto").sample(20, 0).equals(world(method).sample(20, 0))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_colour_classes_part_the_nodes_and_hold_no_edge(n, seed):
    adjacency = random_graph(n, mean_degree=min(3, n - 1), random_state=seed)
    classes = colour_classes(adjacency)
    assert sorted(np.concatenate(classes).tolist()) == list(range(n))
    assert not any(adjacency[np.ix_(members, members)].any() for members in classes)
    assert len(classes) <= adjacency.sum(axis=0).max() + 1


def test_a_lattice_has_two_colours():
    assert len(colour_classes(grid(7, 9))) == 2


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 7), st.integers(0, 10_000))
def test_balancing_signs_are_found_where_there_are_any(n, seed):
    rng = np.random.default_rng(seed)
    adjacency = random_graph(n, mean_degree=min(2, n - 1), random_state=rng)
    couplings = ising_on(adjacency, 0.5, True, rng).couplings
    exist = any(
        (np.outer(signs, signs) * couplings >= 0).all()
        for signs in itertools.product((-1, 1), repeat=n)
    )
    signs = balancing_signs(couplings)
    assert (signs is not None) == exist
    if signs is not None:
        assert set(signs) <= {-1.0, 1.0}
        assert (np.outer(signs, signs) * couplings >= 0).all()


def test_the_paper_s_lattice_has_9_variables_and_12_edges():
    world = ising_lattice()
    np.testing.assert_array_equal(world.adjacency, grid(3, 3))
    assert world.names == tuple(f"x{r}_{c}" for r in (1, 2, 3) for c in (1, 2, 3))
    assert world.joint.shape == (2,) * 9


def test_an_ising_model_on_a_graph_has_its_edges_and_strengths():
    adjacency = random_graph(40, 60, random_state=0)
    world = ising_on(adjacency, (0.2, 0.5), random_signs=True, random_state=0, name="tangle")
    np.testing.assert_array_equal(world.adjacency, adjacency)
    sizes = np.abs(world.couplings[adjacency])
    assert 0.2 <= sizes.min() < 0.25
    assert 0.45 < sizes.max() <= 0.5
    assert 0.2 < (world.couplings[adjacency] > 0).mean() < 0.8
    assert world.name == "tangle"
    again = ising_on(adjacency, (0.2, 0.5), random_signs=True, random_state=0)
    np.testing.assert_array_equal(world.couplings, again.couplings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ising([[0, 1], [0, 0]]), r"couplings must be symmetric.*\(0, 1\) and \(1, 0\)"),
        (lambda: Ising([[1.0]]), "couplings must have zeros on the diagonal"),
        (lambda: Ising([0.1, 0.2]), r"couplings must be a square matrix, got shape \(2,\)"),
        (lambda: Ising(np.zeros((0, 0))), r"square matrix, got shape \(0, 0\)"),
        (lambda: Ising([[0, np.inf], [np.inf, 0]]), "couplings holds NaN or infinite"),
        (lambda: Ising(np.zeros((3, 3)), [1.0, 2.0]), "fields must be a finite number, or 3"),
        (lambda: Ising(np.zeros((3, 3)), np.nan), "fields must be a finite number"),
        (lambda: Ising(np.zeros((3, 3)), "up"), "fields must be numbers, got 'up'"),
        (lambda: ising_lattice(method="wolf"), "unknown method 'wolf'; did you mean 'wolff'?"),
        (lambda: ising_lattice(n_sweeps=0), "n_sweeps must be an integer of at least 1"),
        (lambda: ising_lattice(field=0.1, method="wolff"), "needs zero fields"),
        (lambda: ising_on(cycle(3), -0.5, method="wolff"), "needs balanced couplings"),
        (lambda: ising_lattice(3, 7, method="exact"), "at most 20 variables, and here are 21"),
        (lambda: ising_lattice(3, 7).joint, "at most 20 variables, and here are 21"),
        (lambda: ising_lattice(0, 3), "n_rows must be an integer of at least 1"),
        (lambda: ising_lattice(coupling=0.0), "coupling must be finite, away from zero"),
        (lambda: ising_on(chain(3), (0.1, 0.2, 0.3)), "a number or a range"),
        (lambda: ising_on([[0, 1], [0, 0]]), "adjacency must be symmetric"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_lattice_has_one_coupling():
    with pytest.raises(InputError, match=r"must be one number, got \(1, 2\)"):
        ising_lattice(coupling=(1, 2))
