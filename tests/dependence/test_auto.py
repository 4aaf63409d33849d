"""The default dependence: equal to its slow twin, fair to either of its estimates, and true."""

import importlib
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from slow_auto import SlowAuto, share_lessons

from mrflearn.dependence import Auto, Gaussian, OracleGaussian, Question, Threaded, _kernels, auto
from mrflearn.dependence.disagreement import MISFITS, disagreement
from mrflearn.dependence.gaussian import normal_scores
from mrflearn.errors import InputError
from mrflearn.table import as_table


def _table(frame, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constants and odd columns are welcome here
        return as_table(pd.DataFrame(frame), **options)


def _column(rng, sort, n_samples):
    """Return the values and the kind of a column."""
    return {
        "float": lambda: (rng.normal(size=n_samples), "continuous"),
        "rounded": lambda: (np.round(rng.normal(size=n_samples)), "continuous"),
        "ordinal": lambda: (rng.integers(4, size=n_samples).astype(float), "ordinal"),
        "nominal": lambda: (rng.integers(3, size=n_samples).astype(float), "nominal"),
        "labels": lambda: (rng.integers(n_samples, size=n_samples).astype(float), "nominal"),
        "constant": lambda: (np.ones(n_samples), "ordinal"),
    }[sort]()


SORTS = {
    "continuous": ["float", "rounded"],
    "mixed": ["float", "rounded", "ordinal", "nominal", "labels", "constant"],
    "discrete": ["ordinal", "nominal", "labels", "constant"],
}


def _random_table(rng, kind):
    """Return 2 to 5 variables with ties, some copies, equal rows and vectors."""
    n_samples, n_columns = int(rng.integers(3, 20)), int(rng.integers(2, 6))
    columns = [_column(rng, rng.choice(SORTS[kind]), n_samples) for _ in range(n_columns)]
    if kind != "discrete":
        columns[0] = _column(rng, "float", n_samples)
    elif rng.random() < 0.5:
        columns[1] = columns[0]
    if rng.random() < 0.3:
        for values, _ in columns:
            values[1] = values[0]
    return _table(
        {f"x{c}": values for c, (values, _) in enumerate(columns)},
        kinds={f"x{c}": sort for c, (_, sort) in enumerate(columns)},
        groups={"pair": ["x1", "x2"]} if n_columns > 3 and rng.random() < 0.5 else None,
    )


def _questions(n_variables, most=np.inf):
    """Yield all questions, of no more conditions than `most`."""
    for i, j in itertools.combinations(range(n_variables), 2):
        rest = [v for v in range(n_variables) if v not in (i, j)]
        for size in range(min(n_variables - 1, most + 1)):
            for given_variables in itertools.combinations(rest, size):
                yield i, j, given_variables


@pytest.mark.parametrize("kind", SORTS)
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([np.inf, 1.0]))
def test_it_equals_its_slow_twin(kind, seed, nominal_distance):
    rng = np.random.default_rng(seed)
    table = _random_table(rng, kind)
    k = int(rng.integers(1, table.n_samples)) if rng.random() < 0.5 else 2  # up to all others
    _assert_equal(table, k, nominal_distance)


def _assert_equal(table, k, nominal_distance=np.inf):
    """Compare with the twin, unless correlations of so few rows are all 1 but for rounding."""
    fast = Auto(k, nominal_distance).bind(table)
    slow = SlowAuto(table, k, nominal_distance)
    assume(not any(slow.is_determined(*pair) for pair in _questions(table.n_variables, 0)))
    for question in _questions(table.n_variables):
        found = fast.cmi(*question)
        assert np.isfinite(found)
        if not slow.is_determined(*question):
            assert found == pytest.approx(slow.cmi(*question), abs=1e-9)


@pytest.mark.parametrize("n_samples", [2, 3])
@pytest.mark.parametrize("kind", SORTS)
def test_two_or_three_rows_are_enough(kind, n_samples):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        columns = [_column(rng, rng.choice(SORTS[kind]), n_samples) for _ in range(4)]
        table = _table(
            {f"x{c}": values for c, (values, _) in enumerate(columns)},
            kinds={f"x{c}": sort for c, (_, sort) in enumerate(columns)},
        )
        dependence = Auto(1).bind(table)
        assert all(np.isfinite(dependence.cmi(*question)) for question in _questions(4))


