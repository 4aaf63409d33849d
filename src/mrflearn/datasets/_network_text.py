"""The text format of discrete Bayesian networks: reading with line numbers, and writing."""

from __future__ import annotations

import graphlib
import itertools
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, suggestion, unknown

__all__ = ["Description", "from_text", "row_problem", "text_of", "to_text"]

Labels = tuple[str, ...]

TOLERANCE = 1e-6
"""How far from 1 the sum of a row may be: tables are often printed with six or seven digits."""


class Description(NamedTuple):
    """What a text says of a network; the same as the parameters of `BayesianNetwork`."""

    names: Labels
    levels: tuple[Labels, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]


def row_problem(probabilities: Sequence[float]) -> str:
    """Return what is wrong with the probabilities of a distribution, with the remedy, or ""."""
    for value in probabilities:
        if not math.isfinite(value):
            return f"holds {value}, which is no probability; write numbers from 0 to 1"
        if value < 0:
            return f"holds the negative probability {value}; write numbers from 0 to 1"
    total = math.fsum(probabilities)
    if round(abs(total - 1), 9) > TOLERANCE:
        return f"sums to {total:.9g}; make its probabilities sum to 1"
    return ""


def to_text(network: Description) -> str:
    """Write a network so that `from_text` reads the same numbers to the last bit."""
    blocks = []
    for name, levels, parents, table in zip(*network, strict=True):
        for word in (name, *levels):
            _check_writable(word, name)
        given = f" | {' '.join(network.names[parent] for parent in parents)}" if parents else ""
        keys = itertools.product(*(network.levels[parent] for parent in parents))
        labels = [f"{' '.join(key)}:" for key in keys] if parents else [""]
        width = max(map(len, labels)) + 1 if parents else 0
        rows = table.reshape(-1, len(levels)).tolist()
        lines = [f"{name}: {' '.join(levels)}{given}"] + [
            f"    {label:<{width}}{' '.join(map(repr, row))}"
            for label, row in zip(labels, rows, strict=True)
        ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _check_writable(word: str, node: str) -> None:
    if not word or re.search(r"[\s:|#]", word):
        raise InputError(
            f"{word!r}, of node {node!r}, cannot be written to a network file: names and levels "
            "there are words without spaces, ':', '|' and '#'; rename it"
        )


@dataclass
class _Draft:
    """A node whose header is read; its rows wait until all nodes are known."""

    line: int
    name: str
    levels: Labels
    parents: Labels
    rows: list[tuple[int, str]] = field(default_factory=list)


def from_text(text: str, source: str = "") -> Description:
    """Read a network from text, or say in one sentence which line is wrong, and how to mend it.

    `source` is put before the line number in messages, such as the name of a file.
    """
    at = _Places(source)
    drafts = _read_drafts(text, at)
    known = {draft.name: draft for draft in drafts}
    for draft in drafts:
        for parent in draft.parents:
            if parent not in known:
                raise at.error(draft.line, str(unknown("parent", parent, known)))
    _check_acyclic(drafts, at)
    place = {name: position for position, name in enumerate(known)}
    return Description(
        names=tuple(known),
        levels=tuple(draft.levels for draft in drafts),
        parents=tuple(tuple(place[parent] for parent in draft.parents) for draft in drafts),
        tables=tuple(_read_table(draft, known, at) for draft in drafts),
    )


def text_of(path: str | os.PathLike[str]) -> str:
    """Return what a file in UTF-8 holds, or say why it cannot be read."""
    file, shown = Path(path), repr(os.fspath(path))
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"cannot read {shown}: there is no such file{suggestion(file) or '; check the path'}"
        ) from None
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {shown}: {reason}; check the path") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown} is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}; save "
            "it as UTF-8"
        ) from None


@dataclass(frozen=True)
class _Places:
    """Where errors are: a line, of a file if there is one."""

    source: str

    def error(self, line: int, problem: str) -> InputError:
        return InputError(f"{self.source}{', ' if self.source else ''}line {line}: {problem}")


def _read_drafts(text: str, at: _Places) -> list[_Draft]:
    drafts: list[_Draft] = []
    for line, content, indented in _lines(text):
        if not indented:
            draft = _read_header(line, content, at)
            earlier = next((other for other in drafts if other.name == draft.name), None)
            if earlier is not None:
                raise at.error(
                    line,
                    f"node {draft.name!r} is there already, in line {earlier.line}; remove one of "
                    "them, or indent this line if it is a row",
                )
            drafts.append(draft)
        elif drafts:
            drafts[-1].rows.append((line, content))
        else:
            raise at.error(
                line, f"{content!r} is indented but follows no node; begin with 'name: level level'"
            )
    if not drafts:
        where = at.source or "the text"
        raise InputError(f"{where} describes no network: write 'name: level level' for each node")
    return drafts


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line number, content without its comment, and whether it is indented."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        content = line.split("#", 1)[0].rstrip()
        if content.strip():
            yield number, content.strip(), content[0].isspace()


