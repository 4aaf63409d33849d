"""The worlds that methods are compared across."""

import numpy as np
import pytest

from mrflearn.errors import InputError
from mrflearn.experiments.suite import SPLITS, curved_random, suite
from mrflearn.table import as_table


def test_both_splits_have_the_same_sorts_of_worlds():
    design, report = map(suite, SPLITS)
    assert design.keys() == report.keys()


@pytest.mark.parametrize("name", sorted(set(suite("design")) - {"asia"}))
def test_worlds_differ_between_the_splits(name):
    """In their graph, or in what they draw from the same seed."""
    design, report = (suite(split)[name] for split in SPLITS)
    if design.adjacency.shape == report.adjacency.shape:
        samples = [as_table(w.sample(4000, random_state=0)) for w in (design, report)]
        same_graph = np.array_equal(design.adjacency, report.adjacency)
        assert not same_graph or not np.array_equal(samples[0].values, samples[1].values)


@pytest.mark.parametrize("name", suite("design"))
def test_every_world_gives_tables_of_its_variables(name):
    world = suite("design")[name]
    table = as_table(world.sample(60, random_state=0))
    assert table.n_variables == len(world.adjacency)
    assert world.adjacency.any()
    assert not world.adjacency.all()


def test_curves_are_seen_by_a_quadratic_fit_where_correlations_see_little():
    """Of x² - 1 plus noise: the parent explains much by its square, nothing by itself."""
    world = next(
        world
        for world in (curved_random(2, seed) for seed in range(50))
        if world.adjacency.any() and world.variables[1].draw.curves == (0,)
    )
    frame = world.sample(20_000, random_state=1)
    assert abs(np.corrcoef(frame["x0"], frame["x1"])[0, 1]) < 0.05
    assert np.corrcoef(frame["x0"] ** 2, frame["x1"])[0, 1] > 0.5


def test_an_unknown_split_is_refused():
    with pytest.raises(InputError, match="split"):
        suite("tuning")
