"""Compiled counting of cells for `discrete`: arrays in, arrays out.

A set of variables puts the samples into groups, one for each combination of levels that occurs;
one variable more splits the groups into cells. Wanted are sums over cells, of terms that depend on
how many samples a cell holds, for many variables that could be the one more.

Samples are put in the order of their groups once. Then either one variable counts its levels,
group by group (`column_sums`), or 64 do at once (`lane_sums`): their codes lie side by side as
bytes, and one instruction compares many of them. The compiler does not find the vector form of
those loops by itself, so they are given to it as operations on vectors.

`terms` has shape (N + 1, 3): what a cell of 0, 1, … samples adds to each of three sums. No cell
adds nothing, and a cell of one sample adds (0, 0, 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from mrflearn._compile import compiled
from mrflearn.dependence._lanes import pointers

__all__ = ["LANES", "column_sums", "estimates", "group_sizes", "groups", "lane_sums", "numbered"]

LANES = 64
"""Variables counted at once: as many bytes as a line of the processor's cache has."""

_INTEGER, _BYTE = ir.IntType(64), ir.IntType(8)
_BYTES = ir.VectorType(_BYTE, LANES)


@compiled
def numbered(keys):  # type: ignore
    """Return codes 0, 1, … of the keys in the order of their first appearance, and how many.

    A hash table with at least twice as many places as keys, and linear probing.
    """
    n_samples = len(keys)
    bits = 1
    while (1 << bits) < 2 * n_samples:
        bits += 1
    places = np.zeros(1 << bits, dtype=np.int32)  # 0 is free, else one more than the code
    distinct = np.empty(n_samples, dtype=np.int64)
    codes = np.empty(n_samples, dtype=np.int32)
    last = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    n_codes = 0
    for n in range(n_samples):
        key = keys[n]
        place = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift
        while places[place] > 0 and distinct[places[place] - 1] != key:
            place = (place + np.uint64(1)) & last
        if places[place] == 0:
            distinct[n_codes] = key
            n_codes += 1
            places[place] = n_codes
        codes[n] = places[place] - 1
    return codes, n_codes


@compiled
def group_sizes(codes, levels, variables, limit, terms):  # type: ignore
    """Return the groups by some variables: codes of samples, sizes by code, and the three sums.

    Parameters
    ----------
    codes : ndarray of int32, shape (n_variables, N)
        Codes of the levels of each variable.
    levels : ndarray of int64, shape (n_variables,)
        Codes of a variable are less than this.
    variables : ndarray of int64
        The set of variables; none make one group.
    limit : int
        Combinations of levels that may have a code; where there are more, those that occur are
        numbered.
    terms : ndarray of shape (N + 1, 3)
        What a group adds to the sums.
    """
    n_samples = codes.shape[1]
    joint = np.zeros(n_samples, dtype=np.int32)
    span = 1
    for variable in variables:
        n_levels = levels[variable]
        if span * n_levels <= limit:
            for n in range(n_samples):
                joint[n] = joint[n] * np.int32(n_levels) + codes[variable, n]
            span *= n_levels
        else:
            keys = np.empty(n_samples, dtype=np.int64)
            for n in range(n_samples):
                keys[n] = joint[n] * n_levels + codes[variable, n]
            joint, span = numbered(keys)
    sizes = np.zeros(span, dtype=np.int32)
    for n in range(n_samples):
        sizes[np.uint32(joint[n])] += 1
    first = second = third = 0.0
    for code in range(span):
        size = np.uint32(sizes[code])
        first += terms[size, 0]
        second += terms[size, 1]
        third += terms[size, 2]
    return joint, sizes, (first, second, third)


@compiled
def groups(joint, sizes, n_groups):  # type: ignore
    """Return the samples in the order of their groups, and where each group starts.

    Group number g is `order[starts[g]:starts[g + 1]]`.
    """
    n_samples = len(joint)
    places = np.empty(len(sizes), dtype=np.int32)
    starts = np.empty(n_groups + 1, dtype=np.int32)
    g = place = 0
    for code in range(len(sizes)):
        places[code] = place
        if sizes[code] > 0:
            starts[g] = place
            g += 1
            place += sizes[code]
    starts[n_groups] = n_samples
    order = np.empty(n_samples, dtype=np.int32)
    for n in range(n_samples):
        code = np.uint32(joint[n])
        order[np.uint32(places[code])] = n
        places[code] += 1
    return order, starts


