"""One method that is good everywhere? All methods in all worlds, and the regret of the default.

The regret of a method in a world is the best method's area under the averaged ROC curve less its
own. `--split design` runs the worlds on which the default was tuned, the default `report` others.
"""

import argparse
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from _script import RESULTS, run, save

from mrflearn.dependence import KNN, Auto, Gaussian, MixedKSG, PlugIn
from mrflearn.dependence.disagreement import disagreement
from mrflearn.estimators import GSMN, GSMPLE, IAMB, JOSE, GLasso, MixedPairwise, Skeptic
from mrflearn.experiments.design import Case, Method, penalties, thresholds
from mrflearn.experiments.runner import load_results
from mrflearn.experiments.suite import SPLITS, suite
from mrflearn.experiments.summary import standings
from mrflearn.table import as_table

DEFAULT = "GS-MPLE, auto"
PAIRS = "GS-MPLE, auto, pairs"


@dataclass(frozen=True)
class Altered(Auto):
    """The default dependence with some of what it learns from its table replaced."""

    changes: tuple[tuple[str, float], ...] = ()

    def bind(self, table, max_memory=None):
        """Return the default dependence of a table, altered."""
        dependence = super().bind(table, max_memory)
        for name, value in self.changes:
            alter(dependence, name, value)
        return dependence


def alter(dependence, name, value):
    """Replace a part of the default dependence, and of its counts for the discrete columns."""
    neighbours = hasattr(dependence, "ends")
    if name == "correlations":
        dependence._cmi_many = dependence.parametric.estimates
    elif name == "ridge":
        dependence.parametric.gaussian.ridge = value
    elif name in ("variance", "misfit"):
        dependence.learned = dependence.learned._replace(**{name: value})
    elif name == "sizes":
        differences, errors, sizes = dependence._probe()
        dependence.learned = disagreement(differences, errors, value * sizes)
    elif name == "all differences" and neighbours:
        dependence.learned = disagreement(*dependence._probe(upwards=False))
    elif name in ("discrete", "ends", "tied") and neighbours:
        getattr(dependence, name)[:] = value
        dependence.learned = disagreement(*dependence._probe())
    if getattr(dependence, "counting", None):
        alter(dependence.counting, name, value)


ABLATIONS = {
    "correlations alone": (("correlations", True),),
    "no probes: neighbours or counts alone": (("variance", 1e6),),
    "no ridge on conditions": (("ridge", 0.0),),
    "strength misjudged by no share": (("sizes", 0.0),),
    "strength as correlations see it": (("misfit", 0.0),),
    "neighbours not centred": (("ends", 0.0),),
    "ties without errors of their own": (("tied", False),),
    "learning from all differences": (("all differences", True),),
    "labels by neighbours too": (("discrete", False),),
}


def sweep(n_samples, n_variables):
    """Lambdas for GS-MPLE: down to where noise comes in, which is nearer 0 with more rows.

    All the way with up to ten variables; half as many with more than 12, and not below 0 where that
    would take hours.
    """
    if n_variables <= 10:
        return thresholds(2.0)
    deep = n_variables <= 20 if n_samples <= 100 else n_variables <= 12 and n_samples <= 1000
    floor = -(n_samples**-0.5) if deep else 0.0
    n_lams = 121 if n_variables <= 12 else 61
    return tuple(lam for lam in thresholds(2.0, n_lams) if lam >= floor)


def searches(frame, lams):
    """Return the searches with the default dependence."""
    halves = tuple(lam / 2 for lam in lams)
    yield Method(DEFAULT, GSMPLE(), lams)
    for refine in ("regrow", "alternate", "swap", "pairs"):
        yield Method(f"GS-MPLE, auto, {refine}", GSMPLE(refine=refine), lams)
    yield Method("GSMN, auto", GSMN(), halves)
    yield Method("IAMB, auto, and", IAMB(rule="and"), halves)
    yield Method("IAMB, auto, or", IAMB(rule="or"), halves)


def ablations(frame, lams):
    """Return the default with some of it left out."""
    yield Method(DEFAULT, GSMPLE(), lams)
    for name, changes in ABLATIONS.items():
        yield Method(name, GSMPLE(dependence=Altered(changes=changes)), lams)


