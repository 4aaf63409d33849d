"""Which estimate of conditional mutual information? Each in the paper's worlds, in each search."""

import matplotlib.pyplot as plt
import numpy as np
from _script import bars, results_of, save

from mrflearn.dependence import KNN, FrenzelPompe, Gaussian, MixedKSG, PlugIn
from mrflearn.experiments.design import Case, Method
from mrflearn.experiments.paper import DISCRETE, N_SAMPLES, TITLES, paper_worlds, searches
from mrflearn.experiments.summary import standings

ESTIMATES = {
    "mixed-KSG, unscaled": (MixedKSG(3), None),
    "mixed-KSG": (MixedKSG(3), "standard"),
    "direct kNN": (KNN(5), "standard"),
    "Frenzel-Pompe": (FrenzelPompe(5), "standard"),
    "plug-in": (PlugIn(), None),
    "Gaussian copula": (Gaussian(copula=True), "standard"),
}
SEARCHES = {"GS-MPLE": "o", "GSMN": "s", "IAMB": "^"}
COLOURS = {"GS-MPLE": "#0072B2", "GSMN": "#D55E00", "IAMB": "#009E73"}


def cases():
    """Every estimate that suits a world, in every search."""
    for name, world in paper_worlds().items():
        methods = [
            Method(f"{search.name}, {label}", search.estimator, search.lams)
            for label, (estimate, scale) in ESTIMATES.items()
            if name in DISCRETE or not isinstance(estimate, PlugIn)
            for search in searches(estimate, scale)
            if search.name in SEARCHES
        ]
        yield Case(name, world, N_SAMPLES, tuple(methods))


def draw(found):
    """Draw areas with their intervals: a panel for each world, a row for each estimate."""
    figure, axes = plt.subplots(1, 4, figsize=(7.2, 2.6), sharey=True, sharex=True)
    for ax, ((world, _), methods), letter in zip(axes, found.places.items(), "abcd", strict=True):
        for row, label in enumerate(ESTIMATES):
            for shift, (search, marker) in zip((-0.2, 0, 0.2), SEARCHES.items(), strict=True):
                if f"{search}, {label}" not in methods:
                    continue
                area = methods[f"{search}, {label}"].interval
                ax.errorbar(
                    area.value, row + shift, xerr=bars([area]), fmt=marker, color=COLOURS[search],
                    markersize=3.5, elinewidth=0.9, label=search if row == 0 else None,
                )  # fmt: skip
        ax.set_title(
            f"({letter}) {TITLES[world].replace('Hidden Markov model', 'HMM')}", fontsize=8
        )
        ax.grid(axis="x", linewidth=0.4, color="#DDDDDD")
        ax.tick_params(labelsize=7, length=2)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("area under ROC", fontsize=7.5)
    axes[0].set_yticks(np.arange(len(ESTIMATES)), list(ESTIMATES), fontsize=7.5)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=3, fontsize=7.5,
                  frameon=False, bbox_to_anchor=(0.5, -0.07))  # fmt: skip
    figure.tight_layout(w_pad=0.6)
    return figure


def main():
    results = results_of("estimators", list(cases()), runs=50, summary=__doc__)
    found = standings(results)
    for (world, _), methods in found.places.items():
        print(f"\n{world}")
        for label in ESTIMATES:
            known = [f"{s} {methods[f'{s}, {label}'].interval}" for s in SEARCHES
                     if f"{s}, {label}" in methods]  # fmt: skip
            if known:
                print(f"  {label:<22}{'   '.join(known)}")
    save(draw(found), "estimators")


if __name__ == "__main__":
    main()