@pytest.mark.parametrize(("kind", "n_variables"), [("continuous", 35), ("discrete", 18)])
def test_large_tables_are_probed_in_part(kind, n_variables, monkeypatch):
    monkeypatch.setattr(auto, "MAX_ROWS", 5)  # the twin is slow
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, n_variables)) @ rng.normal(size=(n_variables, n_variables))
    if kind == "discrete":
        values = (values > 0).astype(int)
    table = _table(values)
    fast, slow = Auto(3).bind(table), SlowAuto(table, 3)
    assert fast.learned == (slow.variance, slow.misfit)
    for question in [(0, 5), (3, 17, (4,)), (16, 2, (8, 9))]:
        assert fast.cmi(*question) == pytest.approx(slow.cmi(*question), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(2, 200))
def test_the_spread_over_counts_is_a_standard_deviation(seed, n_candidates, n_samples):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, n_samples + 1, size=(n_candidates, 4, n_samples)).astype(np.int32)
    with np.errstate(divide="ignore"):
        psi = digamma(np.arange(n_samples + 1.0))
    k_m, n_z, n_xz, n_yz = psi[counts.transpose(1, 0, 2)]
    spread = _kernels.spread_over_counts(counts, psi)
    expected = np.std(k_m + n_z - n_xz - n_yz, axis=1)
    np.testing.assert_allclose(spread, expected, atol=1e-4)
    order = rng.permutation(n_samples)
    for same in (counts[:, :, order], counts[:, [0, 1, 3, 2]]):
        assert _kernels.spread_over_counts(same, psi).tolist() == spread.tolist()


def test_the_spread_of_equal_parts_is_zero():
    counts = np.full((1, 4, 300), 7, dtype=np.int32)
    counts[0, 1] = 299
    psi = np.concatenate([[-np.inf], digamma(np.arange(1.0, 301))])
    assert _kernels.spread_over_counts(counts, psi).tolist() == [0.0]


def _frame(kind, n_samples=60):
    """Six variables that depend on each other, not only in a monotone way."""
    rng = np.random.default_rng(21)
    a, b, c, d = rng.normal(size=(4, n_samples))
    frame = pd.DataFrame({"a": a, "b": a + b, "c": b**2 + c, "d": d, "e": a * d + c, "f": c + d})
    if kind == "continuous":
        return frame
    levels = frame.apply(lambda column: pd.qcut(column, 3, labels=False)).astype(int)
    if kind == "discrete":
        levels["f"] = levels["f"].map({0: "p", 1: "q", 2: "r"})
        return levels
    return frame.assign(c=levels["c"], f=levels["f"].map({0: "p", 1: "q", 2: "r"}))


KINDS = ["continuous", "mixed", "discrete"]
ASKED = list(_questions(6))[::5]


@pytest.mark.parametrize("kind", KINDS)
class TestPromises:
    def test_bits_are_the_same_both_ways_and_in_any_order_of_the_condition(self, kind):
        dependence = Auto().bind(_table(_frame(kind)))
        for i, j, condition in ASKED:
            value = dependence.cmi(i, j, condition)
            assert dependence.cmi(j, i, condition) == value
            assert dependence.cmi(i, j, condition[::-1]) == value

    def test_bits_are_the_same_with_threads_and_with_little_memory(self, kind, monkeypatch):
        for name in ("neighbours", "_bound"):
            module = importlib.import_module(f"mrflearn.dependence.{name}")
            monkeypatch.setattr(module, "PART", 0)  # nothing is too small for a thread
        monkeypatch.setattr("mrflearn.dependence.discrete.SAMPLES_FOR_A_THREAD", 0)
        table = _table(_frame(kind))
        asked = [
            Question(i, [j for j in range(6) if j not in (i, *condition)], condition)
            for condition in [(), (1,), (2, 4)]
            for i in {0, 3, 5}.difference(condition)
        ]
        expected = [answer.tolist() for answer in Auto().bind(table).cmi_batch(asked)]
        for other in (Threaded(Auto().bind(table), 2), Auto().bind(table, max_memory=200_000)):
            assert [answer.tolist() for answer in other.cmi_batch(asked)] == expected
            one_by_one = [other.cmi_many(*question).tolist() for question in asked]
            assert one_by_one == expected
        with pytest.raises(InputError, match="max_memory=10 bytes is too little"):
            Auto().bind(table, max_memory=10)

    def test_increasing_transforms_change_no_bit(self, kind):
        frame = _frame(kind)
        bent = frame.assign(a=np.exp(frame["a"]), b=frame["b"] ** 3, d=5 * frame["d"] - 7)
        kinds = {} if kind != "discrete" else dict.fromkeys("abcde", "ordinal")
        one, two = (Auto().bind(_table(data, kinds=kinds)) for data in (frame, bent))
        assert [one.cmi(*q) for q in ASKED] == [two.cmi(*q) for q in ASKED]

    def test_decreasing_transforms_change_nothing(self, kind):
        frame = _frame(kind)
        numbers = frame.columns.drop("f") if kind != "continuous" else frame.columns
        turned = frame.assign(**{name: -frame[name] for name in numbers})
        one, two = (Auto().bind(_table(data)) for data in (frame, turned))
        for question in ASKED:
            assert one.cmi(*question) == pytest.approx(two.cmi(*question), abs=1e-9)

    def test_the_order_of_rows_and_columns_does_not_matter(self, kind):
        frame = _frame(kind)
        plain = Auto().bind(_table(frame))
        rows = Auto().bind(_table(frame.sample(frac=1, random_state=3)))
        order = [3, 0, 4, 5, 2, 1]
        columns = Auto().bind(_table(frame.iloc[:, order]))
        place = {old: new for new, old in enumerate(order)}
        for i, j, condition in ASKED:
            value = pytest.approx(plain.cmi(i, j, condition), abs=1e-9)
            assert rows.cmi(i, j, condition) == value
            assert columns.cmi(place[i], place[j], [place[z] for z in condition]) == value

    def test_a_constant_shares_no_information(self, kind):
        frame = _frame(kind)
        plain, wider = Auto().bind(_table(frame)), Auto().bind(_table(frame.assign(one="same")))
        for i, j, condition in ASKED:
            assert wider.cmi(i, 6, condition) == wider.cmi(6, j, condition) == 0.0
            value = plain.cmi(i, j, condition)
            assert wider.cmi(i, j, (*condition, 6)) == wider.cmi(i, j, condition) == value

    def test_a_condition_on_a_group_is_one_on_its_members(self, kind):
        frame = _frame(kind)
        apart = Auto().bind(_table(frame))
        together = Auto().bind(_table(frame, groups={"pair": ["c", "d"]}))
        # What is learned from the probes differs, as those of the group are others.
        share_lessons(apart, together)
        assert together.cmi(0, 1, (2,)) == pytest.approx(apart.cmi(0, 1, (2, 3)), abs=1e-9)
        assert together.cmi(0, 3, (2, 4)) == pytest.approx(apart.cmi(0, 4, (2, 3, 5)), abs=1e-9)


def test_a_table_of_constants_or_of_one_variable_has_nothing_to_probe():
    for frame in [{"a": np.ones(9), "b": np.ones(9)}, {"a": np.arange(9.0)}, {"a": [1, 2] * 5}]:
        dependence = Auto().bind(_table(frame))
        if dependence.n_variables > 1:
            assert dependence.cmi(0, 1) == 0.0


def test_normal_scores_are_symmetric():
    """Else the rows equally far on either side of a row would not be so by a last digit."""
    for n_samples in range(2, 100):
        values = np.random.default_rng(n_samples).integers(n_samples, size=n_samples)
        np.testing.assert_array_equal(normal_scores(-values), -normal_scores(values))


def _variance(differences, errors, sizes):
    return disagreement(differences, errors, sizes).variance


