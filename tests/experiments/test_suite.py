"""The worlds that methods are compared across."""

import numpy as np
import pytest

from mrflearn.errors import InputError
from mrflearn.experiments.suite import SPLITS, curved_random, suite
from mrflearn.table import as_table


def test_both_splits_have_the_same_sorts_of_worlds():
    design, report = map(suite, SPLITS)
    assert design.keys() == report.keys()


def test_worlds_drawn_at_random_differ_between_the_splits():
    design, report = map(suite, SPLITS)
    for name in design:
        if any(word in name for word in ("network", "random", "curved", "grid", "scale-free")):
            assert not np.array_equal(design[name].adjacency, report[name].adjacency), name


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
