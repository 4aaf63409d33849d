"""What the benchmarks share: one core, times taken in turn, fresh processes, tables and files."""

from __future__ import annotations

import csv
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Answer = TypeVar("Answer")
Task = Callable[[], Any]

RESULTS = Path(__file__).parent / "results"
IMAGES = Path(__file__).parent.parent / "docs" / "images"
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def use_one_core() -> None:
    """Keep every library to one thread; threads that we start ourselves are not affected.

    Libraries read the variables when they are first imported, so the script starts anew unless
    they are set.
    """
    if any(os.environ.get(name) != "1" for name in THREADS):
        sys.stdout.flush()
        environment = os.environ | dict.fromkeys(THREADS, "1")
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe_machine() -> str:
    """Return processor, cores, memory and the versions that matter, in one line."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line for line in information.read_text().splitlines() if "model name" in line]
        processor = names[0].split(":")[1].strip() if names else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{n} {version(n)}" for n in ("numpy", "scipy", "scikit-learn", "numba"))
    return (
        f"{count_cores()} cores of {processor}, {memory:.0f} GiB; "
        f"Python {platform.python_version()}, {versions}"
    )


def time_in_turn(
    tasks: Mapping[str, Task],
    rounds: int,
    budget: float = np.inf,
    failures: dict[str, str] | None = None,
) -> dict[str, list[float]]:
    """Return the seconds of each task, run in turn, round after round.

    What disturbs the machine for a while then disturbs all of them. A task runs at least once, and
    sits out when another run would take it past its budget. One that raises an exception ends
    everything, or with `failures` given leaves its reason there and no times.
    """
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            taken = times.get(name)
            if taken is None or (taken and sum(taken) + min(taken) > budget):
                continue
            start = time.perf_counter()
            try:
                task()
            except Exception as error:
                if failures is None:
                    raise
                failures[name] = f"{type(error).__name__}: {error}"
                del times[name]
            else:
                taken.append(time.perf_counter() - start)
    return times


def take_medians(times: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: statistics.median(taken) for name, taken in times.items()}


def run_in_fresh_process(function: Callable[..., Answer], *arguments: Any) -> Answer:
    """Call a function in a new interpreter, whose memory holds nothing of ours."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def run_with_limit(limit: float, function: Callable[..., Answer], *arguments: Any) -> Answer | None:
    """Call a function in a new interpreter; None if it takes more seconds than the limit.

    The clock starts when the interpreter has imported what the function needs.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_answer, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    try:
        ours.recv()
        return ours.recv() if ours.poll(limit) else None
    except EOFError:
        raise RuntimeError(f"{function.__name__} ended without an answer") from None
    finally:
        process.kill()
        process.join()


def _send_answer(connection: Connection, function: Callable[..., Any], arguments: Any) -> None:
    connection.send("started")
    connection.send(function(*arguments))


def read_memory(what: str = "VmHWM") -> float:
    """Return MiB of this process: `VmHWM`, the most it ever held, or `VmRSS`, what it holds now.

    Zero where there is no /proc. (`getrusage` would count what a parent held as well.)
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    lines = [line for line in status.read_text().splitlines() if line.startswith(what)]
    return int(lines[0].split()[1]) / 1024


def fit_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return b of seconds = a sizes^b, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def format_number(value: float) -> str:
    """Return three digits and no exponent."""
    if not np.isfinite(value):
        return "-"
    decimals = 2 - int(np.floor(np.log10(abs(value)))) if value else 0
    return f"{value:,.{max(0, min(decimals, 5))}f}"


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print aligned columns; numbers with three digits, None as a dash."""
    cells = [
        ["-" if v is None else format_number(v) if isinstance(v, float) else str(v) for v in row]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    print(f"\n{title}\n")
    for row in (headings, *cells):
        aligned = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(aligned).rstrip(), flush=True)


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of one shape as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        sys.exit(f"{path} is not there yet: measure first")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
