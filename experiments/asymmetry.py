"""When does a symmetric objective pay? One knob makes the two sides of an edge differ."""

from dataclasses import dataclass
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from _script import results_of, save

from mrflearn.datasets import ContinuousHMM, GaussianWorld, World
from mrflearn.dependence import KNN, MixedKSG, OracleGaussian
from mrflearn.estimators import GSMN, GSMPLE, IAMB
from mrflearn.experiments.design import Case, Method, thresholds
from mrflearn.experiments.paper import N_SAMPLES, K
from mrflearn.experiments.summary import LEVEL, N_RESAMPLES, Interval, standings
from mrflearn.plot import Look
from mrflearn.table import as_table

ESTIMATES = {"mixed-KSG": (MixedKSG(K), None), "direct kNN": (KNN(5), "standard")}
"""The paper's estimate on unscaled data, and the direct one on standardised data."""

DASHES, DOTS = (0, (4, 1.4)), (0, (1.2, 1.2))
LOOKS = {
    "GS-MPLE": Look("#0072B2", "-", "o"),
    "IAMB (and)": Look("#009E73", DASHES, "^"),
    "IAMB (or)": Look("#009E73", DOTS, "v"),
    "GSMN (and)": Look("#D55E00", DASHES, "s"),
    "GSMN (or)": Look("#D55E00", DOTS, "D"),
}
RIVALS = ("IAMB (and)", "IAMB (or)", "GSMN (and)", "GSMN (or)")
MEASURES = ("area under ROC", "best F1")
MANY = 5000
"""Rows from which the two sides are estimated where no closed form is known."""


# --- What is tried --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Knob:
    """One number of a world, the worlds it makes, the marker of their points, marks on an axis."""

    title: str
    label: str
    marker: str
    worlds: dict[float, World]
    ticks: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)

    def place(self, value):
        """Return what results call the world at a value."""
        return f"{self.title}, {self.label} {value:g}"


def star(n_leaves, n_variables=13):
    """Return a hub of variance 1, leaves that are the hub and as much noise, and pure noise."""
    precision = np.eye(n_variables)
    precision[0, 0] += n_leaves
    leaves = slice(1, n_leaves + 1)
    precision[0, leaves] = precision[leaves, 0] = -1.0
    return GaussianWorld(precision, name="star")


def linear_hmm(coefficient, n_steps=5, noise=0.7):
    """Return a chain of states of variance 1, each seen once, with noise."""
    precision = np.zeros((2 * n_steps, 2 * n_steps))
    states, seen = np.arange(n_steps), np.arange(n_steps, 2 * n_steps)
    innovation = 1 - coefficient**2
    precision[0, 0] = 1.0
    precision[states[1:], states[1:]] += 1 / innovation
    precision[states[:-1], states[:-1]] += coefficient**2 / innovation
    precision[states[1:], states[:-1]] = precision[states[:-1], states[1:]] = (
        -coefficient / innovation
    )
    precision[states, states] += noise**-2
    precision[seen, seen] = noise**-2
    precision[states, seen] = precision[seen, states] = -(noise**-2)
    return GaussianWorld(precision, name="linear-hmm")


def paper_hmm(coefficient, ratio=1.0):
    """Return world (d) of the paper, with states of variance 1 and, in the second chain, ratio²."""
    noise = np.sqrt(1 - coefficient**2)
    return ContinuousHMM(coefficients=(coefficient,) * 2, noise=(noise, ratio * noise))


COEFFICIENTS = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
KNOBS = (
    Knob("star", "leaves", "o", {float(m): star(m) for m in (2, 3, 4, 6, 8, 12)}, (2, 4, 8, 12)),
    Knob("linear HMM", "coefficient", "s", {a: linear_hmm(a) for a in COEFFICIENTS}),
    Knob("paper's HMM (d)", "coefficient", "^", {a: paper_hmm(a) for a in COEFFICIENTS}),
)
RATIOS = {ratio: paper_hmm(0.8, ratio) for ratio in (0.25, 0.5, 1.0, 2.0, 4.0)}
NOT_TRIED = Knob("paper's HMM (d)", "scale of s2 over s1", "", RATIOS)
"""A knob that hardly moves the two sides apart; its areas are in sensitivity.py."""


def cases():
    """Return one case for each value of each knob."""
    for knob in KNOBS:
        for value, world in knob.worlds.items():
            methods = tuple(m for name in ESTIMATES for m in methods_with(name))
            yield Case(knob.place(value), world, N_SAMPLES, methods)


def methods_with(name):
    """Yield the searches with one estimate: GS-MPLE, and the others with both rules."""
    dependence, scale = ESTIMATES[name]
    options = {"dependence": dependence, "scale": scale}
    yield Method(f"GS-MPLE; {name}", GSMPLE(**options), thresholds(2.0))
    for rule in ("and", "or"):
        for search in (IAMB, GSMN):
            label = f"{search.__name__} ({rule}); {name}"
            yield Method(label, search(**options, rule=rule), thresholds(1.0))


