"""What a shell offers when a user presses the tab key."""

from __future__ import annotations

import click

__all__ = ["METHODS", "complete_dependences", "complete_methods", "complete_worlds"]

METHODS = {
    "gsmple": "GSMPLE",
    "gsmn": "GSMN",
    "iamb": "IAMB",
    "greedy-entropy": "GreedyEntropy",
    "chow-liu": "ChowLiu",
    "glasso": "GLasso",
    "skeptic": "Skeptic",
    "space": "Space",
    "nodewise-lasso": "NodewiseLasso",
    "nodewise-logistic": "NodewiseLogistic",
    "jose": "JOSE",
    "mixed-pairwise": "MixedPairwise",
}
"""`mrflearn.estimators.ESTIMATORS`, which would take seconds to import, and what its classes are
called."""


def complete_methods(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return the methods that begin like this; in a list, after its last comma."""
    done, comma, begun = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in METHODS if name.startswith(begun)]


def complete_dependences(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return the dependences that begin like this."""
    from mrflearn.dependence import DEPENDENCES

    return [name for name in DEPENDENCES if name.startswith(incomplete)]


def complete_worlds(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return the worlds that begin like this."""
    from mrflearn.datasets import WORLDS

    return [name for name in WORLDS if name.startswith(incomplete)]
