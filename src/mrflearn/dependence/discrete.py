"""Plug-in entropies: conditional mutual information of observed counts, for discrete columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import check_memory
from mrflearn.dependence.base import Specification, TableDependence
from mrflearn.dependence.null import Null
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table

__all__ = ["CORRECTIONS", "BoundPlugIn", "PlugIn", "least_memory"]

CORRECTIONS = (None, "miller-madow", "df", "bic")

ROUNDING = 2**-48
"""Estimates of less than this share of ln N are rounding errors of an exact 0."""

TABLE_SIZE = 4
"""Combinations of levels in a table, for each sample, above which those that occur are numbered."""

BLOCK_LEVELS = 32
"""Most levels of a variable that is counted side by side with others."""

BLOCK_MEMBERS = 8
"""Fewest variables that are counted side by side."""

FEW = 2
"""Candidates, and one more for every four levels, from which counting side by side pays."""

SAMPLES_FOR_A_THREAD = 1_000_000
"""Candidates times samples that are worth a thread: about a millisecond."""

SMALL_GROUP = 16
"""Most samples of a group that are compared with each other instead of counted by level."""


@dataclass(frozen=True)
class PlugIn(Specification):
    """Conditional mutual information of the observed frequencies. Symmetric.

    Parameters
    ----------
    correction : {None, "miller-madow", "df", "bic"}, default=None
        What to do about the upward bias of the plain estimate. `"miller-madow"` adds
        (cells - 1) / 2N to every entropy. `"df"` subtracts `strength` * df / 2N, with df the
        degrees of freedom *observed*: (cells of (x, z) - cells of z) * (cells of (y, z) - cells of
        z) / cells of z. `"bic"` is `"df"` with strength ln N.
    strength : float, default=2.0
        For `"df"`: 1 removes the expected bias under independence, 2 is the Akaike criterion.
    """

    correction: str | None = None
    strength: float = 2.0

    def __post_init__(self) -> None:
        if self.correction == "none":
            object.__setattr__(self, "correction", None)
        if self.correction not in CORRECTIONS:
            raise unknown("correction", self.correction, ("none", *CORRECTIONS[1:]))
        if not isinstance(self.strength, (int, float)) or not math.isfinite(self.strength):
            raise InputError(f"strength must be a finite number, got {self.strength!r}")

    def bind(self, table: Table, max_memory: int | None = None) -> BoundPlugIn:
        """Return the dependence between the variables of `table`."""
        needed = least_memory(table)
        n_values = table.n_samples * max(table.n_variables, 16)
        check_memory(needed, max_memory, f"counting {n_values} values")
        n_kept = n_values if max_memory is None else (max_memory - needed) // 8
        return BoundPlugIn(table, self, n_kept)


def least_memory(table: Table) -> int:
    """Return the bytes that counting takes beside the table."""
    return 10 * table.n_samples * max(table.n_variables, 16)


class _Block(NamedTuple):
    """Variables of few levels, their codes side by side as bytes."""

    members: slice
    n_members: int
    n_levels: int
    rows: NDArray[np.uint8]

    @property
    def least(self) -> int:
        """Number of candidates from which it pays to count the whole block."""
        return FEW + self.n_levels // 4


class BoundPlugIn(TableDependence):
    """I(x; y | z) is h(x, y, z) + h(z) - h(x, z) - h(y, z), where h is a sum over cells.

    So a question needs the cells of two sets of variables, `given` without i and with it, alone
    and with each candidate. Their sums are kept: a search comes back to many sets.

    Variables are numbered anew, by their numbers of levels, so that those alike share a block.
    """

    symmetric = True
    has_null = True

    def __init__(self, table: Table, specification: PlugIn, n_kept: int) -> None:
        super().__init__(table)
        self.n_kept = n_kept
        continuous = [column.name for column in table.columns if column.kind == "continuous"]
        if continuous:
            others = f" (and {len(continuous) - 1} more)" if len(continuous) > 1 else ""
            raise InputError(
                f"dependence 'plugin' counts levels, and column {continuous[0]!r}{others} is "
                "continuous: use dependence 'knn', or declare its levels with "
                f"kinds={{{continuous[0]!r}: 'ordinal'}}"
            )
        n = table.n_samples
        self.grain = 1 + SAMPLES_FOR_A_THREAD // n
        cells = 1.0 if specification.correction == "miller-madow" else 0.0
        degrees = {"df": specification.strength, "bic": math.log(n)}
        strength = float(degrees.get(specification.correction or "", 0.0))
        self.formula = (n, ROUNDING * math.log(n), cells, strength)
        self.terms = _terms(n)
        self.small = min(SMALL_GROUP, n)
        codes, levels = _codes(table)
        order = np.argsort(levels, kind="stable")
        self.codes, self.levels = codes[order], levels[order]
        self.number = np.empty(table.n_variables, dtype=np.int64)
        self.number[order] = np.arange(table.n_variables)
        self.blocks = _blocks(self.codes, self.levels)
        self.unknown = np.full((table.n_variables + 1, 3), np.nan)
        self._kept: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        from mrflearn.dependence import _tables

        return _tables.estimates(*self._cells(i, candidates, given), *self.formula)

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Return gamma variables with the exact mean and the spread of the 2 x 2 tables in it.

        Where levels are rare they are more careful than that; see `_spread`.
        """
        from mrflearn.dependence import _spread, _tables

        n = self.table.n_samples
        x, y, order, starts = self._grouped(i, candidates, given)
        logs = _log_factorials(n)
        expected, _, more = self._by_chance(x, y, order, starts, logs)
        totals, far = _spread.spread_sums(
            self.codes, self.levels, x, y, order, starts, logs, self.terms
        )
        mean = (expected + more) * n
        second, third = _spread.cumulants(mean, totals)
        mean, second, third = _spread.careful(mean, second, third, totals[3], far)
        cells = self._cells(i, candidates, given)
        plain = _tables.estimates(*cells, *self.formula[:2], 0.0, 0.0)
        lowered = _tables.estimates(*cells, *self.formula) - plain
        return Null.from_cumulants(mean / n + lowered, second / n**2, third / n**3)

    def _grouped(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> tuple[int, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return the numbers of i and the candidates, samples by group, and where groups start."""
        from mrflearn.dependence import _tables

        y = self.number[list(candidates)]
        x, *z = self.number[[i, *given]].tolist()
        limit = TABLE_SIZE * self.table.n_samples
        joint, sizes, n_groups = _tables.group_sizes(
            self.codes, self.levels, np.array(sorted(z), dtype=np.int64), limit, self.terms
        )
        return x, y, *_tables.groups(joint, sizes, int(n_groups[2]))

    def _by_chance(
        self,
        x: int,
        y: NDArray[np.int64],
        order: NDArray[np.int32],
        starts: NDArray[np.int32],
        logs: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the means of estimates if samples are shuffled within groups, and two more arrays.

        Their degrees of freedom, summed over groups, of the levels that occur in each; and, unless
        `logs` is empty, by how much the mean exceeds the limit that is taken for large groups.
        """
        from mrflearn.dependence import _expected

        table = _expected.chance_table()
        sums, degrees, more = _expected.expected_sums(
            self.codes, self.levels, x, y, order, starts, table, logs
        )
        unit = _expected.UNIT * self.table.n_samples
        return sums / unit, degrees.astype(float), more / unit

    def _cells(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return sums over the cells of z and of (x, z), and the numbers of the candidates."""
        x, *z = self.number[[i, *given]].tolist()
        y = self.number[list(candidates)]
        return self._sums(tuple(sorted(z)), y), self._sums(tuple(sorted((x, *z))), y), y

    def _sums(
        self, variables: tuple[int, ...], candidates: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return sums of `_terms` over the cells of some variables with each candidate.

        Returns
        -------
        ndarray of shape (n_variables + 1, 3)
            Row j is for the variables and j; the last row is for the variables alone. Rows that
            nobody asked for may be NaN.
        """
        from mrflearn.dependence import _tables

        kept = self._kept.get(variables)
        if kept is not None and not np.isnan(kept[candidates, 0]).any():
            return kept
        sums = (self.unknown if kept is None else kept).copy()
        members = np.array(variables, dtype=np.int64)
        limit = TABLE_SIZE * self.table.n_samples
        joint, sizes, sums[-1] = _tables.group_sizes(
            self.codes, self.levels, members, limit, self.terms
        )
        wider = None
        if len(candidates) == 1:  # a search that removes edges comes back to smaller sets
            wider = self._kept.get(tuple(sorted((*variables, int(candidates[0])))))
        if wider is not None:
            sums[candidates] = wider[-1]
        else:
            self._count_cells(sums, candidates, joint, sizes)
        if len(self._kept) * sums.size > self.n_kept:
            self._kept = {}  # a new one, as other threads may be reading the old one
        self._kept[variables] = sums
        return sums

    def _count_cells(
        self,
        sums: NDArray[np.float64],
        candidates: NDArray[np.int64],
        joint: NDArray[np.int32],
        sizes: NDArray[np.int32],
    ) -> None:
        """Fill the rows of the candidates by counting, blocks where that pays."""
        from mrflearn.dependence import _tables

        order, starts = _tables.groups(joint, sizes, int(sums[-1, 2]))
        wanted = np.bincount(candidates // _tables.LANES).tolist()
        for block, n_wanted in zip(self.blocks, wanted, strict=False):
            if n_wanted >= block.least:
                lanes = _tables.lane_sums(
                    block.rows, block.n_levels, order, starts, self.terms, self.small
                )
                sums[block.members] = lanes[: block.n_members]
        for j in candidates[np.isnan(sums[candidates, 0])]:
            counts = np.zeros(self.levels[j], dtype=np.int32)
            sums[j] = _tables.column_sums(self.codes, j, order, starts, self.terms, counts)


def _codes(table: Table) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return codes 0, 1, … of the levels of each variable, and how many there are."""
    from mrflearn.dependence import _tables

    codes = np.empty((table.n_variables, table.n_samples), dtype=np.int32)
    levels = np.ones(table.n_variables, dtype=np.int64)
    for i in range(table.n_variables):
        for c, values in enumerate(table.values_of(i)):
            # Adding zero makes -0.0 the same bits as 0.0.
            column, n_levels = _tables.numbered((values + 0.0).view(np.int64))
            if c:
                column, n_levels = _tables.numbered(codes[i].astype(np.int64) * n_levels + column)
            codes[i], levels[i] = column, n_levels
    return codes, levels


def _blocks(codes: NDArray[np.int32], levels: NDArray[np.int64]) -> list[_Block]:
    """Return the variables in blocks of 64, those of many levels left out; `levels` ascend.

    What is left for the last block may be too little: it would take more memory than the table.
    """
    from mrflearn.dependence import _tables

    n_few = int(np.searchsorted(levels, BLOCK_LEVELS, side="right"))
    blocks = []
    for first in range(0, n_few, _tables.LANES):
        end = min(first + _tables.LANES, n_few)
        if end - first < BLOCK_MEMBERS:
            break
        rows = np.zeros((codes.shape[1], _tables.LANES), dtype=np.uint8)
        rows[:, : end - first] = codes[first:end].T
        blocks.append(_Block(slice(first, end), end - first, int(levels[end - 1]), rows))
    return blocks


@lru_cache(maxsize=16)
def _log_factorials(n_samples: int) -> NDArray[np.float64]:
    """Return the logarithms of 0! to n_samples!."""
    from scipy.special import gammaln

    logs: NDArray[np.float64] = gammaln(np.arange(1.0, n_samples + 2))
    logs.flags.writeable = False
    return logs


@lru_cache(maxsize=16)
def _terms(n_samples: int) -> NDArray[np.float64]:
    """Return what a cell adds to sums, for cells of 0 to n_samples samples.

    Returns
    -------
    ndarray of shape (n_samples + 1, 3)
        Two numbers that add up to v ln v, and the number of cells, 1 unless v is 0. The two are
        multiples of powers of two so large that sums over cells are exact, hence the same in any
        order.
    """
    sizes = np.arange(n_samples + 1, dtype=float)
    terms = np.empty((n_samples + 1, 3))
    exact = sizes * np.log(np.maximum(sizes, 1.0))
    unit = 2.0 ** (math.frexp(exact[-1])[1] - 51)  # sums are less than 2^53 of it, twice over
    terms[:, 0] = np.rint(exact / unit) * unit
    unit *= 2.0 ** (math.frexp(n_samples)[1] - 51)
    terms[:, 1] = np.rint((exact - terms[:, 0]) / unit) * unit
    terms[:, 2] = sizes > 0
    terms.flags.writeable = False
    return terms
