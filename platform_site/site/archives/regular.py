"""The regular work on archives: making one when it is due, removing old ones, copying
them off the machine, and the restore drill. Its results are recorded and reported."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from importer.services import ProcessLock, database_lock
from platform_site.settings.configuration import Configuration
from platform_site.settings.errors import StartRefusedError
from platform_site.site.archives import reporting
from platform_site.site.archives.backup_settings import BackupSettings, backup_settings
from platform_site.site.archives.checking import check_archive
from platform_site.site.archives.due import is_backup_due, is_drill_due
from platform_site.site.archives.errors import Stopped
from platform_site.site.archives.making import archive_lock, make_archive_alone
from platform_site.site.archives.offsite import OffsiteFailed, send
from platform_site.site.archives.retention import remove_outdated
from platform_site.site.host.archive_folder import (
    ArchiveFile,
    BackupResult,
    OffsiteState,
    archives,
    newest_archive,
    now_text,
    record_backup,
    record_drill,
    write_state,
)

_OFFSITE_KEY: Final = 0x4F464653
_DRILL_KEY: Final = 0x44524C4C
_FIRST_PAUSE: Final = timedelta(minutes=10)
_LONGEST_PAUSE: Final = timedelta(hours=6)
# Failures that a second attempt often cures, before anybody is told.
_TRIES: Final = 3
logger = logging.getLogger("platform.backups")


def do_what_is_due(
    configuration: Configuration, has_stopped: Callable[[], bool]
) -> None:
    """Make, copy and try archives, as far as each is due."""
    chosen = backup_settings(configuration)
    if is_backup_due(chosen, datetime.now(UTC)):
        back_up_now(configuration, has_stopped, only_if_due=True)
    send_waiting(configuration, has_stopped)
    if is_drill_due(chosen, datetime.now(UTC)):
        hold_drill(configuration, has_stopped)


def back_up_now(
    configuration: Configuration,
    has_stopped: Callable[[], bool],
    *,
    only_if_due: bool = False,
) -> None:
    """Make an archive, remove outdated ones, and report how it went.

    Nothing happens while another process does this.
    """
    chosen = backup_settings(configuration)
    with archive_lock(configuration) as lock:
        # Another server may have made it since.
        if not lock.take("a backup") or (
            only_if_due and not is_backup_due(chosen, datetime.now(UTC))
        ):
            return
        begun = datetime.now(UTC)
        archive, problem = _made(configuration, has_stopped, by_hand=not only_if_due)
    if archive is None and not problem:
        return
    outcome = BackupResult(
        at=now_text(),
        archive=archive.name if archive else "",
        problems=[problem] if problem else [],
        seconds=round((datetime.now(UTC) - begun).total_seconds(), 1),
    )
    _recorded(record_backup, chosen.folder, outcome)
    reporting.report("backup", problem)
    if archive is not None:
        remove_outdated(chosen.folder, days=chosen.keep_days, number=chosen.keep_number)


def _made(
    configuration: Configuration, has_stopped: Callable[[], bool], *, by_hand: bool
) -> tuple[Path | None, str]:
    """Return the new archive, or why there is none; neither if the server stops."""
    try:
        made = make_archive_alone(
            configuration, has_stopped=has_stopped, by_hand=by_hand
        )
        return made, ""
    except Stopped:
        return None, ""
    except StartRefusedError as refusal:
        if has_stopped():
            return None, ""
        logger.error("The backup failed: %s", refusal)
        return None, str(refusal)
    except Exception as error:
        logger.exception("The backup failed unexpectedly")
        return None, f"{type(error).__name__}; see the server log for the reason."


def send_waiting(configuration: Configuration, has_stopped: Callable[[], bool]) -> None:
    """Copy archives to the other place that aren't there yet, the newest first."""
    chosen = backup_settings(configuration)
    if not chosen.offsite or not _waiting(chosen):
        return
    with _lock(configuration, _OFFSITE_KEY, ".offsite.lock") as lock:
        if not lock.take("an off-site copy"):
            return
        for archive in _waiting(chosen):
            if has_stopped() or not _sent(chosen, archive, has_stopped):
                return
        if chosen.offsite.folder is not None:
            remove_outdated(
                chosen.offsite.folder, days=chosen.keep_days, number=chosen.keep_number
            )


