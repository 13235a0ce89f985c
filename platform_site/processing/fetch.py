"""Fetching of one document over https for processors. Time and size are limited,
redirects must use https, and private addresses are refused unless the settings allow
them."""

from __future__ import annotations

import http.client
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from platform_site.processing.checked_connection import (
    CheckedConnection,
    PrivateAddress,
    https_parts,
    is_plain,
    path_of,
)
from platform_site.processing.errors import InvalidStateError

SECONDS: Final = 30.0
_MOST_REDIRECTS: Final = 5
_CHUNK: Final = 1 << 16
_REDIRECTS: Final = {301, 302, 303, 307, 308}
_ETAG: Final = re.compile(r'(W/)?"[\x21\x23-\x7e]{0,1000}"')


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """An address to fetch and its limits: `limit` bytes, and whether private addresses
    are allowed. `too_large` tells the user what to do about a larger document."""

    url: str
    headers: Mapping[str, str]
    token: str
    limit: int
    private: bool = False
    too_large: str = ""


@dataclass(frozen=True, slots=True)
class FetchAnswer:
    """The response: whether the content is new, and its ETag."""

    not_modified: bool
    etag: str = ""


def fetch(
    order: FetchRequest, *, into: BinaryIO, seconds: float = SECONDS
) -> FetchAnswer:
    """Write the document to a stream; raise InvalidStateError with the reason if it
    fails.

    `seconds` is the total time: name look-up, connection, redirects and body.
    """
    if not is_plain(order.token):
        # The library's own error would show the token.
        message = _("The token of the source has characters that cannot be sent.")
        raise InvalidStateError(message)
    deadline = time.monotonic() + seconds
    with _in_sentences(order.url, seconds):
        for _number in range(_MOST_REDIRECTS + 1):
            parts = _checked(order.url)
            connection = CheckedConnection(
                parts, deadline=deadline, private=order.private
            )
            try:
                response = _asked(connection, order, parts)
                if response.status not in _REDIRECTS:
                    return _answer(order, response, into)
                order = _redirected(order, response)
            finally:
                connection.close()
    message = _("The source redirects more than %(number)s times; nothing was fetched.")
    raise InvalidStateError(message % {"number": _MOST_REDIRECTS})


def _checked(url: str) -> SplitResult:
    """Return the parts of an address; refuse all but https before any request
    (IMP-301)."""
    parts = https_parts(url)
    if parts is None:
        message = _(
            "The address of a source must begin with https://; nothing was fetched."
        )
        raise InvalidStateError(message)
    if parts.username is not None or parts.password is not None:
        message = _(
            "The address of a source must not contain a user name or password; set a "
            "token."
        )
        raise InvalidStateError(message)
    return parts


def _asked(
    connection: CheckedConnection, order: FetchRequest, parts: SplitResult
) -> http.client.HTTPResponse:
    """Return the response with its unread body."""
    headers = {**order.headers, "Accept-Encoding": "identity"}
    if order.token:
        headers["Authorization"] = f"Bearer {order.token}"
    connection.request("GET", path_of(parts), headers=headers)
    return connection.getresponse()


def _redirected(
    order: FetchRequest, response: http.client.HTTPResponse
) -> FetchRequest:
    url = urljoin(order.url, response.getheader("Location", ""))
    parts = _checked(url)
    here = urlsplit(order.url)
    if (parts.hostname, parts.port) == (here.hostname, here.port):
        return replace(order, url=url)
    # The token is only for the source, not for another host it redirects to.
    return replace(order, url=url, token="")


def _answer(
    order: FetchRequest, response: http.client.HTTPResponse, into: BinaryIO
) -> FetchAnswer:
    if response.status == http.HTTPStatus.NOT_MODIFIED:
        return FetchAnswer(not_modified=True)
    if response.status != http.HTTPStatus.OK:
        message = _("The source answered %(status)s %(reason)s; nothing was fetched.")
        found = {"status": response.status, "reason": response.reason[:100]}
        raise InvalidStateError(message % found)
    if response.getheader("Content-Encoding", "identity").lower() != "identity":
        message = _("The source sent compressed content although none was requested.")
        raise InvalidStateError(message)
    size = 0
    while chunk := response.read(_CHUNK):
        size += len(chunk)
        if size > order.limit:
            most = number_format(order.limit, force_grouping=True)
            message = _(
                "The source sent more than %(limit)s bytes; nothing was fetched."
            ) % {"limit": most}
            raise InvalidStateError(f"{message} {order.too_large}".rstrip())
        into.write(chunk)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    etag = response.getheader("ETag", "")
    return FetchAnswer(not_modified=False, etag=etag if _ETAG.fullmatch(etag) else "")


@contextmanager
def _in_sentences(url: str, seconds: float) -> Iterator[None]:
    """Return network errors as sentences for operators, without path and query."""
    try:
        yield
    except PrivateAddress as refused:
        message = _(
            "The source %(host)s is in a private network; set "
            "Import:AllowPrivateAddresses to true to allow it."
        )
        raise InvalidStateError(message % {"host": refused.args[0]}) from None
    except TimeoutError:
        message = _("The source did not send everything within %(seconds)g seconds.")
        raise InvalidStateError(message % {"seconds": seconds}) from None
    except ssl.SSLCertVerificationError as error:
        message = _("The certificate of the source is not accepted: %(reason)s.")
        # Some of the library's sentences end with a full stop.
        reason = error.verify_message.rstrip(".")
        raise InvalidStateError(message % {"reason": reason}) from None
    except (OSError, http.client.HTTPException, UnicodeError, ValueError) as error:
        host = urlsplit(url).netloc
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        message = _("The source %(host)s cannot be reached: %(reason)s.")
        found = {"host": host, "reason": reason}
        raise InvalidStateError(message % found) from None
