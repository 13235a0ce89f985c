"""What a start says about how open the installation is; each sentence names the setting
that closes it, and the hosting page has the same list."""

from __future__ import annotations

import ipaddress
import stat
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from platform_site.host.backups import FOLDER
from platform_site.host.data_folder import OTHERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from platform_site.host.listen import Endpoint
    from platform_site.settings.configuration import Configuration


def exposure_warnings(
    configuration: Configuration, addresses: Sequence[Endpoint]
) -> Iterator[str]:
    """Yield one sentence for each thing to look at before others can reach the site.

    The unchanged password of `admin` is told by the seeding of the accounts.
    """
    settings = configuration.settings
    if configuration.https_port is None:
        yield _(
            "Requests come over plain HTTP and are not led to HTTPS: set "
            "ASPNETCORE_URLS to an https address with a certificate, or "
            "ASPNETCORE_HTTPS_PORT to the port of the proxy that ends TLS."
        )
    if any(is_reachable(address) for address in addresses):
        if "*" in settings.list("AllowedHosts"):
            yield _("The site answers to any host name: set AllowedHosts to its own.")
        if settings.switch("Platform:Swagger:Enabled"):
            yield _(
                "The documentation of the API is open to everybody: set "
                "Platform:Swagger:Enabled to false to close it."
            )
    origins = configuration.cors_origins
    if origins:
        sentence = _(
            "Pages of other sites may call the API as the user who reads them: "
            "%(origins)s (Platform:Cors:AllowedOrigins)."
        )
        yield sentence % {"origins": ", ".join(origins)}
    for folder in _open_folders(configuration):
        sentence = _(
            "Other users of this machine can read %(folder)s: take their rights to "
            "the data folder away."
        )
        yield sentence % {"folder": folder}


def _open_folders(configuration: Configuration) -> Iterator[Path]:
    """Yield the folders that others can come to, which a closed one above prevents."""
    data = configuration.data_folder
    if not data.is_dir() or not stat.S_IMODE(data.stat().st_mode) & OTHERS:
        return
    folders = [data / name for name in ("db", "keys", FOLDER)]
    for folder in (*folders, configuration.blobs_folder):
        if folder.is_dir() and stat.S_IMODE(folder.stat().st_mode) & OTHERS:
            yield folder


def is_reachable(address: Endpoint) -> bool:
    """Tell whether others than this machine may come in at an address."""
    return any(not ipaddress.ip_address(one).is_loopback for one in address.addresses)
