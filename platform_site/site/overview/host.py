"""The notices about the host: exposure, disk space, and the last copy of the
database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from platform_site.maintenance import current_maintenance
from platform_site.notices import Notice, NoticeSeverity
from platform_site.settings.configuration import active
from platform_site.settings.listen import endpoints
from platform_site.site.archives.last_backup import (
    folder_of_archives,
    last_backup_taken_at,
)
from platform_site.site.host.archive_folder import (
    last_backup,
    last_drill,
    newest_archive,
)
from platform_site.site.host.database_check import last_check
from platform_site.site.host.empty_start import (
    record_of_empty_start,
    recorded_empty_start,
)
from platform_site.site.host.exposure import can_be_reached, exposure_warnings
from platform_site.site.status.disk_space import disk_spaces


def exposure(user: Any) -> Iterator[Notice]:
    """Yield the warnings of the start, less prominent while nobody else can reach the
    site."""
    configuration = active()
    addresses = endpoints(configuration.settings)
    is_open = can_be_reached(configuration, addresses)
    severity = NoticeSeverity.WARNING if is_open else NoticeSeverity.QUIET
    for warning in exposure_warnings(configuration, addresses):
        yield Notice(severity, warning)


def disk_space(user: Any) -> Iterator[Notice]:
    """Yield each disk with little free space."""
    for space in disk_spaces():
        words = {
            "free": filesizeformat(space.free),
            "folder": space.folder,
            "wanted": filesizeformat(space.wanted),
        }
        if space.is_none:
            text = _(
                "The disk of %(folder)s is full: only %(free)s are free, so hardly "
                "anything can be saved. Free some space on it."
            )
            yield Notice(NoticeSeverity.PROBLEM, text % words)
        elif space.is_little:
            text = _(
                "The disk of %(folder)s is filling up: %(free)s are free, but "
                "growing data, a backup and an upgrade need %(wanted)s. Free some "
                "space on it."
            )
            yield Notice(NoticeSeverity.WARNING, text % words)


def empty_start(user: Any) -> Iterator[Notice]:
    """Yield that a start found no database of an earlier installation.

    It is shown until a database is restored or the record is deleted.
    """
    folder = settings.PLATFORM_DATA_FOLDER
    found = recorded_empty_start(folder)
    if found is None:
        return
    words = {
        "database": found.database,
        "beside": ", ".join(found.beside),
        "copy": found.copy,
        "record": record_of_empty_start(folder),
    }
    text = _(
        "The database %(database)s was missing or empty at startup, so the "
        "server created a new one, although files of an earlier "
        "installation exist: %(beside)s."
    )
    if found.copy:
        text += " " + _(
            "The newest backup is %(copy)s; restore it with the command “restore”."
        )
    text += " " + _("To keep the empty database, delete %(record)s.")
    yield Notice(NoticeSeverity.PROBLEM, text % words)


def damage(user: Any) -> Iterator[Notice]:
    """Yield what the daily check of the database found, as long as it finds it."""
    found = last_check(settings.PLATFORM_DATA_FOLDER)
    if found is None or not found.damage:
        return
    words = {"damage": found.damage, "copy": found.copy}
    text = _("The database is damaged: %(damage)s.")
    if found.copy:
        text += " " + _(
            "The newest intact backup is %(copy)s: stop the server and restore it "
            "with the command “restore”."
        )
    else:
        text += " " + _("There is no intact backup; restore one of your own.")
    yield Notice(NoticeSeverity.PROBLEM, text % words)


def maintenance(user: Any) -> Iterator[Notice]:
    """Yield that a maintenance is in progress, which administrators could forget."""
    found = current_maintenance()
    if found is not None:
        text = _(
            "Maintenance is on since %(since)s: only administrators can work, and "
            "neither imports nor jobs start. End it with the command “maintenance off”."
        )
        since = date_format(timezone.localtime(found.since), "SHORT_DATETIME_FORMAT")
        yield Notice(NoticeSeverity.PROBLEM, text % {"since": since})


def backups(user: Any) -> Iterator[Notice]:
    """Yield when the last backup was made, and what is wrong with backups."""
    if connection.vendor not in ("sqlite", "postgresql"):
        return
    link = f"{reverse('system')}#backups-title"
    for text in _backup_problems(folder_of_archives()):
        yield Notice(NoticeSeverity.PROBLEM, text, link, _("Backups"))
    taken = last_backup_taken_at()
    if taken is None:
        text = _("There is no backup yet.")
    else:
        shown = date_format(timezone.localtime(taken), "DATETIME_FORMAT")
        text = _("The last backup is from %(moment)s.") % {"moment": shown}
    yield Notice(NoticeSeverity.QUIET, text, link, _("Backups"))


def _backup_problems(folder: Path) -> Iterator[str]:
    failed, drill = last_backup(folder), last_drill(folder)
    if failed is not None and not failed.ok:
        text = _("The last backup failed: %(reason)s")
        yield text % {"reason": failed.problems[0]}
    newest = newest_archive(folder)
    state = newest.state.offsite if newest else None
    if state is not None and state.error:
        text = _("The newest backup isn't copied off the machine: %(reason)s")
        yield text % {"reason": state.error}
    if drill is not None and not drill.ok:
        text = _("The restore drill of %(name)s failed: %(reason)s")
        yield text % {"name": drill.archive, "reason": drill.problems[0]}
