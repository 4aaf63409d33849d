"""Inner loops over eight candidates at once, written for the vector units of the processor.

For one sample, a *list* holds other samples: `near[p]` is the distance of entry p in what all
candidates share, and `rows[index[p]]` its values in eight candidates, `here` those of the sample
itself. The joint distance of entry p in a candidate is the larger of `near[p]` and the gap between
`rows[index[p]]` and `here`. The compiler does not find the vector form of these loops by itself
(plain loops took 4 times as long), so they are given to it as operations on vectors.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = [
    "LANES",
    "LEVELS",
    "count_pairs",
    "count_within",
    "find_range",
    "find_within",
    "keep_nearest",
    "keep_nearest_but_own",
    "keep_smallest",
    "keep_smallest_of",
    "measure_euclidean",
    "pass_through",
    "pointers",
    "raise_to",
    "raise_to_box",
]

LANES = 8
"""Candidates answered together: two vectors of AVX2, one of AVX-512."""

LEVELS = 5
"""Smallest distances that one loop keeps."""

_INTEGER = ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_COUNTS = ir.VectorType(_INTEGER, LANES)


def pointers(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Return the arguments of an intrinsic, arrays as pointers to their first entries."""
    return [
        context.make_array(kind)(context, builder, value).data
        if isinstance(kind, types.Array)
        else value
        for kind, value in zip(signature.args, args, strict=True)
    ]


