"""`manage.py create_api_key USER`: creates an API key and prints it once."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.utils import timezone

from importer.commands import VisibleCommand
from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User

_LONGEST_DAYS = 36_500


class Command(VisibleCommand):
    """The command that creates an API key and prints it once."""

    help = "Create an API key that acts as USER and print it; it is shown only once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for user, expiry and name."""
        parser.add_argument("user", metavar="USER", help="name of the user")
        parser.add_argument(
            "--expires",
            type=int,
            metavar="DAYS",
            help=(
                "days until the key expires; if omitted, the key is valid "
                "until it is revoked"
            ),
        )
        parser.add_argument(
            "--scopes",
            default="",
            metavar="SCOPES",
            help=(
                "what the key may do and where, such as 'read Items Warehouses'; if "
                "omitted, all that its user may do"
            ),
        )
        parser.add_argument(
            "--name", default="command line", help="what the key is for"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the key; raise CommandError for a wrong argument."""
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f'There is no user "{options["user"]}".')
        days, expires = options["expires"], None
        if days is not None:
            if not 1 <= days <= _LONGEST_DAYS:
                raise CommandError(f"--expires takes 1 to {_LONGEST_DAYS:,} days.")
            expires = timezone.now() + timedelta(days=days)
        try:
            _key, text = create_api_key(
                user=user,
                name=options["name"],
                expires_at=expires,
                scopes=options["scopes"].replace(",", " ").split(),
            )
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from None
        self.stdout.write(text)
