"""Uploaded packages, kept for a day so that an import uses the bytes of its dry run
(OPEN-52). Every process finds them by user and SHA-256."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, BinaryIO

from django.core.files.storage import FileSystemStorage, Storage
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

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
    # The file comes first, because a row means that its bytes exist.
    storage = _storage()
    storage.save(row.id.hex, upload)
    try:
        row.save(force_insert=True)
    except BaseException:
        storage.delete(row.id.hex)
        raise
    _remove_surplus()
    return row


def find(user: Any, digest: str) -> PackageUpload | None:
    """Return a user's upload by its SHA-256, None once it is no longer kept."""
    return _newest(_kept(user).filter(digest=digest))


def latest(user: Any) -> PackageUpload | None:
    """Return the latest upload of a user, None if there is none."""
    return _newest(_kept(user))


def _newest(uploads: Iterable[PackageUpload]) -> PackageUpload | None:
    """Return the first upload whose file exists: an operator may have removed some."""
    storage = _storage()
    return next((one for one in uploads if storage.exists(one.id.hex)), None)


def opened(upload: PackageUpload) -> BinaryIO:
    """Open the bytes of an upload; raise FileNotFoundError if it was removed just
    now."""
    file: Any = _storage().open(upload.id.hex)
    return file  # type: ignore[no-any-return]  # Django's File reads as any file does


def remove_old() -> None:
    """Remove uploads that are over their time, and files that belong to none."""
    _remove_surplus()
    storage = _storage()
    known = {key.hex for key in PackageUpload.objects.values_list("pk", flat=True)}
    for name in _names(storage):
        with suppress(FileNotFoundError):  # another process removes them too
            # A file is there before its row.
            is_old = storage.get_modified_time(name) < _oldest()
            if name not in known and is_old:
                storage.delete(name)


def _kept(user: Any) -> QuerySet[PackageUpload]:
    return PackageUpload.objects.filter(user=user.pk, uploaded_at__gte=_oldest())


def _oldest() -> datetime:
    """Return when the oldest upload may have come that is still kept."""
    return timezone.now() - KEPT_FOR


def _remove_surplus() -> None:
    """Remove uploads that are over their time or number, and all but the newest of the
    same bytes of a user."""
    oldest, kept = _oldest(), set[tuple[Any, str]]()
    of_users = Counter[Any]()
    for one in PackageUpload.objects.all():
        bytes_of_user = one.user_id, one.digest
        has_room = len(kept) < MOST_FILES and of_users[one.user_id] < MOST_PER_USER
        if one.uploaded_at < oldest or bytes_of_user in kept or not has_room:
            name = one.id.hex
            one.delete()
            # Whoever reads it just now reads to its end.
            _storage().delete(name)
        else:
            kept.add(bytes_of_user)
            of_users[one.user_id] += 1


def _names(storage: Storage) -> list[str]:
    try:
        return storage.listdir("")[1]
    except FileNotFoundError:  # nobody has uploaded anything yet
        return []


def _storage() -> Storage:
    if path := conf.setting("UPLOAD_STORAGE"):
        made: Storage = import_string(path)()
        return made
    return FileSystemStorage(
        conf.upload_folder(),
        file_permissions_mode=0o600,
        directory_permissions_mode=0o700,
    )
