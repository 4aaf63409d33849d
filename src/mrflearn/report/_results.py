"""What a report reads of a result. It knows its shape, not the code that learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from mrflearn.plot._results import ResultLike

__all__ = ["ColumnLike", "Reported", "TableLike"]


class ColumnLike(Protocol):
    """What a column was taken for, and why."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> str:
        """Continuous, ordinal or nominal."""

    @property
    def reason(self) -> str:
        """Why this kind."""

    @property
    def levels(self) -> tuple[Any, ...] | None:
        """Its labels, if it has some."""

    @property
    def n_distinct(self) -> int:
        """How many values differ."""

    @property
    def n_missing(self) -> int:
        """How many are missing."""

    @property
    def note(self) -> str:
        """What looks odd."""


class TableLike(Protocol):
    """What the data were."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Their kinds."""

    @property
    def columns(self) -> Sequence[ColumnLike]:
        """The columns."""

    @property
    def n_samples(self) -> int:
        """Rows learned from."""

    @property
    def n_dropped(self) -> int:
        """Rows left out."""

    @property
    def fingerprint(self) -> str:
        """What tells the data from others."""


class AccountLike(Protocol):
    """What was done, in words."""

    @property
    def table(self) -> str:
        """What the data were."""

    @property
    def method(self) -> str:
        """How edges were found."""

    @property
    def lam(self) -> str:
        """How lambda was chosen."""

    @property
    def edges(self) -> Sequence[str]:
        """What was found."""

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader should mind."""


@runtime_checkable
class Reported(ResultLike, Protocol):
    """What `mrflearn.learn` returns and `Result.load` reads."""

    @property
    def table(self) -> TableLike:
        """What the data were."""

    @property
    def options(self) -> Mapping[str, Any]:
        """What was asked for."""

    @property
    def account(self) -> AccountLike:
        """What was done, in words."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Of mrflearn and what it stands on."""
