"""Counting cells: what the kernels count, and that the way of counting leaves no trace."""

import itertools
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.dependence import PlugIn, Question, Threaded, _tables, discrete, naive
from mrflearn.table import as_table

CORRECTIONS = [None, "miller-madow", "df", "bic"]

WAYS = {
    "as it comes": {},
    "numbering, never a table": {"TABLE_SIZE": 0},
    "large tables": {"TABLE_SIZE": 1000},
    "one variable at a time": {"FEW": 10**6},
    "blocks, always": {"FEW": -100, "BLOCK_LEVELS": 256, "BLOCK_MEMBERS": 1},
    "blocks, by level": {"FEW": -100, "BLOCK_MEMBERS": 1, "SMALL_GROUP": 1},
    "blocks, by comparison": {"FEW": -100, "BLOCK_MEMBERS": 1, "SMALL_GROUP": 255},
}
"""Settings that force every way of counting."""


@st.composite
def columns(draw, min_columns=2, max_columns=6):
    """Columns of codes: few levels, one, as many as samples, or the levels of another column."""
    n_samples = draw(st.integers(2, 40))
    drawn = []
    for _ in range(draw(st.integers(min_columns, max_columns))):
        kind = draw(st.sampled_from(["levels", "levels", "constant", "unique", "copy"]))
        if kind == "copy" and drawn:
            drawn.append(drawn[draw(st.integers(0, len(drawn) - 1))])
        elif kind == "unique":
            drawn.append(draw(st.permutations(range(n_samples))))
        else:
            top = 0 if kind == "constant" else draw(st.integers(0, 6))
            levels = st.lists(st.integers(0, top), min_size=n_samples, max_size=n_samples)
            drawn.append(draw(levels))
    return np.array(drawn, dtype=np.int32)


def _sizes(*parts):
    """Return how many cells hold how many samples, by counting tuples."""
    return Counter(Counter(zip(*np.vstack(parts).tolist(), strict=True)).values())


def _terms_that_find(size, n_samples):
    """Return terms whose first sum is the number of cells of a size, for sizes above 1."""
    terms = np.zeros((n_samples + 1, 3))
    terms[size, 0] = terms[size, 1] = 1.0
    terms[1:, 2] = 1.0
    return terms


def _found(n_samples, count):
    """Return how many cells hold how many samples, one size after the other; `count(terms)`."""
    found, n_cells = Counter(), set()
    for size in range(2, n_samples + 1):
        first, second, third = count(_terms_that_find(size, n_samples))
        assert first == second
        n_cells.add(third)
        found[size] = int(first)
    (total,) = n_cells
    found[1] = int(total) - sum(found.values())
    return +found


def _groups(codes, variables, limit=10**6):
    levels = codes.max(axis=1).astype(np.int64) + 1
    terms = _terms_that_find(1, codes.shape[1])
    joint, sizes, sums = _tables.group_sizes(codes, levels, variables, limit, terms)
    return _tables.groups(joint, sizes, int(sums[2]))


@pytest.mark.kernel
@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3), min_size=1, max_size=50))
def test_numbers_are_given_in_the_order_of_first_appearance(keys):
    codes, n_codes = _tables.numbered(np.array(keys))
    first = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    assert codes.tolist() == [first[key] for key in keys]
    assert n_codes == len(first)


@pytest.mark.parametrize("shift", [0, 20, 40, 52])
def test_keys_that_differ_in_high_bits_alone_are_told_apart(shift):
    keys = np.random.default_rng(shift).permutation(2000) << shift
    codes, n_codes = _tables.numbered(keys)
    assert n_codes == 2000
    assert codes.tolist() == list(range(2000))


@pytest.mark.kernel
@settings(max_examples=150, deadline=None)
@given(columns(), st.sampled_from([0, 1, 5, 30, 10**6]), st.data())
def test_groups_hold_the_samples_of_equal_codes(codes, limit, data):
    n_samples = codes.shape[1]
    chosen = data.draw(st.lists(st.sampled_from(range(len(codes))), unique=True))
    variables = np.array(chosen, dtype=np.int64)
    levels = codes.max(axis=1).astype(np.int64) + 1
    parts = np.vstack([np.zeros(n_samples, dtype=np.int32), codes[variables]])

    def count(terms):
        return _tables.group_sizes(codes, levels, variables, limit, terms)[2]

    assert _found(n_samples, count) == _sizes(parts)
    order, starts = _groups(codes, variables, limit)
    assert sorted(order.tolist()) == list(range(n_samples))
    seen = [{tuple(parts[:, n]) for n in order[a:b]} for a, b in itertools.pairwise(starts)]
    assert all(len(group) == 1 for group in seen)
    assert len(set.union(*seen)) == len(seen)


