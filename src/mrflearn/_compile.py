"""Compiling kernels, with a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["compiled", "inlined"]


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a kernel; it runs without the interpreter lock, so threads help.

    Numba keeps compiled code beside the source file, or in the user's cache folder. Where neither
    can be written it refuses, and the kernel is compiled anew in each process instead.
    """
    try:
        return numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(nogil=True, **options)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a part of a kernel's inner loop, where a call would cost as much as the work."""
    return compiled(function, forceinline=True)
