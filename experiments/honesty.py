"""How far off are the estimates of I(x; y | z), where the truth is known? Bias and deviation.

Estimated on tables that hold x, y and z alone; the default also on tables with five more columns
that are independent of everything, as it learns from the whole table how to estimate. Truths are
closed forms, exact sums, or integrals to better than 1e-6.
"""

import argparse
import math
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from _script import RESULTS, save
from joblib import Parallel, delayed
from matplotlib.ticker import NullLocator
from scipy.integrate import quad
from scipy.special import entr
from scipy.stats import norm, poisson

from mrflearn import as_table
from mrflearn.dependence import KNN, FrenzelPompe, Gaussian, MixedKSG, PlugIn, Sieve
from mrflearn.plot import Look

RUNS = {100: 200, 1000: 100, 10_000: 20}
"""Tables for each number of samples: a bias is known to within 0.07, 0.10 and 0.22 deviations."""
N_MORE = 5
"""Columns that are added for the default."""
MORE = "auto, 5 more columns"
ESTIMATES = {
    "auto": Sieve(),
    MORE: Sieve(),
    "knn": KNN(5),
    "frenzel-pompe": FrenzelPompe(5),
    "mixed-ksg": MixedKSG(3),
    "copula": Gaussian(copula=True),
    "plugin": PlugIn(),
    "plugin df 1": PlugIn("df", strength=1),
    "plugin df 2": PlugIn("df", strength=2),
}
LOOKS = {
    "auto": Look("#000000", "-", "o"),
    MORE: Look("#999999", "-", "o"),
    "knn": Look("#0072B2", "-", "s"),
    "frenzel-pompe": Look("#56B4E9", "--", "D"),
    "mixed-ksg": Look("#D55E00", "-", "^"),
    "copula": Look("#009E73", "-", "v"),
    "plugin": Look("#CC79A7", "-", "P"),
    "plugin df 1": Look("#E69F00", "-", "X"),
    "plugin df 2": Look("#7F3C8D", "--", "<"),
}
FILE = RESULTS / "honesty" / "results.parquet"


@dataclass(frozen=True)
class Case:
    """A distribution of x, y and z, and the value of I(x; y | z) in nats."""

    name: str
    draw: Callable[[int, np.random.Generator], pd.DataFrame]
    """Given N and a generator, the columns x, y and, if there is a condition, z0, z1, …"""
    truth: float

    def draw_more(self, n_samples, rng):
        """Return columns like those of the case, all independent: each of a draw of its own."""
        more = {}
        for place in range(N_MORE):
            drawn = self.draw(n_samples, rng)
            more[f"more{place}"] = drawn[drawn.columns[place % drawn.shape[1]]]
        return pd.DataFrame(more)


# --- What is drawn --------------------------------------------------------------------------------


def gaussian(correlation, n_given):
    """Return x and y of this partial correlation, both also moved by the mean of the conditions."""

    def draw(n_samples, rng):
        z = rng.normal(size=(n_samples, n_given))
        x, noise = rng.normal(size=(2, n_samples))
        y = correlation * x + math.sqrt(1 - correlation**2) * noise
        common = z.sum(axis=1) / math.sqrt(max(n_given, 1))
        return frame(x + common, y + common, *z.T)

    given = {0: "", 1: " given z", 3: " given three"}[n_given]
    return Case(f"Gaussian {correlation:g}{given}", draw, math.log(1 / (1 - correlation**2)) / 2)


def square(noise=0.5):
    """Return y = x² + noise."""

    def draw(n_samples, rng):
        x, error = rng.normal(size=(2, n_samples))
        return frame(x, x**2 + noise * error)

    # Trapezia: the integrands are smooth and vanish at both ends, so the error is too small to see.
    x, x_step = np.linspace(-8, 8, 3001, retstep=True)
    y, y_step = np.linspace(-4, 70, 3701, retstep=True)
    density = x_step * norm.pdf(x) @ norm.pdf(y, x[:, None] ** 2, noise)
    return Case("y = x² + noise", draw, entr(density).sum() * y_step - norm.entropy(scale=noise))


def discrete(name, joint, nominal):
    """Return variables with these probabilities, an array with an axis for each of x, y and z."""
    joint = np.asarray(joint, dtype=float)

    def draw(n_samples, rng):
        cells = rng.choice(joint.size, size=n_samples, p=joint.ravel())
        codes = np.unravel_index(cells, joint.shape)
        if nominal:
            return frame(*(pd.Categorical.from_codes(c, list("abcd")) for c in codes))
        return frame(*codes)

    by_z = joint if joint.ndim == 3 else joint[:, :, None]
    entropy = [entr(by_z.sum(axis=axes)).sum() for axes in ((), (1,), (0,), (0, 1))]
    truth = entropy[1] + entropy[2] - entropy[0] - entropy[3]
    return Case(name, draw, max(truth, 0.0))  # an exact 0 may be rounded to less


