"""`manage.py test_mail`: sends a message, to try the settings of the mail server."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email

from importer.commands import VisibleCommand
from platform_site.notifications.mails import (
    MailRefused,
    mail_server,
    send_test_mail,
)

_FAILED: Final = 1
_WRONG_CALL: Final = 2


class Command(VisibleCommand):
    """The command that sends a test message."""

    help = "Sends a test message through the mail server of the settings Mail:*."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the address."""
        parser.add_argument("address", help="the e-mail address of the recipient")

    def handle(self, *args: Any, **options: Any) -> None:
        """Send the message, and say what the mail server answered."""
        address = options["address"]
        try:
            validate_email(address)
        except ValidationError:
            message = f"“{address}” isn't an e-mail address."
            raise CommandError(message, returncode=_WRONG_CALL) from None
        if not mail_server():
            message = "No mail server is set: set Mail:Host (Mail__Host)."
            raise CommandError(message, returncode=_WRONG_CALL)
        try:
            self.stdout.write(send_test_mail(address))
        except MailRefused as refusal:
            raise CommandError(str(refusal), returncode=_FAILED) from None
