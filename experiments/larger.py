"""Larger tables: what more rows bring, and what more columns cost."""

import matplotlib.pyplot as plt
import numpy as np
from _script import bars, results_of, save

from mrflearn.datasets import ContinuousHMM, ising_lattice, sparse_gaussian
from mrflearn.dependence import KNN, MixedKSG
from mrflearn.estimators import GSMPLE, IAMB, JOSE, GLasso
from mrflearn.experiments.design import Case, Method, penalties
from mrflearn.experiments.summary import standings
from mrflearn.plot import assign_looks

SIDES = {9: 3, 25: 5, 49: 7, 100: 10}
"""Lattices by their number of variables; the other worlds have about as many."""
ROWS = (100, 300, 1000, 3000, 10_000)
NAMES = ("GS-MPLE, direct kNN", "IAMB, direct kNN", "GS-MPLE, mixed-KSG", "parametric")
TITLES = {"gaussian": "Gaussian", "ising": "Ising lattice", "hmm": "HMM, continuous"}


def worlds(n_variables):
    """Return the three worlds at about one size, 1.5 edges for each variable of the Gaussian."""
    n_edges = 12 if n_variables == 9 else round(1.5 * n_variables)
    side = SIDES[n_variables]
    return {
        "gaussian": sparse_gaussian(n_variables, n_edges=n_edges, random_state=0),
        "ising": ising_lattice(side, side),
        "hmm": ContinuousHMM(n_steps=n_variables // 3),
    }


def lams(smallest):
    """Lambdas from no edge down to `smallest`; curves go on from there to (1, 1) in a line."""
    return (np.inf, *penalties(2.0, max(smallest, 0.01), 40), *((0.0,) if smallest == 0 else ()))


def methods(world, smallest, paper=True):
    """Return searches down to `smallest` on the scale of a sum of two, and the parametric rival."""
    single = tuple(lam / 2 for lam in lams(smallest))
    found = [
        Method(NAMES[0], GSMPLE(dependence=KNN(5)), lams(smallest)),
        Method(NAMES[1], IAMB(dependence=KNN(5)), single),
    ]
    if paper:
        found.append(Method(NAMES[2], GSMPLE(dependence=MixedKSG(3), scale=None), lams(smallest)))
    rival = JOSE() if world == "ising" else GLasso()
    return (*found, Method(NAMES[3], rival, penalties(1.0, 1e-3, 40)))


def more_rows():
    """Return cases of nine variables; graphs down to lambda 0 up to 1,000 rows, then to 0.02."""
    return [
        Case(f"{name}-9", world, n, methods(name, 0.0 if n <= 1000 else 0.02))
        for n in ROWS
        for name, world in worlds(9).items()
    ]


def more_columns():
    """1,000 rows, more and more variables; graphs down to lambda 0.1."""
    return [
        Case(f"{name}-{n}", world, 1000, methods(name, 0.1, paper=False))
        for n in list(SIDES)[1:]
        for name, world in worlds(n).items()
    ]


def best_f1(results):
    """Return the mean over runs of the best F1 in hindsight, by world, rows and method."""
    f1 = 2 * results["tp"] / (2 * results["tp"] + results["fp"] + results["fn"])
    keys = ["world", "n_samples", "method"]
    return f1.groupby([results[key] for key in [*keys, "run"]]).max().groupby(keys).mean()


def draw(found, f1):
    """Draw area, best F1 and seconds: against rows above, against columns below."""
    looks = assign_looks(NAMES)
    figure, axes = plt.subplots(3, 6, figsize=(7.2, 4.6), sharey="row")
    for column, world in enumerate(TITLES):
        by_rows = [(n, (f"{world}-9", n)) for n in ROWS]
        by_columns = [(n, (f"{world}-{n}", 1000)) for n in SIDES]
        for offset, points, label in [(0, by_rows, "rows"), (3, by_columns, "columns")]:
            for name in NAMES:
                known = [(x, key) for x, key in points if name in found.places[key]]
                if len(known) < 2:
                    continue
                standing = [found.places[key][name] for _, key in known]
                look = looks[name]
                style = {
                    "color": look.color, "linestyle": look.linestyle, "marker": look.marker,
                    "markersize": 3.5, "markerfacecolor": "white", "linewidth": 1.1,
                }  # fmt: skip
                x = [x for x, _ in known]
                areas = [one.interval for one in standing]
                at = offset + column
                values = [a.value for a in areas]
                axes[0, at].errorbar(
                    x, values, yerr=bars(areas), elinewidth=0.7, label=name, **style
                )
                axes[1, at].plot(x, [f1[(*key, name)] for _, key in known], **style)
                axes[2, at].plot(x, [one.seconds for one in standing], **style)
            for row in range(3):
                ax = axes[row, offset + column]
                ax.set_xscale("log")
                if row == 2:
                    ax.set_yscale("log")
                    ax.set_xlabel(label, fontsize=7.5)
                ax.set_xticks([x for x, _ in points])
                shown = [f"{x // 1000}k" if x >= 1000 else str(x) for x, _ in points]
                ax.set_xticklabels(shown if row == 2 else [], fontsize=6.5)
                ax.minorticks_off()
                ax.tick_params(labelsize=6.5, length=2)
                ax.grid(linewidth=0.4, color="#DDDDDD")
                ax.spines[["top", "right"]].set_visible(False)
            axes[0, offset + column].set_title(TITLES[world], fontsize=7.5)
    for ax, text in zip(axes[:, 0], ("area under ROC", "best F1", "seconds a path"), strict=True):
        ax.set_ylabel(text, fontsize=7.5)
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="lower center", ncols=4, fontsize=7,
        frameon=False, bbox_to_anchor=(0.5, -0.04), handlelength=2.8,
    )  # fmt: skip
    figure.text(0.29, 0.985, "9 columns, more rows", ha="center", fontsize=8)
    figure.text(0.77, 0.985, "1,000 rows, more columns", ha="center", fontsize=8)
    figure.tight_layout(w_pad=0.4, h_pad=0.6, rect=(0, 0, 1, 0.98))
    return figure


def show(found, f1):
    print("\n| world | D | N | method | area | best F1 | seconds |")
    print("|---|---|---|---|---|---|---|")
    for (world, n_samples), places in found.places.items():
        name, n_variables = world.rsplit("-", 1)
        for method, standing in places.items():
            print(
                f"| {name} | {n_variables} | {n_samples} | {method} | {standing.interval} | "
                f"{f1[world, n_samples, method]:.3f} | {standing.seconds:.1f} |"
            )


def main():
    results = results_of("larger", more_rows() + more_columns(), runs=10, summary=__doc__)
    found, f1 = standings(results), best_f1(results)
    show(found, f1)
    save(draw(found, f1), "larger")


if __name__ == "__main__":
    main()
