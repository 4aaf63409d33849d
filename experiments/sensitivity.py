"""How much do the numbers matter that the paper does not give? Its claims, one knob at a time."""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from _script import results_of, save

from mrflearn.datasets import ContinuousHMM, DiscreteHMM, World, ising_lattice, sparse_gaussian
from mrflearn.dependence import MixedKSG
from mrflearn.experiments.claims import Claim, paper_claims
from mrflearn.experiments.design import Case, Method
from mrflearn.experiments.paper import N_SAMPLES, TITLES, K, paper_worlds, parametric, searches
from mrflearn.experiments.reproduction import IN_FIGURE
from mrflearn.experiments.summary import Standings, standings
from mrflearn.plot import Look, assign_looks

RIVALS = {
    "ising": ("JOSE",),
    "hmm-discrete": ("JOSE",),
    "gaussian": ("GLASSO", "SKEPTIC"),
    "hmm-continuous": ("GLASSO", "SKEPTIC"),
}
SEARCHES = ("GS-MPLE", "GSMN", "IAMB", "IAMB (and)")
SHORT = dict(zip(TITLES, ("Ising", "HMM, discrete", "Gaussian", "HMM, continuous"), strict=True))
LETTERS = dict(zip(TITLES, "abcd", strict=True))
SCALES = {"unscaled": None, "standardised": "standard", "ranks": "rank"}
USUAL = f"k = {K}"
ESTIMATES = {f"k = {k}": MixedKSG(k) for k in (1, 3, 5, 10)} | {
    "reference": MixedKSG(K, variant="reference"),
    "depynd": MixedKSG(K, variant="depynd"),
}
LOOKS = assign_looks(IN_FIGURE) | {"IAMB (and)": Look("#666666", (0, (8, 1.5)), "X")}
VERDICTS = {"holds": ("o", "black"), "undecided": ("o", "white"), "does not hold": ("x", "black")}


# --- What is tried --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Knob:
    """One number, or choice, of a world, and the worlds it makes; one value is the default's."""

    world: str
    label: str
    default: float | str
    worlds: dict[float | str, World]

    def place(self, value):
        """Return what results call the world at a value; the default is the same for all knobs."""
        return self.world if value == self.default else f"{self.world}, {self.label}: {value}"

    @property
    def is_number(self):
        """Whether the values are numbers, so that a line may join them."""
        return isinstance(self.default, float)


def sticky(stay):
    """Return the transitions of both chains, which keep their states with this probability."""
    return (((stay, 1 - stay), (1 - stay, stay)),) * 2


def nearly_xor(error, other=None):
    """Return the chance of o = 1: that the states differ, with an error for s1 = 0 and s1 = 1."""
    other = error if other is None else other
    return (error, 1 - error), (1 - other, other)


def steady(coefficient, ratio=1.0):
    """Return world (d) with states of variance 1 in the first chain, ratio² in the second."""
    noise = np.sqrt(1 - coefficient**2)
    return ContinuousHMM(coefficients=(coefficient,) * 2, noise=(noise, ratio * noise))


KNOBS = (
    Knob("ising", "coupling J", 0.4,
         {j: ising_lattice(coupling=j) for j in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)}),
    Knob("hmm-discrete", "probability to stay", 0.8,
         {p: DiscreteHMM(transitions=sticky(p)) for p in (0.6, 0.7, 0.8, 0.9, 0.95)}),
    Knob("hmm-discrete", "error of the XOR", 0.1,
         {e: DiscreteHMM(emission=nearly_xor(e)) for e in (0.02, 0.05, 0.1, 0.2, 0.3)}),
    Knob("hmm-discrete", "emission table", "XOR", {
        "XOR": DiscreteHMM(),
        "uneven": DiscreteHMM(emission=nearly_xor(0.1, 0.3)),
        "OR": DiscreteHMM(emission=((0.1, 0.9), (0.9, 0.9))),
        "additive": DiscreteHMM(emission=((0.1, 0.5), (0.5, 0.9))),
    }),
    Knob("gaussian", "partial correlation", 0.3,
         {r: sparse_gaussian(strength=(r - 0.05, r + 0.05)) for r in (0.15, 0.2, 0.25, 0.3, 0.35)}),
    Knob("gaussian", "random graph (seed)", "0",
         {str(seed): sparse_gaussian(random_state=seed) for seed in range(6)}),
    Knob("hmm-continuous", "coefficient of the chains", 0.8,
         {a: steady(a) for a in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)}),
    Knob("hmm-continuous", "scale of s2 over s1", 1.0,
         {ratio: steady(0.8, ratio) for ratio in (0.25, 0.5, 1.0, 2.0, 4.0)}),
)  # fmt: skip


