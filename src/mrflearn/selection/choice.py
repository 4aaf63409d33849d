"""What every way of choosing lambda returns."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Choice"]


@dataclass(frozen=True)
class Choice:
    """The point chosen on a path, and why.

    Attributes
    ----------
    selection : str
        The way of choosing: `"fdr"`, `"stars"`, `"heldout"` or `"ebic"`.
    position : int or None
        Where on the path; None for the graph without edges, as no graph of the path would do.
    criterion : str
        What was looked at, in words.
    values : tuple of float
        It at each lambda, in the order of the path; NaN where it was not needed.
    limit : float or None
        The bound that `values` had to keep; None if the best was taken.
    reason : str
        Why this point, in a sentence.
    """

    selection: str
    position: int | None
    criterion: str
    values: tuple[float, ...]
    limit: float | None
    reason: str
