"""Where neighbours are counted: on the processor, or on a CUDA card. The counts are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mrflearn.errors import unknown
from mrflearn.table import Table

if TYPE_CHECKING:
    from mrflearn.dependence.neighbours import NeighbourCounts

__all__ = ["DEVICES", "check_device", "counts_on"]

DEVICES = ("cpu", "cuda", "auto")

WORTH_A_CARD = 500
"""Samples from which a card is chosen where there is one. It answers sooner from 100 on, 8 times at
500 (`benchmarks/gpu.py`), but takes a second or more to be started."""


def check_device(device: Any) -> None:
    """Refuse what is no device."""
    if device not in DEVICES:
        raise unknown("device", device, DEVICES)


def counts_on(
    device: str, table: Table, k: int, nominal_distance: float, max_memory: int | None = None
) -> NeighbourCounts:
    """Return what counts neighbours between the variables of a table, on a device."""
    from mrflearn.dependence.neighbours import NeighbourCounts

    if device == "cpu" or (device == "auto" and table.n_samples < WORTH_A_CARD):
        return NeighbourCounts(table, k, nominal_distance, max_memory)
    from mrflearn.dependence.card import MOST_NEIGHBORS, CardCounts, check_card, has_card

    if device == "cuda":
        check_card()
    elif not has_card() or k > MOST_NEIGHBORS:
        return NeighbourCounts(table, k, nominal_distance, max_memory)
    return CardCounts(table, k, nominal_distance, max_memory)