def exclusive_or(flipped=0.1):
    """Return fair coins x and y, and z = x xor y, flipped with some probability."""
    x, y, z = np.indices((2, 2, 2))
    joint = np.where(z == x ^ y, 1 - flipped, flipped) / 4
    return discrete("xor: x, y given z", joint, nominal=False)


def independent(n_levels, n_levels_of_z):
    """Return independent variables of evenly spread levels."""
    shape = (n_levels, n_levels, n_levels_of_z)
    name = f"{n_levels} levels given {n_levels_of_z}"
    return discrete(name, np.full(shape, 1 / math.prod(shape)), nominal=n_levels > 2)


def copy(n_levels=4, copied=0.5):
    """Return y that is x, or with some probability anything."""
    joint = copied * np.eye(n_levels) / n_levels + (1 - copied) / n_levels**2
    return discrete(f"{n_levels} levels, noisy copy", joint, nominal=True)


def gao():
    """Return x of five values and y uniform between x and x + 2 (Gao and others 2017)."""

    def draw(n_samples, rng):
        x = rng.integers(5, size=n_samples)
        return frame(x, x + 2 * rng.random(n_samples))

    return Case("5 values, uniform", draw, math.log(5) - 0.8 * math.log(2))


def zero_inflated(zero=0.15):
    """Return an exponential x and y that is 0 with some probability, else Poisson with mean x.

    A zero does not tell whence it came. (The value that Gao and others give for this pair is
    larger: it takes the zeros of the two kinds for different.)
    """

    def draw(n_samples, rng):
        x = rng.exponential(size=n_samples)
        return frame(x, np.where(rng.random(n_samples) < zero, 0, rng.poisson(x)))

    counts = np.arange(300)

    def entropy(x):
        return entr(zero * (counts == 0) + (1 - zero) * poisson.pmf(counts, x)).sum()

    marginal = zero * (counts == 0) + (1 - zero) * 0.5 ** (counts + 1)
    remaining = integrate(lambda x: math.exp(-x) * entropy(x), 0, 1, 5, 20, 60)
    return Case("zero-inflated Poisson", draw, entr(marginal).sum() - remaining)


def two_normals(name, means, spreads):
    """Return x of two values, and y normal with a mean and a standard deviation for each."""
    means, spreads = np.array(means), np.array(spreads)

    def draw(n_samples, rng):
        x = rng.integers(2, size=n_samples)
        return frame(x, means[x] + spreads[x] * rng.normal(size=n_samples))

    entropy = integrate(lambda y: entr(norm.pdf(y, means, spreads).mean()), -40, -5, -1, 1, 5, 40)
    return Case(name, draw, entropy - norm.entropy(scale=spreads).mean())


def frame(x, y, *z):
    return pd.DataFrame({"x": x, "y": y} | {f"z{place}": one for place, one in enumerate(z)})


def integrate(function, *points):
    """Return the integral from the first point to the last."""
    return sum(quad(function, *ends, epsabs=1e-10, epsrel=1e-10)[0] for ends in pairwise(points))


def cases():
    return [
        *(gaussian(correlation, 0) for correlation in (0, 0.3, 0.9)),
        *(gaussian(correlation, n_given) for n_given in (1, 3) for correlation in (0, 0.5)),
        square(),
        two_normals("two normals, shifted", (-1, 1), (1, 1)),
        two_normals("two normals, spread", (0, 0), (0.5, 2)),
        gao(),
        zero_inflated(),
        exclusive_or(),
        *(independent(n_levels, of_z) for n_levels in (2, 4) for of_z in (2, 4)),
        copy(),
    ]


# --- What is found --------------------------------------------------------------------------------


def estimate(case, n_samples, run):
    """Return a row for each estimate on one table; what is drawn depends on nothing else."""
    rng = np.random.default_rng([zlib.crc32(case.name.encode()), n_samples, run])
    data = case.draw(n_samples, rng)
    given = range(2, data.shape[1])
    alone = as_table(data)
    wider = as_table(pd.concat([data, case.draw_more(n_samples, rng)], axis=1))
    rows = []
    for name, specification in ESTIMATES.items():
        if isinstance(specification, PlugIn) and not alone.all_discrete:
            continue
        value = specification.bind(wider if name == MORE else alone).cmi(0, 1, given)
        row = {"case": case.name, "truth": case.truth, "n_samples": n_samples, "run": run}
        rows.append(row | {"estimate": name, "value": value})
    return rows


