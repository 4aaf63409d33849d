"""A run that was killed, interrupted or out of room goes on from its checkpoint to the same end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mrflearn import learn, stability
from mrflearn.errors import InputError
from mrflearn.estimators import as_estimator

HERE = Path(__file__).parent


@pytest.fixture
def frame():
    rng = np.random.default_rng(2)
    a = rng.normal(size=100)
    b = a + rng.normal(size=100)
    return pd.DataFrame(
        {"a": a, "b": b, "c": b + rng.normal(size=100), "d": rng.integers(3, size=100)}
    )


def saved(found, path):
    found.save(path)
    return path.read_bytes()


def test_fifty_killed_runs_end_as_the_uninterrupted_one():
    run = subprocess.run(
        [sys.executable, str(HERE / "killed_runs.py"), "50"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    whole, *others = (line.split() for line in run.stdout.splitlines())
    assert len(others) == 50
    assert {fingerprint for fingerprint, _ in others} == {whole[0]}
    assert sum(int(n_killed) for _, n_killed in others) >= 50


@pytest.mark.parametrize("method", ["gsmple", "iamb", "chow-liu", "glasso"])
def test_what_was_found_is_not_asked_again(method, frame, tmp_path, monkeypatch):
    from mrflearn.dependence._bound import BoundDirect

    options = {"dependence": "knn"} if method != "glasso" else {}
    options |= {"checkpoint": tmp_path / "run", "quiet": True, "n_jobs": 1, "n_subsamples": 2}
    first = saved(learn(frame, method, **options), tmp_path / "first.json")

    def fail(*_):
        raise AssertionError("asked again")

    monkeypatch.setattr(BoundDirect, "_cmi_many", fail)
    assert saved(learn(frame, method, **options), tmp_path / "second.json") == first


def test_another_executor_goes_on_where_one_stopped(frame, tmp_path):
    options = {"dependence": "knn", "quiet": True, "n_subsamples": 6}
    whole = saved(learn(frame, n_jobs=1, **options), tmp_path / "whole.json")
    place = {"checkpoint": tmp_path / "run"}
    stability(frame, n_subsamples=3, n_jobs=1, quiet=True, dependence="knn", **place)
    again = learn(frame, n_jobs=2, executor="processes", **place, **options)
    assert saved(again, tmp_path / "again.json") == whole


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"lam": 0.2}, r"other options \(lam: 0.1 there, 0.2 here\)"),
        ({"kinds": {"d": "nominal"}}, "belongs to other data"),
    ],
)
def test_another_run_is_refused(other, message, frame, tmp_path):
    options = {"lam": 0.1, "dependence": "gaussian", "checkpoint": tmp_path / "run"}
    as_estimator("gsmple", dict(options)).fit(frame)
    with pytest.raises(InputError, match=message):
        as_estimator("gsmple", options | other).fit(frame)
    with pytest.raises(InputError, match="belongs to other data"):
        as_estimator("gsmple", dict(options)).fit(frame[::-1].iloc[1:])


def test_options_that_change_no_result_may_change(frame, tmp_path):
    options = {"lam": 0.1, "dependence": "knn", "checkpoint": tmp_path / "run"}
    one = as_estimator("gsmple", dict(options)).fit(frame)
    other = as_estimator("gsmple", options | {"n_jobs": 2, "max_memory": "1 GB"}).fit(frame)
    assert other.graph_ == one.graph_
    assert other.n_evaluations_ == one.n_evaluations_


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(
    frame, small_disk, tmp_path, monkeypatch
):
    monkeypatch.setattr("mrflearn.checkpoint.PERIOD", 0.0)
    small_disk.resize("160k")
    place = small_disk.place / "run"
    options = {"dependence": "knn", "quiet": True, "n_jobs": 1, "n_subsamples": 30}
    with pytest.raises(InputError, match="make room there and run the same again"):
        learn(frame, checkpoint=place, **options)
    small_disk.resize("8m")
    again = saved(learn(frame, checkpoint=place, **options), tmp_path / "again.json")
    assert again == saved(learn(frame, **options), tmp_path / "whole.json")


def test_an_interrupt_leaves_no_process_and_a_checkpoint_that_can_be_used(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    X[:, 1:] += X[:, :-1]
    pd.DataFrame(X, columns=list("abcdefgh")).to_csv(tmp_path / "table.csv", index=False)
    command = [
        *(sys.executable, "-m", "mrflearn", "learn", "table.csv", "--stability", "3000"),
        *("--dependence=knn", "--no-test", "--n-jobs=2", "--checkpoint=run", "--lam=0.1"),
    ]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        workers = _children_at_work(run)
        begun = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
        seconds = time.monotonic() - begun
    finally:
        run.kill()
    assert run.returncode == 130, error.decode()
    assert b"Traceback" not in error
    print(f"ended after {seconds:.1f} s")
    deadline = time.monotonic() + 10
    while any(map(_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_alive, workers))
    short = [*command[:6], "3", *command[7:]]
    assert subprocess.run(short, cwd=tmp_path, capture_output=True).returncode == 0


def _children_at_work(run, at_least=2):
    """Wait until a run has started processes that work, and return these."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and run.poll() is None:
        busy = [child for child in _descendants(run.pid) if _seconds(child) > 2]
        if len(busy) >= at_least:
            return _descendants(run.pid)
        time.sleep(0.2)
    pytest.fail(f"no workers: {run.communicate()[1].decode()}")


def _descendants(process):
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_descendants(child)]
    return found


def _seconds(process):
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def _alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
