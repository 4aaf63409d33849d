"""What every dependence promises. A new one joins by a line in `SPECIFICATIONS`."""

import copy
import importlib
import itertools
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from mrflearn.dependence import (
    DEPENDENCES,
    KNN,
    FrenzelPompe,
    Gaussian,
    Memo,
    MixedKSG,
    OracleGaussian,
    OracleGraph,
    OracleJoint,
    PlugIn,
    Question,
    Sieve,
    Threaded,
    resolve,
)
from mrflearn.errors import InputError
from mrflearn.table import as_table

JOINT = np.random.default_rng(5).random((2, 3, 2, 2, 2))
COVARIANCE = np.cov(np.random.default_rng(6).normal(size=(5, 40)))
CYCLE = np.roll(np.eye(5), 1, axis=0) + np.roll(np.eye(5), -1, axis=0)

SPECIFICATIONS = [
    Sieve(),
    Sieve(basis="linear"),
    KNN(),
    KNN(n_neighbors=1, nominal_distance=1.0),
    FrenzelPompe(),
    MixedKSG(),
    MixedKSG(variant="reference"),
    MixedKSG(variant="depynd"),
    PlugIn(),
    PlugIn(correction="miller-madow"),
    PlugIn(correction="df", strength=1.0),
    PlugIn(correction="bic"),
    Gaussian(),
    Gaussian(copula=True),
    OracleJoint(JOINT),
    OracleGaussian(COVARIANCE),
    OracleGraph(CYCLE),
]


def _name(specification):
    return (
        repr(specification)
        if "object at" not in repr(specification)
        else (type(specification).__name__)
    )


def _frame(kind, n_samples=40):
    """Five variables that depend on each other: continuous, discrete, or of all kinds."""
    rng = np.random.default_rng(11)
    a, b = rng.normal(size=(2, n_samples))
    c = a + b + rng.normal(size=n_samples)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": c**2, "e": rng.normal(size=n_samples)})
    if kind == "continuous":
        return frame
    levels = frame.apply(lambda column: pd.qcut(column, 3, labels=False))
    if kind == "discrete":
        return levels.astype(int)
    frame["b"] = levels["b"].map({0: "low", 1: "mid", 2: "high"})
    frame["d"] = levels["d"].astype(int)
    frame["e"] = frame["e"].round(1)
    return frame


def _bound(specification, kind=None):
    if kind is None:
        kind = "discrete" if isinstance(specification, PlugIn) else "mixed"
    return specification.bind(as_table(_frame(kind)))


