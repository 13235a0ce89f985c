"""The sentences of notifications about backups, off-site copies and restore drills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.utils.translation import gettext as _, ngettext

from platform_site.notifications.models import Notification

Kind = Notification.Kind


def backup_text(row: Notification) -> str:
    """Return the sentence of a notification; its subject says what it is about."""
    return _SENTENCES.get(row.subject, _backup)(row)


def _backup(row: Notification) -> str:
    if row.kind == Kind.BACKUP_RECOVERED:
        return _("A backup was made again. It had failed before.")
    if row.failures <= 1:
        return _("No backup could be made.")
    return ngettext(
        "No backup could be made, %(count)s time in a row.",
        "No backup could be made, %(count)s times in a row.",
        row.failures,
    ) % {"count": row.failures}


def _offsite(row: Notification) -> str:
    if row.kind == Kind.BACKUP_RECOVERED:
        return _("Backups are copied off the machine again.")
    if row.failures <= 1:
        return _("A backup couldn't be copied off the machine.")
    return ngettext(
        "A backup couldn't be copied off the machine, %(count)s time in a row.",
        "A backup couldn't be copied off the machine, %(count)s times in a row.",
        row.failures,
    ) % {"count": row.failures}


def _drill(row: Notification) -> str:
    if row.kind == Kind.BACKUP_RECOVERED and row.reason:
        # It says what could not be checked.
        return _("The restore drill found nothing wrong, but it restored no backup.")
    if row.kind == Kind.BACKUP_RECOVERED:
        return _("The restore drill went well again.")
    return _("The restore drill failed, so don't rely on the newest backup yet.")


_SENTENCES: Final[dict[str, Callable[[Notification], str]]] = {
    "backup": _backup,
    "offsite": _offsite,
    "drill": _drill,
}
