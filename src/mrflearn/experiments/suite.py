"""Worlds of every sort, to compare methods across: what suits one of them fails in another.

There are two sets of them, alike in kind and different in graphs, strengths and seeds: whatever is
tuned is tuned on the worlds of `"design"`, and reported on those of `"report"`. A number is the
seed of one more set, with the strengths of design if it is even and those of report if it is odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mrflearn.datasets import (
    ContinuousHMM,
    DirectedWorld,
    DiscreteHMM,
    Variable,
    World,
    collider_world,
    continuous_child_world,
    count_world,
    discrete_child_world,
    gaussian_on,
    interaction_world,
    ising_lattice,
    ising_on,
    load_network,
    mixed_chain,
    mixed_random,
    mixed_world,
    random_network,
    sparse_gaussian,
    zero_inflated_world,
)
from mrflearn.datasets.shapes import grid, hub, scale_free
from mrflearn.errors import unknown

__all__ = ["SPLITS", "curved_random", "suite"]

SPLITS = ("design", "report")

STICKIER = ((0.85, 0.15), (0.2, 0.8))
LESS_STICKY = ((0.75, 0.25), (0.3, 0.7))


@dataclass(frozen=True)
class _Curve:
    """Draws the mean of curves of the parents, each even, odd or periodic, plus noise."""

    curves: tuple[int, ...] = ()

    def __call__(self, rng: np.random.Generator, n_samples: int, *parents: Any) -> Any:
        total = rng.normal(size=n_samples)
        for curve, x in zip(self.curves, parents, strict=True):
            shape = (x * x - 1, 1.5 * np.sin(2 * x), 1.5 * np.tanh(2 * x), 2 * np.abs(x) - 1.6)
            total = total + shape[curve]
        return total / np.sqrt(1.0 + 1.2 * len(self.curves))


def curved_random(n_variables: int, random_state: Any) -> DirectedWorld:
    """Return continuous variables on a random graph, with effects that are mostly not monotone.

    Each has up to two parents among those before it; the effect of a parent x is x² - 1,
    1.5 sin 2x, 1.5 tanh 2x or 2 |x| - 1.6, and standard normal noise is added.
    """
    rng = np.random.default_rng(random_state)
    variables = []
    for v in range(n_variables):
        n_parents = int(rng.integers(min(v, 2), endpoint=True))
        parents = sorted(rng.permutation(v)[:n_parents].tolist())
        draw = _Curve(tuple(rng.integers(4, size=n_parents).tolist()))
        names = tuple(f"x{parent}" for parent in parents)
        variables.append(Variable(f"x{v}", "continuous", draw, names))
    return DirectedWorld(tuple(variables), "curved")


def suite(split: str = "report") -> dict[str, World]:
    """Return the worlds of one split, by name, or those of a seed.

    Only "asia", a network of the literature, is the same in all.
    """
    if split not in SPLITS and not split.isdecimal():
        raise unknown("split", split, SPLITS)
    if split in SPLITS:
        design = split == "design"
        seed, gaussian = (100, 101) if design else (8000, 0)
    else:
        seed = int(split)
        design, gaussian = seed % 2 == 0, seed + 1
    return _of_one_kind(design, seed, gaussian) | _of_kinds(design, seed) | _networks(design, seed)


def _of_one_kind(design: bool, seed: int, gaussian: int) -> dict[str, World]:
    """Return worlds of one kind of variable: the paper's four, other graphs, curves."""
    return {
        "Ising lattice": ising_lattice(coupling=0.35 if design else 0.4),
        "HMM, discrete": DiscreteHMM() if design else DiscreteHMM(4, (STICKIER, LESS_STICKY)),
        "Gaussian": sparse_gaussian(random_state=gaussian),
        "HMM, continuous": ContinuousHMM(noise=(0.7, 0.7)) if design else ContinuousHMM(),
        "Gaussian hubs": gaussian_on(hub(12, 2), (0.2, 0.4), random_state=seed),
        "Gaussian grid": gaussian_on(
            grid(3, 4) if design else grid(4, 4), (0.2, 0.3), random_state=seed
        ),
        "Gaussian scale-free": gaussian_on(
            scale_free(12 if design else 20, random_state=seed), random_state=seed
        ),
        "Ising hubs": ising_on(hub(12, 2), (0.3, 0.6), True, random_state=seed),
        "Ising grid": ising_lattice(3, 4, 0.5) if design else ising_lattice(4, 4, 0.35),
        "curved": curved_random(10, seed + 3),
    }


def _of_kinds(design: bool, seed: int) -> dict[str, World]:
    """Return worlds where variables of several kinds meet."""
    return {
        "mixed": mixed_world(0.9 if design else 1.0),
        "mixed random, 12": mixed_random(12, random_state=seed + 4),
        "mixed random, 20": mixed_random(16 if design else 20, random_state=seed + 9),
        "mixed chain": mixed_chain(10, strength=1.2 if design else 1.5),
        "counts": count_world() if design else count_world(1.0, 0.2, 0.4),
        "zero-inflated": (
            zero_inflated_world() if design else zero_inflated_world(1.5, 0.4, 1.2, 0.7)
        ),
        "collider": collider_world() if design else collider_world(1.2, (-1.0, 0.3, 1.8), 1.5),
        "continuous child": (
            continuous_child_world()
            if design
            else continuous_child_world((-1.0, 0.2, 1.2, 0.5), (0.4, 1.0, 2.0, 0.6))
        ),
        "discrete child": (
            discrete_child_world() if design else discrete_child_world(1.6, 0.4, -0.3, 0.7)
        ),
        "interaction": interaction_world() if design else interaction_world(2.5),
    }


def _networks(design: bool, seed: int) -> dict[str, World]:
    """Return worlds of discrete variables."""
    network = partial(random_network, max_parents=2)
    return {
        "asia": load_network("asia"),
        "network, 8 of 2-3 levels": network(8, (2, 3), random_state=seed + 5),
        "network, 8 of 2-3 levels, b": network(8, (2, 3), random_state=seed + 36),
        "network, 12 of 2 levels": network(12, 2, max_parents=3, random_state=seed + 8),
        "network, 12 weak": network(12, (2, 4), concentration=3.0, random_state=seed + 11),
        "network, 12 weak, b": network(12, (2, 4), concentration=3.0, random_state=seed + 34),
        "network, 15 of 2-6 levels": network(15, (2, 6), random_state=seed + 7),
        "network, 15 of 2-6 levels, b": network(15, (2, 6), random_state=seed + 31),
        "network, 20 of 3-5 levels": network(20, (3, 5), random_state=seed + 10),
        "network, 20 of 3-5 levels, b": network(20, (3, 5), random_state=seed + 33),
        "network, 40 of 2-3 levels": network(30 if design else 40, (2, 3), random_state=seed + 12),
    }
