"""`manage.py rotate_key`: replaces the signing key; sign-ins with the old one stay valid."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from platform_site.settings.configuration import active
from platform_site.settings.key_rotation import longest_lifetime, rotate
from platform_site.site.archives.old_keys import where_old_keys_are
from platform_site.site.host.instance_lock import only_instance


class Command(BaseCommand):
    """The command that replaces the generated signing key, while no server runs.

    A running server would go on signing with the old key.
    """

    help = (
        "Replaces the signing key; sign-ins with the old one stay valid until they end."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--forget-old",
            action="store_true",
            help="End all sign-ins: for a key that somebody else may know.",
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Replace the key, and tell what that means for sign-ins."""
        configuration = active()
        if configuration.settings.text("JwtOptions:Secret"):
            raise CommandError(
                "The signing key is set by JwtOptions:Secret, so it is replaced there: "
                "set it to a new text, and add the old one to JwtOptions:PreviousSecrets.",
                returncode=2,
            )
        now = datetime.now(UTC)
        forget = bool(options["forget_old"])
        with only_instance(configuration.data_folder):
            rotate(configuration.data_folder, now, keep_old=not forget)
        if forget:
            self.stdout.write("The signing key is replaced. Everybody signs in again.")
            for sentence in where_old_keys_are(configuration):
                self.stdout.write(sentence)
            return
        until = now + longest_lifetime(configuration.settings)
        self.stdout.write(
            "The signing key is replaced. Sign-ins with the old one stay valid until "
            f"they end, at the latest on {until:%Y-%m-%d}."
        )
