"""simulate draws tables of worlds whose graphs are known."""

from pathlib import Path

import networkx as nx
import pandas as pd
import pytest

from mrflearn.datasets import WORLDS, World, load_world
from mrflearn.errors import InputError


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_is_drawn_as_the_library_draws_it(name, run):
    run("simulate", name, "--rows", "20", "--seed", "3", "-o", "t.csv", "--truth", "t.graphml")
    world = load_world(name)
    assert isinstance(world, World)
    assert Path("t.csv").read_text() == world.sample(20, 3).to_csv(index=False, lineterminator="\n")
    truth = nx.read_graphml("t.graphml")
    assert set(truth.nodes) == set(world.names)
    assert truth.number_of_edges() == len(world.graph.edges)


def test_standard_output_is_the_table(run):
    result = run("simulate", "sprinkler", "--rows", "5")
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == 6
    again = run("simulate", "sprinkler", "--rows", "5").stdout
    assert (
        again == result.stdout != run("simulate", "sprinkler", "--rows", "5", "--seed", "1").stdout
    )


def test_a_table_drawn_can_be_learned(run):
    run("simulate", "gaussian", "--rows", "400", "-o", "g.csv")
    shown = run("learn", "g.csv", "--dependence", "gaussian", "--no-test", "-q").stdout
    assert len(shown.splitlines()) > 5
    assert pd.read_csv("g.csv").shape == (400, 9)


def test_worlds_are_listed(run, on_terminal):
    lines = run("simulate", "--list").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == list(WORLDS)
    assert all(len(line.split("\t")[1]) > 5 for line in lines)
    assert "\t" not in on_terminal("simulate", "--list")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["isign"], "unknown world 'isign'; did you mean 'ising'?"),
        ([], "--list"),
        (["ising", "--rows", "0"], "--rows must be a positive whole number, got 0"),
        (["ising", "--rows", "some"], "not a valid integer"),
        (["ising", "--seed", "-1"], "--seed must be"),
        (["ising", "-o", "t.cvs"], "did you mean '.csv'?"),
        (["ising", "-o", "nowhere/t.csv"], "there is no folder"),
        (["ising", "--truth", "t.png"], "unknown file type '.png'"),
        (["ising", "-o", "t.csv", "--truth", "t.csv"], "written twice"),
    ],
)
def test_mistakes(refusal, arguments, says):
    assert says in refusal("simulate", *arguments)
    assert not Path("t.csv").exists()


def test_an_unknown_world_is_refused_by_the_library():
    with pytest.raises(InputError, match="did you mean 'asia'"):
        load_world("asai")
