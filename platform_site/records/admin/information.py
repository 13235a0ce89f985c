"""The section "Change information" of a row's page: when and by whom it was written,
and the object and package it was imported from (IMP-317 to IMP-322)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.contrib import admin
from django.template.defaultfilters import date
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _

from importer import Origin
from importer.services import run_links
from platform_site.changes.context import ChangeOrigin
from platform_site.changes.models import ChangeEvent, ChangeEventQuerySet
from platform_site.records.models import Record

_ALWAYS: Final = ("created_at", "modified_at", "row_version")
_IMPORTED: Final = (
    "imported_origin",
    "imported_package",
    "imported_key",
    "imported_at",
    "modified_after_import",
)
_REPORT: Final = ("imported_by_run",)
INFORMATION: Final = (*_ALWAYS, *_IMPORTED, *_REPORT)


def events_of(row: Record) -> ChangeEventQuerySet:
    """Return the change events of a row, newest first."""
    return ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)


def section(row: Record, user: Any) -> tuple[Any, dict[str, Any]]:
    """Return the fieldset Change information, with the import block for imported rows.

    Users who may read reports also find the last run that wrote the row.
    """
    fields = _ALWAYS
    if row.import_key is not None:
        written = events_of(row).filter(run_id__isnull=False).first()
        run_id = None if written is None else written.reported_run
        links = {} if run_id is None else run_links(user, [run_id])
        link = "".join(links.values())
        row.run_link = link  # type: ignore[attr-defined]
        fields = (*_ALWAYS, *_IMPORTED, *(_REPORT if link else ()))
    return _("Change information"), {"fields": fields}


def information_of(page: Any, row: Record, user: Any) -> list[tuple[str, Any]]:
    """Return the lines of the section for the page to read a row: label and value."""
    _title, words = section(row, user)
    shown = [getattr(page, name) for name in words["fields"]]
    return [(str(capfirst(each.short_description)), each(row)) for each in shown]


class InformationMixin:
    """The read-only values of the section "Change information"."""

    @admin.display(description=_("created"))
    def created_at(self, row: Record) -> str:
        """Return when the row was created, and by whom."""
        return _by(row.created, events_of(row).order_by("at", "id").first())

    @admin.display(description=_("modified"))
    def modified_at(self, row: Record) -> str:
        """Return when the row was last modified, and by whom."""
        return _by(row.modified, events_of(row).first())

    @admin.display(description=_("version"))
    def row_version(self, row: Record) -> int:
        """Return the number of times the row was written."""
        return row.version

    @admin.display(description=_("origin"))
    def imported_origin(self, row: Record) -> str:
        """Return the origin in the mark, as in the change history."""
        demo = row.import_origin == Origin.DEMO_SEED.stored
        return str((ChangeOrigin.DEMO_DATA if demo else ChangeOrigin.IMPORT).label)

    @admin.display(description=_("package"))
    def imported_package(self, row: Record) -> str | None:
        """Return the package in the mark."""
        return row.import_source

    @admin.display(description=_("key"))
    def imported_key(self, row: Record) -> str | None:
        """Return the object's id in its package."""
        return row.import_key

    @admin.display(description=_("imported at"))
    def imported_at(self, row: Record) -> str:
        """Return when the engine last wrote the row."""
        at = row.import_imported_at
        return "" if at is None else _moment(at)

    @admin.display(description=_("imported by"))
    def imported_by_run(self, row: Any) -> SafeString:
        """Return a link to the report of the last run that wrote the row."""
        text = gettext("Report of the run")
        return format_html('<a href="{}">{}</a>', row.run_link, text)

    @admin.display(description=_("modified after import"))
    def modified_after_import(self, row: Record) -> str | SafeString:
        """Return whether a user changed the row after its import."""
        if not row.is_modified_after_import:
            return gettext("no")
        return format_html("<strong>{}</strong>", gettext("yes"))


def _by(at: datetime, event: ChangeEvent | None) -> str:
    if event is None or not event.user_name:
        return _moment(at)
    return gettext("%(at)s by %(user)s") % {"at": _moment(at), "user": event.user_name}


def _moment(at: datetime) -> str:
    return date(timezone.localtime(at), "DATETIME_FORMAT")
