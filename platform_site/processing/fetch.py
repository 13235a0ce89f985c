"""Fetching of one document over https for processors. Time and size are limited,
redirects must use https, and private addresses are refused unless the settings allow
them. The connection uses exactly the address that was checked."""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from platform_site.processing.errors import InvalidStateError

SECONDS: Final = 30.0
_MOST_REDIRECTS: Final = 5
_CHUNK: Final = 1 << 16
_REDIRECTS: Final = {301, 302, 303, 307, 308}
_ETAG: Final = re.compile(r'(W/)?"[\x21\x23-\x7e]{0,1000}"')
# IPv6 networks with an IPv4 address in their last 32 bits.
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
# Not public, though Python 3.11 says so: translation within one network (RFC 8215),
# IPv4-compatible addresses (RFC 4291) and site-local ones (RFC 3879).
_INNER: Final = tuple(
    map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "::/96", "fec0::/10"))
)

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


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
    if not _plain(order.token):
        # The library's own error would show the token.
        message = _("The token of the source has characters that cannot be sent.")
        raise InvalidStateError(message)
    deadline = time.monotonic() + seconds
    with _in_sentences(order.url, seconds):
        for _number in range(_MOST_REDIRECTS + 1):
            connection = _Connection(order, _checked(order.url), deadline)
            try:
                response = connection.ask()
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
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if parts.scheme != "https" or not (usable and _plain(url)):
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


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


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


class _Hasty(ssl.SSLSocket):
    """A connection whose reads share one deadline."""

    deadline: float

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """Read, but not beyond the deadline."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(*args, **kwargs)


class _Connection(http.client.HTTPSConnection):
    """A connection to the checked address; resolving the name again could return
    another."""

    def __init__(
        self, order: FetchRequest, parts: SplitResult, deadline: float
    ) -> None:
        context = ssl.create_default_context()
        context.sslsocket_class = _Hasty
        super().__init__(str(parts.hostname), parts.port or 443, context=context)
        self._order, self._parts, self._deadline = order, parts, deadline
        self._tls = context

    def connect(self) -> None:
        """Connect to the first allowed address that responds."""
        trouble: OSError | None = None
        for family, address in self._addresses():
            plain = socket.socket(family, socket.SOCK_STREAM)
            try:
                plain.settimeout(_left(self._deadline))
                plain.connect(address)
                secure = self._tls.wrap_socket(plain, server_hostname=self.host)
            except OSError as error:
                plain.close()
                trouble = error
                continue
            secure.deadline = self._deadline  # type: ignore[attr-defined]
            self.sock = secure
            return
        raise trouble or OSError("no address")

    def _addresses(self) -> Iterator[tuple[socket.AddressFamily, Any]]:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        allowed = [
            (family, address)
            for family, _type, _protocol, _name, address in found
            if self._order.private or is_public(str(address[0]))
        ]
        if not allowed:
            message = _(
                "The source %(host)s is in a private network; set "
                "Import:AllowPrivateAddresses to true to allow it."
            )
            raise InvalidStateError(message % {"host": self.host})
        yield from allowed

    def ask(self) -> http.client.HTTPResponse:
        """Send the request and return the response with its unread body."""
        path = (self._parts.path or "/") + (f"?{q}" if (q := self._parts.query) else "")
        headers = {**self._order.headers, "Accept-Encoding": "identity"}
        if self._order.token:
            headers["Authorization"] = f"Bearer {self._order.token}"
        self.request("GET", path, headers=headers)
        return self.getresponse()


def is_public(text: str) -> bool:
    """Return whether an address belongs to the public internet, in any notation."""
    address: _Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            address = inner
        elif address.teredo is not None or any(address in net for net in _INNER):
            return False
    return address.is_global and not address.is_multicast


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@contextmanager
def _in_sentences(url: str, seconds: float) -> Iterator[None]:
    """Return network errors as sentences for operators, without path and query."""
    try:
        yield
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
