"""The change history in the administration: administrators find here what happened to
a row or in a run, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from importer.admin_page.access import ReadOnlyAdmin
from importer.services import run_links
from platform_site.changes.models import ChangeEvent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest
    from django.utils.safestring import SafeString

_NOTHING = "—"


class EventList(ChangeList):
    """Lead from the origin of each event to the report of its run (IMP-315)."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page, and ask once whether the reader may read reports."""
        super().get_results(request)
        link_runs(self.result_list, request.user)


@admin.register(ChangeEvent)
class ChangeEventAdmin(ReadOnlyAdmin):
    """Show change events, newest first."""

    list_display = ("at", "user_name", "action", "origin_shown", "model", "row")
    list_filter = ("origin", "action", "model", "at")
    search_fields = ("row", "user_name")
    # Counting a long history for "of 2,000,000" costs more than the page.
    show_full_result_count = False
    fields = (
        "at",
        "user_name",
        "action",
        "origin_shown",
        "run",
        "model",
        "row",
        "row_id",
        "what_changed",
    )
    readonly_fields = fields

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that leads to reports."""
        return EventList

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> ChangeEvent | None:
        """Return an event that leads to the report of its run."""
        event = super().get_object(request, object_id, from_field)
        if event is not None:
            link_runs([event], request.user)
        return event

    @admin.display(description=_("origin"), ordering="origin")
    def origin_shown(self, event: ChangeEvent) -> str | SafeString:
        """Return the origin, for administrators with a link to the run's report."""
        link = getattr(event, "run_link", "")
        if not link:
            return event.get_origin_display()
        return format_html('<a href="{}">{}</a>', link, event.get_origin_display())

    @admin.display(description=_("run"), empty_value=_NOTHING)
    def run(self, event: ChangeEvent) -> str | None:
        """Return the run an imported or demonstration row came from."""
        return None if event.reported_run is None else str(event.reported_run)

    @admin.display(description=_("what changed"))
    def what_changed(self, event: ChangeEvent) -> str | SafeString:
        """Return a table of the changed properties, before and after."""
        if not event.changes:
            return _NOTHING
        lines = format_html_join(
            "",
            "<tr><th scope='row'>{}</th><td>{}</td><td>{}</td></tr>",
            (
                (name, in_words(pair[0]), in_words(pair[1]))
                for name, pair in event.changes.items()
            ),
        )
        return format_html(
            "<table><thead><tr><th>{}</th><th>{}</th><th>{}</th></tr></thead>"
            "<tbody>{}</tbody></table>",
            gettext("Property"),
            gettext("Before"),
            gettext("After"),
            lines,
        )


def link_runs(events: Iterable[Any], user: Any) -> None:
    """Put beside each event the address of its run's report, empty where there is none
    or the user may not read it (IMP-316)."""
    link = run_links(user)
    for event in events:
        run_id = event.reported_run
        event.run_link = "" if run_id is None else link(run_id)


def in_words(value: Any) -> str:
    """Return a recorded value as a reader expects it."""
    if value is None or value in ("", [], {}):
        return _NOTHING
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        return "; ".join(in_words(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(each)}" for name, each in value.items())
    return str(value)
