"""Every compiled kernel gives the counts of its naive twin, whatever the columns hold."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems import problem, table_of
from scipy.special import digamma

from mrflearn.dependence import _distances, _kernels, naive, neighbours
from mrflearn.dependence.neighbours import CLOSED, OPEN, OPEN_UNLESS_ZERO, NeighbourCounts
from mrflearn.table import as_table


@contextmanager
def _tuned(**constants):
    """Set constants of `neighbours` for a while."""
    before = {name: getattr(neighbours, name) for name in constants}
    for name, value in constants.items():
        setattr(neighbours, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(neighbours, name, value)


def _assert_equal_to_naive(values, nominal, nominal_distance, sets, k, ball):
    """Compare the counts and radii of all candidates with those of the naive twins."""

    def distances(columns):
        return naive.distances(values[columns], nominal[columns], nominal_distance)

    table = table_of(values, nominal, sets)
    counter = NeighbourCounts(table, k, nominal_distance)
    given = [1] if len(sets["z"]) else []
    candidates = list(range(2, table.n_variables))
    answered = []
    for places, counts, radii, order in counter.count([0], given, candidates, ball):
        assert sorted(order) == list(range(table.n_samples))
        for row, place in enumerate(places):
            y = sets["yw"[place]]
            dx, dy, dz = distances(sets["x"]), distances(y), distances(sets["z"])
            joint = np.maximum(np.maximum(dx, dy), dz)
            np.fill_diagonal(joint, np.inf)
            expected_radii = np.sort(joint, axis=1)[:, k - 1]
            np.testing.assert_array_equal(radii[row], expected_radii[order])
            if ball == OPEN_UNLESS_ZERO:
                is_open = naive.cmi_counts(dx, dy, dz, k, open_ball=True)
                closed = naive.cmi_counts(dx, dy, dz, k, open_ball=False)
                expected = np.where(expected_radii > 0, is_open, closed)
            else:
                expected = naive.cmi_counts(dx, dy, dz, k, open_ball=ball == OPEN)
            np.testing.assert_array_equal(counts[row], expected[:, order])
            answered.append(place)
    assert sorted(answered) == list(range(len(candidates)))


BALLS = st.sampled_from([CLOSED, OPEN, OPEN_UNLESS_ZERO])


@pytest.mark.kernel
@settings(max_examples=600, deadline=None)
@given(problem(), BALLS, st.integers(1, 16), st.sampled_from([0.1, 1.0, 4.0]))
def test_counts_equal_the_naive_ones(setting, ball, leaf_size, length):
    """One leaf or many, lists long or much too short, strips wide or narrow."""
    values, nominal, nominal_distance, sets, k = setting
    sizes = {"LEAVES_FROM": leaf_size, "LEAF_SIZE": leaf_size, "LIST_LENGTH": length}
    with _tuned(FEW=0, STRIP_WIDTH=length, **sizes):
        _assert_equal_to_naive(values, nominal, nominal_distance, sets, k, ball)


@pytest.mark.kernel
@settings(max_examples=300, deadline=None)
@given(problem(), BALLS)
def test_counts_of_pairs_equal_the_naive_ones(setting, ball):
    values, nominal, nominal_distance, sets, k = setting
    none = np.array([], dtype=np.int64)
    sets = {"x": sets["x"][:1], "y": sets["y"][:1], "z": none, "w": none}
    ordered = np.zeros_like(nominal)
    for width in (0.01, 1.0, 20.0):
        with _tuned(FEW=0, STRIP_WIDTH=width):
            _assert_equal_to_naive(values, ordered, nominal_distance, sets, min(k, 5), ball)
    with _tuned(FEW=0):
        _assert_equal_to_naive(values, nominal, nominal_distance, sets, k, ball)


@pytest.mark.kernel
@settings(max_examples=300, deadline=None)
@given(problem(), BALLS)
def test_counts_of_few_equal_the_naive_ones(setting, ball):
    values, nominal, nominal_distance, sets, k = setting
    with _tuned(FEW=300):
        _assert_equal_to_naive(values, nominal, nominal_distance, sets, k, ball)


@pytest.mark.parametrize("seed", range(24))
def test_counts_equal_the_naive_ones_on_tables_of_every_kind(seed):
    """Sizes around the crossover points; columns continuous, rounded, nominal; rows twice."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.choice([40, 130, 1023, 1025, 1100]))
    values = rng.normal(size=(8, n_samples)) * 10.0 ** rng.integers(-3, 3, size=(8, 1))
    values[4:6] = np.round(values[4:6], seed % 3)
    nominal = np.zeros(8, dtype=bool)
    if seed % 2:
        values[6:] = rng.integers(4, size=(2, n_samples))
        nominal[7] = True
    if seed % 5 == 0:
        values[:, n_samples // 2 :] = values[:, : n_samples - n_samples // 2]
    z = rng.choice(np.arange(1, 8), size=seed % 4, replace=False)
    rest = np.setdiff1d(np.arange(1, 8), z)
    sets = {"x": np.array([0]), "z": z, "y": rest[:1], "w": rest[1 : 2 + seed % 2]}
    for k in (1, 3, 5, 6, 25):
        for ball in (CLOSED, OPEN, OPEN_UNLESS_ZERO):
            _assert_equal_to_naive(values, nominal, np.inf, sets, k, ball)


@pytest.mark.kernel
@pytest.mark.parametrize("n_given", [0, 1, 2])
def test_more_candidates_than_lanes_and_portions_change_nothing(n_given):
    """Twenty candidates of all sorts at once, in portions of one block, and one by one."""
    rng = np.random.default_rng(n_given)
    frame = {f"c{i}": rng.normal(size=60) for i in range(16)}
    frame |= {f"n{i}": rng.choice(list("abc"), size=60) for i in range(9)}
    table = as_table(pd.DataFrame(frame), groups={"pair": ["c4", "c5"], "mix": ["c6", "n6"]})
    given, candidates = [1, 2][:n_given], list(range(3, table.n_variables))
    counter = NeighbourCounts(table, 5, np.inf)

    def every(counter, candidates):
        found = {}
        for places, counts, _, order in counter.count([0], given, candidates, CLOSED):
            for row, place in enumerate(places):
                found[candidates[place]] = counts[row][:, np.argsort(order)].tolist()
        return found

    together = every(counter, candidates)
    assert sorted(together) == candidates
    with _tuned(WORKING_MEMORY=1):
        assert every(counter, candidates) == together
    for few in (0, 300):
        with _tuned(FEW=few):
            for j in candidates:
                assert every(counter, [j]) == {j: together[j]}


@pytest.mark.kernel
@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30), st.data())
def test_select_finds_the_entry_of_a_rank(entries, data):
    rank = data.draw(st.integers(0, len(entries) - 1))
    assert _distances.select(np.array(entries), len(entries), rank) == sorted(entries)[rank]


