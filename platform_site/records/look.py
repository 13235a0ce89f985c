"""How rules and fields see other rows: in a run the window, otherwise the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from django.db import models


class Look(Protocol):
    """Answer questions about other rows."""

    def row(self, model: type[models.Model], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""

    def holders(
        self, model: type[models.Model], name: str, value: Any
    ) -> Sequence[int]:
        """Return the keys of the live rows that have a value in a wire property."""


class DatabaseLook:
    """Ask the database for a row; leave uniqueness to its constraints."""

    def row(self, model: type[models.Model], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""
        return model._base_manager.filter(pk=row_id).first()

    def holders(
        self, model: type[models.Model], name: str, value: Any
    ) -> Sequence[int]:
        """Return nothing: outside a run the database itself decides."""
        return ()


DATABASE = DatabaseLook()
