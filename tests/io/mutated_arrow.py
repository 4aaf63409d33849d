"""Parquet, Feather and Arrow files of odd types, mutated: each is made from its number alone."""

import datetime as dt
import decimal
import io
import math
import random

from mutated_text import cut, cut_out, flip, insert, pack


def columns(rng, n):
    """Return a function that makes a column for each type that files of this kind have."""
    import pyarrow as pa

    whole = [rng.randrange(-5, 5) for _ in range(n)]
    day = dt.datetime(2020, 1, 1)
    return {
        "floats": lambda: pa.array([rng.gauss(0, 1) for _ in whole]),
        "halves": lambda: pa.array([float(i) for i in whole], pa.float16()),
        "wild floats": lambda: pa.array(rng.choices([1e300, -1e300, 1e-320, math.inf, 0.0], k=n)),
        "bytes": lambda: pa.array(whole, pa.int8()),
        "integers with holes": lambda: pa.array([i if i > -4 else None for i in whole]),
        "huge integers": lambda: pa.array([2**64 - 1 - abs(i) for i in whole], pa.uint64()),
        "truth": lambda: pa.array([i > 0 if i else None for i in whole]),
        "words": lambda: pa.array([f"w{i}" if i else None for i in whole]),
        "large words": lambda: pa.array([f"w{i}" for i in whole], pa.large_string()),
        "categories": lambda: pa.array([f"w{i}" for i in whole]).dictionary_encode(),
        "numbered categories": lambda: pa.array(whole).dictionary_encode(),
        "dates": lambda: pa.array([(day + dt.timedelta(i)).date() for i in whole]),
        "far dates": lambda: pa.array([2**30 + i for i in whole], pa.date32()),
        "moments": lambda: pa.array([day + dt.timedelta(i) for i in whole], pa.timestamp("ns")),
        "moments in UTC": lambda: pa.array([day] * n, pa.timestamp("us", "UTC")),
        "far moments": lambda: pa.array([2**61 + i for i in whole], pa.timestamp("s")),
        "durations": lambda: pa.array([dt.timedelta(i) for i in whole]),
        "far durations": lambda: pa.array([2**61 + i for i in whole], pa.duration("s")),
        "times": lambda: pa.array([dt.time(i + 5) for i in whole]),
        "decimals": lambda: pa.array([decimal.Decimal(i) / 8 for i in whole]),
        "wide decimals": lambda: pa.array([decimal.Decimal(10**60 + i) for i in whole]),
        "binary": lambda: pa.array([bytes([i + 120]) for i in whole]),
        "fixed binary": lambda: pa.array([bytes([i + 120] * 4) for i in whole], pa.binary(4)),
        "lists": lambda: pa.array([[i] for i in whole]),
        "structures": lambda: pa.array([{"x": i} for i in whole]),
        "maps": lambda: pa.array([[("k", i)] for i in whole], pa.map_(pa.string(), pa.int64())),
        "nothing": lambda: pa.nulls(n),
    }


def footer(content, rng):
    """Damage the last bytes, where Parquet and Feather say what is where."""
    at = max(0, len(content) - rng.choice([8, 40, 400]))
    return content[:at] + flip(content[at:], rng)


def zero(content, rng):
    at = rng.randrange(len(content) + 1)
    size = rng.choice([1, 4, 8, 64])
    return content[:at] + bytes([rng.choice([0, 255, 127])]) * size + content[at + size :]


def same(content, rng):
    return content


ARROW_CHANGES = [same, flip, flip, flip, cut, cut_out, insert, footer, footer, zero, zero, pack]


def arrow_file(number):
    """Return the content and the suffix of a mutated Parquet, Feather or Arrow file."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = random.Random(f"arrow {number}")
    makers = columns(rng, rng.choice([1, 5, 30]))
    names = rng.sample(sorted(makers), k=rng.choice([1, 2, 3, 3, 4]))
    arrays = [makers[name]() for name in names]
    if rng.random() < 0.7:  # most tables have two columns of numbers besides
        arrays += [makers["floats"](), makers["bytes"]()]
        names += ["x", "y"]
    if rng.random() < 0.1:
        names[0] = rng.choice(["", names[-1], "\x1b[31m", "a\nb", "'"])
    table = pa.table(arrays, names=names)
    sink = io.BytesIO()
    kind = rng.choice(["parquet", "parquet", "feather", "stream"])
    try:
        if kind == "parquet":
            parquet.write_table(table, sink, compression=rng.choice(["none", "snappy", "zstd"]))
        else:
            make = pa.ipc.new_file if kind == "feather" else pa.ipc.new_stream
            with make(sink, table.schema) as writer:
                writer.write_table(table)
    except (pa.ArrowException, OSError):  # a type that this kind of file does not have
        parquet.write_table(pa.table({"a": [1, 2, 3], "b": [1, 3, 2]}), sink := io.BytesIO())
    content = sink.getvalue()
    for _ in range(rng.choice([1, 1, 2])):
        content = rng.choice(ARROW_CHANGES)(content, rng)
    return content, {"parquet": ".parquet", "feather": ".feather", "stream": ".arrow"}[kind]
