"""The folders above a list of a hierarchical catalog: where one is, what lies inside, and
how to get there; the tree as a whole is never read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from platform_site.records.admin import is_key
from platform_site.records.admin.filters import DELETED

FOLDER: Final = "folder"
TOP: Final = "top"
MOST_INSIDE: Final = 60
# So many folders above one are read at once; deeper ones take a further query.
_LEVELS: Final = "__".join(["parent"] * 7)


class FolderFilter(admin.SimpleListFilter):
    """The rows that lie directly in one folder, which is chosen above the list."""

    title = gettext_lazy("location")
    parameter_name = FOLDER
    template = "catalogs/folder_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the one place every catalog has."""
        return [(TOP, gettext_lazy("Top level"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows that lie directly in the folder."""
        value = self.value()
        return queryset if value is None else queryset.filter(parent_id=key_of(value))


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """A place to go to: its name, its address, and how many rows it contains."""

    name: str
    query: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Folders:
    """The path to the place a list shows, and the folders inside it.

    The last place of the way is the present one.
    """

    way: list[FolderPlace]
    inside: list[FolderPlace]
    more: bool


def folders_of(changelist: ChangeList, request: HttpRequest) -> Folders | None:
    """Return the folders of a list, None where there are none: two queries.

    The way keeps search and filters, so that it widens a search; inside, the search
    begins anew.
    """
    rows = changelist.model._base_manager
    value = request.GET.get(FOLDER)
    here = key_of(value)
    deleted = request.GET.get(DELETED) == "yes"
    # A search in no folder looks everywhere: its answers are the way on.
    everywhere = value is None and changelist.query
    found = [] if everywhere else list(_inside(rows, here, deleted=deleted))
    if value is None and not found:
        return None

    def link(folder: object, *without: str) -> str:
        return changelist.get_query_string({FOLDER: folder}, ["p", *without])

    way = [FolderPlace(_("All"), changelist.get_query_string(remove=["p", FOLDER]))]
    if value is not None:
        way.append(FolderPlace(_("Top level"), link(TOP)))
        way += [FolderPlace(one.name, link(one.pk)) for one in way_to(rows, here)]
    inside = [
        FolderPlace(folder.name, link(folder.pk, "q"), folder.rows or 0)
        for folder in found[:MOST_INSIDE]
    ]
    return Folders(way, inside, len(found) > MOST_INSIDE)


def way_to(rows: Any, key: int | None) -> list[Any]:
    """Return a folder and all above it, the topmost first."""
    way: dict[int, Any] = {}
    while key is not None and key not in way:
        folder = rows.filter(pk=key).select_related(_LEVELS).first()
        key = None
        for one in _upwards(folder):
            way.setdefault(one.pk, one)
            key = one.parent_id
    return [*reversed(way.values())]


def _upwards(folder: Any) -> Iterator[Any]:
    """Yield a folder and those above it, as far as they were read."""
    while folder is not None:
        yield folder
        known = type(folder).parent.is_cached(folder)
        folder = folder.parent if known else None


def _inside(rows: Any, here: int | None, *, deleted: bool) -> QuerySet[Any]:
    """Return the first folders in a folder, each with how many rows it holds.

    Of deleted rows only the folders that hold some.
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
    return folders[: MOST_INSIDE + 1]


def key_of(value: str | None) -> int | None:
    """Return the key of a folder in an address, None for the top of the catalog."""
    if value in (None, TOP):
        return None
    if not is_key(value):
        raise IncorrectLookupParameters
    return int(str(value))