def estimates_at(place):
    """Return the estimates tried at a place: all in the default worlds, elsewhere the usual one."""
    if place not in TITLES:
        return [(USUAL, scale) for scale in ("unscaled", "standardised")]
    both = [(estimate, scale) for scale in ("unscaled", "standardised") for estimate in ESTIMATES]
    return [*both, (USUAL, "ranks")]


def cases():
    """Return the default worlds, and one case for each value of each knob."""
    worlds = paper_worlds()
    for knob in KNOBS:
        for value, world in knob.worlds.items():
            worlds.setdefault(knob.place(value), world)
    for place, world in worlds.items():
        tried = [
            Method(f"{search.name}; {estimate}; {scale}", search.estimator, search.lams)
            for estimate, scale in estimates_at(place)
            for search in searches(ESTIMATES[estimate], SCALES[scale])
        ]
        name = place.split(",")[0]
        rivals = [method for method in parametric(name) if method.name in RIVALS[name]]
        yield Case(place, world, N_SAMPLES, (*tried, *rivals))


# --- What is found --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Finding:
    """One setting: a world, an estimate and a scaling, with all methods under their plain names."""

    setting: str
    scale: str
    standing: Standings
    world: str
    verdicts: dict[int, str]

    def area(self, method):
        """Return the area of a method, with its interval."""
        return self.standing.of(self.world, method).interval

    def lead(self, rival):
        """Return the paired lead of GS-MPLE over a rival."""
        return self.standing.lead(self.world, "GS-MPLE", rival)


def view(found, place, estimate, scale):
    """Return the methods at one place with one estimate, under their plain names."""
    (methods,) = (methods for (name, _), methods in found.places.items() if name == place)
    ending = f"; {estimate}; {scale}"
    named = {name: methods[name + ending] for name in SEARCHES}
    return named | {rival: methods[rival] for rival in RIVALS[place.split(",")[0]]}


def finding(found, place, setting, estimate=USUAL, scale="unscaled"):
    """Hold the paper's claims about a world against one setting of it."""
    world = place.split(",")[0]
    defaults = {(name, N_SAMPLES): view(found, name, USUAL, scale) for name in TITLES}
    own = {(world, N_SAMPLES): view(found, place, estimate, scale)}
    here = Standings(defaults | own, found.n_runs)
    verdicts = {}
    for number, claim in enumerate(paper_claims(here), start=1):
        about = tuple(part for part in claim.evidence if part.text.startswith(f"{world}:"))
        if about:
            verdicts[number] = Claim(claim.text, about).verdict
    return Finding(setting, scale, here, world, verdicts)


def knob_findings(found, knob, scale):
    """Return what is found at each value of a knob."""
    return [
        finding(found, knob.place(value), f"{knob.label} = {value}", scale=scale)
        for value in knob.worlds
    ]


def estimate_findings(found, world):
    """Return what is found in a default world with each estimate."""
    return [
        finding(found, world, f"{name} (default)" if name == USUAL else name, name, scale)
        for name, scale in estimates_at(world)
    ]


def all_findings(found):
    """Return all settings by world, each once."""
    every = {world: [] for world in TITLES}
    for world, findings in every.items():
        findings += estimate_findings(found, world)
        for knob in KNOBS:
            if knob.world == world:
                for scale in ("unscaled", "standardised"):
                    new = zip(knob.worlds, knob_findings(found, knob, scale), strict=True)
                    findings += [one for value, one in new if value != knob.default]
    return every


# --- Tables ---------------------------------------------------------------------------------------


