"""`manage.py create_backup_key`: prints a new pair of keys for encrypted backups."""

from __future__ import annotations

from typing import Any

from importer.commands import VisibleCommand
from platform_site.site.archives.encryption import new_identity


class Command(VisibleCommand):
    """The command that prints a private and a public key, in the form of age-keygen."""

    help = "Prints a new private and public key for encrypted backups."
    requires_system_checks = []

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Print the keys; they are stored nowhere."""
        identity, recipient = new_identity()
        self.stdout.write(f"# public key (Backup:Recipients): {recipient}")
        self.stdout.write(identity)
