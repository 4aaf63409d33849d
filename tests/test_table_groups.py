"""Tables: several columns that form one variable."""

import numpy as np
import pandas as pd
import pytest

from mrflearn.errors import InputError
from mrflearn.table import as_table

from .small_tables import xyz

pytestmark = pytest.mark.filterwarnings("error")


def test_a_group_is_one_variable_at_the_place_of_its_first_column():
    table = as_table(xyz(), groups={"position": ["z", "x", "y"]}, scale=None)
    assert table.names == ("position", "w", "v")
    assert table.n_variables == 3
    assert [c.name for c in table.columns] == ["z", "x", "y", "w", "v"]
    assert table.starts.tolist() == [0, 3, 4, 5]
    assert np.array_equal(table.values, xyz()[["z", "x", "y", "w", "v"]].to_numpy().T)
    assert np.array_equal(table.values_of(0), xyz()[["z", "x", "y"]].to_numpy().T)
    assert [c.name for c in table.columns_of(0)] == ["z", "x", "y"]
    assert [c.name for c in table.columns_of(2)] == ["v"]


def test_groups_come_in_the_order_of_their_columns_not_of_the_dict():
    table = as_table(xyz(), groups={"late": ["v", "z"], "early": ["y", "x"]}, scale=None)
    assert table.names == ("early", "w", "late")
    assert [c.name for c in table.columns] == ["y", "x", "w", "v", "z"]


def test_columns_of_a_group_are_named_or_numbered_in_any_sequence():
    expected = as_table(xyz(), groups={"g": ["x", "z"]})
    for columns in (("x", "z"), [0, 3], ["x", np.int64(3)], range(0, 4, 3)):
        table = as_table(xyz(), groups={"g": columns})
        assert table.names == expected.names
        assert np.array_equal(table.values, expected.values)


def test_a_group_may_have_one_column_all_columns_or_the_name_of_its_own_column():
    assert as_table(xyz(), groups={"g": ["w"]}).names == ("x", "g", "y", "z", "v")
    assert as_table(xyz(), groups={"g": list("xwyzv")}).names == ("g",)
    assert as_table(xyz(), groups={"x": ["x", "w"]}).names == ("x", "y", "z", "v")
    assert as_table(xyz(), groups={"x": ["y", "z"], "y": ["x", "v"]}).names == ("y", "w", "x")


def test_a_group_of_several_kinds_is_mixed_and_every_column_is_described():
    frame = pd.DataFrame({"a": [0.5, 1.5, 2.5], "b": ["u", "v", "u"], "c": [1.5, 1.5, 2.5]})
    table = as_table(frame, groups={"g": ["b", "a"]})
    assert table.kinds == ("mixed", "continuous")
    assert table.nominal.tolist() == [True, False, False]
    assert table.describe()["variable"].to_dict() == {"b": "g", "a": "g", "c": "c"}
    assert not table.all_discrete
    assert as_table(frame[["b"]]).all_discrete


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"g": ["x", "q"]}, "groups=: unknown column 'q'"),
        ({"g": ["x", "y"], "h": ["z", "x"]}, "column 'x' is in 'g' and in 'h'; .*one variable"),
        ({"g": ["x", "y", "x"]}, "column 'x' is listed twice in 'g'; list it once"),
        ({"g": ["x", 0]}, "column 'x' is listed twice in 'g'"),
        ({"w": ["x", "y"]}, "'w' is also the name of a column outside .*another name"),
        ({"g": []}, r"'g' must list its columns, such as \{'g': \['x', 'y'\]\}, got \[\]"),
        ({"g": "xyz"}, "'g' must list its columns, .* got 'xyz'"),
        ({"g": "x"}, "'g' must list its columns, .* got 'x'"),
        ({"g": None}, "'g' must list its columns, .* got None"),
        ({"g": {"x", "y"}}, "'g' must list its columns"),
        ({"g": 0}, "'g' must list its columns, .* got 0"),
        ({1: ["x"], "1": ["y"]}, "two groups are named '1'"),
    ],
)
def test_a_bad_group_is_named_with_a_remedy(groups, words):
    with pytest.raises(InputError, match=words):
        as_table(xyz(), groups=groups)
