"""The change history in the administration: administrators find here what happened to
a row or in a run, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from platform_site.changes.acting import Origin
from platform_site.changes.models import ChangeEvent

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.utils.safestring import SafeString

    _ModelAdmin = admin.ModelAdmin[ChangeEvent]
else:
    _ModelAdmin = admin.ModelAdmin

_RUNS = (Origin.IMPORT.value, Origin.DEMO_DATA.value)
_NOTHING = "—"


@admin.register(ChangeEvent)
class ChangeEventAdmin(_ModelAdmin):
    """Show change events, newest first."""

    list_display = ("at", "user_name", "action", "origin", "model", "row", "run")
    list_filter = ("origin", "action", "model", "at")
    search_fields = ("row", "user_name")
    # Counting a long history for "of 2,000,000" costs more than the page.
    show_full_result_count = False
    fields = (
        "at",
        "user_name",
        "action",
        "origin",
        "run",
        "model",
        "row",
        "row_id",
        "what_changed",
    )
    readonly_fields = fields

    @admin.display(description=_("run"), empty_value=_NOTHING)
    def run(self, event: ChangeEvent) -> str | None:
        """Return the run an imported or demonstration row came from (IMP-315)."""
        if event.origin not in _RUNS or event.run_id is None:
            return None
        return str(event.run_id)

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

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: events are written with the change they describe."""
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: ChangeEvent | None = None
    ) -> bool:
        """Refuse: the history is permanent."""
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: ChangeEvent | None = None
    ) -> bool:
        """Refuse: the history is permanent."""
        return False


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
