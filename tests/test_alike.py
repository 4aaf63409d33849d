"""New rows are encoded as the earlier ones were."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn._alike import alike
from mrflearn._columns import read_columns
from mrflearn.errors import InputError
from mrflearn.selection._predictive import log_densities
from mrflearn.table import as_table

SIZES = ["small", "medium", "large"]


def frame(rng, n_samples):
    return pd.DataFrame(
        {
            "mass": rng.normal(size=n_samples),
            "sex": rng.choice(["f", "m"], size=n_samples),
            "stars": rng.choice([1, 2, 5], size=n_samples),
            "size": pd.Categorical(rng.choice(SIZES, size=n_samples), SIZES, ordered=True),
            "when": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(99, size=n_samples), unit="D"),
            "flag": rng.random(n_samples) < 0.5,
            "level": rng.choice(["lo", "hi"], size=n_samples),
            "year": rng.choice(["1999", "2004", "2010"], size=n_samples),
        }
    )


OPTIONS = {
    "kinds": {"level": ["lo", "hi"], "year": "ordinal", "flag": "ordinal"},
    "groups": {"pair": ["size", "mass"]},
}


def earlier(rows):
    return as_table(rows, scale=None, **OPTIONS)


def read(rows, table=None, **options):
    first = earlier(frame(np.random.default_rng(0), 60)) if table is None else table
    return alike(first, read_columns(rows), **options)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 59), min_size=2, max_size=30), st.booleans())
def test_rows_seen_before_get_the_values_they_had(seed, rows, polars):
    rng = np.random.default_rng(seed)
    first = frame(np.random.default_rng(0), 60)
    table = earlier(first)
    again = first.iloc[rows][rng.permutation(first.columns)]
    if polars:
        again = pl.from_pandas(again).with_columns(pl.col("size").cast(pl.Enum(SIZES)))
    found = read(again, table)
    np.testing.assert_array_equal(found.values, table.values[:, rows])
    assert found.names == table.names
    assert [c.kind for c in found.columns] == [c.kind for c in table.columns]
    assert [c.levels for c in found.columns] == [c.levels for c in table.columns]
    assert found.scale is None
    assert not found.values.flags.writeable


def test_an_unseen_nominal_level_has_a_code_of_its_own():
    rows = frame(np.random.default_rng(1), 5)
    rows["sex"] = ["f", "m", "other", "f", "x"]
    table = earlier(frame(np.random.default_rng(0), 60))
    found = read(rows, table)
    assert found.values_of(found.index("sex"))[0].tolist() == [0, 1, 2, 0, 2]
    scores = log_densities(table, found, found.index("sex"), [found.index("flag")])
    assert np.isfinite(scores).all()
    assert scores[2] == scores[4] < scores.min(where=np.array([1, 1, 0, 1, 0], bool), initial=0)


def test_an_unseen_ordinal_level_is_put_in_its_place():
    rows = frame(np.random.default_rng(1), 4)
    rows["stars"] = [1, 2, 3, 9]
    rows["year"] = ["1999", "2001", "2010", "2020"]
    found = read(rows)
    assert found.values_of(found.index("stars"))[0].tolist() == [1, 2, 3, 9]
    assert found.values_of(found.index("year"))[0].tolist() == [0, 0.5, 2, 2.5]
    first = frame(np.random.default_rng(0), 60).query("size != 'medium'")
    rows["size"] = pd.Categorical([*SIZES, "small"], SIZES, ordered=True)
    found = read(rows, earlier(first))
    assert found.values_of(found.index("pair"))[0].tolist() == [0, 0.5, 1, 0]


def test_an_ordinal_level_without_a_place_is_refused():
    rows = frame(np.random.default_rng(1), 4)
    rows["level"] = ["lo", "hi", "middling", "lo"]
    with pytest.raises(InputError, match=r"'level' is ordinal and holds 'middling', whose place"):
        read(rows)


@pytest.mark.parametrize("name", ["mass", "stars"])
def test_text_among_numbers_is_refused_in_words_that_are_true(name):
    rows = frame(np.random.default_rng(1), 4).astype({name: object})
    rows.loc[2, name] = "oops"
    with pytest.raises(
        InputError, match=rf"'{name}' held numbers when the graph was learned but holds 'oops' in"
    ):
        read(rows)


def test_integers_declared_with_levels_keep_the_order_declared():
    first = pd.DataFrame({"a": [3, 1, 2, 3, 1, 2]})
    table = as_table(first, kinds={"a": [3, 1, 2]}, scale=None)
    assert alike(table, read_columns(first)).values.tolist() == [[0, 1, 2, 0, 1, 2]]


def test_columns_too_few_or_too_many_are_named():
    rows = frame(np.random.default_rng(1), 4)
    with pytest.raises(InputError, match=r"lack the columns 'sex', 'year', .* add what is missing"):
        read(rows.drop(columns=["sex", "year"]))
    with pytest.raises(InputError, match=r"have the column 'extra', .* leave out what is new"):
        read(rows.assign(extra=1.0))


def test_rows_with_holes_are_treated_as_told():
    rows = frame(np.random.default_rng(1), 6)
    rows.loc[2, "mass"] = np.nan
    rows.loc[4, "sex"] = None
    with pytest.raises(InputError, match=r"'mass' \(1 NaN or missing\), 'sex'.*missing='drop'"):
        read(rows)
    found = read(rows, missing="drop")
    assert (found.n_samples, found.n_dropped) == (4, 2)
    np.testing.assert_array_equal(found.values, read(rows.drop([2, 4])).values)
    with pytest.raises(InputError, match="unknown missing 'keep'"):
        read(rows, missing="keep")


def test_plain_arrays_are_read_alike():
    x = np.random.default_rng(2).normal(size=(20, 3))
    table = as_table(x, scale=None)
    np.testing.assert_array_equal(alike(table, read_columns(x[:5])).values, x[:5].T)
    with pytest.raises(InputError, match="lack the column 'x2'"):
        alike(table, read_columns(x[:, :2]))


def test_a_scaled_table_is_no_pattern():
    x = np.random.default_rng(2).normal(size=(20, 3))
    with pytest.raises(ValueError, match="scale=None"):
        alike(as_table(x), read_columns(x))
