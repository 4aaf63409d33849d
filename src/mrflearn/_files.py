"""Writing files so that a reader sees the old content or the new, never a part of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mrflearn.errors import InputError

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write `content` to `path`; on any failure the file that was there stays as it was.

    The content goes to a temporary file in the same folder, reaches the disk, and takes the name
    in one step.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    if target.is_dir():
        raise InputError(f"cannot write {str(target)!r}: it is a folder; name a file in it")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    except OSError as error:
        raise InputError(f"cannot write {str(target)!r}: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(target)!r}: {error.strerror or error}") from None
        raise
    return target


def _mode(target: Path) -> int:
    """Return the permissions `target` has, or those a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
