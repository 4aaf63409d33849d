"""What a card counts is what the processor counts, to the last bit.

Where there is no card the kernels run in Numba's simulator, on fewer and smaller tables.
"""

import pickle
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems import problem, table_of
from simulator import small_blocks

from mrflearn import GSMPLE, IAMB, InputError, as_table, conditional_mutual_information, learn
from mrflearn.datasets import load_penguins
from mrflearn.dependence import KNN, FrenzelPompe, MixedKSG, Question, devices
from mrflearn.dependence import card as card_module
from mrflearn.dependence._bound import CLOSED_SIGNS, psi, reciprocal
from mrflearn.dependence.card import CardCounts, is_simulated
from mrflearn.dependence.neighbours import (
    CLOSED,
    OPEN,
    OPEN_UNLESS_ZERO,
    NeighbourCounts,
    Summary,
)

SIMULATED = is_simulated()
N_TABLES = 40 if SIMULATED else 150


@pytest.fixture(autouse=True, scope="module")
def _quick():
    if SIMULATED:
        with small_blocks():
            yield
    else:
        yield


def _summary(n_samples, ball, atoms):
    """Ask for a mean of each row, and of all together."""
    function = psi(n_samples) if ball == CLOSED and atoms is None else psi(n_samples)[1:]
    rows = [(signs, function) for signs in np.eye(4, dtype=np.int64)]
    spread = psi(n_samples) if ball == CLOSED and atoms is None else None
    return Summary(ball, ((CLOSED_SIGNS, function), *rows), spread, atoms)


def _assert_same(table, k, nominal_distance, questions, summary):
    on_cpu = NeighbourCounts(table, k, nominal_distance).summaries(questions, summary)
    on_card = CardCounts(table, k, nominal_distance).summaries(questions, summary)
    assert [answer.tobytes() for answer in on_card] == [answer.tobytes() for answer in on_cpu]


TWINS = np.zeros((2, 3))
SPREAD = np.array([[0.0, 1e-300, 1e300, -1e300], [0.0, 5e-324, 1.0, 2.0]])
PAIR = {"x": np.array([0]), "y": np.array([1]), "z": np.array([], int), "w": np.array([], int)}


@settings(max_examples=N_TABLES)
@example((TWINS, np.zeros(2, bool), np.inf, PAIR, 2), CLOSED, None)
@example((TWINS, np.ones(2, bool), np.inf, PAIR, 2), OPEN, None)
@example((SPREAD, np.zeros(2, bool), np.inf, PAIR, 3), OPEN, None)
@example((SPREAD, np.zeros(2, bool), np.inf, PAIR, 1), OPEN_UNLESS_ZERO, 1)
@given(
    problem(),
    st.sampled_from([CLOSED, OPEN, OPEN_UNLESS_ZERO]),
    st.sampled_from([None, 0, 1]),
)
def test_sums_are_the_same_bits(setting, ball, atoms):
    """Ties, duplicates, constants, labels, vectors, k = N - 1, and 1e-300 to 1e300."""
    values, nominal, nominal_distance, sets, k = setting
    given = [1] if len(sets["z"]) else []
    table = table_of(values, nominal, sets if given else {**sets, "z": sets["y"]})
    candidates = list(range(2, table.n_variables))
    questions = [([0], given, candidates), ([2], [], [0])]
    _assert_same(table, k, nominal_distance, questions, _summary(table.n_samples, ball, atoms))