# --- What is found --------------------------------------------------------------------------------


@cache
def sides(world):
    """Return, for each edge, the smaller and the larger of its two conditional informations.

    I(i; j | N(i) without j) and the same from j's side, in nats: exact for a Gaussian, else
    estimated from many rows.
    """
    if isinstance(world, GaussianWorld):
        dependence = OracleGaussian(world.covariance)
    else:
        dependence = KNN(5).bind(as_table(world.sample(MANY, random_state=0)))
    both = []
    for i, j in np.argwhere(np.triu(world.adjacency)).tolist():
        near = [np.flatnonzero(world.adjacency[node]).tolist() for node in (i, j)]
        near[0].remove(j)
        near[1].remove(i)
        both.append(sorted([dependence.cmi(i, j, near[0]), dependence.cmi(j, i, near[1])]))
    return np.array(both)


def share(world):
    """Return the weaker side over the stronger, both averaged over edges: 1 where all are equal."""
    weaker, stronger = sides(world).mean(axis=0)
    return float(weaker / stronger)


@dataclass(frozen=True, eq=False)
class Score:
    """A measure of one method at one place, and its values in resamples of the runs."""

    value: float
    resampled: np.ndarray

    def __sub__(self, other):
        return Score(self.value - other.value, self.resampled - other.resampled)

    @property
    def interval(self):
        """The value with its interval."""
        tail = (1 - LEVEL) / 2
        return Interval(self.value, *np.quantile(self.resampled, [tail, 1 - tail]).tolist())


def scores(results):
    """Return areas and best F1 in hindsight by measure, place and method.

    The best F1 is that of the best lambda of each run, averaged over runs.
    """
    found = standings(results)
    areas = {
        (MEASURES[0], place, method): Score(standing.area, standing.resampled)
        for (place, _), methods in found.places.items()
        for method, standing in methods.items()
    }
    f1 = 2 * results["tp"] / (2 * results["tp"] + results["fp"] + results["fn"])
    best = results.assign(f1=f1).groupby(["world", "method", "run"])["f1"].max()
    n = found.n_runs
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES) / n
    return areas | {
        (MEASURES[1], place, method): Score(float(runs.mean()), drawn @ runs.to_numpy())
        for (place, method), runs in best.groupby(["world", "method"])
    }


def print_tables(found):
    """Print the two sides, the scores, and the leads of GS-MPLE, as Markdown."""
    print("\nThe two sides of an edge, in nats: means over edges\n")
    print_row(["world", "stronger side", "weaker side", "weaker / stronger"])
    print_row(["---"] * 4)
    for knob in (*KNOBS, NOT_TRIED):
        for value, world in knob.worlds.items():
            weaker, stronger = sides(world).mean(axis=0)
            cells = (f"{number:.3f}" for number in (stronger, weaker, share(world)))
            print_row([knob.place(value), *cells])
    for measure in MEASURES:
        for estimate in ESTIMATES:
            print(f"\n{measure}, {estimate}: GS-MPLE, and its lead over each rival\n")
            print_row(["world", "GS-MPLE", *(f"over {rival}" for rival in RIVALS)])
            print_row(["---"] * 6)
            for knob in KNOBS:
                for place in map(knob.place, knob.worlds):
                    own = found[measure, place, f"GS-MPLE; {estimate}"]
                    leads = [(own - found[measure, place, f"{rival}; {estimate}"]).interval
                             for rival in RIVALS]  # fmt: skip
                    signed = [f"{x.value:+.3f} [{x.low:+.3f}, {x.high:+.3f}]" for x in leads]
                    print_row([place, own.interval, *signed])


def print_row(cells):
    """Print a row of a Markdown table."""
    print("|", " | ".join(map(str, cells)), "|")


# --- Figures --------------------------------------------------------------------------------------


