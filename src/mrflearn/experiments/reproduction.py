"""The paper's figure, its table and its claims, from the results of the paper's experiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mrflearn._files import write_atomically
from mrflearn.experiments.claims import Claim, paper_claims
from mrflearn.experiments.paper import TITLES, K, paper_cases
from mrflearn.experiments.runner import n_unconverged, run_experiment
from mrflearn.experiments.summary import Interval, Standings, standings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["draw_roc", "reproduce", "write_reproduction"]

IN_FIGURE = ("GS-MPLE", "GSMN", "IAMB", "JOSE", "GLASSO", "SKEPTIC")
"""Methods of the paper's figure; the table has variants beside them."""

NOT_IN_PANEL = {"ising": ("GLASSO",), "hmm-discrete": ("GLASSO",)}
"""Methods that the paper does not show in a world."""


def reproduce(
    folder: str | Path,
    runs: int = 100,
    n_jobs: int = -1,
    executor: Any = None,
) -> tuple[str, list[Path]]:
    """Run the paper's experiment and write results, figure, tables and text to `folder`.

    Parameters
    ----------
    folder : path
        Made if absent; runs found there are not repeated.
    runs : int
        Tables drawn from each world.
    n_jobs : int
        Processes; -1 for all cores. The result does not depend on it.
    executor : str or dask.distributed.Client, optional
        Who works, as in `learn`.

    Returns
    -------
    text : str
        The report: the paper's claims, each with its evidence, and areas under the curves.
    files : list of Path
        What was written.
    """
    results = run_experiment(paper_cases(), runs, folder, n_jobs, executor)
    found = standings(results)
    text = report(found, n_unconverged(results))
    return text, write_reproduction(found, text, folder)


def write_reproduction(found: Standings, text: str, folder: str | Path) -> list[Path]:
    """Write the figure (PNG and PDF), the tables (CSV) and the text of a reproduction."""
    from mrflearn.plot import save_figure

    target = Path(folder)
    figure = draw_roc(found)
    return [
        save_figure(figure, target / "roc.png"),
        save_figure(figure, target / "roc.pdf"),
        write_atomically(target / "areas.csv", _plain(found.areas(), "seconds")),
        write_atomically(target / "differences.csv", _plain(found.differences("GS-MPLE"))),
        write_atomically(target / "report.md", text),
    ]


def draw_roc(found: Standings) -> Figure:
    """Draw the paper's figure: mean TPR against mean FPR, a panel for each world."""
    from mrflearn.plot import assign_looks, plot_roc_panels

    panels: dict[str, Any] = {
        TITLES[world]: {
            method: standing.curve
            for method, standing in methods.items()
            if method in IN_FIGURE and method not in NOT_IN_PANEL.get(world, ())
        }
        for (world, _), methods in found.places.items()
    }
    return plot_roc_panels(panels, styles=assign_looks(IN_FIGURE))


def report(found: Standings, unconverged: int) -> str:
    """Return the results in words and tables, as Markdown."""
    claims = paper_claims(found)
    (n_samples,) = {n_samples for _, n_samples in found.places}
    tables = "table" if found.n_runs == 1 else "tables"
    solvers = (
        f"\nIn {unconverged} paths a solver fell short of its tolerance at some lambda.\n"
        if unconverged
        else ""
    )
    return "\n".join(
        [
            "# The paper's experiment, repeated",
            "",
            f"{found.n_runs} {tables} of N = {n_samples} rows and D = 9 variables from each world. "
            f"Mutual information: mixed-KSG with k = {K}, conditional by the paper's "
            "decomposition, on unscaled data. Intervals hold 95 % of bootstrap resamples of the "
            "runs, the same runs for all methods of a world.",
            solvers,
            "## Claims",
            "",
            *claim_lines(claims),
            "",
            "## Areas under the ROC curves",
            "",
            "Area of the averaged curve (mean TPR against mean FPR, as in the paper), and mean of "
            "the areas of the runs: they differ.",
            "",
            *_area_lines(found),
            "",
            "## Lead of GS-MPLE, on the same tables",
            "",
            *_difference_lines(found),
            "",
        ]
    )


def claim_lines(claims: tuple[Claim, ...]) -> Iterator[str]:
    """Yield the claims with their verdicts, and the evidence for each."""
    for number, claim in enumerate(claims, start=1):
        yield f"{number}. **{claim.verdict}**: {claim.text}."
        for part in claim.evidence:
            yield f"   - {part}"


def _area_lines(found: Standings) -> Iterator[str]:
    yield "| world | method | averaged curve | mean of runs |"
    yield "|---|---|---|---|"
    for (world, _), methods in found.places.items():
        for method, standing in methods.items():
            yield f"| {world} | {method} | {standing.interval} | {standing.mean_interval} |"


def _difference_lines(found: Standings) -> Iterator[str]:
    yield "| world | rival | averaged curve | mean of runs |"
    yield "|---|---|---|---|"
    for row in found.differences("GS-MPLE").to_dict("records"):
        lead, mean = (
            Interval(row[name], row[f"{name}_low"], row[f"{name}_high"])
            for name in ("lead", "mean_lead")
        )
        yield f"| {row['world']} | {row['rival']} | {_signed(lead)} | {_signed(mean)} |"


def _signed(interval: Interval) -> str:
    return f"{interval.value:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def _plain(table: pd.DataFrame, *unrepeatable: str) -> str:
    """Return a table as CSV, without columns that differ from one run of the command to another."""
    kept = table.drop(columns=list(unrepeatable))
    numbers = kept.select_dtypes(np.floating).columns
    return kept.assign(**{name: kept[name].round(6) for name in numbers}).to_csv(index=False)