def _mixed(n_samples, n_columns, seed):
    """Columns continuous, rounded, of few levels and of labels; some rows twice."""
    rng = np.random.default_rng(seed)
    frame = {}
    common = rng.normal(size=n_samples)
    for c in range(n_columns):
        values = rng.normal(size=n_samples) + common * (c % 3 == 0)
        if c % 4 == 1:
            values = np.round(values, 1)
        elif c % 4 == 2:
            values = rng.choice(list("abcd"), size=n_samples)
        elif c % 4 == 3 and c > 3:
            values = np.round(values).astype(int)
        frame[f"c{c}"] = values
    frame = pd.DataFrame(frame)
    frame.iloc[: n_samples // 8] = frame.iloc[n_samples // 2 : n_samples // 2 + n_samples // 8]
    return frame


@pytest.mark.parametrize(("n_given", "k"), [(0, 5), (1, 1), (3, 13), (2, 20)])
def test_many_questions_at_once_are_answered_as_one_by_one(n_given, k):
    """More candidates than a task has, of all sorts, in one portion and in many."""
    n_samples = max(14, k + 2) if SIMULATED else 600
    groups = {"pair": ["c4", "c5"], "mix": ["c0", "c6"]}
    table = as_table(_mixed(n_samples, 11, n_given), groups=groups)
    every = list(range(table.n_variables))
    questions = []
    for i in (0, 3):
        given = [v for v in every if v != i][:n_given]
        questions.append(([i], given, [v for v in every if v != i and v not in given]))
    questions.append(([1, 2], [], [0, 3, 4]))
    summary = _summary(n_samples, CLOSED, None)
    _assert_same(table, k, np.inf, questions, summary)
    together = CardCounts(table, k, np.inf)
    at_once = together.summaries(questions, summary)
    one_by_one = [together.summaries([question], summary)[0] for question in questions]
    with patch.object(card_module, "WORKING_MEMORY", 1):  # a task at a time
        in_portions = CardCounts(table, k, np.inf).summaries(questions, summary)
    with patch.object(card_module, "MOST_TASKS", 2):
        in_pairs = CardCounts(table, k, np.inf).summaries(questions, summary)
    with patch.object(card_module, "LAUNCH", n_samples * 5):  # some samples at a time
        in_turns = CardCounts(table, k, np.inf).summaries(questions, summary)
    for answers in (one_by_one, in_portions, in_pairs, in_turns):
        for answer, expected in zip(answers, at_once, strict=True):
            assert answer.tobytes() == expected.tobytes()


SPECIFICATIONS = [
    KNN(n_neighbors=3),
    KNN(n_neighbors=3, nominal_distance=0.5),
    FrenzelPompe(n_neighbors=3),
    MixedKSG(),
    MixedKSG(variant="reference"),
]


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=str)
def test_every_dependence_gives_the_same_bits(specification):
    frame = _mixed(20 if SIMULATED else 900, 6, 7)
    table = as_table(frame.assign(c4=frame["c0"] ** 2))
    on_card = type(specification)(**{**vars(specification), "device": "cuda"})
    questions = [
        Question(0, [1, 2, 3, 4, 5]),
        Question(1, [0, 3], [2, 4]),
        Question(2, [4], []),
        Question(5, [0, 1, 2], [3]),
        Question(3, [], [1]),
    ]
    here, there = specification.bind(table), on_card.bind(table)
    assert there.batched
    expected = here.cmi_batch(questions)
    for answer, one in zip(there.cmi_batch(questions), expected, strict=True):
        assert answer.tobytes() == one.tobytes()
    for question, one in zip(questions, expected, strict=True):
        assert there.cmi_many(*question).tobytes() == one.tobytes()


def test_constants_are_left_out_of_batches():
    with pytest.warns(UserWarning, match="constant columns 'one', 'two'"):
        table = as_table(_mixed(16, 4, 3).assign(one=1.0, two=2.0))
    questions = [Question(0, [1, 4, 3], [5]), Question(4, [0, 1]), Question(1, [4], [0])]
    expected = KNN(n_neighbors=2).bind(table).cmi_batch(questions)
    found = KNN(n_neighbors=2, device="cuda").bind(table).cmi_batch(questions)
    assert [answer.tobytes() for answer in found] == [answer.tobytes() for answer in expected]


@pytest.mark.parametrize("search", [GSMPLE, IAMB])
def test_fits_are_the_same(search):
    frame = _mixed(14 if SIMULATED else 800, 4 if SIMULATED else 12, 1)
    for dependence in ("knn", "mixed-ksg"):
        options = {"lam": 0.02, "dependence": dependence}
        here = search(**options).fit(frame)
        there = search(**options, device="cuda").fit(frame)
        assert there.graph_ == here.graph_
        assert there.trace_ == here.trace_
        assert there.objective_ == here.objective_
        assert there.n_evaluations_ == here.n_evaluations_


@pytest.mark.skipif(SIMULATED, reason="takes a card")
def test_what_is_learned_from_a_bundled_table_is_the_same():
    penguins = load_penguins()
    options = {"missing": "drop", "quiet": True, "n_subsamples": 3}
    here, there = learn(penguins, **options), learn(penguins, device="cuda", **options)
    assert there.graph == here.graph
    assert there.path == here.path


def test_it_can_be_sent_to_another_process():
    table = as_table(_mixed(12, 3, 0))
    bound = KNN(n_neighbors=2, device="cuda").bind(table)
    expected = bound.cmi(0, 1)
    assert pickle.loads(pickle.dumps(bound)).cmi(0, 1) == expected


def test_too_little_memory_on_the_card_means_smaller_portions():
    table = as_table(_mixed(20, 6, 0))
    questions = [((0,), (), (1, 2, 3, 4, 5))]
    summary = _summary(20, CLOSED, None)
    expected = NeighbourCounts(table, 2, np.inf).summaries(questions, summary)
    make, asked = card_module._zeros, []

    def scarce(shape):
        asked.append(shape[0])
        if shape[0] > card_module._lanes():
            raise RuntimeError("[CUresult.CUDA_ERROR_OUT_OF_MEMORY] cuMemAlloc failed")
        return make(shape)

    many = list(questions) * card_module._lanes()
    with patch.object(card_module, "_zeros", scarce):
        found = CardCounts(table, 2, np.inf).summaries(many, summary)
    assert len(asked) > 1
    assert all(answer.tobytes() == expected[0].tobytes() for answer in found)

    def none(shape):
        raise RuntimeError("[CUresult.CUDA_ERROR_OUT_OF_MEMORY] cuMemAlloc failed")

    with (
        patch.object(card_module, "_zeros", none),
        pytest.raises(InputError, match="too little free memory: a table of 20 rows takes at"),
    ):
        CardCounts(table, 2, np.inf).summaries(questions, summary)

    def broken(shape):
        raise RuntimeError("unspecified launch failure")

    with (
        patch.object(card_module, "_zeros", broken),
        pytest.raises(RuntimeError, match="unspecified launch failure"),
    ):
        CardCounts(table, 2, np.inf).summaries(questions, summary)


