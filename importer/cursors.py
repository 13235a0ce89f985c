"""Cursors for statements whose text is always the same."""

from __future__ import annotations

from typing import Any


def prepared_cursor(connection: Any) -> Any:
    """Return a cursor whose statements the database parses only once.

    A database backend that can do this has a method of the same name; others return
    their usual cursor. Parameters may have no type on the way: a value that is selected
    instead of compared or stored would come back as a text.
    """
    return getattr(connection, "prepared_cursor", connection.cursor)()
