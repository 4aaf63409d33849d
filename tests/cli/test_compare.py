"""compare sets methods side by side; one that does not suit is no failure."""

import json
from pathlib import Path

import pandas as pd
import pytest

from mrflearn import GSMPLE, ChowLiu, MixedPairwise

FAST = ("--dependence", "gaussian")
THREE = ("--methods", "gsmple,chow-liu", "--methods", "mixed-pairwise")


def test_edges_are_counted_and_weighed(run, chain):
    result = run("compare", "chain.csv", *FAST, *THREE, "-o", "t.csv", "--figure", "t.png")
    frame = pd.read_csv("t.csv", keep_default_na=False, dtype=str)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == ["source", "target", "methods", "gsmple", "chow-liu", "mixed-pairwise"]
    assert lines[1:] == frame.to_numpy().tolist()
    graphs = {
        "gsmple": GSMPLE(dependence="gaussian", refine="pairs").fit(chain).graph_,
        "chow-liu": ChowLiu("auto", dependence="gaussian").fit(chain).graph_,
        "mixed-pairwise": MixedPairwise().fit(chain).graph_,
    }
    for name, graph in graphs.items():
        found = frame[frame[name] != ""]
        assert {(row.source, row.target) for row in found.itertuples()} == {
            edge[:2] for edge in graph.edges
        }
    counts = frame["methods"].astype(int).tolist()
    assert counts == sorted(counts, reverse=True)
    assert counts == (frame[list(graphs)] != "").sum(axis=1).tolist()
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")
    assert "Wrote t.csv, t.png" in result.stderr


def test_agreement_is_that_of_the_edges(run, chain):
    found = json.loads(run("compare", "chain.csv", *FAST, *THREE, "--json").stdout)
    edges = {
        name: {(edge["source"], edge["target"]) for edge in own["edges"]}
        for name, own in found["methods"].items()
    }
    assert len(found["agreement"]) == 3
    for row in found["agreement"]:
        one, other = (edges[name] for name in row["methods"])
        assert row["common"] == len(one & other)
        assert row["jaccard"] == pytest.approx(len(one & other) / len(one | other))
    assert found["left_out"] == {}


def test_methods_that_do_not_suit_are_left_out_with_a_reason(run, chain):
    result = run("compare", "chain.csv", *FAST, "--methods", "gsmple,jose,nodewise-logistic", "-q")
    assert result.stdout.splitlines()[0].endswith("methods\tgsmple")
    assert result.stderr.splitlines() == [
        "Left out jose: it takes discrete columns, and 'a' is continuous",
        *(line for line in result.stderr.splitlines() if "nodewise-logistic" in line),
    ]
    assert len(result.stderr.splitlines()) == 2


def test_a_method_that_fails_is_one_line(run, chain, monkeypatch):
    def fail(*_):
        raise FloatingPointError("overflow")

    monkeypatch.setattr(ChowLiu, "fit", fail)
    result = run("compare", "chain.csv", *FAST, "--methods", "chow-liu,gsmple")
    assert "Left out chow-liu: it failed on this table (overflow)" in result.stderr


def test_a_cluster_that_does_not_answer_is_no_fault_of_a_method(refusal, chain, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("mrflearn.work.on_dask.CONNECTING", 0.5)
    options = (*FAST, "--methods", "gsmple,glasso", "--dask", "tcp://127.0.0.1:9")
    told = refusal("compare", "chain.csv", *options)
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in told


def test_no_edges_at_all(run, chain):
    chain[["a", "e"]].to_csv("alone.csv", index=False)
    result = run("compare", "alone.csv", *FAST, "--methods", "gsmple,glasso,chow-liu")
    assert result.stdout == "source\ttarget\tmethods\tgsmple\tglasso\tchow-liu\n"
    assert "100" in result.stderr


def test_without_edges_there_is_nothing_to_draw(run, chain):
    chain[["a", "e"]].to_csv("alone.csv", index=False)
    options = (*FAST, "--methods", "gsmple,glasso", "--figure", "t.pdf", "-o", "t.csv")
    result = run("compare", "alone.csv", *options, "-q")
    assert result.stdout == "source\ttarget\tmethods\tgsmple\tglasso\n"
    assert result.stderr == "Warning: no method found an edge, so 't.pdf' is not drawn\n"
    assert Path("t.csv").exists()
    assert not Path("t.pdf").exists()
    assert json.loads(run("compare", "alone.csv", *options, "--json").stdout)["files"] == ["t.csv"]


def test_names_stay_in_their_fields(run, chain):
    frame = chain[["a", "b"]].set_axis(["=a\rb", 'c\t"d"'], axis=1)
    frame.to_parquet("odd.parquet")
    result = run("compare", "odd.parquet", *FAST, "--methods", "gsmple", "-o", "t.csv")
    assert result.stdout.split("\n")[1].startswith('"=a\rb"\t"c\t""d"""\t1\t')
    assert Path("t.csv").read_bytes().split(b"\n")[1].startswith(b'"\'=a\rb","c\t""d""",1,')


def test_a_terminal_gets_an_aligned_table(on_terminal, chain):
    text = on_terminal("compare", "chain.csv", *FAST, "--methods", "gsmple,chow-liu")
    assert "\t" not in text
    assert "chow-liu" in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--methods", "gsmpel"], "did you mean 'gsmple'?"),
        (["--methods", "jose"], "none of the methods suits the table. jose: it takes discrete"),
        (["-o", "t.cvs"], "did you mean '.csv'?"),
        (["-o", "chain.csv"], "is the table itself"),
        (["--figure", "t.gif"], "unknown file type"),
        (["--alpha", "2"], "--alpha must be between 0 and 1"),
        (["--seed", "-3"], "--seed must be"),
        (["--n-jobs", "0"], "--n-jobs must be"),
        (
            ["--dependence", "knn", "--n-neighbors", "900"],
            "--n-neighbors 900 needs at least 901 rows",
        ),
        (["--max-memory", "much"], "--max-memory"),
        (["--only", "a"], "--only leaves 1 of the columns"),
    ],
)
def test_mistakes(refusal, chain, options, says):
    assert says in refusal("compare", "chain.csv", *options)


def test_a_missing_file(refusal, chain):
    assert "did you mean 'chain.csv'?" in refusal("compare", "chian.csv")
