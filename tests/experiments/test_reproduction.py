"""The command that repeats the paper's experiment."""

import shutil

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from mrflearn.cli import main
from mrflearn.experiments.paper import TITLES, K, paper_cases
from mrflearn.experiments.runner import run_case


def _run(*arguments):
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


def test_the_cases_are_those_of_the_paper():
    cases = paper_cases()
    assert [case.world_name for case in cases] == list(TITLES)
    for case in cases:
        assert case.n_samples == 100
        assert case.world.n_variables == 9
        names = [method.name for method in case.methods]
        assert names[:3] == ["GS-MPLE", "GSMN", "IAMB"]
        assert ("JOSE" in names) == case.world.sample(5, 0).isin([0, 1]).all().all()
        search = case.methods[0].estimator
        assert search.scale is None
        assert search.dependence.n_neighbors == K
        assert search.dependence.variant == "paper"
    assert cases[1].world.adjacency.sum() == cases[3].world.adjacency.sum() == 2 * 13


@pytest.mark.parametrize("case", paper_cases(), ids=lambda case: case.world_name)
def test_every_curve_reaches_from_end_to_end(case):
    rows = run_case(case, 0)
    for method, part in rows.groupby("method"):
        first, last = part.iloc[0], part.iloc[-1]
        assert first["tp"] + first["fp"] == 0, method
        assert last["fn"] + last["tn"] <= 2, method  # a solver may find an exact zero
        assert len(part) >= 60
        if method in ("GS-MPLE", "GSMN", "IAMB"):
            assert last["fn"] + last["tn"] == 0


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction") / "new" / "folder"
    result = _run("--runs", 2, "--n-jobs", 1, "-o", folder)
    assert result.exit_code == 0, result.output
    return folder, result


def test_everything_is_written(written):
    folder, result = written
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "results.parquet", "runs", "roc.png", "roc.pdf", "areas.csv", "differences.csv", "report.md"
    }  # fmt: skip
    report = (folder / "report.md").read_text()
    assert report in result.stdout
    assert "2 tables of N = 100 rows" in report
    assert (
        report.count("**holds**")
        + report.count("**undecided**")
        + report.count("**does not hold**")
        == 4
    )
    areas = pd.read_csv(folder / "areas.csv")
    assert set(areas["world"]) == set(TITLES)
    assert areas["area"].between(0, 1).all()
    assert (areas["area_low"] <= areas["area_high"]).all()


def test_solvers_that_fell_short_are_told_of_where_the_report_is_read(
    written, tmp_path, monkeypatch
):
    folder, _ = written
    shutil.copytree(folder / "runs", tmp_path / "runs")
    monkeypatch.setattr("mrflearn.experiments.reproduction.n_unconverged", lambda _: 3)
    result = _run("--runs", 2, "-o", tmp_path)
    told = "In 3 paths a solver fell short of its tolerance"
    assert told in (tmp_path / "report.md").read_text()
    assert told in result.stdout


def test_the_same_command_gives_the_same_files(written, tmp_path):
    folder, _ = written
    again = tmp_path / "again"
    assert _run("--runs", 2, "--n-jobs", 2, "-o", again).exit_code == 0
    for name in ("areas.csv", "differences.csv", "report.md"):
        assert (folder / name).read_text() == (again / name).read_text()
    first, second = (
        pd.read_parquet(place / "results.parquet").drop(columns="seconds")
        for place in (folder, again)
    )
    pd.testing.assert_frame_equal(first, second)
    assert np.isfinite(first["lam"]).mean() > 0.9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--runs", "0"], "--runs must be a positive whole number, got 0"),
        (["--runs", "-5"], "--runs must be a positive whole number, got -5"),
        (["--runs", "3", "--quick"], "leave out --quick or --runs"),
        (["--runs", "many"], "many"),
        (
            ["--n-jobs", "0"],
            "--n-jobs must be a positive number of workers, or -1 for all cores; got 0",
        ),
        (["--quik"], "--quick"),
    ],
)
def test_mistakes_get_one_sentence(arguments, words, tmp_path):
    result = _run(*arguments, "-o", tmp_path / "none")
    assert result.exit_code == 2
    assert words in result.output
    assert not (tmp_path / "none").exists()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    result = _run("--runs", "1", "-o", tmp_path / "file")
    assert result.exit_code == 2
    assert "is a file: name a folder" in result.output
    assert (tmp_path / "file").read_text() == "mine"


def test_an_interruption_says_that_nothing_is_lost(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mrflearn.experiments.runner.run_case", interrupt)
    result = _run("--runs", "1", "--n-jobs", "1", "-o", tmp_path)
    assert result.exit_code == 130
    assert "the same command goes on" in result.output
