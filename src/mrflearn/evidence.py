"""Why two variables have an edge, or have none: the numbers behind it, and a sentence for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mrflearn._words import listed

__all__ = ["Evidence", "Explanation"]

RULES = ("sum", "and", "or", "alone")
"""What must exceed lambda: the sum over both ends, each end, one of them, or the two variables
alone, without conditions, in a tree."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a graph was learned from, beside its edges.

    Attributes
    ----------
    rule : {"sum", "and", "or", "alone"} or None
        What the search compared with lambda; None where nothing was.
    information : ndarray of shape (n_nodes, n_nodes), or None
        In row i, I(i; j | neighbors of i without j) in nats; NaN for pairs not looked at.
    entry : ndarray of shape (n_nodes, n_nodes), or None
        The largest lambda of the path at which each edge is present, NaN if never.
    share : float
        The share of lambda that the search compared with.
    given : tuple of tuples of int, or None
        What was given at each node, by position, if not its neighbors in the graph.
    stand_ins : dict
        For each edge that cannot be tested, as the end that its other neighbors determine and the
        other end, by position: those of the neighbors that do, and could stand in its place.
    """

    rule: str | None = None
    information: NDArray[np.float64] | None = None
    entry: NDArray[np.float64] | None = None
    share: float = 1.0
    given: tuple[tuple[int, ...], ...] | None = None
    stand_ins: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rule is not None and self.rule not in RULES:
            raise ValueError(f"unknown rule {self.rule!r}")
        for name in ("information", "entry"):
            matrix = getattr(self, name)
            if matrix is not None:
                own = np.array(matrix, dtype=float)
                own.flags.writeable = False
                object.__setattr__(self, name, own)

    def determined_end(self, i: int, j: int) -> tuple[int | None, tuple[int, ...]]:
        """Return the end of an edge that other neighbors determine, and these; else None."""
        for ends in ((i, j), (j, i)):
            if ends in self.stand_ins:
                return ends[0], self.stand_ins[ends]
        return None, ()

    def shared_by(self, i: int, j: int) -> tuple[float, float] | None:
        """Return what a pair shares at either end, or None where nobody looked."""
        if self.information is None or np.isnan(self.information[i, j]):
            return None
        return float(self.information[i, j]), float(self.information[j, i])

    def place_of(self, i: int, j: int) -> int | None:
        """Return the rank of a pair among those that came onto the path, from 1."""
        if self.entry is None or np.isnan(self.entry[i, j]):
            return None
        earlier = len(self._entries) - np.searchsorted(self._entries, self.entry[i, j], "right")
        return 1 + int(earlier)

    @cached_property
    def _entries(self) -> NDArray[np.float64]:
        """The lambdas at which pairs came onto the path, the smallest first."""
        entry = np.empty((0, 0)) if self.entry is None else self.entry
        known = entry[np.triu_indices(len(entry), 1)]
        return np.sort(known[~np.isnan(known)])


@dataclass(frozen=True)
class Explanation:
    """Why two variables have an edge or none. Printed, it is a paragraph.

    Attributes
    ----------
    source, target : str
        The two variables.
    present : bool
        Whether they share an edge.
    informations : tuple of two floats, or None
        I(source; target | other neighbors of the source), and that of the target, in nats.
    given : tuple of two tuples of str
        Those neighbors.
    weight : float
        Strength of the edge, NaN if there is none or it is unknown.
    unit : str
        What the weight is.
    rule : str or None
        What the search compared with lambda; see `Evidence`.
    threshold : float or None
        What the search compared with.
    lam : float or None
        Lambda of the graph.
    entered : float or None
        The largest lambda at which the edge is on the path; None if it never is.
    place : int or None
        Its rank among the pairs that came onto the path, from 1; some leave it again.
    p_value, q_value, confidence : float or None
        Those of the edge, where known.
    looked_at : bool
        Whether the search looked at the pair; see `screen` of the searches.
    determined : str or None
        An end that other neighbors determine, so that the edge cannot be tested.
    stand_ins : tuple of str
        Those neighbors, which could stand in its place.
    """

    source: str
    target: str
    present: bool
    informations: tuple[float, float] | None
    given: tuple[tuple[str, ...], tuple[str, ...]]
    weight: float
    unit: str
    rule: str | None
    threshold: float | None
    lam: float | None
    entered: float | None
    place: int | None
    p_value: float | None = None
    q_value: float | None = None
    confidence: float | None = None
    looked_at: bool = True
    determined: str | None = None
    stand_ins: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """The sum of the two conditional mutual informations."""
        return None if self.informations is None else sum(self.informations)

    def __str__(self) -> str:
        sentences = [self._verdict(), *self._shared(), *self._compared(), *self._entered()]
        return " ".join([*sentences, *self._tested()])

    def _verdict(self) -> str:
        edge = "an edge" if self.present else "no edge"
        return f"{self.source} and {self.target} have {edge}."

    def _shared(self) -> list[str]:
        if not self.looked_at:
            return ["The search did not look at this pair: it was screened out."]
        if self.informations is None:
            if not self.present or np.isnan(self.weight):
                return []
            return [f"Its weight is {self.weight:.3g} ({self.unit})."]
        if self.rule == "alone":
            return [f"They share {self.informations[0]:.3g} nats."]
        here, there = self.informations
        first = f"They share {here:.3g} nats of information {_beyond(self.source, self.given[0])}"
        return [f"{first}, and {there:.3g} {_beyond(self.target, self.given[1])}."]

    def _compared(self) -> list[str]:
        if self.informations is None or self.threshold is None or self.rule is None:
            return []
        here, there = self.informations
        value = {"sum": here + there, "and": min(here, there), "or": max(here, there)}.get(
            self.rule, here
        )
        what = {
            "sum": "The sum",
            "and": "The smaller of the two",
            "or": "The larger of the two",
            "alone": "That",
        }[self.rule]
        than = "more" if value > self.threshold else "no more"
        bar = "lambda" if self.threshold == self.lam else "the share of lambda that counts"
        if (value > self.threshold) == self.present:
            why = "so it stayed" if self.present else "so it was left out"
        elif self.rule == "sum" and not self.present:
            why = (
                "but one end shows independence, or prior knowledge or the search decided otherwise"
            )
        else:
            why = "but prior knowledge, or the order of the search, decided otherwise"
        return [f"{what}, {value:.3g}, is {than} than {bar}, {self.threshold:.3g}: {why}."]

    def _entered(self) -> list[str]:
        if self.entered is None:
            known = self.present or self.lam is None or not self.looked_at
            return [] if known else ["It is nowhere on the path."]
        place = "" if self.place is None else f", as number {self.place} of all pairs that do"
        return [f"It enters the path at lambda {self.entered:.3g}{place}."]

    def _tested(self) -> list[str]:
        found = []
        if self.p_value is not None:
            q = "" if self.q_value is None else f" (q = {self.q_value:.2g} among all pairs)"
            found.append(
                "Were they independent given their other neighbors, a score as large would have "
                f"probability {self.p_value:.2g}{q}."
            )
        elif self.present and self.stand_ins:
            found.append(
                f"The edge cannot be tested: {listed(self.stand_ins, most=6)} "
                f"determine{'s' if len(self.stand_ins) == 1 else ''} {self.determined}, and could "
                "stand in its place."
            )
        if self.confidence is not None:
            found.append(f"It was found again in {self.confidence:.0%} of the subsamples.")
        return found


def _beyond(node: str, given: tuple[str, ...]) -> str:
    """Return the words for what is known already."""
    if not given:
        return f"with nothing else known about {node}"
    return f"beyond what {listed(given, most=6)} tell{'s' if len(given) == 1 else ''} about {node}"
