"""What a start warns of before it serves, and `startup --check` as well: exposure, and
backups that can't be made, stay on this machine or can be read by anybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import psycopg

from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.listen import Endpoint
from platform_site.site.host.archive_folder import makes_archives
from platform_site.site.host.exposure import can_be_reached, exposure_warnings
from platform_site.site.host.postgres_tools import ToolFailed, postgres_tools

_OFFSITE: Final = (
    "Backup:Offsite:Folder",
    "Backup:Offsite:Command",
    "Backup:Offsite:S3:Bucket",
)


def start_warnings(
    configuration: Configuration, addresses: Sequence[Endpoint]
) -> Iterator[str]:
    """Yield one sentence for each thing to check, naming the setting."""
    yield from exposure_warnings(configuration, addresses)
    if not makes_archives(configuration):
        return
    if can_be_reached(configuration, addresses):
        yield from _places_and_keys(configuration)
    if configuration.connection.provider is Provider.POSTGRESQL:
        yield from _tools(configuration)


def _places_and_keys(configuration: Configuration) -> Iterator[str]:
    settings = configuration.settings
    if not any(settings.text(key) for key in _OFFSITE):
        yield (
            "Backups stay on this machine and are lost with it: set "
            "Backup:Offsite:Folder, S3 or Command to copy each to another place."
        )
    if not (settings.text("Backup:Passphrase") or settings.list("Backup:Recipients")):
        yield (
            "Backups aren't encrypted, so whoever gets one can read everything: set "
            "Backup:Passphrase or Backup:Recipients."
        )


def _tools(configuration: Configuration) -> Iterator[str]:
    """Yield that the tools for archives are missing or too old, which would otherwise
    be noticed at night."""
    try:
        postgres_tools(configuration).require_dump()
    except ToolFailed as error:
        yield f"The scheduled backups will fail: {error}"
    except psycopg.Error:
        # The start itself refuses a server that can't be reached.
        return