@pytest.mark.kernel
@settings(max_examples=150, deadline=None)
@given(columns(), st.sampled_from([1, 2, 3, 8, 255]))
def test_cells_are_those_that_tuples_make(codes, small):
    n_samples = codes.shape[1]
    order, starts = _groups(codes, np.arange(1, len(codes)))
    expected = _sizes(codes)
    levels = codes.max(axis=1) + 1

    def count_one(terms):
        counts = np.zeros(levels[0], dtype=np.int32)
        return _tables.column_sums(codes, 0, order, starts, terms, counts)

    rows = np.zeros((n_samples, _tables.LANES), dtype=np.uint8)
    rows[:, 5], rows[:, 63] = codes[0], codes[-1]
    together = []

    def count_all(terms):
        n_levels = int(max(levels[0], levels[-1]))
        sums = _tables.lane_sums(rows, n_levels, order, starts, terms, min(small, n_samples))
        together.append(sums)
        return sums[5]

    assert _found(n_samples, count_one) == expected
    assert _found(n_samples, count_all) == expected
    sizes = np.diff(starts)
    for size, sums in zip(range(2, n_samples + 1), together, strict=True):
        # A member of the set, and a constant, split nothing.
        assert sums[63].tolist() == sums[0].tolist() == [*[(sizes == size).sum()] * 2, len(sizes)]


@pytest.mark.parametrize("size", [2, 3, 16, 255, 256, 257, 2000])
@pytest.mark.parametrize("small", [1, 2, 16, 255])
def test_counts_do_not_overflow_their_bytes(size, small):
    """Groups of one size, in which all or nearly all samples have the same code."""
    rng = np.random.default_rng(size)
    codes = np.ones((3, 2000), dtype=np.int32)
    codes[0] = rng.permutation(2000) // size
    codes[1, :50] = rng.integers(5, size=50)
    order, starts = _groups(codes, np.array([0]))
    rows = np.zeros((2000, _tables.LANES), dtype=np.uint8)
    rows[:, 1:3] = codes[1:].T

    for lane in (1, 2):
        expected = _sizes(codes[[0, lane]])
        for found, n_cells in expected.items():
            terms = _terms_that_find(found, 2000)
            sums = _tables.lane_sums(rows, 5, order, starts, terms, small)[lane]
            assert sums[2] == sum(expected.values())
            assert found == 1 or sums[0] == n_cells


def _bind(specification, codes, groups=None, **ways):
    """Bind to codes of shape (n_columns, N), with the settings of one way of counting."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", UserWarning)  # constants are welcome here
        for name, value in ways.items():
            patch.setattr(discrete, name, value)
        kinds = dict.fromkeys(range(len(codes)), "nominal")
        dependence = specification.bind(as_table(codes.T, kinds=kinds, groups=groups))
    return dependence


def _ask(dependence, questions, **ways):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ways.items():
            patch.setattr(discrete, name, value)
        return [answer.tolist() for answer in dependence.cmi_batch(questions)]


@pytest.mark.kernel
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=40, deadline=None)
@given(codes=columns(3, 7), data=st.data())
def test_every_way_of_counting_gives_the_naive_estimate(way, correction, codes, data):
    n_given = data.draw(st.integers(0, len(codes) - 2))
    dependence = _bind(PlugIn(correction, 1.5), codes, **WAYS[way])
    candidates, given_variables = range(1 + n_given, len(codes)), range(1, 1 + n_given)
    (fast,) = _ask(dependence, [Question(0, candidates, given_variables)], **WAYS[way])
    z = codes[1 : 1 + n_given]
    slow = [naive.plug_in(codes[:1], codes[j : j + 1], z, correction, 1.5) for j in candidates]
    assert fast == pytest.approx(slow, abs=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=60, deadline=None)
@given(codes=columns(6, 6))
def test_variables_of_several_columns_give_the_naive_estimate(correction, codes):
    groups = {"x": ["x0", "x3"], "y": ["x1", "x4"], "z": ["x2", "x5"]}
    dependence = _bind(PlugIn(correction), codes, groups)
    expected = naive.plug_in(codes[[0, 3]], codes[[1, 4]], codes[[2, 5]], correction)
    assert dependence.cmi(0, 1, (2,)) == pytest.approx(expected, abs=1e-12)


def _network(seed, n_samples=700, n_variables=75):
    """Return codes of variables that depend on each other, of 2 to 300 levels; two are one."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_variables, n_samples), dtype=np.int64)
    for i in range(n_variables):
        top = [2, 3, 4, 4, 7, 12, 40, 300][i % 8]
        copied = codes[rng.integers(i)] if i else rng.integers(top, size=n_samples)
        noise = rng.integers(top, size=n_samples)
        codes[i] = np.where(rng.random(n_samples) < 0.5, copied, noise) % top
    codes[-1] = codes[3]
    return codes


