"""`manage.py issue_licence`, for the vendor: prints a licence signed with a private
key. It needs no installation."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from licensing.files import FileTroubleError, read_private_key
from licensing.licence import GREATEST_LIMIT, LicenceError, Terms, sign_licence
from licensing.limits import LicenceLimits

_LONGEST_DAYS: Final = 36_500


class Command(BaseCommand):
    """The command that signs a licence (OPEN-84)."""

    help = "The vendor's tool: prints a signed licence string."
    # Signing doesn't depend on the installation.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for key and terms; absent limits mean unlimited."""
        parser.add_argument(
            "--key", required=True, help="PEM file of the private Ed25519 key"
        )
        parser.add_argument("--licensee", required=True, help="name of the licensee")
        parser.add_argument(
            "--days", default="365", help="number of days it is valid (365)"
        )
        for name in ("users", "documents", "lines"):
            parser.add_argument(f"--{name}", help="the limit; if omitted, unlimited")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Print the licence, or exit with a sentence and exit code 2."""
        try:
            terms = _terms(options, timezone.now())
            licence = sign_licence(terms, read_private_key(Path(options["key"])))
        except (FileTroubleError, LicenceError) as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(licence)


def _terms(options: dict[str, Any], now: datetime) -> Terms:
    days = _number("days", options["days"], greatest=_LONGEST_DAYS)
    limits = {
        name: None if options[name] is None else _number(name, options[name])
        for name in ("users", "documents", "lines")
    }
    return Terms(
        licensee=options["licensee"],
        issued_at=now,
        expires_at=now + timedelta(days=days),
        limits=LicenceLimits(
            users=limits["users"],
            documents_per_month=limits["documents"],
            lines_per_document=limits["lines"],
        ),
    )


def _number(name: str, given: str | int, greatest: int = GREATEST_LIMIT) -> int:
    # Taken as text, so that a wrong value gets a sentence instead of the usage.
    text = str(given)
    if not re.fullmatch(r"[0-9]{1,10}", text) or not 1 <= int(text) <= greatest:
        raise LicenceError(
            f"--{name} is {text}, but must be a whole number from 1 to {greatest:,}."
        )
    return int(text)
