"""learn, and what all commands promise: one line for a mistake, and nothing half done."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mrflearn
from mrflearn import GSMPLE, ChowLiu
from mrflearn.cli import main
from mrflearn.cli._commands import INTERRUPTED
from mrflearn.datasets import load_penguins, penguins_path
from mrflearn.dependence import DEPENDENCES
from mrflearn.estimators import ESTIMATORS
from mrflearn.graph import Graph
from mrflearn.search.refine import REFINEMENTS

PROGRAM = [sys.executable, "-c", "from mrflearn.cli import main; main(prog_name='mrflearn')"]

posix = pytest.mark.skipif(sys.platform == "win32", reason="shells and signals of POSIX")


def run(*arguments, **options):
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def learned(*arguments, **options):
    """Learn quietly with closed-form dependence and return the lines of standard output."""
    result = run("learn", *arguments, "--dependence", "gaussian", "-q", **options)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def refusal(*arguments, **options):
    """Return the one line of a refusal."""
    result = run(*arguments, **options)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    *_, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "Traceback" not in result.stderr
    return line


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
    assert lines[3].startswith("Lambda was chosen among 50 by 'permutation': at lambda 0.")
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
    assert tuple(parameter.type.choices) == REFINEMENTS
    found = {None: learned("table.csv", "--lam", "0.05")}
    assert found[None] == learned("table.csv", "--lam", "0.05", "--refine", "pairs")
    for refine in REFINEMENTS:
        found[refine] = learned("table.csv", "--lam", "0.05", "--refine", refine)
        graph = GSMPLE(0.05, dependence="gaussian", refine=refine).fit(frame).graph_
        assert {tuple(line.split("\t")[:2]) for line in found[refine][1:]} == {
            (edge.source, edge.target) for edge in graph.edges
        }
    assert found["swap"] != found["regrow"]


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


def test_names_with_tabs_are_quoted_in_tab_separated_text(chain):
    chain.set_axis(["a\tb", "b", "c", "d", "e"], axis=1).to_csv("odd.csv", index=False)
    assert any(line.startswith('"a\tb"\t') for line in learned("odd.csv"))


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


# --- Mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b,a\n1,2,3\n", "the same name 'a'"),
        ("a,b\n1,2\n3\n", "line 3 of 'bad.csv' has 1 value"),
        ("a,b\n1,\0\n", "NUL byte"),
        ("a\n1\n2\n", "a graph needs two"),
        ('a,b\n1,"2\n', "never closed"),
        ("a,b\n1,2\n", "a minimum of 2 is required"),
    ],
)
def test_a_bad_table_is_refused(content, says):
    Path("bad.csv").write_text(content)
    assert says in refusal("learn", "bad.csv")


def test_a_missing_table_is_refused_with_the_closest_name(chain):
    assert "did you mean 'chain.csv'?" in refusal("learn", "chian.csv")


def test_a_folder_is_refused(folder):
    assert "it is a folder" in refusal("learn", folder)


def test_a_wrong_delimiter_is_refused_in_the_words_of_the_command_line(chain):
    line = refusal("learn", "chain.csv", "--delimiter", ";")
    assert line.endswith("and 5 with a comma: add --delimiter ','")
    assert "--delimiter must be one character" in refusal("learn", "x.csv", "--delimiter", ";;")


def test_missing_values_are_refused_with_the_flag_that_helps():
    line = refusal("learn", penguins_path())
    assert "--missing drop" in line
    assert "11 of 344 rows" in line
    assert "missing='drop'" not in line


def test_an_unknown_method_is_refused_with_the_known_ones(chain):
    line = refusal("learn", "chain.csv", "--method", "gsmpel")
    assert "did you mean 'gsmple'?" in line
    assert all(repr(name) in line for name in ESTIMATORS)


def test_an_unknown_dependence_is_refused_with_the_known_ones(chain):
    line = refusal("learn", "chain.csv", "--dependence", "gausian")
    assert "did you mean 'gaussian'?" in line
    assert all(repr(name) in line for name in DEPENDENCES)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--drop", "dd"], "--drop: unknown column 'dd'; did you mean 'd'?"),
        (["--drop", "b,c,d,e"], "--drop leaves 1 of the columns"),
        (["--kinds", "aa=nominal"], "--kinds: unknown column 'aa'; did you mean 'a'?"),
        (["--kinds", "a=nominl"], "did you mean 'nominal'?"),
        (["--kinds", "a"], "--kinds wants COLUMN=KIND"),
        (["--kinds", "d=ordinal"], "--kinds 'd=lowest<…<highest'"),
        (["--kinds", "d=lo<mid"], "'hi'"),
        (["--required", "a:bb"], "--required: unknown column 'bb'; did you mean 'b'?"),
        (["--required", "a"], "--required wants two columns"),
        (["--required", "a:b:c"], "--required wants two columns"),
        (["--required", "a:a"], "--required: 'a' cannot have an edge to itself"),
        (["--forbidden", "zz:a"], "--forbidden: unknown column 'zz'"),
        (["--required", "a:b", "--forbidden", "b:a"], "both required and forbidden"),
        (["--drop", "d", "--required", "a:d"], "--required: unknown column 'd'"),
        (["--n-neighbors", "3", "--dependence", "gaussian"], "--n-neighbors does not apply"),
        (["--n-neighbors", "0"], "--n-neighbors must be at least 1, got 0"),
        (["--n-neighbors", "500"], "--n-neighbors 500 needs at least 501 rows"),
        (["--n-neighbors", "few"], "'--n-neighbors': 'few' is not a valid integer"),
        (["--lam", "nan"], "--lam must be a number, got NaN"),
        (["--n-jobs", "0"], "--n-jobs must be"),
        (["--scale", "log"], "'--scale': 'log' is not one of"),
        (["--refine", "swaps"], "'--refine': 'swaps' is not one of"),
        (["--refine", "swap", "--method", "iamb"], "--refine does not apply to --method iamb"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(chain, options, says):
    assert says in refusal("learn", "chain.csv", *options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-o", "graph.grahml"], "did you mean '.graphml'?"),
        (["-o", "graph"], "its name needs one of the endings"),
        (["-o", "nowhere/graph.csv"], "there is no folder 'nowhere'"),
        (["--figure", "graph.gif"], "unknown file type '.gif'"),
        (["--figure", "nowhere/graph.png"], "there is no folder 'nowhere'"),
        (["-o", "g.csv", "-o", "g.csv"], "written twice"),
        (["-o", "chain.csv"], "is the table itself"),
        (["-o", "./chain.csv"], "is the table itself"),
    ],
)
def test_outputs_are_checked_before_the_table_is_read(chain, monkeypatch, options, says):
    monkeypatch.setattr("mrflearn.io.read_table", lambda *_: pytest.fail("read the table"))
    before = Path("chain.csv").read_bytes()
    assert says in refusal("learn", "chain.csv", *options)
    assert Path("chain.csv").read_bytes() == before


def test_a_bug_is_not_dressed_up_as_a_mistake(chain, monkeypatch):
    def fail(*_):
        raise RuntimeError("a bug")

    monkeypatch.setattr(GSMPLE, "fit", fail)
    result = run("learn", "chain.csv", "-o", "g.json")
    assert isinstance(result.exception, RuntimeError)
    assert not Path("g.json").exists()


# --- Help -----------------------------------------------------------------------------------------


def test_the_version_is_shown():
    assert run("--version", prog_name="mrflearn").stdout == f"mrflearn {mrflearn.__version__}\n"


def test_estimators_lists_methods_and_dependences():
    result = run("estimators")
    assert result.exit_code == 0
    first_words = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
    assert first_words == [*ESTIMATORS, *DEPENDENCES]
    assert "Chow-Liu tree, or forest, of largest total mutual information." in result.stdout
    assert "Gaussian(copula=True)" in result.stdout


# --- As a process of its own ----------------------------------------------------------------------


BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""An environment in which Python keeps what it could not write, and tries again at the end."""


