"""The notices about the host: exposure, disk space, and the last copy of the
database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import connection
from django.urls import reverse
from django.utils.translation import gettext as _

from platform_site.maintenance import current_maintenance
from platform_site.notices import Notice, NoticeSeverity
from platform_site.settings.configuration import active
from platform_site.settings.listen import endpoints
from platform_site.site.archives.last_backup import (
    backup_troubles,
    last_backup_sentence,
)
from platform_site.site.host.database_check import last_check
from platform_site.site.host.empty_start import (
    record_of_empty_start,
    recorded_empty_start,
)
from platform_site.site.host.exposure import can_be_reached, exposure_warnings
from platform_site.site.status import sentences
from platform_site.site.status.disk_space import disk_spaces
from platform_site.site.status.shared_folder import folder_trouble


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
    """Yield each disk with little free space, and that a shared folder is missing."""
    for space in disk_spaces():
        if space.is_none:
            yield Notice(NoticeSeverity.PROBLEM, sentences.of_disk(space))
        elif space.is_little:
            yield Notice(NoticeSeverity.WARNING, sentences.of_disk(space))
    if trouble := folder_trouble():
        yield Notice(NoticeSeverity.PROBLEM, trouble)


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
    if found is not None and found.damage:
        text = sentences.of_damage(found.damage, found.copy)
        yield Notice(NoticeSeverity.PROBLEM, text)


def maintenance(user: Any) -> Iterator[Notice]:
    """Yield that a maintenance is in progress, which administrators could forget."""
    found = current_maintenance()
    if found is not None:
        yield Notice(NoticeSeverity.PROBLEM, sentences.of_maintenance(found))


def backups(user: Any) -> Iterator[Notice]:
    """Yield when the last backup was made, and what is wrong with backups."""
    if connection.vendor not in ("sqlite", "postgresql"):
        return
    link = f"{reverse('system')}#backups-title"
    troubles = list(backup_troubles())
    for trouble in troubles:
        severity = (
            NoticeSeverity.PROBLEM if trouble.is_failure else NoticeSeverity.WARNING
        )
        yield Notice(severity, trouble.sentence, link, _("Backups"))
    if all(trouble.is_failure for trouble in troubles):
        yield Notice(NoticeSeverity.QUIET, last_backup_sentence(), link, _("Backups"))
