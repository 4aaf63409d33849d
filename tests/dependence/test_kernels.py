"""Every compiled kernel gives the counts of its naive twin, whatever the columns hold."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from mrflearn.dependence import _kernels, _lists, naive

FLOATS = st.floats(-1e300, 1e300, allow_nan=False, allow_subnormal=False)
TINY = st.floats(-1e-290, 1e-290, allow_nan=False)
LEVELS = st.integers(0, 3).map(float)
MAGNITUDES = st.integers(-300, 300).map(lambda e: 10.0**e)


@st.composite
def column(draw, n_samples):
    kind = draw(st.sampled_from(["floats", "tiny", "levels", "constant", "magnitudes", "mixture"]))
    values = {
        "floats": FLOATS,
        "tiny": TINY,
        "levels": LEVELS,
        "constant": st.just(draw(FLOATS)),
        "magnitudes": MAGNITUDES,
        "mixture": st.one_of(LEVELS, st.floats(0, 3)),
    }[kind]
    return draw(st.lists(values, min_size=n_samples, max_size=n_samples))


@st.composite
def problem(draw):
    """Columns, which are nominal, who is x, z and a candidate, and k."""
    n_samples = draw(st.integers(2, 14))
    n_columns = draw(st.integers(2, 6))
    columns = [draw(column(n_samples)) for _ in range(n_columns)]
    for c in range(1, n_columns):
        if draw(st.booleans()) and draw(st.booleans()):
            columns[c] = columns[draw(st.integers(0, c - 1))]  # a duplicate column
    values = np.array(columns)
    if draw(st.booleans()):  # duplicate rows
        values[:, draw(st.integers(0, n_samples - 1))] = values[:, 0]
    values.flags.writeable = False  # as in a Table
    nominal = np.array(draw(st.lists(st.booleans(), min_size=n_columns, max_size=n_columns)))
    owner = draw(st.lists(st.sampled_from("xzyw"), min_size=n_columns, max_size=n_columns))
    owner[0], owner[1] = "x", "y"
    sets = {name: np.flatnonzero(np.array(owner) == name).astype(np.int64) for name in "xyzw"}
    k = draw(st.one_of(st.integers(1, n_samples - 1), st.just(n_samples - 1)))
    return values, nominal, draw(st.sampled_from([np.inf, 1.0, 1e-3])), sets, k


def _candidates(sets):
    owned = [columns for columns in (sets["y"], sets["w"]) if len(columns)]
    starts = np.cumsum([0, *(len(columns) for columns in owned)]).astype(np.int64)
    return owned, np.concatenate(owned), starts


@settings(max_examples=400, deadline=None)
@given(problem(), st.booleans())
def test_cmi_counts_equal_the_naive_ones(setting, open_ball):
    values, nominal, nominal_distance, sets, k = setting
    owned, members, starts = _candidates(sets)

    def distances(columns):
        return naive.distances(values[columns], nominal[columns], nominal_distance)

    fast = _kernels.cmi_counts(
        values, nominal, nominal_distance, sets["x"], sets["z"], members, starts, k, open_ball
    )
    for c, y in enumerate(owned):
        slow = naive.cmi_counts(
            distances(sets["x"]), distances(y), distances(sets["z"]), k, open_ball
        )
        np.testing.assert_array_equal(fast[c], slow)


def _ordered(values, nominal, z):
    """Return the samples in the order of a column of z, and that column; -1 if none has one."""
    keys = [c for c in z if not nominal[c]]
    if not keys:
        return values, -1
    ordered = np.ascontiguousarray(values[:, np.argsort(values[keys[0]], kind="stable")])
    ordered.flags.writeable = False
    return ordered, int(keys[0])


@settings(max_examples=600, deadline=None)
@given(problem(), st.booleans(), st.integers(1, 16))
def test_list_counts_equal_the_naive_ones(setting, open_ball, length):
    values, nominal, nominal_distance, sets, k = setting
    owned, members, starts = _candidates(sets)
    values, key = _ordered(values, nominal, sets["z"])

    def distances(columns):
        return naive.distances(values[columns], nominal[columns], nominal_distance)

    fast = _lists.list_counts(
        values, nominal, nominal_distance, key, sets["x"], sets["z"], members, starts, k,
        open_ball, length,
    )  # fmt: skip
    for c, y in enumerate(owned):
        slow = naive.cmi_counts(
            distances(sets["x"]), distances(y), distances(sets["z"]), k, open_ball
        )
        np.testing.assert_array_equal(fast[c], slow)


@pytest.mark.parametrize("seed", range(24))
def test_list_counts_equal_the_plain_ones_on_tables_of_every_kind(seed):
    """Lists short and long, windows narrow and wide, all ways that a radius can be found."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.choice([40, 130, 400]))
    values = rng.normal(size=(8, n_samples)) * 10.0 ** rng.integers(-3, 3, size=(8, 1))
    values[4:6] = np.round(values[4:6], seed % 3)
    nominal = np.zeros(8, dtype=bool)
    if seed % 2:
        values[6:] = rng.integers(4, size=(2, n_samples))
        nominal[7] = True
    if seed % 5 == 0:
        values[:, n_samples // 2 :] = values[:, : n_samples - n_samples // 2]  # rows twice
    x, z = np.array([0]), rng.choice(np.arange(1, 8), size=seed % 4 + 1, replace=False)
    rest = np.setdiff1d(np.arange(1, 8), z)
    starts = np.concatenate([np.arange(len(rest)), [len(rest)]])  # the last owns one column, too
    if len(rest) > 2:  # and here two
        starts = np.delete(starts, -2)
    values, key = _ordered(values, nominal, z)
    for k in (1, 3, 5, 6, 25):
        for open_ball in (False, True):
            plain = _kernels.cmi_counts(values, nominal, np.inf, x, z, rest, starts, k, open_ball)
            for length in (k, 3 * k + 10, n_samples // 2):
                fast = _lists.list_counts(
                    values, nominal, np.inf, key, x, z, rest, starts, k, open_ball, length
                )
                np.testing.assert_array_equal(fast, plain)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30), st.data())
