"""`manage.py reset_admin`: sets a new password for an administrator when nobody can
sign in. It also works while the server is running."""

from __future__ import annotations

import getpass
import secrets
import sys
from argparse import ArgumentParser
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer.commands import VisibleCommand
from platform_site.accounts.recovery import (
    NotToBeReset,
    ResetOrder,
    is_usable,
    order_reset,
    reset_administrator,
)

_WRONG_CALL: Final = 2
_MADE_BYTES: Final = 15


class Command(VisibleCommand):
    """The command that resets the password of an administrator."""

    help = (
        "Sets a new password for the administrator and ends the "
        "account's sessions and tokens. On a terminal, the command "
        "asks for the password. If you only press Enter, or without a "
        "terminal, it generates a password and prints it once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for account, enabling and the source of the password."""
        parser.add_argument(
            "--user", default="", metavar="NAME", help="an administrator, if not admin"
        )
        parser.add_argument(
            "--enable",
            action="store_true",
            help="activate and unlock the account, and make it an administrator again",
        )
        # Not an argument, because every user of the computer can see those.
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from the first line of standard input",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Reset the account and report the result."""
        try:
            order = order_reset(options["user"], enable=options["enable"])
            password, made = self._password(from_input=options["password_stdin"])
            self._reset(order, password)
        except NotToBeReset as refusal:
            raise CommandError(str(refusal), returncode=_WRONG_CALL) from None
        except ValidationError as weak:
            sentences = " ".join(weak.messages)
            message = f"{sentences} Nothing was changed."
            raise CommandError(message, returncode=_WRONG_CALL) from None
        except UnicodeError:
            message = "The name or the password isn't text. Nothing was changed."
            raise CommandError(message, returncode=_WRONG_CALL) from None
        except DatabaseError as error:
            message = f"The database can't be used ({error}). Nothing was changed."
            raise CommandError(message) from None
        if made:
            self.stdout.write(f"The password, shown only once: {password}")

    def _reset(self, order: ResetOrder, password: str) -> None:
        created = order.creates
        user = reset_administrator(order, password)
        if created:
            self.stdout.write(f'Created the administrator "{user}".')
        else:
            self.stdout.write(
                f'"{user}" has a new password. Its sessions and tokens have ended.'
            )
        if not is_usable(user):
            self.stderr.write(
                f'"{user}" is deactivated, locked or kept out of the pages: repeat the '
                "command with --enable."
            )

    def _password(self, *, from_input: bool) -> tuple[str, bool]:
        """Return the password, and whether it was generated."""
        if from_input:
            given = sys.stdin.readline().rstrip("\r\n")
            if not given:
                message = "Standard input has no password in its first line."
                raise CommandError(message, returncode=_WRONG_CALL)
            return given, False
        typed = _asked() if sys.stdin is not None and sys.stdin.isatty() else ""
        return (typed, False) if typed else (secrets.token_urlsafe(_MADE_BYTES), True)


def _asked() -> str:
    try:
        typed = getpass.getpass("New password (Enter to have one made): ")
        again = typed and getpass.getpass("The same again: ")
    except (KeyboardInterrupt, EOFError):
        raise CommandError("Nothing was changed.") from None
    if typed != again:
        message = "The two passwords differ. Nothing was changed."
        raise CommandError(message, returncode=_WRONG_CALL)
    return typed
