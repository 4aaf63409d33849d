"""Many fits in one process leave nothing behind; `benchmarks/soak.py` runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "soak.py"

N_FITS = 60
"""After as many to warm up, three of each way. The script has 1,000 unless told otherwise, which
take minutes."""

MEGABYTES = 25
"""What may be held beyond the warm-up: 1,000 fits hold 16, most of it after the first hundreds."""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_many_fits_leave_no_memory_files_threads_or_processes_behind():
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "--fits", str(N_FITS), "--warm-up", str(N_FITS)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    last = json.loads(run.stdout.splitlines()[-1])
    assert last["n_refused"] == 0
    warm, *later = last["figures"]
    assert later
    assert max(now["memory"] for now in later) <= warm["memory"] + MEGABYTES
    assert {now["descriptors"] for now in later} == {warm["descriptors"]}
    assert max(now["threads"] for now in later) <= warm["threads"]
    assert {now["children"] for now in later} == {0}
