"""The paper's claims, each held against the results: holds, does not hold, or undecided.

A claim is a set of differences in area under the averaged ROC curve. It holds if every 95 %
bootstrap interval is on its side, does not hold if one is on the other side, and is undecided
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mrflearn.experiments.paper import MI_BASED
from mrflearn.experiments.summary import Interval, Standings

__all__ = ["CLOSE", "Claim", "Evidence", "paper_claims"]

CLOSE = 0.05
"""Areas that differ by less than this are close."""

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"


@dataclass(frozen=True)
class Evidence:
    """One difference, and what it says."""

    text: str
    lead: Interval
    verdict: str

    def __str__(self) -> str:
        signed = f"{self.lead.value:+.3f} [{self.lead.low:+.3f}, {self.lead.high:+.3f}]"
        return f"{self.text}: {signed}, {self.verdict}"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and the evidence for and against."""

    text: str
    evidence: tuple[Evidence, ...]

    @property
    def verdict(self) -> str:
        """What the evidence comes to."""
        verdicts = {part.verdict for part in self.evidence}
        if FAILS in verdicts:
            return FAILS
        return UNDECIDED if UNDECIDED in verdicts else HOLDS


def paper_claims(standings: Standings) -> tuple[Claim, ...]:
    """Return the paper's four claims with their evidence."""
    at_home = [("ising", "JOSE"), ("gaussian", "GLASSO"), ("gaussian", "SKEPTIC")]
    abroad = [
        ("hmm-discrete", "JOSE"),
        ("hmm-continuous", "GLASSO"),
        ("hmm-continuous", "SKEPTIC"),
    ]
    first = (
        _leads(standings, world, method, rival) for world, method in at_home for rival in MI_BASED
    )
    second = (
        _leads(standings, world, method, rival) for world, rival in abroad for method in MI_BASED
    )
    third = (_leads(standings, "hmm-continuous", "GS-MPLE", rival) for rival in ("GSMN", "IAMB"))
    fourth = (
        _is_close(standings, "hmm-discrete", method, rival)
        for at, method in enumerate(MI_BASED)
        for rival in MI_BASED[at + 1 :]
    )
    return (
        _claim("JOSE leads in (a), GLASSO and SKEPTIC lead in (c)", first),
        _claim(
            "the parametric methods do poorly in (b) and (d), and the MI-based ones lead there",
            second,
        ),
        _claim("GS-MPLE leads GSMN and IAMB in (d)", third),
        _claim(f"in (b) the MI-based methods are close (within {CLOSE})", fourth),
    )


def _claim(text: str, evidence: Iterable[Evidence]) -> Claim:
    return Claim(text, tuple(evidence))


def _leads(standings: Standings, world: str, method: str, rival: str) -> Evidence:
    lead = standings.lead(world, method, rival)
    verdict = HOLDS if lead.low > 0 else FAILS if lead.high < 0 else UNDECIDED
    return Evidence(f"{world}: {method} over {rival}", lead, verdict)


def _is_close(standings: Standings, world: str, method: str, rival: str) -> Evidence:
    lead = standings.lead(world, method, rival)
    if lead.low > -CLOSE and lead.high < CLOSE:
        verdict = HOLDS
    elif lead.low > CLOSE or lead.high < -CLOSE:
        verdict = FAILS
    else:
        verdict = UNDECIDED
    return Evidence(f"{world}: {method} against {rival}", lead, verdict)
