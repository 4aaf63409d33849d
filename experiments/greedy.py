"""How good is the greedy search of GS-MPLE? Against the best of all 1,024 graphs of five variables.

The joint distributions are known, so that every conditional mutual information is exact and no
sample is drawn. J(E), the sum of H(X_i | X_N(i)), plus the price of the edges is computed for every
edge set E, and each search is asked whether it ends at the least of these sums. At price 0 that is
the fewest edges among the sets of least J. IAMB and GSMN compare one conditional mutual
information with lambda, GS-MPLE the sum of two: they are given half of it.
"""

import argparse
import sys
import time
from itertools import combinations

import numpy as np
import pandas as pd
from _script import RESULTS

from mrflearn._files import write_atomically
from mrflearn.datasets import Ising, random_network
from mrflearn.dependence import Dependence, Memo, OracleJoint
from mrflearn.search import gs_mple, gsmn, iamb

D = 5
PAIRS = list(combinations(range(D), 2))
N_SETS = 2 ** len(PAIRS)
HAS = (np.arange(N_SETS)[:, None] >> np.arange(len(PAIRS)) & 1).astype(bool)
"""Whether an edge set, numbered by its bits, has each pair."""
TOLERANCE = 1e-9
"""Nats by which sums may differ and count as equal."""
ROUNDING = 1e-12
"""Scores up to this are zero: what the oracle cuts."""
TRIANGLES = {frozenset(combinations(three, 2)) for three in combinations(range(D), 3)}
PRICES = [("edges", 0.0), ("edges", 0.05), ("edges", 0.1), ("df", 0.05), ("df", 0.1)]
"""An edge costs lambda, or lambda times its degrees of freedom, (L_i - 1) (L_j - 1)."""
SEARCHES = {
    "Algorithm 1": lambda memo, lam: gs_mple.run(memo, lam),
    "pairs": lambda memo, lam: gs_mple.run(memo, lam, refine="pairs"),
    "IAMB": lambda memo, lam: iamb.run(memo, lam / 2),
    "GSMN": lambda memo, lam: gsmn.run(memo, lam / 2),
}

# --- Distributions --------------------------------------------------------------------------------


def network(max_parents, concentration):
    """Return a draw of Bayesian networks of two or three levels."""

    def draw(rng):
        return random_network(D, (2, 3), max_parents, concentration, random_state=rng).joint

    return draw


def ising(density, least, most, field=0.3):
    """Return a draw of Ising models: pairs of this density, couplings of either sign."""

    def draw(rng):
        couplings = np.zeros((D, D))
        for i, j in PAIRS:
            strength = rng.choice([-1, 1]) * rng.uniform(least, most)
            couplings[i, j] = couplings[j, i] = strength * (rng.random() < density)
        return Ising(couplings, rng.normal(0, field, size=D)).joint

    return draw


def log_linear(most_levels, n_pairs):
    """Return a draw of log-linear models of one or two three-way terms and some pairs."""

    def draw(rng):
        shape = rng.integers(2, most_levels, size=D, endpoint=True)
        triples = list(combinations(range(D), 3))
        terms = [(v,) for v in range(D)]
        terms += [triples[at] for at in rng.permutation(len(triples))[: rng.integers(1, 3)]]
        terms += [PAIRS[at] for at in rng.permutation(len(PAIRS))[:n_pairs]]
        exponent = np.zeros(shape)
        for term in terms:
            size = [n if v in term else 1 for v, n in enumerate(shape)]
            exponent = exponent + rng.normal(0, (0.3, 0.6, 1.0)[len(term) - 1], size=size)
        weights = np.exp(exponent)
        return weights / weights.sum()

    return draw


def parity(n_causes, heads):
    """Return a draw of coins and their noisy parity; the rest copy one of these, or nothing.

    The coins of the parity show heads so often, in an order drawn at random, and the others half
    of the time.
    """

    def draw(rng):
        state = np.indices((2,) * D)
        joint = np.ones((2,) * D)
        for v in range(D):
            if v == n_causes:
                likely = state[:n_causes].sum(axis=0) % 2
            elif v > n_causes and rng.random() < 0.5:
                likely = state[rng.integers(v)]
            else:
                odds = heads[v] if v < n_causes else 0.5
                joint = joint * np.where(state[v], odds, 1 - odds)
                continue
            flipped = rng.uniform(0.02, 0.25)
            joint = joint * np.where(state[v] == likely, 1 - flipped, flipped)
        return joint.transpose(rng.permutation(D))

    return draw