def print_tables(every):
    """Print how often each claim holds, all areas with the verdicts, and the leads of claim 3."""
    print()
    print_row(["claim", "world", "scaling", *VERDICTS])
    print_row(["---"] * 6)
    for number in (1, 2, 3, 4):
        for world, findings in every.items():
            for scale in SCALES:
                known = [one.verdicts[number] for one in findings
                         if one.scale == scale and number in one.verdicts]  # fmt: skip
                if known:
                    counts = " | ".join(str(known.count(verdict)) for verdict in VERDICTS)
                    print(f"| {number} | ({LETTERS[world]}) | {scale} | {counts} |")
    for world, findings in every.items():
        methods, claims = SEARCHES + RIVALS[world], list(findings[0].verdicts)
        heads = ["setting", "scaling", *methods, *(f"claim {number}" for number in claims)]
        print(f"\n({LETTERS[world]}) {TITLES[world]}\n")
        print_row(heads)
        print_row(["---"] * len(heads))
        for one in findings:
            areas = [one.area(method) for method in methods]
            print_row([one.setting, one.scale, *areas, *(one.verdicts[c] for c in claims)])
    print("\nClaim 3, lead of GS-MPLE in (d), on the same tables\n")
    print_row(["setting", "scaling", "over GSMN", "over IAMB (or)", "over IAMB (and)", "claim 3"])
    print_row(["---"] * 6)
    for one in every["hmm-continuous"]:
        leads = [one.lead(rival) for rival in SEARCHES[1:]]
        signed = [f"{lead.value:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}]" for lead in leads]
        print_row([one.setting, one.scale, *signed, one.verdicts[3]])


def print_row(cells):
    """Print a row of a Markdown table."""
    print("|", " | ".join(map(str, cells)), "|")


# --- Figures --------------------------------------------------------------------------------------


def draw_knobs(found):
    """Draw areas against the knobs: two rows of panels for four of them, one for each scaling."""
    figure = plt.figure(figsize=(7.2, 7.9))
    halves = figure.add_gridspec(2, 1, hspace=0.33, left=0.07, right=0.99, top=0.94, bottom=0.1)
    for half, knobs in zip(halves, (KNOBS[:4], KNOBS[4:]), strict=True):
        panels = half.subgridspec(2, 4, hspace=0.24, wspace=0.26).subplots(sharex="col")
        for column, knob in zip(panels.T, knobs, strict=True):
            for ax, scale in zip(column, ("unscaled", "standardised"), strict=True):
                findings = knob_findings(found, knob, scale)
                draw_areas(ax, knob, findings)
                draw_verdicts(ax, findings)
                ax.sharey(column[0])
                if knob is knobs[0]:
                    ax.set_ylabel(f"area under ROC, {scale}", fontsize=7.5)
            column[0].set_title(
                f"({LETTERS[knob.world]}) {SHORT[knob.world]}", fontsize=8.5, pad=20
            )
            column[1].set_xlabel(knob.label, fontsize=7.5)
    add_legend(figure)
    return figure


def draw_areas(ax, knob, findings):
    """Draw the area of each method at each value of a knob, its values at equal steps.

    Bands, or bars where no line may join the values, show the intervals.
    """
    at = np.arange(len(findings))
    methods = SEARCHES + RIVALS[knob.world]
    for shift, method in zip(np.linspace(-0.28, 0.28, len(methods)), methods, strict=True):
        look, areas = LOOKS[method], [one.area(method) for one in findings]
        value, low, high = np.array([(a.value, a.low, a.high) for a in areas]).T
        style = {"color": look.color, "marker": look.marker, "markersize": 3, "linewidth": 1.1,
                 "markerfacecolor": "white", "markeredgewidth": 0.8}  # fmt: skip
        if knob.is_number:
            ax.fill_between(at, low, high, color=look.color, alpha=0.12, linewidth=0)
            ax.plot(at, value, linestyle=look.linestyle, **style)
        else:
            spread = [value - low, high - value]
            ax.errorbar(at + shift, value, spread, linestyle="none", elinewidth=0.9, **style)
    default = list(knob.worlds).index(knob.default)
    ax.axvspan(default - 0.45, default + 0.45, color="#F0F0F0", linewidth=0, zorder=0)
    ax.set_xticks(at, [f"{v:g}" if knob.is_number else v for v in knob.worlds])
    ax.set_xlim(-0.5, len(at) - 0.5)
    plain(ax)


def draw_verdicts(ax, findings):
    """Mark above a panel, for each claim about its world, whether it holds at each value."""
    for row, number in enumerate(reversed(findings[0].verdicts)):
        y = 1.05 + 0.09 * row
        ax.text(-0.02, y, f"C{number}", fontsize=7, ha="right", va="center", transform=ax.transAxes)
        for x, one in enumerate(findings):
            marker, face = VERDICTS[one.verdicts[number]]
            ax.plot(x, y, marker=marker, markersize=3.8, color="black", markerfacecolor=face,
                    markeredgewidth=0.8, clip_on=False,
                    transform=ax.get_xaxis_transform())  # fmt: skip


