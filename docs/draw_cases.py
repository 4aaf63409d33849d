"""Draw the pictures of the two case studies and print their numbers: penguins and wine."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mrflearn import Graph, Result, as_table, conditional_mutual_information, learn
from mrflearn.datasets import load_penguins
from mrflearn.dependence import resolve
from mrflearn.plot import plot_graph, plot_stability, save_figure
from mrflearn.selection.edge_test import edge_tests

IMAGES = Path(__file__).parent / "images"
N_SUBSAMPLES = 50

PENGUINS_AT = {
    "island": (-2.6, 0.1),
    "species": (-1.5, 0.1),
    "bill_depth_mm": (0.0, 1.2),
    "bill_length_mm": (0.1, 0.1),
    "body_mass_g": (0.0, -1.2),
    "sex": (-0.4, -0.4),
    "flipper_length_mm": (1.8, 0.1),
    "year": (1.8, 1.2),
}
"""Where the nodes stand, an edge about one unit long: with few crossings."""


def main() -> None:
    """Learn both graphs, look again by other ways, and draw."""
    began = time.perf_counter()
    penguins()
    wine()
    say(f"{time.perf_counter() - began:.0f} seconds")


def penguins() -> None:
    """Print and draw all that `case-penguins.md` says."""
    table = load_penguins()
    complete = table.dropna()
    say("PENGUINS")
    dropped = table[table.isna().any(axis=1)]
    say(f"rows {len(table)}, complete {len(complete)}")
    say(f"left out: {dropped.groupby(['species', 'island']).size().to_dict()}")
    say(as_table(table, missing="drop").describe().to_string())
    say(f"sex {complete['sex'].value_counts().to_dict()}")
    say(pd.crosstab(complete["species"], complete["island"]).to_string())
    say(pd.crosstab(complete["species"], complete["year"]).to_string())

    both = table["sex"].to_numpy().reshape(-1, 2)
    known = both[~pd.isna(both).any(axis=1)]
    n_mates = sum(one != other for one, other in known)
    say(f"rows 1 and 2, 3 and 4, ...: {n_mates} of {len(known)} are a female and a male")

    found = study("case-penguins", table, PENGUINS_AT, missing="drop")
    for a, b in [("island", "body_mass_g"), ("species", "flipper_length_mm")]:
        say(str(found.graph.explain(a, b)))

    say("Bill length and bill depth")
    bills = complete[["bill_length_mm", "bill_depth_mm"]]
    say(f"correlation {bills.corr().iloc[0, 1]:.2f}")
    for species, own in bills.groupby(complete["species"]):
        say(f"  of {species} {own.corr().iloc[0, 1]:.2f}")
    for given in ([], ["species"], ["species", "sex"], ["species", "sex", "flipper_length_mm"]):
        say_shared(complete, "bill_length_mm", "bill_depth_mm", given)
    say(bills.groupby([complete["species"], complete["sex"]]).mean().round(1).to_string())
    flippers = complete.pivot_table(
        index="species", columns="year", values="flipper_length_mm", margins=True
    )
    say(f"mean flipper, mm\n{flippers.round(1).to_string()}")
    say("Island and body mass")
    for given in ([], ["species"]):
        say_shared(complete, "island", "body_mass_g", given)

    shares = complete["species"].value_counts(normalize=True)
    say(f"entropy of species {-(shares * np.log(shares)).sum():.2f} nats")
    others = [name for name in complete if name != "species"]
    say_predicted(complete, "species", others, ["bill_length_mm", "bill_depth_mm", "body_mass_g"])

    looks = {
        "knn": learn(table, dependence="knn", missing="drop", quiet=True),
        "bill as one": learn(
            table,
            groups={"bill": ["bill_length_mm", "bill_depth_mm"]},
            missing="drop",
            quiet=True,
        ),
        "depth, mass and flipper as one": learn(
            table,
            groups={"size": ["bill_depth_mm", "body_mass_g", "flipper_length_mm"]},
            missing="drop",
            quiet=True,
        ),
        "iamb": learn(table, "iamb", missing="drop", quiet=True),
        "mixed-pairwise": learn(table, "mixed-pairwise", missing="drop", quiet=True),
        "year nominal": learn(table, kinds={"year": "nominal"}, missing="drop", quiet=True),
    }
    say_looks(found, looks)


def wine() -> None:
    """Print and draw all that `case-wine.md` says."""
    data = load_wine(as_frame=True)
    table = data.data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"}).assign(
        cultivar=data.target.map({0: "A", 1: "B", 2: "C"})
    )
    say("WINE")
    say(f"rows {len(table)}, cultivars {table['cultivar'].value_counts().to_dict()}")
    say(as_table(table).describe().to_string())

    found = study("case-wine", table)
    for a, b in [("hue", "od280/od315"), ("hue", "cultivar"), ("color_intensity", "cultivar")]:
        say(str(found.graph.explain(a, b)))

    say("Hue and od280/od315")
    known = ["malic_acid", "flavanoids", "nonflavanoid_phenols"]
    for given in ([], ["malic_acid"], known, ["cultivar"], ["cultivar", *known]):
        say_shared(table, "hue", "od280/od315", given, tested=True)
    say_shared(table, "alcohol", "proline", [], tested=True)
    say_shared(table, "alcohol", "proline", ["cultivar"], tested=True)

    blanket = list(found.graph.neighbors("cultivar"))
    others = [name for name in table if name != "cultivar"]
    say(f"neighbours of cultivar: {blanket}")
    say_predicted(table, "cultivar", others, blanket)
    say(f"  from its neighbours alone {accuracy(table, 'cultivar', blanket):.1%}")

    chemistry = table.drop(columns="cultivar")
    centred = chemistry - chemistry.groupby(table["cultivar"]).transform("mean")
    looks = {
        "knn": learn(table, dependence="knn", quiet=True),
        "without cultivar": learn(chemistry, quiet=True),
        "within cultivars": learn(centred, quiet=True),
        "iamb": learn(table, "iamb", quiet=True),
        "mixed-pairwise": learn(table, "mixed-pairwise", quiet=True),
        "heldout": learn(table, selection="heldout", quiet=True),
        "alpha 0.2": learn(table, alpha=0.2, quiet=True),
    }
    say_looks(found, looks)


def study(
    name: str,
    table: pd.DataFrame,
    at: Mapping[str, tuple[float, float]] | None = None,
    **options: Any,
) -> Result:
    """Learn a graph and how often halves have its edges, print both, and draw two pictures."""
    began = time.perf_counter()
    found = learn(table, n_subsamples=N_SUBSAMPLES, quiet=True, **options)
    say(f"learned in {time.perf_counter() - began:.0f} s; {dict(found.versions)}")
    say(f"options {dict(found.options)}")
    say(str(found))
    say(found.graph.to_pandas().join(scores(found.graph, table, **options)).to_string())
    stable = found.stability
    assert stable is not None
    often = stable.to_pandas()
    absent = [
        not found.graph.has_edge(a, b)
        for a, b in zip(often["source"], often["target"], strict=True)
    ]
    say(f"In subsamples only:\n{often[absent].to_string()}")
    n_kept = [len(stable.graph(share).edges) for share in (0.5, 0.8, 0.9, 1.0)]
    say(f"pairs in at least 0.5, 0.8, 0.9 and all of the halves: {n_kept}")
    say_sparser(found)
    places = None if at is None else np.array([at[node] for node in found.graph.nodes])
    draw(plot_graph(found.graph, kinds=found.table.kinds, places=places), f"{name}.png")
    draw(plot_stability(found), f"{name}-stability.png")
    return found


def say_sparser(found: Result) -> None:
    """Print how the graph differs from the sparser one that would have done as well."""
    chosen = pairs(found.graph)
    choice = found.choice
    assert choice is not None
    assert choice.position is not None
    assert choice.limit is not None
    for lam, graph, share in zip(found.path.lams, found.path, choice.values, strict=True):
        if lam > found.lam and share <= choice.limit and pairs(graph) != chosen:
            before = (lam, share, pairs(graph))
    lam, share, sparser = before
    say(f"at lambda {lam:.3f} {len(sparser)} edges, expected share of false ones {share:.4f}")
    say(f"  not there: {named(chosen - sparser)}\n  only there: {named(sparser - chosen)}")
    say(f"at lambda {found.lam:.4f} {choice.values[choice.position]:.4f}")


def scores(graph: Graph, table: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Return what each edge was tested by: given the neighbours of both ends, and that of copies.

    Rows are in the order of `Graph.to_pandas`.
    """
    read, specification = as_table(table, **options), resolve("auto")
    ends = [(graph.index(edge.source), graph.index(edge.target)) for edge in graph.edges]
    neighbors = [np.flatnonzero(row).tolist() for row in graph.adjacency]
    tests = edge_tests(specification.bind(read), ends, neighbors)
    found = {tuple(graph.nodes[end] for end in t.edge): (t.score, t.by_chance) for t in tests}
    frame = graph.to_pandas()
    rows = [found[a, b] for a, b in zip(frame["source"], frame["target"], strict=True)]
    return pd.DataFrame(rows, columns=["score", "by chance"], index=frame.index)


def accuracy(table: pd.DataFrame, target: str, features: Sequence[str]) -> float:
    """Return how many of the labels a logistic regression gets right, in ten folds."""
    names = make_column_selector(dtype_exclude=np.number)
    columns = make_column_transformer((OneHotEncoder(), names), remainder=StandardScaler())
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    model = make_pipeline(columns, LogisticRegression(max_iter=5000))
    return float(cross_val_score(model, table[list(features)], table[target], cv=folds).mean())


def say_predicted(
    table: pd.DataFrame, target: str, features: Sequence[str], left_out: Sequence[str]
) -> None:
    """Print how well a label is predicted, from all features and without each of some."""
    say(f"{target} predicted from all others {accuracy(table, target, features):.1%}")
    for name in left_out:
        rest = [other for other in features if other != name]
        say(f"  without {name} {accuracy(table, target, rest):.1%}")


def say_shared(
    table: pd.DataFrame, a: str, b: str, given: Sequence[str], tested: bool = False
) -> None:
    """Print what two variables share given others, and how likely chance would do it."""
    known = table[list(given)] if given else None
    shared = conditional_mutual_information(table[a], table[b], known)
    chance = f", p = {p_value(table, a, b, given):.2g}" if tested else ""
    say(f"  I({a}; {b} | {', '.join(given) or 'nothing'}) = {shared:.3f}{chance}")


