"""Narrows the lists of business rows: deleted rows stay out unless asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.admin.views.main import ChangeList
    from django.db.models import QuerySet
    from django.http import HttpRequest

DELETED = "deleted"


class DeletedFilter(admin.SimpleListFilter):
    """Show live rows, or only the deleted ones."""

    title = _("state")
    parameter_name = DELETED

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the deleted rows beside the live ones."""
        return [("yes", _("Deleted"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows of the chosen state."""
        return queryset.filter(is_deleted=self.value() == "yes")

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Call the state without a choice by its name, for it is not all rows."""
        first, *others = super().choices(changelist)
        yield {**first, "display": _("Not deleted"), "selected": self.value() != "yes"}
        yield from others
