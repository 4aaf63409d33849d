"""A result is one file, and comes back the same."""

import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn import InputError, Result, learn
from mrflearn.report import render_report
from mrflearn.result import TableSummary
from mrflearn.table import as_table


def _table(n_samples=120):
    rng = np.random.default_rng(0)
    size = rng.choice(["small", "large"], size=n_samples)
    mass = (size == "large") + 0.5 * rng.normal(size=n_samples)
    return pd.DataFrame({"size": size, "mass": mass, "größe": rng.normal(size=n_samples)})


@pytest.fixture(scope="module", params=["gsmple", "iamb", "mixed-pairwise"])
def result(request):
    return learn(_table(), request.param, quiet=True, n_jobs=1, n_subsamples=3)


def test_a_result_comes_back_from_its_file(result, tmp_path):
    back = Result.load(result.save(tmp_path / "result.json"))
    assert back.graph == result.graph
    assert back.path == result.path
    assert back.choice.reason == result.choice.reason
    assert np.array_equal(back.choice.values, result.choice.values, equal_nan=True)
    for name in ("lam", "table", "options", "account", "messages", "versions"):
        assert getattr(back, name) == getattr(result, name), name
    assert np.array_equal(back.stability.frequencies, result.stability.frequencies)
    assert str(back.graph.explain("size", "mass")) == str(result.graph.explain("size", "mass"))
    again = back.save(tmp_path / "again.json")
    assert again.read_bytes() == (tmp_path / "result.json").read_bytes()


def test_a_result_is_not_saved_under_the_name_of_another_type(result, tmp_path):
    with pytest.raises(InputError, match=r"r\.csv': save writes JSON; .*\.json, or .*write_graph"):
        result.save(tmp_path / "r.csv")
    with pytest.raises(InputError, match="write_report"):
        result.save(tmp_path / "r.html")
    assert not list(tmp_path.iterdir())


def test_the_file_is_strict_json_without_the_data(result, tmp_path):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    text = result.save(tmp_path / "result.json").read_text(encoding="utf-8")
    content = json.loads(text, parse_constant=refuse)
    assert content["format"] == "mrflearn result"
    assert content["nodes"] == ["size", "mass", "größe"]
    assert repr(float(_table()["mass"][0])) not in text


@pytest.mark.parametrize(
    "damage",
    [
        {"graph": None},
        {"path": {"lams": [0.1], "graphs": []}},
        {"lam": None},
        {"table": {}},
        {"choice": {"selection": "fdr"}},
        {"stability": {"frequencies": [[0.0]], "n_subsamples": 2, "fraction": 0.5}},
        {"options": 3},
        {"account": {"table": "", "method": ""}},
    ],
)
def test_a_damaged_file_is_an_input_error(result, tmp_path, damage):
    path = result.save(tmp_path / "result.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    with pytest.raises(InputError, match=r"result\.json' is damaged"):
        Result.load(path)


def _places(content, at=()):
    """Yield where the values of a document are."""
    yield at
    if isinstance(content, (dict, list)):
        for key, item in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _places(item, (*at, key))


def _use(found):
    """Do all that can be done with a result."""
    for shown in (str, repr, Result._repr_html_, render_report):
        assert shown(found)
    found.graph.to_pandas()
    for pair in combinations(found.graph.nodes, 2):
        assert str(found.graph.explain(*pair))


JUNK = st.sampled_from(
    [None, True, -1, 0, 1, 10**9, 0.5, 1e300, "", "x", "nan", [], [[]], [1], {}, {"x": 1}]
)


@settings(max_examples=60)
@given(data=st.data())
def test_a_result_with_one_wrong_value_is_refused_or_of_use(data, result, tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "result.json"
    content = json.loads(result.save(path).read_text())
    alike = {}  # one of many numbers of a matrix is as good as another
    for place in _places(content):
        alike.setdefault(tuple(key for key in place if isinstance(key, str)), []).append(place)
    del alike[()]
    *outer, last = data.draw(st.sampled_from(alike[data.draw(st.sampled_from(sorted(alike)))]))
    inner = content
    for key in outer:
        inner = inner[key]
    inner[last] = data.draw(JUNK)
    path.write_text(json.dumps(content))
    try:
        found = Result.load(path)
    except InputError:
        return
    _use(found)


def test_a_graph_is_no_result(result, tmp_path):
    path = result.graph.save(tmp_path / "graph.json")
    with pytest.raises(InputError, match="is not a mrflearn result"):
        Result.load(path)


def test_an_infinite_lambda_is_kept(tmp_path):
    found = learn(_table(), quiet=True, lam=math.inf, test=False)
    assert Result.load(found.save(tmp_path / "r.json")).lam == math.inf


def test_the_fingerprint_tells_tables_apart():
    frame = _table()
    prints = {
        TableSummary.of(as_table(changed)).fingerprint
        for changed in (
            frame,
            frame.assign(mass=frame["mass"].where(frame.index > 0, 9.0)),
            frame.rename(columns={"mass": "weight"}),
            frame.iloc[::-1],
        )
    }
    assert len(prints) == 4
    groupings = ({"a": ["size", "mass"], "b": ["größe"]}, {"a": ["size"], "b": ["mass", "größe"]})
    assert len({as_table(frame, groups=groups).fingerprint for groups in groupings}) == 2
    renamed = frame.assign(size=frame["size"].map(lambda label: f"very {label}"))
    assert as_table(renamed).fingerprint not in prints
    assert TableSummary.of(as_table(frame.copy())) == TableSummary.of(as_table(frame))


def test_a_notebook_shows_words_and_edges(result):
    shown = result._repr_html_()
    assert "120 rows and 3 variables" in shown
    assert "<table>" in shown
    assert repr(result).startswith("Result(Graph(3 nodes, ")