def test_what_was_interrupted_leaves_no_counts_behind():
    table = as_table(_mixed(16, 4, 0))
    counts, summary = CardCounts(table, 2, np.inf), _summary(16, CLOSED, None)
    questions = [([0], [1], [2, 3])]
    (expected,) = counts.summaries(questions, summary)

    def interrupted():
        raise KeyboardInterrupt

    kernels = card_module._kernels()
    with patch.object(kernels, "summing", interrupted), pytest.raises(KeyboardInterrupt):
        counts.summaries(questions, summary)
    (again,) = counts.summaries(questions, summary)
    assert again.tobytes() == expected.tobytes()


def test_the_bound_on_memory_holds_on_the_card():
    table = as_table(_mixed(20, 60, 0))
    free = CardCounts(table, 2, np.inf)
    needed = free._table_memory + card_module._lanes() * free._each_memory
    with pytest.raises(InputError, match=r"max_memory=.* a table of 20 rows on the card takes at"):
        CardCounts(table, 2, np.inf, max_memory=needed - 1)
    counts = CardCounts(table, 2, np.inf, max_memory=needed)
    questions = [((0,), (), (1, 2, 3, 4, 5))] * card_module._lanes()
    summary = _summary(20, CLOSED, None)
    found = counts.summaries(questions, summary)
    assert counts._table_memory + counts._histograms.nbytes <= needed
    (expected,) = NeighbourCounts(table, 2, np.inf).summaries(questions[:1], summary)
    assert all(answer.tobytes() == expected.tobytes() for answer in found)


def test_the_next_number_below_is_that_of_numpy():
    from mrflearn.dependence._card_kernels import _next_below

    edges = [2.0**-1022, 2.0**-1021, 2.0**-1020, 5e-324, 1e-323, 1.0, 2.0, np.inf, 1.7e308]
    rng = np.random.default_rng(0)
    spread = np.abs(rng.normal(size=2000)) * 10.0 ** rng.integers(-307, 308, size=2000)
    for radius in [*edges, *spread.tolist()]:
        for value in (radius, float(np.nextafter(radius, 0)), float(np.nextafter(radius, 1e308))):
            if value > 0:
                assert _next_below.py_func(np.float64(value)) == np.nextafter(value, -np.inf)
    assert _next_below.py_func(0.0) < 0


def test_what_a_card_cannot_do_is_refused():
    table = as_table(_mixed(12, 3, 0))
    with pytest.raises(InputError, match="variant='depynd' runs on the processor alone"):
        MixedKSG(variant="depynd", device="cuda")
    assert not MixedKSG(variant="depynd", device="auto").bind(table).batched
    with pytest.raises(InputError, match="unknown device 'gpu'"):
        KNN(device="gpu")
    for name, cls in (("gaussian", "Gaussian"), ("auto", "Sieve")):
        with pytest.raises(InputError, match=f"device='cuda' does not apply to dependence {cls}"):
            GSMPLE(dependence=name, device="cuda").fit(_mixed(12, 3, 0))
    with (
        patch.object(card_module, "MOST_NEIGHBORS", 3),
        pytest.raises(InputError, match="takes up to n_neighbors=3, got 4: use device='cpu'"),
    ):
        KNN(n_neighbors=4, device="cuda").bind(table)


def test_without_a_card_one_sentence_says_what_is_missing():
    frame = _mixed(12, 3, 0)
    with (
        patch.object(card_module, "_why_not", lambda: "no NVIDIA driver with a card was found"),
        pytest.raises(InputError, match=r"no NVIDIA driver .* pip install 'mrflearn\[gpu\]'"),
    ):
        GSMPLE(dependence="knn", device="cuda").fit(frame)


def test_auto_takes_the_card_for_large_tables_where_there_is_one():
    table = as_table(_mixed(12, 3, 0))
    for has, worth, expected in ((True, 10, True), (True, 13, False), (False, 10, False)):
        with (
            patch.object(card_module, "has_card", lambda has=has: has),
            patch.object(devices, "WORTH_A_CARD", worth),
        ):
            assert KNN(n_neighbors=2, device="auto").bind(table).batched == expected


def test_functions_take_a_device():
    x, y = np.random.default_rng(0).normal(size=(2, 15))
    for method in ("knn", "mixed-ksg"):
        expected = conditional_mutual_information(x, y, method=method)
        assert conditional_mutual_information(x, y, method=method, device="cuda") == expected


def test_means_of_other_functions_are_the_same_bits():
    table = as_table(_mixed(18, 5, 4))
    inverse = reciprocal(18)
    rows = [(signs, inverse) for signs in np.eye(4, dtype=np.int64)[1:]]
    summary = Summary(CLOSED, ((CLOSED_SIGNS, psi(18)), *rows), spread=psi(18))
    _assert_same(table, 3, np.inf, [([0], [1], [2, 3, 4])], summary)
