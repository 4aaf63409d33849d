"""The figure of fits.py: seconds of one fit against D and against N."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fits_depynd import DEPYND_LIMIT
from fits_tables import Row


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the seconds of `sizes` against D and against N."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter

    sizes = [row for row in rows if row["section"] == "sizes"]
    n_cores = max(int(row["cores"]) for row in sizes)
    lines = [
        ("mrflearn, one core", "black", "o", 3.0, "mrflearn", 1),
        (f"mrflearn, {n_cores} cores", "#0072B2", "s", 2.0, "mrflearn", n_cores),
        (f"depynd, one core, up to {DEPYND_LIMIT:.0f} s", "#D55E00", "^", 2.5, "depynd", 1),
    ]
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    for panel, free, fixed, value in (
        (panels[0], "n_variables", "n_samples", 1000),
        (panels[1], "n_samples", "n_variables", 20),
    ):
        for label, colour, marker, width, what, cores in lines:
            points = sorted(
                (int(row[free]), float(row["seconds"]))
                for row in sizes
                if row["what"] == what and int(row["cores"]) == cores and int(row[fixed]) == value
                if row["seconds"] != ""
            )
            if points:
                panel.plot(
                    *zip(*points, strict=True), color=colour, marker=marker, label=label,
                    linewidth=width, markersize=4 + width, zorder=width,
                )  # fmt: skip
        panel.set(xscale="log", yscale="log")
        ticks = sorted({int(row[free]) for row in sizes if int(row[fixed]) == value})
        panel.set_xticks(ticks)
        panel.minorticks_off()
        panel.grid(True, which="major", color="0.9", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,g}"))
    panels[0].set(xlabel="variables D", ylabel="seconds for one fit")
    panels[0].set_title("N = 1,000", loc="left", fontsize=11, fontweight="bold")
    panels[1].set_xlabel("samples N")
    panels[1].set_title("D = 20", loc="left", fontsize=11, fontweight="bold")
    panels[0].legend(frameon=False, fontsize=9)
    figure.suptitle("GS-MPLE fits of sparse Gaussian tables", x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"\n{path}")
