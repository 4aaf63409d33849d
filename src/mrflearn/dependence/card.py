"""Counts of neighbours on a CUDA card, bit for bit what the processor finds.

The table is on the card from the first question on. Questions come in batches: their candidates are
cut into tasks of at most 32 for `_card_kernels`, and only a few sums for each come back.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import as_text, check_memory
from mrflearn.dependence.neighbours import NeighbourCounts, Summary, VariableSets
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = ["CardCounts", "check_card", "has_card"]

MOST_NEIGHBORS = 1_024
"""Neighbours whose distances a thread of the card has room for."""

MOST_SAMPLES = 2**24
"""Samples that float32 can number."""

WORKING_MEMORY = 2**29
"""Bytes on the card for counts, unless there are fewer or fewer are asked for (512 MiB)."""

BLOCKS = 65_536
"""Blocks of a launch: many more than a card works on at a time, so that all end together."""

LAUNCH = 1e10
"""Samples times samples times tasks of a launch, at most: well below a second, so that it can be
interrupted."""

MOST_TASKS = 65_535
"""Tasks of a launch, at most."""

WIDTH = 128
"""Columns are padded to a multiple of this."""

FILLER = 1e38
"""Distance of what only fills up columns."""

INSTALL = "pip install 'mrflearn[gpu]'"


@lru_cache(maxsize=1)
def _why_not() -> str | None:
    """Return why there is no usable card, or None if there is one."""
    try:
        from numba import cuda
    except ImportError as error:
        return f"Numba's CUDA target cannot be imported ({error})"
    try:
        if not cuda.is_available():
            return "no NVIDIA driver with a card was found"
        cuda.jit(_do_nothing)[128, 1]()  # fewer blocks are warned of
        cuda.synchronize()
    except Exception as error:  # a compiler or a driver, whatever it says, that cannot be used
        said = " ".join(str(error).split()) or type(error).__name__
        return f"the card cannot run a kernel ({said[:200]})"
    return None


def _do_nothing() -> None:
    """Be the smallest kernel."""


def _kernels() -> Any:
    """Return the module of kernels, which needs Numba's CUDA target."""
    from mrflearn.dependence import _card_kernels

    return _card_kernels


def _lanes() -> int:
    """Return how many candidates a task has, at most."""
    return int(_kernels().LANES)


def is_simulated() -> bool:
    """Whether kernels run in Numba's simulator, as tests without a card do."""
    from numba import config

    return bool(getattr(config, "ENABLE_CUDASIM", False))


def has_card() -> bool:
    """Whether there is a card to work on."""
    return _why_not() is None and not is_simulated()


def check_card() -> None:
    """Refuse to work on a card where there is none."""
    reason = _why_not()
    if reason is not None:
        raise InputError(
            f"device='cuda' finds no usable GPU: {reason}. It takes an NVIDIA card with its driver "
            f"and {INSTALL}; device='cpu' gives the same result without"
        )


class _Tasks(NamedTuple):
    """A part of the questions of a batch, as the kernels take them."""

    columns: NDArray[np.uint32]
    owned: int
    n_tasks: int
    n_candidates: int
    places: list[tuple[int, int, int]]
    """Which question the candidates are of, the first of them there, and their number."""


