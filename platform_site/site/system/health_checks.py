"""The checks of the installation, each with a state and a sentence: for the system page and
for programs, at `/health/details`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _, ngettext
from django_stubs_ext import StrOrPromise

from documents.notices import documents
from importer.models import ImportRun
from importer.services import queue_positions, running_run
from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site.accounts.notices import users
from platform_site.maintenance import current_maintenance
from platform_site.notices import NoticeSeverity
from platform_site.scheduling.notices import RECENT_DAYS, failed_jobs
from platform_site.settings.configuration import active
from platform_site.settings.effective_rows import setting_warnings
from platform_site.site.archives.last_backup import (
    backup_troubles,
    last_backup_sentence,
)
from platform_site.site.host.database_check import last_check
from platform_site.site.status import sentences
from platform_site.site.status.disk_space import disk_spaces
from platform_site.site.status.health import (
    LATE,
    database_trouble,
    probe_connection,
)
from platform_site.site.status.shared_check import LIMIT_SECONDS, SharedCheck
from platform_site.site.status.shared_folder import folder_trouble

_FOLDERS_LATE: Final = "the folders don't answer"


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
    is_usable = all(
        one.state is CheckState.OK for one in found if one.name == "database"
    )
    if is_usable:
        for check in (_content, _imports, _jobs):
            found += check()
    found += _backups()
    found += _licence(counts_use=is_usable)
    for check in (_settings, _maintenance):
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


def _folder_trouble() -> str:
    disk_spaces()
    return folder_trouble()


_database_check = SharedCheck(_trouble, late=LATE)
# A network folder that hangs would keep the thread of each request.
_folders_check = SharedCheck(_folder_trouble, late=_FOLDERS_LATE)


def _database() -> Iterator[HealthCheck]:
    trouble = _database_check()
    if trouble:
        text = _(
            "The database can't be used: %(reason)s Check that it runs and that Provider "
            "and ConnectionStrings name it; a restart of the server applies migrations "
            "that are missing."
        )
        reason = {"reason": _reason(trouble)}
        yield _of("database", CheckState.PROBLEM, text % reason)
    else:
        yield _of(
            "database", CheckState.OK, _("The database answers and is up to date.")
        )


def _disks() -> Iterator[HealthCheck]:
    if reason := _folders_check():
        # In the language of the reader, which the thread of the check doesn't know.
        text = folder_trouble() if reason != _FOLDERS_LATE else ""
        text = text or _(
            "A disk or folder of the installation doesn't respond: %(reason)s Check that "
            "network folders are mounted and can be read."
        ) % {"reason": _reason(reason)}
        yield _of("disk", CheckState.PROBLEM, text)
        return
    for space in disk_spaces():
        state = CheckState.OK
        if space.is_none:
            state = CheckState.PROBLEM
        elif space.is_little:
            state = CheckState.WARNING
        yield _of("disk", state, sentences.of_disk(space))


def _content() -> Iterator[HealthCheck]:
    """Yield what the daily check of a SQLite database found."""
    if connection.vendor != "sqlite":
        return
    found = last_check(settings.PLATFORM_DATA_FOLDER)
    if found is None:
        text = _("The database hasn't been checked for damage yet.")
        yield _of("database-content", CheckState.OK, text)
    elif found.damage:
        text = sentences.of_damage(found.damage, found.copy)
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
    yield _of("imports", CheckState.WARNING, sentences.of_import(last))


def _jobs() -> Iterator[HealthCheck]:
    failed = [notice.text for notice in failed_jobs(None)]
    if failed:
        remedy = _(
            "A failed job counts for %(days)s days, or until it succeeds: correct the "
            "reason, and execute it again."
        )
        failed.append(remedy % {"days": RECENT_DAYS})
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


def _licence(*, counts_use: bool) -> Iterator[HealthCheck]:
    """Yield the state of the licence, and which of its limits are nearly used up."""
    licence = current_licence()
    scarce: list[str] = []
    if counts_use:
        uses = [*users(None), *documents(None)]
        scarce += [use.text for use in uses if use.severity is NoticeSeverity.WARNING]
    state = CheckState.PROBLEM
    if licence.state in (LicenceState.FREE, LicenceState.LICENSED):
        must_act = scarce or sentences.ends_soon(licence)
        state = CheckState.WARNING if must_act else CheckState.OK
    yield _of("licence", state, " ".join([sentences.of_licence(licence), *scarce]))


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
    yield _of("maintenance", CheckState.WARNING, sentences.of_maintenance(found))


def _of(name: str, state: CheckState, sentence: str) -> HealthCheck:
    return HealthCheck(name, state, sentence)


def _reason(trouble: str) -> str:
    """Return a trouble as a sentence, in the language of the reader where it isn't the
    text of an exception."""
    if trouble not in (LATE, _FOLDERS_LATE):
        return _as_sentence(trouble)
    return _("There is no answer within %(seconds)s s.") % {
        "seconds": f"{LIMIT_SECONDS:g}"
    }


def _as_sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


def _local(at: Any) -> Any:
    return timezone.localtime(at)


def _moment(at: Any) -> str:
    return date_format(_local(at), "SHORT_DATETIME_FORMAT")
