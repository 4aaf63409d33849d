"""Workers of a Dask cluster that are killed while they work: the result is the serial one."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from contents import content

from mrflearn import GSMPLE, stability
from mrflearn.work.on_dask import OnDask

N_RUNS = 20
"""Half of them fits, half of them subsamples."""

AT_LEAST = 16
"""Runs in which a worker must be dead before the work is done."""

N_SUBSAMPLES = 12


class Killing(OnDask):
    """A cluster of which one worker is killed, some time after so many answers."""

    def __init__(self, client, after, delay):
        super().__init__(client)
        self.after, self.delay = after, delay
        self.n_answers = 0
        self.killer = Thread(target=self._kill)
        self.dead = False

    def answers(self, work, shared, items):
        for answer in super().answers(work, shared, items):
            self.n_answers += 1
            if self.n_answers == self.after:
                self.killer.start()
            yield answer

    def _kill(self):
        time.sleep(self.delay)
        living = []
        while not living:  # the one of the last run may be on its way back
            found = [nanny.pid for nanny in self.client.cluster.workers.values()]
            living = [worker for worker in found if worker is not None and _alive(worker)]
        worker = living[self.after % len(living)]
        os.kill(worker, signal.SIGKILL)
        while _alive(worker):
            time.sleep(0.001)
        self.dead = True


def _alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(4).normal(size=(200, 9))
    X[:, 1:] += X[:, :-1]
    return X


@pytest.fixture(scope="module")
def fit(data):
    """A fit of more than forty pieces."""
    return lambda executor: content(GSMPLE(0.02, dependence="knn", executor=executor).fit(data))


@pytest.fixture(scope="module")
def subsamples(data):
    """A piece for each subsample."""

    def run(executor):
        return stability(
            data,
            n_subsamples=N_SUBSAMPLES,
            lam=0.05,
            dependence="knn",
            executor=executor,
            quiet=True,
        ).frequencies.tobytes()

    return run


@pytest.fixture
def client():
    """Two workers that come back, however many die: usually one dead for long is given up."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def _pieces_are_many(monkeypatch):
    monkeypatch.setattr("mrflearn.dependence.remote.WORTH", 0.0)
    monkeypatch.setattr("mrflearn.dependence.remote.PIECE", 0.002)
    monkeypatch.setattr("mrflearn.work.on_dask.OnDask.overhead", 0.0)


def test_twenty_runs_with_a_killed_worker_end_as_the_serial_one(client, fit, subsamples):
    rng = np.random.default_rng(0)
    works = [(fit, fit("serial"), 40), (subsamples, subsamples("serial"), N_SUBSAMPLES - 4)]
    n_during = 0
    for number in range(N_RUNS):
        work, serial, most = works[number % 2]
        client.wait_for_workers(2, timeout=60)
        executor = Killing(client, int(rng.integers(1, most)), rng.uniform(0, 0.02))
        assert work(executor) == serial
        n_during += executor.dead
        if executor.killer.is_alive():
            executor.killer.join()
    assert n_during >= AT_LEAST
