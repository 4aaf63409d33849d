"""Set-up for all tests.

Property tests draw the same examples every time, so that a failure is the fault of a change.
`HYPOTHESIS_PROFILE=explore make test` draws new ones.
"""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Helpers beside the tests of searches, dependences, files and reports can be imported by name.
FOLDERS = ("search", "dependence", "io", "report")
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in FOLDERS]


@pytest.fixture(scope="session")
def dask_client():
    """Two processes of Dask that listen on loopback alone."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
