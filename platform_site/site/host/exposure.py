"""Warnings at the start about the exposure of the installation; each names the setting
to change, and the hosting page has the same list."""

from __future__ import annotations

import ipaddress
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.utils.translation import gettext as _

from platform_site.settings.configuration import Configuration
from platform_site.settings.data_folder import OTHERS
from platform_site.settings.env import BUILT_IN
from platform_site.settings.listen import Endpoint, metrics_endpoint
from platform_site.site.host.backups import FOLDER


def exposure_warnings(
    configuration: Configuration, addresses: Sequence[Endpoint]
) -> Iterator[str]:
    """Yield one sentence for each thing to check before others can reach the site.

    The unchanged password of `admin` is reported by the seeding of the accounts.
    """
    settings = configuration.settings
    if configuration.https_port is None:
        yield _(
            "Requests use plain HTTP and are not redirected to HTTPS: set "
            "ASPNETCORE_URLS to an https address with a certificate, or "
            "ASPNETCORE_HTTPS_PORT to the port of the proxy that terminates TLS."
        )
    if can_be_reached(configuration, addresses):
        if "*" in settings.list("AllowedHosts"):
            yield _(
                "The site accepts any host name: set AllowedHosts to its own names."
            )
        if settings.switch("Platform:Swagger:Enabled"):
            yield _(
                "Everybody can read the documentation of the API: set "
                "Platform:Swagger:Enabled to false to turn it off."
            )
    own = metrics_endpoint(settings)
    if own is not None and is_reachable(own):
        sentence = _(
            "Everybody who can reach %(address)s can read the metrics: let only the "
            "monitoring reach it (Platform:Metrics:Url)."
        )
        yield sentence % {"address": own.url}
    origins = configuration.cors_origins
    if origins:
        sentence = _(
            "Pages of other sites can call the API as the user who opens them: "
            "%(origins)s (Platform:Cors:AllowedOrigins)."
        )
        yield sentence % {"origins": ", ".join(origins)}
    for folder in _open_folders(configuration):
        sentence = _(
            "Other users of this machine can read %(folder)s: restrict the "
            "permissions of the data folder."
        )
        yield sentence % {"folder": folder}


def _open_folders(configuration: Configuration) -> Iterator[Path]:
    """Yield the folders that other users can access, considering parent folders."""
    data = configuration.data_folder
    if not data.is_dir() or not stat.S_IMODE(data.stat().st_mode) & OTHERS:
        return
    folders = [data / name for name in ("db", "keys", FOLDER)]
    for folder in (*folders, configuration.blobs_folder):
        if folder.is_dir() and stat.S_IMODE(folder.stat().st_mode) & OTHERS:
            yield folder


def can_be_reached(configuration: Configuration, addresses: Sequence[Endpoint]) -> bool:
    """Return whether other machines can reach the site, also through a proxy, which a
    setting for proxies shows."""
    settings = configuration.settings
    has_proxy = (
        settings.source("Platform:Proxy:Trusted") != BUILT_IN
        or settings.number_or_none("Https_Port") is not None
        or settings.switch("ForwardedHeaders_Enabled")
    )
    return has_proxy or any(is_reachable(address) for address in addresses)


def is_reachable(address: Endpoint) -> bool:
    """Return whether an address is reachable from other machines."""
    return any(not ipaddress.ip_address(one).is_loopback for one in address.addresses)