def test_noise_alone_is_no_disagreement():
    rng = np.random.default_rng(31)
    errors = rng.uniform(0.01, 0.05, size=(200, 40))
    nothing = np.zeros(40)
    found = np.array([_variance(rng.normal(0, error), error, nothing) for error in errors])
    assert np.mean(found == 0) > 0.4  # half of all samples vary less than is expected
    assert np.all(found < 0.03**2)


@pytest.mark.parametrize("deviation", [0.003, 0.03, 0.3])
def test_disagreement_is_the_variance_behind_the_errors(deviation):
    rng = np.random.default_rng(32)
    errors = rng.uniform(0.5, 2.0, size=4000) * deviation
    observed = rng.normal(0, deviation, size=4000) + rng.normal(0, errors)
    sizes = rng.uniform(0.0, 2.0, size=4000) * deviation
    assert deviation**2 / 1.6 < _variance(observed, errors, sizes) < deviation**2 * 1.6


@pytest.mark.parametrize("share", [0.04, 0.2, 0.5])
def test_misjudging_what_is_seen_is_no_disagreement_about_what_is_not(share):
    """Differences that grow with the dependence leave those of weak dependence unexplained."""
    rng = np.random.default_rng(33)
    sizes = np.append(rng.uniform(0.0, 1.0, size=100), np.zeros(300))
    errors = rng.uniform(0.01, 0.03, size=400)
    observed = share * sizes * rng.normal(size=400) + rng.normal(0, errors)
    assert _variance(observed, errors, sizes) < 0.01**2
    assert disagreement(observed, errors, sizes).misfit == pytest.approx(share, rel=0.5)
    assert _variance(observed, errors, rng.permutation(sizes)) >= (share / 10) ** 2
    hidden = rng.normal(0, 0.05, size=400)
    assert 0.04**2 < _variance(observed + hidden, errors, sizes) < 0.06**2


@pytest.mark.parametrize(
    ("differences", "errors", "most"),
    [
        ([], [], 0.0),
        ([0.0], [0.0], 0.0),
        ([0.0, 0.0], [0.1, 0.0], 0.0),
        ([0.5], [0.0], 1.0),
        ([30.0, -20.0], [1e-9, 1e-200], 1.0),
        ([1e-200], [1e-200], 0.0),
    ],
)
def test_disagreement_of_extremes_is_a_number(differences, errors, most):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = np.array(differences), np.array(errors)
        for sizes in (np.zeros(len(errors)), np.full(len(errors), 5.0)):
            found = disagreement(*values, sizes)
            assert 0.0 <= found.variance <= most
            assert found.misfit in MISFITS


@pytest.mark.parametrize("n_samples", [100, 1000])
def test_on_gaussian_tables_it_is_as_good_as_correlations(n_samples):
    rng = np.random.default_rng(41)
    shape = rng.normal(size=(5, 8))
    covariance = shape @ shape.T / 8
    oracle = OracleGaussian(covariance)
    errors = {Auto(): [], Gaussian(copula=True): []}
    for _ in range(5):
        table = as_table(rng.multivariate_normal(np.zeros(5), covariance, size=n_samples))
        for specification, found in errors.items():
            bound = specification.bind(table)
            found += [bound.cmi(*q) - oracle.cmi(*q) for q in _questions(5)]
    ours, theirs = (np.sqrt(np.mean(np.square(found))) for found in errors.values())
    assert ours < 1.5 * theirs
    assert ours < 1.5 / np.sqrt(n_samples)  # -ln(1 - r^2) / 2 varies by r, in units of 1/sqrt(N)


@pytest.mark.parametrize("kind", ["ordinal", "nominal"])
def test_exclusive_or_is_seen_given_the_third(kind):
    x, y = np.random.default_rng(42).integers(2, size=(2, 1000))
    table = _table({"x": x, "y": y, "z": x ^ y}, kinds=dict.fromkeys("xyz", kind))
    dependence = Auto().bind(table)
    assert dependence.cmi(0, 1, (2,)) == pytest.approx(np.log(2), abs=0.03)
    assert abs(dependence.cmi(0, 1)) < 0.01