def draw_estimates(found):
    """Draw areas in the default worlds with each estimate: a panel for each world."""
    figure, axes = plt.subplots(1, 4, figsize=(7.2, 5.4), sharey=True)
    for ax, world in zip(axes, TITLES, strict=True):
        findings = estimate_findings(found, world)
        for row, one in enumerate(findings):
            for shift, method in zip((-0.27, -0.09, 0.09, 0.27), SEARCHES, strict=True):
                draw_interval(ax, one.area(method), row + shift, LOOKS[method])
        for rival in RIVALS[world]:
            area, look = findings[0].area(rival), LOOKS[rival]
            ax.axvspan(area.low, area.high, color=look.color, alpha=0.13, linewidth=0)
            ax.axvline(area.value, color=look.color, linestyle=look.linestyle, linewidth=1.1)
        for row in range(len(findings)):
            ax.axhline(row + 0.5, color="#DDDDDD", linewidth=0.4)
        for row in (len(ESTIMATES), 2 * len(ESTIMATES)):
            ax.axhline(row - 0.5, color="#888888", linewidth=0.7)
        ax.set_title(f"({LETTERS[world]}) {SHORT[world]}", fontsize=8.5)
        ax.set_xlabel("area under ROC", fontsize=7.5)
        plain(ax)
    rows = [f"{one.setting}, {one.scale}" for one in findings]
    axes[0].set_yticks(range(len(rows)), rows)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.tight_layout(w_pad=0.6, rect=(0, 0.04, 1, 1))
    add_legend(figure, verdicts=False)
    return figure


def draw_leads(every):
    """Draw claim 3: the lead of GS-MPLE in (d) at each setting, a panel for each scaling."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 4.4), sharex=True, sharey=True)
    for ax, scale in zip(axes, ("unscaled", "standardised"), strict=True):
        findings = [one for one in every["hmm-continuous"] if one.scale == scale]
        for row, one in enumerate(findings):
            for shift, rival in zip((-0.24, 0, 0.24), SEARCHES[1:], strict=True):
                draw_interval(ax, one.lead(rival), row + shift, LOOKS[rival])
            ax.axhline(row + 0.5, color="#DDDDDD", linewidth=0.4)
        ax.axvline(0, color="black", linewidth=0.7)
        ax.set_title(scale, fontsize=8.5)
        ax.set_xlabel("lead of GS-MPLE in area under ROC", fontsize=7.5)
        plain(ax)
    axes[0].set_yticks(range(len(findings)), [one.setting for one in findings])
    axes[0].set_ylim(len(findings) - 0.5, -0.5)
    figure.tight_layout(w_pad=1.0, rect=(0, 0.05, 1, 1))
    add_legend(figure, SEARCHES[1:], verdicts=False)
    return figure


def draw_interval(ax, interval, y, look):
    """Draw an interval as a bar with a mark."""
    spread = [[interval.value - interval.low], [interval.high - interval.value]]
    ax.errorbar(interval.value, y, xerr=spread, fmt=look.marker, color=look.color, markersize=3,
                markerfacecolor="white", markeredgewidth=0.8, elinewidth=0.9)  # fmt: skip


def plain(ax):
    """Give a panel the looks of the others."""
    ax.grid(linewidth=0.4, color="#EEEEEE")
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=7, length=2)
    ax.spines[["top", "right"]].set_visible(False)


def add_legend(figure, methods=tuple(LOOKS), verdicts=True):
    """Name the methods at the foot of a figure, and what the marks of verdicts mean."""
    lines = [plt.Line2D([], [], color=LOOKS[m].color, linestyle=LOOKS[m].linestyle, linewidth=1.1,
                        marker=LOOKS[m].marker, markersize=3.5, markerfacecolor="white", label=m)
             for m in methods]  # fmt: skip
    if verdicts:
        lines += [plt.Line2D([], [], linestyle="none", marker=marker, color="black", markersize=4,
                             markerfacecolor=face, label=f"claim {verdict}")
                  for verdict, (marker, face) in VERDICTS.items()]  # fmt: skip
    figure.legend(handles=lines, loc="lower center", ncols=5 if verdicts else len(methods),
                  fontsize=7.5, frameon=False, handlelength=3.2, columnspacing=1.4)  # fmt: skip


def main():
    """Run, print and draw."""
    results = results_of("sensitivity", list(cases()), runs=30, summary=__doc__)
    found = standings(results)
    every = all_findings(found)
    print_tables(every)
    save(draw_knobs(found), "sensitivity")
    save(draw_estimates(found), "sensitivity-estimates")
    save(draw_leads(every), "sensitivity-leads")


if __name__ == "__main__":
    main()