def test_select_finds_the_entry_of_a_rank(entries, data):
    rank = data.draw(st.integers(0, len(entries) - 1))
    assert _lists.select(np.array(entries), len(entries), rank) == sorted(entries)[rank]


@settings(max_examples=400, deadline=None)
@given(problem(), st.booleans(), st.booleans())
def test_ksg_counts_equal_the_naive_ones(setting, open_ball, euclidean):
    values, nominal, nominal_distance, sets, k = setting
    owned, members, starts = _candidates(sets)
    a = np.concatenate([sets["x"], sets["z"]])

    def distances(columns):
        return naive.distances(values[columns], nominal[columns], nominal_distance, euclidean)

    fast = _kernels.ksg_counts(
        values, nominal, nominal_distance, a, members, starts, k, open_ball, euclidean
    )
    for c, b in enumerate(owned):
        slow = naive.ksg_counts(distances(a), distances(b), k, open_ball)
        np.testing.assert_array_equal(fast[c], slow)


@pytest.mark.parametrize("seed", range(20))
def test_euclidean_ties_on_a_lattice_are_exact(seed):
    """(1, 7) and (5, 5) are equally long; sums of squares of small integers say so exactly."""
    values = np.random.default_rng(seed).integers(0, 10, size=(4, 40)).astype(float)
    values.flags.writeable = False
    nominal = np.zeros(4, dtype=bool)

    def distances(columns):
        squares = [(values[c][:, None] - values[c]) ** 2 for c in columns]
        return np.sqrt(np.sum(squares, axis=0))

    np.testing.assert_array_equal(
        naive.distances(values[:3], nominal[:3], euclidean=True), distances([0, 1, 2])
    )
    fast = _kernels.ksg_counts(
        values,
        nominal,
        np.inf,
        np.array([0, 1, 2]),
        np.array([3]),
        np.array([0, 1]),
        3,
        False,
        True,
    )
    slow = naive.ksg_counts(distances([0, 1, 2]), distances([3]), 3, open_ball=False)
    np.testing.assert_array_equal(fast[0], slow)


@pytest.mark.parametrize("n_samples", [60, 150])
@pytest.mark.parametrize("k", [1, 5, 40, -1])
@pytest.mark.parametrize("levels", [None, 2, 7, 40])
def test_counts_agree_on_larger_tables_with_and_without_ties(n_samples, k, levels):
    rng = np.random.default_rng(n_samples + k)
    values = rng.normal(size=(5, n_samples))
    if levels is not None:
        values[: 3 if k == 1 else 5] = rng.integers(levels, size=values[: 3 if k == 1 else 5].shape)
    values.flags.writeable = False
    nominal = np.array([False, False, False, False, k == 40])
    k = n_samples - 1 if k == -1 else k
    x, z = np.array([0]), np.array([1, 2])
    members, starts = np.array([3, 4]), np.array([0, 1, 2])
    dx, dz = (naive.distances(values[c], nominal[c]) for c in (x, z))
    for open_ball in (False, True):
        fast = _kernels.cmi_counts(values, nominal, np.inf, x, z, members, starts, k, open_ball)
        for c, y in enumerate(([3], [4])):
            dy = naive.distances(values[y], nominal[y])
            np.testing.assert_array_equal(fast[c], naive.cmi_counts(dx, dy, dz, k, open_ball))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 30), min_size=8, max_size=8), min_size=1, max_size=2),
    st.lists(st.lists(st.integers(1, 30), min_size=8, max_size=8), min_size=1, max_size=2),
)
@example([[1] * 8], [[1] * 8])
def test_mean_over_counts_is_the_mean_whatever_the_order_of_samples(added, subtracted):
    function = digamma(np.arange(31) + (np.arange(31) == 0))
    added, subtracted = np.array(added), np.array(subtracted)
    mean = _kernels.mean_over_counts(added, subtracted, function)
    expected = function[added].sum(axis=0) - function[subtracted].sum(axis=0)
    assert mean == pytest.approx(expected.mean(), abs=1e-12)
    backwards = _kernels.mean_over_counts(
        np.ascontiguousarray(added[::-1, ::-1]), np.ascontiguousarray(subtracted[:, ::-1]), function
    )
    assert backwards == mean  # to the last bit
    assert _kernels.mean_over_counts(added, added, function) == 0.0


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