def run_all(runs_scale, n_jobs):
    """Estimate on every table, write what was found, and return it."""
    distributions = cases()
    jobs = [
        (case, n_samples, run)
        for n_samples, runs in sorted(RUNS.items(), reverse=True)  # so that no long one ends alone
        for case in distributions
        for run in range(max(2, round(runs_scale * runs)))
    ]
    begun = time.monotonic()
    rows = []
    tasks = (delayed(estimate)(*job) for job in jobs)
    for done, found in enumerate(Parallel(n_jobs, return_as="generator")(tasks), 1):
        rows += found
        passed = time.monotonic() - begun
        print(f"\r{done} of {len(jobs)} tables, {passed:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    results = pd.DataFrame(rows)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    results.to_parquet(FILE, index=False)
    return results


def summarise(results):
    """Return truth, bias and standard deviation by case, N and estimate, cases as they come."""
    order = {name: place for place, name in enumerate(results["case"].unique())}
    error = results["value"] - results["truth"]
    by = results.assign(error=error).groupby(["case", "n_samples", "estimate"])
    found = by.agg(truth=("truth", "first"), bias=("error", "mean"), deviation=("error", "std"))
    return found.sort_index(key=lambda level: level.map(order) if level.name == "case" else level)


def print_markdown(found):
    """Print bias ± standard deviation, in nats."""
    print("| case | truth | N |", " | ".join(ESTIMATES), "|")
    print("|---|--:|--:|" + "--:|" * len(ESTIMATES))
    for (case, n_samples), rows in found.groupby(level=["case", "n_samples"], sort=False):
        rows = rows.droplevel(["case", "n_samples"])
        cells = [
            f"{rows.bias[name]:+.3f} ± {rows.deviation[name]:.3f}" if name in rows.index else ""
            for name in ESTIMATES
        ]
        print(f"| {case} | {rows.truth.iloc[0]:.4f} | {n_samples} |", " | ".join(cells), "|")


def draw(found):
    """Draw bias and deviation against N, a panel for each case, so that most fits into it."""
    names = list(dict.fromkeys(found.index.get_level_values("case")))
    figure, axes = plt.subplots(3, 6, figsize=(11, 6.2), sharex=True)
    for ax, name in zip(axes.flat, names, strict=True):
        here = found.loc[name]
        usual = here.loc[pd.IndexSlice[:, ["auto", MORE, "knn", "copula"]], :]
        # The default, and what it is made of, are in full view; of others perhaps a part is.
        limit = 1.1 * max((usual.bias.abs() + usual.deviation).max(), 0.02)
        shown = [label for label in ESTIMATES if label in here.index.get_level_values(1)]
        for place, label in enumerate(shown):
            rows = here.xs(label, level="estimate")
            n_samples = rows.index * 10 ** (0.6 * (place / (len(shown) - 1) - 0.5))
            look, inside = LOOKS[label], rows.bias.abs() < limit
            ax.errorbar(
                n_samples[inside], rows.bias[inside], rows.deviation[inside], color=look.color,
                marker=look.marker, linestyle="none", markersize=3, elinewidth=0.9, label=label,
            )  # fmt: skip
            ax.scatter(
                n_samples[~inside], 0.96 * limit * np.sign(rows.bias[~inside]), s=14,
                color=look.color, marker=look.marker, facecolor="none", linewidth=0.8,
            )  # fmt: skip
        ax.axhline(0, color="#777777", linewidth=0.6, zorder=0)
        ax.set(ylim=(-limit, limit), xscale="log")
        ax.set_xticks(list(RUNS), [f"{n:,}" for n in RUNS])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_title(f"{name}\ntruth {here.truth.iloc[0]:.3f}", fontsize=8)
        ax.grid(axis="y", linewidth=0.4, color="#DDDDDD")
        ax.tick_params(labelsize=6.5, length=2)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("samples N", fontsize=7.5)
    for ax in axes[:, 0]:
        ax.set_ylabel("bias ± deviation, nats", fontsize=7.5)
    everyone = axes.flat[len(names) - 1].get_legend_handles_labels()
    figure.legend(*everyone, loc="lower center", ncols=len(ESTIMATES), fontsize=7.5, frameon=False,
                  bbox_to_anchor=(0.5, -0.035), columnspacing=1.2, handletextpad=0.3)  # fmt: skip
    figure.tight_layout(w_pad=0.5)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs-scale", type=float, default=1.0, help="times as many tables")
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes; -1 for all cores")
    parser.add_argument("--figure-only", action="store_true", help="draw from what was run before")
    options = parser.parse_args()
    if options.figure_only:
        results = pd.read_parquet(FILE)
    else:
        results = run_all(options.runs_scale, options.n_jobs)
    found = summarise(results)
    print_markdown(found)
    save(draw(found), "honesty")


if __name__ == "__main__":
    main()
