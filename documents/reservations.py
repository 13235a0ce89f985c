"""The number of this month's documents reserved by the import in progress. It is stored
in the database, so that every process that creates documents leaves room for them."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from importer.models import ImportRun

_ONLY: Final = 1


class DocumentReservation(models.Model):
    """The documents reserved by the last admitted import; there is one row.

    Counting documents locks it, so that no two writers take the last place.
    """

    run_id = models.UUIDField(_("run"), null=True)
    package = models.CharField(_("package"), max_length=100, blank=True)
    documents = models.PositiveIntegerField(_("documents"), default=0)
    since = models.DateTimeField(_("since"), null=True)

    class Meta:
        verbose_name = _("reservation of documents")
        verbose_name_plural = _("reservations of documents")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.package}: {self.documents}"

    def holds(self) -> bool:
        """Return whether the import that made the reservation is still in progress."""
        run = None if self.run_id is None else _in_progress().filter(pk=self.run_id)
        return run is not None and run.exists()

    def make(self, run: ImportRun, documents: int) -> None:
        """Make the reservation for a run."""
        self.run_id, self.package, self.documents = run.pk, run.package, documents
        self.since = timezone.now()
        self.save()

    def its_documents(self) -> Q:
        """Return the condition for the documents that the import has created so far."""
        return Q(import_source=self.package, created__gte=self.since)


def locked_reservation() -> DocumentReservation:
    """Return the reservation, locked until the transaction ends."""
    rows = DocumentReservation.objects.select_for_update().filter(pk=_ONLY)
    for reservation in rows:
        return reservation
    first = DocumentReservation(pk=_ONLY)
    DocumentReservation.objects.bulk_create([first], ignore_conflicts=True)
    return rows.get()


def run_in_progress() -> ImportRun | None:
    """Return the import in progress, None if there is none or it is a dry run.

    There is never more than one (IMP-338).
    """
    return _in_progress().order_by("-started_at").first()


def _in_progress() -> QuerySet[ImportRun]:
    return ImportRun.objects.real().filter(status=ImportRun.Status.RUNNING)
