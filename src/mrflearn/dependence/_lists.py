"""Counts for many candidates under one condition, by neighbour lists.

The distances in the condition z and in (x, z) are the same for every candidate y, and a sample
farther than the k-th joint neighbour in (x, z) matters to none of the counts. So for each sample
the others are listed once that lie within a *bar* in (x, z), and within it in z; candidates, eight
at a time, then look at those few, the nearest first. Where the radius of a candidate turns out to
exceed the bar, the lists are made anew with a larger one, so the counts are exactly those of
`naive.cmi_counts`, whatever the data.

Samples come in *leaves* of near ones (`_arrange`). A leaf has one *pool*: all samples that lie
within a limit of the leaf, among which the lists of its samples are made. A sample for which the
limit is too small takes all samples for its pool.
"""

from __future__ import annotations

import numpy as np

from mrflearn._compile import compiled, inlined
from mrflearn.dependence._distances import forget, measure, n_within, select
from mrflearn.dependence._lanes import (
    LANES,
    LEVELS,
    count_within,
    find_range,
    find_within,
    keep_smallest,
    pass_through,
    raise_to_box,
)

__all__ = ["list_counts"]

BUCKETS = 8
"""Parts of a list, by distance: entries are ordered by part, and not inside one."""

CHUNK = 12
"""Entries looked at, at least, before asking whether the rest can matter."""


@compiled
def _fill_pool(  # type: ignore
    shared, nominal, nominal_distance, n_split, n_samples, first, last, limit, pool, packed,
    lows, highs, zeros, gaps,
):  # fmt: skip
    """List the samples within the limit of a leaf, ascending, pack their columns; return how many.

    A sample is as far from a leaf as from the box around it: never farther than from its samples.
    """
    n_ordered = 0
    for c in range(n_split):
        lows[c], highs[c] = np.inf, -np.inf
        for n in range(first, last):
            lows[c], highs[c] = min(lows[c], shared[c, n]), max(highs[c], shared[c, n])
        n_ordered += not nominal[c]
    raise_to_box(shared, shared.shape[1], 0, n_ordered, lows, highs, n_samples, zeros, gaps)
    for c in range(n_ordered, n_split):
        for n in range(n_samples):
            if shared[c, n] < lows[c] or shared[c, n] > highs[c]:
                gaps[n] = max(gaps[n], nominal_distance)
    for n in range(n_samples, len(gaps)):
        gaps[n] = np.nan
    n_pool = find_within(gaps, n_samples, limit, pool)
    for c in range(len(shared)):
        for p in range(n_pool):
            packed[c, p] = shared[c, pool[p]]
    return n_pool


@inlined
def _n_near(values, here, radius):  # type: ignore
    total = 0
    for n in range(len(values)):
        total += abs(values[n] - here) <= radius
    return total


