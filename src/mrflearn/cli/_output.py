"""What commands show: messages in the words of the command line, tables, JSON, lists of names."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from mrflearn.cli._completion import METHODS
from mrflearn.errors import InputError

__all__ = [
    "close_output",
    "few_of",
    "in_flags",
    "plain_warnings",
    "printable",
    "show_rows",
    "summary",
    "write",
    "write_json",
]

_FLAGS: list[tuple[str, str]] = [
    (r"missing='drop'", "--missing drop"),
    (r"kinds=\{'(.+?)': \[lowest, …, highest\]\}", r"--kinds '\1=lowest<…<highest'"),
    (r"declare kinds=\{'(.+?)': '(\w+)'\}", r"declare it with --kinds '\1=\2'"),
    (r"kinds=\{'(.+?)': '?(.+?)'?\}", r"--kinds '\1=\2'"),
    (r"^(column '(.+?)' .*): leave it out\b(?! with)", r"\1: leave it out with --drop '\2'"),
    (r"^(required|forbidden|kinds|na)=:", r"--\1:"),
    (r"\brefine='(\w+)'", r"--refine \1"),
    (r"leave tests out by test=False$", "leave tests out by --no-test"),
    (r"look at fewer pairs by screen=$", "look at fewer pairs by --screen"),
    (r"^groups=:", "--group:"),
    (r"\bn_samples=(\d+)", r"\1 rows"),
    (r"\bn_neighbors\b=?\s?", "--n-neighbors "),
    (r"\bn_jobs\b=?\s?", "--n-jobs "),
    (r"\bmax_memory\b=?\s?", "--max-memory "),
    (r"\bdevice='(\w+)'", r"--device \1"),
    (r"^(lam|delimiter) must", r"--\1 must"),
    (r"give (\S+|' ') as the delimiter$", r"add --delimiter \1"),
    (r"(does not apply to dependence .+?): it takes .*", r"\1: leave it out"),
    (r"raise max_iter or lam$", "raise --lam"),
    (r"^lam=0 needs", "--lam 0 needs"),
    (r"^alpha must", "--alpha must"),
    (r"^alpha is (.*): lam=(\S+) is a penalty, .*", r"--alpha is \1: --lam \2 is a penalty"),
    (r"^random_state must", "--seed must"),
    (r"^n_subsamples must", "--stability must"),
    (r"^selection ('\w+') (does|chooses)", r"--select \1 \2"),
    (r"selection='fdr', or fit .* neighbours$", "--select fdr, or --method gsmple"),
    (r"call learn\(data, n_subsamples=(\d+)\)$", r"learn it with --stability \1"),
    (r"give n_folds=\d+( or fewer)?$", "choose another --select"),
    (r"choose lam > 0$", "choose a larger --lam"),
    (r"\bJOSE\(form=.group.\)", "JOSE"),
]
"""Options as the library spells them, and as the command line does."""


def in_flags(message: str) -> str:
    """Return a message of the library in the words of the command line, on one line."""
    for pattern, replacement in _FLAGS:
        message = re.sub(pattern, replacement, message)
    parts = re.split(r"('[^']*')", message)  # what is in quotes is the user's
    for at in range(0, len(parts), 2):
        for option, name in METHODS.items():
            parts[at] = re.sub(rf"\b{name}\b", f"--method {option}", parts[at])
    return " ".join("".join(parts).split())


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show each warning that is for a user once, as one line.

    Others, as of NumPy about a division or of a library about its next version, help a developer:
    python -W or PYTHONWARNINGS brings them back.
    """
    shown = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = f"Warning: {in_flags(str(message))}"
        if line not in shown:
            shown.add(line)
            click.echo(line, err=True)

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def write(text: str) -> None:
    """Write to standard output; a reader that has stopped reading, such as head, is no error."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except OSError as error:
        close_output()
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"cannot write to standard output: {error.strerror}") from None


def close_output() -> None:
    """Let what is left go nowhere: Python would try once more on its way out, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(content: dict[str, Any]) -> None:
    """Write one JSON document to standard output."""
    from mrflearn._json import dump

    write(dump(content).decode())


def show_rows(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()
) -> None:
    """Print a table to standard output: aligned on a terminal, tab-separated text elsewhere.

    `numbers` are the positions of columns that are aligned to the right.
    """
    if not sys.stdout.isatty():
        from mrflearn.io._fields import delimited

        write(delimited([headings, *rows], "\t"))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, heading in enumerate(headings):
        if at in numbers:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console().print(table)


def printable(text: str) -> str:
    """Return text on one line, without characters that would steer the terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def few_of(names: Sequence[str], most: int = 12) -> str:
    """Return names for the terminal, cut after a few: a, b, … (5 in all)."""
    shown = ", ".join(printable(name) for name in names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def summary(cls: type) -> str:
    """Return the first line of a docstring."""
    return (cls.__doc__ or "").strip().split("\n")[0]
