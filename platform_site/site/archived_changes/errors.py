"""The reasons why changes can't be archived or put back."""

from __future__ import annotations

from platform_site.settings.errors import StartRefusedError, WrongCallError


class ArchivingError(StartRefusedError):
    """The refusal to archive or restore changes, as a sentence for the operator."""


class WrongArchivingCall(WrongCallError):
    """The refusal of arguments, as a sentence for the operator."""


class ArchivingInProgress(ArchivingError):
    """The refusal while another process archives or restores changes."""

    def __init__(self) -> None:
        super().__init__(
            "Changes are being archived or restored by another process; wait until it "
            "has ended."
        )
