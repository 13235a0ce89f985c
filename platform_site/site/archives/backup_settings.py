"""The settings of archives, read once and checked before the server starts."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from platform_site.scheduling.schedule_times import Cron, ScheduleError, checked_cron
from platform_site.settings.configuration import Configuration
from platform_site.settings.errors import SettingsError
from platform_site.settings.s3_place import S3Place, s3_place
from platform_site.site.archives.age_keys import identity_bytes, recipient_bytes
from platform_site.site.archives.keys import Keys
from platform_site.site.host.archive_folder import makes_archives

_PASSPHRASE: Final = "Backup:Passphrase"
_RECIPIENTS: Final = "Backup:Recipients"
_IDENTITY: Final = "Backup:Identity"
_COMMAND: Final = "Backup:Offsite:Command"
_SHORTEST: Final = 12


@dataclass(frozen=True, slots=True)
class Offsite:
    """Where a copy of each archive goes: one of a folder, a bucket and a command."""

    folder: Path | None = None
    bucket: S3Place | None = None
    command: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.folder or self.bucket or self.command)

    @property
    def name(self) -> str:
        """Return the place for people."""
        if self.folder is not None:
            return str(self.folder)
        if self.bucket is not None:
            return self.bucket.name
        return self.command[0] if self.command else ""


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """When archives are made, where they are, and how long they are kept."""

    folder: Path
    schedule: Cron | None
    keep_days: int
    keep_number: int
    drill_every: timedelta | None
    keys: Keys
    offsite: Offsite


def backup_settings(configuration: Configuration) -> BackupSettings:
    """Return the settings of archives; raise SettingsError for wrong ones."""
    settings = configuration.settings
    drill_days = settings.number("Backup:DrillDays")
    return BackupSettings(
        folder=configuration.data_folder / settings.text("Backup:Folder"),
        schedule=_schedule(configuration),
        keep_days=settings.number("Backup:KeepDays"),
        keep_number=settings.number("Backup:KeepNumber"),
        drill_every=timedelta(days=drill_days) if drill_days else None,
        keys=keys_of(configuration),
        offsite=_offsite(configuration),
    )


def keys_of(configuration: Configuration) -> Keys:
    """Return what encrypts and opens archives; raise SettingsError for a wrong key."""
    settings = configuration.settings
    keys = Keys(
        passphrase=settings.text(_PASSPHRASE),
        recipients=settings.list(_RECIPIENTS),
        identity=settings.text(_IDENTITY),
    )
    if keys.passphrase and keys.recipients:
        raise SettingsError(
            f"{_PASSPHRASE} and {_RECIPIENTS} are both set; an archive is encrypted "
            "with one of them, so keep one."
        )
    if keys.passphrase and len(keys.passphrase) < _SHORTEST:
        raise SettingsError(
            f"{_PASSPHRASE} ({settings.source(_PASSPHRASE)}) is too short: use at least "
            f"{_SHORTEST} characters, such as six random words."
        )
    for recipient in keys.recipients:
        _check_key(configuration, _RECIPIENTS, partial(recipient_bytes, recipient))
    if keys.identity:
        _check_key(configuration, _IDENTITY, partial(identity_bytes, keys.identity))
    return keys


def _check_key(
    configuration: Configuration, key: str, read: Callable[[], object]
) -> None:
    try:
        read()
    except ValueError as error:
        example = {_RECIPIENTS: "age1…", _IDENTITY: "AGE-SECRET-KEY-1…"}[key]
        raise SettingsError(
            f"{key} ({configuration.settings.source(key)}) must hold keys such as "
            f"{example}, as age-keygen prints them; this one {error}."
        ) from None


def _schedule(configuration: Configuration) -> Cron | None:
    key = "Backup:Schedule"
    if not makes_archives(configuration):
        return None
    try:
        text = configuration.settings.text(key)
        return Cron(checked_cron(text), ZoneInfo(configuration.time_zone))
    except ScheduleError as error:
        raise SettingsError(
            f"{key} ({configuration.settings.source(key)}) isn't a schedule: {error} "
            "Write off to make no archives by themselves."
        ) from None


def _offsite(configuration: Configuration) -> Offsite:
    settings = configuration.settings
    folder = settings.text("Backup:Offsite:Folder")
    offsite = Offsite(
        folder=configuration.data_folder / folder if folder else None,
        bucket=s3_place(settings, "Backup:Offsite:S3"),
        command=_command(configuration),
    )
    if sum(map(bool, (folder, offsite.bucket, offsite.command))) > 1:
        raise SettingsError(
            "Backup:Offsite:Folder, Backup:Offsite:S3:Bucket and "
            f"{_COMMAND} exclude each other; keep one."
        )
    return offsite


def _command(configuration: Configuration) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(configuration.settings.text(_COMMAND)))
    except ValueError as error:
        raise SettingsError(
            f"{_COMMAND} ({configuration.settings.source(_COMMAND)}) can't be split "
            f"into words: {error}."
        ) from None
