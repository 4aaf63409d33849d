"""learn: one line for a mistake, which says what would help."""

from pathlib import Path

import pytest

from mrflearn import GSMPLE
from mrflearn.datasets import penguins_path
from mrflearn.dependence import DEPENDENCES
from mrflearn.estimators import ESTIMATORS

from .in_process import run


def refusal(*arguments, **options):
    """Return the one line of a refusal."""
    result = run(*arguments, **options)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    *_, line = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "Traceback" not in result.stderr
    return line


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
        (["--n-neighbors", "3"], "--n-neighbors does not apply to dependence 'auto'"),
        (["--dependence", "knn", "--n-neighbors", "0"], "--n-neighbors must be at least 1, got 0"),
        (
            ["--dependence", "knn", "--n-neighbors", "500"],
            "--n-neighbors 500 needs at least 501 rows",
        ),
        (["--n-neighbors", "few"], "'--n-neighbors': 'few' is not a valid integer"),
        (["--lam", "nan"], "--lam must be a number, got NaN"),
        (["--n-jobs", "0"], "--n-jobs must be"),
        (["--scale", "log"], "'--scale': 'log' is not one of"),
        (["--refine", "pair"], "'--refine': 'pair' is not one of"),
        (["--refine", "swap"], "'--refine': 'swap' is not one of"),
        (["--refine", "pairs", "--method", "iamb"], "--refine does not apply to --method iamb"),
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

    monkeypatch.setattr(GSMPLE, "_fit", fail)
    result = run("learn", "chain.csv", "-o", "g.json")
    assert isinstance(result.exception, RuntimeError)
    assert not Path("g.json").exists()


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


@pytest.mark.parametrize(
    "option",
    [
        ("--dependence", "knn"),
        ("--max-memory", "1G"),
        ("--required", "a:b"),
        ("--scale", "rank"),
        ("--refine", "pairs"),
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
