"""Connections over https to addresses that were checked: private ones are refused unless
the settings allow them, and everything shares one deadline."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

# IPv6 networks with an IPv4 address in their last 32 bits.
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
# Not public, though Python 3.11 says so: translation within one network (RFC 8215),
# IPv4-compatible addresses (RFC 4291) and site-local ones (RFC 3879).
_INNER: Final = tuple(
    map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "::/96", "fec0::/10"))
)

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class PrivateAddress(OSError):
    """A host whose addresses are all on this computer or in a private network."""


def https_parts(url: str) -> SplitResult | None:
    """Return the parts of an address, None if it isn't one of https."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if parts.scheme == "https" and usable and is_plain(url) else None


def path_of(parts: SplitResult) -> str:
    """Return what a request asks the server for: path and query."""
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def is_plain(text: str) -> bool:
    """Return whether a text may stand in a line of a request as it is."""
    return text.isascii() and text.isprintable() and " " not in text


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


class _Hasty(ssl.SSLSocket):
    """A connection whose reads and writes share one deadline."""

    # None during the handshake, which has a time limit of its own.
    deadline: float | None = None

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """Read, but not beyond the deadline."""
        self.settimeout(_left(self.deadline))
        return super().recv_into(*args, **kwargs)

    def send(self, *args: Any, **kwargs: Any) -> int:
        """Write, but not beyond the deadline."""
        self.settimeout(_left(self.deadline))
        return super().send(*args, **kwargs)


class CheckedConnection(http.client.HTTPSConnection):
    """A connection to the checked address; resolving the name again could return
    another. ``deadline`` is a time of the monotonic clock."""

    def __init__(self, parts: SplitResult, *, deadline: float, private: bool) -> None:
        context = ssl.create_default_context()
        context.sslsocket_class = _Hasty
        super().__init__(str(parts.hostname), parts.port or 443, context=context)
        self._deadline, self._private = deadline, private
        self._tls = context

    @property
    def deadline(self) -> float:
        """Return until when everything must be done."""
        return self._deadline

    @deadline.setter
    def deadline(self, deadline: float) -> None:
        """Give the next request more time."""
        self._deadline = deadline
        if isinstance(self.sock, _Hasty):
            self.sock.deadline = deadline

    def connect(self) -> None:
        """Connect to the first allowed address that responds; raise PrivateAddress if
        there is none that is allowed."""
        trouble: OSError | None = None
        for family, address in self._addresses():
            plain = socket.socket(family, socket.SOCK_STREAM)
            try:
                plain.settimeout(_left(self._deadline))
                plain.connect(address)
                plain.settimeout(_left(self._deadline))
                secure = self._tls.wrap_socket(plain, server_hostname=self.host)
            except OSError as error:
                plain.close()
                trouble = error
                continue
            self.sock = secure
            self.deadline = self._deadline
            return
        raise trouble or OSError("no address")

    def _addresses(self) -> Iterator[tuple[socket.AddressFamily, Any]]:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        allowed = [
            (family, address)
            for family, _type, _protocol, _name, address in found
            if self._private or is_public(str(address[0]))
        ]
        if not allowed:
            raise PrivateAddress(self.host)
        yield from allowed


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
