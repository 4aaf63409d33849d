"""What a shell offers when a user presses the tab key."""

from __future__ import annotations

import click

__all__ = ["METHODS", "complete_dependences", "complete_methods", "complete_worlds"]

METHODS = (
    "gsmple",
    "gsmn",
    "iamb",
    "greedy-entropy",
    "chow-liu",
    "glasso",
    "skeptic",
    "space",
    "nodewise-lasso",
    "nodewise-logistic",
    "jose",
    "mixed-pairwise",
)
"""Names of `mrflearn.estimators.ESTIMATORS`, which would take seconds to import."""


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
