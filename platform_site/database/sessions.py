"""A session store that doesn't mistake a full disk for a deleted session."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError


class SessionStore(db.SessionStore):
    """Django's session store; database errors are raised unchanged."""

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's signature
        """Save the session; raise UpdateError only if it has been deleted."""
        try:
            super().save(must_create)
        except UpdateError as error:
            # Django takes every database error for a deletion, and would respond that
            # the user may have signed out.
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from error.__context__.__cause__
            raise
