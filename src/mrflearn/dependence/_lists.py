"""Counts for many candidates under one condition, by neighbour lists.

The distances in the condition z and in (x, z) are the same for every candidate y, and a sample
farther than the k-th joint neighbour in (x, z) matters to none of the counts. So for each sample
the others are gathered once that lie within a bar in (x, z), and within it in z; each candidate
then looks at those few. Where its radius turns out to exceed the bar, the counts are taken over
all samples, so results are exactly those of `naive.cmi_counts`, whatever the data.

Samples are put in the order of one column of z first: those within the bar are then a window.
"""

from __future__ import annotations

import numpy as np

from mrflearn.dependence._compile import compiled, inlined

__all__ = ["list_counts"]


@compiled
def select(values, n, rank):  # type: ignore
    """Return the entry of this rank, from 0, among the first n, which are reordered (Hoare)."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]


@inlined
def _gap(values, nominal, nominal_distance, columns, m, n):  # type: ignore
    """Return the distance of two samples in a set of columns."""
    largest = 0.0
    for c in columns:
        if nominal[c]:
            gap = nominal_distance if values[c, m] != values[c, n] else 0.0
        else:
            gap = abs(values[c, m] - values[c, n])
        largest = gap if gap > largest else largest
    return largest


@inlined
def _raise_to(values, nominal, nominal_distance, columns, m, low, high, out):  # type: ignore
    """Raise `out` in a window to the distances of sample m in a set of columns."""
    for c in columns:
        column = values[c]
        here = column[m]
        if nominal[c]:
            for n in range(low, high):
                gap = nominal_distance if column[n] != here else 0.0
                out[n] = gap if gap > out[n] else out[n]
        else:
            for n in range(low, high):
                gap = abs(column[n] - here)
                out[n] = gap if gap > out[n] else out[n]


@compiled
def _distances(values, nominal, nominal_distance, x, z, m, low, high, dz, dxz):  # type: ignore
    """Fill a window with the distances of sample m in z and in (x, z)."""
    for n in range(low, high):
        dz[n] = 0.0
    _raise_to(values, nominal, nominal_distance, z, m, low, high, dz)
    for n in range(low, high):
        dxz[n] = dz[n]
    _raise_to(values, nominal, nominal_distance, x, m, low, high, dxz)


@compiled
def _window(ascending, m, bar):  # type: ignore
    """Return the range of samples within `bar` of sample m in an ascending column."""
    here = ascending[m]
    low, end = 0, m
    while low < end:
        middle = (low + end) >> 1
        if here - ascending[middle] <= bar:
            end = middle
        else:
            low = middle + 1
    start, high = m + 1, len(ascending)
    while start < high:
        middle = (start + high) >> 1
        if ascending[middle] - here <= bar:
            start = middle + 1
        else:
            high = middle
    return low, high


@inlined
def _count_list(  # type: ignore
    values, nominal, nominal_distance, y, plain, m, radius, open_ball, near, index, end, four,
    row_joint, row_near,
):  # fmt: skip
    """Count the entries of a list within the radius, and those of them that are so in y too."""
    column = values[y[0]]
    here = column[m]
    n_near = n_joint = 0
    for p in range(end):
        inside = near[p] < radius if open_ball else near[p] <= radius
        n_near += inside
        if plain:
            gap = abs(column[index[p]] - here)
        else:
            gap = _gap(values, nominal, nominal_distance, y, m, index[p])
        n_joint += inside & (gap < radius if open_ball else gap <= radius)
    four[row_near] = n_near
    four[row_joint] = n_joint


@compiled
def _count_all(  # type: ignore
    values, nominal, nominal_distance, x, z, y, m, k, open_ball, dz, dxz, joint, counts
):
    """Take the four counts of one sample and one candidate over all samples."""
    n_samples = values.shape[1]
    _distances(values, nominal, nominal_distance, x, z, m, 0, n_samples, dz, dxz)
    for n in range(n_samples):
        joint[n] = max(dxz[n], _gap(values, nominal, nominal_distance, y, m, n))
    radius = select(joint, n_samples, k)
    for n in range(n_samples):
        dy = _gap(values, nominal, nominal_distance, y, m, n)
        if open_ball:
            counts[0] += max(dxz[n], dy) < radius
            counts[1] += dz[n] < radius
            counts[2] += dxz[n] < radius
            counts[3] += max(dz[n], dy) < radius
        else:
            counts[0] += max(dxz[n], dy) <= radius
            counts[1] += dz[n] <= radius
            counts[2] += dxz[n] <= radius
            counts[3] += max(dz[n], dy) <= radius
    return radius


@inlined
def _smallest_six(  # type: ignore
    values, nominal, nominal_distance, y, plain, m, near, index, begin, end, joint, six
):
    """Take the joint distances of some list entries, and update the six smallest so far.

    The comparisons compile to minima and maxima without branches. The sample itself is on the
    list, so that the last of the six belongs to its fifth neighbour.
    """
    column = values[y[0]]
    here = column[m]
    b0, b1, b2, b3, b4, b5 = six
    for p in range(begin, end):
        if plain:
            gap = abs(column[index[p]] - here)
        else:
            gap = _gap(values, nominal, nominal_distance, y, m, index[p])
        d0 = gap if gap > near[p] else near[p]
        joint[p] = d0
        d1 = b0 if b0 > d0 else d0
        b0 = d0 if d0 < b0 else b0
        d2 = b1 if b1 > d1 else d1
        b1 = d1 if d1 < b1 else b1
        d3 = b2 if b2 > d2 else d2
        b2 = d2 if d2 < b2 else b2
        d4 = b3 if b3 > d3 else d3
        b3 = d3 if d3 < b3 else b3
        d5 = b4 if b4 > d4 else d4
        b4 = d4 if d4 < b4 else b4
        b5 = d5 if d5 < b5 else b5
    return b0, b1, b2, b3, b4, b5


@inlined
def _gather(low, high, distances, limit, near, index, n_near, above):  # type: ignore
    """Append the samples of a window whose distance exceeds `above`, but not `limit`, to a list.

    The list has room for one more entry than it ends with.
    """
    for n in range(low, high):
        near[n_near] = distances[n]
        index[n_near] = n
        n_near += (distances[n] > above) & (distances[n] <= limit)
    return n_near


@inlined
def _sort(near, index, end):  # type: ignore
    """Put the first entries of a list in the order of their distance (insertion)."""
    for p in range(1, end):
        distance, n = near[p], index[p]
        q = p - 1
        while q >= 0 and near[q] > distance:
            near[q + 1] = near[q]
            index[q + 1] = index[q]
            q -= 1
        near[q + 1] = distance
        index[q + 1] = n


@inlined
def _radius(  # type: ignore
    values, nominal, nominal_distance, y, plain, m, k, near, index, n_first, n_all, cut, in_order,
    joint,
):  # fmt: skip
    """Return the distance to the k-th neighbour among a list, and how many entries were needed.

    The first `n_first` entries, all within `cut`, are enough if the radius is.
    """
    six = (np.inf, np.inf, np.inf, np.inf, np.inf, np.inf)
    n_seen = 0
    while n_seen < n_first:
        end = min(n_seen + 8, n_first)
        six = _smallest_six(
            values, nominal, nominal_distance, y, plain, m, near, index, n_seen, end, joint, six
        )
        n_seen = end
        if in_order and k <= 5 and near[n_seen - 1] > six[5]:
            break
    radius = np.inf
    if k <= 5:
        radius = six[k]
    elif n_seen > k:
        radius = select(joint, n_seen, k)
    if radius <= cut or n_all == n_first:
        return radius, n_seen
    begin = n_first if k <= 5 else 0  # `select` has reordered the joint distances
    six = _smallest_six(
        values, nominal, nominal_distance, y, plain, m, near, index, begin, n_all, joint, six
    )
    if k <= 5:
        radius = six[k]
    elif n_all > k:
        radius = select(joint, n_all, k)
    return radius, n_all


@compiled
def list_counts(  # type: ignore
    values, nominal, nominal_distance, key, x, z, members, starts, k, open_ball, length
):
    """Return k_m, n_z, n_xz and n_yz for each candidate y, shape (n_candidates, 4, N).

    Parameters are those of `_kernels.cmi_counts`, and: `key`, a column of z in which `values` are
    ascending, or -1 if there is none; `length`, about how many samples a list should hold.
    """
    n_samples = values.shape[1]
    n_candidates = len(starts) - 1
    counts = np.zeros((n_candidates, 4, n_samples), dtype=np.int64)
    dz, dxz, spare = np.empty(n_samples), np.empty(n_samples), np.empty(n_samples + 1)
    near_xz, index_xz = np.empty(n_samples + 1), np.empty(n_samples + 1, dtype=np.int64)
    near_z, index_z = np.empty(n_samples + 1), np.empty(n_samples + 1, dtype=np.int64)
    four = np.empty(4, dtype=np.int64)
    bar = np.inf
    if key >= 0:
        bar = 0.2 * (values[key, n_samples - 1] - values[key, 0])
    for m in range(n_samples):
        # A window of the key in which more than two list lengths lie within the bar.
        while True:
            low, high = 0, n_samples
            if key >= 0:
                low, high = _window(values[key], m, bar)
            everything = low == 0 and high == n_samples
            limit = np.inf if everything else bar
            _distances(values, nominal, nominal_distance, x, z, m, low, high, dz, dxz)
            n_all = _gather(low, high, dxz, limit, near_xz, index_xz, 0, -1.0)
            if n_all > 2 * length or everything:
                break
            bar *= 1.4
        if n_all > 12 * length and not everything:
            bar *= 0.9
        # The nearest first, in their order if they are few; then the rest.
        cut, n_first = limit, n_all
        if n_all > length + 1:
            for p in range(n_all):
                spare[p] = near_xz[p]
            cut = select(spare, n_all, length)
            n_first = _gather(low, high, dxz, cut, near_xz, index_xz, 0, -1.0)
            n_all = _gather(low, high, dxz, limit, near_xz, index_xz, n_first, cut)
        in_order = n_first <= 4 * length
        if in_order:
            _sort(near_xz, index_xz, n_first)
        n_first_z = _gather(low, high, dz, cut, near_z, index_z, 0, -1.0)
        n_all_z = -1  # the rest is gathered when a candidate needs it

        for c in range(n_candidates):
            y = members[starts[c] : starts[c + 1]]
            plain = len(y) == 1 and not nominal[y[0]]
            radius, end = _radius(
                values, nominal, nominal_distance, y, plain, m, k, near_xz, index_xz, n_first,
                n_all, cut, in_order, spare,
            )  # fmt: skip
            for row in range(4):
                four[row] = 0
            if radius <= limit:
                end_z = n_first_z
                if radius > cut:
                    if n_all_z < 0:
                        n_all_z = _gather(low, high, dz, limit, near_z, index_z, n_first_z, cut)
                    end_z = n_all_z
                _count_list(
                    values, nominal, nominal_distance, y, plain, m, radius, open_ball,
                    near_xz, index_xz, end, four, 0, 2,
                )  # fmt: skip
                _count_list(
                    values, nominal, nominal_distance, y, plain, m, radius, open_ball,
                    near_z, index_z, end_z, four, 3, 1,
                )  # fmt: skip
            else:
                radius = _count_all(
                    values, nominal, nominal_distance, x, z, y, m, k, open_ball,
                    dz, dxz, spare, four,
                )  # fmt: skip
            itself = 0 if open_ball and radius <= 0.0 else 1
            for row in range(4):
                counts[c, row, m] = four[row] - itself
    return counts
