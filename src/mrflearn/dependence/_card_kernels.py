"""Kernels for a CUDA card: counts of neighbours, and means over them.

One warp answers up to 32 candidates of a question for one sample, each lane one candidate. It goes
over the other samples twice:

1. for the radii: those that are near enough in (x, z) to be among the k nearest of any candidate
   so far are gathered in a list; when that is full, every lane compares the entries with its own
   candidate, and "near enough" becomes nearer;
2. for the counts: those within the largest of the radii in z (without z, in x) are gathered, and
   every lane counts.

Whether a sample is gathered is decided by distances in float32, which are at most a known error too
large; all that is counted is compared in float64, as `naive.cmi_counts` does. Lists only save work,
so counts do not depend on their order, nor on how samples and candidates are shared out.

The same source runs without a card in Numba's simulator. That knows barriers and atomic operations
of a block and nothing of warps, so a block is one warp and speaks by shared memory. Places in
arrays are unsigned: for signed ones Numba asks each time whether they count from the end.

(Past 500 lines, as a kernel and its parts are read together.)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numba import config, cuda, float32, float64, int32, int64, uint32, uint64

__all__ = ["BINS", "FIELDS", "LANES", "MOST_SUMS", "counting", "summing"]

IS_SIMULATED = bool(getattr(config, "ENABLE_CUDASIM", False))

if not IS_SIMULATED:
    # Small questions are asked in small grids; nobody has to be warned of each.
    from numba.cuda import dispatcher

    dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]

LANES = 32
"""Threads of a block, and candidates of a task."""

SECOND, THIRD, FOURTH = (np.uint64(LANES * step) for step in (1, 2, 3))
TILE = 4 * LANES
"""Samples looked at together, four by each thread."""

WORTH_COMPARING = 64
"""Entries of a list that are worth comparing with."""

ROOM = WORTH_COMPARING + TILE + 4
"""Entries of a list, at most, and those that fill up the last four."""

WAITING = 8
"""Distances that may wait to be sorted in, for each lane."""

SHARED = max(ROOM, WAITING * LANES)
"""Numbers that a block can hold of a sort."""

FIELDS = 7
"""Numbers that describe a task."""

BINS = 256
"""Threads of a block that sums, and counts they look at together."""

MOST_SUMS = 8
"""Sums over the same counts, at most."""

IN_REGISTERS = 16
"""Neighbours up to which their distances are held in registers."""

MOST_REGISTERS = 64
"""Registers of a thread: so 32 warps are at work on a multiprocessor."""

CLOSE = 2.0**-23
"""Error of the difference of two float32 values that are at most 1 in size."""

EVERYTHING = 1e30
"""A float32 distance that no two samples have; that to a sample which only fills up is larger."""

LARGEST, SMALLEST = 1.7976931348623157e308, 5e-324


def _on_card(function: Any) -> Any:
    """Compile a part of a kernel."""
    return cuda.jit(device=True)(function)


def _kernel(function: Any) -> Any:
    """Compile a kernel, with a cache on disk where there is a place for one."""
    if IS_SIMULATED:
        return cuda.jit(function)
    options = {"max_registers": MOST_REGISTERS}
    try:
        return cuda.jit(cache=True, **options)(function)
    except RuntimeError:  # as in `_compile.compiled`
        return cuda.jit(**options)(function)


@_on_card
def _distance(rows, n_columns, nominal, nominal_distance, columns, begin, end, p, m):  # type: ignore
    """Return the distance of two samples in some columns."""
    first_p, first_m = uint64(p) * uint64(n_columns), uint64(m) * uint64(n_columns)
    largest = 0.0
    at = begin
    while at < end:
        column = columns[at]
        there, here = rows[first_p + column], rows[first_m + column]
        gap = abs(there - here)
        if nominal[column]:
            gap = nominal_distance if there != here else 0.0
        largest = gap if gap > largest else largest
        at = uint32(at + 1)
    return largest


@_on_card
def _limit(radius, scale):  # type: ignore
    """Return the float32 distance within which everything within a radius is sure to be."""
    scaled = float32(min(radius * scale * (1.0 + 2.0**-20) + CLOSE, EVERYTHING))
    return scaled * float32(1.0 + 2.0**-22)


@_on_card
def _gather(near, width, columns, begin, end, m, first, limit, found, n_found):  # type: ignore
    """Append those samples of a tile to the list that may be within the limit of sample m."""
    p = uint64(first + cuda.threadIdx.x)
    far0, far1, far2, far3 = float32(0.0), float32(0.0), float32(0.0), float32(0.0)
    at = begin
    while at < end:
        start = uint64(columns[at]) * uint64(width)
        here = near[start + m]
        place = start + p
        far0 = max(far0, abs(near[place] - here))
        far1 = max(far1, abs(near[place + SECOND] - here))
        far2 = max(far2, abs(near[place + THIRD] - here))
        far3 = max(far3, abs(near[place + FOURTH] - here))
        at = uint32(at + 1)
    if far0 <= limit:
        found[uint32(cuda.atomic.add(n_found, 0, 1))] = p
    if far1 <= limit:
        found[uint32(cuda.atomic.add(n_found, 0, 1))] = p + SECOND
    if far2 <= limit:
        found[uint32(cuda.atomic.add(n_found, 0, 1))] = p + THIRD
    if far3 <= limit:
        found[uint32(cuda.atomic.add(n_found, 0, 1))] = p + FOURTH


@_on_card
def _gather_enough(  # type: ignore
    near, width, columns, begin, end, m, first, n_samples, limit, found, n_found
):
    """Go over tiles until the list is worth comparing with, or all samples were looked at.

    Return where to go on, and how many entries the list has.
    """
    n = uint32(0)
    while n < WORTH_COMPARING and first < n_samples:
        _gather(near, width, columns, begin, end, m, first, limit, found, n_found)
        first = uint32(first + TILE)
        cuda.syncthreads()
        n = uint32(n_found[0])
        cuda.syncthreads()
    return first, n


@_on_card
def _measure(  # type: ignore
    rows, n_columns, nominal, nominal_distance, columns, begin, end, m, found, n, out
):
    """Fill in the distances of the entries of the list in some columns."""
    e = uint32(cuda.threadIdx.x)
    while e < n:
        p = found[e]
        out[e] = _distance(rows, n_columns, nominal, nominal_distance, columns, begin, end, p, m)
        if p == m:
            out[e] = np.nan  # within nothing
        e = uint32(e + LANES)


@_on_card
def _fill_up(found, n, out):  # type: ignore
    """Complete the last four entries of the list by some that are within nothing."""
    lane = uint32(cuda.threadIdx.x)
    if lane < 4:
        found[uint32(n + lane)] = 0
        out[uint32(n + lane)] = np.nan


@_on_card
def _widest(reduced, value):  # type: ignore
    """Return the largest value of all lanes."""
    reduced[uint32(cuda.threadIdx.x)] = value
    cuda.syncthreads()
    largest = reduced[uint32(0)]
    for lane in range(1, LANES):
        largest = max(largest, reduced[uint32(lane)])
    return largest


@_on_card
def _next_below(radius):  # type: ignore
    """Return the next smaller number, of one that is not negative; below 0, any."""
    if radius > LARGEST:
        return LARGEST
    if radius > 2.0**-1021:
        return radius * (1.0 - 2.0**-53)  # rounded, this is the next one
    return radius - SMALLEST


@_on_card
def _four_of(found, e, rows, n_columns, own):  # type: ignore
    """Return four entries of the list, and their values in a column: so loads do not wait."""
    p0, p1 = found[e], found[uint32(e + 1)]
    p2, p3 = found[uint32(e + 2)], found[uint32(e + 3)]
    y0 = rows[uint64(p0) * uint64(n_columns) + own]
    y1 = rows[uint64(p1) * uint64(n_columns) + own]
    y2 = rows[uint64(p2) * uint64(n_columns) + own]
    y3 = rows[uint64(p3) * uint64(n_columns) + own]
    return p0, p1, p2, p3, y0, y1, y2, y3


@_on_card
def _gap(  # type: ignore
    plain, rows, n_columns, nominal, nominal_distance, columns, begin, end, p, m, there, here
):
    """Return the distance of two samples in a candidate, whose first column has these values."""
    gap = abs(there - here)
    if not plain:
        if nominal[columns[begin]]:
            gap = nominal_distance if there != here else 0.0
        more = _distance(
            rows, n_columns, nominal, nominal_distance, columns, uint32(begin + 1), end, p, m
        )
        gap = more if more > gap else gap
    return gap


@_on_card
def _n_within(ascending, column, n_samples, here, radius):  # type: ignore
    """Count the samples within a radius of a value in a column, this one's own among them."""
    start = uint64(column) * uint64(n_samples)
    low, high = uint32(0), uint32(n_samples)  # the first that is not too far below
    while low < high:
        middle = uint32((low + high) >> 1)
        if here - ascending[start + middle] > radius:
            low = uint32(middle + 1)
        else:
            high = middle
    begin = low
    high = uint32(n_samples)  # the first that is too far above
    while low < high:
        middle = uint32((low + high) >> 1)
        if ascending[start + middle] - here > radius:
            high = middle
        else:
            low = uint32(middle + 1)
    return uint32(low - begin)


