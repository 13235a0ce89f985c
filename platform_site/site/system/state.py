"""The state of the installation as the system page shows it."""

from __future__ import annotations

from pathlib import Path

from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from documents.licence_guard import created_this_month
from documents.models import Document
from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site import __version__
from platform_site.accounts.models import User
from platform_site.records.admin.row_parts import Figure
from platform_site.settings.configuration import Configuration
from platform_site.settings.effective_rows import effective_rows
from platform_site.settings.env import BUILT_IN
from platform_site.site.status.disk_space import disk_spaces


def figures() -> list[Figure]:
    """Return version, licence, use of its limits, disk space and database."""
    return [
        Figure(_("Version"), __version__),
        _licence(),
        *_uses(),
        *_disks(),
        _database(),
    ]


def settings_rows(configuration: Configuration) -> list[tuple[str, str, str]]:
    """Return the effective settings for the page: what isn't the name of a setting, a
    variable or a file is translated."""
    names = {
        "Environment": _("Environment"),
        "Data folder": _("Data folder"),
        "Attachments": _("Attachments"),
    }
    return [
        (names.get(key, key), value, ", ".join(map(_source, source.split(", "))))
        for key, value, source in effective_rows(configuration)
    ]


def _source(source: str) -> str:
    known = {"derived": _("derived"), BUILT_IN: _("built-in default")}
    kind, _blank, name = source.partition(" ")
    if kind == "variable" and name:
        return _("variable %(name)s") % {"name": name}
    return known.get(source, source)


def _licence() -> Figure:
    licence = current_licence()
    label = _("Licence")
    if licence.state is LicenceState.FREE:
        return Figure(label, _("free"))
    if licence.terms is None:
        return Figure(label, _("invalid"), note=licence.reason, tone="bad")
    words = {
        "licensee": licence.terms.licensee,
        "end": date_format(timezone.localtime(licence.terms.expires_at)),
    }
    note = _("%(licensee)s, until %(end)s") % words
    if licence.state is LicenceState.LICENSED:
        return Figure(label, _("licensed"), note=note)
    return Figure(label, _("expired"), note=note, tone="bad")


def _uses() -> list[Figure]:
    limits = current_licence().limits
    people = User.objects.filter(is_service=False).count()
    return [
        _use(_("Users"), people, limits.users),
        _use(
            _("Documents this month"),
            created_this_month(Document.kinds()),
            limits.documents_per_month,
        ),
    ]


def _use(label: str, used: int, limit: int | None) -> Figure:
    shown = number_format(used, force_grouping=True)
    if limit is None:
        return Figure(label, shown, note=_("no limit"))
    of = number_format(limit, force_grouping=True)
    note = _("of %(limit)s allowed") % {"limit": of}
    return Figure(label, shown, note=note, tone="warn" if used >= limit * 0.9 else "")


def _disks() -> list[Figure]:
    return [
        Figure(
            _("Free disk space"),
            filesizeformat(space.free),
            note=str(space.folder),
            tone="bad" if space.is_none else "warn" if space.is_little else "",
        )
        for space in disk_spaces()
    ]


def _database() -> Figure:
    kind = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "microsoft": "SQL Server"}
    size = _database_size()
    return Figure(
        _("Database"),
        kind.get(connection.vendor, connection.vendor),
        note="" if size is None else filesizeformat(size),
    )


def _database_size() -> int | None:
    """Return the bytes of the database, None where they aren't known."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(str(connection.settings_dict["NAME"]))
    return path.stat().st_size if path.is_file() else None
