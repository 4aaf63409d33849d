"""StARS by its definition, and the subsamples it rests on."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.errors import InputError
from mrflearn.selection.stars import choose, instabilities
from mrflearn.selection.subsamples import draw_rows, usual_size
from mrflearn.table import as_table


def _frequencies(rng, n_lams, n_variables, n_subsamples):
    graphs = rng.random((n_lams, n_subsamples, n_variables, n_variables)) < rng.random()
    graphs = np.triu(graphs, 1)
    graphs = graphs | graphs.transpose(0, 1, 3, 2)
    return graphs, graphs.mean(axis=1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 6))
def test_instability_is_how_often_two_subsamples_disagree(seed, n_variables, n_subsamples):
    """Drawn with replacement, so that a subsample may meet itself."""
    rng = np.random.default_rng(seed)
    graphs, frequencies = _frequencies(rng, 1, n_variables, n_subsamples)
    pairs = list(itertools.combinations(range(n_variables), 2))
    disagree = [
        np.mean([one[i, j] != other[i, j] for i, j in pairs])
        for one, other in itertools.product(graphs[0], repeat=2)
    ]
    assert instabilities([0.1], frequencies)[0] == pytest.approx(np.mean(disagree))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0.01, 0.49))
def test_the_choice_is_the_smallest_lambda_before_graphs_become_unstable(seed, n_lams, beta):
    rng = np.random.default_rng(seed)
    _, frequencies = _frequencies(rng, n_lams, 4, 5)
    frequencies *= rng.random((n_lams, 1, 1))
    lams = rng.permutation(n_lams) / 10
    expected, worst = None, 0.0
    for position in sorted(range(n_lams), key=lambda k: -lams[k]):
        shares = frequencies[position][np.triu_indices(4, 1)]
        worst = max(worst, np.mean(2 * shares * (1 - shares)))
        if worst <= beta:
            expected = position
    found = choose(lams, frequencies, beta)
    assert found.position == expected
    along = [found.values[k] for k in np.argsort(-lams)]
    assert all(a <= b for a, b in itertools.pairwise(along))


def test_an_instability_of_beta_will_do():
    edge = np.array([[0, 1], [1, 0]])
    frequencies = np.array([0.0 * edge, 0.25 * edge, 0.5 * edge])
    assert choose([0.3, 0.2, 0.1], frequencies, 2 * 0.25 * 0.75).position == 1


@pytest.mark.parametrize("beta", [0.0, 0.5, -1.0, float("nan")])
def test_beta_out_of_range_is_refused(beta):
    with pytest.raises(InputError, match="beta must be between"):
        choose([0.1], np.zeros((1, 3, 3)), beta)


def test_subsamples_depend_on_their_number_alone():
    drawn = [draw_rows(50, 20, number, 7).tolist() for number in range(30)]
    again = [draw_rows(50, 20, number, 7).tolist() for number in reversed(range(30))][::-1]
    assert drawn == again
    assert len({tuple(rows) for rows in drawn}) == 30
    assert all(len(set(rows)) == 20 and rows == sorted(rows) for rows in drawn)
    assert drawn[0] != draw_rows(50, 20, 0, 8).tolist()
    counts = np.bincount(np.concatenate(drawn), minlength=50)
    assert counts.min() > 2


@pytest.mark.parametrize("size", [0, 1, 50, 51])
def test_subsamples_of_all_rows_or_of_one_are_refused(size):
    with pytest.raises(InputError, match=f"a subsample of {size} rows of 50 tells nothing"):
        draw_rows(50, size, 0, 0)


def test_sizes_are_those_of_the_definition():
    for n_samples in range(3, 400):
        size = usual_size(n_samples)
        assert 2 <= size < n_samples
        exact = 10 * np.sqrt(n_samples) if n_samples > 144 else 0.8 * n_samples
        assert exact - 1 < size <= exact


def test_a_table_of_some_rows_has_the_same_kinds_and_scale():
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.normal(size=30), rng.integers(3, size=30), np.arange(30) // 15])
    table = as_table(values, kinds={"x1": "nominal", "x2": "ordinal"})
    rows = [1, 4, 7, 8, 14]
    part = table.at_rows(rows)
    assert part.kinds == table.kinds
    assert part.n_samples == 5
    np.testing.assert_array_equal(part.values, table.values[:, rows])
    assert part.constant.tolist() == [False, False, True]  # all of them in the first half
    assert part.columns[0].n_distinct == 5
    assert table.constant.tolist() == [False] * 3
