"""What encrypts archives and opens them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Keys:
    """What encrypts archives and opens them: a passphrase, or recipients and an
    identity."""

    passphrase: str = field(default="", repr=False)
    recipients: tuple[str, ...] = ()
    identity: str = field(default="", repr=False)

    @property
    def encrypt(self) -> bool:
        """Return whether new archives are encrypted."""
        return bool(self.passphrase or self.recipients)

    @property
    def can_open(self) -> bool:
        """Return whether an encrypted archive could be opened."""
        return bool(self.passphrase or self.identity)

    @property
    def can_read_own(self) -> bool:
        """Return whether a new archive can be read again."""
        return not self.recipients or bool(self.identity)

    @property
    def check_of_own(self) -> str:
        """Return how a new archive is checked, for people."""
        if self.can_read_own:
            return "read again"
        return "compared byte by byte (Backup:Identity would let it be read again)"
