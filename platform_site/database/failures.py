"""The classification of failures: the database or the storage of attachments is
unavailable, or a disk is full. Anything else is a bug."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from enum import StrEnum

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response
from django.utils.translation import gettext as _

from importer.services import is_out_of_space
from platform_site.settings.s3_place import StorageUnavailable


class Failure(StrEnum):
    """A failure, named as in the metrics."""

    UNAVAILABLE = "unavailable"
    OUT_OF_SPACE = "out-of-space"
    STORAGE = "storage-unavailable"

    @property
    def code(self) -> str:
        """Return the code of its problem."""
        # Callers try again in either case.
        is_temporary = self is Failure.STORAGE
        return Failure.UNAVAILABLE.value if is_temporary else self.value

    @property
    def sentence(self) -> str:
        """Return the failure as a sentence."""
        if self is Failure.OUT_OF_SPACE:
            return _("The disk of the server is full; free some space and try again.")
        if self is Failure.STORAGE:
            return _("The storage of files doesn't answer; try again in a moment.")
        return _("The database is busy or doesn't answer; try again in a moment.")


_counted: Counter[Failure] = Counter()
_lock = threading.Lock()


def counted_failures() -> dict[Failure, int]:
    """Return how many requests of this process have failed for each reason."""
    return {failure: _counted[failure] for failure in Failure}


def failure_of(error: BaseException | None) -> Failure | None:
    """Return the failure behind an exception, None for any other error."""
    if is_out_of_space(error):
        return Failure.OUT_OF_SPACE
    while error is not None:
        if isinstance(error, StorageUnavailable):
            return Failure.STORAGE
        if isinstance(error, OperationalError | InterfaceError):
            return None if _is_a_mistake(error) else Failure.UNAVAILABLE
        error = error.__cause__
    return None


def reason_of(error: Exception) -> str:
    """Return why a disk or a database failed, as the end of a sentence."""
    if is_out_of_space(error):
        return "the disk is full"
    told = getattr(error, "strerror", None) or " ".join(str(error).split())
    return str(told).rstrip(".")


def log_failure(
    failure: Failure, error: BaseException, request: HttpRequest, answer: HttpResponse
) -> None:
    """Log a failure in one line, and count it; Django then logs nothing itself."""
    with _lock:
        _counted[failure] += 1
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
    """Return whether SQLite refused the statement itself, for example for a missing
    table."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR
