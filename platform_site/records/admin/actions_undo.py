"""The way back after a deletion: the message has a button that restores what was deleted.

The rows are those of the user's own change events since the deletion began, so that the
button needs no list of keys, and restores only what its user deleted on this page.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.contrib import admin, messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from platform_site.changes.context import ChangeOrigin
from platform_site.changes.models import ChangeEvent

_SALT: Final = "undo-deletion"
# As long as somebody may look at the message.
_LIFETIME: Final = 24 * 60 * 60
# A page with more is not sent back to.
_LONGEST: Final = 2000


class UndoMixin(admin.ModelAdmin[Any]):
    """A list whose deletions can be undone with the button of their message."""

    def get_urls(self) -> list[URLPattern]:
        """Return the paths, with that of the button."""
        view = self.admin_site.admin_view(require_POST(self.undo_view))
        return [path("undo/", view, name=self._undo_name), *super().get_urls()]

    def message_user(
        self,
        request: Any,
        message: Any,
        level: Any = messages.INFO,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Show a message; that of a deletion has the button, if the user may restore."""
        since: datetime | None = getattr(request, "deleted_since", None)
        restores = level == messages.SUCCESS and self.has_change_permission(request)
        if since is not None and restores:
            period = [since.isoformat(), timezone.now().isoformat()]
            message = _with_button(
                message,
                reverse(f"{self.admin_site.name}:{self._undo_name}"),
                get_token(request),
                signing.dumps([self.opts.label_lower, *period], salt=_SALT),
            )
        super().message_user(request, message, level, *args, **kwargs)

    @property
    def _undo_name(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_undo"

    def undo_view(self, request: HttpRequest) -> HttpResponse:
        """Restore the rows of a deletion, and show the list."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        given = request.POST.get("deletion", "")[:_LONGEST]
        try:
            label, *period = signing.loads(given, salt=_SALT, max_age=_LIFETIME)
        except signing.BadSignature:
            label, period = "", []
        rows = []
        if label == self.opts.label_lower:
            rows = self._deleted_by(request.user, *map(datetime.fromisoformat, period))
        self.restore_rows(request, rows)
        here = f"{self.opts.app_label}_{self.opts.model_name}_changelist"
        return HttpResponseRedirect(reverse(f"{self.admin_site.name}:{here}"))

    def restore_rows(self, request: HttpRequest, rows: list[Any]) -> None:
        """Restore rows and say what was done; the actions of the list implement it."""
        raise NotImplementedError

    def _deleted_by(self, user: Any, since: datetime, until: datetime) -> list[Any]:
        """Return the rows that a user deleted in a period and that still are, the last
        deleted first: what refers to a row was deleted before it."""
        events = ChangeEvent.objects.filter(
            user=user,
            origin=ChangeOrigin.USER,
            action=ChangeEvent.Action.DELETED,
            at__gte=since,
            at__lte=until,
            model=self.model.catalog_name,
        )
        keys = list(events.order_by("-at", "-id").values_list("row_id", flat=True))
        deleted = self.model._base_manager.filter(pk__one_of=keys, is_deleted=True)
        found = {row.pk: row for row in deleted}
        return [found[key] for key in dict.fromkeys(keys) if key in found]


def begin_deletion(request: Any) -> None:
    """Remember when a deletion began: its message gets the button."""
    request.deleted_since = timezone.now()


def _with_button(text: str, url: str, token: str, deletion: str) -> SafeString:
    """Return a message with its button: a form, because it writes."""
    return format_html(
        '{} <form class="undo" method="post" action="{}">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="deletion" value="{}">'
        '<button type="submit" class="button-quiet">{}</button></form>',
        text,
        url,
        token,
        deletion,
        gettext("Undo"),
    )
