"""What figures read of a result. They know its shape, not the code that learns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mrflearn.graph import Graph, GraphPath

__all__ = ["ChoiceLike", "ResultLike", "StabilityLike"]


@runtime_checkable
class StabilityLike(Protocol):
    """What `mrflearn.stability` returns."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The variables."""

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Share of subsamples with each edge; (n_nodes, n_nodes)."""

    @property
    def n_subsamples(self) -> int:
        """How many."""


class ChoiceLike(Protocol):
    """The point chosen on a path, and why."""

    @property
    def position(self) -> int | None:
        """Where on the path; None for the graph without edges."""

    @property
    def criterion(self) -> str:
        """What was looked at."""

    @property
    def values(self) -> Sequence[float]:
        """It at each lambda."""

    @property
    def limit(self) -> float | None:
        """The bound to keep."""


@runtime_checkable
class ResultLike(Protocol):
    """What `mrflearn.learn` returns."""

    @property
    def graph(self) -> Graph:
        """The graph chosen."""

    @property
    def path(self) -> GraphPath:
        """The graphs it was chosen from."""

    @property
    def lam(self) -> float:
        """The penalty chosen."""

    @property
    def choice(self) -> ChoiceLike | None:
        """Why; None if lambda was given."""

    @property
    def stability(self) -> StabilityLike | None:
        """How often edges were found in subsamples, if asked for."""
