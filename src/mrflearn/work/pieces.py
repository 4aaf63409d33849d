"""Pieces of one work, such as subsamples: done by an executor, counted, kept in a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._blas import one_thread
from mrflearn._progress import Count, unheard
from mrflearn.checkpoint import current, paused
from mrflearn.work.base import Executor, Work

__all__ = ["do_pieces"]


def do_pieces(
    work: Callable[[Any, Any], NDArray[Any]],
    shared: Any,
    pieces: Sequence[Any],
    executor: Executor,
    phase: str,
    kept_as: str,
    shape: tuple[int, ...] | None = None,
) -> list[NDArray[Any]]:
    """Return work(shared, piece) for each piece, in their order.

    Parameters
    ----------
    work : callable
        At the top of a module, so that it can be sent. Its answers are arrays of numbers, the same
        wherever it is done.
    shared : object
        What all pieces need.
    pieces : sequence
        What each needs.
    executor : Executor
        Who does the work.
    phase : str
        What people read while it is done.
    kept_as : str
        The name of this work in a checkpoint: pieces of the same name and number are the same.
    shape : tuple of int, optional
        Of each answer; those in a checkpoint are held against it.
    """
    checkpoint = current()
    found = {} if checkpoint is None else checkpoint.pieces(kept_as, shape)
    found = {number: answer for number, answer in found.items() if number < len(pieces)}
    missing = [number for number in range(len(pieces)) if number not in found]
    count = Count(phase, len(pieces))
    if found:
        count.advance(len(found))
    everywhere = executor.share((work, shared))
    with one_thread():  # around threads: the limit is the process's, and each puts back what it met
        for at, answer in executor.answers(_do, everywhere, (pieces[number] for number in missing)):
            found[missing[at]] = answer
            if checkpoint is not None:
                checkpoint.keep_piece(kept_as, missing[at], answer)
            count.advance()
    return [np.asarray(found[number]) for number in range(len(pieces))]


def _do(everywhere: tuple[Work, Any], piece: Any) -> Any:
    """Do one piece; of its phases nobody hears, and what it asks is kept nowhere."""
    work, shared = everywhere
    with one_thread(), unheard(), paused():
        return work(shared, piece)
