"""The backend for SQLite, which converts the text of each statement once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from django.db.backends.sqlite3 import base

_MOST_TEXTS: Final = 500


class Cursor(base.SQLiteCursorWrapper):
    """A cursor that caches statements converted to question marks."""

    def convert_query(
        self, query: str, *, param_names: Sequence[str] | None = None
    ) -> str:
        """Return a statement in the format of the driver."""
        if param_names is None:
            return _with_question_marks(query)
        converted: str = super().convert_query(query, param_names=param_names)
        return converted


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to a SQLite file."""

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor; SQLite has no named ones."""
        return self.connection.cursor(factory=Cursor)


@lru_cache(maxsize=_MOST_TEXTS)
def _with_question_marks(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
