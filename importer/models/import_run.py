"""The history of runs, with reports stored so that 250,000 results stay cheap.

Results lie in compressed chunks; the counts beside them say which chunks need not be
opened to find the results of one outcome.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ImportRun(models.Model):
    """One real run of a package; dry runs leave no row (IMP-144, IMP-145)."""

    class Status(models.TextChoices):
        """Say how far a run came (OPEN-44)."""

        RUNNING = "Running"
        COMPLETED = "Completed"
        FAILED = "Failed"
        INTERRUPTED = "Interrupted"

    class Door(models.TextChoices):
        """Say by which door a run came in; runs of earlier versions do not know."""

        PAGE = "page", _("page")
        API = "api", _("API")
        COMMAND = "command", _("command")
        JOB = "job", _("scheduled job")
        PROCESSOR = "processor", _("data processor")
        DEMO = "demo", _("demo data")
        CODE = "code", _("program code")

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
    door = models.CharField(max_length=10, choices=Door.choices, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True)
    has_errors = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    diagnostics = models.JSONField(default=list)
    # No columns: a dry run has a record too, but it is never stored (OPEN-45). Its
    # source is known by the SHA-256 of its bytes, in hexadecimal digits.
    dry_run = False
    digest = ""
    # The chunks of a report that is in memory and not, or not yet, in the database.
    held: tuple[Any, ...] | None = None

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("packages and history")
        ordering = ["-started_at"]
        indexes = [
            models.Index(fields=["package", "-started_at"], name="import_run_package"),
            models.Index(fields=["status"], name="import_run_status"),
            models.Index(fields=["-started_at"], name="import_run_started"),
        ]

    def __str__(self) -> str:
        return f"{self.package or 'package'} {self.run_id}"


class ReportChunk(models.Model):
    """Up to a thousand results of a run, compressed JSON."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="chunks")
    first = models.PositiveIntegerField()
    size = models.PositiveIntegerField()
    counts = models.JSONField()
    data = models.BinaryField()

    class Meta:
        ordering = ["first"]
        constraints = [
            models.UniqueConstraint(fields=["run", "first"], name="import_chunk_once")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.first}-{self.first + self.size - 1}"
