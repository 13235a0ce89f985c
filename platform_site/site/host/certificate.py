"""The certificate of https addresses: its files, and a check before the start changes
anything."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from pathlib import Path

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.errors import SettingsError
from platform_site.settings.listen import Endpoint


def certificate_files(settings: EffectiveSettings) -> tuple[Path, Path]:
    """Return certificate and key file; relative paths are beside the application."""
    path, key = (
        Path(APPLICATION_FOLDER, settings.text(f"Kestrel:Certificates:Default:{name}"))
        for name in ("Path", "KeyPath")
    )
    return path, key


def check_certificate(
    settings: EffectiveSettings, addresses: Iterable[Endpoint]
) -> None:
    """Raise SettingsError for a needed certificate that can't be used."""
    if not any(address.is_secure for address in addresses):
        return
    certificate, key = certificate_files(settings)
    try:
        # Nobody could type in the password of a key here.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            certificate, key, password=lambda: ""
        )
    except OSError as error:
        raise SettingsError(
            f"The certificate {certificate} with the key {key} cannot be used: "
            f"{error.strerror or error}."
        ) from error