def draw_scores(found):
    """Draw a row of panels for each knob: the two sides, then areas and F1 with each estimate."""
    figure, axes = plt.subplots(3, 5, figsize=(7.2, 5.2))
    for row, knob in zip(axes, KNOBS, strict=True):
        at = np.array(list(knob.worlds))
        weaker, stronger = np.array([sides(world).mean(axis=0) for world in knob.worlds.values()]).T
        row[0].plot(at, stronger, color="black", marker="o", markersize=2.5, linewidth=1.1)
        row[0].plot(at, weaker, color="black", marker="o", markersize=2.5, linewidth=1.1,
                    linestyle=DASHES, markerfacecolor="white")  # fmt: skip
        row[0].set_ylim(bottom=0)
        row[0].set_ylabel(knob.title, fontsize=8.5)
        for ax in row:
            ax.set_xlabel(knob.label, fontsize=7.5, labelpad=2)
            ax.set_xticks(knob.ticks, [f"{tick:g}" for tick in knob.ticks])
        panels = [(measure, estimate) for measure in MEASURES for estimate in ESTIMATES]
        for ax, (measure, estimate) in zip(row[1:], panels, strict=True):
            for method, look in LOOKS.items():
                known = [found[measure, place, f"{method}; {estimate}"].interval
                         for place in map(knob.place, knob.worlds)]  # fmt: skip
                value, low, high = np.array([(one.value, one.low, one.high) for one in known]).T
                ax.fill_between(at, low, high, color=look.color, alpha=0.12, linewidth=0)
                ax.plot(at, value, color=look.color, linestyle=look.linestyle, linewidth=1.1,
                        marker=look.marker, markersize=2.8, markerfacecolor="white",
                        markeredgewidth=0.8)  # fmt: skip
            ax.set_ylim(top=1.01)
        for pair in (row[1:3], row[3:5]):
            low = min(ax.get_ylim()[0] for ax in pair)
            for ax in pair:
                ax.set_ylim(low, 1.01)
    heads = ["two sides (nats)", *(f"{measure},\n{estimate}" for measure, estimate in panels)]
    for ax, head in zip(axes[0], heads, strict=True):
        ax.set_title(head, fontsize=8)
    for ax in axes.flat:
        plain(ax)
    axes[0, 0].text(12, 0.33, "leaf's", fontsize=7, ha="right", va="top")
    axes[0, 0].text(12, 0.055, "hub's", fontsize=7, ha="right", va="bottom")
    figure.tight_layout(w_pad=0.5, h_pad=0.8, rect=(0, 0.035, 1, 1))
    lines = [line(look.color, look.linestyle, look.marker, name) for name, look in LOOKS.items()]
    sided = [line("black", "-", "o", "stronger side"), line("black", DASHES, "o", "weaker side")]
    sided[0].set_markerfacecolor("black")
    figure.legend(handles=[*lines, *sided], loc="lower center", ncols=7, fontsize=7, frameon=False,
                  handlelength=2.8, columnspacing=1.0)  # fmt: skip
    return figure


def draw_leads(found):
    """Draw the lead of GS-MPLE over IAMB against the share of the weaker side, for all knobs."""
    figure, axes = plt.subplots(1, 4, figsize=(7.2, 2.4), sharex=True)
    panels = [(measure, estimate) for measure in MEASURES for estimate in ESTIMATES]
    for ax, (measure, estimate) in zip(axes, panels, strict=True):
        for knob in KNOBS:
            at = [share(world) for world in knob.worlds.values()]
            for rival, color in (("IAMB (and)", "#0072B2"), ("IAMB (or)", "#D55E00")):
                aside = 0.012 if "or" in rival else 0.0  # so that both bars are seen
                for x, place in zip(at, map(knob.place, knob.worlds), strict=True):
                    own = found[measure, place, f"GS-MPLE; {estimate}"]
                    lead = (own - found[measure, place, f"{rival}; {estimate}"]).interval
                    spread = [[lead.value - lead.low], [lead.high - lead.value]]
                    ax.errorbar(x + aside, lead.value, yerr=spread, fmt=knob.marker, color=color,
                                markersize=3.5, elinewidth=0.8, markeredgewidth=0.8,
                                markerfacecolor="white" if "or" in rival else color)  # fmt: skip
        ax.axhline(0, color="black", linewidth=0.7)
        ax.set_title(f"{measure},\n{estimate}", fontsize=8)
        ax.set_xlabel("weaker side / stronger side", fontsize=7.5)
        plain(ax)
    axes[0].set_ylabel("lead of GS-MPLE", fontsize=7.5)
    figure.tight_layout(w_pad=0.5, rect=(0, 0.07, 1, 1))
    handles = [line("#0072B2", "none", "o", "over IAMB (and)"),
               line("#D55E00", "none", "o", "over IAMB (or)")]  # fmt: skip
    handles[0].set_markerfacecolor("#0072B2")
    handles += [line("#777777", "none", knob.marker, knob.title) for knob in KNOBS]
    figure.legend(handles=handles, loc="lower center", ncols=5, fontsize=7.5, frameon=False)
    return figure


def line(color, linestyle, marker, label):
    """Return an entry of a legend."""
    return plt.Line2D([], [], color=color, linestyle=linestyle, marker=marker, label=label,
                      markersize=3.5, linewidth=1.1, markerfacecolor="white")  # fmt: skip


def plain(ax):
    """Give a panel the looks of the others."""
    ax.grid(linewidth=0.4, color="#EEEEEE")
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=7, length=2)
    ax.spines[["top", "right"]].set_visible(False)


def main():
    """Run, print and draw."""
    found = scores(results_of("asymmetry", list(cases()), runs=30, summary=__doc__))
    print_tables(found)
    save(draw_scores(found), "asymmetry")
    save(draw_leads(found), "asymmetry-leads")


if __name__ == "__main__":
    main()
