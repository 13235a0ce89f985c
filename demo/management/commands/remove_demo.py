"""`manage.py remove_demo`: removes the demo data from this installation."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import DatabaseError

from demo.removal import Removal, remove_demo_data
from demo.seeding import DemoRefused
from importer.commands import BUSY, VisibleCommand
from importer.services import ImportInProgress, LockUnusable
from platform_site.changes.services import ChangeOrigin, acting_as


class Command(VisibleCommand):
    """The command that removes unchanged demo data and reports what is kept."""

    help = "Deletes the demo data that nobody has changed, and disables the demo users."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for dry run and user."""
        parser.epilog = (
            "exit codes: 0 done; 2 there is no demo data, or the user isn't an "
            "administrator; 75 an import is in progress"
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show what would happen, write nothing",
        )
        parser.add_argument(
            "--user",
            default="admin",
            help="the administrator who runs the command (admin)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove the data, and print what was removed and what is kept."""
        try:
            users = get_user_model()._default_manager
            user = users.filter(username=options["user"]).first()
            if user is None:
                name = options["user"]
                raise CommandError(f'There is no user "{name}".', returncode=2)
            with acting_as(user, ChangeOrigin.USER):
                removal = remove_demo_data(actor=user, dry_run=options["dry_run"])
        except ImportInProgress as busy:
            raise CommandError(str(busy), returncode=BUSY) from None
        except (DemoRefused, LockUnusable) as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        except DatabaseError as error:
            reason = str(error).strip().split("\n")[0]
            message = f"The database is not ready ({reason}); run startup first."
            raise CommandError(message, returncode=2) from None
        self._tell(removal)

    def _tell(self, removal: Removal) -> None:
        went = "Would be removed" if removal.dry_run else "Removed"
        for catalog, count in removal.removed.items():
            self.stdout.write(f"{went}: {catalog} {count:,}")
        for kept in removal.kept:
            self.stdout.write(f"Kept: {kept.catalog} {kept.row}. {kept.reason}")
        if removal.disabled_users:
            disabled = "Would be disabled" if removal.dry_run else "Disabled"
            self.stdout.write(f"{disabled}: {', '.join(removal.disabled_users)}")
        if removal.dry_run:
            self.stdout.write("Nothing was written.")