def test_what_is_not_monotone_is_seen():
    x, noise, other = np.random.default_rng(43).normal(size=(3, 500))
    table = _table({"x": x, "y": x**2 + 0.3 * noise, "other": other})
    assert Auto().bind(table).cmi(0, 1) > 0.5
    assert Gaussian(copula=True).bind(table).cmi(0, 1) < 0.05
    assert abs(Auto().bind(table).cmi(0, 2)) < 0.05


def test_a_cause_in_common_explains_what_is_not_monotone():
    """X = Z^2 + noise and Y = Z^2 + noise: correlations never see that Z explains them."""
    z, e, f = np.random.default_rng(44).normal(size=(3, 500))
    table = _table({"x": z**2 + 0.5 * e, "y": z**2 + 0.5 * f, "z": z})
    assert Auto().bind(table).cmi(0, 1) > 0.25
    assert Gaussian(copula=True).bind(table).cmi(0, 1, (2,)) > 0.25
    assert Auto().bind(table).cmi(0, 1, (2,)) < 0.1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("condition", [(), (2,), (2, 3)])
def test_independent_columns_share_nothing_on_average(kind, condition):
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(200, 4))
        if kind != "continuous":
            values[:, 1:3] = rng.integers(3, size=(200, 2))
        if kind == "discrete":
            values = np.round(values)
        kinds = {"x1": "nominal", "x2": "ordinal"} if kind == "mixed" else {}
        if kind == "discrete":
            kinds = {"x0": "ordinal", "x1": "nominal", "x2": "ordinal", "x3": "ordinal"}
        found.append(Auto().bind(as_table(values, kinds=kinds)).cmi(0, 1, condition))
    assert abs(np.mean(found)) < 0.01 + 3 * np.std(found) / np.sqrt(len(found))
    assert np.mean(found) < 0.005


@pytest.mark.parametrize("n_samples", [100, 400])
@pytest.mark.parametrize(
    ("y", "condition"),
    [
        ("c1", ()),
        ("two", ()),
        ("four", ()),
        ("steps", ()),
        ("c1", ("c2",)),
        ("four", ("c2",)),
        ("c1", ("four",)),
        ("two", ("four",)),
        ("c1", ("c2", "four")),
    ],
)
def test_neighbour_estimates_are_centred(y, condition, n_samples):
    """Closed balls alone exceed 0 by up to 0.06 here, most of all given labels."""
    rng = np.random.default_rng(50)
    found = []
    for _ in range(40):
        frame = {f"c{v}": rng.normal(size=n_samples) for v in range(3)}
        frame |= {"two": rng.choice(["p", "q"], size=n_samples)}
        frame |= {"four": rng.choice(list("pqrs"), size=n_samples)}
        frame |= {"steps": rng.integers(8, size=n_samples)}
        table = _table(frame)
        dependence = Auto().bind(table)
        x, y_at, *given_variables = map(table.index, ["c0", y, *condition])
        question = (x, (y_at,), tuple(sorted(given_variables)))
        ((value, _, _),) = dependence._neighbour_estimates([question])
        found.append(value[0])
    assert abs(np.mean(found)) < 0.006 + 3 * np.std(found) / np.sqrt(len(found))


def test_discrete_columns_are_a_table_of_their_own():
    frame = _frame("discrete", n_samples=150)
    alone = Auto().bind(_table(frame))
    noise = np.random.default_rng(51).normal(size=(2, 150))
    among = Auto().bind(_table({"first": noise[0], **frame, "last": noise[1]}))
    for i, j, condition in ASKED:
        here = among.cmi(i + 1, j + 1, [z + 1 for z in condition])
        assert here == alone.cmi(i, j, condition)
    asked = among.cmi_many(1, [0, 2, 7, 3], [4])
    assert asked.tolist() == [among.cmi(1, j, [4]) for j in (0, 2, 7, 3)]


