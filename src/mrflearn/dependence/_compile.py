"""Compiling kernels, with a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["compiled"]


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel; it runs without the interpreter lock, so threads help.

    Numba keeps compiled code beside the source file, or in the user's cache folder. Where neither
    can be written it refuses, and the kernel is compiled anew in each process instead.
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)
