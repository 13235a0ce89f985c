"""The search for unused files and missing bytes. They are only reported unless removal
is requested."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from platform_site.files import blobs
from platform_site.files.models import StoredFile

# A recent upload may be used soon.
_GRACE: Final = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Files without references, and rows whose bytes are missing."""

    unused: list[StoredFile]
    unknown: list[UUID]
    abandoned: list[Path]
    missing: list[StoredFile]

    def __bool__(self) -> bool:
        return bool(self.unused or self.unknown or self.abandoned)


def find_leftovers() -> Leftovers:
    """Check every blob and every row; raise OSError if the folder can't be read.

    Files without references count as unused a day after their upload; a processor has
    read them by then. Missing bytes are only reported, since a backup of the folder may
    contain them.
    """
    keys = set(blobs.all_keys())
    known = set(StoredFile.objects.values_list("pk", flat=True))
    return Leftovers(
        unused=list(_unused()),
        # A blob exists before its row.
        unknown=[key for key in sorted(keys - known) if _is_old(blobs.path_of(key))],
        abandoned=list(blobs.abandoned()),
        missing=list(StoredFile.objects.filter(pk__in=known - keys)),
    )


def remove_leftovers(found: Leftovers) -> None:
    """Delete what was found; rows before their bytes, so that no row points to
    nothing."""
    _remove(found.unused)
    for key in found.unknown:
        blobs.remove(key)
    for path in found.abandoned:
        path.unlink(missing_ok=True)


def remove_unused(user: Any) -> None:
    """Delete the unused files of one user by the same rule."""
    _remove(_unused().filter(uploaded_by_id=user.pk))


def _remove(files: Iterable[StoredFile]) -> None:
    for file in files:
        # Checked again: there may be a reference by now.
        if _unused().filter(pk=file.pk).exists():
            StoredFile.objects.filter(pk=file.pk).delete()
            transaction.on_commit(partial(blobs.remove, file.pk))


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


def _is_old(path: Path) -> bool:
    try:
        modified = path.stat().st_mtime
    except FileNotFoundError:
        return False
    return timezone.now().timestamp() - modified > _GRACE.total_seconds()
