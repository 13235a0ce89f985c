"""The sentences about the state of the installation, which the start page, the System page
and `/health/details` have alike: what is wrong, by which figure and limit, and what to
do."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from importer.models import ImportRun
from licensing.licence import Licence, LicenceState
from licensing.limits import FREE
from platform_site.maintenance import Maintenance
from platform_site.site.status.disk_space import NONE_LEFT_BYTES, DiskSpace

_SOON: Final = timedelta(days=30)
Status = ImportRun.Status


def of_disk(space: DiskSpace) -> str:
    """Return how much is free on a disk, and what to do if that is little."""
    words = {
        "free": filesizeformat(space.free),
        "folder": space.folder,
        "wanted": filesizeformat(space.wanted),
        "least": filesizeformat(NONE_LEFT_BYTES),
    }
    if space.is_none:
        text = _(
            "The disk of %(folder)s is full: only %(free)s are free, and with less than "
            "%(least)s hardly anything can be saved and the server isn't ready. Free "
            "some space on it."
        )
    elif space.is_little:
        text = _(
            "The disk of %(folder)s is filling up: %(free)s are free, but growing data, "
            "a backup and an upgrade need %(wanted)s, the limit of this warning "
            "(Platform:Disk:WarnBelowBytes). Free some space on it."
        )
    else:
        text = _("%(free)s are free on the disk of %(folder)s.")
    return text % words


def of_damage(damage: str, copy: str) -> str:
    """Return what the daily check of the database found, and which backup is intact."""
    text = _("The database is damaged: %(damage)s.")
    if copy:
        text += " " + _(
            "The newest intact backup is %(copy)s: stop the server and restore it "
            "with the command “restore”."
        )
    else:
        text += " " + _("There is no intact backup; restore one of your own.")
    return text % {"damage": damage, "copy": copy}


def of_maintenance(maintenance: Maintenance) -> str:
    """Return since when a maintenance is in progress, and how it ends."""
    text = _(
        "Maintenance is on since %(since)s: only administrators can work, and "
        "neither imports nor jobs start. End it with the command “maintenance off”."
    )
    return text % {"since": _moment(maintenance.since)}


def ends_soon(licence: Licence) -> bool:
    """Return whether a valid licence ends within a month."""
    end = licence.terms and licence.terms.expires_at
    is_valid = licence.state is LicenceState.LICENSED
    return bool(end and is_valid and end - timezone.now() < _SOON)


def of_licence(licence: Licence) -> str:
    """Return the state of the licence, what follows from it, and what to do."""
    if licence.state is LicenceState.FREE:
        return _("This installation runs without a licence.")
    words = {"limits": _free_limits(), "reason": licence.reason}
    if licence.terms is not None:
        end = licence.terms.expires_at
        words |= {
            "licensee": licence.terms.licensee,
            "end": date_format(timezone.localtime(end)),
            "days": number_format((end - timezone.now()).days),
        }
    if licence.state is LicenceState.EXPIRED:
        text = _(
            "The licence of %(licensee)s ended on %(end)s, so the limits for unlicensed "
            "installations apply (%(limits)s). Set a new licence with "
            "Licensing:LicenseFilePath or Licensing:LicenseValue, and restart the "
            "server."
        )
    elif licence.state is LicenceState.INVALID:
        text = _(
            "The licence can't be used, so the limits for unlicensed installations "
            "apply (%(limits)s). %(reason)s Set a valid licence with "
            "Licensing:LicenseFilePath or Licensing:LicenseValue, and restart the "
            "server."
        )
    elif ends_soon(licence):
        text = _(
            "The licence of %(licensee)s ends on %(end)s (days left: %(days)s); after "
            "that the limits for unlicensed installations apply (%(limits)s). Set a new "
            "licence with Licensing:LicenseFilePath or Licensing:LicenseValue before, "
            "and restart the server."
        )
    else:
        text = _("Licensed to %(licensee)s until %(end)s.")
    return text % words


def of_import(run: ImportRun) -> str:
    """Return how an import ended that needs attention, and what to do."""
    words = {
        "package": run.package or "—",
        "user": run.started_by_name,
        "at": _moment(run.started_at),
    }
    if run.kind == ImportRun.Kind.UNDO:
        text = _(
            "The undo of %(package)s by %(user)s on %(at)s is incomplete; see its "
            "report, then start it again."
        )
    elif run.status == Status.FAILED and not run.package:
        text = _(
            "%(user)s started an import on %(at)s whose package can't be read; see its "
            "report, and import the right file."
        )
    elif run.status == Status.FAILED:
        text = _(
            "The import of %(package)s by %(user)s on %(at)s failed; correct what its "
            "report says, and import the package again."
        )
    elif run.status == Status.INTERRUPTED:
        text = _(
            "The import of %(package)s by %(user)s on %(at)s was interrupted; start "
            "it again to continue."
        )
    else:
        text = _(
            "The import of %(package)s by %(user)s on %(at)s failed for some objects; "
            "correct what its report says, and import the package again."
        )
    return text % words


def _free_limits() -> str:
    text = _(
        "users: %(users)s; documents a month: %(documents)s; lines in a document: "
        "%(lines)s"
    )
    return text % {
        "users": _count(FREE.users),
        "documents": _count(FREE.documents_per_month),
        "lines": _count(FREE.lines_per_document),
    }


def _count(limit: int | None) -> str:
    return _("no limit") if limit is None else number_format(limit, force_grouping=True)


def _moment(at: datetime) -> str:
    return date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")
