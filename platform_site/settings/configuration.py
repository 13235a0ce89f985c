"""The configuration object, built once from the loaded settings and used by the
settings modules and the host process. Pure: it only reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from importer import UnknownTimeZone, did_you_mean, named_zone, zone_names
from platform_site.settings import data_folder as folders, key_rotation, signing_key
from platform_site.settings.connections import (
    DatabaseConnection,
    Provider,
    connect,
    provider_named,
)
from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.env import BUILT_IN, read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.listen import check_proxies, https_port
from platform_site.settings.s3_place import S3Place, s3_place
from platform_site.settings.sources import settings_folder

APPLICATION_FOLDER: Final = Path(__file__).resolve().parents[2]
_CORS: Final = "Platform:Cors:AllowedOrigins"
NODES: Final = "Platform:Nodes"
_SEVERAL: Final = "Platform:Database:SeveralNodes"


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings, fixed for the life of the process."""

    settings: EffectiveSettings
    data_folder: Path
    blobs_folder: Path
    # Attachments are in this bucket instead of the folder, unless it is None.
    blobs_bucket: S3Place | None
    apps_folder: Path
    connection: DatabaseConnection
    has_nodes: bool
    time_zone: str
    https_port: int | None
    trusted_origins: tuple[str, ...]
    cors_origins: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def data_folder_source(self) -> str:
        """Return what sets the data folder: a variable, a file or the built-in
        default."""
        for key in ("Platform:DataPath", "Platform:HostDataPath"):
            if self.settings.text(key):
                return self.settings.source(key)
        return BUILT_IN

    @property
    def secret_key(self) -> str | None:
        """Return Django's SECRET_KEY, None if no key has been created (OPEN-111)."""
        if configured := self.settings.text("Platform:SecretKey"):
            return configured
        key = self.settings.text("JwtOptions:Secret") or signing_key.read_signing_key(
            self.data_folder
        )
        return signing_key.derive_secret_key(key) if key else None

    def token_key(self) -> str:
        """Return the signing key of login tokens; a configured one takes precedence.

        It is created here if no start has done so, for example behind another server.
        """
        configured = self.settings.text("JwtOptions:Secret")
        return configured or signing_key.ensure_signing_key(self.data_folder)

    def previous_token_keys(self) -> tuple[str, ...]:
        """Return earlier signing keys whose tokens stay valid until they end."""
        named = self.settings.list("JwtOptions:PreviousSecrets")
        if self.settings.text("JwtOptions:Secret"):
            return named
        lifetime = key_rotation.longest_lifetime(self.settings)
        replaced = key_rotation.previous_keys(
            self.data_folder, lifetime, datetime.now(UTC)
        )
        return (*replaced, *named)

    def previous_secret_keys(self) -> tuple[str, ...]:
        """Return earlier values of Django's SECRET_KEY."""
        return (
            *self.settings.list("Platform:PreviousSecretKeys"),
            *map(signing_key.derive_secret_key, self.previous_token_keys()),
        )


def build(settings: EffectiveSettings) -> Configuration:
    """Return the configuration with folders, database and zone; raise SettingsError for
    invalid values."""
    data_folder = folders.resolve(
        settings.text("Platform:DataPath"),
        settings.text("Platform:HostDataPath"),
        APPLICATION_FOLDER,
    )
    check_proxies(settings)
    provider = provider_named(settings.text("Provider"), settings.source("Provider"))
    key = f"ConnectionStrings:{provider.value}"
    connection = connect(
        provider,
        settings.text(key),
        data_folder=data_folder,
        source=settings.source(key),
    )
    return Configuration(
        settings=settings,
        data_folder=data_folder,
        blobs_folder=folders.blobs_folder(
            data_folder, settings.text("BlobStorage:LocalDiskRootPath")
        ),
        blobs_bucket=s3_place(settings, "BlobStorage:S3"),
        apps_folder=data_folder / settings.text("Platform:AppsPath"),
        connection=connection,
        has_nodes=_has_nodes(settings, provider),
        time_zone=_time_zone(settings),
        https_port=https_port(settings),
        trusted_origins=_trusted_origins(settings),
        cors_origins=tuple(o for o in settings.list(_CORS) if _is_origin(o)),
        warnings=(
            *settings.warnings,
            *connection.warnings,
            *_forwarding(settings),
            *_no_origins(settings),
        ),
    )


class _Active:
    """The configuration of this process, so that the files are read only once."""

    configuration: Configuration | None = None


def activate(environ: Mapping[str, str], folder: Path | None) -> Configuration:
    """Set the configuration of this process from the given sources, and return it."""
    _Active.configuration = build(read_settings(environ, folder))
    return _Active.configuration


def active() -> Configuration:
    """Return the configuration of this process, by default from its environment."""
    if _Active.configuration is None:
        folder = settings_folder(_working_folder(), APPLICATION_FOLDER)
        return activate(os.environ, folder)
    return _Active.configuration


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        # The working directory was deleted, or this user can't access it.
        return None


def _has_nodes(settings: EffectiveSettings, provider: Provider) -> bool:
    """Return whether several servers may share the database."""
    is_shared = provider is Provider.POSTGRESQL
    if settings.text(NODES) == "many" and not is_shared:
        raise SettingsError(
            f"{NODES} is 'many' ({settings.source(NODES)}), which needs Provider "
            f"PostgreSql, but Provider is {provider.value} "
            f"({settings.source('Provider')}). Set {NODES} to one, or use PostgreSQL."
        )
    return is_shared and (settings.text(NODES) == "many" or settings.switch(_SEVERAL))


def _time_zone(settings: EffectiveSettings) -> str:
    name = settings.text("Platform:TimeZone")
    try:
        named_zone(name)
    except UnknownTimeZone:
        hint = did_you_mean(name, zone_names(), sentence=True)
        raise SettingsError(
            f"Platform:TimeZone is '{name}' ({settings.source('Platform:TimeZone')}), "
            f"but must be the name of a time zone such as Europe/Berlin.{hint}"
        ) from None
    return name


def _trusted_origins(settings: EffectiveSettings) -> tuple[str, ...]:
    key = "Platform:Csrf:TrustedOrigins"
    for origin in settings.list(key):
        if not origin.startswith(("http://", "https://")):
            raise SettingsError(
                f"{key} holds '{origin}' ({settings.source(key)}), but each entry "
                "must begin with http:// or https://."
            )
    return settings.list(key)


def _is_origin(text: str) -> bool:
    """Return whether a browser could send this as ``Origin``."""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and text == f"{parts.scheme}://{parts.netloc}"
        and "@" not in parts.netloc
        and "*" not in parts.netloc
    )


def _no_origins(settings: EffectiveSettings) -> tuple[str, ...]:
    """Return warnings about allowed origins that are invalid and ignored (OPEN-100)."""
    return tuple(
        f"{_CORS} holds '{entry}' ({settings.source(_CORS)}), which is ignored: name "
        "each site, such as https://shop.example."
        for entry in settings.list(_CORS)
        if not _is_origin(entry)
    )


def _forwarding(settings: EffectiveSettings) -> tuple[str, ...]:
    """Return a warning if forwarded headers are enabled without a trusted proxy
    (OPEN-103)."""
    asked = settings.switch("ForwardedHeaders_Enabled")
    named = settings.source("Platform:Proxy:Trusted") != BUILT_IN
    if not asked or named:
        return ()
    return (
        "ASPNETCORE_FORWARDEDHEADERS_ENABLED has no effect alone: name the proxies to "
        "trust in Platform:Proxy:Trusted.",
    )
