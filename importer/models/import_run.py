"""The history of runs, stored so that reports with 250,000 results stay small.

Results are stored in compressed chunks, with counts that show which chunks contain a
given outcome.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class RunQuerySet(models.QuerySet["ImportRun"]):
    """A query set of runs; callers choose real or dry runs first."""

    def real(self) -> RunQuerySet:
        """Return the real runs, which form the history (IMP-145)."""
        return self.filter(dry_run=False)

    def undoing(self, run_id: UUID) -> RunQuerySet:
        """Return the real runs that undo a run."""
        return self.real().filter(kind=ImportRun.Kind.UNDO, based_on=run_id)

    def carried_out(self, run_id: UUID) -> RunQuerySet:
        """Return the runs that carried out the plan of a dry run to its end."""
        done = self.real().filter(status=ImportRun.Status.COMPLETED)
        return done.filter(kind=ImportRun.Kind.PLAN, based_on=run_id)

    def dry(self) -> RunQuerySet:
        """Return the dry runs, which are kept for a short time."""
        return self.filter(dry_run=True)

    def listed(self) -> RunQuerySet:
        """Leave out what a list doesn't show: up to a thousand problems of each run."""
        return self.defer("problems", "diagnostics", "table")


class ImportRun(models.Model):
    """One run of a package, real or dry (IMP-144, OPEN-45).

    All processes read its progress and request its cancellation in this row.
    """

    class Status(models.TextChoices):
        """The state of a run (OPEN-44)."""

        QUEUED = "Queued"
        RUNNING = "Running"
        COMPLETED = "Completed"
        FAILED = "Failed"
        INTERRUPTED = "Interrupted"

        @property
        def is_end(self) -> bool:
            """Return whether a run with this status neither waits nor runs."""
            kind = type(self)
            return self not in (kind.QUEUED, kind.RUNNING)

    class StartedVia(models.TextChoices):
        """How a run was started; empty for runs of earlier versions."""

        PAGE = "page", _("page")
        API = "api", _("API")
        COMMAND = "command", _("command")
        JOB = "job", _("scheduled job")
        PROCESSOR = "processor", _("data processor")
        DEMO = "demo", _("demo data")
        CODE = "code", _("program code")

    class Kind(models.TextChoices):
        """What a run carries out; each but the first is based on another run."""

        PACKAGE = "package", _("package")
        PLAN = "plan", _("plan of a dry run")
        DECISION = "decision", _("decision about kept rows")
        UNDO = "undo", _("undo")

    run_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    package = models.CharField(max_length=100, blank=True)
    version = models.PositiveIntegerField(null=True)
    origin = models.CharField(max_length=10, blank=True)
    status = models.CharField(
        max_length=12, choices=Status.choices, default=Status.RUNNING
    )
    continue_on_error = models.BooleanField(default=False)
    time_zone = models.CharField(max_length=64)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    started_by_name = models.CharField(max_length=150)
    started_via = models.CharField(
        max_length=10, choices=StartedVia.choices, blank=True
    )
    # The key of the processor or job that started the run.
    starter = models.CharField(max_length=150, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True)
    has_errors = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)
    # How many updated rows kept some values of users.
    conflicts = models.PositiveIntegerField(default=0, db_default=0)
    problems = models.JSONField(default=list)
    diagnostics = models.JSONField(default=list)
    dry_run = models.BooleanField(default=False)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PACKAGE)
    # The dry run of a plan, the run that kept the rows of a decision, or the undone run.
    based_on = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="based_runs"
    )
    # SHA-256 of the source in hexadecimal, empty if it wasn't computed.
    digest = models.CharField(max_length=64, blank=True)
    # How the table was read that the package was made from, as JSON; empty without one.
    # It is a text, because headers may have characters that a database doesn't take.
    table = models.TextField(blank=True, default="")
    # Objects per second during the run, None if unknown.
    rate = models.FloatField(null=True)
    # Set to cancel the run, which checks it about once a second.
    stop_requested_at = models.DateTimeField(null=True)
    # The chunks of a report that is in memory and not (yet) in the database.
    held: tuple[Any, ...] | None = None

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("packages and history")
        ordering = ["-started_at"]
        indexes = [
            models.Index(fields=["package", "-started_at"], name="import_run_package"),
            models.Index(fields=["status"], name="import_run_status"),
            models.Index(fields=["-started_at"], name="import_run_started"),
            models.Index(
                fields=["finished_at"],
                name="import_run_ended",
                condition=Q(dry_run=False),
            ),
            # Few rows among many real runs.
            models.Index(
                fields=["-started_at"], name="import_run_dry", condition=Q(dry_run=True)
            ),
            models.Index(
                fields=["starter"], name="import_run_starter", condition=~Q(starter="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.package or 'package'} {self.run_id}"

    @property
    def has_ended(self) -> bool:
        """Return whether the run neither waits for its turn nor runs."""
        return self.Status(self.status).is_end

    @property
    def present(self) -> datetime:
        """Return the present of the package's dates: the start of the run, or of a plan
        that of its dry run, as long as that is kept."""
        dry_run = self.based_on if self.kind == self.Kind.PLAN else None
        return self.started_at if dry_run is None else dry_run.started_at


class ReportChunk(models.Model):
    """Up to a thousand results of a run as compressed JSON."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="chunks")
    first = models.PositiveIntegerField()
    size = models.PositiveIntegerField()
    counts = models.JSONField()
    # The counts of each step, by its index and target.
    steps = models.JSONField(default=dict)
    data = models.BinaryField()

    class Meta:
        ordering = ["first"]
        constraints = [
            models.UniqueConstraint(fields=["run", "first"], name="import_chunk_once")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.first}-{self.first + self.size - 1}"
