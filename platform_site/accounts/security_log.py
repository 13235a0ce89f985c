"""The security log: one log line for each sign-in, sign-out, restore, and change of rights,
accounts, keys and settings, however it was made. The change event named in the line has
the details."""

from __future__ import annotations

import enum
import json
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.http import HttpRequest

from importer import cut
from platform_site.changes.services import ChangeEvent, ChangeOrigin, record_change
from platform_site.log_context import LogContext, log_context, logged_as

logger = logging.getLogger("platform.security")
# Typed names are cut, since one may be as long as a request.
_LONGEST = 150
# Where people type a name, and sometimes their password by mistake.
_TYPED = ("page", "API")
# No account can have this name.
UNKNOWN = "(unknown)"


class SignIn(enum.Enum):
    """The result of an attempt to sign in."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    THROTTLED = "throttled"


def note_sign_in(
    outcome: SignIn,
    *,
    user_name: str,
    request: HttpRequest | None,
    via: str,
    user: AbstractBaseUser | None = None,
) -> None:
    """Log the result of an attempt to sign in.

    ``user_name`` is the given name and ``user`` the account, if known. A typed name is
    logged only if such an account exists. ``via`` is `page`, `API`, `API key`,
    `refresh`, or `own password` for the check before the password is changed.
    """
    level = logging.INFO if outcome is SignIn.SUCCEEDED else logging.WARNING
    name = user_name if user is None else user.get_username()
    if user is None and via in _TYPED and not _is_name(name):
        name = UNKNOWN
    _write(level, "sign-in", outcome.value, user=name, request=request, via=via)


def note_sign_out(
    *, request: HttpRequest | None, via: str, user: AbstractBaseUser
) -> None:
    """Log a sign-out."""
    name = user.get_username()
    _write(logging.INFO, "sign-out", "succeeded", user=name, request=request, via=via)


def _is_name(text: str) -> bool:
    return get_user_model()._default_manager.filter(username=text).exists()


def note_job(*, name: str, user: AbstractBaseUser) -> None:
    """Log the user for whom a scheduled job runs."""
    known = {"user": user.get_username(), "row": name}
    via = ChangeOrigin.SCHEDULED_JOB.value
    _write(logging.INFO, "job", "started", request=None, via=via, **known)


def note_restore(*, name: str, taken: str) -> None:
    """Log that the content of a backup took the place of the installation.

    Not as a change event: the restored database may be of an older version.
    """
    via = log_context().via or ChangeOrigin.SYSTEM.value
    known = {"row": name, "taken": taken}
    _write(logging.WARNING, "restore", "restored", request=None, via=via, **known)


def record_security_change(
    action: str, row: Any, changes: Mapping[str, Sequence[Any]]
) -> None:
    """Record a change of a row like `record_security_event`."""
    record_security_event(
        action=action,
        model=row.catalog_name,
        row_id=row.pk,
        row=str(row),
        changes=changes,
    )


def record_security_event(**what: Any) -> None:
    """Record a change event like `record_change`, and log it when it is committed.

    Dry runs and writes that are rolled back log nothing.
    """
    transaction.on_commit(partial(_note_change, log_context(), record_change(**what)))


def _note_change(context: LogContext, event: ChangeEvent) -> None:
    """Log the event in the context of its change, whoever commits the transaction."""
    with logged_as(context):
        _write(
            logging.INFO,
            "change",
            event.action,
            user=event.user_name,
            request=None,
            via=_via_of(event),
            kind=event.model,
            row=event.row,
            changed=", ".join(event.changes),
            change=str(event.pk),
        )


def _via_of(event: ChangeEvent) -> str:
    via = log_context().via
    if event.origin == ChangeOrigin.USER:
        return via or "command"
    return via or event.origin if event.origin == ChangeOrigin.SYSTEM else event.origin


def _write(
    level: int,
    event: str,
    result: str,
    *,
    request: HttpRequest | None,
    **known: str,
) -> None:
    address = log_context().address
    if request is not None:
        address = str(request.META.get("REMOTE_ADDR") or "")
    fields = {"event": event, "result": result, "address": address, **known}
    fields = {name: cut(text, _LONGEST) for name, text in fields.items()}
    shown = " ".join(f"{name}={_quoted(text)}" for name, text in fields.items())
    logger.log(level, "%s", shown, extra={"fields": fields})


def _quoted(text: str) -> str:
    """Return a value in quotes, so that it can't be mistaken for several."""
    return json.dumps(text, ensure_ascii=False)
