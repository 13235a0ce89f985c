"""The read-only admin pages of the change history, for administrators."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _

from platform_site.changes.archived import archived_note
from platform_site.changes.history import link_runs
from platform_site.changes.labels import (
    NOTHING,
    kind_in_words,
    labelled_events,
    labels_of,
    recorded_models,
)
from platform_site.changes.models import ChangeEvent
from platform_site.read_only_admin import ReadOnlyAdmin


class EventList(ChangeList):
    """The list of events, each linked to the report of its run (IMP-315)."""

    def get_filters(self, request: HttpRequest) -> Any:
        """Return the filters; that by run as `ChangeEventQuerySet.of_run` has it."""
        found: Any = super().get_filters(request)
        run = found[2].pop("run_id", None)
        if run is not None:
            found[2].update(run_id__gte=run, run_id__lte=run)
        return found

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Return the order, in which the events of one run have its index."""
        order = super().get_ordering(request, queryset)
        if "run_id" not in self.params:
            return order
        sign = "-" if str(order[0]).startswith("-") else ""
        return [f"{sign}run_id", *order]

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page, and check once whether the user may read reports."""
        super().get_results(request)
        link_runs(self.result_list, request.user)


class RecordedKindFilter(admin.SimpleListFilter):
    """A filter by the kind of row. All kinds are offered: to find those that occur
    would take a look at every event."""

    title = _("kind of row")
    parameter_name = "model"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return every recorded kind, and that of a removed app if it is chosen."""
        names = {*recorded_models(), *filter(None, [request.GET.get("model")])}
        return sorted(
            ((name, kind_in_words(name)) for name in names), key=lambda pair: pair[1]
        )

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the events of the chosen kind."""
        kind = self.value()
        return queryset if kind is None else queryset.filter(model=kind)


@admin.register(ChangeEvent)
class ChangeEventAdmin(ReadOnlyAdmin):
    """The read-only list of change events, newest first."""

    change_list_template = "changes/change_list.html"
    list_display = ("at", "user_name", "action", "origin_shown", "kind", "row")
    list_filter = ("origin", "action", RecordedKindFilter, "at")
    # In another order, every event would be sorted for a page.
    sortable_by = ("at",)
    # A run's report links to its changes.
    linked_by = ("run_id", "run_id__gte", "run_id__lte")
    search_fields = ("row", "user_name")
    list_per_page = 50
    fields = (
        "at",
        "user_name",
        "action",
        "origin_shown",
        "run",
        "request_id",
        "kind",
        "row",
        "row_id",
        "what_changed",
    )
    readonly_fields = fields

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list class that links to reports."""
        return EventList

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, and say where earlier changes are."""
        note = {"archived_note": archived_note(request.user)}
        return super().changelist_view(request, {**note, **(extra_context or {})})

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> ChangeEvent | None:
        """Return an event, with the link to the report of its run."""
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

    @admin.display(description=_("kind of row"), ordering="model")
    def kind(self, event: ChangeEvent) -> str:
        """Return the name of the kind of row."""
        return kind_in_words(event.model)

    @admin.display(description=_("run"))
    def run(self, event: ChangeEvent) -> str:
        """Return the run of an imported or demo row."""
        return NOTHING if event.reported_run is None else str(event.reported_run)

    @admin.display(description=_("what changed"))
    def what_changed(self, event: ChangeEvent) -> str | SafeString:
        """Return a table of the changed properties, before and after."""
        if not event.changes:
            return NOTHING
        (one,) = labelled_events([event], labels_of(recorded_models().get(event.model)))
        lines = format_html_join(
            "",
            "<tr><th scope='row'>{}</th><td>{}</td><td>{}</td></tr>",
            one.changes,
        )
        return format_html(
            "<table><thead><tr><th>{}</th><th>{}</th><th>{}</th></tr></thead>"
            "<tbody>{}</tbody></table>",
            gettext("Property"),
            gettext("Before"),
            gettext("After"),
            lines,
        )
