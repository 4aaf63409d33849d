"""What long work has found so far, in one file that a crash cannot spoil.

The file is an SQLite database with a write-ahead log: whatever was committed is there after a
kill -9 or on a full disk, and the rest was never there. It holds the answers to a fit's questions,
and pieces that are finished, such as subsamples, as numbers; nothing in it is ever run. It belongs
to one table and one set of options, and is refused with others.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrflearn._progress import Count
from mrflearn.errors import InputError

__all__ = ["Checkpoint", "checkpointing", "current", "paused"]

MAGIC = 0x4D52464C
"""Says in the header of the file whose it is."""

FORMAT = 1

SCHEMA = {
    "owner": "CREATE TABLE owner (what TEXT NOT NULL)",
    "answers": (
        "CREATE TABLE answers (i INTEGER NOT NULL, given BLOB NOT NULL, candidates BLOB NOT NULL, "
        "numbers BLOB NOT NULL)"
    ),
    "pieces": (
        "CREATE TABLE pieces (phase TEXT NOT NULL, number INTEGER NOT NULL, numbers BLOB NOT NULL, "
        "PRIMARY KEY (phase, number))"
    ),
}

PERIOD = 0.5
"""Seconds between commits of answers, which may be many and quick."""

INDEX = np.dtype("<i4")
NUMBER = np.dtype("<f8")

Answered = tuple[int, tuple[int, ...], tuple[int, ...], NDArray[np.float64]]
"""A variable, its candidates, what is given, and the answer."""


class Checkpoint:
    """The file of one run.

    Parameters
    ----------
    path : path
        Made if absent.
    data : str
        Fingerprint of the table.
    options : mapping
        What the result depends on, as JSON can hold it.

    Attributes
    ----------
    n_resumed : int
        Values and pieces that were there.
    """

    def __init__(self, path: str | os.PathLike[str], data: str, options: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._owner = {"format": FORMAT, "data": data, "options": _as_json(options)}
        self._connection = self._open()
        self._committed = time.monotonic()
        try:
            self._check()
            counted = (
                self._query("SELECT COALESCE(SUM(LENGTH(numbers)), 0) FROM answers"),
                self._query("SELECT COUNT(*) FROM pieces"),
            )
            self.n_resumed = counted[0][0][0] // NUMBER.itemsize + counted[1][0][0]
        except BaseException:
            self._connection.close()
            raise

    def answers(self, n_variables: int) -> Iterator[Answered]:
        """Yield the answers that are there."""
        for i, given, candidates, numbers in self._query(
            "SELECT i, given, candidates, numbers FROM answers"
        ):
            conditions, others = self._indices(given), self._indices(candidates)
            values = self._array(numbers, NUMBER)
            inside = all(0 <= j < n_variables for j in (i, *conditions, *others))
            if not inside or len(others) != len(values) or not np.isfinite(values).all():
                raise self._spoilt("an answer in it is none")
            yield i, others, conditions, values

    def keep_answers(self, answers: Iterable[Answered]) -> None:
        """Add answers."""
        rows = [
            (i, _bytes(given, INDEX), _bytes(candidates, INDEX), _bytes(answer, NUMBER))
            for i, candidates, given, answer in answers
        ]
        with self._speaking():
            self._connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
        if time.monotonic() - self._committed >= PERIOD:
            self._commit()

    def pieces(self, phase: str, shape: tuple[int, ...] | None = None) -> dict[int, NDArray[Any]]:
        """Return the finished pieces of a phase, by their number; of one shape, if it is given."""
        found = {}
        for number, numbers in self._query(
            "SELECT number, numbers FROM pieces WHERE phase = ?", (phase,)
        ):
            try:
                found[int(number)] = np.load(io.BytesIO(numbers), allow_pickle=False)
            except (ValueError, EOFError, OSError, TypeError, MemoryError, TokenError):
                raise self._spoilt(f"piece {number} of {phase!r} is none") from None
            if shape is not None and found[int(number)].shape != shape:
                raise self._spoilt(f"piece {number} of {phase!r} has another shape")
        return found

    def keep_piece(self, phase: str, number: int, numbers: NDArray[Any]) -> None:
        """Add a finished piece, for good: the next may be long in coming."""
        stream = io.BytesIO()
        np.save(stream, numbers, allow_pickle=False)
        row = (phase, number, stream.getvalue())
        self._query("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", row)
        self._commit()

    def close(self) -> None:
        """Commit what is there, and let go of the file."""
        try:
            self._commit()
        finally:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise InputError(f"checkpoint {str(self.path)!r} is a folder; name a file in it")
        with self._speaking():
            connection = sqlite3.connect(self.path, timeout=0, check_same_thread=False)
        self._connection = connection
        try:
            for setting in (
                "trusted_schema = OFF",
                "cell_size_check = ON",
                "mmap_size = 0",
                "locking_mode = EXCLUSIVE",
                "journal_mode = WAL",
                "synchronous = NORMAL",
            ):
                self._query(f"PRAGMA {setting}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self) -> None:
        """Make the tables of a new file; refuse a file that is not ours, or another run's."""
        there = self._query("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        if not there and self._query("PRAGMA application_id")[0][0] in (0, MAGIC):
            # All or nothing: else a kill between two tables would leave what is no checkpoint.
            self._query("BEGIN")
            self._query(f"PRAGMA application_id = {MAGIC}")
            for table in SCHEMA.values():
                self._query(table)
            self._query("INSERT INTO owner VALUES (?)", (json.dumps(self._owner, sort_keys=True),))
            self._commit()
            return
        if dict(there) != SCHEMA or self._query("PRAGMA application_id")[0][0] != MAGIC:
            raise InputError(
                f"{str(self.path)!r} is a database, but no checkpoint of ours: name another file"
            )
        rows = self._query("SELECT what FROM owner")
        try:
            owner = json.loads(rows[0][0])
            options = dict(owner["options"])
            data, version = owner["data"], owner["format"]
        except (IndexError, KeyError, TypeError, ValueError):
            raise self._spoilt("it does not say whose it is") from None
        remedy = f"name another file, or delete {str(self.path)!r} to begin anew"
        if version != FORMAT:
            raise InputError(f"checkpoint {str(self.path)!r} has another format: {remedy}")
        if data != self._owner["data"]:
            raise InputError(f"checkpoint {str(self.path)!r} belongs to other data: {remedy}")
        if options != self._owner["options"]:
            raise InputError(
                f"checkpoint {str(self.path)!r} was begun with other options "
                f"({_differences(options, self._owner['options'])}): {remedy}"
            )

    def _query(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._speaking():
            return self._connection.execute(statement, values).fetchall()

    def _commit(self) -> None:
        with self._speaking():
            self._connection.commit()
        self._committed = time.monotonic()

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Say what is wrong with the file in a sentence."""
        name = repr(str(self.path))
        try:
            yield
        except sqlite3.Error as error:
            said = str(error)
            if "locked" in said:
                raise InputError(
                    f"checkpoint {name} is in use by another run: wait for it, or name another file"
                ) from None
            if "full" in said or "disk I/O" in said:
                raise InputError(
                    f"cannot write checkpoint {name}: {said}; make room there and run the same "
                    "again: what was written stays"
                ) from None
            folder = self.path.parent
            if not folder.is_dir():
                raise InputError(
                    f"cannot write checkpoint {name}: there is no folder {str(folder)!r}; make it "
                    "first"
                ) from None
            if "unable to open" in said or "readonly" in said:
                raise InputError(f"cannot write checkpoint {name}: {said}") from None
            raise self._spoilt(said) from None
        except (OverflowError, UnicodeDecodeError) as error:
            raise self._spoilt(str(error)) from None

    def _spoilt(self, why: str) -> InputError:
        return InputError(
            f"{str(self.path)!r} cannot be read as a checkpoint: {why}; name another file"
        )

    def _indices(self, blob: Any) -> tuple[int, ...]:
        return tuple(self._array(blob, INDEX).tolist())

    def _array(self, blob: Any, kind: np.dtype[Any]) -> NDArray[Any]:
        if not isinstance(blob, bytes) or len(blob) % kind.itemsize:
            raise self._spoilt("an answer in it is none")
        return np.frombuffer(blob, kind)


def _bytes(numbers: Any, kind: np.dtype[Any]) -> bytes:
    return np.asarray(numbers, dtype=kind).tobytes()


def _as_json(options: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(dict(options), sort_keys=True))


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return which options differ, in words; the first three."""
    told = [
        f"{name}: {there.get(name)!r} there, {here.get(name)!r} here"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    ]
    return "; ".join(told[:3]) + (f"; and {len(told) - 3} more" if len(told) > 3 else "")


_current: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


def current() -> Checkpoint | None:
    """Return the checkpoint of the work being done."""
    return _current.get()


@contextmanager
def checkpointing(
    path: str | os.PathLike[str] | None, data: str, options: Mapping[str, Any]
) -> Iterator[None]:
    """Keep in a file what is found, and begin with what is there; with no path, do not.

    Within other work that has a checkpoint already, that one is used.
    """
    if path is None or _current.get() is not None:
        yield
        return
    checkpoint = Checkpoint(path, data, options)
    before = _current.set(checkpoint)
    try:
        if checkpoint.n_resumed:
            Count("Resuming", checkpoint.n_resumed).finish()
        yield
    except BaseException:  # what is not written is lost, but not why
        with suppress(InputError):
            checkpoint.close()
        raise
    else:
        checkpoint.close()
    finally:
        _current.reset(before)


@contextmanager
def paused() -> Iterator[None]:
    """Do work that has no place in the checkpoint of the work around it."""
    before = _current.set(None)
    try:
        yield
    finally:
        _current.reset(before)
