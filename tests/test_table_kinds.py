"""Tables: kinds of columns, taken from their types or declared."""

import numpy as np
import pandas as pd
import pytest

from mrflearn.errors import InputError
from mrflearn.table import FEW_LEVELS, KINDS, as_table

from .small_tables import column

pytestmark = pytest.mark.filterwarnings("error")

HUGE = pd.Categorical.from_codes([0, 1], pd.Index([1, 10**400], dtype=object))


def kind_of(values, **options):
    (found,) = as_table(pd.DataFrame({"a": values}), **options).columns
    return found.kind, found.reason


# Kinds taken from types


@pytest.mark.parametrize(
    ("array", "kind", "reason"),
    [
        (np.array([[1.5], [2.0], [1.0], [2.0]]), "continuous", "floating-point numbers"),
        (np.array([[1.0], [2.0], [1.0], [2.0]]), "ordinal", "whole numbers with few levels (2)"),
        (
            np.array([[1.0], [2.0], [3.0], [2.0]]),
            "continuous",
            "whole numbers with many levels (3)",
        ),
        (np.array([[0.5], [2.0], [0.5], [2.0]]), "ordinal", "numbers of two values"),
        (np.array([[1], [2], [1], [2]], dtype="i1"), "ordinal", "integers with few levels (2)"),
        (np.array([[1], [2], [3], [1]]), "continuous", "integers with many levels (3)"),
        (np.array([[True], [False]]), "nominal", "boolean values"),
        (np.array([["a"], ["b"]]), "nominal", "string values"),
        (np.array([[1], ["b"]], dtype=object), "nominal", "string values"),
        (np.array([["2020"], ["2021"]], dtype="M8[Y]"), "continuous", "dates or durations"),
        (np.array([[1], [2]], dtype="m8[s]"), "continuous", "dates or durations"),
    ],
)
def test_the_kind_of_an_array_follows_from_its_type(array, kind, reason):
    table = as_table(array)
    assert (table.columns[0].kind, table.columns[0].reason) == (kind, reason)
    assert table.names == ("x0",)


@pytest.mark.parametrize("levels", [2, FEW_LEVELS - 1, FEW_LEVELS])
def test_integers_with_few_levels_each_seen_twice_are_ordinal(levels):
    values = np.repeat(np.arange(levels), 2)
    assert kind_of(values) == ("ordinal", f"integers with few levels ({levels})")
    assert kind_of(values[1:]) == ("continuous", f"integers with many levels ({levels})")


def test_integers_with_eleven_levels_are_continuous_however_often_each_is_seen():
    assert FEW_LEVELS == 10
    values = np.repeat(np.arange(11), 100)
    assert kind_of(values) == ("continuous", "integers with many levels (11)")
    assert kind_of(values[:1000])[0] == "ordinal"


def test_levels_count_as_seen_twice_on_average_not_each_of_them():
    assert kind_of([1] * 7 + [2, 3, 4])[0] == "ordinal"
    assert kind_of([1] * 7 + [2, 3, 4, 5, 6])[0] == "ordinal"
    assert kind_of([1] * 6 + [2, 3, 4, 5, 6, 7, 8])[0] == "continuous"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "Float64", "double[pyarrow]", object])
@pytest.mark.parametrize("levels", [2, 3, FEW_LEVELS, FEW_LEVELS + 1])
def test_whole_numbers_are_taken_alike_as_floats_and_as_integers(levels, dtype):
    """NumPy holds 0 and 1 as 0.0 and 1.0 beside a column of measurements."""
    integers = np.repeat(np.arange(levels) - 1, 2)
    floats = pd.Series(integers.astype(float)).astype(dtype)
    for n in (2 * levels, 2 * levels - 1):
        one, two = (as_table(pd.DataFrame({"a": own[:n]})) for own in (floats, integers))
        assert one.values.tolist() == two.values.tolist()
        ((found,), (expected,)) = one.columns, two.columns
        assert found.kind == expected.kind
        assert found.reason == expected.reason.replace("integers", "whole numbers")
        assert repr(found.levels) == repr(expected.levels), "printed as whole numbers"


def test_floats_that_are_not_all_whole_are_measured():
    assert kind_of([1.0, 2.0, 3.0, 2.5] * 5) == ("continuous", "floating-point numbers")
    assert kind_of([1.0, 2.0, 3.0, 2.5 + 1e-9] * 5)[0] == "continuous"
    assert kind_of([1e200, 2e200, 3e200] * 5)[0] == "continuous", "no float of that size is not"