class _Loop:
    """A loop over the entries begin to end of a list, with vectors carried from one to the next."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder = builder
        self.data = pointers(context, builder, signature, args)
        self.absolute = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.fabs.v{LANES}f64"
        )

    def load(self, pointer: Any, row: Any, kind: Any = _VECTOR) -> Any:
        """Return one row of an array with LANES columns."""
        return self.load_from(pointer, self.builder.mul(_integer(row), _integer(LANES)), kind)

    def store(self, value: Any, pointer: Any, row: Any) -> None:
        """Write one row of an array with LANES columns."""
        self.store_from(value, pointer, self.builder.mul(_integer(row), _integer(LANES)))

    def load_from(self, pointer: Any, first: Any, kind: Any = _VECTOR) -> Any:
        """Return LANES neighbouring entries."""
        place = self.builder.bitcast(self.builder.gep(pointer, [first]), kind.as_pointer())
        loaded = self.builder.load(place)
        loaded.align = 8
        return loaded

    def store_from(self, value: Any, pointer: Any, first: Any) -> None:
        """Write LANES neighbouring entries."""
        place = self.builder.bitcast(self.builder.gep(pointer, [first]), value.type.as_pointer())
        self.builder.store(value, place).align = 8

    def entry(self, pointer: Any, position: Any) -> Any:
        """Return one entry of a one-dimensional array."""
        return self.builder.load(self.builder.gep(pointer, [position]))

    def spread(self, number: Any, kind: Any = _VECTOR) -> Any:
        """Return a vector with the same number in every lane."""
        nothing = ir.Constant(kind, ir.Undefined)
        first = self.builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def smaller(self, a: Any, b: Any) -> Any:
        """Return the smaller of two vectors, lane by lane."""
        return self.builder.select(self.builder.fcmp_ordered("<", a, b), a, b)

    def larger(self, a: Any, b: Any) -> Any:
        """Return the larger of two vectors, lane by lane."""
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def gap(self, row: Any, here: Any) -> Any:
        """Return the absolute difference of two vectors."""
        return self.builder.call(self.absolute, [self.builder.fsub(row, here)])

    def run(self, begin: Any, end: Any, carried: list[Any], body: Any, step: int = 1) -> list[Any]:
        """Run `body(position, carried) -> carried` from begin to end; return the last result."""
        builder = self.builder
        before = builder.block
        test, inside, after = (builder.append_basic_block(name) for name in ("test", "in", "out"))
        builder.branch(test)
        builder.position_at_end(test)
        position = builder.phi(_INTEGER)
        position.add_incoming(begin, before)
        current = [builder.phi(value.type) for value in carried]
        for phi, value in zip(current, carried, strict=True):
            phi.add_incoming(value, before)
        builder.cbranch(builder.icmp_signed("<", position, end), inside, after)
        builder.position_at_end(inside)
        updated = body(position, current)
        position.add_incoming(builder.add(position, _integer(step)), builder.block)
        for phi, value in zip(current, updated, strict=True):
            phi.add_incoming(value, builder.block)
        builder.branch(test)
        builder.position_at_end(after)
        return current


def _integer(value: Any) -> Any:
    return ir.Constant(_INTEGER, value) if isinstance(value, int) else value


@intrinsic
def raise_to(typing_context, columns, width, begin, end, own, n, start, out):  # type: ignore
    """Fill `out` with the larger of `start` and the distances of sample `own` in some columns.

    `columns` has rows of `width` entries, of which begin to end are used, the first n entries of
    each. Arrays are as long as n rounded up to LANES, or longer.
    """

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        columns_at, row, first, last, sample, n_entries, start_at, out_at = loop.data

        def gap(column, values):  # type: ignore
            at = builder.add(builder.mul(column, row), sample)
            return loop.gap(values, loop.spread(loop.entry(columns_at, at)))

        _raise_by(loop, columns_at, row, first, last, n_entries, start_at, out_at, gap)
        return context.get_dummy_value()

    return types.void(columns, width, begin, end, own, n, start, out), generate


@intrinsic
def raise_to_box(typing_context, columns, width, begin, end, lows, highs, n, start, out):  # type: ignore
    """Do what `raise_to` does for the distances to a box, from lows[c] to highs[c] in column c."""

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        columns_at, row, first, last, lows_at, highs_at, n_entries, start_at, out_at = loop.data

        def gap(column, values):  # type: ignore
            below = builder.fsub(loop.spread(loop.entry(lows_at, column)), values)
            above = builder.fsub(values, loop.spread(loop.entry(highs_at, column)))
            return loop.larger(below, above)

        _raise_by(loop, columns_at, row, first, last, n_entries, start_at, out_at, gap)
        return context.get_dummy_value()

    kinds = (columns, width, begin, end, lows, highs, n, start, out)
    return types.void(*kinds), generate


@intrinsic
def measure_euclidean(typing_context, columns, width, begin, end, own, n, out):  # type: ignore
    """Fill `out` with the Euclidean distances of sample `own` in some columns, as `raise_to`."""

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        columns_at, row, first, last, sample, n_entries, out_at = loop.data
        root = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.sqrt.v{LANES}f64"
        )

        def over_entries(position, nothing):  # type: ignore
            def over_columns(column, total):  # type: ignore
                at = builder.mul(column, row)
                here = loop.spread(loop.entry(columns_at, builder.add(at, sample)))
                gap = builder.fsub(loop.load_from(columns_at, builder.add(at, position)), here)
                return [builder.fadd(total[0], builder.fmul(gap, gap))]

            nought = ir.Constant(_VECTOR, [0.0] * LANES)
            total = loop.run(first, last, [nought], over_columns)
            loop.store_from(builder.call(root, [total[0]]), out_at, position)
            return []

        loop.run(_integer(0), n_entries, [], over_entries, LANES)
        return context.get_dummy_value()

    return types.void(columns, width, begin, end, own, n, out), generate


def _raise_by(  # type: ignore
    loop, columns_at, row, first, last, n_entries, start_at, out_at, gap
):
    """Fill `out` with the largest of `start` and the gaps of all columns, LANES entries a time."""
    builder = loop.builder

    def over_entries(position, nothing):  # type: ignore
        def over_columns(column, largest):  # type: ignore
            place = builder.add(builder.mul(column, row), position)
            return [loop.larger(gap(column, loop.load_from(columns_at, place)), largest[0])]

        initial = loop.load_from(start_at, position)
        largest = loop.run(first, last, [initial], over_columns)
        loop.store_from(largest[0], out_at, position)
        return []

    loop.run(_integer(0), n_entries, [], over_entries, LANES)


@intrinsic
def find_within(typing_context, distances, n, bar, found):  # type: ignore
    """Write the positions of the first n distances that do not exceed the bar; return how many.

    `distances` is as long as n rounded up to 8 * LANES, or longer; what is beyond n exceeds any
    bar or is NaN. `found` has room for three more than are found. (The bits of a mask are in the
    order of little-endian processors.)
    """

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        distances_at, n_entries, limit, found_at = loop.data
        limits = loop.spread(limit)
        n_masks = 64 // LANES
        mask_kind = ir.IntType(LANES)
        lowest = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INTEGER, [_INTEGER, ir.IntType(1)]), "llvm.cttz.i64"
        )
        population = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INTEGER, [_INTEGER]), "llvm.ctpop.i64"
        )
        batch = 4

        def over_words(position, carried):  # type: ignore
            (n_found,) = carried
            word = _integer(0)
            for which in range(n_masks):
                place = builder.add(position, _integer(which * LANES))
                inside = builder.fcmp_ordered("<=", loop.load_from(distances_at, place), limits)
                mask = builder.zext(builder.bitcast(inside, mask_kind), _INTEGER)
                word = builder.or_(word, builder.shl(mask, _integer(which * LANES)))
            # Positions are written four at a time; those too many are overwritten later.
            total = builder.call(population, [word])

            def over_batches(done, left):  # type: ignore
                (bits,) = left
                for extra in range(batch):
                    bit = builder.call(lowest, [bits, ir.Constant(ir.IntType(1), 0)])
                    at = builder.add(builder.add(n_found, done), _integer(extra))
                    builder.store(builder.add(position, bit), builder.gep(found_at, [at]))
                    bits = builder.and_(bits, builder.sub(bits, _integer(1)))
                return [bits]

            loop.run(_integer(0), total, [word], over_batches, batch)
            return [builder.add(n_found, total)]

        return loop.run(_integer(0), n_entries, [_integer(0)], over_words, 64)[0]

    return types.int64(distances, n, bar, found), generate


@intrinsic
def keep_smallest(typing_context, near, index, rows, here, begin, end, smallest):  # type: ignore
    """Update the LEVELS smallest joint distances of each lane by some entries of a list.

    `smallest` has shape (LEVELS, LANES), each column ascending, infinite where there is none yet.
    """

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        near_at, index_at, rows_at, here_at, first, last, smallest_at = loop.data
        own = loop.load(here_at, 0)

        def body(position, kept):  # type: ignore
            row = loop.load(rows_at, loop.entry(index_at, position))
            distance = loop.larger(loop.gap(row, own), loop.spread(loop.entry(near_at, position)))
            updated = []
            for level in kept:
                updated.append(loop.smaller(distance, level))
                distance = loop.larger(level, distance)
            return updated

        kept = [loop.load(smallest_at, level) for level in range(LEVELS)]
        for level, value in enumerate(loop.run(first, last, kept, body)):
            loop.store(value, smallest_at, level)
        return context.get_dummy_value()

    return types.void(near, index, rows, here, begin, end, smallest), generate


@intrinsic
def keep_nearest(typing_context, x, y, begin, end, own_x, own_y, smallest):  # type: ignore
    """Update the LEVELS + 1 smallest distances of eight samples to some others in (x, y).

    Lane c is a sample with values `own_x[c]` and `own_y[c]`, not one of the others. `smallest` has
    shape (LEVELS + 1, LANES).
    """

    def generate(context, builder, signature, args):  # type: ignore
        _keep_pairs(_Loop(context, builder, signature, args), None)
        return context.get_dummy_value()

    return types.void(x, y, begin, end, own_x, own_y, smallest), generate


@intrinsic
def keep_nearest_but_own(typing_context, x, y, begin, end, own_x, own_y, smallest, own):  # type: ignore
    """Do what `keep_nearest` does where lane c may be one of the others, number `own[c]`."""

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        _keep_pairs(loop, loop.load(loop.data.pop(), 0, _COUNTS))
        return context.get_dummy_value()

    return types.void(x, y, begin, end, own_x, own_y, smallest, own), generate


def _keep_pairs(loop: _Loop, numbers: Any) -> None:
    """Keep the smallest distances in (x, y), leaving out those of a sample to itself, if asked."""
    builder = loop.builder
    x_at, y_at, first, last, own_x_at, own_y_at, smallest_at = loop.data
    here_x, here_y = loop.load(own_x_at, 0), loop.load(own_y_at, 0)
    too_far = ir.Constant(_VECTOR, [float("inf")] * LANES)

    def body(position, kept):  # type: ignore
        gap_x = loop.gap(loop.spread(loop.entry(x_at, position)), here_x)
        gap_y = loop.gap(loop.spread(loop.entry(y_at, position)), here_y)
        distance = loop.larger(gap_x, gap_y)
        if numbers is not None:
            itself = builder.icmp_signed("==", loop.spread(position, _COUNTS), numbers)
            distance = builder.select(itself, too_far, distance)
        updated = []
        for level in kept:
            updated.append(loop.smaller(distance, level))
            distance = loop.larger(level, distance)
        return updated

    kept = [loop.load(smallest_at, level) for level in range(LEVELS + 1)]
    for level, value in enumerate(loop.run(first, last, kept, body)):
        loop.store(value, smallest_at, level)


@intrinsic
def count_pairs(typing_context, x, y, begin, end, own_x, own_y, radius, counts):  # type: ignore
    """Add up the samples within the radius of each lane in (x, y), itself and ends included."""

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        x_at, y_at, first, last, own_x_at, own_y_at, radius_at, counts_at = loop.data
        here_x, here_y = loop.load(own_x_at, 0), loop.load(own_y_at, 0)
        limit = loop.load(radius_at, 0)

        def body(position, counted):  # type: ignore
            gap_x = loop.gap(loop.spread(loop.entry(x_at, position)), here_x)
            gap_y = loop.gap(loop.spread(loop.entry(y_at, position)), here_y)
            inside = builder.fcmp_ordered("<=", loop.larger(gap_x, gap_y), limit)
            return [builder.add(counted[0], builder.zext(inside, _COUNTS))]

        counted = loop.run(first, last, [loop.load(counts_at, 0, _COUNTS)], body)
        loop.store(counted[0], counts_at, 0)
        return context.get_dummy_value()

    return types.void(x, y, begin, end, own_x, own_y, radius, counts), generate


@intrinsic
def keep_smallest_of(typing_context, distances, n_rows, smallest):  # type: ignore
    """Update the LEVELS smallest of each lane by rows of LANES distances."""

    def generate(context, builder, signature, args):  # type: ignore
        _keep_rows(_Loop(context, builder, signature, args), keep_displaced=False)
        return context.get_dummy_value()

    return types.void(distances, n_rows, smallest), generate


@intrinsic
def pass_through(typing_context, distances, n_rows, smallest):  # type: ignore
    """Do what `keep_smallest_of` does, and leave in `distances` what is displaced.

    Several passes, each with LEVELS rows of its own, find any number of smallest distances.
    """

    def generate(context, builder, signature, args):  # type: ignore
        _keep_rows(_Loop(context, builder, signature, args), keep_displaced=True)
        return context.get_dummy_value()

    return types.void(distances, n_rows, smallest), generate


def _keep_rows(loop: _Loop, keep_displaced: bool) -> None:
    distances_at, last, smallest_at = loop.data

    def body(position, kept):  # type: ignore
        distance = loop.load(distances_at, position)
        updated = []
        for level in kept:
            updated.append(loop.smaller(distance, level))
            distance = loop.larger(level, distance)
        if keep_displaced:
            loop.store(distance, distances_at, position)
        return updated

    kept = [loop.load(smallest_at, level) for level in range(LEVELS)]
    for level, value in enumerate(loop.run(_integer(0), last, kept, body)):
        loop.store(value, smallest_at, level)


@intrinsic
def count_within(typing_context, near, index, rows, here, begin, end, radius, counts):  # type: ignore
    """Add up the entries of a list within the radius of each lane, ends included.

    `counts` has shape (2, LANES): entries within it by `near`, and by the joint distance.
    """

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        near_at, index_at, rows_at, here_at, first, last, radius_at, counts_at = loop.data
        own, limit = loop.load(here_at, 0), loop.load(radius_at, 0)

        def body(position, counted):  # type: ignore
            row = loop.load(rows_at, loop.entry(index_at, position))
            distance = loop.spread(loop.entry(near_at, position))
            joint = loop.larger(loop.gap(row, own), distance)
            return [
                builder.add(
                    total, builder.zext(builder.fcmp_ordered("<=", measure, limit), _COUNTS)
                )
                for total, measure in zip(counted, (distance, joint), strict=True)
            ]

        counted = [loop.load(counts_at, which, _COUNTS) for which in range(2)]
        for which, value in enumerate(loop.run(first, last, counted, body)):
            loop.store(value, counts_at, which)
        return context.get_dummy_value()

    return types.void(near, index, rows, here, begin, end, radius, counts), generate


@intrinsic
def find_range(typing_context, column, own, here, radius, first, last, n_bits, below, above):  # type: ignore
    """Count how far each lane can go from its entry of an ascending column within its radius.

    Lane c starts at `own[c]`, whose value is `here[c]`, and goes down, and up, inside the entries
    from `first` up to, not including, `last`; 2**n_bits exceeds their number. A binary search, all
    lanes abreast.
    """

    def generate(context, builder, signature, args):  # type: ignore
        loop = _Loop(context, builder, signature, args)
        column_at, own_at, here_at, radius_at, begin, end, bits, below_at, above_at = loop.data
        start = loop.load(own_at, 0, _COUNTS)
        value, limit = loop.load(here_at, 0), loop.load(radius_at, 0)
        begin, end = loop.spread(begin, _COUNTS), loop.spread(end, _COUNTS)
        nowhere = ir.Constant(_VECTOR, [float("nan")] * LANES)  # within no radius

        def go(gone, farther, place, allowed):  # type: ignore
            place = builder.select(allowed, place, start)
            found = ir.Constant(_VECTOR, ir.Undefined)
            for lane in range(LANES):
                at = ir.Constant(ir.IntType(32), lane)
                number = loop.entry(column_at, builder.extract_element(place, at))
                found = builder.insert_element(found, number, at)
            gap = builder.select(allowed, loop.gap(found, value), nowhere)
            return builder.select(builder.fcmp_ordered("<=", gap, limit), farther, gone)

        def body(position, gone):  # type: ignore
            shift = builder.sub(builder.sub(bits, _integer(1)), position)
            step = loop.spread(builder.shl(_integer(1), shift), _COUNTS)
            down, up = builder.add(gone[0], step), builder.add(gone[1], step)
            under, over = builder.sub(start, down), builder.add(start, up)
            return [
                go(gone[0], down, under, builder.icmp_signed(">=", under, begin)),
                go(gone[1], up, over, builder.icmp_signed("<", over, end)),
            ]

        nothing = ir.Constant(_COUNTS, [0] * LANES)
        counted = loop.run(_integer(0), bits, [nothing, nothing], body)
        loop.store(counted[0], below_at, 0)
        loop.store(counted[1], above_at, 0)
        return context.get_dummy_value()

    kinds = (column, own, here, radius, first, last, n_bits, below, above)
    return types.void(*kinds), generate
