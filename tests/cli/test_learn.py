"""learn: what is learned, where it goes, and which options reach the estimator."""

import os
import re
import sys
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import mrflearn
from mrflearn import GSMPLE, ChowLiu
from mrflearn.cli import main
from mrflearn.datasets import load_penguins, penguins_path
from mrflearn.graph import Graph
from mrflearn.search.refine import REFINEMENTS

from .in_process import run


def learned(*arguments, **options):
    """Learn quietly with closed-form dependence and return the lines of standard output."""
    result = run("learn", *arguments, "--dependence", "gaussian", "-q", **options)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


# --- What is learned and where it goes ------------------------------------------------------------


def test_edges_go_to_standard_output_strongest_first(chain):
    result = run("learn", "chain.csv", "--dependence", "gaussian")
    assert result.exit_code == 0
    header, *lines = result.stdout.splitlines()
    assert header == "source\ttarget\tscore\tp\tq"
    graph = GSMPLE(dependence="gaussian").fit(chain).graph_.to_pandas()
    assert [line.split("\t")[:2] for line in lines] == graph[["source", "target"]].values.tolist()
    scores = [float(line.split("\t")[2]) for line in lines]
    assert scores == pytest.approx(graph["weight"].tolist(), rel=1e-5)
    assert scores == sorted(scores, reverse=True)
    assert len(scores) >= 3


def test_what_columns_are_taken_for_goes_to_standard_error(chain):
    result = run("learn", "chain.csv", "--dependence", "gaussian")
    lines = result.stderr.splitlines()
    assert lines[0] == "chain.csv: 200 rows, 5 columns"
    assert lines[1].split(None, 1) == ["continuous", "a, b, c, e"]
    assert lines[2].split(None, 1) == ["nominal", "d"]
    assert lines[3].startswith("Lambda was chosen among 50 by 'fdr': at lambda 0.")
    assert re.match(r"3 edges, in nats: [ab] – [bc] ", lines[4])
    assert re.fullmatch(r"\d+ edges at lam 0\.0\d+ in \d+\.\d s", lines[-1])


def test_quiet_says_nothing_on_standard_error(chain):
    result = run("learn", "chain.csv", "--dependence", "gaussian", "--quiet", "-o", "g.json")
    assert result.stderr == ""
    assert Path("g.json").exists()


def test_the_penguins_are_learned_as_the_library_learns_them():
    result = run("learn", penguins_path(), "--missing", "drop", "-o", "graph.json")
    assert result.exit_code == 0
    reference = mrflearn.learn(load_penguins(), missing="drop", quiet=True)
    assert Graph.load("graph.json") == reference.graph
    assert all(edge.q_value is not None for edge in reference.graph.edges)
    assert "344 rows (11 left out: missing values), 8 columns" in result.stderr
    assert "ordinal     year" in result.stderr


