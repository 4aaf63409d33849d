"""Executors: the same answers, whoever does the work and in whatever order; deaths are survived."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from answers import in_order

from mrflearn.errors import InputError
from mrflearn.work import Serial, WorkError, as_executor, do_pieces
from mrflearn.work.base import WAITING, Threads
from mrflearn.work.processes import Processes

KINDS = ("serial", "threads", "processes", "dask")


def times(shared, item):
    time.sleep(0.002 * (item % 3))
    return shared * item


def fails(shared, item):
    if item == shared:
        raise ValueError(f"item {item}")
    return item


def dies(shared, item):
    if item == shared:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def dies_once(folder, item):
    """Kill the process that meets item 3 first."""
    mark = os.path.join(folder, "died")
    if item == 3 and not os.path.exists(mark):
        with open(mark, "w"):
            os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def pid(shared, item):
    time.sleep(0.02)
    return os.getpid()


@pytest.fixture(scope="module")
def executors(dask_client):
    from mrflearn.work.on_dask import OnDask

    return {
        "serial": Serial(),
        "threads": Threads(2),
        "processes": Processes(2),
        "dask": OnDask(dask_client),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_answers_come_with_the_number_of_their_item(executors, kind):
    executor = executors[kind]
    shared = executor.share(np.float64(3))
    assert in_order(executor, times, shared, range(30)) == [3 * item for item in range(30)]
    assert in_order(executor, times, shared, []) == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_exception_of_the_work_is_raised_and_the_executor_works_on(executors, kind):
    executor = executors[kind]
    with pytest.raises(ValueError, match="item 4"):
        in_order(executor, fails, executor.share(4), range(20))
    assert in_order(executor, fails, executor.share(-1), range(5)) == list(range(5))


@pytest.mark.parametrize("kind", KINDS)
def test_items_are_drawn_as_they_are_needed(executors, kind):
    executor, drawn = executors[kind], []

    def items():
        for item in range(100):
            drawn.append(item)
            yield item

    answers = executor.answers(times, executor.share(1), items())
    next(answers)
    assert len(drawn) <= 1 + WAITING * executor.n_workers
    answers.close()


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_a_worker_that_dies_costs_nothing_but_time(executors, kind, tmp_path):
    executor = executors[kind]
    found = in_order(executor, dies_once, executor.share(str(tmp_path)), range(12))
    assert found == [item * item for item in range(12)]
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_work_that_always_kills_its_worker_is_named(executors, kind):
    executor = executors[kind]
    with pytest.raises(WorkError, match="number 6"):
        in_order(executor, dies, executor.share(5), range(8))
    assert in_order(executor, dies, executor.share(-1), range(5)) == list(range(5))


def test_processes_are_others_and_are_used_again():
    executor = Processes(2)
    first = set(in_order(executor, pid, executor.share(None), range(12)))
    assert os.getpid() not in first
    assert set(in_order(executor, pid, executor.share(None), range(12))) <= first


def test_what_is_shared_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    executor = Processes(2)
    shared = executor.share(np.arange(10))
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    del shared
    assert not list(tmp_path.iterdir())


def test_an_interrupt_ends_processes_at_once(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        "import os, sys, time\n"
        "sys.path.insert(0, os.path.dirname(__file__))\n"
        "from long_work import sleep\n"
        "from mrflearn.work.processes import Processes\n"
        "executor = Processes(2)\n"
        "print('ready', flush=True)\n"
        "for answer in executor.answers(sleep, executor.share(os.getpid()), range(50)):\n"
        "    pass\n"
    )
    (tmp_path / "long_work.py").write_text(
        "import os, time, pathlib\n"
        "def sleep(shared, item):\n"
        f"    (pathlib.Path({str(tmp_path)!r}) / f'pid-{{os.getpid()}}').touch()\n"
        "    time.sleep(60)\n"
    )
    run = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
    )
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("pid-*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        workers = [int(path.name[4:]) for path in tmp_path.glob("pid-*")]
        assert len(workers) == 2
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=30)
    finally:
        run.kill()
    assert b"KeyboardInterrupt" in error
    assert not any(_alive(worker) for worker in workers)


def _alive(process):
    try:
        with open(f"/proc/{process}/stat") as stream:
            return stream.read().split()[2] != "Z"
    except OSError:
        return False


def test_the_executor_is_the_one_asked_for(dask_client):
    assert isinstance(as_executor(None, 1, "processes"), Serial)
    assert isinstance(as_executor(None, 2, "threads"), Threads)
    assert isinstance(as_executor("processes", 2, "threads"), Processes)
    assert isinstance(as_executor("serial", 2, "threads"), Serial)
    dask_client.wait_for_workers(2, timeout=60)  # a test before may have killed some
    on_dask = as_executor(dask_client, None, "threads")
    assert on_dask.n_workers == 2
    by_address = as_executor(dask_client.scheduler.address, None, "threads")
    assert in_order(by_address, times, by_address.share(2), [1, 2]) == [2, 4]
    by_address.client.close()


@pytest.mark.parametrize(
    ("executor", "message"),
    [
        ("thread", "did you mean 'threads'"),
        (3, "executor must be one of"),
        ("tcp://127.0.0.1:1", "no Dask scheduler answers at 'tcp://127.0.0.1:1'"),
        ("nonsense://", "no Dask scheduler answers"),
    ],
)
def test_what_is_no_executor_is_refused(executor, message, monkeypatch):
    monkeypatch.setattr("mrflearn.work.on_dask.CONNECTING", 1.0)
    with pytest.raises(InputError, match=message):
        as_executor(executor, 2, "threads")


def test_a_cluster_without_workers_is_refused(monkeypatch):
    from distributed import Client, LocalCluster

    from mrflearn.work.on_dask import OnDask

    monkeypatch.setattr("mrflearn.work.on_dask.PATIENCE", 1.0)
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as cluster,
        Client(cluster) as client,
        pytest.raises(WorkError, match="has no worker"),
    ):
        OnDask(client)


def _blas_threads():
    from threadpoolctl import threadpool_info

    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def _slower_and_slower(_, item):
    time.sleep(0.02 * item)
    return np.array([max(_blas_threads())])


def test_threads_that_end_at_different_times_leave_blas_as_it_was():
    """Each sets a limit that is the process's, and puts back what it met."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(2, user_api="blas"):
        before = _blas_threads()
        found = do_pieces(_slower_and_slower, None, [0, 6, 1, 5, 2], Threads(3), "Waiting", "x")
        assert _blas_threads() == before
    assert np.concatenate(found).tolist() == [1] * 5
