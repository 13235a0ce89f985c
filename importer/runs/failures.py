"""Messages for runs that ended unexpectedly, above all because of a full disk."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from django.db import DatabaseError
from django.utils.translation import gettext as _

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT)
_DISK_FULL_OF_POSTGRESQL: Final = "53100"


def is_out_of_space(failure: BaseException | None) -> bool:
    """Return whether an error means that a disk is full, ours or the database's."""
    while failure is not None:
        if isinstance(failure, OSError) and failure.errno in _NO_SPACE:
            return True
        if getattr(failure, "sqlstate", None) == _DISK_FULL_OF_POSTGRESQL:
            return True
        if getattr(failure, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return True
        failure = failure.__cause__
    return False


def reason_of(failure: BaseException) -> str:
    """Return why a run ended unexpectedly, for its report."""
    if is_out_of_space(failure):
        return _(
            "the disk is full; free some space and run the package again; it "
            "continues where it stopped"
        )
    if isinstance(failure, DatabaseError):
        reason = str(failure).strip().split("\n")[0]
        return _("the database failed: %(reason)s") % {"reason": reason}
    return unexpected()


def unexpected() -> str:
    """Return the message for an unforeseen error."""
    return _("the run ended unexpectedly; see the server log for the reason")
