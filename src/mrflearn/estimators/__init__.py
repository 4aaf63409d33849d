"""scikit-learn estimators: what the other rooms hold, put together. No algorithm here."""

from mrflearn.estimators.base import GraphEstimator
from mrflearn.estimators.parametric import (
    JOSE,
    GLasso,
    MixedPairwise,
    NodewiseLasso,
    NodewiseLogistic,
    ParametricEstimator,
    Skeptic,
    Space,
)
from mrflearn.estimators.searches import (
    GSMN,
    GSMPLE,
    IAMB,
    BlanketEstimator,
    ChowLiu,
    GreedyEntropy,
    SearchEstimator,
)

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
