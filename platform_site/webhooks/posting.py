"""One message after the other over one connection to a receiver, each with its own
deadline."""

from __future__ import annotations

import http.client
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult

from django.conf import settings
from django.utils.translation import gettext as _

from platform_site.processing.checked_connection import (
    CheckedConnection,
    PrivateAddress,
    https_parts,
    path_of,
)

# A receiver has so much time for one message.
SECONDS: Final = 15.0
# So much of a response is read and shown.
_MOST_READ: Final = 1 << 12
_MOST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class MessageAnswer:
    """What came of an attempt: the status of the response, and why it failed."""

    status: int | None = None
    error: str = ""


class ReceiverConnection:
    """The connection to one receiver."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._parts = https_parts(url)
        self._connection: CheckedConnection | None = None

    def post(self, body: bytes, headers: dict[str, str]) -> MessageAnswer:
        """Send a message, and return what came of it."""
        if self._parts is None:
            return MessageAnswer(error=_("The address doesn't begin with https://."))
        is_old = self._connection is not None
        try:
            try:
                return self._posted(self._parts, body, headers)
            except ConnectionError:
                # The receiver has closed it since the last message.
                if not is_old:
                    raise
                self.close()
                return self._posted(self._parts, body, headers)
        except (OSError, http.client.HTTPException, UnicodeError, ValueError) as error:
            self.close()
            return MessageAnswer(error=_sentence(str(self._parts.hostname), error))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _posted(
        self, parts: SplitResult, body: bytes, headers: dict[str, str]
    ) -> MessageAnswer:
        deadline = time.monotonic() + SECONDS
        if self._connection is None:
            private = settings.PLATFORM_WEBHOOKS_ALLOW_PRIVATE
            self._connection = CheckedConnection(
                parts, deadline=deadline, private=private
            )
        connection = self._connection
        connection.deadline = deadline
        connection.request("POST", path_of(parts), body, headers)
        response = connection.getresponse()
        said = self._read(response)
        if response.status // 100 == http.HTTPStatus.OK // 100:
            return MessageAnswer(response.status)
        sentence = _("%(host)s answered %(status)s %(reason)s: %(said)s")
        words: dict[str, Any] = {
            "host": parts.hostname,
            "status": response.status,
            "reason": _plain(response.reason),
            "said": _plain(said.decode("utf-8", "replace")),
        }
        return MessageAnswer(response.status, (sentence % words).rstrip(": "))

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Return the beginning of the content; the status alone decides, whatever
        becomes of it."""
        said = b""
        with suppress(OSError, http.client.HTTPException, ValueError):
            said = response.read(_MOST_READ)
            if response.isclosed() and not response.will_close:
                return said
        self.close()
        return said


def _plain(text: str) -> str:
    """Return a text of somebody else in one short line."""
    line = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(line.split())[:_MOST_SHOWN]


def _sentence(host: str, error: Exception) -> str:
    words: dict[str, Any] = {"host": host}
    if isinstance(error, PrivateAddress):
        sentence = _(
            "%(host)s is in a private network; set Webhooks:AllowPrivate to true to "
            "allow it."
        )
    elif isinstance(error, TimeoutError):
        sentence = _("%(host)s didn't answer within %(seconds)g seconds.")
        words["seconds"] = SECONDS
    elif isinstance(error, ssl.SSLCertVerificationError):
        sentence = _("The certificate of %(host)s is not accepted: %(reason)s.")
        words["reason"] = error.verify_message.rstrip(".")
    else:
        sentence = _("%(host)s can't be reached: %(reason)s.")
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        words["reason"] = _plain(reason)
    return sentence % words