def test_all_files_are_written_and_named(chain):
    names = ["g.graphml", "g.gexf", "g.json", "g.csv"]
    outputs = [part for name in names for part in ("-o", name)]
    result = run("learn", "chain.csv", "--dependence", "gaussian", *outputs, "--figure", "g.png")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1].endswith(f"wrote {', '.join(names)}, g.png")
    edges = {frozenset(line.split("\t")[:2]) for line in result.stdout.splitlines()[1:]}
    assert {frozenset(edge) for edge in nx.read_graphml("g.graphml").edges} == edges
    assert {frozenset(edge) for edge in nx.read_gexf("g.gexf").edges} == edges
    assert {frozenset(edge[:2]) for edge in Graph.load("g.json").edges} == edges
    assert len(pd.read_csv("g.csv")) == len(edges)
    assert Path("g.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(os.listdir()) == sorted([*names, "g.png", "chain.csv"])


def test_standard_input_is_learned_from(chain):
    lines = learned("-", input=Path("chain.csv").read_bytes())
    assert lines == learned("chain.csv")


def test_options_reach_the_estimator(chain):
    assert len(learned("chain.csv", "--lam", "100")) == 1
    everything = learned("chain.csv", "--lam", "-inf")
    assert len(everything) == 1 + 10
    assert learned("chain.csv", "--method", "chow-liu") != learned("chain.csv")
    tree = ChowLiu(dependence="gaussian").fit(chain).graph_
    assert len(learned("chain.csv", "--method", "chow-liu")) == 1 + len(tree.edges) == 5
    assert learned("chain.csv", "--n-jobs", "2") == learned("chain.csv")


def test_a_refinement_reaches_the_estimator():
    rng = np.random.default_rng(1)
    mixing = np.eye(10) + rng.normal(size=(10, 10)) * (rng.random((10, 10)) < 0.15)
    frame = pd.DataFrame(rng.normal(size=(40, 10)) @ mixing, columns=list("abcdefghij"))
    frame.to_csv("table.csv", index=False)
    (parameter,) = [p for p in main.commands["learn"].params if p.name == "refine"]
    assert tuple(parameter.type.choices) == (*REFINEMENTS, "none")
    found = {}
    for refine in parameter.type.choices:
        found[refine] = learned("table.csv", "--lam", "0.05", "--refine", refine)
        chosen = None if refine == "none" else refine
        graph = GSMPLE(0.05, dependence="gaussian", refine=chosen).fit(frame).graph_
        assert {tuple(line.split("\t")[:2]) for line in found[refine][1:]} == {
            (edge.source, edge.target) for edge in graph.edges
        }
    assert found["none"] != found["pairs"]
    assert found["auto"] == found["pairs"] == learned("table.csv", "--lam", "0.05")


def test_scale_and_neighbours_reach_the_dependence(chain):
    def lines(*options):
        chosen = ("--dependence", "knn", *options)
        result = run("learn", "chain.csv", "--drop", "d", "-q", *chosen)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    assert len({lines(), lines("--scale", "rank"), lines("--n-neighbors", "9")}) == 3
    reference = GSMPLE(dependence="knn", scale="rank").fit(chain.drop(columns="d")).graph_
    assert len(lines("--scale", "rank").splitlines()) == 1 + len(reference.edges)


def test_columns_are_dropped(chain):
    assert "d" not in "\n".join(learned("chain.csv", "--drop", "d,e", "--lam", "-inf")).split()
    assert len(learned("chain.csv", "--drop", "d", "--drop", "e", "--lam", "-inf")) == 1 + 3


def test_edges_are_required_and_forbidden(chain):
    plain = "\n".join(learned("chain.csv"))
    assert "a\tb" in plain
    assert "a\te" not in plain
    forced = "\n".join(learned("chain.csv", "--required", "e:a", "--forbidden", "b:a"))
    assert "a\te" in forced
    assert "a\tb" not in forced


def test_kinds_are_declared(chain):
    result = run("learn", "chain.csv", "--dependence", "gaussian", "--kinds", "a=ordinal, d=lo<hi")
    assert result.exit_code == 0
    assert "ordinal     a, d" in result.stderr


def test_a_backslash_lets_names_hold_separators(chain):
    chain.set_axis(["a:b", "x,y", "p=q", "d", "e"], axis=1).to_csv("odd.csv", index=False)
    lines = learned(
        "odd.csv",
        *("--required", r"a\:b:e"),
        *("--drop", r"x\,y,d"),
        *("--kinds", r"p\=q=continuous"),
        *("--forbidden", r"a\:b:p=q"),
    )
    assert [line.split("\t")[:2] for line in lines] == [["source", "target"], ["a:b", "e"]]


def test_no_edges_is_a_result_with_a_hint(chain):
    result = run("learn", "chain.csv", "--dependence", "gaussian", "--lam", "99")
    assert result.exit_code == 0
    assert result.stdout == "source\ttarget\tscore\n"
    assert "no edges at lam 99" in result.stderr
    assert "a smaller --lam" in result.stderr


def test_many_columns_are_listed_on_one_line():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 40))).add_prefix("v")
    frame.to_csv("wide.csv", index=False)
    result = run("learn", "wide.csv", "--dependence", "gaussian", "--lam", "9")
    assert len(result.stderr.splitlines()) == 4
    assert "v11, … (40 in all)" in result.stderr


def test_names_of_methods_and_escapes_in_a_header_are_shown_as_they_are(chain):
    names = {"a": "Space", "b": "JOSE", "e": "\x1b[31mred"}
    chain.rename(columns=names).to_csv("odd.csv", index=False)
    told = run("learn", "odd.csv", "--dependence", "gaussian").stderr
    assert "Space – JOSE (" in told
    assert "--method" not in told
    assert "Without an edge: \\x1b[31mred." in told


def test_names_with_tabs_are_quoted_in_tab_separated_text(chain):
    chain.set_axis(["a\tb", "b", "c", "d", "e"], axis=1).to_csv("odd.csv", index=False)
    assert any(line.startswith('"a\tb"\t') for line in learned("odd.csv"))


def test_parametric_methods_learn_and_draw(tmp_path):
    figure = tmp_path / "graph.svg"
    result = run(
        "learn", penguins_path(), "--missing", "drop", "--method", "mixed-pairwise", "--lam", "0.3",
        "--figure", figure,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "species\tbill_length_mm" in result.stdout
    assert "weight (norm)" in figure.read_text()


# --- Warnings -------------------------------------------------------------------------------------


def test_a_typing_mistake_in_the_data_gives_one_clean_warning(chain):
    chain["a"] = chain["a"].astype(object)
    chain.loc[7, "a"] = "1.2.3"
    chain.to_csv("typo.csv", index=False)
    result = run("learn", "typo.csv", "--dependence", "gaussian", "--lam", "9")
    assert result.exit_code == 0
    (warning,) = (line for line in result.stderr.splitlines() if line.startswith("Warning: "))
    assert "'1.2.3'" in warning
    assert "--kinds 'a=…'" in warning
    assert ".py" not in result.stderr


def test_warnings_of_the_caller_are_left_as_they_were(chain):
    before = warnings.showwarning, list(warnings.filters)
    learned("chain.csv")
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_ctrl_c_during_subsamples_leaves_the_graph_in_whole_files(chain, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["mrflearn.learn"], "repeated", stopped)
    result = run(
        *("learn", "chain.csv", "--dependence", "gaussian", "--stability", "10", "-q"),
        *("-o", "g.json", "--result", "r.json", "--figure", "f.png", "--report", "r.html"),
    )
    assert result.exit_code == 130
    graph = Graph.load("g.json")
    assert graph == GSMPLE(dependence="gaussian").fit(chain).graph_
    assert mrflearn.Result.load("r.json").graph == graph
    assert Path("f.png").stat().st_size > 1000
    assert "</html>" in Path("r.html").read_text()
    assert "g.json" in result.stderr
