"""The sessions of pages, stored in the database. A session ends when it is unused for a
while, and at the latest some time after the sign-in."""

from __future__ import annotations

import datetime
from contextlib import suppress
from typing import Any, Final

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest
from django.utils import timezone

from platform_site.database import sessions

# The time of the sign-in in seconds since 1970, stored in the session.
_BEGAN: Final = "signed_in_at"
# The end is extended in steps of at most this, so that few requests write.
_LATE: Final = datetime.timedelta(minutes=5)


class SessionStore(sessions.SessionStore):
    """A session store whose sessions are extended by use.

    Sessions of version 0.1 have no start time and keep their end.
    """

    def load(self) -> dict[str, Any]:
        """Return the data of the session, and extend it."""
        row = self._get_session_from_db()  # type: ignore[attr-defined]
        data: dict[str, Any] = self.decode(row.session_data) if row else {}
        if row and _BEGAN in data:
            end = _end(data)
            late = min(_LATE, settings.PLATFORM_SESSION_IDLE / 20)
            # It may also be too late, if the clock has been set back.
            if abs(end - row.expire_date) > late:
                used = self.model.objects.filter(pk=row.pk)
                # Reading must work while nothing can be written.
                with suppress(OperationalError):
                    used.update(expire_date=end)
        return data

    def get_expiry_date(self, **kwargs: Any) -> datetime.datetime:
        """Return when the session ends if it isn't used again."""
        return _end(self._session)  # type: ignore[attr-defined]


def note_beginning(request: HttpRequest, **kwargs: Any) -> None:
    """Store the time of the sign-in, from which the maximum lifetime counts."""
    request.session[_BEGAN] = int(timezone.now().timestamp())


def signed_in_at(request: HttpRequest) -> datetime.datetime | None:
    """Return when the session of the request began, None if it isn't known."""
    began = request.session.get(_BEGAN)
    if began is None:
        return None
    return datetime.datetime.fromtimestamp(float(began), datetime.UTC)


def _end(data: dict[str, Any]) -> datetime.datetime:
    now = timezone.now()
    idle: datetime.datetime = now + settings.PLATFORM_SESSION_IDLE
    lifetime = datetime.timedelta(seconds=settings.SESSION_COOKIE_AGE)
    began = min(float(data.get(_BEGAN, now.timestamp())), now.timestamp())
    return min(idle, datetime.datetime.fromtimestamp(began, datetime.UTC) + lifetime)