@pytest.mark.kernel
@settings(max_examples=300, deadline=None)
@given(problem(), st.sampled_from([0, 300]))
def test_euclidean_counts_equal_the_naive_ones(setting, few):
    values, nominal, nominal_distance, sets, k = setting
    with _tuned(FEW=few):
        _check_euclidean(values, nominal, nominal_distance, sets, k)


def _check_euclidean(values, nominal, nominal_distance, sets, k):
    def distances(columns):
        return naive.distances(values[columns], nominal[columns], nominal_distance, euclidean=True)

    counter = NeighbourCounts(table_of(values, nominal, sets), k, nominal_distance)
    candidates = [2, 3] if len(sets["w"]) else [2]
    answers = counter.count([0, 1], [], candidates, CLOSED, euclidean=True)
    for places, counts, radii, order in answers:
        da = distances(np.concatenate([sets["x"], sets["z"]]))
        for row, place in enumerate(places):
            k_m, n_a, n_b, atom = naive.ksg_counts(da, distances(sets["yw"[place]]), k, False)
            np.testing.assert_array_equal(radii[row] == 0, atom[order])
            np.testing.assert_array_equal(counts[row, 2:], np.array([n_a, n_b])[:, order])
            at_zero = atom[order] == 1
            np.testing.assert_array_equal(counts[row, 0][at_zero], k_m[order][at_zero])