QUESTIONS = [
    (i, j, given)
    for i, j in itertools.permutations(range(5), 2)
    for size in range(4)
    for given in itertools.combinations([v for v in range(5) if v not in (i, j)], size)
]


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=_name)
class TestEveryDependence:
    def test_many_and_batch_and_one_are_the_same_bits(self, specification):
        dependence = _bound(specification)
        for i, given in itertools.product(range(5), [(), (2,), (2, 4), (0, 1)]):
            if i in given:
                continue
            candidates = [j for j in range(5) if j not in (i, *given)]
            many = dependence.cmi_many(i, candidates, given)
            one = [dependence.cmi(i, j, given) for j in candidates]
            backwards = dependence.cmi_many(i, candidates[::-1], given)[::-1]
            batch = dependence.cmi_batch([Question(i, candidates, given)])[0]
            assert many.tolist() == one == backwards.tolist() == batch.tolist()

    def test_the_order_of_the_condition_does_not_matter(self, specification):
        dependence = _bound(specification)
        values = {dependence.cmi(0, 1, given) for given in itertools.permutations((2, 3, 4))}
        assert len(values) == 1
        assert dependence.cmi(0, 1, (2, 2, 3)) == dependence.cmi(0, 1, (3, 2))

    def test_it_is_symmetric_where_it_says_so_and_without_a_condition(self, specification):
        dependence = _bound(specification)
        for i, j, given in QUESTIONS:
            if dependence.symmetric or not given:
                assert dependence.cmi(i, j, given) == dependence.cmi(j, i, given)

    def test_values_are_finite(self, specification):
        dependence = _bound(specification)
        assert all(np.isfinite(dependence.cmi(*question)) for question in QUESTIONS)

    def test_threads_and_memo_change_no_bit(self, specification):
        dependence = _bound(specification)
        asked = [
            Question(i, [j for j in range(5) if j not in (i, *given)], given)
            for given in [(), (1,), (2, 4)]
            for i in range(5)
            if i not in given
        ]
        expected = [answer.tolist() for answer in dependence.cmi_batch(asked)]
        for other in (Threaded(dependence, 2), Threaded(dependence, 7), Memo(dependence)):
            assert [answer.tolist() for answer in other.cmi_batch(asked)] == expected

    def test_earlier_questions_leave_no_mark(self, specification):
        forward, backward = Memo(_bound(specification)), Memo(_bound(specification))
        first = {question: forward.cmi(*question) for question in QUESTIONS}
        second = {question: backward.cmi(*question) for question in reversed(QUESTIONS)}
        assert first == second

    def test_impossible_questions_are_refused(self, specification):
        dependence = _bound(specification)
        for question in [(0, 0), (0, 1, (0,)), (0, 1, (1,)), (0, 5), (0, 1, (-1,)), (5, 0)]:
            with pytest.raises(InputError):
                dependence.cmi(*question)
        assert dependence.cmi_many(0, []).shape == (0,)

    def test_copies_are_as_good(self, specification):
        clones = [copy.deepcopy(specification), pickle.loads(pickle.dumps(specification))]
        expected = _bound(specification).cmi(0, 1, (2, 3))
        assert [_bound(clone).cmi(0, 1, (2, 3)) for clone in clones] == [expected, expected]


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
@pytest.mark.parametrize("n_samples", [40, 150, 400])
@pytest.mark.parametrize("specification", [Sieve(), Sieve(basis="linear"), Gaussian()], ids=_name)
def test_regressions_on_one_candidate_are_those_on_many(specification, n_samples, kind):
    """To the bit, though linear algebra on more columns at once may round otherwise."""
    table = as_table(_frame(kind, n_samples))
    dependence = specification.bind(table)
    for i, given in itertools.product(range(5), [(), (1,), (2,), (2, 4), (3, 4), (0, 1)]):
        if i in given:
            continue
        candidates = [j for j in range(5) if j not in (i, *given)]
        many = dependence.cmi_many(i, candidates, given).tolist()
        some = dependence.cmi_many(i, candidates[1:], given).tolist()
        fresh = [specification.bind(table).cmi(i, j, given) for j in candidates]
        assert many == fresh
        assert many[1:] == some


ESTIMATED = [s for s in SPECIFICATIONS if not type(s).__name__.startswith("Oracle")]


@pytest.mark.parametrize("specification", ESTIMATED, ids=_name)
class TestEveryEstimate:
    def test_a_constant_condition_is_no_condition(self, specification):
        frame = _frame("discrete" if isinstance(specification, PlugIn) else "mixed")
        frame["one"] = "same"
        with pytest.warns(UserWarning, match="constant column 'one'"):
            dependence = specification.bind(as_table(frame))
        assert dependence.cmi(0, 1, (5,)) == dependence.cmi(0, 1)
        assert dependence.cmi(0, 1, (2, 5)) == dependence.cmi(0, 1, (2,))

    def test_the_order_of_columns_does_not_matter(self, specification):
        frame = _frame("discrete" if isinstance(specification, PlugIn) else "mixed")
        dependence = specification.bind(as_table(frame))
        order = [3, 0, 4, 2, 1]
        shuffled = specification.bind(as_table(frame.iloc[:, order]))
        for i, j, given in QUESTIONS[::7]:
            moved = shuffled.cmi(order.index(i), order.index(j), [order.index(z) for z in given])
            if isinstance(specification, (Sieve, Gaussian)):  # conditions are swept out in order
                assert moved == pytest.approx(dependence.cmi(i, j, given), rel=1e-9, abs=1e-12)
            else:
                assert moved == dependence.cmi(i, j, given)

    def test_a_group_of_columns_is_one_variable(self, specification):
        kind = "discrete" if isinstance(specification, PlugIn) else "mixed"
        table = as_table(_frame(kind), groups={"pair": ["c", "d"]})
        assert table.names == ("a", "b", "pair", "e")
        together = specification.bind(table)
        separate = specification.bind(as_table(_frame(kind)))
        # Conditioning on the group is conditioning on its members. The sieve chooses functions for
        # all members of a group together.
        exactly = 1e-3 if specification == Sieve() else 1e-12
        assert together.cmi(0, 1, (2,)) == pytest.approx(separate.cmi(0, 1, (2, 3)), abs=exactly)


@pytest.mark.parametrize(
    "specification",
    [Sieve(), KNN(), FrenzelPompe(), MixedKSG(), PlugIn(), Gaussian(copula=True)],
    ids=_name,
)
def test_the_order_of_rows_does_not_matter(specification):
    frame = _frame("discrete" if isinstance(specification, PlugIn) else "mixed")
    shuffled = frame.sample(frac=1, random_state=3)
    one, two = (specification.bind(as_table(f)) for f in (frame, shuffled))
    for question in QUESTIONS[::11]:
        assert one.cmi(*question) == pytest.approx(two.cmi(*question), abs=1e-12)


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
def test_the_order_of_more_rows_than_are_looked_at_twice_does_not_matter(kind):
    frame = _frame(kind, 6000)
    shuffled = frame.sample(frac=1, random_state=3)
    one, two = (Sieve().bind(as_table(f)) for f in (frame, shuffled))
    for question in QUESTIONS[::5]:
        assert one.cmi(*question) == pytest.approx(two.cmi(*question), abs=1e-9)


def test_threads_may_forget_what_others_remember(monkeypatch):
    monkeypatch.setattr("mrflearn.dependence.sieve.MOST_REMEMBERED", 3)
    interval = sys.getswitchinterval()
    table = as_table(np.random.default_rng(0).normal(size=(100, 12)))
    asked = [
        Question(i, [j for j in range(12) if j not in (i, *given)], given)
        for given in itertools.combinations(range(12), 2)
        for i in range(12)
        if i not in given
    ]
    expected = [answer.tolist() for answer in Sieve().bind(table).cmi_batch(asked)]
    sys.setswitchinterval(1e-6)
    try:
        found = Threaded(Sieve().bind(table), 8).cmi_batch(asked)
    finally:
        sys.setswitchinterval(interval)
    assert [answer.tolist() for answer in found] == expected


def test_more_columns_than_all_products_have_room_for_are_answered():
    values = np.random.default_rng(0).normal(size=(400, 90))
    values[:, 2:4] = (values[:, 0] * values[:, 1])[:, None] + 0.3 * values[:, 2:4]
    bound = Sieve().bind(as_table(values))
    assert 0 < len(bound.products) < 90 * 89 / 2
    assert 0 <= bound.cmi(2, 3, (0, 1)) < 0.2 * bound.cmi(2, 3)


def test_memo_counts_each_value_once():
    memo = Memo(_bound(KNN()))
    memo.cmi_batch([Question(i, [j for j in range(5) if j != i]) for i in range(5)])
    assert memo.n_evaluations == 10  # symmetric: a pair is one value
    memo.cmi(3, 1)
    memo.cmi_many(1, [3, 4])
    assert memo.n_evaluations == 10
    memo.cmi(0, 1, (2, 3))
    memo.cmi(1, 0, (3, 2))
    assert memo.n_evaluations == 11


def test_memo_counts_both_directions_of_an_asymmetric_dependence():
    memo = Memo(_bound(MixedKSG()))
    memo.cmi(0, 1)
    memo.cmi(1, 0)
    assert memo.n_evaluations == 1  # without a condition it is symmetric
    memo.cmi(0, 1, (2,))
    memo.cmi(1, 0, (2,))
    assert memo.n_evaluations == 3
    assert memo.cmi(0, 1, (2,)) != memo.cmi(1, 0, (2,))


