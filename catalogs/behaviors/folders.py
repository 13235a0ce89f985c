"""Keep the folders of a hierarchical catalog a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from importer.package.shapes import Problem
from platform_site.records.look import Look


def _moved(row: Any, before: Any | None) -> bool:
    """Tell whether a row comes under its parent by this write."""
    if before is None or before.is_deleted:
        return True
    return bool(before.parent_id != row.parent_id)


class FolderStaysFolder:
    """A folder stays a folder, and what is none stays none."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse to turn one into the other: others may rely on it."""
        if before is not None and before.is_folder != row.is_folder:
            message = _("A folder stays a folder, and a row that is none stays none.")
            yield Problem("isFolder", message, "folder-changed")


class ParentIsFolder:
    """Rows lie in folders only, and in live ones."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse a parent that is no folder, or deleted."""
        if row.parent_id is None or not _moved(row, before):
            return
        parent = look.row(type(row), row.parent_id)
        if parent is None or parent.is_deleted:
            message = _("The folder does not exist or is deleted.")
            yield Problem("parentId", message, "row-deleted")
        elif not parent.is_folder:
            message = _("%(row)s is no folder.") % {"row": parent}
            yield Problem("parentId", message, "not-a-folder")


class NoCycle:
    """No folder lies inside itself."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Follow the parents upwards; only a row that exists can close a circle."""
        if before is None or row.parent_id is None or not _moved(row, before):
            return
        seen, above = set[int](), row.parent_id
        while above is not None and above not in seen:
            if above == row.pk:
                message = _("A folder cannot lie inside itself.")
                yield Problem("parentId", message, "inside-itself")
                return
            seen.add(above)
            ancestor = look.row(type(row), above)
            above = ancestor.parent_id if ancestor is not None else None
