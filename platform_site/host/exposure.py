"""What a start says about how open the installation is; each sentence names the setting
that closes it, and the hosting page has the same list."""

from __future__ import annotations

import ipaddress
import stat
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from platform_site.host.listen import Endpoint
    from platform_site.settings.configuration import Configuration

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


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
    folder = configuration.data_folder / "db"
    if folder.is_dir() and stat.S_IMODE(folder.stat().st_mode) & _OTHERS:
        sentence = _(
            "Other users of this machine can read %(folder)s: take their rights to "
            "the data folder away."
        )
        yield sentence % {"folder": folder}


def is_reachable(address: Endpoint) -> bool:
    """Tell whether others than this machine may come in at an address."""
    return any(not ipaddress.ip_address(one).is_loopback for one in address.addresses)
