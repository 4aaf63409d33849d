"""Linear algebra on one thread: sums of another order have other last bits.

What a fit computes must not depend on the cores of a machine, nor on where a part of it is done.
It is no slower: our matrices are small, and two threads of BLAS that wait for each other, on two
cores with other work, took twice as long as one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

__all__ = ["one_thread"]


def one_thread() -> AbstractContextManager[Any]:
    """Let BLAS and OpenMP use one thread meanwhile."""
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own, which must be there to be told
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits
