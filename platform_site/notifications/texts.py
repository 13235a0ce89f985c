"""The sentences of notifications in the reader's language, and their links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from platform_site.accounts.services import is_administrator
from platform_site.notifications.backup_texts import backup_text
from platform_site.notifications.models import Notification

Kind = Notification.Kind
_OF_BACKUPS: Final = (Kind.BACKUP_FAILED, Kind.BACKUP_RECOVERED)


@dataclass(frozen=True, slots=True)
class NotificationText:
    """A notification as a page shows it."""

    row: Notification
    text: str
    link: str


def text_of(row: Notification, reader: Any) -> NotificationText:
    """Return a notification with its sentence, and a link if its reader may follow
    it."""
    words = {"job": row.subject, "count": row.failures}
    if row.kind in _OF_BACKUPS:
        return NotificationText(row, backup_text(row), _system_page(reader))
    if row.kind == Kind.WEBHOOK_DISABLED:
        text = _("The webhook %(address)s was disabled: its messages weren't accepted.")
        shown = text % {"address": row.subject}
        return NotificationText(row, shown, _webhook_page(row, reader))
    if row.kind == Kind.JOB_RECOVERED:
        text = ngettext(
            "The job “%(job)s” works again. It had failed once.",
            "The job “%(job)s” works again. It had failed %(count)s times in a row.",
            row.failures,
        )
    elif row.failures <= 1 and row.kind == Kind.JOB_HAD_ERRORS:
        text = _("The job “%(job)s” ended, but its import had errors.")
    elif row.failures <= 1:
        text = _("The job “%(job)s” failed.")
    elif row.kind == Kind.JOB_HAD_ERRORS:
        text = ngettext(
            "The job “%(job)s” failed or had errors %(count)s time in a row.",
            "The job “%(job)s” failed or had errors %(count)s times in a row.",
            row.failures,
        )
    else:
        text = ngettext(
            "The job “%(job)s” failed %(count)s time in a row.",
            "The job “%(job)s” failed %(count)s times in a row.",
            row.failures,
        )
    return NotificationText(row, text % words, _link(row, reader))


def _link(row: Notification, reader: Any) -> str:
    if row.target_id is None or not reader.has_perm("scheduling.view_jobexecution"):
        return ""
    return reverse("admin:scheduling_jobexecution_change", args=[row.target_id])


def _webhook_page(row: Notification, reader: Any) -> str:
    if not reader.has_perm("webhooks.view_webhook"):
        return ""
    return reverse("admin:webhooks_webhook_change", args=[row.target_id])


def _system_page(reader: Any) -> str:
    return f"{reverse('system')}#backups-title" if is_administrator(reader) else ""
