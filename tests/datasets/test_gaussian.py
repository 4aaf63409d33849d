"""Gaussian worlds against their exact covariance and the zeros of their graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.datasets.gaussian import GaussianWorld, gaussian_on, sparse_gaussian
from mrflearn.datasets.shapes import chain, cycle, grid, hub, random_graph, scale_free
from mrflearn.dependence import OracleGaussian
from mrflearn.errors import InputError


def _assert_moments(frame, covariance):
    """Means and covariances of a sample are within 5 standard errors of the exact ones."""
    data = frame.to_numpy()
    variance = covariance.diagonal()
    assert (np.abs(data.mean(axis=0)) < 5 * np.sqrt(variance / len(data))).all()
    found = data.T @ data / len(data)
    error = np.sqrt((np.outer(variance, variance) + covariance**2) / len(data))
    assert (np.abs(found - covariance) < 5 * error).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_sample_covariance_is_the_inverse_of_the_precision(seed):
    world = sparse_gaussian(random_state=seed)
    np.testing.assert_allclose(world.covariance @ world.precision, np.eye(9), atol=1e-12)
    _assert_moments(world.sample(100_000, random_state=seed), world.covariance)


def test_the_test_of_moments_has_power():
    world = sparse_gaussian()
    frame = world.sample(100_000, random_state=0)
    wrong = GaussianWorld(world.precision + 0.03 * np.eye(9))
    with pytest.raises(AssertionError):
        _assert_moments(frame, wrong.covariance)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10_000), st.booleans())
def test_the_zeros_are_those_of_the_graph_and_the_edges_have_their_strength(n, seed, signs):
    adjacency = random_graph(n, mean_degree=min(2, n - 1), random_state=seed)
    world = gaussian_on(adjacency, (0.15, 0.2), random_signs=signs, random_state=seed)
    np.testing.assert_array_equal(world.adjacency, adjacency)
    np.testing.assert_array_equal(world.precision != 0, adjacency | np.eye(n, dtype=bool))
    oracle = OracleGaussian(world.covariance)
    for i, j in np.argwhere(np.triu(np.ones((n, n)), 1)).tolist():
        rest = [v for v in range(n) if v not in (i, j)]
        r = world.partial_correlations[i, j]
        exact = -0.5 * np.log1p(-(r**2))
        assert oracle.cmi(i, j, rest) == pytest.approx(exact, abs=1e-10)
        assert (exact > 0) == adjacency[i, j]
        assert signs or r >= 0


def test_partial_correlations_are_those_of_regression_residuals():
    world = sparse_gaussian(random_state=4)
    data = world.sample(50_000, random_state=4).to_numpy()
    i, j = np.argwhere(np.triu(world.adjacency))[0]
    others = np.delete(data, [i, j], axis=1)
    residuals = [
        data[:, v] - others @ np.linalg.lstsq(others, data[:, v], rcond=None)[0] for v in (i, j)
    ]
    found = np.corrcoef(residuals)[0, 1]
    assert found == pytest.approx(world.partial_correlations[i, j], abs=5 / np.sqrt(50_000))


def test_a_unit_diagonal_is_kept_where_it_is_safe():
    world = gaussian_on(chain(30), 0.3, random_signs=False)
    np.testing.assert_array_equal(world.precision.diagonal(), 1.0)
    np.testing.assert_allclose(world.partial_correlations[world.adjacency], 0.3)


@pytest.mark.parametrize(
    "adjacency",
    [
        hub(60),
        cycle(50),
        grid(12, 12),
        scale_free(120, 2, random_state=0),
        np.ones((8, 8)) > np.eye(8),
    ],
    ids=["hub", "cycle", "grid", "scale-free", "complete"],
)
@pytest.mark.parametrize("strength", [0.3, 0.9])
def test_any_graph_at_any_strength_is_positive_definite(adjacency, strength):
    world = gaussian_on(adjacency, strength, random_signs=False)
    np.testing.assert_array_equal(world.adjacency, adjacency)
    assert np.linalg.eigvalsh(world.precision)[0] > 0.02
    sizes = world.partial_correlations[world.adjacency]
    assert (sizes > 0).all()
    assert sizes.max() <= strength + 1e-12


def test_signs_are_random_on_request():
    on = grid(6, 6)
    both = gaussian_on(on, 0.2, random_state=0).partial_correlations[on]
    assert 0.2 < (both > 0).mean() < 0.8
    assert (gaussian_on(on, 0.2, random_signs=False).partial_correlations[on] > 0).all()


def test_the_default_world_is_one_world():
    first, second = sparse_gaussian(), sparse_gaussian()
    np.testing.assert_array_equal(first.precision, second.precision)
    assert (first.precision != sparse_gaussian(random_state=1).precision).any()
    assert first.n_variables == 9
    assert len(first.graph.edges) == 12
    signs = np.sign(first.partial_correlations[first.adjacency])
    assert {-1.0, 1.0} <= set(signs)


def test_the_size_of_a_sparse_world_can_be_chosen():
    assert len(sparse_gaussian(30, n_edges=17).graph.edges) == 17
    assert len(sparse_gaussian(2).graph.edges) == 1
    assert sparse_gaussian(1).n_variables == 1


def test_rounding_of_an_inverse_is_forgiven():
    covariance = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.7]])
    precision = np.linalg.inv(covariance)
    precision[0, 1] *= 1 + 1e-15
    world = GaussianWorld(precision)
    np.testing.assert_array_equal(world.precision, world.precision.T)
    np.testing.assert_allclose(world.covariance, covariance)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GaussianWorld([[1.0, 2.0], [2.0, 1.0]]), "positive definite.*eigenvalue is -1"),
        (lambda: GaussianWorld([[1.0, 1.0], [1.0, 1.0]]), "positive definite"),
        (lambda: GaussianWorld([[1.0, 0.2], [0.1, 1.0]]), r"entries \(0, 1\) and \(1, 0\) are 0.2"),
        (lambda: GaussianWorld([[1.0, 0.2]]), r"square matrix, got shape \(1, 2\)"),
        (lambda: GaussianWorld([[np.nan]]), "NaN or infinite"),
        (lambda: GaussianWorld([["a"]]), "precision must be a matrix of numbers"),
        (lambda: GaussianWorld([[1.0], [1.0, 2.0]]), "precision must be a matrix of numbers"),
        (lambda: gaussian_on(np.eye(3)), "True on its diagonal"),
        (lambda: gaussian_on(chain(3), 1.2), "strength must be below 1"),
        (lambda: gaussian_on(chain(3), (0.3, 0.1)), r"ascending, got \(0.3, 0.1\)"),
        (lambda: gaussian_on(chain(3), 0.0), "away from zero"),
        (lambda: gaussian_on(chain(3), "strong"), "a number or a range"),
        (lambda: sparse_gaussian(0), "n_variables must be an integer of at least 1"),
        (lambda: sparse_gaussian(4, 7), "4 nodes have room for 0 to 6 edges, not for 7"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()
