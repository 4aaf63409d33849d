"""Set-up for all tests.

Property tests draw the same examples every time, so that a failure is the fault of a change.
`HYPOTHESIS_PROFILE=explore make test` draws new ones. None of them is timed: a loaded machine is no
fault of ours.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def _has_driver():
    """Whether there is a driver of a CUDA card, which need not have one."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


HAS_DRIVER = _has_driver()
if not HAS_DRIVER:  # before Numba is imported
    os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")


def pytest_terminal_summary(terminalreporter):
    """Say where the kernels for cards were run."""
    if HAS_DRIVER:
        terminalreporter.write_line("CUDA: kernels were run on the card of this machine.")
    else:
        terminalreporter.write_line(
            "CUDA: no card here; every kernel's source was run in Numba's simulator."
        )


# Helpers beside the tests of these rooms can be imported by name.
FOLDERS = ("search", "dependence", "io", "report", "work")
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in FOLDERS]

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
if not IS_COMPILED:
    from plain_lanes import use_instead

    use_instead()


def pytest_collection_modifyitems(items):
    """Draw few examples where kernels are not compiled, which takes a thousand times longer."""
    for item in items:
        if not IS_COMPILED and getattr(item.obj, "is_hypothesis_test", False):
            asked = item.obj._hypothesis_internal_use_settings
            few = max(8, asked.max_examples // 20)
            item.obj._hypothesis_internal_use_settings = settings(asked, max_examples=few)


@pytest.fixture(scope="session")
def dask_client():
    """Two processes of Dask that listen on loopback alone.

    They are there until the tests end: watching themselves every few milliseconds, they would take
    time from all others.
    """
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    idle = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
    with (
        dask.config.set(idle),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


class Disk:
    """A file system of its own, of a size that may change."""

    def __init__(self, place):
        self.place = place

    def resize(self, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.place)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 kB; where none can be mounted, the test is skipped."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small file system is not permitted here")
    yield Disk(place)
    subprocess.run(["umount", str(place)], check=True)
