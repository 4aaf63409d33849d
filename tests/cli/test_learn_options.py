"""learn: columns kept, groups of columns, one document for machines, one file with everything."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mrflearn
from mrflearn import learn as learn_from
from mrflearn.graph import Graph
from mrflearn.result import Result

FAST = ("--dependence", "gaussian", "--no-test")


def test_only_some_columns_are_kept(run, chain):
    run("learn", "chain.csv", *FAST, "--only", "c,a", "--only", "e", "-o", "g.json")
    assert Graph.load("g.json").nodes == ("a", "c", "e")
    run("learn", "chain.csv", *FAST, "--only", "a,b,c", "--drop", "d", "-o", "g.json")
    assert Graph.load("g.json").nodes == ("a", "b", "c")


def test_columns_form_one_variable(run, chain):
    result = run("learn", "chain.csv", *FAST, "--group", "ab=a+b", "-o", "g.json")
    groups = {"ab": ["a", "b"]}
    expected = learn_from(chain, groups=groups, dependence="gaussian", test=False, quiet=True)
    assert Graph.load("g.json") == expected.graph
    assert "ab\tc" in result.stdout
    forced = run("learn", "chain.csv", *FAST, "--group", "ab=a+b", "--required", "ab:e", "-q")
    assert "ab\te" in forced.stdout


def test_parametric_methods_refuse_groups_in_one_line(refusal, chain):
    options = ("--method", "mixed-pairwise", "--group", "ab=a+b")
    assert "'ab'" in refusal("learn", "chain.csv", *options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--only", "aa,b"], "--only: unknown column 'aa'; did you mean 'a'?"),
        (["--only", "a"], "--only leaves 1 of the columns"),
        (["--only", "a,b", "--drop", "b"], "column 'b' is in both --only and --drop"),
        (["--only", "a,b", "--required", "a:c"], "--required: unknown column 'c'"),
        (["--group", "ab"], "--group wants NAME=COLUMN+COLUMN"),
        (["--group", "ab=a+"], "--group wants NAME=COLUMN+COLUMN"),
        (["--group", "ab=a+bb"], "--group: unknown column 'bb'; did you mean 'b'?"),
        (["--group", "x=a+b", "--group", "x=c+d"], "two groups are named 'x'"),
        (["--group", "x=a+b", "--group", "y=b+c"], "--group: column 'b' is in 'x' and in 'y'"),
        (["--group", "e=a+b"], "--group: 'e' is also the name of a column"),
        (["--result", "r.txt"], "did you mean"),
        (["--result", "r.json", "-o", "r.json"], "written twice"),
        (["--result", "nowhere/r.json"], "there is no folder"),
    ],
)
def test_mistakes(refusal, chain, options, says):
    if says == "did you mean":
        says = "unknown file type '.txt'"
    assert says in refusal("learn", "chain.csv", *options)


def test_one_file_holds_everything(run, chain):
    run("learn", "chain.csv", *FAST, "--result", "r.json")
    found = Result.load("r.json")
    expected = learn_from(chain, dependence="gaussian", test=False, quiet=True)
    assert found.graph == expected.graph
    assert found.path == expected.path
    assert found.table.fingerprint == expected.table.fingerprint
    assert found.versions["mrflearn"] == mrflearn.__version__


def test_one_document_for_machines(run, chain):
    result = run(
        "learn",
        "chain.csv",
        "--dependence",
        "gaussian",
        "--json",
        "-o",
        "g.csv",
        "--figure",
        "g.png",
    )
    found = json.loads(result.stdout)
    assert found["files"] == ["g.csv", "g.png"]
    assert [node["name"] for node in found["nodes"]] == list(chain.columns)
    assert {node["name"]: node["kind"] for node in found["nodes"]}["d"] == "nominal"
    expected = learn_from(chain, dependence="gaussian", quiet=True)
    strongest_first = sorted(expected.graph.edges, key=lambda edge: -edge.weight)
    assert [tuple(edge.values()) for edge in found["edges"]] == [tuple(e) for e in strongest_first]
    assert found["lam"] == expected.lam
    assert found["choice"]["selection"] == "fdr"
    assert found["options"]["method"] == "GSMPLE"
    assert found["messages"] == list(expected.messages)
    assert set(found["versions"]) >= {"mrflearn", "python", "numpy"}
    assert found["table"]["n_samples"] == 200
    assert Path("g.png").exists()


def test_unknown_numbers_are_null(run, chain):
    found = json.loads(run("learn", "chain.csv", *FAST, "--json", "--lam", "inf").stdout)
    assert (found["lam"], found["edges"], found["choice"]) == ("inf", [], None)


def test_many_columns_are_told_to_take_long_before_the_work(run, chain, monkeypatch):
    monkeypatch.setattr(sys.modules["mrflearn.cli.learn"], "MANY_COLUMNS", 2)
    said = "columns may take long; faster: "
    screen = "--screen 20, which looks at the 20 nearest of each alone"
    gaussian = ["--dependence", "gaussian", "--only", "a,b", "--no-test"]
    assert f"2 {said}{screen}" in run("learn", "chain.csv", *gaussian).stderr
    by_neighbours = ("--dependence", "knn", "--only", "a,b", "--no-test")
    slow = run("learn", "chain.csv", *by_neighbours).stderr
    assert f"{said}the default --dependence or {screen}" in slow
    assert said not in run("learn", "chain.csv", *gaussian, "--screen", "1").stderr


def test_what_is_noted_while_learning_is_said_once(run, chain):
    first, *rest = Path("chain.csv").read_text().splitlines()
    Path("constant.csv").write_text("\n".join([f"{first},same", *(f"{row},1" for row in rest)]))
    said = run("learn", "constant.csv", *FAST).stderr
    assert said.count("Warning: constant column 'same'") == 1


def test_a_screen_leaves_pairs_out(run, refusal, chain):
    found = json.loads(run("learn", "chain.csv", *FAST, "--json", "--screen", "1").stdout)
    assert found["options"]["screen"] == 1
    assert "'--screen': 0 is not in the range" in refusal("learn", "chain.csv", "--screen", "0")
    refused = refusal("learn", "chain.csv", "--method", "glasso", "--screen", "3")
    assert "--screen does not apply to --method glasso" in refused


def test_many_rows_are_told_to_take_long_before_the_work(run, chain, monkeypatch):
    monkeypatch.setattr(sys.modules["mrflearn.cli.learn"], "MANY_ROWS", 200)
    said = "200 rows may take minutes, and more with each edge; faster: "
    neighbours = ("--dependence", "knn", "--only", "a,b")
    faster = "the default --dependence, --no-test or a part of the rows"
    assert f"{said}{faster}" in run("learn", "chain.csv", *neighbours).stderr
    untested = run("learn", "chain.csv", *neighbours, "--no-test").stderr
    assert f"{said}the default --dependence or a part of the rows" in untested
    assert said not in run("learn", "chain.csv", *neighbours, "-q").stderr
    assert said not in run("learn", "chain.csv", "--only", "a,b").stderr  # not of regressions
    assert said not in run("learn", "chain.csv", *FAST).stderr
    assert said not in run("learn", "chain.csv", "--method", "glasso", "--only", "a,b").stderr


def test_values_that_stand_for_missing_ones_are_named(run, chain):
    coded = chain.round(3)
    coded.loc[:9, "a"], coded.loc[5:14, "e"] = -99, 999
    coded.to_csv("coded.csv", index=False)
    coded.drop(index=range(15)).to_csv("complete.csv", index=False)
    options = ("--dependence", "gaussian", "--no-test", "-q")
    found = run("learn", "coded.csv", "--na", "-99,e=999", "--missing", "drop", *options)
    assert found.stdout == run("learn", "complete.csv", *options).stdout


def test_a_star_stands_for_several_columns(run):
    rng = np.random.default_rng(0)
    answers = rng.choice(["never", "rarely", "often"], size=(60, 3))
    frame = pd.DataFrame(answers, columns=["q1", "q2", "q*"]).assign(age=rng.normal(size=60))
    frame.to_csv("answers.csv", index=False)
    declared = ("--kinds", "q*=nominal", "--kinds", "q1*=never<rarely<often", "--json")
    described = json.loads(run("describe", "answers.csv", *declared).stdout)
    kinds = {column["name"]: column["kind"] for column in described["columns"]}
    assert kinds == {"q1": "ordinal", "q2": "nominal", "q*": "nominal", "age": "continuous"}
    kept = run("describe", "answers.csv", "--drop", "q1*,q2*", "--json").stdout
    assert [column["name"] for column in json.loads(kept)["columns"]] == ["q*", "age"]
