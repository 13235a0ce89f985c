"""The folders above a list of a hierarchical catalog: the path to the current folder
and the folders in it. The whole tree is never read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext as _, gettext_lazy

from platform_site.records.admin import is_key
from platform_site.records.admin.filters import DELETED

FOLDER: Final = "folder"
TOP: Final = "top"
MAX_INSIDE: Final = 60
# The number of ancestors that one query reads.
_LEVELS: Final = "__".join(["parent"] * 7)


class FolderFilter(admin.SimpleListFilter):
    """A filter for the rows directly in one folder; the folder is chosen above the
    list."""

    title = gettext_lazy("location")
    parameter_name = FOLDER
    # The folder is chosen and shown above the list.
    in_menu = has_chip = False

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the top level, the only choice in every catalog."""
        return [(TOP, gettext_lazy("Top level"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows directly in the folder."""
        value = self.value()
        return queryset if value is None else queryset.filter(parent_id=key_of(value))


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """A link to a folder: its name, its query string and its number of rows."""

    name: str
    query: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Folders:
    """The path to the current folder, and the folders inside it.

    The last entry of the path is the current folder.
    """

    path: list[FolderPlace]
    inside: list[FolderPlace]
    more: bool


def folders_of(changelist: ChangeList, request: HttpRequest) -> Folders | None:
    """Return the folders of a list, None if it has none, with two queries.

    Links of the path keep search and filters; links to inner folders drop the search.
    """
    rows = changelist.model._base_manager
    value = request.GET.get(FOLDER)
    here = key_of(value)
    deleted = request.GET.get(DELETED) == "yes"
    # A search outside of folders covers the whole catalog; its results suffice.
    everywhere = value is None and changelist.query
    found = [] if everywhere else list(_inside(rows, here, deleted=deleted))
    if value is None and not found:
        return None

    def link(folder: object, *without: str) -> str:
        return changelist.get_query_string({FOLDER: folder}, without)

    path = [FolderPlace(_("All"), changelist.get_query_string(remove=[FOLDER]))]
    if value is not None:
        path.append(FolderPlace(_("Top level"), link(TOP)))
        path += [FolderPlace(one.name, link(one.pk)) for one in path_to(rows, here)]
    inside = [
        FolderPlace(folder.name, link(folder.pk, "q"), folder.rows or 0)
        for folder in found[:MAX_INSIDE]
    ]
    return Folders(path, inside, len(found) > MAX_INSIDE)


def path_to(rows: Any, key: int | None) -> list[Any]:
    """Return a folder and its ancestors, the topmost first."""
    path: dict[int, Any] = {}
    while key is not None and key not in path:
        folder = rows.filter(pk=key).select_related(_LEVELS).first()
        key = None
        for one in _upwards(folder):
            path.setdefault(one.pk, one)
            key = one.parent_id
    return [*reversed(path.values())]


def _upwards(folder: Any) -> Iterator[Any]:
    """Yield a folder and those of its ancestors that are loaded."""
    while folder is not None:
        yield folder
        known = type(folder).parent.is_cached(folder)
        folder = folder.parent if known else None


def _inside(rows: Any, here: int | None, *, deleted: bool) -> QuerySet[Any]:
    """Return the first folders in a folder, each with its number of rows.

    In a list of deleted rows, only folders that contain some.
    """
    held = (
        rows.filter(parent_id=OuterRef("pk"), is_deleted=deleted)
        .order_by()
        .values("parent_id")
        .annotate(number=Count("pk"))
        .values("number")
    )
    folders: QuerySet[Any] = (
        rows.filter(is_folder=True, is_deleted=False, parent_id=here)
        .order_by("code")
        .annotate(rows=Subquery(held))
    )
    if deleted:
        folders = folders.exclude(rows=None)
    return folders[: MAX_INSIDE + 1]


def key_of(value: str | None) -> int | None:
    """Return the key of a folder in a query string, None for the top level."""
    if value in (None, TOP):
        return None
    if not is_key(value):
        raise IncorrectLookupParameters
    return int(str(value))