@pytest.mark.parametrize("pair", [(0.5, 1.5), (-1.25, 3.0), (1e-9, 2e-9), (0.1, 1e300), (3e99, 1)])
def test_a_column_of_two_values_is_never_continuous_unless_declared(pair):
    one, other = pair
    for values in ([one, other] * 2, [other] + [one] * 2000, [one] * 1500 + [other, np.nan]):
        frame = pd.DataFrame({"a": values})
        (found,) = as_table(frame, missing="drop").columns
        assert (found.kind, found.reason) == ("ordinal", "numbers of two values")
        assert found.levels == tuple(sorted(pair))
        assert set(as_table(frame, missing="drop", scale=None).values[0]) == set(pair)
        assert kind_of(values, kinds={"a": "continuous"}, missing="drop")[0] == "continuous"
    assert kind_of([one, other, one])[0] == "continuous", "of too few rows to say so"


def test_a_third_value_far_down_makes_a_column_continuous():
    assert kind_of([0.5, 1.5] * 3000 + [2.5]) == ("continuous", "floating-point numbers")


def test_dates_of_two_days_are_still_dates():
    assert kind_of(pd.to_datetime(["2020-01-01", "2020-01-02"] * 4))[0] == "continuous"


@pytest.mark.parametrize("kind", ["continuous", "nominal", [2, 1, 0], ["2", "1", "0"]])
def test_a_declared_kind_wins_over_whole_floats(kind):
    values = [0.0, 1.0, 2.0] * 4
    table = as_table(pd.DataFrame({"a": values}), kinds={"a": kind}, scale=None)
    assert table.columns[0].reason.startswith("declared")
    assert table.kinds == ("ordinal" if isinstance(kind, list) else kind,)
    expected = [2 - value for value in values] if isinstance(kind, list) else values
    assert table.values.tolist() == [expected]
    if kind == "nominal":
        assert repr(table.columns[0].levels) == "(0, 1, 2)"


def test_the_integer_rule_looks_at_the_rows_that_are_kept():
    integers = [*range(11), *range(10), 0]
    assert kind_of(integers)[0] == "continuous"
    frame = pd.DataFrame(
        {"a": integers, "b": [None if v == 10 else row / 4 for row, v in enumerate(integers)]}
    )
    assert as_table(frame, missing="drop").columns[0].reason == "integers with few levels (10)"


def test_integer_levels_are_integers_and_their_distances_count():
    table = as_table(np.array([[1], [1], [2], [20], [20], [2]]), scale=None)
    assert table.kinds == ("ordinal",)
    assert table.columns[0].levels == (1, 2, 20)
    assert table.values.tolist() == [[1, 1, 2, 20, 20, 2]]


# Kinds declared


def test_a_declared_kind_wins_by_name_and_by_position():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1.5, 2.5, 1.5, 3.5], "c": [1, 1, 2, 2]})
    table = as_table(frame, kinds={"a": "nominal", 1: "ordinal", np.int64(2): "continuous"})
    assert table.kinds == ("nominal", "ordinal", "continuous")
    assert table.describe()["reason"].tolist() == ["declared"] * 3


def test_a_column_named_by_a_number_is_found_by_its_name_before_its_position():
    frame = pd.DataFrame({1: [1.5, 2.5], 0: [3.5, 4.5], 7: [1.5, 3.5]})
    table = as_table(frame, kinds={1: "nominal", 2: "ordinal"})
    assert table.names == ("1", "0", "7")
    assert table.kinds == ("nominal", "continuous", "ordinal")
    assert as_table(frame, groups={"g": [7, 1]}).names == ("g", "0")


def test_floats_declared_nominal_are_labels():
    table = as_table(np.array([[2.5], [-1.0], [2.5], [0.0], [-0.0]]), kinds={"x0": "nominal"})
    assert table.columns[0].levels == (-1.0, 0.0, 2.5)
    assert table.values.tolist() == [[2, 0, 2, 1, 1]]


@pytest.mark.parametrize("values", [[10, 9, 10], [True, False, True], ["10", "9", "10"]])
def test_any_column_of_numbers_can_be_of_any_kind(values):
    for kind in KINDS:
        table = as_table(pd.DataFrame({"a": values}), kinds={"a": kind})
        assert table.kinds == (kind,)
        assert len(set(table.values[0])) == 2
    ordinal = as_table(pd.DataFrame({"a": values}), kinds={"a": "ordinal"}, scale=None)
    assert ordinal.values[0, 0] > ordinal.values[0, 1], "9 is less than 10, also as text"


