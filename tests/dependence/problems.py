"""Tables of every kind, and questions about them, to draw from."""

from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

FLOATS = st.floats(-1e300, 1e300, allow_nan=False, allow_subnormal=False)
TINY = st.floats(-1e-290, 1e-290, allow_nan=False)
LEVELS = st.integers(0, 3).map(float)
MAGNITUDES = st.integers(-300, 300).map(lambda e: 10.0**e)


@st.composite
def column(draw, n_samples):
    kind = draw(st.sampled_from(["floats", "tiny", "levels", "constant", "magnitudes", "mixture"]))
    values = {
        "floats": FLOATS,
        "tiny": TINY,
        "levels": LEVELS,
        "constant": st.just(draw(FLOATS)),
        "magnitudes": MAGNITUDES,
        "mixture": st.one_of(LEVELS, st.floats(0, 3)),
    }[kind]
    return draw(st.lists(values, min_size=n_samples, max_size=n_samples))


@st.composite
def problem(draw):
    """Columns, which are nominal, who is x, z and a candidate, and k."""
    n_samples = draw(st.integers(2, 14))
    n_columns = draw(st.integers(2, 6))
    columns = [draw(column(n_samples)) for _ in range(n_columns)]
    for c in range(1, n_columns):
        if draw(st.booleans()) and draw(st.booleans()):
            columns[c] = columns[draw(st.integers(0, c - 1))]  # a duplicate column
    values = np.array(columns)
    if draw(st.booleans()):  # duplicate rows
        values[:, draw(st.integers(0, n_samples - 1))] = values[:, 0]
    values.flags.writeable = False  # as in a Table
    nominal = np.array(draw(st.lists(st.booleans(), min_size=n_columns, max_size=n_columns)))
    owner = draw(st.lists(st.sampled_from("xzyw"), min_size=n_columns, max_size=n_columns))
    owner[0], owner[1] = "x", "y"
    sets = {name: np.flatnonzero(np.array(owner) == name).astype(np.int64) for name in "xyzw"}
    k = draw(st.one_of(st.integers(1, n_samples - 1), st.just(n_samples - 1)))
    return values, nominal, draw(st.sampled_from([np.inf, 1.0, 1e-3])), sets, k


def table_of(values, nominal, sets):
    """Return what the counts need of a table: variable 0 is x, 1 is z, then the candidates."""
    names = ["x", "z", *(name for name in "yw" if len(sets[name]))]
    order = np.concatenate([sets[name] for name in names]).astype(int)
    table = SimpleNamespace(
        values=np.ascontiguousarray(values[order]),
        nominal=nominal[order],
        starts=np.cumsum([0, *(len(sets[name]) for name in names)]),
        n_variables=len(names),
        n_samples=values.shape[1],
    )
    table.values.flags.writeable = False  # as in a Table
    return table
