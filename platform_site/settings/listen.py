"""The addresses to listen on, from `ASPNETCORE_URLS` and the port lists. Pure; nothing
is bound here."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, replace
from typing import Final

from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.errors import SettingsError

DEFAULT_URL: Final = "http://localhost:5000"
EVERY_ADDRESS: Final = ("::",)
LOOPBACK: Final = ("127.0.0.1", "::1")
# Wrong keys are refused without a limit, so guessing must be hopeless.
SHORTEST_METRICS_KEY: Final = 16
_ENTRY: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\s/:\[\]]+)"
    r"(?::(?P<port>[0-9]{1,5}))?/?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to listen on, as written by the operator, and what it binds."""

    scheme: str
    host: str
    port: int
    is_for_metrics: bool = False

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the IP addresses to bind; `::` means every address, including IPv4."""
        if self.host.casefold() == "localhost":
            return LOOPBACK
        try:
            return (str(ipaddress.ip_address(self.host.strip("[]"))),)
        except ValueError:
            # A host name only matters for the Host header; it binds all addresses.
            return EVERY_ADDRESS

    @property
    def is_secure(self) -> bool:
        """Return whether it needs a certificate."""
        return self.scheme == "https"

    @property
    def url(self) -> str:
        """Return a URL that a browser can open."""
        host = "localhost" if self.addresses == EVERY_ADDRESS else self.host
        if host == "0.0.0.0":  # noqa: S104 - compared, not bound
            host = "localhost"
        usual = 443 if self.is_secure else 80
        port = "" if self.port == usual else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def endpoints(settings: EffectiveSettings) -> tuple[Endpoint, ...]:
    """Return the endpoints (HOST-025, OPEN-92); raise SettingsError for a bad value.

    An https entry without a certificate is refused: the application creates none.
    """
    found = _configured(settings)
    if any(endpoint.is_secure for endpoint in found):
        _require_certificate(settings)
    return found


def metrics_endpoint(settings: EffectiveSettings) -> Endpoint | None:
    """Return the address of the metrics alone, None if there is none; raise
    SettingsError for a bad one or a short key."""
    _check_metrics_key(settings)
    key = "Platform:Metrics:Url"
    found = parse_urls(settings.text(key), settings.source(key))
    if not found:
        return None
    if len(found) > 1:
        raise SettingsError(
            f"{key} ({settings.source(key)}) must be one address, such as "
            "http://localhost:9100."
        )
    if found[0].is_secure:
        _require_certificate(settings)
    return replace(found[0], is_for_metrics=True)


def https_port(settings: EffectiveSettings) -> int | None:
    """Return the HTTPS port for browsers, None if unknown (OPEN-102).

    A configured port takes precedence: behind a proxy it isn't the one listened on.
    """
    if (port := settings.number_or_none("Https_Port")) is not None:
        return _port(str(port), settings.source("Https_Port"))
    secure = [endpoint.port for endpoint in _configured(settings) if endpoint.is_secure]
    return secure[0] if secure else None


def check_proxies(settings: EffectiveSettings) -> None:
    """Raise SettingsError for a trusted proxy that isn't an address or network
    (OPEN-103)."""
    key = "Platform:Proxy:Trusted"
    for entry in settings.list(key):
        try:
            ipaddress.ip_network(entry)
        except ValueError:
            raise SettingsError(
                f"{key} holds '{entry}' ({settings.source(key)}), but each entry must "
                "be an address such as 10.0.0.5 or a network such as 10.0.0.0/24."
            ) from None


def parse_urls(text: str, source: str) -> tuple[Endpoint, ...]:
    """Return the distinct entries of an address list."""
    entries = [part.strip() for part in text.split(";") if part.strip()]
    return tuple(dict.fromkeys(_endpoint(entry, source) for entry in entries))


def _configured(settings: EffectiveSettings) -> tuple[Endpoint, ...]:
    if settings.text("Urls"):
        return parse_urls(settings.text("Urls"), settings.source("Urls"))
    ports = [
        Endpoint(scheme, "*", _port(text, settings.source(key)))
        for scheme, key in (("http", "Http_Ports"), ("https", "Https_Ports"))
        for text in settings.list(key)
    ]
    return tuple(ports) or parse_urls(DEFAULT_URL, "built-in default")


def _endpoint(entry: str, source: str) -> Endpoint:
    found = _ENTRY.fullmatch(entry)
    if found is None or not _is_host(found["host"]):
        raise SettingsError(
            f"The address '{entry}' ({source}) cannot be listened on; write "
            "http://host:port or https://host:port, entries separated by semicolons."
        )
    scheme = found["scheme"].lower()
    usual = "443" if scheme == "https" else "80"
    return Endpoint(scheme, found["host"], _port(found["port"] or usual, source))


def _is_host(host: str) -> bool:
    if host.startswith("["):
        return _is_address(host.strip("[]"))
    if re.fullmatch(r"[0-9.]+", host):
        return _is_address(host)
    return host in ("*", "+") or re.fullmatch(r"[\w.-]+", host) is not None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _port(text: str, source: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65_536):
        raise SettingsError(
            f"The port '{text}' ({source}) must be a whole number from 1 to 65535."
        )
    return int(text)


def _check_metrics_key(settings: EffectiveSettings) -> None:
    key = "Platform:Metrics:Key"
    given = settings.text(key)
    if given and not (
        len(given) >= SHORTEST_METRICS_KEY and given.isascii() and given.isprintable()
    ):
        raise SettingsError(
            f"{key} ({settings.source(key)}) must have at least "
            f"{SHORTEST_METRICS_KEY} characters, all of them ASCII."
        )


def _require_certificate(settings: EffectiveSettings) -> None:
    for name in ("Path", "KeyPath"):
        key = f"Kestrel:Certificates:Default:{name}"
        if not settings.text(key):
            raise SettingsError(
                "An https address needs a certificate: set "
                "Kestrel:Certificates:Default:Path and KeyPath to PEM files, or end "
                "TLS at a proxy and listen on http."
            )
