"""The settings of a bucket, which attachments and copies of backups have alike, and its
failure. Pure: the bucket isn't opened."""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.env import BUILT_IN
from platform_site.settings.errors import SettingsError

_NAMES: Final = ("Bucket", "Endpoint", "Region", "Prefix", "AccessKey", "SecretKey")
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*")
# Of a prefix: no empty part, no path to elsewhere, nothing that keys of objects escape.
_PART: Final = re.compile(r"""(?!\.{1,2}\Z)[^\x00-\x1f\x7f/\\{}^%`\[\]"<>~#|*?]+""")


class StorageUnavailable(OSError):
    """The failure of a bucket with attachments: the reason, for the operator."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EIO, reason)

    def __str__(self) -> str:
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class S3Place:
    """A bucket of a service that speaks S3; `group` has its settings."""

    group: str
    bucket: str
    endpoint: str
    region: str
    prefix: str
    # Not in tracebacks and error pages.
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)

    @property
    def name(self) -> str:
        """Return the place for people."""
        return f"s3://{self.bucket}/{self.prefix}"


def s3_place(settings: EffectiveSettings, group: str) -> S3Place | None:
    """Return the bucket that a group of settings describes, None if none is named.

    Raise SettingsError for wrong settings.
    """
    values = {name: settings.text(f"{group}:{name}") for name in _NAMES}
    if not values["Bucket"]:
        _refuse_without_bucket(settings, group)
        return None
    place = S3Place(
        group=group,
        bucket=values["Bucket"],
        endpoint=values["Endpoint"],
        region=values["Region"],
        prefix=values["Prefix"].strip("/"),
        access_key=values["AccessKey"],
        secret_key=values["SecretKey"],
    )
    for name, remedy in _wrong(place):
        key = f"{group}:{name}"
        raise SettingsError(f"{key} ({settings.source(key)}) {remedy}")
    return place


def _refuse_without_bucket(settings: EffectiveSettings, group: str) -> None:
    for name in _NAMES[1:]:
        key = f"{group}:{name}"
        if settings.text(key) and settings.source(key) != BUILT_IN:
            raise SettingsError(
                f"{key} is set ({settings.source(key)}), but {group}:Bucket isn't, so "
                f"no bucket would be used. Set {group}:Bucket, or remove {key}."
            )


def _wrong(place: S3Place) -> list[tuple[str, str]]:
    """Return the wrong settings, each with the rest of a sentence about it."""
    found = []
    if not _BUCKET.fullmatch(place.bucket):
        remedy = "must be the name of a bucket alone, such as company-files; "
        remedy += f"a folder in it belongs in {place.group}:Prefix."
        found.append(("Bucket", remedy))
    if place.endpoint and not _is_address(place.endpoint):
        remedy = "must begin with https:// or http://, followed by a host, such as "
        found.append(("Endpoint", f"{remedy}https://s3.example.com."))
    if place.prefix and not all(map(_PART.fullmatch, place.prefix.split("/"))):
        remedy = "must be a folder such as erp/files, without special characters."
        found.append(("Prefix", remedy))
    if bool(place.access_key) != bool(place.secret_key):
        has, lacks = ("AccessKey", "SecretKey")[:: 1 if place.access_key else -1]
        remedy = f"is set, but {place.group}:{lacks} isn't; set both, or none to use "
        found.append((has, f"{remedy}those of the environment."))
    return found


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
