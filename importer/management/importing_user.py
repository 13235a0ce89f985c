"""The user as whom a command runs, and the text of a failure."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer.management.exit_codes import WRONG_CALL


def user_named(name: str) -> Any:
    """Return the user with a name; raise CommandError if there is none."""
    try:
        model: Any = get_user_model()
        by_name = {model.USERNAME_FIELD: name}
        user = model._default_manager.filter(**by_name).first()
    except UnicodeError:
        user = None  # bytes of the command line that aren't text
    except DatabaseError as error:
        message = f"The database is not ready ({reason_of(error)}); run migrate first."
        raise CommandError(message, returncode=WRONG_CALL) from None
    if user is None:
        raise CommandError(f'There is no user "{name}".', returncode=WRONG_CALL)
    return user


def reason_of(error: Exception) -> str:
    """Return the first line of an error of the system or database."""
    said = getattr(error, "strerror", None) or str(error)
    return said.strip().split("\n")[0]