def _questions(seed, n_variables=75):
    rng = np.random.default_rng(seed)
    asked = []
    for n_given in (0, 1, 1, 2, 3, 5, 9):
        for n_candidates in (1, 4, 60):
            order = rng.permutation(n_variables).tolist()
            given_variables, candidates = order[1 : 1 + n_given], order[1 + n_given :]
            asked.append(Question(order[0], candidates[:n_candidates], given_variables))
    return asked


@pytest.mark.parametrize("correction", [None, "df"])
class TestNothingShowsInTheBits:
    """However the cells are counted and whatever they are called, values are the same numbers."""

    codes, questions = _network(0), _questions(0)

    def expected(self, correction):
        return _ask(_bind(PlugIn(correction), self.codes), self.questions)

    @pytest.mark.parametrize("way", WAYS)
    def test_the_way_of_counting(self, correction, way):
        dependence = _bind(PlugIn(correction), self.codes, **WAYS[way])
        assert _ask(dependence, self.questions, **WAYS[way]) == self.expected(correction)

    def test_the_names_of_levels_and_the_order_of_samples(self, correction):
        rng = np.random.default_rng(1)
        shuffled = self.codes[:, rng.permutation(self.codes.shape[1])]
        renamed = np.array([rng.permutation(400)[column] for column in shuffled])
        assert _ask(_bind(PlugIn(correction), renamed), self.questions) == self.expected(correction)

    def test_the_order_of_columns(self, correction):
        order = np.random.default_rng(2).permutation(len(self.codes))
        place = np.argsort(order)
        moved = [Question(place[q.i], place[q.candidates], place[q.given]) for q in self.questions]
        answers = _ask(_bind(PlugIn(correction), self.codes[order]), moved)
        assert answers == self.expected(correction)

    def test_the_order_of_candidates_and_of_the_condition(self, correction):
        turned = [Question(q.i, q.candidates[::-1], q.given[::-1]) for q in self.questions]
        answers = _ask(_bind(PlugIn(correction), self.codes), turned)
        assert [answer[::-1] for answer in answers] == self.expected(correction)

    def test_the_direction(self, correction):
        dependence = _bind(PlugIn(correction), self.codes)
        for question, answer in zip(self.questions, self.expected(correction), strict=True):
            for j, value in list(zip(question.candidates, answer, strict=True))[:8]:
                assert dependence.cmi(j, question.i, question.given) == value

    def test_what_was_asked_before(self, correction):
        dependence = _bind(PlugIn(correction), self.codes)
        backwards = _ask(dependence, self.questions[::-1])[::-1]
        assert backwards == self.expected(correction)
        assert _ask(dependence, self.questions) == backwards
        # Given all but one neighbour, as when an edge may be removed: sets known in part.
        for i, *others in [(0, 3, 9, 12), (5, 1, 2, 74), (7, 15, 23, 31)]:
            dependence.cmi_many(i, [40, 41, 42, 43], others)
            for j in others:
                rest = [z for z in others if z != j]
                fresh = _bind(PlugIn(correction), self.codes)
                assert dependence.cmi(i, j, rest) == fresh.cmi(i, j, rest)

    @pytest.mark.parametrize("n_jobs", [2, 5])
    def test_threads(self, correction, n_jobs):
        for _ in range(3):
            dependence = Threaded(_bind(PlugIn(correction), self.codes), n_jobs)
            assert _ask(dependence, self.questions * 2) == self.expected(correction) * 2


def test_what_is_kept_stays_within_bounds():
    dependence = _bind(PlugIn(), _network(1, n_samples=60))
    for i, z in itertools.permutations(range(40), 2):
        dependence.cmi(i, 74, (z,))
    sizes = [sums.size for sums in dependence._kept.values()]
    assert sum(sizes) <= dependence.codes.size + sizes[0]


@pytest.mark.parametrize("n_samples", [1, 2, 3, 10, 1000, 100_000])
def test_terms_add_up_exactly(n_samples):
    """Both parts are whole multiples of a unit, and no sum over cells reaches 2^53 of it."""
    terms = discrete._terms(n_samples)
    sizes = np.arange(n_samples + 1)
    exact = sizes * np.log(np.maximum(sizes, 1))
    assert (terms[:, 0] + terms[:, 1] == exact).all()
    for part, most in ((0, 4 * exact[-1]), (1, 4 * n_samples * np.abs(terms[:, 1]).max())):
        numbers = [Fraction(number) for number in terms[:, part].tolist()]
        unit = max(number.denominator for number in numbers)
        assert unit & (unit - 1) == 0
        assert Fraction(most) * unit <= 2**53
    assert terms[:2].tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