def gates(rng):
    """Return coins and gates of one or two inputs, most without noise: some states are never."""
    state = np.indices((2,) * D)
    joint = np.ones((2,) * D)
    for v in range(D):
        inputs = rng.permutation(v)[: rng.integers(3)]
        flipped = rng.uniform(0.2, 0.8) if not len(inputs) else rng.choice([0.0, 0.0, 0.1])
        gate = np.zeros((2,) * len(inputs), dtype=int)
        while not all(np.diff(gate, axis=axis).any() for axis in range(gate.ndim)):
            gate = rng.integers(2, size=gate.shape)
        likely = gate[tuple(state[inputs])]
        joint = joint * np.where(state[v] == likely, 1 - flipped, flipped)
    return joint.transpose(rng.permutation(D))


KINDS = {
    "network, up to 2 parents": network(2, 1.0),
    "network, up to 4 parents": network(4, 1.0),
    "network, weak": network(3, 3.0),
    "network, strong": network(3, 0.3),
    "Ising, sparse": ising(0.4, 0.2, 1.0),
    "Ising, complete": ising(1.0, 0.1, 0.7),
    "Ising, no fields": ising(0.6, 0.1, 1.0, field=0.0),
    "three-way, 2 levels": log_linear(2, 0),
    "three-way, 2-3 levels": log_linear(3, 0),
    "three-way and pairs, 2-3 levels": log_linear(3, 4),
    "gates": gates,
    "parity of two, no fair coin": parity(2, (0.3, 0.35)),
    "parity of two, one fair coin": parity(2, (0.3, 0.5)),
    "parity of two, fair coins": parity(2, (0.5, 0.5)),
    "parity of three, fair coins": parity(3, (0.5, 0.5, 0.5)),
}
FAIR = ", fair coins"

# --- All edge sets --------------------------------------------------------------------------------


def pseudolikelihoods(joint):
    """Return J of every edge set, from H(X_i | X_S) for every variable and set of others."""
    entropy = np.zeros(2**D)
    for members in range(1, 2**D):
        rest = tuple(v for v in range(D) if not members >> v & 1)
        marginal = joint.sum(axis=rest).ravel()
        marginal = marginal[marginal > 0]
        entropy[members] = -(marginal * np.log(marginal)).sum()
    total = np.zeros(N_SETS)
    for i in range(D):
        near = np.zeros(N_SETS, dtype=int)
        for at, pair in enumerate(PAIRS):
            if i in pair:
                near += HAS[:, at] * 2 ** (sum(pair) - i)
        total += entropy[near | 2**i] - entropy[near]
    return total


def number_of(edges):
    """Return the number of an edge set."""
    return sum(2 ** PAIRS.index(edge) for edge in edges)


def optimal_sets(objective, price_is_zero):
    """Return the numbers of the best edge sets: with no price, the smallest of them alone."""
    best = np.flatnonzero(objective <= objective.min() + TOLERANCE)
    if price_is_zero:
        sizes = HAS[best].sum(axis=1)
        best = best[sizes == sizes.min()]
    return best


# --- Searches -------------------------------------------------------------------------------------


class Priced(Dependence):
    """Exact values less half the price of the pair, so that a score is less the whole price."""

    symmetric = True

    def __init__(self, inner, prices):
        self.inner, self.n_variables = inner, inner.n_variables
        self.half = np.zeros((D, D))
        for (i, j), price in zip(PAIRS, prices, strict=True):
            self.half[i, j] = self.half[j, i] = price / 2

    def _cmi_many(self, i, candidates, given):
        return self.inner.cmi_many(i, candidates, given) - self.half[i, list(candidates)]


def grow_shrink(values, prices):
    """Return the edge set of Algorithm 1 with a price for each pair, from J of every edge set."""
    own = 0
    while True:
        gains = {
            at: round(values[own] - values[own | 2**at] - prices[at], 12)
            for at in range(len(PAIRS))
            if not own >> at & 1
        }
        best = max(gains, key=gains.get, default=None)
        if best is None or gains[best] <= ROUNDING:
            break
        own |= 2**best
    while True:
        gains = {
            at: round(values[own ^ 2**at] - values[own] - prices[at], 12)
            for at in range(len(PAIRS))
            if own >> at & 1
        }
        least = min(gains, key=gains.get, default=None)
        if least is None or gains[least] > ROUNDING:
            return own
        own ^= 2**least


def one_run(run):
    """Return how each search does at each price in one distribution."""
    kind = list(KINDS)[run % len(KINDS)]
    joint = KINDS[kind](np.random.default_rng([2018, run]))
    oracle = OracleJoint(joint, ROUNDING)
    free = np.array(joint.shape) - 1
    values = pseudolikelihoods(oracle.joint)
    memo = Memo(oracle)
    rows = []
    for unit, lam in PRICES:
        prices = np.array([lam * (free[i] * free[j] if unit == "df" else 1) for i, j in PAIRS])
        objective = values + HAS @ prices
        best = optimal_sets(objective, lam == 0)
        by_hand = grow_shrink(values, prices)
        asked = (memo, lam) if unit == "edges" else (Memo(Priced(memo, prices)), 0.0)
        for name, search in SEARCHES.items():
            found = search(*asked)
            own = number_of(found.edges)
            if name in ("Algorithm 1", "pairs"):  # the library's sum of scores is that of the table
                paid = objective if unit == "df" else values
                assert abs(found.objective - (paid[own] - paid[0])) < TOLERANCE
            lacks = (HAS[best] & ~HAS[own]).sum(axis=1)
            extra = (HAS[own] & ~HAS[best]).sum(axis=1)
            nearest = (lacks + extra).argmin()
            new = {PAIRS[at] for at in np.flatnonzero(HAS[best[nearest]] & ~HAS[own])}
            by_one = objective[own ^ 2 ** np.arange(len(PAIRS))].min()
            sizes = HAS[best].sum(axis=1)
            rows.append({
                "run": run, "kind": kind, "unit": unit, "lam": lam, "search": name,
                "reached": own in best, "n_edges": len(found.edges),
                "fewest": sizes.min(), "most": sizes.max(), "n_best": len(best),
                "excess": max(objective[own] - objective.min(), 0.0),
                "range": objective[0] - objective.min(),
                "lacks": lacks[nearest], "extra": extra[nearest],
                "triangle": not extra[nearest] and frozenset(new) in TRIANGLES,
                "one_step": by_one < objective[own] - TOLERANCE,
                "by_hand": abs(objective[own] - objective[by_hand]) < TOLERANCE,
                "three_levels": max(joint.shape) > 2,
            })  # fmt: skip
    return rows


