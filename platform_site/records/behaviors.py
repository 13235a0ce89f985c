"""The interfaces of a model's behaviors: rules before a save, keepers and actions
during it, and parts stored in other tables.

A rule only reads, and reads other rows only through ``lookup``, so that dry runs, forms
and API errors use the same code. Keepers and actions run on every ``save``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from importer import Problem
from importer.targets import RowLookup, RowReference


class Rule(Protocol):
    """A condition for a changed row, compared with its previous state (None if new)."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterable[Problem]:
        """Yield problems by wire property."""


def add_rule(model: Any, rule: Rule) -> None:
    """Add a rule to a model of a lower app, which can't refer to it itself.

    The app with the rule calls this once in its ``ready``.
    """
    model.rules = (*model.rules, rule)


class Keeper(Protocol):
    """A condition that holds until the commit despite concurrent writes."""

    def keep(self, row: Any, columns: Collection[str] | None) -> None:
        """Lock what it needs and check the changed columns, None meaning all, again;
        raise StaleReference if a condition no longer holds."""

    def simulate(self, row: Any, columns: Collection[str], lookup: RowLookup) -> None:
        """Note in a dry run what the changed columns mean for later objects."""


def add_keeper(model: Any, keeper: Keeper) -> None:
    """Add a keeper to a model of a lower app."""
    model.keepers = (*model.keepers, keeper)


class SaveAction(Protocol):
    """An action inside the transaction of a row's save."""

    def act(self, row: Any) -> None:
        """Change the row, or rows that belong to it."""


class Part(Protocol):
    """A property stored in a table of its own, as one value of the row."""

    @property
    def name(self) -> str:
        """Return the name of the attribute with the value."""

    def load(self, rows: Iterable[Any]) -> None:
        """Load the stored values of rows of one model, with one query."""

    def count(self, model: Any, row_ids: Sequence[int]) -> dict[int, int]:
        """Return the number of stored lines by row key, with one query."""

    def references(self, row: Any) -> Iterable[RowReference]:
        """Yield the references of the value."""

    def write(self, row: Any) -> None:
        """Store the value, inside the transaction of the row's save."""
