"""blanket says which columns tell about one, and how much."""

import json

import pytest

from mrflearn import IAMB, MixedPairwise
from mrflearn.dependence import Gaussian
from mrflearn.table import as_table


def members(result):
    header, *lines = result.stdout.splitlines()
    assert header == "member\tscore"
    return {name: float(score) for name, score in (line.split("\t") for line in lines)}


def test_it_is_what_the_estimator_finds_with_what_each_member_adds(run, chain):
    result = run("blanket", "chain.csv", "--target", "b", "--dependence", "gaussian")
    found = members(result)
    assert set(found) == set(IAMB(dependence="gaussian").markov_blanket(chain, "b"))
    assert {"a", "c"} <= set(found)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    table = as_table(chain)
    exact = Gaussian().bind(table)
    places = {name: table.index(name) for name in found}
    for name, score in found.items():
        others = [place for other, place in places.items() if other != name]
        assert score == pytest.approx(exact.cmi(table.index("b"), places[name], others), rel=1e-5)
    assert result.stderr.startswith("Markov blanket of b at lam ")


def test_other_methods_learn_the_whole_graph(run, chain):
    found = members(run("blanket", "chain.csv", "--target", "b", "--method", "mixed-pairwise"))
    graph = MixedPairwise().fit(chain).graph_
    assert set(found) == set(graph.neighbors("b"))


def test_groups_and_edges_known_before(run, chain):
    options = ("--dependence", "gaussian", "--group", "ab=a+b", "--required", "ab:e")
    found = members(run("blanket", "chain.csv", "--target", "ab", *options))
    assert {"c", "e"} <= set(found)


def test_nothing_but_what_is_required(run, chain):
    options = ("--dependence", "gaussian", "--target", "e")
    result = run("blanket", "chain.csv", *options)
    assert members(result) == {}
    assert "nothing; a smaller --lam lets more in" in result.stderr
    assert set(members(run("blanket", "chain.csv", *options, "--required", "e:a"))) == {"a"}


def test_no_name_steers_the_terminal(run, chain):
    chain.rename(columns={"b": "\x1b[31mred"}).to_csv("odd.csv", index=False)
    result = run("blanket", "odd.csv", "--target", "\x1b[31mred", "--dependence", "gaussian")
    assert result.stderr.startswith("Markov blanket of \\x1b[31mred at lam ")


def test_json_and_quiet(run, chain):
    options = ("--dependence", "gaussian", "--target", "b")
    found = json.loads(run("blanket", "chain.csv", *options, "--json").stdout)
    assert found["target"] == "b"
    assert found["unit"] == "nats"
    quiet = run("blanket", "chain.csv", *options, "-q")
    assert [member["name"] for member in found["members"]] == list(members(quiet))
    assert quiet.stderr == ""


def test_a_terminal_gets_an_aligned_table(on_terminal, chain):
    text = on_terminal("blanket", "chain.csv", "--target", "b", "--dependence", "gaussian")
    assert "member" in text
    assert "\t" not in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--target", "bb"], "--target: unknown column 'bb'; did you mean 'b'?"),
        ([], "Missing option '--target'"),
        (["--target", "b", "--method", "imab"], "did you mean 'iamb'?"),
        (["--target", "b", "--drop", "b"], "--target: unknown column 'b'"),
        (["--target", "b", "--select", "stars"], "--select 'stars' chooses for a whole graph"),
        (["--target", "b", "--method", "glasso", "--scale", "rank"], "--scale does not apply"),
    ],
)
def test_mistakes(refusal, chain, options, says):
    assert says in refusal("blanket", "chain.csv", *options)


def test_a_missing_file(refusal, chain):
    assert "did you mean 'chain.csv'?" in refusal("blanket", "chian.csv", "--target", "b")
