"""view shows a result once more, without the data."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mrflearn.cli import main
from mrflearn.datasets import load_world
from mrflearn.graph import Graph
from mrflearn.report import render_report
from mrflearn.result import Result


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Learn a result, with subsamples; return it and what was shown."""
    folder = tmp_path_factory.mktemp("learned")
    world = load_world("gaussian").sample(200, 0).iloc[:, :5].set_axis(list("abcde"), axis=1)
    world.to_csv(folder / "t.csv", index=False)
    options = ["--dependence", "gaussian", "--stability", "4", "--result", str(folder / "r.json")]
    shown = CliRunner().invoke(main, ["learn", str(folder / "t.csv"), *options])
    assert shown.exit_code == 0, shown.stderr
    return shown, (folder / "r.json").read_bytes()


@pytest.fixture
def learned(once, folder):
    """Put the result, without its table, into the folder."""
    shown, content = once
    Path("r.json").write_bytes(content)
    return shown


def test_it_shows_what_learn_showed(run, learned):
    result = run("view", "r.json")
    assert result.stdout == learned.stdout
    for message in Result.load("r.json").messages:
        assert message in result.stderr
    assert run("view", "r.json", "-q").stderr == ""


def test_no_name_steers_the_terminal(run, chain):
    chain.rename(columns={"e": "\x1b[31mred"}).to_csv("odd.csv", index=False)
    run("learn", "odd.csv", "--dependence", "gaussian", "--no-test", "--result", "r.json")
    assert "Without an edge: \\x1b[31mred." in run("view", "r.json").stderr
    explained = run("view", "r.json", "--explain", "a:\x1b[31mred").stdout
    assert explained.startswith("a and \\x1b[31mred have no edge.")


@pytest.mark.parametrize("drawn", ["graph", "path", "choice", "stability"])
def test_figures_are_drawn_again(run, learned, drawn):
    result = run("view", "r.json", "--draw", drawn, "--figure", "f.svg")
    assert "<svg" in Path("f.svg").read_text()
    assert "Wrote f.svg" in result.stderr


def test_graphs_are_written_again(run, learned):
    run("view", "r.json", "-o", "g.json", "-o", "g.csv")
    assert Graph.load("g.json") == Result.load("r.json").graph


def test_another_point_of_the_path(run, learned):
    path = Result.load("r.json").path
    run("view", "r.json", "--lam", str(path.lams[7] * 1.0001), "-o", "g.json")
    assert Graph.load("g.json") == path[7]
    result = run("view", "r.json", "--lam", "inf")
    assert f"The graph at lambda {max(path.lams):g}" in result.stderr
    assert f"from {max(path.lams):g} to {min(path.lams):g}" in result.stderr


def test_an_edge_is_explained(run, learned):
    explained = run("view", "r.json", "--explain", "b:a").stdout
    assert explained == f"{Result.load('r.json').graph.explain('b', 'a')}\n"


def test_json_is_that_of_learn(run, chain):
    options = ("--dependence", "gaussian", "--no-test", "--result", "r.json", "--json")
    result = run("learn", "chain.csv", *options)
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert found["files"] == ["r.json"]
    assert json.loads(run("view", "r.json", "--json").stdout) == found | {"files": []}


def test_a_terminal_gets_an_aligned_table(on_terminal, learned):
    text = on_terminal("view", "r.json")
    assert "score (nats)" in text
    assert "\t" not in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--explain", "a:bb"], "--explain: unknown column 'bb'; did you mean 'b'?"),
        (["--explain", "a"], "--explain wants two columns"),
        (["--explain", "a:a"], "an edge has two ends"),
        (["--draw", "path"], "--draw path needs --figure"),
        (["--draw", "pth", "--figure", "f.png"], "'pth' is not one of"),
        (["--figure", "f.gif"], "unknown file type"),
        (["--lam", "nan"], "--lam must be a number"),
        (["--lam", "1", "--draw", "stability", "--figure", "f.png"], "--lam is for --draw graph"),
        (["--lam", "1", "--draw", "path", "--figure", "f.png"], "leave --lam out"),
        (["-o", "r.json"], "is the result itself"),
    ],
)
def test_mistakes(refusal, learned, options, says):
    before = Path("r.json").read_bytes()
    assert says in refusal("view", "r.json", *options)
    assert Path("r.json").read_bytes() == before


def test_what_is_no_result_is_refused(run, refusal, chain):
    Graph(("a", "b")).save("graph.json")
    assert "--result writes what view reads" in refusal("view", "graph.json")
    assert "--result writes what view reads" in refusal("view", "chain.csv")
    assert "did you mean 'graph.json'?" in refusal("view", "grph.json")
    Path("part.json").write_text('{"format": "mrflearn result", "version": 1, "nodes": []}')
    assert "is damaged" in refusal("view", "part.json")


def test_stability_that_was_not_asked_for_is_refused(run, refusal, chain):
    run("learn", "chain.csv", "--dependence", "gaussian", "--no-test", "--result", "r.json")
    line = refusal("view", "r.json", "--draw", "stability", "--figure", "f.png")
    assert "--stability 50" in line


def test_a_report_is_written_again_as_learn_would(run, learned):
    result = run("view", "r.json", "--report", "r.html")
    assert "Wrote r.html" in result.stderr
    assert Path("r.html").read_text() == render_report(Result.load("r.json"))


def test_a_report_must_be_a_page(run, learned):
    result = run("view", "r.json", "--report", "r.pdf", code=2)
    assert "cannot write 'r.pdf'" in result.stderr
    assert not Path("r.pdf").exists()


def test_another_graph_of_the_path_knows_when_edges_enter(run, learned):
    found = Result.load("r.json")
    edge = found.graph.edges[-1]
    pair = f"{edge.source}:{edge.target}"
    ends = found.graph.index(edge.source), found.graph.index(edge.target)
    shown = run("view", "r.json", "--lam", str(max(found.path.lams)), "--explain", pair).stdout
    assert f"enters the path at lambda {found.path.entry[ends]:.3g}" in shown
    assert "have no edge" in shown
    assert "nowhere" not in shown


def test_a_path_of_one_graph_says_so(run, chain):
    options = ("chain.csv", "--dependence", "gaussian", "--no-test", "--result", "r.json")
    run("learn", *options, "--method", "chow-liu")
    said = run("view", "r.json", "--lam", "0.1").stderr
    assert "No lambda was asked for: the path has this graph alone, of 4 edges." in said
    assert "inf" not in said
    run("learn", *options, "--lam", "0.2")
    said = run("view", "r.json", "--lam", "0.1").stderr
    assert "The graph at lambda 0.2: 3 edges. The path has no other lambda." in said


def test_without_a_choice_there_is_none_to_draw(run, refusal, chain):
    options = ("chain.csv", "--dependence", "gaussian", "--no-test", "--result", "r.json")
    drawn = ("view", "r.json", "--draw", "choice", "--figure", "f.png")
    run("learn", *options, "--lam", "0.2")
    line = refusal(*drawn)
    assert "learned with --lam 0.2, so no lambda was chosen; learn it with --lam auto" in line
    run("learn", *options, "--method", "chow-liu")
    line = refusal(*drawn)
    assert "learned without --lam, so no lambda was chosen; learn it with --lam auto" in line
    assert "inf" not in line