@pytest.mark.parametrize("seed", range(20))
def test_euclidean_ties_on_a_lattice_are_exact(seed):
    """(1, 7) and (5, 5) are equally long; sums of squares of small integers say so exactly."""
    values = np.random.default_rng(seed).integers(0, 10, size=(4, 40)).astype(float)
    nominal = np.zeros(4, dtype=bool)

    def distances(columns):
        squares = [(values[c][:, None] - values[c]) ** 2 for c in columns]
        return np.sqrt(np.sum(squares, axis=0))

    np.testing.assert_array_equal(
        naive.distances(values[:3], nominal[:3], euclidean=True), distances([0, 1, 2])
    )
    sets = {"x": np.arange(3), "z": np.arange(0), "y": np.array([3]), "w": np.arange(0)}
    counter = NeighbourCounts(table_of(values, nominal, sets), 3, np.inf)
    slow = naive.ksg_counts(distances([0, 1, 2]), distances([3]), 3, open_ball=False)
    for few in (0, 300):
        with _tuned(FEW=few):
            ((_, counts, _, order),) = counter.count([0], [], [2], CLOSED, euclidean=True)
        np.testing.assert_array_equal(counts[0, 2:], slow[1:3, order])


@pytest.mark.parametrize("n_samples", [60, 150])
@pytest.mark.parametrize("k", [1, 5, 40, -1])
@pytest.mark.parametrize("levels", [None, 2, 7, 40])
def test_counts_agree_on_larger_tables_with_and_without_ties(n_samples, k, levels):
    rng = np.random.default_rng(n_samples + k)
    values = rng.normal(size=(5, n_samples))
    if levels is not None:
        values[: 3 if k == 1 else 5] = rng.integers(levels, size=values[: 3 if k == 1 else 5].shape)
    nominal = np.array([False, False, False, False, k == 40])
    k = n_samples - 1 if k == -1 else k
    sets = {"x": np.array([0]), "z": np.array([1, 2]), "y": np.array([3]), "w": np.array([4])}
    for ball in (CLOSED, OPEN):
        _assert_equal_to_naive(values, nominal, np.inf, sets, k, ball)


@pytest.mark.kernel
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 30), min_size=8, max_size=8), min_size=1, max_size=2),
    st.lists(st.lists(st.integers(1, 30), min_size=8, max_size=8), min_size=1, max_size=2),
)
@example([[1] * 8], [[1] * 8])
def test_mean_over_counts_is_the_mean_whatever_the_order_of_samples(added, subtracted):
    function = digamma(np.arange(31) + (np.arange(31) == 0))
    counts = np.array([[*added, *subtracted]], dtype=np.int32)
    signs = np.array([1] * len(added) + [-1] * len(subtracted))
    (mean,) = _kernels.mean_over_counts(counts, signs, function)
    expected = (signs[:, None] * function[counts[0]]).sum(axis=0).mean()
    assert mean == pytest.approx(expected, abs=1e-12)
    backwards = np.ascontiguousarray(counts[:, ::-1, ::-1])
    assert _kernels.mean_over_counts(backwards, signs[::-1].copy(), function)[0] == mean
    twice = np.concatenate([counts, counts], axis=1)
    assert _kernels.mean_over_counts(twice, np.concatenate([signs, -signs]), function)[0] == 0.0


def test_kernels_work_where_nothing_can_be_cached(tmp_path):
    """Numba refuses to cache when it finds no folder to write to; we compile without then."""
    import os
    import shutil
    import subprocess
    import sys

    import mrflearn

    package = tmp_path / "site" / "mrflearn"
    shutil.copytree(
        os.path.dirname(mrflearn.__file__), package, ignore=shutil.ignore_patterns("__pycache__")
    )
    # Files where the cache folders would be: not even root can write into those.
    (package / "dependence" / "__pycache__").write_text("")
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    program = (
        "import numpy as np, mrflearn;"
        "assert 'site' in mrflearn.__file__;"
        "r = np.random.default_rng(0); x = r.normal(size=50);"
        "print(mrflearn.mutual_information(x, x + r.normal(size=50), method='knn'))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(blocked / "home"),
        "XDG_CACHE_HOME": str(blocked / "cache"),
        "NUMBA_CACHE_DIR": str(blocked / "numba"),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert 0 < float(done.stdout) < 2
