"""The ways of choosing lambda, by name and with their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any, ClassVar, get_args

from mrflearn.errors import InputError, either, unknown

__all__ = [
    "ALPHA",
    "EBIC",
    "SELECTIONS",
    "FalseDiscoveryRate",
    "Heldout",
    "Selection",
    "Stars",
    "check_alpha",
    "check_count",
    "check_seed",
    "resolve",
]

ALPHA = 0.1
"""Largest expected share of false edges, unless told otherwise."""


@dataclass(frozen=True)
class FalseDiscoveryRate:
    """The best graph in which chance explains no more than a share `alpha` of the edges.

    Parameters
    ----------
    n_shuffles : int
        Conditional permutations of a variable, where the dependence has no closed form.
    """

    name: ClassVar[str] = "fdr"
    n_shuffles: int = 30

    def __post_init__(self) -> None:
        check_count("n_shuffles", self.n_shuffles, 3)


@dataclass(frozen=True)
class Stars:
    """The densest graph that is nearly the same in all subsamples.

    Parameters
    ----------
    beta : float
        Largest instability, the share of pairs about which two subsamples disagree.
    n_subsamples : int
        How many.
    """

    name: ClassVar[str] = "stars"
    beta: float = 0.05
    n_subsamples: int = 20

    def __post_init__(self) -> None:
        _check_between("beta", self.beta, 0.5)
        check_count("n_subsamples", self.n_subsamples, 2)


@dataclass(frozen=True)
class Heldout:
    """The sparsest graph that predicts rows left out about as well as the best.

    Parameters
    ----------
    n_folds : int
        Parts of the table, each left out once.
    """

    name: ClassVar[str] = "heldout"
    n_folds: int = 5

    def __post_init__(self) -> None:
        check_count("n_folds", self.n_folds, 2)


@dataclass(frozen=True)
class EBIC:
    """The least extended Bayesian information criterion, for parametric methods.

    Parameters
    ----------
    gamma : float
        Weight of the number of possible edges; 0 is the plain criterion.
    """

    name: ClassVar[str] = "ebic"
    gamma: float = 0.5

    def __post_init__(self) -> None:
        if not _is_number(self.gamma) or not self.gamma >= 0 or not isfinite(self.gamma):
            raise InputError(f"gamma must be a number that is not negative, got {self.gamma!r}")


Selection = FalseDiscoveryRate | Stars | Heldout | EBIC

SELECTIONS: dict[str, type[Selection]] = {way.name: way for way in get_args(Selection)}


def resolve(selection: str | Selection, able: Sequence[str], method: str) -> Selection:
    """Return a way of choosing by its name.

    Parameters
    ----------
    selection : str or Selection
        `"auto"` is the first of `able`.
    able : sequence of str
        The ways that suit the method.
    method : str
        Its name, for the message.
    """
    found: Any = selection
    if isinstance(selection, str):
        name = able[0] if selection == "auto" else selection
        if name not in SELECTIONS:
            raise unknown("selection", selection, ("auto", *SELECTIONS))
        found = SELECTIONS[name]()
    if not isinstance(found, Selection):
        raise unknown("selection", selection, ("auto", *SELECTIONS))
    if found.name not in able:
        raise InputError(
            f"selection {found.name!r} does not apply to {method}: choose "
            + either([repr(name) for name in able])
        )
    return found


def check_alpha(alpha: float) -> float:
    """Return a share of false edges, or a level, as a float."""
    _check_between("alpha", alpha, 1)
    return float(alpha)


def check_seed(random_state: Any) -> int:
    """Return a seed as a plain number: results are to be the same again."""
    if not isinstance(random_state, Integral) or isinstance(random_state, bool) or random_state < 0:
        raise InputError(
            f"random_state must be a whole number that is not negative, got {random_state!r}"
        )
    return int(random_state)


def _check_between(name: str, value: Any, most: float) -> None:
    if not _is_number(value) or not 0 < value < most:
        raise InputError(f"{name} must be between 0 and {most:g}, both excluded; got {value!r}")


def check_count(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number of at least so much."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
