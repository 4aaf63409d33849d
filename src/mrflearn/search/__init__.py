"""Searches: which edges. They see variables by position and a dependence, never data.

Each module has `run(dependence, lam)` and `path(dependence, lams)`.
"""

from mrflearn._edges import symmetrise
from mrflearn.search import chow_liu, greedy_entropy, gs_mple, gsmn, iamb
from mrflearn.search.base import Constraints, SearchResult

__all__ = [
    "Constraints",
    "SearchResult",
    "chow_liu",
    "greedy_entropy",
    "gs_mple",
    "gsmn",
    "iamb",
    "symmetrise",
]