def test_names_stand_for_specifications():
    assert resolve("mixed-ksg") == MixedKSG()
    assert resolve("copula") == Gaussian(copula=True)
    assert resolve("knn", n_neighbors=9, variant=None) == KNN(9)
    assert resolve(KNN(4)) == KNN(4)
    assert resolve("auto") == resolve("sieve") == Sieve()
    assert resolve("auto", tolerance=0.0, basis=None) == Sieve(tolerance=0.0)
    assert set(DEPENDENCES) == {
        "auto", "sieve", "knn", "mixed-ksg", "frenzel-pompe", "plugin", "gaussian", "copula",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: resolve("knnn"), "unknown dependence 'knnn'; did you mean 'knn'"),
        (lambda: resolve(KNN), r"write KNN\(\)"),
        (lambda: resolve(3), "unknown dependence 3"),
        (lambda: resolve("auto", correction="df"), "it takes basis, tolerance"),
        (lambda: resolve("knn", variant="paper"), "variant= does not apply to dependence 'knn'"),
        (lambda: resolve(OracleGraph(CYCLE), n_neighbors=3), "it takes none"),
        (lambda: Sieve(basis="smoth"), "unknown basis 'smoth'; did you mean 'smooth'"),
        (lambda: Sieve(tolerance=-1e-4), "tolerance must be a number from 0 up, got -0.0001"),
        (lambda: Sieve(tolerance=float("nan")), "tolerance must be a number from 0 up, got nan"),
        (lambda: Sieve(tolerance=float("inf")), "tolerance must be a number from 0 up, got inf"),
        (lambda: KNN(0), "n_neighbors must be at least 1, got 0"),
        (lambda: KNN(2.5), "n_neighbors must be a whole number, got 2.5"),
        (lambda: KNN(True), "whole number"),
        (lambda: KNN(nominal_distance=0), "nominal_distance must be a positive number"),
        (lambda: MixedKSG(variant="papr"), "did you mean 'paper'"),
        (lambda: PlugIn(correction="madow"), "unknown correction 'madow'"),
        (lambda: PlugIn(strength=float("nan")), "strength must be a finite number"),
        (lambda: Gaussian(copula="yes"), "copula must be True or False"),
        (lambda: OracleJoint([0.5, 0.5]), "an axis for each variable"),
        (lambda: OracleJoint([[0.5, -0.5], [1, 0]]), "not negative"),
        (lambda: OracleGaussian([[1, 2], [2, 1]]), "positive definite"),
        (lambda: OracleGaussian([[1, 0]]), "square"),
        (lambda: OracleGraph([[0, 1], [0, 0]]), "symmetric"),
        (lambda: OracleGraph(CYCLE).bind(as_table(np.eye(4))), "5 variables, the table has 4"),
        (lambda: KNN(5).bind(as_table(np.eye(5))), "n_neighbors=5 needs at least 6 rows"),
        (lambda: MixedKSG(5).bind(as_table(np.eye(5))), "n_samples=5"),
        (
            lambda: PlugIn().bind(as_table(_frame("mixed"))),
            "column 'a' .and 2 more. is cont",
        ),
    ],
)
def test_mistakes_are_named(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_questions_about_no_variable_are_refused_by_a_memo_too():
    table = as_table(np.column_stack([np.random.default_rng(0).normal(size=(40, 3)), np.ones(40)]))
    plain = KNN().bind(table)
    memo = Memo(KNN().bind(table))
    memo.cmi_batch([Question(0, [1, 2, 3])])
    for dependence in (plain, memo):
        for question in (
            Question(0, [-1]),
            Question(0, [9, 1]),
            Question(0, [1], [4]),
            Question(3, [1], [3]),  # 3 is constant
            Question(3, [3, 1]),
            Question(0, [3, 1], [3]),
            Question(0.5, [1]),
        ):
            with pytest.raises(InputError):
                dependence.cmi_batch([question])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_neighbours_may_be_counted_in_any_integer(kind):
    table = as_table(np.random.default_rng(0).normal(size=(1500, 5)))
    for specification in (KNN, FrenzelPompe, MixedKSG):
        expected = specification(20).bind(table).cmi_many(0, [1, 2], [3, 4])
        found = specification(kind(20)).bind(table).cmi_many(0, [1, 2], [3, 4])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_samples", [60, 1100])
@pytest.mark.parametrize(
    "specification", [Sieve(), KNN(), FrenzelPompe(), MixedKSG(), KNN(7)], ids=repr
)
def test_threads_that_share_one_question_change_no_bit(specification, n_samples, monkeypatch):
    for name in ("neighbours", "_bound"):
        module = importlib.import_module(f"mrflearn.dependence.{name}")
        monkeypatch.setattr(module, "PART", 0)  # nothing is too small for a thread
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_samples, 16))
    values[:, 12:] = rng.integers(3, size=(n_samples, 4))
    table = as_table(values, kinds={"x14": "nominal", "x15": "nominal"})
    for given in ((), (1,), (1, 2, 12)):
        candidates = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15]
        alone = specification.bind(table).cmi_many(0, candidates, given)
        together = Threaded(specification.bind(table), 3).cmi_many(0, candidates, given)
        np.testing.assert_array_equal(together, alone)
