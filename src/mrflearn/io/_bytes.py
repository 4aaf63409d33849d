"""Getting the bytes of a table: from a file, a pipe or standard input, compressed or not.

Nothing here waits for ever or fills the memory without bound. A file is read if it fits into
memory, a pipe or standard input up to `LARGEST_STREAM`. A named pipe is given `PATIENCE` seconds
for a program to open it; from then on that program sets the pace, as with standard input. Devices
and sockets are refused.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from mrflearn._memory import as_text
from mrflearn.errors import InputError, suggestion

__all__ = ["read_bytes", "unpacked"]

LARGEST_STREAM = 2**30
"""Bytes read from what does not say how long it is."""

PATIENCE = 5.0
"""Seconds that a named pipe may stay without a program that writes to it."""

LARGEST_RATIO = 200
"""How many times its packed size a table may have; tables rarely reach 50, bombs 1,000."""

ALWAYS_ALLOWED = 2**26
"""Bytes that may be unpacked whatever the ratio."""

_PORTION = 2**20
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate line ends


def read_bytes(source: str) -> bytes:
    """Return what a file, a pipe or standard input (`-`) holds, or say why it cannot be read."""
    if source == "-" or source == "/dev/stdin":
        return _read_standard_input()
    shown = repr(source)
    try:
        # Without O_NONBLOCK a pipe nobody writes to would keep us here.
        handle = os.open(source, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
        raise _unreadable(Path(source), error) from None
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if stat.S_ISFIFO(status.st_mode):
            return _read_pipe(handle, shown)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(
                f"cannot read {shown}: it is a device, not a file; name a file, or give - for "
                "standard input"
            )
        _check_size(status.st_size, shown)
        return _read_all(lambda: os.read(handle, _PORTION), shown, max(2 * status.st_size, 2**30))
    except OSError as error:
        raise _unreadable(Path(source), error) from None
    finally:
        os.close(handle)


def _read_standard_input() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError("cannot read standard input: there is none; name a file")
    try:
        return _read_all(lambda: stream.read(_PORTION), "standard input", LARGEST_STREAM)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # a ValueError: it is closed
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read standard input: {reason}; name a file") from None


def _read_all(read: Callable[[], bytes], shown: str, most: int) -> bytes:
    """Read to the end, or until there is more than any table would have."""
    portions = []
    size = 0
    while portion := read():
        size += len(portion)
        if size > most:
            raise InputError(
                f"{shown} goes on after {as_text(most)}: save the table to a file and read that"
            )
        portions.append(portion)
    return b"".join(portions)


def _read_pipe(handle: int, shown: str) -> bytes:
    """Read what a program writes to a pipe, once there is one."""
    given_up = time.monotonic() + PATIENCE
    connected = False

    def read() -> bytes:
        nonlocal connected
        while True:
            try:
                portion = os.read(handle, _PORTION)
            except BlockingIOError:  # a program has opened the pipe, and has yet to write
                connected = True
                select.select([handle], [], [])
                continue
            if portion or connected:
                connected = True
                return portion
            if time.monotonic() > given_up:
                raise InputError(
                    f"cannot read {shown}: it is a pipe, and no program wrote to it within "
                    f"{PATIENCE:g} seconds; start that program first"
                )
            time.sleep(0.02)

    return _read_all(read, shown, LARGEST_STREAM)


def _check_size(size: int, shown: str) -> None:
    """Say if a file is larger than the memory of this computer."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows; what does not fit fails later
        return
    if size > memory:
        raise InputError(
            f"cannot read {shown}: it has {as_text(size)} and this computer {as_text(memory)} of "
            "memory; take a sample of its rows"
        )


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    """Return why a file cannot be read, with a remedy."""
    shown = repr(str(path))
    if isinstance(error, FileNotFoundError):
        if not os.path.isdir(path.parent):
            return InputError(
                f"cannot read {shown}: there is no folder {str(path.parent)!r}"
                f"{suggestion(path.parent)}"
            )
        return InputError(
            f"cannot read {shown}: there is no such file{suggestion(path) or '; check the path'}"
        )
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):  # Windows denies permission
        return InputError(f"cannot read {shown}: it is a folder; name a file in it")
    if isinstance(error, PermissionError):
        return InputError(
            f"cannot read {shown}: permission denied; ask its owner for the right to read it"
        )
    reason = getattr(error, "strerror", None) or error
    return InputError(f"cannot read {shown}: {reason}; check the path")


def unpacked(content: bytes, name: str) -> bytes:
    """Return what gzip has packed, or `content` itself if gzip has not."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    most = max(ALWAYS_ALLOWED, LARGEST_RATIO * len(content))
    portions: list[bytes] = []
    size = 0
    rest = content
    while rest:  # one member after the other
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            try:
                portion = member.decompress(rest, _PORTION)
            except zlib.error as error:
                raise _damaged(name, f"{error}".rsplit(": ", 1)[-1]) from None
            rest = member.unconsumed_tail
            size += len(portion)
            if size > most:
                raise InputError(
                    f"{name} has {as_text(len(content))} and unpacks to more than {as_text(most)}, "
                    "which no table does: check what it holds, then unpack it yourself"
                )
            portions.append(portion)
            if not rest and not portion and not member.eof:
                raise _damaged(name, "it ends early")
        rest = member.unused_data.lstrip(b"\0")
    return b"".join(portions)


def _damaged(name: str, reason: str) -> InputError:
    return InputError(f"{name} is compressed with gzip and damaged ({reason}): make it again")