def rivals(frame, lams):
    """Return the default and the methods that suit a table, the slow ones if it is small."""
    table = as_table(frame)
    n_samples, discrete = len(frame), table.all_discrete
    few = n_samples <= 300
    small = few or (n_samples <= 1000 and table.n_variables <= 12)
    yield Method(DEFAULT, GSMPLE(), lams)
    if small or discrete:
        yield Method(PAIRS, GSMPLE(refine="pairs"), lams)
    found = {"copula": Gaussian(copula=True)}
    if few or (not discrete and (small or table.n_variables <= 10)):
        found["kNN"] = KNN(5)
    if discrete:
        found |= {"plug-in": PlugIn(), "plug-in df": PlugIn("df"), "plug-in BIC": PlugIn("bic")}
    if few and table.n_variables <= 12:
        found["mixed-KSG"] = MixedKSG(3)
    for name, dependence in found.items():
        yield Method(f"GS-MPLE, {name}", GSMPLE(dependence=dependence), lams)
    if small or table.n_variables <= 12:
        yield Method("MixedPairwise", MixedPairwise(), penalties(2.0, 1e-3, 30))
    if all(kind == "continuous" for kind in table.kinds):
        yield Method("GLASSO", GLasso(), (*penalties(1.0, 1e-3), 0.0))
        yield Method("SKEPTIC", Skeptic(), (*penalties(1.0, 1e-3), 0.0))
    if discrete and all(column.n_distinct <= 2 for column in table.columns):
        yield Method("JOSE", JOSE(), penalties(0.5, 1e-5))
        yield Method("GLASSO", GLasso(), penalties(1.0, 1e-3))


TABLES = {"rivals": rivals, "searches": searches, "ablations": ablations}
SIZES = {"rivals": (100, 300, 1000, 3000), "searches": (100, 300), "ablations": (100, 300)}


def cases(split, table, sizes):
    """Every world of a split at every size."""
    for name, world in suite(split).items():
        for n_samples in sizes:
            frame = world.sample(n_samples, random_state=0)
            lams = sweep(n_samples, world.n_variables)
            methods = tuple(TABLES[table](frame, lams))
            yield Case(f"{split}: {name}", world, n_samples, methods)


def options_of():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", choices=SPLITS, default="report")
    parser.add_argument("--table", choices=list(TABLES), default="rivals")
    parser.add_argument("--runs", type=int, default=50, help="tables for each case")
    parser.add_argument("--sizes", type=int, nargs="+", help="rows; default: those of the table")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    parser.add_argument("--figure-only", action="store_true", help="draw from what was run before")
    return parser.parse_args()


def regret(methods, name, rivals=None):
    """Return a method's regret and its paired bootstrap interval."""
    others = [methods[rival] for rival in rivals or methods]
    best = max(others, key=lambda standing: standing.area)
    low, high = np.quantile(best.resampled - methods[name].resampled, [0.025, 0.975])
    return best.area - methods[name].area, float(low), float(high)


def print_areas(found):
    """Print areas of all methods, and the regret of the default, with pairs and without."""
    names = list(dict.fromkeys(name for place in found.places.values() for name in place))
    ours = [name for name in (DEFAULT, PAIRS) if name in names]
    print("\n| world | N | " + " | ".join(names) + " | best | regret of "
          + " | regret of ".join(ours) + " |")  # fmt: skip
    print("|---" * (len(names) + 3 + len(ours)) + "|")
    for (world, n_samples), place in found.places.items():
        areas = [f"{place[name].area:.3f}" if name in place else "-" for name in names]
        best = max(place, key=lambda name: place[name].area)
        lost = [
            "{:.3f} [{:.3f}, {:.3f}]".format(*regret(place, name)) if name in place else "-"
            for name in ours
        ]
        print(f"| {world.split(': ')[1]} | {n_samples} | " + " | ".join(areas)
              + f" | {best} | " + " | ".join(lost) + " |")  # fmt: skip


def print_regrets(found):
    """Print mean and largest regret of each method over the places where it was tried."""
    sizes = sorted({n_samples for _, n_samples in found.places})
    names = list(dict.fromkeys(name for place in found.places.values() for name in place))
    print("\n| method | places | " + " | ".join(f"mean, N = {n}" for n in sizes)
          + " | mean | largest | where |")  # fmt: skip
    print("|---" * (len(sizes) + 5) + "|")
    for name in names:
        losses = {key: regret(place, name)[0] for key, place in found.places.items()
                  if name in place}  # fmt: skip
        means = []
        for n in sizes:
            own = [loss for (_, size), loss in losses.items() if size == n]
            means.append(f"{np.mean(own):.3f}" if own else "-")
        worst = max(losses, key=lambda key: losses[key])
        print(f"| {name} | {len(losses)} | " + " | ".join(means)
              + f" | {np.mean(list(losses.values())):.3f} | {losses[worst]:.3f}"
              f" | {worst[0].split(': ')[1]}, N = {worst[1]} |")  # fmt: skip


