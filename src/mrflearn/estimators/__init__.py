"""scikit-learn estimators: what the other rooms hold, put together. No algorithm here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mrflearn.errors import InputError, unknown
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
    return cls(**options)
