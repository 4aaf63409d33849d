"""Writing files so that a reader sees the old content or the new, never a part of it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from mrflearn.errors import InputError

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write `content` to `path`; on any failure the file that was there stays as it was.

    The content goes to a temporary file in the same folder, reaches the disk, and takes the name
    in one step. A link stays a link: the file it points to changes. What is no file, such as
    /dev/stdout, is written straight.
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    if os.path.isdir(target):
        raise InputError(f"cannot write {str(target)!r}: it is a folder; name a file in it")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            target.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(target)), data)
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        reason = getattr(error, "strerror", None) or error
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "; make room there, or choose another folder" if full else ""
        raise InputError(f"cannot write {str(target)!r}: {reason}{remedy}") from None
    return target


def _replace(target: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """Return the permissions `target` has, or those a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
