"""The experiment of the GS-MPLE paper: four worlds of nine variables, 100 rows, all its methods.

The paper does not give the numbers of its worlds, nor k. Ours are the defaults of `ising_lattice`,
`DiscreteHMM`, `sparse_gaussian` and `ContinuousHMM`, and k = 3; docs/experiments/ shows how much
they matter.
"""

from __future__ import annotations

from typing import Any

from mrflearn.datasets import ContinuousHMM, DiscreteHMM, World, ising_lattice, sparse_gaussian
from mrflearn.dependence import MixedKSG, Specification
from mrflearn.estimators import GSMN, GSMPLE, IAMB, JOSE, GLasso, Skeptic
from mrflearn.experiments.design import Case, Method, penalties, thresholds

__all__ = ["MI_BASED", "N_SAMPLES", "TITLES", "K", "paper_cases", "paper_worlds", "searches"]

N_SAMPLES = 100
K = 3
"""Neighbours of the mixed-KSG estimate: the default of the authors' own library."""

TITLES = {
    "ising": "Ising model",
    "hmm-discrete": "Hidden Markov model (discrete)",
    "gaussian": "Gaussian distribution",
    "hmm-continuous": "Hidden Markov model (continuous)",
}
"""The paper's panels (a) to (d)."""

MI_BASED = ("GS-MPLE", "GSMN", "IAMB")
"""The methods that search by mutual information, as the paper runs them."""

DISCRETE = ("ising", "hmm-discrete")


def paper_worlds() -> dict[str, World]:
    """Return the worlds (a) to (d)."""
    worlds = (ising_lattice(), DiscreteHMM(), sparse_gaussian(), ContinuousHMM())
    return dict(zip(TITLES, worlds, strict=True))


def searches(
    dependence: Specification | None = None, scale: str | None = None
) -> tuple[Method, ...]:
    """Return the methods that search, with the paper's estimate unless another is given.

    GSMN keeps edges that both ends chose, as the paper reads it; IAMB those that either did, as
    the authors' library does, and with the other rule beside it.
    """
    options: dict[str, Any] = {"dependence": dependence or MixedKSG(K), "scale": scale}
    single, double = thresholds(1.0), thresholds(2.0)  # GS-MPLE compares the sum of two
    return (
        Method("GS-MPLE", GSMPLE(**options, refine=None), double),
        Method("GSMN", GSMN(**options, rule="and"), single),
        Method("IAMB", IAMB(**options, rule="or"), single),
        Method("IAMB (and)", IAMB(**options, rule="and"), single),
    )


def parametric(world_name: str) -> tuple[Method, ...]:
    """Return the paper's parametric rivals in a world, and GLASSO in the discrete ones as well."""
    glasso = Method("GLASSO", GLasso(), (*penalties(1.0, 1e-3), 0.0))
    if world_name in DISCRETE:
        return Method("JOSE", JOSE(), penalties(0.5, 1e-5)), glasso
    return glasso, Method("SKEPTIC", Skeptic(), (*penalties(1.0, 1e-3), 0.0))


def paper_cases() -> tuple[Case, ...]:
    """Return the cases of the paper's figure."""
    return tuple(
        Case(name, world, N_SAMPLES, searches() + parametric(name))
        for name, world in paper_worlds().items()
    )
