"""An experiment gives the same whatever the processes, interruptions and repetitions."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from mrflearn import GSMPLE, GLasso, InputError
from mrflearn._progress import listening
from mrflearn.datasets import shapes
from mrflearn.datasets.gaussian import gaussian_on
from mrflearn.experiments import runner
from mrflearn.experiments.design import Case, Method, check_runs, penalties, thresholds
from mrflearn.experiments.runner import load_results, n_unconverged, run_case, run_experiment


def _cases(n_samples=40, lams=(0.3, 0.1, 0.0)):
    methods = (
        Method("GS-MPLE", GSMPLE(dependence="gaussian"), tuple(lams)),
        Method("GLASSO", GLasso(), tuple(lams)),
    )
    return [
        Case("chain", gaussian_on(shapes.chain(4), random_state=0), n_samples, methods),
        Case("hub", gaussian_on(shapes.hub(5), random_state=0), n_samples, methods),
    ]


def _same(first, second):
    pd.testing.assert_frame_equal(first.drop(columns="seconds"), second.drop(columns="seconds"))


def test_there_is_a_row_for_each_case_run_method_and_lambda(tmp_path):
    results = run_experiment(_cases(), 3, tmp_path)
    assert len(results) == 2 * 3 * 2 * 3
    assert (results.groupby(["world", "run", "method"]).size() == 3).all()
    assert results["seed"].nunique() == 6
    pairs = results["tp"] + results["fp"] + results["fn"] + results["tn"]
    assert set(pairs[results["world"] == "hub"]) == {10}
    for name in ("mrflearn", "python", "numpy", "scipy", "sklearn", "numba"):
        assert results[name].str.len().min() > 0
    assert (results["seconds"] > 0).all()
    assert n_unconverged(results) == 0
    pd.testing.assert_frame_equal(load_results(tmp_path), results)


def test_a_row_says_what_the_estimator_found(tmp_path):
    case = _cases()[0]
    results = run_experiment([case], 1, tmp_path)
    frame = case.world.sample(case.n_samples, random_state=int(results["seed"][0]))
    graph = GLasso(0.1).fit(frame).graph_
    (row,) = results[(results["method"] == "GLASSO") & (results["lam"] == 0.1)].to_dict("records")
    found, true = graph.adjacency, case.world.adjacency
    assert row["tp"] == (found & true).sum() // 2
    assert row["fp"] == (found & ~true).sum() // 2


def test_processes_do_not_change_the_result(tmp_path):
    _same(
        run_experiment(_cases(), 3, tmp_path / "one", n_jobs=1),
        run_experiment(_cases(), 3, tmp_path / "two", n_jobs=2),
    )


def test_runs_that_are_there_are_not_repeated(tmp_path, monkeypatch):
    first = run_experiment(_cases(), 2, tmp_path)
    seen = []
    monkeypatch.setattr(runner, "run_case", lambda *_: pytest.fail("repeated"))
    with listening(lambda *report: seen.append(report)):
        again = run_experiment(_cases(), 2, tmp_path)
    pd.testing.assert_frame_equal(first, again)
    assert seen == [("Runs", 0, 4), ("Runs", 4, 4)]


def test_runs_are_counted_and_nothing_inside_them(tmp_path):
    run_experiment(_cases(), 1, tmp_path)
    seen = []
    with listening(lambda *report: seen.append(report)):
        run_experiment(_cases(), 2, tmp_path)
    assert seen == [("Runs", done, 4) for done in (0, 2, 3, 4)]


def test_more_runs_go_on_from_fewer_and_fewer_lose_none(tmp_path):
    run_experiment(_cases(), 2, tmp_path)
    more = run_experiment(_cases(), 4, tmp_path)
    _same(more, run_experiment(_cases(), 4, tmp_path / "afresh"))
    fewer = run_experiment(_cases(), 2, tmp_path)
    assert fewer["run"].max() == 1
    assert len(list((tmp_path / "runs").iterdir())) == 8


def test_an_interrupted_experiment_goes_on(tmp_path, monkeypatch):
    whole = run_experiment(_cases(), 3, tmp_path / "whole")
    calls = []

    def interrupt(case, run):
        calls.append(run)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run_case(case, run)

    monkeypatch.setattr(runner, "run_case", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(_cases(), 3, tmp_path / "part")
    assert len(list((tmp_path / "part" / "runs").iterdir())) == 2
    assert not (tmp_path / "part" / "results.parquet").exists()
    monkeypatch.setattr(runner, "run_case", run_case)
    _same(run_experiment(_cases(), 3, tmp_path / "part"), whole)


PROGRAM = """
import sys
from mrflearn.datasets import shapes
from mrflearn.datasets.gaussian import gaussian_on
from mrflearn import GLasso
from mrflearn.experiments.design import Case, Method, penalties
from mrflearn.experiments.runner import run_experiment
world = gaussian_on(shapes.hub(8), random_state=0)
case = Case("hub", world, 60, (Method("g", GLasso(), penalties(1, 0.01)),))
run_experiment([case], 12, sys.argv[1], n_jobs=1)
"""


def test_a_killed_experiment_goes_on_to_the_same_result(tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    command = [sys.executable, "-c", PROGRAM]
    subprocess.run([*command, whole], check=True)
    process = subprocess.Popen([*command, part])
    deadline = time.monotonic() + 60
    while len(list(part.glob("runs/hub*"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 3 <= len(list(part.glob("runs/hub*"))) <= 12
    subprocess.run([*command, part], check=True)
    _same(load_results(part), load_results(whole))


def test_another_design_takes_no_old_run(tmp_path):
    run_experiment(_cases(), 1, tmp_path)
    results = run_experiment(_cases(lams=(0.2,)), 1, tmp_path)
    assert set(results["lam"]) == {0.2}


def test_every_part_of_a_case_changes_its_fingerprint():
    base = _cases()[0]
    other = gaussian_on(shapes.chain(4), strength=0.2, random_state=0)
    method = base.methods[0]
    changed = [
        Case("other", base.world, 40, base.methods),
        Case("chain", other, 40, base.methods),
        Case("chain", base.world, 41, base.methods),
        Case("chain", base.world, 40, base.methods[:1]),
        Case("chain", base.world, 40, (Method("x", method.estimator, method.lams),)),
        Case("chain", base.world, 40, (Method("GS-MPLE", GSMPLE(), method.lams),)),
    ]
    prints = [case.fingerprint for case in [base, *changed]]
    assert len(set(prints)) == len(prints)
    assert _cases()[0].fingerprint == base.fingerprint


def test_a_damaged_run_is_named(tmp_path):
    run_experiment(_cases(), 1, tmp_path)
    broken = sorted((tmp_path / "runs").iterdir())[0]
    broken.write_bytes(b"not parquet")
    with pytest.raises(InputError, match=r"cannot be read .* delete it, and its run is repeated"):
        run_experiment(_cases(), 1, tmp_path)


@pytest.mark.parametrize("runs", [0, -3, 1.5, None, True])
def test_a_number_of_runs_is_positive(tmp_path, runs):
    with pytest.raises(InputError, match="runs must be a positive whole number"):
        run_experiment(_cases(), runs, tmp_path)
    assert check_runs(np.int64(3)) == 3


def test_results_that_are_not_there_are_asked_for(tmp_path):
    with pytest.raises(InputError, match="run the experiment first"):
        load_results(tmp_path)


def test_two_cases_of_one_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="two cases are world 'chain' at N = 40"):
        run_experiment([_cases()[0], _cases()[0]], 1, tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the folder"):
        run_experiment(_cases(), 1, tmp_path / "file")


def test_without_pyarrow_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match=r"pip install 'mrflearn\[arrow\]'"):
        run_experiment(_cases(), 1, tmp_path)


def test_thresholds_reach_from_no_edge_to_all():
    lams = thresholds(2.0, 11)
    assert lams[0] == np.inf
    assert lams[-1] == -np.inf
    assert lams[1] == pytest.approx(2.0)
    assert lams[-2] == pytest.approx(-2.0)
    assert list(lams) == sorted(lams, reverse=True)
    steps = -np.diff(lams[1:-1])
    assert steps.argmin() in (3, 4)
    assert penalties(1.0, 0.01, 3) == pytest.approx((1.0, 0.1, 0.01))


def test_a_run_that_holds_something_else_is_named(tmp_path):
    run_experiment(_cases(), 2, tmp_path)
    first, second = sorted((tmp_path / "runs").glob("chain*"))
    whole = first.read_bytes()
    pd.read_parquet(first).iloc[:-1].to_parquet(first)
    with pytest.raises(InputError, match="does not hold the run it is named for"):
        run_experiment(_cases(), 2, tmp_path)
    pd.DataFrame({"x": [1]}).to_parquet(first)
    with pytest.raises(InputError, match="does not hold the run it is named for"):
        run_experiment(_cases(), 2, tmp_path)
    first.write_bytes(second.read_bytes())
    with pytest.raises(InputError, match="does not hold the run it is named for"):
        run_experiment(_cases(), 2, tmp_path)
    first.write_bytes(whole)
    run_experiment(_cases(), 2, tmp_path)