class CardCounts(NeighbourCounts):
    """Counts of neighbours between the variables of a table, summed up on a card.

    Parameters are those of `NeighbourCounts`; the bound on memory holds on the card as well.
    """

    batched = True

    def __init__(
        self, table: Table, k: int, nominal_distance: float, max_memory: int | None = None
    ) -> None:
        super().__init__(table, k, nominal_distance, max_memory)
        for what, number, most in (
            ("n_neighbors", self.k, MOST_NEIGHBORS),
            ("n_samples", self.n_samples, MOST_SAMPLES),
        ):
            if number > most:
                raise InputError(
                    f"device='cuda' takes up to {what}={most}, got {number}: use device='cpu'"
                )
        self._first_column = np.array([columns[0] for columns in self._columns], dtype=np.int32)
        self._n_columns = np.array([len(columns) for columns in self._columns], dtype=np.int32)
        self._width = -(-self.n_samples // WIDTH) * WIDTH
        self._table_memory = len(self.nominal) * (4 * self._width + 20 * self.n_samples + 1)
        self._each_memory = 16 * (self.n_samples + 1) + 200
        self._most_candidates()
        self._forget_card()

    def _forget_card(self) -> None:
        self._lock = threading.Lock()
        self._table: tuple[Any, ...] | None = None
        self._histograms: Any = ()
        self._wanted: dict[int, tuple[Summary, Any, Any, Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is on the card: another process puts it there again."""
        of_card = ("_lock", "_table", "_histograms", "_wanted")
        return {name: value for name, value in self.__dict__.items() if name not in of_card}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget_card()

    def summaries(
        self, questions: Sequence[VariableSets], summary: Summary
    ) -> list[NDArray[np.float64]]:
        """Return what is to be known of the counts, of shape (n_values, n_candidates) each."""
        if summary.euclidean:
            raise InputError("variant='depynd' is not for device='cuda': use device='cpu'")
        answers = [np.empty((summary.n_values, len(asked[2]))) for asked in questions]
        with self._lock:
            self._prepare(sum(len(asked[2]) for asked in questions))
            try:
                for part in self._parts(questions):
                    values = self._answer(part, summary)
                    first = 0
                    for question, begin, size in part.places:
                        answers[question][:, begin : begin + size] = values[:, first : first + size]
                        first += size
            except BaseException:
                self._histograms = ()  # which may hold counts of what was not finished
                raise
        return answers

    def _prepare(self, n_candidates: int) -> None:
        """Put the table on the card, and make room for the counts of so many or of fewer."""
        n_candidates = 1 << max(n_candidates - 1, _lanes() - 1).bit_length()
        most = self._most_candidates()
        n_candidates = min(n_candidates, most)
        if self._table is None:
            self._table = self._uploaded()
        while len(self._histograms) < n_candidates:
            self._histograms = ()  # before there are others
            try:
                self._histograms = _zeros((n_candidates, 4, self.n_samples + 1))
            except Exception as error:
                if not _is_out_of_memory(error):
                    raise
                n_candidates //= 2
                if n_candidates < _lanes():
                    raise self._too_little() from None

    def _most_candidates(self) -> int:
        """Return how many may be counted together; fewer than a task's are refused."""
        needed = self._table_memory + _lanes() * self._each_memory
        check_memory(needed, self.max_memory, f"a table of {self.n_samples} rows on the card")
        room = max(WORKING_MEMORY, _lanes() * self._each_memory)
        if self.max_memory is not None:
            room = min(room, self.max_memory - self._table_memory)
        return room // self._each_memory

    def _uploaded(self) -> tuple[Any, ...]:
        """Return the table as the kernels take it, on the card."""
        from numba import cuda

        try:
            return tuple(
                cuda.to_device(value) if isinstance(value, np.ndarray) else value
                for value in self._laid_out()
            )
        except Exception as error:
            if not _is_out_of_memory(error):
                raise
            raise self._too_little() from None

    def _too_little(self) -> InputError:
        needed = as_text(self._table_memory + _lanes() * self._each_memory)
        return InputError(
            f"the card has too little free memory: a table of {self.n_samples} rows takes at least "
            f"{needed} of it. Use device='cpu', or end what else runs on the card"
        )

    def _laid_out(self) -> tuple[Any, ...]:
        """Return the table as the kernels take it: their first eight arguments."""
        values, nominal = self.values, self.nominal
        n_columns, n = values.shape
        near = np.full((n_columns, self._width), FILLER, dtype=np.float32)
        alike = np.zeros((n_columns, n), dtype=np.int32)
        lows, highs = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
        centred = values - (lows / 2 + highs / 2)
        largest = np.abs(centred[~nominal]).max(initial=0.0)
        exponent = max(int(np.frexp(largest)[1]), -1_000)
        near[~nominal, :n] = np.ldexp(centred[~nominal], -exponent)
        for column in np.flatnonzero(nominal):
            _, codes, sizes = np.unique(values[column], return_inverse=True, return_counts=True)
            alike[column] = sizes[codes]
            # Labels are further than any radius, unless even that cannot tell them apart.
            near[column, :n] = 4 * codes if self.nominal_distance == math.inf else 0
        return (
            near.ravel(),
            np.ascontiguousarray(values.T).ravel(),
            np.sort(values, axis=1).ravel(),
            alike.ravel(),
            np.ascontiguousarray(nominal),
            self.nominal_distance,
            float(np.ldexp(1.0, -exponent)),
            n,
        )

    def _parts(self, questions: Sequence[VariableSets]) -> Iterator[_Tasks]:
        """Cut questions into tasks, and yield as many of them together as there is room for."""
        capacity = len(self._histograms)
        tasks: list[tuple[int, ...]] = []
        columns: list[int] = []
        places: list[tuple[int, int, int]] = []
        n_held = 0
        for number, (x, z, candidates) in enumerate(questions):
            n_tasks = -(-len(candidates) // _lanes())
            bounds = [len(candidates) * at // max(n_tasks, 1) for at in range(n_tasks + 1)]
            shared: tuple[int, int, int] | None = None
            for begin, end in pairwise(bounds):
                if n_held + end - begin > capacity or len(tasks) == MOST_TASKS:
                    yield self._as_tasks(questions, tasks, columns, places)
                    tasks, columns, places, n_held, shared = [], [], [], 0, None
                if shared is None:
                    first = len(columns)
                    columns += self.columns_of(z)
                    first_x = len(columns)
                    columns += self.columns_of(x)
                    shared = first, first_x, len(columns)
                tasks.append((*shared, n_held, end - begin))
                places.append((number, begin, end - begin))
                n_held += end - begin
        if tasks:
            yield self._as_tasks(questions, tasks, columns, places)

    def _as_tasks(
        self,
        questions: Sequence[VariableSets],
        tasks: list[tuple[int, ...]],
        columns: list[int],
        places: list[tuple[int, int, int]],
    ) -> _Tasks:
        """Put what describes tasks and the columns of their candidates into one array."""
        candidates = np.concatenate(
            [questions[number][2][begin : begin + size] for number, begin, size in places]
        )
        sizes = self._n_columns[candidates]
        if sizes.max() == 1:
            own = self._first_column[candidates]
        else:
            own = np.array([c for v in candidates for c in self._columns[v]])
        described = np.zeros((len(tasks), _kernels().FIELDS), dtype=np.uint32)
        described[:, :5] = tasks
        firsts = described[:, 3].astype(np.intp)
        each_plain = (sizes == 1) & ~self.nominal[self._first_column[candidates]]
        described[:, 5] = np.logical_and.reduceat(each_plain, firsts)
        alone = described[:, 0] == described[:, 1]
        described[:, 6] = np.logical_or.reduceat(sizes > 1, firsts) & alone
        described[:, :3] += np.uint32(described.size)
        owned = described.size + len(columns)
        begins = np.full(len(candidates) + 1, owned + len(candidates) + 1, dtype=np.uint32)
        begins[1:] += np.cumsum(sizes, dtype=np.uint32)
        every = np.concatenate([described.ravel(), columns, begins, own]).astype(np.uint32)
        return _Tasks(every, owned, len(tasks), len(candidates), places)

    def _answer(self, part: _Tasks, summary: Summary) -> NDArray[np.float64]:
        """Return the numbers of all candidates of some tasks, shape (n_values, n_candidates)."""
        from numba import cuda

        kernels = _kernels()
        n, n_candidates = self.n_samples, part.n_candidates
        signs, functions, psi = self._on_card(summary)
        columns = cuda.to_device(part.columns)
        size = n_candidates if summary.spread is not None else 1
        spreads = cuda.to_device(np.zeros((size, 2), dtype=np.int64))
        sums = cuda.device_array((n_candidates, len(summary.means)))
        count = kernels.counting(self.k)
        atoms = -1 if summary.atoms is None else summary.atoms
        turn = max(1, int(LAUNCH / (n * part.n_tasks)))
        assert self._table is not None
        for first in range(0, n, turn):
            last = min(n, first + turn)
            across = min(last - first, max(1, BLOCKS // part.n_tasks))
            count[(across, part.n_tasks), kernels.LANES](
                *self._table, columns, part.owned, first, last, summary.ball, atoms, psi,
                self._histograms, spreads,
            )  # fmt: skip
            if turn < n:
                cuda.synchronize()
        kernels.summing()[n_candidates, kernels.BINS](self._histograms, signs, functions, sums)
        values = sums.copy_to_host().T / n
        if summary.spread is None:
            return values
        totals, squares = spreads.copy_to_host().T
        mean = totals / n
        spread = np.sqrt(np.maximum(squares / n - mean * mean, 0.0)) / 65536.0
        return np.vstack([values, spread])

    def _on_card(self, summary: Summary) -> tuple[Any, Any, Any]:
        """Return the signs and functions of the means, and that of the spread, on the card."""
        from numba import cuda

        known = self._wanted.get(id(summary))
        if known is None:
            functions = np.zeros((len(summary.means), self.n_samples + 1))
            for row, (_, function) in enumerate(summary.means):
                functions[row, : len(function)] = function
            spread = np.empty(0) if summary.spread is None else summary.spread
            signs = np.array([signs for signs, _ in summary.means])
            known = summary, *map(cuda.to_device, (signs, functions, np.array(spread)))
            self._wanted[id(summary)] = known
        return known[1:]


def _is_out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "OUT_OF_MEMORY" in str(error).upper()


def _zeros(shape: tuple[int, ...]) -> Any:
    """Return counts of 0 on the card."""
    from numba import cuda

    return cuda.to_device(np.zeros(shape, dtype=np.int32))
