"""The security trail: one line of the log for each sign-in, whichever door it came to."""

from __future__ import annotations

import enum
import json
import logging
from typing import TYPE_CHECKING

from importer.package.texts import cut

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.http import HttpRequest

logger = logging.getLogger("platform.security")
_LONGEST_NAME = 150


class SignIn(enum.Enum):
    """How an attempt to sign in ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    THROTTLED = "throttled"


def note_sign_in(
    outcome: SignIn,
    *,
    user_name: str,
    request: HttpRequest | None,
    door: str,
    user: AbstractBaseUser | None = None,
) -> None:
    """Write how an attempt ended; ``user_name`` is what was given, ``user`` who it is.

    ``door`` names what was asked: `page`, `API`, `API key`, `refresh`.
    """
    name = user_name if user is None else user.get_username()
    address = "" if request is None else str(request.META.get("REMOTE_ADDR") or "")
    fields = {
        "event": "sign-in",
        "result": outcome.value,
        "user": cut(name, _LONGEST_NAME),
        "address": address,
        "door": door,
    }
    level = logging.INFO if outcome is SignIn.SUCCEEDED else logging.WARNING
    shown = " ".join(f"{key}={_quoted(text)}" for key, text in fields.items())
    logger.log(level, "%s", shown, extra={"fields": fields})


def _quoted(text: str) -> str:
    """Return a value between quotes, so that none can be taken for two."""
    return json.dumps(text, ensure_ascii=False)
