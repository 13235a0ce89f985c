"""The history pages of recorded rows: change events with labels instead of Django's
admin log, and the confirmation of deletions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_noop

from importer.services import run_links
from platform_site.changes.archived import archived_note
from platform_site.changes.labels import ColumnLabels, Labels, labelled_events
from platform_site.changes.models import ChangeEvent

PAGE: Final = 50
# Texts of Django's own pages that lead here, listed for better translations.
_DJANGO_S: Final = (gettext_noop("History"), gettext_noop("Change history: %s"))


class HistoryMixin(admin.ModelAdmin[Any]):
    """The change events of a row behind its History button (OPEN-81).

    For models with a `catalog_name`, the name their events are recorded under.
    """

    object_history_template = "changes/history.html"
    delete_confirmation_template = "changes/delete_confirmation.html"
    delete_selected_confirmation_template = "changes/delete_selected.html"

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return only the rows: what is deleted with them needs no right of its own."""
        return [str(row) for row in objs], {}, set(), []

    @property
    def labels(self) -> Labels:
        """Return the labels for change events of the model."""
        return ColumnLabels(self.model)

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a page of the events, newest first."""
        if not self.has_view_permission(request):
            # Checked before the row, whose absence isn't public either.
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        context = {} if row is None else self.history_context(request, row)
        return super().history_view(
            request, object_id, {**context, **(extra_context or {})}
        )

    def history_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return a page of a row's events with their labels."""
        events = ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)
        page = self.get_paginator(request, events, PAGE).get_page(
            request.GET.get("p", 1)
        )
        shown = list(page)
        link_runs(shown, request.user)
        link_people(shown, request.user)
        return {
            "events": page,
            "labelled": labelled_events(shown, self.labels),
            "archived_note": archived_note(request.user, events),
        }

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Do nothing: the services have recorded the change."""

    log_change = log_addition
    log_deletion = log_addition

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Do nothing, as above."""


def link_people(events: Iterable[Any], user: Any) -> None:
    """Set the URL of the acting user's page on each event, empty for readers who may not
    see it."""
    opts = get_user_model()._meta
    may_see = user.has_perm(f"{opts.app_label}.view_{opts.model_name}")
    for event in events:
        page = f"admin:{opts.app_label}_{opts.model_name}_change"
        known = may_see and event.user_id is not None
        event.user_link = reverse(page, args=[event.user_id]) if known else ""


def link_runs(events: Iterable[Any], user: Any) -> None:
    """Set the URL of the run's report on each event, empty if there is none or the user
    may not read it (IMP-316)."""
    shown = list(events)
    runs = {event.reported_run for event in shown if event.reported_run is not None}
    links = run_links(user, runs)
    for event in shown:
        event.run_link = links.get(event.reported_run, "")