def _waiting(chosen: BackupSettings) -> list[ArchiveFile]:
    now = now_text()
    return [
        one
        for one in archives(chosen.folder)
        if not _is_there(one, chosen) and not _waits_until(one, chosen) > now
    ]


def _is_there(archive: ArchiveFile, chosen: BackupSettings) -> bool:
    state = archive.state.offsite
    return (
        state is not None and state.place == chosen.offsite.name and bool(state.sent_at)
    )


def _waits_until(archive: ArchiveFile, chosen: BackupSettings) -> str:
    state = archive.state.offsite
    return state.next_at if state and state.place == chosen.offsite.name else ""


def _sent(
    chosen: BackupSettings, archive: ArchiveFile, has_stopped: Callable[[], bool]
) -> bool:
    """Copy one archive; record and report how it went."""
    before = archive.state.offsite
    attempts = before.attempts if before and before.place == chosen.offsite.name else 0
    state = OffsiteState(place=chosen.offsite.name, attempts=attempts + 1)
    try:
        _try_to_send(chosen, archive, has_stopped)
        state.sent_at = now_text()
        logger.info("%s is copied to %s.", archive.name, chosen.offsite.name)
    except Stopped:
        return False
    except OffsiteFailed as failure:
        pause = min(_FIRST_PAUSE * 2 ** min(attempts, 10), _LONGEST_PAUSE)
        state.error = str(failure)
        state.next_at = (datetime.now(UTC) + pause).isoformat(timespec="seconds")
        logger.error("%s isn't copied off the machine: %s", archive.name, failure)
    archive.state.offsite = state
    if archive.path.exists():
        write_state(archive.path, archive.state)
    reporting.report("offsite", state.error)
    return not state.error


def _try_to_send(
    chosen: BackupSettings, archive: ArchiveFile, has_stopped: Callable[[], bool]
) -> None:
    for attempt in range(1, _TRIES + 1):
        try:
            send(chosen.offsite, archive, has_stopped)
            return
        except OffsiteFailed:
            if attempt == _TRIES or has_stopped():
                raise


def hold_drill(configuration: Configuration, has_stopped: Callable[[], bool]) -> None:
    """Restore the newest archive into a temporary place, and report what was found."""
    chosen = backup_settings(configuration)
    with _lock(configuration, _DRILL_KEY, ".drill.lock") as lock:
        newest = newest_archive(chosen.folder)
        if not lock.take("a restore drill") or newest is None:
            return
        try:
            outcome = check_archive(
                configuration, newest.path, chosen.keys, has_stopped
            )
        except Stopped:
            return
        if has_stopped() or not newest.path.exists():
            return
    for text in outcome.problems:
        logger.error("The restore drill of %s failed: %s", newest.name, text)
    for text in outcome.unchecked:
        logger.warning("%s wasn't restored by the restore drill. %s", newest.name, text)
    if outcome.is_complete:
        logger.info("%s was restored and checked by the restore drill.", newest.name)
    _recorded(record_drill, chosen.folder, outcome)
    reporting.report(
        "drill", "\n".join(outcome.problems), unchecked="\n".join(outcome.unchecked)
    )


def _lock(configuration: Configuration, key: int, name: str) -> ProcessLock:
    return database_lock(key, configuration.data_folder / "db" / name)


def _recorded(
    record: Callable[[Path, BackupResult], None], folder: Path, outcome: BackupResult
) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        record(folder, outcome)
    except OSError as error:
        logger.error("The result can't be recorded in %s: %s", folder, error)