def process(*arguments, **options):
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, timeout=60, **options
    )


def test_exit_codes_and_streams_of_a_real_process(chain):
    good = process("learn", "chain.csv", "--dependence", "gaussian")
    assert good.returncode == 0
    assert good.stdout.startswith("source\ttarget\tscore\tp\tq\n")
    assert "\x1b" not in good.stdout + good.stderr
    bad = process("learn", "nothing.csv")
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("Error: cannot read 'nothing.csv'")
    assert len(bad.stderr.splitlines()) == 1


@posix
def test_a_reader_that_stops_early_is_no_error():
    # More than a pipe holds, or the reader could stop unnoticed.
    names = [f"{'long name ' * 8}{i}" for i in range(36)]
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 36)), columns=names)
    frame.to_csv("wide.csv", index=False)
    command = [*PROGRAM, "learn", "wide.csv", "--dependence", "gaussian", "--lam", "-inf"]
    command.append("--no-test")
    pipeline = f"{shlex.join([*command, '-o', 'wide.json'])} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", pipeline], capture_output=True, text=True, timeout=60, env=BUFFERED
    )
    assert done.stdout == "source\ttarget\tscore\n0\n"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert len(Graph.load("wide.json").edges) == 36 * 35 // 2  # what was asked for is there


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(chain):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "learn", "chain.csv", "--dependence", "gaussian", "-q"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=BUFFERED,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_a_terminal_that_lacks_a_letter_still_gets_its_edges(chain):
    chain.rename(columns={"a": "größe 模"}).to_csv("odd.csv", index=False)
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = ("learn", "odd.csv", "--dependence", "gaussian")
    done = process(*command, env=environment, encoding="latin-1")
    assert done.returncode == 0
    assert "größe \\u6a21\tb" in done.stdout


@posix
def test_ctrl_c_leaves_no_file_and_exit_code_130():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(3000, 30))).add_prefix("v")
    frame.to_csv("large.csv", index=False)
    before = sorted(os.listdir())
    command = [*PROGRAM, "learn", "large.csv", "-o", "g.json", "--figure", "g.png"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        assert b"3000 rows" in running.stderr.readline()  # the table is read, learning begins
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read().decode()
        printed = running.stdout.read()
        assert running.wait(60) == INTERRUPTED == 130
    assert said.splitlines()[-1] == "Interrupted."
    assert "Traceback" not in said
    assert printed == b""
    assert sorted(os.listdir()) == before


def test_a_terminal_gets_an_aligned_table_and_progress(chain, on_terminal):
    text = on_terminal("learn", "chain.csv", "--dependence", "gaussian")
    for phase in ("Comparing pairs", "Growing", "Shrinking", "Choosing lambda", "Testing edges"):
        assert phase in text
    rows = [line for line in text.splitlines() if re.fullmatch(r"[a-e] +[a-e] +-?\d\..*", line)]
    assert len(rows) >= 3
    assert len({len(row) for row in rows}) == 1
    assert "\t" not in text


def test_help_starts_fast():
    def fastest(command):
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - begun)
        return min(times)

    assert fastest([*PROGRAM, "--help"]) < fastest([sys.executable, "-c", "pass"]) + 0.3


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("glasso", "--method glasso takes numbers, and column 'species' is nominal with 3 levels"),
        ("jose", "'bill_length_mm' is continuous: use --method mixed-pairwise for mixed tables"),
        ("nodewise-logistic", "'species' has 3: use --method jose, or --method mixed-pairwise"),
    ],
)
def test_a_method_that_does_not_suit_says_which_does(method, words):
    result = run("learn", penguins_path(), "--missing", "drop", "--method", method)
    assert result.exit_code == 2
    assert words in result.stderr


def test_parametric_methods_learn_and_draw(tmp_path):
    figure = tmp_path / "graph.svg"
    result = run(
        "learn", penguins_path(), "--missing", "drop", "--method", "mixed-pairwise", "--lam", "0.3",
        "--figure", figure,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "species\tbill_length_mm" in result.stdout
    assert "weight (norm)" in figure.read_text()


@pytest.mark.parametrize(
    "option",
    [
        ("--dependence", "knn"),
        ("--max-memory", "1G"),
        ("--required", "a:b"),
        ("--scale", "rank"),
        ("--refine", "swap"),
    ],
)
def test_options_of_a_search_are_refused_for_a_parametric_method(option):
    result = run("learn", penguins_path(), "--method", "glasso", *option)
    assert result.exit_code == 2
    assert f"{option[0]} does not apply to --method glasso" in result.stderr


def test_names_of_columns_are_left_alone_in_messages(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("Deep Space Nine,b\n" + "x,1.5\ny,2.5\nz,3.5\n" * 5)
    result = run("learn", path, "--method", "space")
    assert result.exit_code == 2
    assert "--method space takes numbers, and column 'Deep Space Nine' is nominal" in result.stderr