def p_value(table: pd.DataFrame, a: str, b: str, given: Sequence[str]) -> float | None:
    """Return the p-value of one conditional independence: that of an edge in a graph given."""
    known = [(a, b), *((end, z) for end in (a, b) for z in given)]
    found = learn(table[[a, b, *given]], lam=math.inf, required=known, quiet=True)
    return next(edge.p_value for edge in found.graph.edges if {edge.source, edge.target} == {a, b})


def say_looks(found: Result, looks: Mapping[str, Result]) -> None:
    """Print the graphs of other ways, and how they differ from the first."""
    first = pairs(found.graph)
    for name, other in looks.items():
        own = pairs(other.graph)
        say(f"SECOND LOOK: {name}\n{other}\n{other.graph.to_pandas().to_string()}")
        say(f"  {len(own)} edges, {len(own & first)} of them of the first {len(first)}")
        say(f"  gone: {named(first - own)}\n  new: {named(own - first)}")
    everywhere = first.intersection(
        *(pairs(r.graph) for r in looks.values() if r.graph.nodes == found.graph.nodes)
    )
    say(f"in all of the same variables: {len(everywhere)}: {named(everywhere)}")


def pairs(graph: Graph) -> frozenset[tuple[str, str]]:
    """Return the edges of a graph as pairs of names."""
    return frozenset((edge.source, edge.target) for edge in graph.edges)


def named(edges: frozenset[tuple[str, str]]) -> str:
    """Return edges as text."""
    return ", ".join(f"{a} – {b}" for a, b in sorted(edges)) or "none"


def draw(axes: Any, name: str) -> None:
    """Save a picture of the documentation."""
    written = save_figure(axes, IMAGES / name)
    say(f"wrote {written.name}, {written.stat().st_size / 1000:.0f} kB")


def say(text: str) -> None:
    """Print at once: some of it takes a while."""
    print(text, flush=True)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        main()
