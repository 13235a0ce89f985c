"""The sessions of the pages, in the database: one ends when nobody has used it for a
while, and in any case some time after the sign-in."""

from __future__ import annotations

import datetime
from contextlib import suppress
from typing import Any, Final

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest
from django.utils import timezone

from platform_site.database import sessions

# Seconds since 1970 at the sign-in, kept in the session.
_BEGAN: Final = "signed_in_at"
# A use is written down this much later at most, so that few requests write.
_LATE: Final = datetime.timedelta(minutes=5)


class SessionStore(sessions.SessionStore):
    """The sessions of the database, whose end moves on with their use.

    Those of 0.1 don't say when they began: they end when they would have.
    """

    def load(self) -> dict[str, Any]:
        """Return what the session holds, and note that it's in use."""
        row = self._get_session_from_db()  # type: ignore[attr-defined]
        data: dict[str, Any] = self.decode(row.session_data) if row else {}
        if row and _BEGAN in data:
            end = _end(data)
            late = min(_LATE, settings.PLATFORM_SESSION_IDLE / 20)
            # Much later than it could be: the clock was set back since.
            if abs(end - row.expire_date) > late:
                used = self.model.objects.filter(pk=row.pk)
                # Who only reads must be served while nothing can be written.
                with suppress(OperationalError):
                    used.update(expire_date=end)
        return data

    def get_expiry_date(self, **kwargs: Any) -> datetime.datetime:
        """Return when it ends unless it's used again."""
        return _end(self._session)  # type: ignore[attr-defined]


def note_beginning(request: HttpRequest, **kwargs: Any) -> None:
    """Remember when the sign-in was, from which the longest life is counted."""
    request.session[_BEGAN] = int(timezone.now().timestamp())


def _end(data: dict[str, Any]) -> datetime.datetime:
    now = timezone.now()
    idle: datetime.datetime = now + settings.PLATFORM_SESSION_IDLE
    lifetime = datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    began = min(float(data.get(_BEGAN, now.timestamp())), now.timestamp())
    return min(idle, datetime.datetime.fromtimestamp(began, datetime.UTC) + lifetime)
