"""Kill runs at random moments and resume them; print what each ends with.

    python killed_runs.py N [SEED]

A run is a process of its own, forked when all is imported and compiled, so that the moment falls
into the work. It prints the fingerprint of an uninterrupted run, then one line for each killed one:
its fingerprint after resuming, and how often it was killed.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mrflearn import checkpoint, learn

checkpoint.PERIOD = 0.01


def table():
    rng = np.random.default_rng(5)
    a = rng.normal(size=80)
    b = a + rng.normal(size=80)
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "c": b**2 + rng.normal(size=80),
            "d": np.where(b > 0, "x", "y"),
            "e": rng.normal(size=80),
        }
    )


def run(folder: Path) -> None:
    """Learn with a checkpoint, and save the result."""
    found = learn(
        table(), n_subsamples=2, n_jobs=1, quiet=True, checkpoint=folder / "run.checkpoint"
    )
    found.save(folder / "result.json")


def start(folder: Path) -> int:
    """Run in a process of its own."""
    process = os.fork()
    if process == 0:
        try:
            run(folder)
            os._exit(0)
        except BaseException as error:
            print(f"failed: {error!r}", file=sys.stderr, flush=True)
            os._exit(1)
    return process


def fingerprint(folder: Path) -> str:
    return hashlib.sha256((folder / "result.json").read_bytes()).hexdigest()


def main() -> None:
    n_runs, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    rng = np.random.default_rng(seed)
    learn(table(), n_subsamples=2, n_jobs=1, quiet=True)  # compiles
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        begun = time.monotonic()
        _, status = os.waitpid(start(folder), 0)
        seconds = time.monotonic() - begun
        if status:
            sys.exit("the uninterrupted run failed")
        print(fingerprint(folder), f"{seconds:.1f} s", flush=True)
    for _ in range(n_runs):
        with tempfile.TemporaryDirectory() as place:
            folder, n_killed = Path(place), 0
            while True:
                process, begun = start(folder), time.monotonic()
                time.sleep(rng.uniform(0, seconds))
                ended, status = os.waitpid(process, os.WNOHANG)
                if ended and not n_killed:  # the first run was slow: kill earlier
                    seconds = min(seconds, time.monotonic() - begun)
                if not ended and n_killed < 3:
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)
                    n_killed += 1
                    continue
                if not ended:
                    _, status = os.waitpid(process, 0)
                if status:
                    sys.exit(f"a resumed run failed: {status}")
                break
            print(fingerprint(folder), n_killed, flush=True)


if __name__ == "__main__":
    main()
