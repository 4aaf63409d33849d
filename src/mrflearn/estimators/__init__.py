"""scikit-learn estimators: what the other rooms hold, put together. No algorithm here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mrflearn.errors import InputError, unknown, warn_user
from mrflearn.estimators.base import GraphEstimator
from mrflearn.estimators.fitting import ParametricEstimator
from mrflearn.estimators.parametric import (
    JOSE,
    GLasso,
    MixedPairwise,
    NodewiseLasso,
    NodewiseLogistic,
    Skeptic,
    Space,
)
from mrflearn.estimators.searches import GSMN, GSMPLE, IAMB, ChowLiu, GreedyEntropy
from mrflearn.estimators.searching import BlanketEstimator, SearchEstimator

__all__ = [
    "ESTIMATORS",
    "GSMN",
    "GSMPLE",
    "IAMB",
    "JOSE",
    "BlanketEstimator",
    "ChowLiu",
    "GLasso",
    "GraphEstimator",
    "GreedyEntropy",
    "MixedPairwise",
    "NodewiseLasso",
    "NodewiseLogistic",
    "ParametricEstimator",
    "SearchEstimator",
    "Skeptic",
    "Space",
    "as_estimator",
    "spare_pairs",
]

ESTIMATORS: dict[str, type[GraphEstimator]] = {
    "gsmple": GSMPLE,
    "gsmn": GSMN,
    "iamb": IAMB,
    "greedy-entropy": GreedyEntropy,
    "chow-liu": ChowLiu,
    "glasso": GLasso,
    "skeptic": Skeptic,
    "space": Space,
    "nodewise-lasso": NodewiseLasso,
    "nodewise-logistic": NodewiseLogistic,
    "jose": JOSE,
    "mixed-pairwise": MixedPairwise,
}
"""Estimators by the names that the command line understands."""

BEST: dict[str, dict[str, Any]] = {"gsmple": {"refine": "pairs"}}
"""Options that a method given by its name has unless told otherwise; docs/accuracy.md shows why."""

MOST_FOR_PAIRS = 50
"""Variables up to which pairs of edges are tried together unless told otherwise: that takes up to
as many times longer as there are variables."""


def as_estimator(
    method: str | GraphEstimator, options: Mapping[str, Any], others: Iterable[str] = ()
) -> GraphEstimator:
    """Return an estimator by its name, with options, or one that is configured already.

    `others` are options that whoever asks has beside them.
    """
    if isinstance(method, GraphEstimator):
        if options:
            raise InputError(
                f"{next(iter(options))}= belongs into the estimator given: set it there, or give "
                "the estimator by its name"
            )
        return method
    if not isinstance(method, str) or method not in ESTIMATORS:
        raise unknown("method", method, ESTIMATORS)
    cls = ESTIMATORS[method]
    known = cls().get_params()
    for option in options:
        if option not in known:
            raise InputError(f"method {method!r}: {unknown('option', option, (*known, *others))}")
    return cls(**{**BEST.get(method, {}), **options})


def spare_pairs(
    estimator: GraphEstimator,
    method: str | GraphEstimator,
    options: Mapping[str, Any],
    n_variables: int,
) -> None:
    """Let an estimator of `as_estimator` try edges one by one where two at a time take too long.

    What a user asked for stays.
    """
    if method == "gsmple" and "refine" not in options and n_variables > MOST_FOR_PAIRS:
        estimator.set_params(refine="alternate")
        warn_user(
            f"edges were tried one by one: with more than {MOST_FOR_PAIRS} variables two at a "
            "time, as by refine='pairs', would take long",
        )