def test_neighbours_that_say_less_teach_nothing():
    """They say less of strong dependence in every table: that is no reason to hear them."""
    rng = np.random.default_rng(52)
    chain = np.cumsum(rng.normal(size=(200, 6)), axis=1)
    assert Auto().bind(_table(chain)).learned.variance < 0.02**2
    bent = np.column_stack([chain, chain[:, 0] ** 2])
    assert Auto().bind(_table(bent)).learned.variance > 0.05**2


def test_misjudged_strength_is_mended_though_nothing_is_unseen():
    """Y is uniform between X and X + 2, as in Gao et al. (2017), among columns of noise."""
    rng = np.random.default_rng(53)
    x, noise = rng.integers(5, size=3000), rng.normal(size=(5, 3000))
    frame = {"x": x, "y": x + rng.uniform(0, 2, size=3000)}
    frame |= {f"noise{c}": column for c, column in enumerate(noise)}
    table = _table(frame, kinds={"x": "ordinal"})
    exact = np.log(5) - 0.8 * np.log(2)
    assert Gaussian(copula=True).bind(table).cmi(0, 1) < exact - 0.15
    dependence = Auto().bind(table)
    assert dependence.cmi(0, 1) == pytest.approx(exact, abs=0.06)
    assert np.abs(dependence.cmi_many(2, [0, 1, 3, 4])).max() < 0.02


@pytest.mark.parametrize("n_labels", [0, 1, 2, 3, 4])
def test_labels_that_explain_nothing_hide_nothing(n_labels):
    """Given many labels each row is alone with few others, too few to be neighbours."""
    rng = np.random.default_rng(45)
    x, noise = rng.normal(size=(2, 500))
    labels = {f"label{c}": rng.integers(5, size=500).astype(str) for c in range(n_labels)}
    table = _table({"x": x, "y": x + 0.5 * noise, "q": x**2 + rng.normal(size=500), **labels})
    exact = 0.5 * np.log(1 + 1 / 0.5**2)
    found = Auto().bind(table).cmi(0, 1, range(3, 3 + n_labels))
    assert found == pytest.approx(exact, abs=0.15)


def test_a_column_of_identifiers_is_no_burden():
    """A label of its own for each row has no correlations worth estimating."""
    rng = np.random.default_rng(46)
    x, noise = rng.normal(size=(2, 2000))
    names = np.array([f"row{m}" for m in range(2000)])
    frame = pd.DataFrame({"x": x, "y": x + noise, "name": names})
    dependence = Auto().bind(as_table(frame, kinds={"name": "nominal"}))
    assert dependence.cmi(0, 1, (2,)) == pytest.approx(0.5 * np.log(2), abs=0.05)
    assert abs(dependence.cmi(0, 2)) < 0.05


def test_options_are_checked():
    for make, words in [
        (lambda: Auto(0), "n_neighbors must be at least 1, got 0"),
        (lambda: Auto(nominal_distance=-1), "nominal_distance must be a positive number"),
        (lambda: Auto(9).bind(_table({"a": np.arange(9.0)})), "n_neighbors=9 needs at least 10"),
    ]:
        with pytest.raises(InputError, match=words):
            make()


@pytest.mark.parametrize("n_labels", [20, 100, 240])
@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_columns_of_many_labels_change_nothing_among_others(kind, n_labels):
    """Their noise once decided how far to trust all estimates, and half of the edges were lost."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(240, 1)) + rng.normal(size=(240, 5))
    values = values if kind == "continuous" else np.clip(np.round(values), -2, 2).astype(int)
    frame = pd.DataFrame(values, columns=list("abcde"))
    numbers = np.arange(240) % n_labels
    labels = {name: [f"label {n}" for n in rng.permutation(numbers)] for name in "xyz"}
    alone, beside = (Auto().bind(_table(table)) for table in (frame, frame.assign(**labels)))
    for i, candidates, conditions in ((0, (1, 2), ()), (1, (2, 4), (0,)), (4, (0, 1), (2, 3))):
        expected = alone.cmi_many(i, candidates, conditions)
        assert beside.cmi_many(i, candidates, conditions).tobytes() == expected.tobytes()
