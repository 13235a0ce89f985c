"""Uploaded packages: kept for a day, so that an import takes the bytes of its dry run
(OPEN-52). Each is found by its user and the SHA-256 of its bytes, in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, BinaryIO

from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q, QuerySet
from django.utils import timezone

from importer import conf
from importer.models import PackageUpload
from importer.package.file_names import file_name

KEPT_FOR = timedelta(hours=24)
MOST_PER_USER = 5
MOST_FILES = 20
_LONGEST_NAME = 100


def store(upload: UploadedFile[bytes], user: Any) -> PackageUpload:
    """Store an upload for its user; raise OSError if the disk does not take it."""
    digest = hashlib.sha256()
    for piece in upload.chunks():
        digest.update(piece)
    row = PackageUpload(
        user=user,
        name=file_name(upload.name, _LONGEST_NAME) or "package.json",
        size=upload.size or 0,
        digest=digest.hexdigest(),
        uploaded_at=timezone.now(),
    )
    earlier = list(PackageUpload.objects.filter(user=user, digest=row.digest))
    # The file first: a row promises that its bytes are there.
    _storage().save(row.id.hex, upload)
    row.save(force_insert=True)
    _remove(earlier)
    _remove_surplus(user)
    return row


def find(user: Any, digest: str) -> PackageUpload | None:
    """Return a user's upload by its SHA-256, None once it is no longer kept."""
    return _kept(user).filter(digest=digest).first()


def latest(user: Any) -> PackageUpload | None:
    """Return the file a user uploaded last, None if there is none."""
    return _kept(user).first()


def opened(upload: PackageUpload) -> BinaryIO:
    """Open the bytes of an upload; raise FileNotFoundError if it was removed just
    now."""
    file: Any = _storage().open(upload.id.hex)
    return file  # type: ignore[no-any-return]  # Django's File reads as any file does


def remove_old() -> None:
    """Remove uploads that are over their time, and files that belong to none."""
    _remove(PackageUpload.objects.filter(_expired()))
    storage = _storage()
    known = {key.hex for key in PackageUpload.objects.values_list("pk", flat=True)}
    for name in _names(storage):
        # A file is there before its row.
        is_old = storage.get_modified_time(name) < timezone.now() - KEPT_FOR
        if name not in known and is_old:
            storage.delete(name)


def _kept(user: Any) -> QuerySet[PackageUpload]:
    return PackageUpload.objects.filter(user=user.pk).exclude(_expired())


def _expired() -> Q:
    return Q(uploaded_at__lt=timezone.now() - KEPT_FOR)


def _remove_surplus(user: Any) -> None:
    _remove(PackageUpload.objects.filter(_expired()))
    _remove(PackageUpload.objects.filter(user=user)[MOST_PER_USER:])
    _remove(PackageUpload.objects.all()[MOST_FILES:])


def _remove(uploads: Iterable[PackageUpload]) -> None:
    for key in [upload.pk for upload in uploads]:
        PackageUpload.objects.filter(pk=key).delete()
        # Whoever reads it just now reads to its end.
        _storage().delete(key.hex)


def _names(storage: FileSystemStorage) -> list[str]:
    try:
        return storage.listdir("")[1]
    except FileNotFoundError:  # nobody has uploaded anything yet
        return []


def _storage() -> FileSystemStorage:
    return FileSystemStorage(
        conf.upload_folder(),
        file_permissions_mode=0o600,
        directory_permissions_mode=0o700,
    )
