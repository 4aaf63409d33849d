"""Running an experiment: each run of a case goes to a file of its own, so that nothing is lost.

Interrupted and started again, the runs that are there are not repeated; the result is the same.
"""

from __future__ import annotations

import io
import platform
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mrflearn
from mrflearn._files import write_atomically
from mrflearn._progress import Count, unheard
from mrflearn.errors import InputError
from mrflearn.experiments.design import Case, check_runs, distinct
from mrflearn.metrics import confusions
from mrflearn.work import Executor, as_executor

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RESULTS", "load_results", "run_experiment"]

RESULTS = "results.parquet"


def run_experiment(
    cases: Sequence[Case],
    runs: int,
    folder: str | Path,
    n_jobs: int = 1,
    executor: Any = None,
) -> pd.DataFrame:
    """Run every case `runs` times and write the results to `folder`.

    Parameters
    ----------
    cases : sequence of Case
        Each of a world and a sample size of its own.
    runs : int
        Tables drawn for each case.
    folder : path
        Made if absent. `results.parquet` there holds the runs asked for; `runs/` holds each run as
        it was finished, and runs found there are not repeated.
    n_jobs : int
        Processes; -1 for all cores. The result does not depend on it.
    executor : str or dask.distributed.Client, optional
        Who works, as in `learn`.

    Returns
    -------
    pandas.DataFrame
        One row for each case, run, method and lambda: what `results.parquet` holds.
    """
    import pandas as pd

    check_runs(runs)
    distinct(cases)
    _need_parquet()
    store = Path(folder) / "runs"
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    wanted = [(case, run, store / _file_name(case, run)) for run in range(runs) for case in cases]
    missing = [(case, run, path) for case, run, path in wanted if not path.exists()]
    count = Count("Runs", len(wanted))
    count.advance(len(wanted) - len(missing))
    for path, rows in _finished(missing, as_executor(executor, n_jobs, "processes")):
        write_atomically(path, _as_parquet(rows))
        count.advance()
    of_case = {case: [(r, path) for c, r, path in wanted if c is case] for case in cases}
    results = pd.concat(
        [_checked(_read(path), case, run, path) for case in cases for run, path in of_case[case]],
        ignore_index=True,
    )
    write_atomically(Path(folder) / RESULTS, _as_parquet(results))
    return results


def load_results(folder: str | Path) -> pd.DataFrame:
    """Return the results of an experiment that was run before."""
    _need_parquet()
    path = Path(folder) / RESULTS
    if not path.exists():
        raise InputError(f"there is no {RESULTS} in {str(folder)!r}: run the experiment first")
    return _read(path)


def run_case(case: Case, run: int) -> pd.DataFrame:
    """Draw the table of one run and let every method have it.

    Returns
    -------
    pandas.DataFrame
        One row for each method and lambda: counts of pairs against the true graph, seconds that
        the whole path took, and whether the solver reached its tolerance all along it.
    """
    import pandas as pd

    seed = case.seed(run)
    frame = case.world.sample(case.n_samples, random_state=seed)
    parts = []
    for method in case.methods:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            begun = time.perf_counter()
            path = method.estimator.path(frame, method.lams)
            seconds = time.perf_counter() - begun
        counts = confusions(case.world.adjacency, path.adjacencies)
        fell_short = any(w.category.__name__ == "ConvergenceWarning" for w in caught)
        parts.append(
            pd.DataFrame(
                {
                    "world": case.world_name,
                    "n_samples": case.n_samples,
                    "n_variables": case.world.n_variables,
                    "run": run,
                    "seed": seed,
                    "method": method.name,
                    "lam": path.lams,
                    "tp": counts.tp,
                    "fp": counts.fp,
                    "fn": counts.fn,
                    "tn": counts.tn,
                    "converged": not fell_short,
                    "seconds": seconds,
                    **_versions(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _finished(
    missing: Sequence[tuple[Case, int, Path]], executor: Executor
) -> Iterator[tuple[Path, pd.DataFrame]]:
    """Yield results as they come, in any order."""
    tasks = [(case, run) for case, run, _ in missing]
    for number, rows in executor.answers(_run, executor.share(None), tasks):
        yield missing[number][2], rows


def _run(_: None, task: tuple[Case, int]) -> pd.DataFrame:
    with unheard():
        return run_case(*task)


def _file_name(case: Case, run: int) -> str:
    plain = "".join(c if c.isalnum() else "-" for c in case.world_name)
    return f"{plain}-{case.n_samples}-{case.fingerprint}-{run:05d}.parquet"


def _versions() -> dict[str, str]:
    """Return what the numbers were computed with."""
    import numba
    import numpy
    import scipy
    import sklearn

    return {
        "mrflearn": mrflearn.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "numba": numba.__version__,
    }


def _as_parquet(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False, engine="pyarrow", compression="zstd")
    return stream.getvalue()


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path, engine="pyarrow")
    except (OSError, ValueError) as error:  # a folder, or no Parquet
        reason = str(error).splitlines()[0][:120]
        raise InputError(
            f"{str(path)!r} cannot be read ({reason}): delete it, and its run is repeated"
        ) from None


def _checked(rows: pd.DataFrame, case: Case, run: int, path: Path) -> pd.DataFrame:
    """Return the rows of a run, or say that they are not those of its case."""
    lams = [lam for method in case.methods for lam in method.lams]
    names = [method.name for method in case.methods for _ in method.lams]
    if (
        not {"world", "run", "method", "lam", "tp", "fp", "fn", "tn", "seconds"} <= set(rows)
        or rows["method"].tolist() != names
        or rows["lam"].tolist() != lams
        or set(rows["run"]) != {run}
        or set(rows["world"]) != {case.world_name}
    ):
        raise InputError(
            f"{str(path)!r} does not hold the run it is named for: delete it, and it is repeated"
        )
    return rows


def _need_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise InputError(
            "experiments write Parquet files, which need pyarrow: pip install 'mrflearn[arrow]'"
        ) from None


def n_unconverged(results: Any) -> int:
    """Return how many paths have a lambda at which the solver fell short of its tolerance."""
    keys = ["world", "n_samples", "run", "method"]
    return int((~results.drop_duplicates(keys)["converged"]).sum())
