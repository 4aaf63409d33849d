"""Counts of neighbours, by the kernel that is fastest for the question.

Every question is about x, which may be several columns, a condition z, which may be none, and
candidates y. Whatever kernel answers it, the counts are those of `naive.cmi_counts`:

- x one ordered column, y another, no condition, few neighbours: `_pairs`, by strips;
- few candidates and samples: `_few`, by comparing everything with everything;
- all else: `_lists`, by neighbour lists that the candidates share, eight candidates at a time.

`benchmarks/crossovers.py` prints the times behind the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import check_memory
from mrflearn.dependence import _arrange, _few, _kernels, _lists, _pairs
from mrflearn.dependence._lanes import LANES
from mrflearn.dependence.threads import in_parts
from mrflearn.errors import InputError
from mrflearn.table import Table

__all__ = [
    "CLOSED",
    "OPEN",
    "OPEN_UNLESS_ZERO",
    "PART",
    "Counts",
    "NeighbourCounts",
    "Summary",
    "VariableSets",
]

CLOSED, OPEN, OPEN_UNLESS_ZERO = range(3)
"""Balls: samples at the radius count; do not; do only where the radius is 0."""

FEW_CANDIDATES, FEW = 4, 1_000
"""Candidates, and candidates times samples, up to which everything is compared."""

LEAVES_FROM = 1_024
"""Samples above which they are arranged in leaves; fewer are one leaf."""

LEAF_SIZE = 32
"""Samples in a leaf."""

LIST_LENGTH = 4.0
"""Length of a list, in numbers of samples expected within the radius in (x, z)."""

MAX_PAIR_NEIGHBORS = 5
"""Neighbours that `_pairs` can look for."""

STRIP_WIDTH = 16.0
"""Samples in a strip: the root of this times N."""

PART = 20_000
"""Candidates times samples of the smallest part of a question that is worth a thread."""

WORKING_MEMORY = 2**26
"""Bytes of working memory of one call, unless fewer are asked for (64 MiB)."""


VariableSets = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""What to count: the variables x, the variables z, and the candidates y."""


class Summary(NamedTuple):
    """What is to be known of the counts of each candidate, in place of the counts themselves."""

    ball: int
    """`CLOSED`, `OPEN` or `OPEN_UNLESS_ZERO`."""
    means: tuple[tuple[NDArray[np.int64], NDArray[np.float64]], ...]
    """Means over samples, each of signs[r] * function[count] for r in k_m, n_z, n_xz and n_yz."""
    spread: NDArray[np.float64] | None = None
    """A function whose spread over samples is asked for as well; see `spread_over_counts`."""
    atoms: int | None = None
    """k_m is k where the radius is positive, and elsewhere what is counted and this more."""
    euclidean: bool = False
    """Whether norms inside x and y are Euclidean."""

    @property
    def n_values(self) -> int:
        """Return how many numbers each candidate has."""
        return len(self.means) + (self.spread is not None)


class Counts(NamedTuple):
    """Neighbour counts of some of the candidates of a question."""

    places: list[int]
    """Which of the candidates, by their place in the question."""
    counts: NDArray[np.int32]
    """k_m, n_z, n_xz and n_yz, shape (len(places), 4, N)."""
    radii: NDArray[np.float64]
    """Distance to the k-th neighbour, shape (len(places), N)."""
    order: NDArray[np.integer[Any]]
    """The samples in the order in which counts and radii have them."""


