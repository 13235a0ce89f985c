"""The packages embedded in apps: ``<app>/import_packages/*.json`` (OPEN-50)."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from django.apps import apps
from django.utils.translation import gettext as _

from importer.package import paths
from importer.package.json_stream import JsonError, JsonStream
from importer.package.suggestions import did_you_mean

logger = logging.getLogger("platform.importer")
FOLDER = "import_packages"
_HEADER = ("package", "version", "origin", "configuration")


class EmbeddedPackage(msgspec.Struct, frozen=True):
    """An embedded package: its file and header, or why it can't be read."""

    path: Path
    package: str
    version: int | None = None
    origin: str = ""
    configuration: str = ""
    error: str = ""


def embedded_packages() -> list[EmbeddedPackage]:
    """Return all embedded packages, in order of installed apps and file names."""
    found: dict[str, EmbeddedPackage] = {}
    listed = []
    for path in _files():
        one = _read(path)
        if not one.error and one.package in found:
            first = found[one.package].path.name
            message = _("The package %(package)s is embedded already, in %(file)s.") % {
                "package": one.package,
                "file": first,
            }
            one = msgspec.structs.replace(one, error=message)
        if one.error:
            logger.warning("Embedded package %s: %s", path.name, one.error)
        else:
            found[one.package] = one
        listed.append(one)
    return listed


def embedded_package(identifier: str) -> EmbeddedPackage | None:
    """Return a readable embedded package by its identifier, None if there is none."""
    for one in embedded_packages():
        if one.package == identifier and not one.error:
            return one
    return None


def package_meant(identifier: str) -> str:
    """Return the suggestion of a similar package, empty if there is none."""
    known = [one.package for one in embedded_packages() if not one.error]
    return did_you_mean(identifier, known, sentence=True)


def _files() -> Iterator[Path]:
    for config in apps.get_app_configs():
        yield from sorted((Path(config.path) / FOLDER).glob("*.json"))


def _read(path: Path) -> EmbeddedPackage:
    try:
        as_of = path.stat()
        header = _header(path, as_of.st_mtime_ns, as_of.st_size)
    except OSError as error:
        reason = error.strerror or str(error)
        sentence = _("The package can't be read: %(reason)s.") % {"reason": reason}
        return EmbeddedPackage(path, path.stem, error=sentence)
    except JsonError as error:
        return EmbeddedPackage(path, path.stem, error=f"{error.reason}.")
    types = (str, int, str, str)
    values: list[Any] = [header.get(key) for key in _HEADER]
    for key, value, kind in zip(_HEADER, values, types, strict=True):
        if type(value) is not kind:
            sentence = _("%(key)s is missing or wrong.") % {"key": key}
            return EmbeddedPackage(path, path.stem, error=sentence)
    return EmbeddedPackage(path, *values)


@lru_cache(maxsize=64)
def _header(path: Path, _written: int, _size: int) -> dict[str, Any]:
    """Return the header keys, skipping the steps one value at a time.

    Pages need them at every visit, so a file is read again only when it has changed.
    """
    header: dict[str, Any] = {}
    with path.open("rb") as source:
        stream = JsonStream(source)
        stream.take("{", _("%(path)s isn't an object") % {"path": paths.WHOLE})
        more = stream.peek() != "}"
        while more:
            key = stream.key()
            value = stream.value()
            if key != "steps":
                header[key] = value
            more = stream.more("}")
    return header


def digest_of(embedded: EmbeddedPackage) -> str:
    """Return the SHA-256 of a package's file, an empty text if it cannot be read."""
    try:
        with embedded.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
