"""What a failure means for whoever waits for an answer: the database cannot serve just
now, or a disk is full. Nobody has made a mistake then; anything else is a bug."""

from __future__ import annotations

import sqlite3
from enum import StrEnum

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response
from django.utils.translation import gettext as _

from importer.services import is_out_of_space


class Failure(StrEnum):
    """What cannot be done now, by the code of its problem."""

    UNAVAILABLE = "unavailable"
    OUT_OF_SPACE = "out-of-space"

    @property
    def sentence(self) -> str:
        """Return it in words, for whoever asked."""
        if self is Failure.OUT_OF_SPACE:
            return _("The disk of the server is full; free some space and try again.")
        return _("The database is busy or doesn't answer; try again in a moment.")


def failure_of(error: BaseException | None) -> Failure | None:
    """Return what an exception means, None if somebody has made a mistake."""
    if is_out_of_space(error):
        return Failure.OUT_OF_SPACE
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError):
            return None if _is_a_mistake(error) else Failure.UNAVAILABLE
        error = error.__cause__
    return None


def log_failure(
    failure: Failure, error: BaseException, request: HttpRequest, answer: HttpResponse
) -> None:
    """Log it in one line; Django adds none of its own then."""
    log_response(
        "%s %s is answered with %d, %s: %s",
        request.method,
        request.path,
        answer.status_code,
        failure.value,
        " ".join(str(error).split()) or type(error).__name__,
        request=request,
        response=answer,
    )


def _is_a_mistake(error: BaseException) -> bool:
    """Return whether SQLite complains about the statement: a table that is missing,
    say."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR
