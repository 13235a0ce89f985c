"""The table of change events, written by `record_change` and never changed, that of the
files they are archived in, and that of former import marks."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any, ClassVar, Final, Never

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from importer.models import ImportRun
from platform_site.changes.context import ChangeOrigin
from platform_site.changes.encoding import ChangeEncoder
from platform_site.changes.labels import kind_in_words
from platform_site.database.settled_counts import SettledCounts

_REPORTED: Final = (ChangeOrigin.IMPORT.value, ChangeOrigin.DEMO_DATA.value)


def _moves() -> int:
    """Return a number that grows whenever events are archived or come back."""
    moved = ArchivedChanges.objects.aggregate(moves=models.Sum("moves"))["moves"]
    return moved or 0


_COUNTS: Final = SettledCounts("at", _moves)


class HistoryError(Exception):
    """An attempt to rewrite the change history."""


class ChangeEventQuerySet(models.QuerySet["ChangeEvent"]):
    """A read-only query set: updates and deletions are refused."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Never:
        _refuse()

    # Events are created one by one, with their rows.
    update = delete = bulk_create = bulk_update = update_or_create = _refuse

    def count(self) -> int:
        """Return the number of events: those that were counted once aren't counted
        again, unless some were archived since."""
        if self._result_cache is not None or self.query.is_sliced:
            return super().count()
        return _COUNTS.count(self)

    def of_run(self, run_id: Any) -> ChangeEventQuerySet:
        """Return the events of a run, the newest first.

        Written like this, only the index of runs has them in their order. PostgreSQL
        would otherwise read all events newer than a run, to find those of the run by
        their times.
        """
        within = self.filter(run_id__gte=run_id, run_id__lte=run_id)
        return within.order_by("-run_id", "-at", "-id")

    def by_people(self) -> ChangeEventQuerySet:
        """Return the events that no report of a run contains."""
        reported = models.Q(run_id__isnull=False, origin__in=_REPORTED)
        return self.exclude(reported)


class ChangeEvent(models.Model):
    """A change of one business row, with the values before and after."""

    class Action(models.TextChoices):
        """The kinds of change to a row."""

        CREATED = "created", _("created")
        UPDATED = "updated", _("updated")
        DELETED = "deleted", _("deleted")
        RESTORED = "restored", _("restored")
        ADOPTED = "adopted", _("adopted")
        POSTED = "posted", _("posted")
        UNPOSTED = "unposted", _("unposted")

    at = models.DateTimeField(_("time"), default=timezone.now, editable=False)
    # The link is removed with the user; the copied name stays.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user account"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        editable=False,
        # Only the deletion of a user would use it, and every change would pay for it.
        db_index=False,
    )
    user_name = models.CharField(_("user"), max_length=150, editable=False)
    action = models.CharField(
        _("action"), max_length=20, choices=Action.choices, editable=False
    )
    origin = models.CharField(
        _("origin"),
        max_length=20,
        choices=ChangeOrigin.choices,
        editable=False,
    )
    run_id = models.UUIDField(_("run"), null=True, editable=False)
    # Empty for runs. It has no index, because the log is searched first.
    request_id = models.CharField(
        _("request"), max_length=128, null=True, editable=False
    )
    model = models.CharField(_("kind of row"), max_length=100, editable=False)
    row_id = models.BigIntegerField(_("row number"), null=True, editable=False)
    row = models.TextField(_("row"), editable=False)
    changes = models.JSONField(
        _("changes"), default=dict, encoder=ChangeEncoder, editable=False
    )

    objects = ChangeEventQuerySet.as_manager()

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")
        ordering = ("-at", "-id")
        indexes = (
            # The kind of row doesn't lead: SQLite would sort all events of a kind.
            models.Index(fields=("row_id", "model", "at"), name="change_of_row"),
            models.Index(
                fields=("run_id", "at", "id"),
                condition=models.Q(run_id__isnull=False),
                name="change_of_run",
            ),
            models.Index(fields=("at",), name="change_at"),
            # Changes by users, few compared to those of runs in their name.
            models.Index(
                fields=("user", "-at", "-id"),
                condition=models.Q(origin=ChangeOrigin.USER.value),
                name="change_by_hand",
            ),
            # Deletions, which are few: only they pay for it.
            models.Index(
                fields=("at", "id"),
                condition=models.Q(action="deleted"),
                name="change_deleted",
            ),
        )

    def __str__(self) -> str:
        kind, action = kind_in_words(self.model), self.get_action_display()
        return f"{kind} “{self.row}” {action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert a new event; raise `HistoryError` for an existing one."""
        if not self._state.adding:
            _refuse()
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Never:
        """Raise HistoryError."""
        _refuse()

    @property
    def reported_run(self) -> uuid.UUID | None:
        """Return the run whose report contains the change, if there is one
        (IMP-315)."""
        return self.run_id if self.origin in _REPORTED else None


class ArchivedChanges(models.Model):
    """A file with changes that were moved out of the history by their age.

    The row is stored before the first of its changes is deleted, so that nobody takes the
    history for complete meanwhile, and it stays when the changes are put back.
    """

    catalog_name: ClassVar[str] = "ArchivedChanges"

    file = models.TextField(_("file"))
    count = models.PositiveIntegerField(_("changes"))
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    first_at = models.DateTimeField(_("first change"))
    last_at = models.DateTimeField(_("last change"))
    # Of the lines of the changes, in hexadecimal.
    sha256 = models.CharField(max_length=64)
    archived_at = models.DateTimeField(_("archived"), default=timezone.now)
    # When the last of them was deleted here; null if that was interrupted.
    removed_at = models.DateTimeField(null=True)
    restored_at = models.DateTimeField(_("restored"), null=True)
    # How many transactions have deleted or restored some.
    moves = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("archived changes")
        verbose_name_plural = _("archived changes")
        default_permissions = ()
        ordering = ("pk",)

    def __str__(self) -> str:
        return Path(self.file).name


class FormerMark(models.Model):
    """The import mark of a row as it was before a run wrote the row.

    The undo of the run puts it back. It is no part of the history that users see, and
    is deleted together with the run.
    """

    run = models.ForeignKey(
        ImportRun,
        on_delete=models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    at = models.DateTimeField(default=timezone.now)
    model = models.CharField(max_length=100)
    row_id = models.BigIntegerField()
    origin = models.CharField(max_length=10)
    source = models.CharField(max_length=100)
    key = models.CharField(max_length=200)
    source_hash = models.CharField(max_length=64)
    # Only if a user had changed the row since; otherwise nothing depends on it.
    imported_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("former import mark")
        verbose_name_plural = _("former import marks")
        default_permissions = ()
        indexes = (
            models.Index(fields=("run", "id"), name="former_mark_of_run"),
            models.Index(fields=("row_id", "model"), name="former_mark_of_row"),
        )

    def __str__(self) -> str:
        return f"{self.model} {self.row_id}: {self.source} {self.key}"


def _refuse() -> Never:
    message = (
        "The change history is permanent: its entries are written together with the "
        "change they describe and can be neither altered nor deleted. Old ones can be "
        "moved into files by the command archive_changes."
    )
    raise HistoryError(message)
