"""The checks of the installation, each with a state and a sentence: for the system page and
for programs, at `/health/details`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, ngettext
from django_stubs_ext import StrOrPromise

from importer.models import ImportRun
from importer.services import queue_positions, running_run
from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site.maintenance import current_maintenance
from platform_site.scheduling.notices import failed_jobs
from platform_site.settings.configuration import active
from platform_site.settings.effective_rows import setting_warnings
from platform_site.site.archives.last_backup import (
    backup_troubles,
    last_backup_sentence,
)
from platform_site.site.host.database_check import last_check
from platform_site.site.status.disk_space import disk_spaces
from platform_site.site.status.health import (
    LATE,
    database_trouble,
    probe_connection,
)
from platform_site.site.status.shared_check import SharedCheck

_SOON: Final = timedelta(days=30)


class CheckState(StrEnum):
    """The state of a check; the worst one is that of the installation."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"

    @property
    def word(self) -> str:
        """Return the state as text, because colour alone isn't enough."""
        return {
            CheckState.OK: _("OK"),
            CheckState.WARNING: _("Warning"),
            CheckState.PROBLEM: _("Problem"),
        }[self]

    @property
    def tone(self) -> str:
        """Return the class of its colour."""
        return {CheckState.OK: "good", CheckState.WARNING: "warn"}.get(self, "bad")


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A check; `name` never changes, the sentence is for people."""

    name: str
    state: CheckState
    sentence: StrOrPromise


Check = Callable[[], Iterator[HealthCheck]]


def health_checks() -> list[HealthCheck]:
    """Return every check; those of the database's content only if it can be used."""
    found = [*_disks(), *_database()]
    if all(check.state is CheckState.OK for check in found if check.name == "database"):
        for check in (_content, _imports, _jobs):
            found += check()
    for check in (_backups, _licence, _settings, _maintenance):
        found += check()
    return found


def worst(checks: list[HealthCheck]) -> CheckState:
    """Return the state of the installation."""
    order = list(CheckState)
    return max(
        (check.state for check in checks), key=order.index, default=CheckState.OK
    )


def _trouble() -> str:
    with probe_connection() as probed:
        return database_trouble(probed)


_database_check = SharedCheck(_trouble, late=LATE)


def _database() -> Iterator[HealthCheck]:
    trouble = _database_check()
    if trouble:
        yield _of("database", CheckState.PROBLEM, _as_sentence(trouble))
    else:
        yield _of(
            "database", CheckState.OK, _("The database answers and is up to date.")
        )


def _disks() -> Iterator[HealthCheck]:
    for space in disk_spaces():
        words = {"free": filesizeformat(space.free), "folder": space.folder}
        state = CheckState.OK
        if space.is_none:
            state = CheckState.PROBLEM
        elif space.is_little:
            state = CheckState.WARNING
        text = _("%(free)s are free on the disk of %(folder)s.")
        yield _of("disk", state, text % words)


def _content() -> Iterator[HealthCheck]:
    """Yield what the daily check of a SQLite database found."""
    if connection.vendor != "sqlite":
        return
    found = last_check(settings.PLATFORM_DATA_FOLDER)
    if found is None:
        text = _("The database hasn't been checked for damage yet.")
        yield _of("database-content", CheckState.OK, text)
    elif found.damage:
        text = _("The database is damaged: %(damage)s.") % {"damage": found.damage}
        yield _of("database-content", CheckState.PROBLEM, text)
    else:
        text = _("The database had no damage at the last daily check.")
        yield _of("database-content", CheckState.OK, text)


def _imports() -> Iterator[HealthCheck]:
    run = running_run()
    waiting = len(queue_positions())
    if run is not None:
        words = {"package": run.package or run.run_id, "done": run.done}
        text = _("An import runs: %(package)s, %(done)s objects are done.") % words
        yield _of("imports", CheckState.OK, text)
        return
    ended = ImportRun.objects.real().exclude(status=ImportRun.Status.QUEUED).listed()
    last = ended.order_by("-started_at").first()
    if last is None or last.status == ImportRun.Status.COMPLETED:
        text = ngettext(
            "No import runs; %(count)d waits.",
            "No import runs; %(count)d wait.",
            waiting,
        )
        yield _of("imports", CheckState.OK, text % {"count": waiting})
        return
    words = {"package": last.package or last.run_id, "at": _moment(last.started_at)}
    text = (
        _("The last import, %(package)s of %(at)s, failed or was interrupted.") % words
    )
    yield _of("imports", CheckState.WARNING, text)


def _jobs() -> Iterator[HealthCheck]:
    failed = [notice.text for notice in failed_jobs(None)]
    if failed:
        yield _of("jobs", CheckState.WARNING, " ".join(failed))
    else:
        yield _of("jobs", CheckState.OK, _("No scheduled job has failed recently."))


def _backups() -> Iterator[HealthCheck]:
    if connection.vendor not in ("sqlite", "postgresql"):
        return
    troubles = list(backup_troubles())
    if troubles:
        is_failure = any(trouble.is_failure for trouble in troubles)
        state = CheckState.PROBLEM if is_failure else CheckState.WARNING
        yield _of("backups", state, " ".join(one.sentence for one in troubles))
    else:
        yield _of("backups", CheckState.OK, last_backup_sentence())


def _licence() -> Iterator[HealthCheck]:
    licence = current_licence()
    if licence.terms is None or licence.state is not LicenceState.LICENSED:
        is_free = licence.state is LicenceState.FREE
        text = licence.reason or _("This installation runs without a licence.")
        yield _of("licence", CheckState.OK if is_free else CheckState.PROBLEM, text)
        return
    end = licence.terms.expires_at
    words = {"licensee": licence.terms.licensee, "end": date_format(_local(end))}
    text = _("Licensed to %(licensee)s until %(end)s.") % words
    is_soon = end - timezone.now() < _SOON
    yield _of("licence", CheckState.WARNING if is_soon else CheckState.OK, text)


def _settings() -> Iterator[HealthCheck]:
    warnings = list(setting_warnings(active()))
    if warnings:
        yield _of("settings", CheckState.WARNING, get_text_list(warnings, " "))
    else:
        yield _of("settings", CheckState.OK, _("The settings have no warnings."))


def _maintenance() -> Iterator[HealthCheck]:
    found = current_maintenance()
    if found is None:
        yield _of("maintenance", CheckState.OK, _("No maintenance is in progress."))
        return
    text = _(
        "Maintenance is on since %(since)s: only administrators can work, and neither "
        "imports nor jobs start. End it with the command “maintenance off”."
    )
    since = {"since": _moment(found.since)}
    yield _of("maintenance", CheckState.WARNING, text % since)


def _of(name: str, state: CheckState, sentence: str) -> HealthCheck:
    return HealthCheck(name, state, sentence)


def _as_sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


def _local(at: Any) -> Any:
    return timezone.localtime(at)


def _moment(at: Any) -> str:
    return date_format(_local(at), "SHORT_DATETIME_FORMAT")