def run_all(n_runs):
    """Return the rows of all distributions, with a progress line."""
    rows, begun = [], time.monotonic()
    for run in range(n_runs):
        rows += one_run(run)
        passed = time.monotonic() - begun
        print(f"\r{run + 1} of {n_runs}, {passed:.0f} s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pd.DataFrame(rows)


# --- Tables ---------------------------------------------------------------------------------------


def label(unit, lam):
    """Return the name of a price."""
    return f"{lam:g} an edge" if unit == "edges" else f"{lam:g} a degree of freedom"


def print_shares(results):
    """Print the share of distributions in which each search reaches the optimum."""
    subsets = {
        "all": results["kind"] != "",
        f"all but parity{FAIR}": ~results["kind"].str.endswith(FAIR),
        "with three levels": results["three_levels"],
    }
    print("\nShare of distributions in which the optimum is reached\n")
    print("| distributions | number | price | edges at best |", " | ".join(SEARCHES), "|")
    print("|---" * (4 + len(SEARCHES)) + "|")
    for name, subset in subsets.items():
        for (unit, lam), rows in by_price(results[subset]):
            shares = rows.groupby("search")["reached"].mean()
            cells = " | ".join(f"{shares[search]:.3f}" for search in SEARCHES)
            n_runs, size = rows["run"].nunique(), rows["fewest"].mean()
            print(f"| {name} | {n_runs} | {label(unit, lam)} | {size:.2f} | {cells} |")


def print_misses(results):
    """Print what the graphs are like that are not optimal."""
    print(
        "| price | search | misses | too few edges | as many | too many | mean excess | largest "
        "| share of the range | mean over hits too |"
    )
    print("|---" * 10 + "|")
    for (unit, lam), rows in by_price(results):
        for search in SEARCHES:
            every = rows[rows["search"] == search]
            own = every[~every["reached"]]
            if len(own):
                few, many = too_few_too_many(own)
                print(
                    f"| {label(unit, lam)} | {search} | {len(own)} | {few:.2f} "
                    f"| {abs(1 - few - many):.2f} | {many:.2f} | {own.excess.mean():.4f} "
                    f"| {own.excess.max():.4f} | {own.excess.sum() / own.range.sum():.3f} "
                    f"| {every.excess.mean():.4f} |"
                )


def print_kinds(results):
    """Print the shares by kind, all searches in a cell, and the misses of GS-MPLE."""
    headings = [label(unit, lam) for unit, lam in PRICES]
    print(f"\nShare that reaches the optimum: {' / '.join(SEARCHES)}\n")
    print("| kind |", " | ".join(headings), "|")
    print("|---" * (1 + len(headings)) + "|")
    for kind, rows in results.groupby("kind", sort=False):
        cells = []
        for _, own in by_price(rows):
            shares = own.groupby("search")["reached"].mean()
            cells.append(" / ".join(f"{shares[search]:.2f}" for search in SEARCHES))
        print(f"| {kind} |", " | ".join(cells), "|")
    for search in SEARCHES:
        print(f"\nMisses of {search}: number (too few / as many / too many edges), mean excess\n")
        print("| kind |", " | ".join(headings), "|")
        print("|---" * (1 + len(headings)) + "|")
        for kind, rows in results[results["search"] == search].groupby("kind", sort=False):
            cells = []
            for _, own in by_price(rows):
                misses = own[~own["reached"]]
                few = (misses["n_edges"] < misses["fewest"]).sum()
                many = (misses["n_edges"] > misses["most"]).sum()
                said = f" ({few} / {len(misses) - few - many} / {many}), {misses.excess.mean():.4f}"
                cells.append(f"{len(misses)}{said if len(misses) else ''}")
            print(f"| {kind} |", " | ".join(cells), "|")


def print_nearest(results):
    """Print how these graphs differ from the nearest optimum, the most frequent first."""
    print("\nThe nearest optimum has so many edges more and fewer: share of the misses\n")
    print("| price | search | misses | one step improves | lacks a triangle | more, fewer: share |")
    print("|---" * 6 + "|")
    for (unit, lam), rows in by_price(results[~results["reached"]]):
        for search in SEARCHES:
            own = rows[rows["search"] == search]
            counts = own.groupby(["lacks", "extra"]).size().sort_values(ascending=False)
            cells = [f"+{a} -{b}: {n / len(own):.2f}" for (a, b), n in counts.head(4).items()]
            if len(own):
                print(
                    f"| {label(unit, lam)} | {search} | {len(own)} | {own.one_step.mean():.2f} "
                    f"| {own.triangle.mean():.2f} | {', '.join(cells)} |"
                )


def by_price(results):
    """Return the rows of each price that has some."""
    rows = {
        price: results[(results["unit"] == price[0]) & (results["lam"] == price[1])]
        for price in PRICES
    }
    return [(price, own) for price, own in rows.items() if len(own)]


def too_few_too_many(misses):
    """Return the shares of misses with fewer and more edges than any optimal set has."""
    few = (misses["n_edges"] < misses["fewest"]).mean()
    return few, (misses["n_edges"] > misses["most"]).mean()


def main():
    """Run, keep the rows in a file, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1500, help="distributions, the kinds in turn")
    parser.add_argument("--table-only", action="store_true", help="print what was run before")
    options = parser.parse_args()
    file = RESULTS / "greedy" / "results.csv"
    if not options.table_only:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, run_all(options.runs).to_csv(index=False).encode())
    results = pd.read_csv(file)
    same = results.loc[results["search"] == "Algorithm 1", "by_hand"]
    print(
        f"The script's own Algorithm 1 does as well as the library's in {same.mean():.2%} of runs"
    )
    print_shares(results)
    print_kinds(results)
    not_fair = results[~results["kind"].str.endswith(FAIR)]
    for name, subset in (("all", results), (f"all but parity{FAIR}", not_fair)):
        print(f"\nMisses, {name}\n")
        print_misses(subset)
        print_nearest(subset)


if __name__ == "__main__":
    main()
