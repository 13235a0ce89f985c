"""The way back of archived changes: a file is checked, and what the history lacks of it is
inserted with the same ids."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db import models, transaction
from django.utils import timezone

from platform_site.accounts.security_log import record_security_change
from platform_site.changes.models import ArchivedChanges, ChangeEvent
from platform_site.settings.configuration import Configuration
from platform_site.site.archived_changes import files
from platform_site.site.archived_changes.archiving import alone, as_sentences, move
from platform_site.site.archived_changes.errors import ArchivingError

_AT_ONCE: Final = 1000


def restore_changes(
    configuration: Configuration,
    paths: Sequence[Path],
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Put the changes of files back into the history; `tell` gets a sentence for each.

    Raise ArchivingError with a sentence. Running it again inserts what is missing.
    """
    with alone(configuration):
        for path in paths:
            with as_sentences(f"The changes of {path} can't be restored"):
                tell(_restored(path))


def _restored(path: Path) -> str:
    header = files.check(path)
    known = ArchivedChanges.objects.filter(sha256=header.sha256, count=header.count)
    row = known.filter(restored_at=None).last()
    if row is None:
        if known.exists():
            return f"The changes of {path} are in the history already."
        raise ArchivingError(
            f"The changes of {path} weren't archived by this installation, so they don't "
            "belong to its history. Nothing was changed."
        )
    changes = files.changes_of(path)
    while part := list(itertools.islice(changes, _AT_ONCE)):
        move(row, partial(_insert, part))
    with transaction.atomic():
        row.restored_at = timezone.now()
        row.save(update_fields=["restored_at"])
        record_security_change(
            ChangeEvent.Action.RESTORED, row, {"count": [None, row.count]}
        )
    return f"{row.count:,} changes of {path} are in the history again."


def _insert(changes: Sequence[files.ArchivedChange]) -> None:
    """Insert those of some changes that the history lacks."""
    known = ChangeEvent.objects.filter(pk__one_of=[each.id for each in changes])
    there = set(known.values_list("pk", flat=True))
    named = {each.user_id for each in changes if each.user_id is not None}
    users = get_user_model()._default_manager.filter(pk__in=named)
    user_ids = set(users.values_list("pk", flat=True))
    rows = [
        ChangeEvent(
            id=each.id,
            at=each.at,
            # As after the deletion of a user: the name stays.
            user_id=each.user_id if each.user_id in user_ids else None,
            user_name=each.user,
            action=each.action,
            origin=each.origin,
            run_id=each.run_id,
            request_id=each.request_id,
            model=each.model,
            row_id=each.row_id,
            row=each.row,
            changes=each.changes,
        )
        for each in changes
        if each.id not in there
    ]
    # Not with the manager of events, which refuses it.
    events: models.QuerySet[Any] = models.QuerySet(ChangeEvent)
    events.bulk_create(rows)
