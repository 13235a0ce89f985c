"""What a model declares about its rows: rules before a save, keepers and actions inside
it, parts kept elsewhere.

A rule only reads, and other rows only through ``lookup``, so that dry runs, forms and
the API's errors are the same code. Keepers and actions run on every ``save``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from importer import Problem
from importer.targets import RowLookup, RowReference


class Rule(Protocol):
    """A condition for a row as it will be, beside the row as it was (None if new)."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterable[Problem]:
        """Yield what is wrong, by wire property."""


def add_rule(model: Any, rule: Rule) -> None:
    """Let a rule judge the rows of a model of a lower app, which cannot name it itself.

    The app that has the rule says so once, when it is ready.
    """
    model.rules = (*model.rules, rule)


class Keeper(Protocol):
    """A condition held until the commit, although others write at the same time."""

    def keep(self, row: Any, columns: Collection[str] | None) -> None:
        """Lock what it takes and judge the changed columns, None meaning all, anew;
        StaleReference if the row is not right any more."""


def add_keeper(model: Any, keeper: Keeper) -> None:
    """Let a keeper watch the writes of a model of a lower app."""
    model.keepers = (*model.keepers, keeper)


class SaveAction(Protocol):
    """Something done to a row inside the transaction of its save."""

    def act(self, row: Any) -> None:
        """Change the row, or rows that belong to it."""


class Part(Protocol):
    """A property of a row in a table of its own, as one value of the row."""

    @property
    def name(self) -> str:
        """Return the name of the row's attribute that holds the value."""

    def load(self, rows: Iterable[Any]) -> None:
        """Give rows of one model their stored values: one query."""

    def count(self, model: Any, row_ids: Sequence[int]) -> dict[int, int]:
        """Return how many lines rows of a model have stored, by their keys: one query."""

    def references(self, row: Any) -> Iterable[RowReference]:
        """Return what the value refers to."""

    def write(self, row: Any) -> None:
        """Store the value, inside the transaction of the row's save."""
