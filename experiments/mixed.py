"""Mixed data, the paper's first open question: continuous, nominal and count columns together."""

import matplotlib.pyplot as plt
from _script import bars, results_of, save

from mrflearn.datasets import (
    collider_world,
    continuous_child_world,
    count_world,
    discrete_child_world,
    interaction_world,
    mixed_random,
    mixed_world,
    zero_inflated_world,
)
from mrflearn.dependence import KNN, MixedKSG
from mrflearn.estimators import GSMN, GSMPLE, IAMB, MixedPairwise
from mrflearn.experiments.design import Case, Method, penalties, thresholds
from mrflearn.experiments.summary import standings
from mrflearn.plot import assign_looks

WORLDS = {
    "mixed": mixed_world(),
    "random": mixed_random(12, random_state=0),
    "discrete child": discrete_child_world(),
    "continuous child": continuous_child_world(),
    "counts": count_world(),
    "zero-inflated": zero_inflated_world(),
    "collider": collider_world(),
    "interaction": interaction_world(),
}
SIZES = (100, 300, 1000)
SINGLE, DOUBLE = thresholds(1.0, 81), thresholds(2.0, 81)
METHODS = (
    Method("GS-MPLE, direct kNN", GSMPLE(dependence=KNN(5)), DOUBLE),
    Method("GS-MPLE, mixed-KSG", GSMPLE(dependence=MixedKSG(3)), DOUBLE),
    Method("GSMN, mixed-KSG", GSMN(dependence=MixedKSG(3)), SINGLE),
    Method("IAMB, mixed-KSG", IAMB(dependence=MixedKSG(3)), SINGLE),
    Method("MixedPairwise", MixedPairwise(), penalties(2.0, 1e-3, 50)),
)


def cases():
    """Every world at every size."""
    return [
        Case(name, world, n_samples, METHODS)
        for name, world in WORLDS.items()
        for n_samples in SIZES
    ]


def draw(found):
    """Draw areas against the number of rows: a panel for each world."""
    looks = assign_looks([method.name for method in METHODS])
    figure, axes = plt.subplots(2, 4, figsize=(7.2, 3.9), sharex=True, sharey=True)
    for ax, (name, world) in zip(axes.flat, WORLDS.items(), strict=True):
        for shift, method in zip((0.92, 0.96, 1.0, 1.04, 1.08), METHODS, strict=True):
            look = looks[method.name]
            areas = [found.places[name, n][method.name].interval for n in SIZES]
            values = [area.value for area in areas]
            ax.errorbar(
                [shift * n for n in SIZES], values, yerr=bars(areas), color=look.color,
                linestyle=look.linestyle, marker=look.marker, markersize=4, markerfacecolor="white",
                linewidth=1.2, elinewidth=0.8, label=method.name,
            )  # fmt: skip
        n_edges = int(world.adjacency.sum()) // 2
        ax.set_title(f"{name}\n{world.n_variables} variables, {n_edges} edges", fontsize=7)
        ax.set_xscale("log")
        ax.set_xticks(SIZES, [str(n) for n in SIZES], fontsize=7)
        ax.minorticks_off()
        ax.tick_params(labelsize=7, length=2)
        ax.grid(linewidth=0.4, color="#DDDDDD")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[1]:
        ax.set_xlabel("rows", fontsize=7.5)
    for ax in axes[:, 0]:
        ax.set_ylabel("area under ROC", fontsize=7.5)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", ncols=5, fontsize=7, frameon=False,
        bbox_to_anchor=(0.5, -0.05), columnspacing=1.2, handlelength=2.8,
    )  # fmt: skip
    figure.tight_layout(w_pad=0.5, h_pad=0.8)
    return figure


def main():
    results = results_of("mixed", cases(), runs=30, summary=__doc__)
    found = standings(results)
    names = [method.name for method in METHODS]
    print("\n| world | N | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for (world, n_samples), methods in found.places.items():
        cells = " | ".join(str(methods[name].interval) for name in names)
        print(f"| {world} | {n_samples} | {cells} |")
    print("\nmedian seconds of a path")
    for (world, n_samples), methods in found.places.items():
        if world in ("mixed", "random"):
            cells = ", ".join(f"{name} {methods[name].seconds:.2f}" for name in names)
            print(f"{world}, N = {n_samples}: {cells}")
    save(draw(found), "mixed")


if __name__ == "__main__":
    main()
