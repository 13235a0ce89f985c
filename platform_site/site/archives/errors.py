"""The reasons why an archive can't be made, opened or restored."""

from __future__ import annotations

from platform_site.settings.errors import StartRefusedError


class ArchiveError(StartRefusedError):
    """The refusal of an archive, as a sentence for the operator."""


class DamagedArchive(ArchiveError):
    """The refusal of an archive whose content isn't what was written."""


class WrongKey(ArchiveError):
    """The refusal of an archive that the given passphrase or identity doesn't open."""


class Busy(ArchiveError):
    """The refusal while another process makes or tries an archive."""

    def __init__(self) -> None:
        super().__init__("Another backup is being made; wait until it has ended.")


class Stopped(ArchiveError):
    """The end of work because the server stops."""

    def __init__(self) -> None:
        super().__init__("The server stopped.")
