"""The search for unused files and missing bytes. They are only reported unless removal
is requested."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from platform_site.files import blobs
from platform_site.files.models import StoredFile

logger = logging.getLogger("platform.files")
# A recent upload may be used soon.
_GRACE: Final = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Files without references, and rows whose bytes are missing."""

    unused: list[StoredFile]
    unknown: list[UUID]
    abandoned: list[str]
    missing: list[StoredFile]

    def __bool__(self) -> bool:
        return bool(self.unused or self.unknown or self.abandoned)


def find_leftovers() -> Leftovers:
    """Check every blob and every row; raise OSError if their place can't be read.

    Files without references count as unused a day after their upload; a processor has
    read them by then. Missing bytes are only reported, since a backup may contain them.
    """
    # First, because a blob exists before its row.
    found = blobs.contents()
    keys = {blob.key for blob in found.blobs}
    known = set(StoredFile.objects.values_list("pk", flat=True))
    before = timezone.now() - _GRACE
    return Leftovers(
        unused=list(_unused()),
        unknown=sorted(
            blob.key
            for blob in found.blobs
            if blob.key not in known and blob.modified < before
        ),
        abandoned=found.abandoned,
        missing=list(StoredFile.objects.in_bulk(sorted(known - keys)).values()),
    )


def remove_leftovers(found: Leftovers) -> None:
    """Delete what was found; rows before their bytes, so that no row points to
    nothing."""
    _remove(found.unused)
    for key in found.unknown:
        blobs.remove(key)
    for name in found.abandoned:
        blobs.store().remove(name)


def remove_unused(user: Any) -> None:
    """Delete the unused files of one user by the same rule."""
    _remove(_unused().filter(uploaded_by_id=user.pk))


def discard(key: UUID) -> None:
    """Delete a blob without a row; if it stays, it is found as unknown later."""
    try:
        blobs.remove(key)
    except OSError as error:
        logger.warning(
            "The bytes of file %s couldn't be deleted (%s); clean_files will find them.",
            key,
            error,
        )


def _remove(files: Iterable[StoredFile]) -> None:
    for file in files:
        # Checked again: there may be a reference by now.
        if _unused().filter(pk=file.pk).exists():
            StoredFile.objects.filter(pk=file.pk).delete()
            transaction.on_commit(partial(discard, file.pk))


def _unused() -> QuerySet[StoredFile]:
    return unreferenced().filter(uploaded_at__lt=timezone.now() - _GRACE)


def unreferenced() -> QuerySet[StoredFile]:
    """Return the files without references in other tables, new ones included."""
    files = StoredFile.objects.all()
    for relation in _references():
        users: Any = relation.related_model._base_manager
        files = files.exclude(
            Exists(users.filter(**{relation.field.name: OuterRef("pk")}))
        )
    return files


def _references() -> Iterator[Any]:
    """Yield the references to files in other tables."""
    yield from StoredFile._meta.related_objects
