"""Sessions in the database, which tell a full disk from a session that is gone."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError


class SessionStore(db.SessionStore):
    """Django's sessions; a failure of the database is raised as what it is."""

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's signature
        """Save the session; UpdateError only if it was deleted meanwhile."""
        try:
            super().save(must_create)
        except UpdateError as error:
            # Django takes every error of a database for a deletion, and would answer
            # that the user may have signed out.
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from error.__context__.__cause__
            raise
