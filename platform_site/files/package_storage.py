"""The storage of packages that are uploaded on the import page, in the bucket of
attachments, so that every node can read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.files.base import File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible

from platform_site.files import blobs
from platform_site.files.stores import BlobStore


@deconstructible
class BucketPackages(Storage):
    """A storage of Django over the bucket, with what the importer uses of it."""

    def exists(self, name: str) -> bool:
        """Return whether there is a package with this name."""
        return _store().find(_path(name)) is not None

    def delete(self, name: str) -> None:
        """Delete a package if it exists."""
        _store().remove(_path(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return no folders, and the names of all packages."""
        found = _store().list(blobs.PACKAGES)
        return [], [one.name.rpartition("/")[2] for one in found]

    def get_modified_time(self, name: str) -> datetime:
        """Return when a package was stored."""
        found = _store().find(_path(name))
        if found is None:
            raise FileNotFoundError(name)
        return found.modified

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        return File(_store().read(_path(name)), name)

    def _save(self, name: str, content: Any) -> str:
        _store().write(_path(name), content.chunks())
        return name


def _store() -> BlobStore:
    return blobs.store()


def _path(name: str) -> str:
    return f"{blobs.PACKAGES}/{name}"