class NeighbourCounts:
    """Counts of neighbours between the variables of a table.

    Parameters
    ----------
    table : Table
        The data.
    k : int
        Neighbours.
    nominal_distance : float
        Distance of different labels.
    max_memory : int, optional
        Bytes of working memory that one call may use; candidates are answered in portions that
        need no more.
    """

    batched: bool = False
    """Whether many questions are better asked together than one after the other."""

    def __init__(
        self, table: Table, k: int, nominal_distance: float, max_memory: int | None = None
    ) -> None:
        k = int(k)
        if table.n_samples <= k:
            raise InputError(
                f"n_neighbors={k} needs at least {k + 1} rows, and the table has "
                f"n_samples={table.n_samples}: use fewer neighbours or more rows"
            )
        self.n_samples = table.n_samples
        self.values = table.values
        self.nominal = table.nominal
        self.nominal_distance = float(nominal_distance)
        self.k = k
        self.max_memory = max_memory
        self._kept_memory = 4 * table.n_samples * len(table.nominal)  # orders of all columns
        self._natural_order = np.arange(self.n_samples, dtype=np.int32)
        self._orders: dict[int, NDArray[np.int32]] = {}
        # The columns of each variable, the ordered ones first, and which are nominal.
        starts, is_nominal = table.starts.tolist(), table.nominal.tolist()
        self._columns = [
            sorted(range(starts[v], starts[v + 1]), key=lambda c: (is_nominal[c], c))
            for v in range(table.n_variables)
        ]
        self._kinds = [tuple(is_nominal[c] for c in columns) for columns in self._columns]
        self._plain = [kinds == (False,) for kinds in self._kinds]
        self.least_memory = self._needed(_LIST_FIXED + 16 * _USUAL_COLUMNS, _LIST_EACH + 64)

    def columns_of(self, variables: Iterable[int]) -> list[int]:
        """Return the columns of some variables, the ordered ones first."""
        pairs = [
            (nominal, c)
            for v in variables
            for nominal, c in zip(self._kinds[v], self._columns[v], strict=True)
        ]
        return [c for _, c in sorted(pairs)]

    def summaries(
        self, questions: Sequence[VariableSets], summary: Summary
    ) -> list[NDArray[np.float64]]:
        """Return what is to be known of the counts, of shape (n_values, n_candidates) each."""
        answers = []
        for x, z, candidates in questions:
            values = np.empty((summary.n_values, len(candidates)))
            counted = self.count(x, z, candidates, summary.ball, summary.euclidean)
            for places, counts, radii, _ in counted:
                if summary.atoms is not None:
                    _kernels.settle_atoms(counts, radii, self.k, summary.atoms)
                for row, (signs, function) in enumerate(summary.means):
                    values[row, places] = _mean_of_counts(counts, signs, function)
                if summary.spread is not None:
                    values[-1, places] = _spread_of_counts(counts, summary.spread)
            answers.append(values)
        return answers

    def count(
        self,
        x: Sequence[int],
        z: Sequence[int],
        candidates: Sequence[int],
        ball: int,
        euclidean: bool = False,
    ) -> Iterator[Counts]:
        """Yield the counts of each candidate y for the variables x given the variables z.

        Without z, n_z counts all others. Without z alone, norms inside x and y may be Euclidean.
        """
        rest: Sequence[int] = range(len(candidates))
        if not z and len(x) == 1 and self._plain[x[0]] and self.k <= MAX_PAIR_NEIGHBORS:
            pairs = [at for at in rest if self._plain[candidates[at]]]
            rest = [at for at in rest if not self._plain[candidates[at]]]
            if pairs:
                yield from self._count_pairs(self._columns[x[0]][0], pairs, candidates, ball)
        if not rest:
            return
        vectors = euclidean and any(len(self._columns[candidates[at]]) > 1 for at in rest)
        method = self._count_lists
        if vectors or (len(rest) <= FEW_CANDIDATES and self.n_samples * len(rest) <= FEW):
            method = self._count_few
        yield from method(self.columns_of(x), self.columns_of(z), rest, candidates, ball, euclidean)

    def _count_few(
        self,
        x: list[int],
        z: list[int],
        places: Sequence[int],
        candidates: Sequence[int],
        ball: int,
        euclidean: bool,
    ) -> Iterator[Counts]:
        n = self.n_samples
        order = self._natural_order
        shared = np.array([*z, *x])
        packed = _arrange.pack_columns(self.values, shared, order)
        size = self._budget(100 + 8 * len(shared), 80)
        for first in range(0, len(places), size):
            portion = list(places[first : first + size])
            owned = [self._columns[candidates[at]] for at in portion]
            columns = np.array([c for own in owned for c in own])
            counts, radii = _few.few_counts(
                packed, self.nominal[shared], self.nominal_distance, euclidean, n, len(z),
                _arrange.pack_columns(self.values, columns, order),
                np.array([0, *accumulate(map(len, owned))]), self.nominal[columns], self.k, ball,
            )  # fmt: skip
            yield Counts(portion, counts, radii, order)

    def _count_pairs(
        self, x: int, places: list[int], candidates: Sequence[int], ball: int
    ) -> Iterator[Counts]:
        n = self.n_samples
        width = max(8, int((STRIP_WIDTH * n) ** 0.5))
        order = self._order(x)
        position = np.empty(n, dtype=np.int32)
        position[order] = np.arange(n, dtype=np.int32)
        sorted_x = self.values[x][order]
        size = self._budget(_PAIR_FIXED, _PAIR_EACH)
        for first in range(0, len(places), size):
            portion = places[first : first + size]
            columns = [self._columns[candidates[at]][0] for at in portion]
            self._sort(columns)
            orders = np.array([self._orders[c] for c in columns])
            sorted_ys = np.take_along_axis(self.values[columns], orders, axis=1)
            counts, radii = _room(len(portion), n)
            fill = partial(
                self._fill_pairs, sorted_x, position, sorted_ys, orders, ball, width, counts, radii
            )
            in_parts(fill, len(portion), 1 + PART // n)
            yield Counts(portion, counts, radii, order)
            del orders, sorted_ys, counts, radii, fill  # before the next portion is made

    def _fill_pairs(
        self,
        sorted_x: NDArray[np.float64],
        position: NDArray[np.int32],
        sorted_ys: NDArray[np.float64],
        orders: NDArray[np.int32],
        ball: int,
        width: int,
        counts: NDArray[np.int32],
        radii: NDArray[np.float64],
        begin: int,
        end: int,
    ) -> None:
        _pairs.pair_counts(
            sorted_x, position, sorted_ys[begin:end], orders[begin:end], self.k, ball, width,
            counts[begin:end], radii[begin:end],
        )  # fmt: skip

    def _count_lists(
        self,
        x: list[int],
        z: list[int],
        places: Sequence[int],
        candidates: Sequence[int],
        ball: int,
        euclidean: bool,
    ) -> Iterator[Counts]:
        n = self.n_samples
        columns = [*z, *x]
        nominal = self.nominal[columns]
        split = z if z else columns
        on_a_line = len(z) == 1 and not self.nominal[z[0]]
        pooled = n > LEAVES_FROM
        leaves = np.array([0, n])
        if on_a_line:
            order = self._order(z[0])
            if pooled:
                leaves = np.append(np.arange(0, n, LEAF_SIZE), n)
        elif pooled:
            order, leaves = _arrange.arrange(self.values[split], self.nominal[split], LEAF_SIZE)
        else:
            order = self._natural_order
        shared = _arrange.pack_columns(self.values, np.array(columns), order)
        # About as many samples as lie within the radius in (x, z) when all dimensions are alike.
        share = (self.k / n) ** (1 - 1 / (len(columns) + 1))
        length = int(LIST_LENGTH * share * n) + self.k
        n_layers = max(len(self._columns[candidates[at]]) for at in places)
        size = self._budget(_LIST_FIXED + 16 * len(columns), _LIST_EACH + 64 * n_layers)
        for block_places, members, blocks, layers_nominal in self._portions(
            places, candidates, size
        ):
            rows = _arrange.pack_rows(self.values, members, order)
            lines = _arrange.as_lines(rows) if on_a_line else np.empty((0, 0))
            counts, radii = _room(len(block_places), n)

            def fill(begin: int, end: int, *arrays: Any) -> None:
                part = leaves[begin : end + 1] if pooled else np.array([begin, end])
                rows, lines, blocks, layers_nominal, counts, radii = arrays
                _lists.list_counts(
                    shared, nominal, self.nominal_distance, euclidean, n, len(z), part, pooled,
                    rows, lines, blocks, layers_nominal, self.k, ball, length, counts, radii,
                )  # fmt: skip

            n_items, least = (len(leaves) - 1, LEAF_SIZE) if pooled else (n, 1)
            least = 1 + PART // (len(block_places) * least)
            in_parts(fill, n_items, least, rows, lines, blocks, layers_nominal, counts, radii)
            lanes = [lane for lane, at in enumerate(block_places) if at >= 0]
            kept = [block_places[lane] for lane in lanes]
            if lanes[-1] + 1 == len(lanes):  # lanes to spare, if any, are the last: no copy
                counts, radii = counts[: len(lanes)], radii[: len(lanes)]
            else:
                counts, radii = counts[lanes], radii[lanes]
            if not z:
                self._count_alone([candidates[at] for at in kept], order, radii, ball, counts)
            yield Counts(kept, counts, radii, order)
            del rows, lines, counts, radii  # before the next portion is made

    def _portions(
        self, places: Sequence[int], candidates: Sequence[int], n_blocks: int
    ) -> Iterator[tuple[list[int], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield blocks of eight candidates that have equally many columns of either sort.

        Each portion of at most `n_blocks` blocks is the place of each lane's
        candidate (-1 for a lane to spare), the columns of each layer, where the layers of each
        block start, and which layers are nominal.
        """
        alike: dict[tuple[bool, ...], list[int]] = {}
        for at in places:
            alike.setdefault(self._kinds[candidates[at]], []).append(at)
        blocks = [
            (kinds, members[first : first + LANES])
            for kinds, members in alike.items()
            for first in range(0, len(members), LANES)
        ]
        for first in range(0, len(blocks), n_blocks):
            lanes: list[int] = []
            layers: list[tuple[int, ...]] = []
            starts = [0]
            nominal: list[bool] = []
            for kinds, members in blocks[first : first + n_blocks]:
                spare = LANES - len(members)
                lanes += members + [-1] * spare
                owned = [self._columns[candidates[at]] for at in members]
                owned += [owned[-1]] * spare
                layers += zip(*owned, strict=True)
                nominal += kinds
                starts.append(len(layers))
            yield lanes, np.array(layers), np.array(starts), np.array(nominal)

    def _count_alone(
        self,
        candidates: list[int],
        order: NDArray[np.integer[Any]],
        radii: NDArray[np.float64],
        ball: int,
        counts: NDArray[np.int32],
    ) -> None:
        """Fill in n_z and n_yz where there is no condition: all others, and those near in y."""
        n = self.n_samples
        reach = _kernels.closed_radii(radii, ball)
        counts[:, 1] = np.where(reach >= 0.0, n - 1, 0)
        for row, candidate in enumerate(candidates):
            columns = self._columns[candidate]
            if self._plain[candidate]:
                by_value = self._order(columns[0])
                _kernels.count_in_column(
                    self.values, columns[0], by_value, order, reach, row, counts
                )
            elif len(columns) == 1:
                _, labels, sizes = np.unique(
                    self.values[columns[0]], return_inverse=True, return_counts=True
                )
                same = np.where(reach[row] >= 0.0, sizes[labels[order]] - 1, 0)
                counts[row, 3] = np.where(reach[row] >= self.nominal_distance, n - 1, same)
            else:
                chosen = _arrange.pack_columns(self.values, np.array(columns), order)
                _kernels.count_in_columns(
                    chosen, self.nominal[columns], self.nominal_distance, reach, row, counts
                )

    def _order(self, column: int) -> NDArray[np.int32]:
        """Return the samples in the order of a column, which is kept for the next time."""
        self._sort([column])
        return self._orders[column]

    def _sort(self, columns: list[int]) -> None:
        """Keep the orders of some columns, those that are not kept already."""
        new = [c for c in columns if c not in self._orders]
        if new:
            # Not stable, which is faster: counts do not depend on the order of equal values.
            orders = np.argsort(self.values[new], axis=1).astype(np.int32)
            self._orders.update(zip(new, orders, strict=True))

    def _budget(self, fixed: int, each: int) -> int:
        """Return how many may be answered at a time that need `each` bytes for a sample.

        `fixed` bytes for a sample are needed whatever their number; too little for one is refused.
        """
        self._needed(fixed, each)
        left = (self.max_memory or WORKING_MEMORY) - self._kept_memory - fixed * self.n_samples
        return max(1, left // (each * self.n_samples))

    def _needed(self, fixed: int, each: int) -> int:
        """Return the bytes needed to answer one at a time, if there are so many."""
        needed = self._kept_memory + (fixed + each) * self.n_samples
        check_memory(needed, self.max_memory, f"a question about {self.n_samples} rows")
        return needed

    def reserve(self, n_bytes: int) -> None:
        """Leave some of the memory to others."""
        self._kept_memory += n_bytes


def _mean_of_counts(
    counts: NDArray[np.int32], signs: NDArray[np.int64], function: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `mean_over_counts`, the candidates in parts if there are threads to help."""

    def mean(begin: int, end: int) -> NDArray[np.float64]:
        return _kernels.mean_over_counts(counts[begin:end], signs, function)

    return np.concatenate(in_parts(mean, len(counts), 1 + 10 * PART // counts.shape[2]))


def _spread_of_counts(
    counts: NDArray[np.int32], function: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `spread_over_counts`, the candidates in parts if there are threads to help."""

    def spread(begin: int, end: int) -> NDArray[np.float64]:
        return _kernels.spread_over_counts(counts[begin:end], function)

    return np.concatenate(in_parts(spread, len(counts), 1 + PART // counts.shape[2]))


def _room(n_candidates: int, n_samples: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return arrays for counts and for radii."""
    counts = np.empty((n_candidates, 4, n_samples), dtype=np.int32)
    return counts, np.empty((n_candidates, n_samples))


# Bytes for each sample, whatever the number of candidates, and for each pair or eight candidates:
# room for their columns, counts, radii, copies of these, and what the caller still holds. Columns
# of x and z take 16 more each, layers of candidates 64.
_PAIR_FIXED, _PAIR_EACH = 100, 80
_LIST_FIXED, _LIST_EACH = 350, 704
_USUAL_COLUMNS = 8