def _read_header(line: int, content: str, at: _Places) -> _Draft:
    before, colon, after = content.partition(":")
    names = before.split()
    if not colon or len(names) != 1:
        raise at.error(
            line,
            f"{content!r} is no node; write 'name: level level' with a name of one word, and "
            "indent the rows below it",
        )
    (name,) = names
    own, bar, others = after.partition("|")
    levels, parents = tuple(own.split()), tuple(others.split())
    for word in (*levels, *parents):
        if ":" in word or "|" in word:
            raise at.error(line, f"{word!r} is no name: words hold neither ':' nor '|'")
    if len(levels) < 2:
        raise at.error(
            line,
            f"node {name!r} has {len(levels) or 'no'} level{'s' * (not levels)}; write at least "
            "two after the colon",
        )
    if bar and not parents:
        raise at.error(line, f"node {name!r} has no parents after '|'; name them or remove the bar")
    for what, words in (("level", levels), ("parent", parents)):
        if len(set(words)) < len(words):
            repeated = next(word for word in words if words.count(word) > 1)
            raise at.error(line, f"node {name!r} has the {what} {repeated!r} twice; remove one")
    return _Draft(line, name, levels, parents)


def _check_acyclic(drafts: Sequence[_Draft], at: _Places) -> None:
    try:
        graphlib.TopologicalSorter({draft.name: draft.parents for draft in drafts}).prepare()
    except graphlib.CycleError as error:
        cycle = error.args[1]
        line = next(draft.line for draft in drafts if draft.name == cycle[-1])
        raise at.error(
            line, f"the arcs form a cycle, {' -> '.join(cycle)}; take one of them out"
        ) from None


def _read_table(draft: _Draft, known: dict[str, _Draft], at: _Places) -> NDArray[np.float64]:
    """Return the table of a node: an axis for each parent, and one for its own levels."""
    parent_levels = [known[parent].levels for parent in draft.parents]
    found: dict[Labels, tuple[float, ...]] = {}
    for line, content in draft.rows:
        label, colon, numbers = content.rpartition(":")
        labels = tuple(label.split())
        if colon and not draft.parents:
            raise at.error(
                line,
                f"node {draft.name!r} has no parents, so its row is numbers alone; remove "
                f"{label + ':'!r}, or name the parents in line {draft.line} after '|'",
            )
        if len(labels) != len(draft.parents):
            raise at.error(
                line,
                f"a row of node {draft.name!r} begins with a level of each of its parents "
                f"({', '.join(draft.parents)}) and a colon, got {content!r}",
            )
        for parent, level in zip(draft.parents, labels, strict=True):
            if level not in known[parent].levels:
                error = unknown(f"level of {parent!r}", level, known[parent].levels)
                raise at.error(line, str(error))
        if labels in found:
            what = f"row {' '.join(labels)!r} of node" if labels else "row of node"
            raise at.error(line, f"the {what} {draft.name!r} is there twice; remove one")
        found[labels] = _read_probabilities(line, numbers, draft, at)
    # One after another: many parents have more rows than fit, and the first missing one ends it.
    for labels in itertools.product(*parent_levels):
        if labels not in found:
            which = f" for {' '.join(labels)!r}" if labels else ""
            raise at.error(
                draft.line,
                f"node {draft.name!r} has no row of probabilities{which}; add it, indented, below "
                "this line",
            )
    shape = [*map(len, parent_levels), len(draft.levels)]
    rows = [found[labels] for labels in itertools.product(*parent_levels)]
    return np.array(rows).reshape(shape)


def _read_probabilities(line: int, text: str, draft: _Draft, at: _Places) -> tuple[float, ...]:
    row = []
    for word in text.split():
        try:
            row.append(float(word))
        except ValueError:
            raise at.error(
                line, f"{word!r} is not a number; write probabilities such as 0.25"
            ) from None
    if len(row) != len(draft.levels):
        raise at.error(
            line,
            f"node {draft.name!r} has {len(draft.levels)} levels ({', '.join(draft.levels)}) but "
            f"this row has {len(row)} probabilities; write one for each level",
        )
    problem = row_problem(row)
    if problem:
        raise at.error(line, f"the row {problem}")
    return tuple(row)