def print_cost_of_pairs(results):
    """Print how many times longer the search with pairs took, over all runs of a world."""
    seconds = results.drop_duplicates(["world", "n_samples", "run", "method"])
    times = seconds.pivot_table(
        index=["world", "n_samples"], columns="method", values="seconds", aggfunc="sum"
    )
    if PAIRS in times:
        ratios = (times[PAIRS] / times[DEFAULT]).dropna()
        print(f"\npairs took {ratios.min():.1f} to {ratios.max():.1f} times as long,"
              f" median {ratios.median():.1f}")  # fmt: skip


def print_ablations(found):
    """Print how much each change of the default costs, on average and where it costs most."""
    print("\n| what is left out | mean loss | largest loss | where | largest gain | where |")
    print("|---|---|---|---|---|---|")
    for name in ABLATIONS:
        losses = {key: place[DEFAULT].area - place[name].area
                  for key, place in found.places.items()}  # fmt: skip
        worst, best = max(losses, key=losses.get), min(losses, key=losses.get)
        print(f"| {name} | {np.mean(list(losses.values())):.3f}"
              f" | {losses[worst]:.3f} | {worst[0].split(': ')[1]}, N = {worst[1]}"
              f" | {-losses[best]:.3f} | {best[0].split(': ')[1]}, N = {best[1]} |")  # fmt: skip


def draw(found):
    """Draw the regret of a few methods in every world: a panel for each size.

    What is larger than `most` stands at the edge.
    """
    most = 0.3
    shown = {
        PAIRS: ("#0072B2", "o"),
        DEFAULT: ("#56B4E9", "o"),
        "GS-MPLE, copula": ("#E69F00", "s"),
        "GS-MPLE, kNN": ("#009E73", "^"),
        "GS-MPLE, plug-in df": ("#CC79A7", "D"),
        "MixedPairwise": ("#777777", "v"),
        "GLASSO": ("#D55E00", "x"),
    }
    sizes = sorted({n_samples for _, n_samples in found.places})
    worlds = list(dict.fromkeys(world for world, _ in found.places))
    figure, axes = plt.subplots(1, len(sizes), figsize=(7.4, 5.8), sharey=True, sharex=True)
    for ax, n_samples in zip(np.atleast_1d(axes), sizes, strict=True):
        ax.axvspan(0, 0.02, color="#0072B2", alpha=0.10, linewidth=0)
        for row, world in enumerate(worlds):
            place = found.places.get((world, n_samples), {})
            for name, (color, marker) in reversed(shown.items()):
                if name in place:
                    shown_at = min(regret(place, name)[0], most)
                    ax.plot(shown_at, row, marker, color=color, markersize=4.5,
                            markerfacecolor=color if name == PAIRS else "none",
                            markeredgewidth=0.9, clip_on=False)  # fmt: skip
        ax.set_title(f"N = {n_samples}", fontsize=8)
        ax.set_xlim(-0.005, most)
        ax.set_xticks([0, 0.1, 0.2, most], ["0", "0.1", "0.2", f"≥ {most}"])
        ax.grid(linewidth=0.4, color="#DDDDDD")
        ax.tick_params(labelsize=7, length=2)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("regret", fontsize=7.5)
    first = np.atleast_1d(axes)[0]
    labels = [world.split(": ")[1] for world in worlds]
    first.set_yticks(np.arange(len(worlds)), labels, fontsize=7)
    first.invert_yaxis()
    handles = [
        plt.Line2D([], [], linestyle="", marker=marker, color=color, markersize=4.5,
                   markerfacecolor=color if name == PAIRS else "none", label=name)
        for name, (color, marker) in shown.items()
    ]  # fmt: skip
    figure.legend(handles=handles, loc="lower center", ncols=3, fontsize=7.5, frameon=False,
                  bbox_to_anchor=(0.5, -0.07))  # fmt: skip
    figure.tight_layout(w_pad=0.8)
    return figure


def main():
    options = options_of()
    folder = RESULTS / f"accuracy-{options.split}-{options.table}"
    if options.figure_only:
        results = load_results(folder)
    else:
        sizes = options.sizes or SIZES[options.table]
        results = run(list(cases(options.split, options.table, sizes)), options, folder)
    found = standings(results)
    print(f"{found.n_runs} runs of each world and size, split {options.split!r}")
    if options.table == "ablations":
        print_ablations(found)
        return
    print_areas(found)
    print_regrets(found)
    print_cost_of_pairs(results)
    if options.split == "report" and options.table == "rivals":
        save(draw(found), "accuracy")


if __name__ == "__main__":
    main()
