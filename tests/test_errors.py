"""The one kind of error, the words for an unknown name, and whom warnings point at."""

import pandas as pd
import pytest

from mrflearn import GSMPLE, as_table
from mrflearn.errors import InputError, unknown
from mrflearn.io import read_table


def test_an_input_error_is_a_value_error_for_those_who_catch_that():
    assert issubclass(InputError, ValueError)


def test_unknown_returns_the_error_and_does_not_raise_it():
    assert isinstance(unknown("method", "x", ["y"]), InputError)


def test_unknown_names_the_thing_the_value_the_closest_match_and_all_known_names():
    message = str(unknown("method", "gsmpel", ["iamb", "gsmple", "gsmn"]))
    assert message.startswith("unknown method 'gsmpel'; did you mean 'gsmple'?")
    assert message.endswith("Known: 'iamb', 'gsmple', 'gsmn'")


def test_unknown_suggests_nothing_where_nothing_is_close():
    message = str(unknown("method", "zzzz", ["iamb", "gsmn"]))
    assert "did you mean" not in message
    assert message == "unknown method 'zzzz'. Known: 'iamb', 'gsmn'"


@pytest.mark.parametrize("value", ["GSMPLE", "Gsmple", "gSMPEL"])
def test_unknown_looks_past_capitals_on_either_side(value):
    assert "did you mean 'gsmple'?" in str(unknown("method", value, ["gsmple", "iamb"]))
    assert "did you mean 'GS-MPLE'?" in str(unknown("method", "gs-mple", ["GS-MPLE", "IAMB"]))


def test_unknown_prefers_a_match_that_agrees_in_capitals():
    assert "did you mean 'Sex'?" in str(unknown("column", "Sexx", ["SEXX", "Sex"]))


def test_unknown_shows_twenty_names_and_counts_the_rest():
    message = str(unknown("node", "?", [f"v{i}" for i in range(21)]))
    assert "'v19'" in message
    assert "'v20'" not in message
    assert message.endswith("… (21 in all)")
    assert "in all" not in str(unknown("node", "?", [f"v{i}" for i in range(20)]))


def test_unknown_shows_values_that_are_no_strings_as_they_are_written():
    message = str(unknown("scale", "None", ("standard", None)))
    assert message == "unknown scale 'None'; did you mean None? Known: 'standard', None"


def test_unknown_takes_a_generator_and_values_of_any_type():
    assert "unknown column 3.5. Known: 'a', 'b'" in str(unknown("column", 3.5, iter("ab")))


def test_unknown_quotes_hostile_values_on_one_line():
    assert "\n" not in str(unknown("column", "a\nb", ["c\nd"]))


def test_a_warning_points_at_the_line_of_the_user(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.25, 0.5, 3.0], "b": [4.0, 1.0, 2.5, 3.5], "c": 1.0})
    (tmp_path / "codes.csv").write_text("1.5,2.5\n3,4\n5,6\n")
    for call in (
        lambda: as_table(frame),
        lambda: GSMPLE(0.1, dependence="gaussian").fit(frame),
        lambda: read_table(tmp_path / "codes.csv"),
    ):
        with pytest.warns(UserWarning, match="constant column 'c'|holds only numbers") as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]