@_on_card
def _add_run(histograms, candidate, row, count, length):  # type: ignore
    """Add a run of equal counts to a histogram."""
    if length > 0:
        cuda.atomic.add(histograms, (candidate, uint32(row), count), length)


@_on_card
def _rounded(value):  # type: ignore
    """Return the nearest whole number, the even one of two, as `np.rint` does."""
    return int64((value + 6755399441055744.0) - 6755399441055744.0)


@lru_cache(maxsize=8)
def counting(k: int) -> Any:
    """Return the kernel that counts, for k neighbours.

    Its arguments, arrays being flat unless said otherwise: `near`, float32, all columns scaled by
    `scale` to within 1, labels at least 4 from each other, and padded; `rows`, the samples one
    after the other; `ascending`, the sorted columns; `alike`, how many samples have the label of
    each, by column; which columns are `nominal`, and the distance of labels; `scale`; the number of
    samples. `columns`, as uint32: for each task, where in this array its columns begin, those of x,
    and where they end; its first candidate; their number; whether each is one ordered column; and
    whether all samples must be looked at. Then the columns of z and x; from `owned` on, where those
    of each candidate begin, and where the last one's end; and these. The first and last of the
    samples whose turn it is; the sort of `ball`; `atoms`, what is added to k_m where the radius is
    0 (elsewhere it is k), or -1; `psi`, for the spread, or nothing. To be added to: `histograms` of
    k_m, n_z, n_xz and n_yz, shape (n_candidates, 4, N + 1), and sums and squares of `spreads`,
    shape (n_candidates, 2).
    """
    if k <= IN_REGISTERS:

        @_on_card
        def insert(smallest, value):  # type: ignore
            for i in range(k):
                kept = smallest[i]
                first = value < kept
                smallest[i] = value if first else kept
                value = kept if first else value

    else:

        @_on_card
        def insert(smallest, value):  # type: ignore
            i = k - 1
            if value < smallest[i]:
                while i > 0 and smallest[i - 1] > value:
                    smallest[i] = smallest[i - 1]
                    i -= 1
                smallest[i] = value

    @_on_card
    def wait(queue, n_waiting, far, furthest):  # type: ignore
        """Put a distance that may be one of the smallest into the lane's queue."""
        if far < furthest:
            queue[uint32(n_waiting * LANES + cuda.threadIdx.x)] = far
            n_waiting = uint32(n_waiting + 1)
        return n_waiting

    @_kernel
    def count(  # type: ignore
        near, rows, ascending, alike, nominal, nominal_distance, scale, n_all, columns, owned,
        first_sample, last_sample, ball, atoms, psi, histograms, spreads,
    ):  # fmt: skip
        found = cuda.shared.array(ROOM, uint32)
        in_xz = cuda.shared.array(ROOM, float64)
        in_z = cuda.shared.array(SHARED, float64)  # while radii are looked for, a queue
        reduced = cuda.shared.array(LANES, float32)
        n_found = cuda.shared.array(1, int32)
        smallest = cuda.local.array(k, float64)
        lane, task = uint32(cuda.threadIdx.x), uint32(cuda.blockIdx.y)
        n_samples, n_columns = uint32(n_all), uint32(nominal.size)
        width = uint32(near.size // nominal.size)
        asked = uint32(task * FIELDS)
        first_z, first_x = columns[asked], columns[uint32(asked + 1)]
        last_x, first_candidate = columns[uint32(asked + 2)], columns[uint32(asked + 3)]
        n_candidates = columns[uint32(asked + 4)]
        plain, look_at_all = columns[uint32(asked + 5)] != 0, columns[uint32(asked + 6)] != 0
        candidate = uint32(first_candidate + min(lane, uint32(n_candidates - 1)))
        begin = columns[uint32(owned + candidate)]
        end = columns[uint32(owned + candidate + 1)]
        own = columns[begin]
        alone = first_z == first_x
        last_scanned = last_x if alone else first_x
        last_k, run_k, last_z, run_z = uint32(0), uint32(0), uint32(0), uint32(0)
        total, squares = int64(0), int64(0)
        if lane == 0:
            n_found[0] = 0
        cuda.syncthreads()
        m = uint32(first_sample + cuda.blockIdx.x)
        while m < last_sample:
            here = rows[uint64(m) * uint64(n_columns) + own]
            for i in range(k):
                smallest[i] = np.inf
            furthest = float64(np.inf)
            limit = float32(EVERYTHING)
            first = uint32(0)
            while first < n_samples:
                first, n = _gather_enough(
                    near, width, columns, first_z, last_x, m, first, n_samples, limit, found,
                    n_found,
                )  # fmt: skip
                _measure(
                    rows, n_columns, nominal, nominal_distance, columns, first_z, last_x, m, found,
                    n, in_xz,
                )  # fmt: skip
                _fill_up(found, n, in_xz)
                if lane == 0:
                    n_found[0] = 0
                cuda.syncthreads()
                e = uint32(0)
                while e < n:
                    waiting = uint32(0)
                    stop = min(uint32(e + WAITING), n)
                    while e < stop:
                        p0, p1, p2, p3, y0, y1, y2, y3 = _four_of(found, e, rows, n_columns, own)
                        for q in range(4):
                            p = p0 if q == 0 else p1 if q == 1 else p2 if q == 2 else p3
                            there = y0 if q == 0 else y1 if q == 1 else y2 if q == 2 else y3
                            gap = _gap(
                                plain, rows, n_columns, nominal, nominal_distance, columns, begin,
                                end, p, m, there, here,
                            )  # fmt: skip
                            far = in_xz[uint32(e + q)]
                            far = gap if gap > far else far
                            waiting = wait(in_z, waiting, far, furthest)
                        e = uint32(e + 4)
                    while waiting > 0:
                        waiting = uint32(waiting - 1)
                        insert(smallest, in_z[uint32(waiting * LANES + lane)])
                    furthest = smallest[k - 1]
                limit = _widest(reduced, _limit(furthest, scale))
            reach = furthest
            if ball == 1 or (ball == 2 and furthest > 0.0):
                reach = _next_below(furthest)
            cuda.syncthreads()
            limit = _widest(reduced, _limit(reach, scale))
            if look_at_all:
                limit = float32(EVERYTHING)
            k_m, n_z, n_xz, n_yz = uint32(0), uint32(0), uint32(0), uint32(0)
            first = uint32(0)
            while first < n_samples:
                first, n = _gather_enough(
                    near, width, columns, first_z, last_scanned, m, first, n_samples, limit, found,
                    n_found,
                )  # fmt: skip
                _measure(
                    rows, n_columns, nominal, nominal_distance, columns, first_z, first_x, m, found,
                    n, in_z,
                )  # fmt: skip
                _measure(
                    rows, n_columns, nominal, nominal_distance, columns, first_x, last_x, m, found,
                    n, in_xz,
                )  # fmt: skip
                _fill_up(found, n, in_z)
                if lane == 0:
                    n_found[0] = 0
                cuda.syncthreads()
                e = uint32(0)
                while e < n:
                    p0, p1, p2, p3, y0, y1, y2, y3 = _four_of(found, e, rows, n_columns, own)
                    for q in range(4):
                        p = p0 if q == 0 else p1 if q == 1 else p2 if q == 2 else p3
                        there = y0 if q == 0 else y1 if q == 1 else y2 if q == 2 else y3
                        gap = _gap(
                            plain, rows, n_columns, nominal, nominal_distance, columns, begin, end,
                            p, m, there, here,
                        )  # fmt: skip
                        within_z = in_z[uint32(e + q)] <= reach
                        within_xz = within_z and in_xz[uint32(e + q)] <= reach
                        within_y = gap <= reach
                        n_z = uint32(n_z + uint32(within_z))
                        n_xz = uint32(n_xz + uint32(within_xz))
                        n_yz = uint32(n_yz + uint32(within_z and within_y))
                        k_m = uint32(k_m + uint32(within_xz and within_y))
                    e = uint32(e + 4)
                cuda.syncthreads()
            if alone:
                n_z = uint32(n_samples - 1) if reach >= 0.0 else uint32(0)
                if uint32(end - begin) == 1:
                    if reach < 0.0:
                        n_yz = uint32(0)
                    elif not nominal[own]:
                        n_yz = uint32(_n_within(ascending, own, n_samples, here, reach) - 1)
                    elif reach >= nominal_distance:
                        n_yz = n_z
                    else:
                        n_yz = uint32(alike[uint64(own) * uint64(n_samples) + m] - 1)
            if atoms >= 0:
                k_m = uint32(k) if furthest > 0.0 else uint32(k_m + atoms)
            if lane < n_candidates:
                cuda.atomic.add(histograms, (candidate, uint32(2), n_xz), 1)
                cuda.atomic.add(histograms, (candidate, uint32(3), n_yz), 1)
                if k_m != last_k:
                    _add_run(histograms, candidate, 0, last_k, run_k)
                    last_k, run_k = k_m, uint32(0)
                run_k = uint32(run_k + 1)
                if n_z != last_z:
                    _add_run(histograms, candidate, 1, last_z, run_z)
                    last_z, run_z = n_z, uint32(0)
                run_z = uint32(run_z + 1)
                if psi.size > 0:
                    inside, outside = psi[k_m] + psi[n_z], psi[n_xz] + psi[n_yz]
                    part = _rounded((inside - outside) * 65536.0)
                    total += part
                    squares += part * part
            m = uint32(m + cuda.gridDim.x)
        if lane < n_candidates:
            _add_run(histograms, candidate, 0, last_k, run_k)
            _add_run(histograms, candidate, 1, last_z, run_z)
            if psi.size > 0:
                cuda.atomic.add(spreads, (candidate, uint32(0)), total)
                cuda.atomic.add(spreads, (candidate, uint32(1)), squares)

    return count


@lru_cache(maxsize=1)
def summing() -> Any:
    """Return the kernel that sums functions of counts, in the order of `mean_over_counts`.

    A block is a candidate. Products are made by all its threads and added by one, in ascending
    order of the counts; through shared memory, so that no compiler joins the two. Histograms are
    left empty.
    """

    @_kernel
    def sum_counts(histograms, signs, functions, sums):  # type: ignore
        products = cuda.shared.array((MOST_SUMS, BINS), float64)
        thread, candidate = cuda.threadIdx.x, cuda.blockIdx.x
        n_bins, n_sums = histograms.shape[2], signs.shape[0]
        total = 0.0
        for first in range(0, n_bins, BINS):
            n = first + thread
            h0, h1, h2, h3 = 0, 0, 0, 0
            if n < n_bins:
                h0, h1 = histograms[candidate, 0, n], histograms[candidate, 1, n]
                h2, h3 = histograms[candidate, 2, n], histograms[candidate, 3, n]
            some = h0 + h1 + h2 + h3 > 0
            if some:
                for row in range(4):
                    histograms[candidate, row, n] = 0
            for s in range(n_sums):
                times = signs[s, 0] * h0 + signs[s, 1] * h1 + signs[s, 2] * h2 + signs[s, 3] * h3
                products[s, thread] = times * functions[s, n] if times != 0 else 0.0
            if cuda.syncthreads_or(int32(some)):
                if thread < n_sums:
                    for q in range(BINS):
                        total += products[thread, q]
                cuda.syncthreads()
        if thread < n_sums:
            sums[candidate, thread] = total

    return sum_counts