def test_categories_that_are_numbers_are_ordered_as_numbers():
    frame = pd.DataFrame({"a": pd.Categorical(["10", "9", "-1", "9"])})
    table = as_table(frame, kinds={"a": "ordinal"}, scale=None)
    assert table.columns[0].levels == ("-1", "9", "10")
    assert table.values.tolist() == [[2, 1, 0, 1]]
    declared = as_table(frame, kinds={"a": "continuous"}, scale=None)
    assert declared.values.tolist() == [[10, 9, -1, 9]]


@pytest.mark.parametrize("levels", [list, tuple, np.array, pd.Index])
def test_a_list_of_levels_makes_a_column_ordinal_in_that_order(levels):
    frame = pd.DataFrame({"a": ["high", "low", "high", "low"]})
    table = as_table(frame, kinds={"a": levels(["low", "mid", "high"])}, scale=None)
    assert table.kinds == ("ordinal",)
    assert table.values.tolist() == [[2, 0, 2, 0]]
    assert table.columns[0].levels == ("low", "mid", "high")
    assert table.columns[0].reason == "declared with levels"


@pytest.mark.parametrize("dtype", ["int64", "uint8", "Int64", "int8[pyarrow]", object])
@pytest.mark.parametrize("levels", [[3, 2, 1], ["3", "2", "1"], [3.0, 2.0, 1.0]])
def test_levels_of_integers_may_be_given_as_numbers_or_as_text(dtype, levels):
    values = pd.Series([3, 1, 2, 1], dtype=dtype)
    assert column(values, kinds={"a": levels}, scale=None).tolist() == [0, 2, 1, 2]


def test_levels_of_text_may_be_given_as_numbers():
    values = ["3", "1", "2", "3"]
    assert column(values, kinds={"a": [3, 1, 2]}, scale=None).tolist() == [0, 1, 2, 0]


def test_dates_as_text_declared_continuous_are_as_dates():
    days = [f"2020-{month:02}-01" for month in range(1, 13)]
    as_dates = as_table(pd.DataFrame({"a": pd.to_datetime(days)}))
    as_text = as_table(pd.DataFrame({"a": days}), kinds={"a": "continuous"})
    assert as_text.values.tolist() == as_dates.values.tolist()


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (["a", "b"], "ordnal", r"column 'a': unknown kind 'ordnal'; did you mean 'ordinal'\?"),
        (["a", "b"], "Nominal", r"did you mean 'nominal'\?"),
        (["1", "2", "x3"], "continuous", "'a' is declared continuous but holds 'x3' in row 2"),
        (["1", "nan"], "continuous", "holds 'nan' in row 1 .*declare the column nominal"),
        (["1", "inf"], "continuous", "holds 'inf' in row 1"),
        (["1", ""], "continuous", "holds '' in row 1"),
        (pd.Categorical(["u", "v"]), "continuous", "holds 'u' in row 0"),
        (HUGE, "continuous", "in row 1"),
        (["x" * 1000, "1"], "continuous", r"holds 'x{38}… in row 0"),
        (["a", "b"], "ordinal", r"'a' is declared ordinal but .*no order \('a', 'b'\): give the"),
        (["1", "2", "many"], "ordinal", r"no order .*kinds=\{'a': \[lowest, …, highest\]\}"),
        (["a", "b"], ["a"], r"'a' holds 'b', which is not one of the declared levels \['a'\]"),
        (["a", "b"], [], r"holds 'a', which is not one of the declared levels \[\]"),
        ([1, 2], [1, 3], r"holds 2, which is not one of the declared levels \[1, 3\]"),
        (["a", "b"], ["a", "b", "a"], "'a': the same level is listed twice"),
        ([1, 2], [1, 2, 1.0], "the same level is listed twice"),
        (["a", "b"], {"a", "b"}, "'a' is .*or a list of its levels, lowest first; got {"),
        (["a", "b"], 3, "or a list of its levels, lowest first; got 3"),
        (["a", "b"], [["a"], ["b"]], "or a list of its levels, lowest first; got"),
    ],
)
def test_a_bad_declaration_names_the_column_and_a_remedy(values, kind, words):
    with pytest.raises(InputError, match=words):
        as_table(pd.DataFrame({"a": values}), kinds={"a": kind})


def test_a_value_that_does_not_fit_is_shown_with_its_row_in_the_table_as_given():
    frame = pd.DataFrame({"a": ["1", None, "2", "?"], "b": [1.5, 2.5, 3.5, 4.5]})
    with pytest.raises(InputError, match=r"holds '\?' in row 3 \(counting from 0\)"):
        as_table(frame, kinds={"a": "continuous"}, missing="drop")
