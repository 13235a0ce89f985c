"""The rules that keep the folders of a hierarchical catalog a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from importer import Problem
from importer.targets import RowLookup, StaleReference
from platform_site.records.row_lookup import DatabaseLookup

# The first half of the advisory lock's key, a number used by no other lock; the
# second half is the table.
_MOVES = 0x666F6C64


def _moved(row: Any, before: Any | None) -> bool:
    """Return whether this write gives a row its parent."""
    if before is None or before.is_deleted:
        return True
    return bool(before.parent_id != row.parent_id)


class FolderStaysFolder:
    """Whether a row is a folder never changes."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem if it changed, since other rows may depend on it."""
        if before is not None and before.is_folder != row.is_folder:
            message = _(
                "A folder can't become an ordinary row, and an ordinary row can't "
                "become a folder; create a new one instead."
            )
            yield Problem("isFolder", message, "folder-changed")


class ParentIsFolder:
    """A parent is a folder; that it isn't deleted is checked for every reference."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem if the parent isn't a folder."""
        if row.parent_id is None or not _moved(row, before):
            return
        parent = lookup.row(type(row), row.parent_id)
        if parent is not None and not parent.is_folder:
            message = _("%(row)s isn't a folder.") % {"row": parent}
            yield Problem("parentId", message, "not-a-folder")


class NoCycle:
    """A folder is never inside itself."""

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem if a stored row would get a circle of parents."""
        if before is not None and _moved(row, before):
            yield from circle(row, lookup)


def circle(row: Any, lookup: RowLookup) -> Iterator[Problem]:
    """Yield a problem if the parents of a row lead back to it."""
    seen, above = set[int](), row.parent_id
    while above is not None and above not in seen:
        if above == row.pk:
            message = _("A folder can't be inside itself.")
            yield Problem("parentId", message, "inside-itself")
            return
        seen.add(above)
        ancestor = lookup.row(type(row), above)
        above = ancestor.parent_id if ancestor is not None else None


def move_alone(row: Any) -> None:
    """Check that a move creates no circle, with the moves of a table one at a time.

    Two concurrent moves could each be valid without seeing the other. Raise
    StaleReference if the new parent has been moved inside the row.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            sql = "SELECT pg_advisory_xact_lock(%s, %s::regclass::oid::integer)"
            cursor.execute(sql, [_MOVES, f'"{row._meta.db_table}"'])
    problems = list(circle(row, DatabaseLookup()))
    if problems:
        raise StaleReference(problems)
