"""What readers of the history are told where changes are missing, because they were
archived."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException

from importer.models import ImportRun
from platform_site.changes.models import ArchivedChanges, ChangeEventQuerySet


class PositionArchived(APIException):
    """The refusal of a position in the feed before changes that were archived."""

    status_code = 410
    default_code = "changes-archived"

    def __init__(self, position: int) -> None:
        sentence = _(
            "Changes after this position were archived and are no longer in the feed. "
            "Read all rows again and continue from after=%s."
        )
        super().__init__(sentence % position)
        self.members = {"position": position}


def missing() -> QuerySet[ArchivedChanges]:
    """Return the files whose changes are no longer in the history, or about to leave."""
    return ArchivedChanges.objects.filter(restored_at=None)


def refuse_archived(position: int) -> None:
    """Raise PositionArchived for a position after which changes are missing.

    Call it after the changes were read: a file is stored before the first of its changes
    is deleted.
    """
    last = missing().aggregate(last=Max("last_id"))["last"]
    if last is not None and position < last:
        raise PositionArchived(last)


def why_incomplete(run: ImportRun) -> str:
    """Return why the undo of a run is impossible, because changes made since its start are
    archived; an empty text if none is."""
    file = missing().filter(last_at__gte=run.started_at).order_by("last_at").last()
    if file is None:
        return ""
    sentence = _(
        "The run %(run)s can't be undone: changes that were made since its start were "
        "archived on %(day)s, the last of them in %(file)s. The operator can put them "
        "back with the command archive_changes."
    )
    words = {"run": run.run_id, "day": _day(file.archived_at), "file": file}
    return sentence % words


def archived_note(user: Any, events: ChangeEventQuerySet | None = None) -> str:
    """Return the sentence where earlier changes are, of all rows or of one with these
    events; empty if none can be archived.

    Only those who may see the whole history learn the folder.
    """
    last = missing().order_by("last_at").last()
    # The first event of a row always stays.
    if last is None or not (
        events is None or events.filter(at__lte=last.last_at).exists()
    ):
        return ""
    words = {"day": _day(last.last_at), "folder": Path(last.file).parent}
    if not user.has_perm("changes.view_changeevent"):
        return _("Changes up to %(day)s may be archived; ask an administrator.") % words
    return _("Changes up to %(day)s may be archived, in files in %(folder)s.") % words


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "DATE_FORMAT")
