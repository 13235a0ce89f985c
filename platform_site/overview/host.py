"""What the start page says of the machine: how open the installation is, and when its
database was copied last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from platform_site.host.backups import backups_folder, newest_copy_taken_at
from platform_site.host.disk_space import rooms
from platform_site.host.exposure import exposure_warnings, is_reachable
from platform_site.host.listen import endpoints
from platform_site.noticeboard import Notice, Severity
from platform_site.settings.configuration import active

if TYPE_CHECKING:
    from collections.abc import Iterator


def exposure(user: Any) -> Iterator[Notice]:
    """Yield what a start says as well; quietly as long as nobody else comes in."""
    configuration = active()
    addresses = endpoints(configuration.settings)
    is_open = any(is_reachable(address) for address in addresses)
    severity = Severity.WARNING if is_open else Severity.QUIET
    for warning in exposure_warnings(configuration, addresses):
        yield Notice(severity, warning)


def disk_space(user: Any) -> Iterator[Notice]:
    """Yield each disk with little room left, while there is time to make some."""
    for room in rooms():
        words = {
            "free": filesizeformat(room.free),
            "folder": room.folder,
            "wanted": filesizeformat(room.wanted),
        }
        if room.is_none:
            text = _(
                "The disk of %(folder)s is full: %(free)s are free, and hardly anything "
                "can be saved. Make room on it."
            )
            yield Notice(Severity.PROBLEM, text % words)
        elif room.is_little:
            text = _(
                "The disk of %(folder)s is filling up: %(free)s are free, and there "
                "should be %(wanted)s for the data to grow, a backup and an upgrade. "
                "Make room on it."
            )
            yield Notice(Severity.WARNING, text % words)


def backups(user: Any) -> Iterator[Notice]:
    """Yield when the database was copied last; a server has tools of its own for that."""
    if connection.vendor != "sqlite":
        return
    taken = newest_copy_taken_at(backups_folder(settings.PLATFORM_DATA_FOLDER))
    if taken is None:
        text = _("There is no backup yet; the command “backup” makes one.")
        yield Notice(Severity.QUIET, text)
        return
    shown = date_format(timezone.localtime(taken), "DATETIME_FORMAT")
    text = _("The last backup is from %(moment)s.") % {"moment": shown}
    yield Notice(Severity.QUIET, text)