@compiled
def column_sums(codes, variable, order, starts, terms, counts):  # type: ignore
    """Return the sums over the cells that one variable splits the groups into.

    A sample that finds r others in its cell adds the difference of the terms of r + 1 and r.
    `counts` is room for a number for each level, all 0.
    """
    first = second = third = 0.0
    for g in range(len(starts) - 1):
        start, end = starts[g], starts[g + 1]
        if end == start + 1:
            third += 1.0
            continue
        for n in range(start, end):
            level = np.uint32(codes[variable, np.uint32(order[n])])
            count = np.uint32(counts[level])
            counts[level] += 1
            first += terms[count + 1, 0] - terms[count, 0]
            second += terms[count + 1, 1] - terms[count, 1]
            third += terms[count + 1, 2] - terms[count, 2]
        for n in range(start, end):
            counts[np.uint32(codes[variable, np.uint32(order[n])])] = 0
    return first, second, third


class _Rows:
    """Code that works on rows of LANES bytes."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder = builder
        self.data = pointers(context, builder, signature, args)

    def load(self, array: Any, row: Any) -> Any:
        """Return a row of an array."""
        loaded = self.builder.load(self._place(array, row))
        loaded.align = 1
        return loaded

    def store(self, bytes_: Any, array: Any, row: Any) -> None:
        """Write a row of an array."""
        self.builder.store(bytes_, self._place(array, row)).align = 1

    def _place(self, array: Any, row: Any) -> Any:
        place = self.builder.gep(array, [self.builder.mul(row, ir.Constant(_INTEGER, LANES))])
        return self.builder.bitcast(place, _BYTES.as_pointer())

    def load_sample(self, rows: Any, order: Any, position: Any) -> Any:
        """Return the row of the sample at a position of the order."""
        sample = self.builder.load(self.builder.gep(order, [position]))
        return self.load(rows, self.builder.sext(sample, _INTEGER))

    def spread(self, byte: Any) -> Any:
        """Return a row of equal bytes."""
        nothing = ir.Constant(_BYTES, ir.Undefined)
        first = self.builder.insert_element(nothing, byte, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, everywhere)

    def add_equal(self, counts: Any, row: Any, other: Any) -> Any:
        """Return the counts, one more where two rows have equal bytes."""
        equal = self.builder.icmp_unsigned("==", row, other)
        return self.builder.sub(counts, self.builder.sext(equal, _BYTES))  # true is -1

    def count_equal(self, rows: Any, order: Any, start: Any, end: Any, row: Any) -> Any:
        """Return how many samples at positions start to end equal a row."""
        counts = cgutils.alloca_once_value(self.builder, ir.Constant(_BYTES, [0] * LANES))
        one = ir.Constant(_INTEGER, 1)
        with cgutils.for_range_slice(self.builder, start, end, one) as (position, _):
            sample = self.load_sample(rows, order, position)
            self.builder.store(self.add_equal(self.builder.load(counts), sample, row), counts)
        return self.builder.load(counts)


@intrinsic
def _count_level(typing_context, rows, order, start, end, level, counts):  # type: ignore
    """Write to row `level` of `counts` how many samples at positions start to end have it."""

    def generate(context, builder, signature, args):  # type: ignore
        work = _Rows(context, builder, signature, args)
        rows, order, start, end, level, counts = work.data
        codes = work.spread(builder.trunc(level, _BYTE))
        work.store(work.count_equal(rows, order, start, end, codes), counts, level)
        return context.get_dummy_value()

    whole = types.int64
    return types.void(rows, order, whole, whole, whole, counts), generate


@intrinsic
def _count_rank(typing_context, rows, order, start, end, ranks):  # type: ignore
    """Add 1 to row r of `ranks` where r samples, start to end, equal the one at position end.

    Row 0 is left as it is.
    """

    def generate(context, builder, signature, args):  # type: ignore
        work = _Rows(context, builder, signature, args)
        rows, order, start, end, ranks = work.data
        equals = work.count_equal(rows, order, start, end, work.load_sample(rows, order, end))
        one = ir.Constant(_INTEGER, 1)
        stop = builder.add(builder.sub(end, start), one)
        with cgutils.for_range_slice(builder, one, stop, one) as (rank, _):
            found = work.spread(builder.trunc(rank, _BYTE))
            work.store(work.add_equal(work.load(ranks, rank), equals, found), ranks, rank)
        return context.get_dummy_value()

    return types.void(rows, order, types.int64, types.int64, ranks), generate


@compiled
def lane_sums(rows, n_levels, order, starts, terms, small):  # type: ignore
    """Return the sums over the cells that each variable of a block splits the groups into.

    Large groups count the samples at each level. In small groups every sample is compared with
    the earlier ones, whatever the number of levels; as in `column_sums`, one that finds r equals
    adds the difference of two terms.

    Parameters
    ----------
    rows : ndarray of uint8, shape (N, LANES)
        Codes of the levels of each variable.
    n_levels : int
        Codes are less than this, at most 256.
    order, starts : ndarray of int32
        The groups.
    terms : ndarray of shape (N + 1, 3)
        What a cell adds to the sums.
    small : int
        Samples of the largest group that is small, at most 255.

    Returns
    -------
    ndarray of shape (LANES, 3)
    """
    # Counts are kept in bytes and moved on before they can exceed one.
    levels = np.zeros((n_levels, LANES), dtype=np.uint8)
    level_counts = np.zeros((n_levels, LANES), dtype=np.int32)
    ranks = np.zeros((small, LANES), dtype=np.uint8)
    rank_counts = np.zeros((small, LANES), dtype=np.int32)
    sums = np.zeros((LANES, 3))
    n_small = n_ranked = 0
    for g in range(len(starts) - 1):
        start, end = np.int64(starts[g]), np.int64(starts[g + 1])
        if end - start > small:
            for begin in range(start, end, 255):
                stop = begin + 255 if begin + 255 < end else end
                for level in range(1, n_levels):
                    _count_level(rows, order, begin, stop, level, levels)
                for level in range(1, n_levels):
                    for lane in range(LANES):
                        level_counts[level, lane] += levels[level, lane]
            for lane in range(LANES):
                left = np.uint32(end - start)
                first = second = third = 0.0
                for level in range(1, n_levels):
                    count = np.uint32(level_counts[level, lane])
                    level_counts[level, lane] = 0
                    left -= count
                    first += terms[count, 0]
                    second += terms[count, 1]
                    third += terms[count, 2]
                sums[lane, 0] += first + terms[left, 0]
                sums[lane, 1] += second + terms[left, 1]
                sums[lane, 2] += third + terms[left, 2]
        else:
            if n_ranked + end - start > 255:
                n_ranked = 0
                for rank in range(small):
                    for lane in range(LANES):
                        rank_counts[rank, lane] += ranks[rank, lane]
                        ranks[rank, lane] = 0
            n_ranked += end - start
            n_small += end - start
            for position in range(start + 1, end):
                _count_rank(rows, order, start, position, ranks)
    for lane in range(LANES):
        sums[lane, 2] += n_small
        for rank in range(1, small):
            count = rank_counts[rank, lane] + np.int32(ranks[rank, lane])
            sums[lane, 0] += count * (terms[rank + 1, 0] - terms[rank, 0])
            sums[lane, 1] += count * (terms[rank + 1, 1] - terms[rank, 1])
            sums[lane, 2] -= count
    return sums


@compiled
def estimates(without, whole, candidates, n_samples, rounding, per_cell, per_degree):  # type: ignore
    """Return the conditional mutual information of x with each candidate y.

    Parameters
    ----------
    without, whole : ndarray of shape (n_variables + 1, 3)
        Sums over cells of the condition z, and of x and z: in row j with variable j besides, in
        the last row with none. They are of two parts of v ln v, with v the size of a cell, and of
        the number of cells.
    candidates : ndarray of int64
        The variables y.
    n_samples : int
        N.
    rounding : float
        Values below this are 0.
    per_cell, per_degree : float
        What to subtract, times 2N, for each cell by which (x, y, z) and z exceed (x, z) and
        (y, z), and for each degree of freedom.
    """
    values = np.empty(len(candidates))
    z = len(without) - 1
    first, second = without[z, 0] - whole[z, 0], without[z, 1] - whole[z, 1]
    k_z, k_xz = without[z, 2], whole[z, 2]
    for c in range(len(candidates)):
        y = candidates[c]
        value = (whole[y, 0] - without[y, 0] + first) + (whole[y, 1] - without[y, 1] + second)
        value /= n_samples
        if abs(value) < rounding:
            value = 0.0
        k_yz, k_xyz = without[y, 2], whole[y, 2]
        correction = per_cell * (k_xyz + k_z - k_xz - k_yz)
        correction += per_degree * ((k_xz - k_z) * (k_yz - k_z) / k_z)
        values[c] = value - correction / (2 * n_samples)
    return values