@compiled
def _choose_bar(distances, n, bar, limit, length, n_dimensions, spare):  # type: ignore
    """Return a bar, not above the limit, within which about `length` of n samples lie."""
    if not bar < np.inf:
        for p in range(n):
            spare[p] = distances[p] if distances[p] >= 0.0 else 0.0  # the sample itself is NaN
        bar = select(spare, n, min(length + length // 2, n - 1))
    bar = min(bar, limit)
    for _ in range(5):
        n_near = n_within(distances, n, bar)
        if length <= n_near <= 2 * length + 8:
            break
        if n_near < length and bar >= limit:
            break
        ratio = (1.4 * length + 4.0) / max(n_near, 0.05 * length)
        bar = min(limit, bar * ratio ** (1.0 / n_dimensions))
    return bar


@inlined
def _slope(bar, skew):  # type: ignore
    """Return the parts of a list in a unit of distance; see `_part`."""
    return BUCKETS / (bar * (1.0 - skew)) if 1e-300 < bar < np.inf else 0.0


@inlined
def _part(distance, slope, skew):  # type: ignore
    """Return the part of a list that a distance belongs to; it never falls with the distance.

    The first part reaches farthest, since few samples are near where there are many dimensions.
    """
    if slope == 0.0:  # where the distance may be infinite
        return 0
    part = np.int32(min(distance * slope, 1e6) - skew * (BUCKETS / (1.0 - skew)))
    return min(max(part, 0), BUCKETS - 1)


@compiled
def _list_within(  # type: ignore
    distances, pool, n, bar, skew, found, found_near, parts, near, index, ends
):
    """List the samples of a pool within the bar, in the order of the parts they belong to.

    `ends` gets the end of each part; the last of them is the length of the list.
    """
    n_found = find_within(distances, n, bar, found)
    slope = _slope(bar, skew)
    for f in range(n_found):
        found_near[f] = distances[found[f]]
    for f in range(n_found):
        parts[f] = _part(found_near[f], slope, skew)
    # Two sets of counters, for entries of even and odd number: the same one is seldom used twice
    # in a row, which would make the processor wait.
    for b in range(BUCKETS):
        ends[0, b] = ends[1, b] = 0
    for f in range(n_found):
        ends[f & 1, parts[f]] += 1
    total = 0
    for b in range(BUCKETS):
        n_even = ends[0, b]
        ends[0, b] = total
        total += n_even + ends[1, b]
        ends[1, b] = total - ends[1, b]
    for f in range(n_found):
        place = ends[f & 1, parts[f]]
        ends[f & 1, parts[f]] = place + 1
        near[place] = found_near[f]
        index[place] = pool[found[f]]


@compiled
def _gaps(rows, layers_nominal, nominal_distance, m, index, begin, end, out):  # type: ignore
    """Fill rows of `out` with the gaps of list entries in eight candidates of several columns."""
    for p in range(begin, end):
        n = index[p]
        for c in range(LANES):
            out[p, c] = 0.0
        for layer in range(len(rows)):
            if layers_nominal[layer]:
                for c in range(LANES):
                    if rows[layer, n, c] != rows[layer, m, c]:
                        out[p, c] = max(out[p, c], nominal_distance)
            else:
                for c in range(LANES):
                    out[p, c] = max(out[p, c], abs(rows[layer, n, c] - rows[layer, m, c]))


@compiled
def _find_radii(near, index, rows, here, ends, bar, skew, k, smallest, joint, radius):  # type: ignore
    """Find the k-th joint distance of eight candidates in a list; return the largest of them.

    `smallest`, of shape (groups, LEVELS, LANES), is room for the smallest joint distances so far.
    Parts of the list too far to matter are not looked at.
    """
    n_groups = len(smallest)
    group, level = (k - 1) // LEVELS, (k - 1) % LEVELS
    for g in range(n_groups):
        for i in range(LEVELS):
            for c in range(LANES):
                smallest[g, i, c] = np.inf
    slope = _slope(bar, skew)
    widest = np.inf
    done, b = 0, 0
    while b < BUCKETS and (b == 0 or not _part(widest, slope, skew) < b):
        while b < BUCKETS - 1 and ends[b] - done < CHUNK:
            b += 1
        if n_groups == 1:
            keep_smallest(near, index, rows, here, done, ends[b], smallest[0])
        else:
            for p in range(done, ends[b]):
                for c in range(LANES):
                    gap = abs(rows[index[p], c] - here[c])
                    joint[p - done, c] = gap if gap > near[p] else near[p]
            for g in range(n_groups):
                pass_through(joint, ends[b] - done, smallest[g])
        done = ends[b]
        b += 1
        widest = 0.0
        for c in range(LANES):
            widest = max(widest, smallest[group, level, c])
    for c in range(LANES):
        radius[c] = smallest[group, level, c]
    return widest


@compiled
def _window(ascending, n, own, radius):  # type: ignore
    """Return the range of entries within the radius of one of them, in an ascending column."""
    here = ascending[own]
    low, end = 0, own
    while low < end:
        middle = (low + end) >> 1
        if here - ascending[middle] <= radius:
            end = middle
        else:
            low = middle + 1
    start, high = own + 1, n
    while start < high:
        middle = (start + high) >> 1
        if ascending[middle] - here <= radius:
            start = middle + 1
        else:
            high = middle
    return low, high


@compiled
def list_counts(  # type: ignore
    shared, nominal, nominal_distance, euclidean, n_samples, n_z, leaves, pooled, rows, lines,
    blocks, layers_nominal, k, ball, length, counts, radii,
):  # fmt: skip
    """Fill in counts and radii of each candidate y, for the samples of some leaves.

    Parameters
    ----------
    shared : array of shape (n_z + n_x, at least N rounded up to LANES)
        The columns of z, then those of x, nominal ones last among either, the samples in the order
        of `leaves`.
    nominal, nominal_distance
        Which of these columns are nominal; the distance of different labels.
    euclidean : bool
        Take the Euclidean norm inside x; without z alone.
    n_samples : int
        N.
    n_z : int
        The first columns form z, for which counts are wanted; 0: for none.
    leaves : array
        Where each of the leaves starts, and the last one ends.
    pooled : bool
        Make a pool for each leaf; else all samples are in it.
    rows : array of shape (n_layers, N, LANES)
        Columns of the candidates, eight candidates side by side.
    blocks, layers_nominal
        Block b of eight candidates owns the layers blocks[b] to blocks[b + 1]; the nominal ones.
    k : int
        Neighbours.
    ball : int
        0: closed; 1: open; 2: open where the radius is positive.
    length : int
        About how many samples a list should hold.

    counts : array of shape (8 * n_blocks, 4, N)
        k_m, n_z, n_xz and n_yz, without the sample itself. n_z and n_yz are left alone if n_z = 0.
    radii : array of shape (8 * n_blocks, N)
        Distance to the k-th neighbour.
    """
    n_shared, width = shared.shape
    n_blocks = len(blocks) - 1
    n_split = n_z if n_z > 0 else n_shared
    on_a_line = n_z == 1 and not nominal[0]
    everyone, pool = np.arange(n_samples), np.empty(n_samples + 16, dtype=np.int64)
    lows, highs = np.empty(n_shared), np.empty(n_shared)
    packed, zeros = np.empty((n_shared, width)), np.zeros(width)
    dz, dxz, spare = np.empty(width), np.empty(width), np.empty(width)
    found, found_near = np.empty(n_samples + 16, dtype=np.int64), np.empty(n_samples)
    parts = np.empty(n_samples, dtype=np.int32)
    near, index = np.empty(n_samples), np.empty(n_samples, dtype=np.int64)
    ends = np.zeros((2, BUCKETS), dtype=np.int64)
    n_groups = (k + LEVELS - 1) // LEVELS
    smallest = np.empty((n_groups, LEVELS, LANES))
    plain_only = len(layers_nominal) == n_blocks
    for layer in range(len(layers_nominal)):
        plain_only = plain_only and not layers_nominal[layer]
    joint = np.empty((n_samples if n_groups > 1 else 1, LANES))
    gaps = np.empty((1 if plain_only else n_samples, LANES))
    origin, radius = np.zeros(LANES), np.empty((n_blocks, LANES))
    widest = np.empty(n_blocks)
    owns, heres = np.empty(LANES, dtype=np.int64), np.empty(LANES)
    below, above = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    totals = np.empty((2, LANES), dtype=np.int64)

    skew_xz, skew_z = 0.02 ** (1.0 / n_shared), 0.02 ** (1.0 / max(n_z, 1))
    limit, bar = np.inf, np.inf
    bars = np.empty(n_samples)
    for leaf in range(len(leaves) - 1):
        first, last = leaves[leaf], leaves[leaf + 1]
        n_pool = 0
        if limit < np.inf:
            n_pool = _fill_pool(
                shared, nominal, nominal_distance, n_split, n_samples, first, last, limit, pool,
                packed, lows, highs, zeros, spare,
            )  # fmt: skip
        place = 0
        for m in range(first, last):
            columns, members, n_members, own, cap = shared, everyone, n_samples, m, np.inf
            if limit < np.inf:
                while pool[place] != m:
                    place += 1
                columns, members, n_members, own, cap = packed, pool, n_pool, place, limit
            measured = listed = False
            largest = 0.0
            for block in range(n_blocks):
                layers = rows[blocks[block] : blocks[block + 1]]
                plain = len(layers) == 1 and not layers_nominal[blocks[block]]
                while True:
                    if not measured:
                        measure(
                            columns, nominal, nominal_distance, False, 0, n_z, own, n_members,
                            zeros, spare, dz,
                        )  # fmt: skip
                        measure(
                            columns, nominal, nominal_distance, euclidean, n_z, n_shared, own,
                            n_members, dz, spare, dxz,
                        )  # fmt: skip
                        forget(dz, own, n_members)
                        forget(dxz, own, n_members)
                        if block == 0 and cap == limit:
                            bar = _choose_bar(dxz, n_members, bar, cap, length, n_shared, spare)
                        measured = True
                    if not listed:
                        _list_within(
                            dxz,
                            members,
                            n_members,
                            bar,
                            skew_xz,
                            found,
                            found_near,
                            parts,
                            near,
                            index,
                            ends,
                        )
                        listed = True
                    if plain:
                        widest[block] = _find_radii(
                            near, index, layers[0], layers[0, m], ends[1], bar, skew_xz, k,
                            smallest, joint, radius[block],
                        )  # fmt: skip
                    else:
                        _gaps(
                            layers, layers_nominal[blocks[block] : blocks[block + 1]],
                            nominal_distance, m, index, 0, ends[1, BUCKETS - 1], gaps,
                        )  # fmt: skip
                        widest[block] = _find_radii(
                            near, everyone, gaps, origin, ends[1], bar, skew_xz, k, smallest, joint,
                            radius[block],
                        )  # fmt: skip
                    if widest[block] <= bar:
                        break
                    listed = False
                    if widest[block] > cap:  # not all samples that matter are in the pool
                        columns, members, n_members, own, cap = (
                            shared, everyone, n_samples, m, np.inf,
                        )  # fmt: skip
                        measured = False
                    bar = widest[block]
                largest = max(largest, widest[block])
                for c in range(LANES):
                    radii[block * LANES + c, m] = radius[block, c]
                    if ball == 1 or (ball == 2 and radius[block, c] > 0.0):
                        radius[block, c] = np.nextafter(radius[block, c], -np.inf)
                    totals[0, c] = totals[1, c] = 0
                end = ends[1, _part(widest[block], _slope(bar, skew_xz), skew_xz)]
                if plain:
                    count_within(
                        near, index, layers[0], layers[0, m], 0, end, radius[block], totals
                    )
                else:
                    count_within(near, everyone, gaps, origin, 0, end, radius[block], totals)
                for c in range(LANES):
                    counts[block * LANES + c, 2, m] = totals[0, c]
                    counts[block * LANES + c, 0, m] = totals[1, c]

            bars[m] = largest
            if n_z == 0:
                continue
            if not on_a_line:
                _list_within(
                    dz,
                    members,
                    n_members,
                    largest,
                    skew_z,
                    found,
                    found_near,
                    parts,
                    near,
                    index,
                    ends,
                )
            for block in range(n_blocks):
                layers = rows[blocks[block] : blocks[block + 1]]
                plain = len(layers) == 1 and not layers_nominal[blocks[block]]
                for c in range(LANES):
                    totals[0, c] = totals[1, c] = 0
                near_z, index_z, begin, end = near, index, 0, 0
                if on_a_line and plain:
                    for c in range(LANES):
                        owns[c], heres[c], below[c], above[c] = own, columns[0, own], 0, 0
                    n_bits = 0
                    while n_members >> n_bits > 0:
                        n_bits += 1
                    find_range(
                        columns[0], owns, heres, radius[block], 0, n_members, n_bits, below, above
                    )
                    for c in range(LANES):
                        close = radius[block, c]
                        column = lines[blocks[block] * LANES + c]
                        counts[block * LANES + c, 1, m] = below[c] + above[c]
                        counts[block * LANES + c, 3, m] = _n_near(
                            column[m - below[c] : m + above[c] + 1], column[m], close
                        ) - (close >= 0.0)
                    continue
                if on_a_line:
                    begin, end = _window(columns[0], n_members, own, widest[block])
                    near_z, index_z = dz, members
                else:
                    begin, end = 0, ends[1, _part(widest[block], _slope(largest, skew_z), skew_z)]
                if plain:
                    count_within(
                        near_z, index_z, layers[0], layers[0, m], begin, end, radius[block], totals
                    )
                else:
                    _gaps(
                        layers, layers_nominal[blocks[block] : blocks[block + 1]],
                        nominal_distance, m, index_z, begin, end, gaps,
                    )  # fmt: skip
                    count_within(near_z, everyone, gaps, origin, begin, end, radius[block], totals)
                for c in range(LANES):
                    counts[block * LANES + c, 1, m] = totals[0, c]
                    counts[block * LANES + c, 3, m] = totals[1, c]
        if pooled:
            limit = 1.15 * select(bars[first:last], last - first, (9 * (last - first)) // 10)
