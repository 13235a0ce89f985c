"""The models of jobs and executions. The times of runs aren't stored but computed
(HOST-030)."""

from __future__ import annotations

import zoneinfo
from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.time_zones import validate_time_zone
from platform_site.processing.errors import UnknownProcessor
from platform_site.processing.services import get_processor, title_of
from platform_site.scheduling.inputs import wrong_input
from platform_site.scheduling.schedule_times import (
    LONGEST_INTERVAL_SECONDS,
    Cron,
    Interval,
    Schedule,
    ScheduleError,
    checked_cron,
)


class Job(models.Model):
    """A data processor that runs automatically, as a user, on a schedule."""

    catalog_name: ClassVar[str] = "Jobs"

    name = models.CharField(_("name"), max_length=150, unique=True)
    processor = models.CharField(_("data processor"), max_length=150)
    input = models.JSONField(
        _("input"),
        default=dict,
        blank=True,
        help_text=_(
            'A JSON object, such as {"dryRun": true}. Values that you '
            "leave out get the processor's defaults."
        ),
    )
    cron = models.CharField(_("cron expression"), max_length=200, blank=True)
    interval_seconds = models.PositiveIntegerField(
        _("interval in seconds"),
        null=True,
        blank=True,
        validators=[
            MinValueValidator(1),
            MaxValueValidator(LONGEST_INTERVAL_SECONDS),
        ],
    )
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        validators=[validate_time_zone],
        help_text=_("If empty, the time zone of the installation."),
    )
    run_as = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("runs as"),
        # A job without a user stays; its next run fails with a message.
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text=_(
            "The job runs with this user's rights, and its changes are "
            "recorded under this user's name."
        ),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    # This schedule has no earlier times; intervals are counted from here.
    since = models.DateTimeField(
        _("scheduled since"), default=timezone.now, editable=False
    )

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(
                condition=(
                    Q(cron="", interval_seconds__isnull=False)
                    | (~Q(cron="") & Q(interval_seconds__isnull=True))
                ),
                name="job_has_one_schedule",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        """Return the zone of the schedule and of the input's dates (IMP-106)."""
        return zoneinfo.ZoneInfo(self.time_zone or settings.PLATFORM_TIME_ZONE)

    @property
    def schedule(self) -> Schedule:
        """Return the schedule, which computes the times of runs."""
        if self.interval_seconds is not None:
            return Interval(self.interval_seconds, self.since)
        return Cron(self.cron, self.zone)

    def clean(self) -> None:
        """Raise `ValidationError` unless there is exactly one schedule and a valid
        input."""
        errors = self._wrong_input()
        try:
            self.clean_schedule()
        except ValidationError as error:
            errors |= error.message_dict
        if errors:
            raise ValidationError(errors)

    def clean_schedule(self) -> None:
        """Raise `ValidationError` unless there is exactly one schedule with future
        runs."""
        if bool(self.cron.strip()) == (self.interval_seconds is not None):
            message = _("Enter either a cron expression or an interval.")
            raise ValidationError({"cron": message})
        if self.cron:
            try:
                self.cron = checked_cron(self.cron)
            except ScheduleError as error:
                raise ValidationError({"cron": str(error)}) from None

    def _wrong_input(self) -> dict[str, Any]:
        if not isinstance(self.input, dict):
            return {"input": _("Enter a JSON object, such as {}.")}
        try:
            processor = get_processor(self.processor)
        except UnknownProcessor as unknown:
            # A job whose processor was removed can still be disabled; a missing choice
            # is reported already.
            said = self.pk or not self.processor
            return {} if said else {"processor": str(unknown)}
        sentences = wrong_input(processor, self.input)
        return {"input": sentences} if sentences else {}


class JobExecution(models.Model):
    """An execution of a job, or one that a program requested without waiting for its
    result: its time, its origin and its result."""

    class Status(models.TextChoices):
        """The status of an execution; the first two are not final."""

        WAITING = "Waiting", _("Waiting")
        RUNNING = "Running", _("Running")
        COMPLETED = "Completed", _("Completed")
        FAILED = "Failed", _("Failed")
        INTERRUPTED = "Interrupted", _("Interrupted")

    UNFINISHED = (Status.WAITING, Status.RUNNING)
    UNSUCCESSFUL = (Status.FAILED, Status.INTERRUPTED)

    # None if it was requested; then it has an input, a user and perhaps a key.
    job = models.ForeignKey(
        Job,
        verbose_name=_("job"),
        on_delete=models.CASCADE,
        null=True,
        related_name="executions",
    )
    input = models.JSONField(_("input"), default=dict, editable=False)
    time_zone = models.CharField(max_length=64, default="", editable=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("requested by"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        editable=False,
    )
    api_key = models.ForeignKey(
        ApiKey,
        verbose_name=_("API key"),
        # What waits must not outlive the limits of its key.
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        editable=False,
        # Only the deletion of a key would use it.
        db_index=False,
    )
    # Copied, because the job may change.
    processor = models.CharField(_("data processor"), max_length=150)
    status = models.CharField(_("status"), max_length=20, choices=Status.choices)
    # The scheduled time, or when a user pressed Run now or a program requested it.
    due_at = models.DateTimeField(_("due"))
    started_by = models.CharField(_("started by"), max_length=150)
    run_as = models.CharField(_("ran as"), max_length=150, blank=True)
    started_at = models.DateTimeField(_("start"), null=True)
    finished_at = models.DateTimeField(_("end"), null=True)
    result = models.JSONField(_("result"), default=dict)
    message = models.TextField(_("message"), blank=True)
    # How many executions of the job in a row changed nothing, this one included.
    quiet_streak = models.PositiveIntegerField(default=0, editable=False)
    # The next execution changed nothing either, and stands for this one in lists.
    folded = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name = _("execution")
        verbose_name_plural = _("executions")
        ordering = ("-due_at", "-id")
        default_permissions = ("view",)
        indexes = (
            models.Index(fields=("job", "-due_at"), name="execution_of_job"),
            models.Index(
                fields=("job", "folded", "-due_at"), name="execution_unfolded"
            ),
            # Few rows, which webhooks ask for all the time.
            models.Index(
                fields=("finished_at",),
                name="execution_failed",
                condition=Q(status__in=("Failed", "Interrupted")),
            ),
        )
        constraints = (
            # Never two executions of one job at once (OPEN-75).
            models.UniqueConstraint(
                fields=("job",),
                condition=Q(status__in=("Waiting", "Running"), job__isnull=False),
                name="one_execution_of_a_job_at_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.what}, {localize(timezone.localtime(self.due_at))}"

    @property
    def what(self) -> str:
        """Return the name of the job, or the title of the requested processor."""
        return title_of(self.processor) if self.job is None else self.job.name

    @property
    def user(self) -> User | None:
        """Return the user as whom it runs."""
        return self.requested_by if self.job is None else self.job.run_as


class SchedulerTick(models.Model):
    """Up to when several nodes have started the due runs, in a single row."""

    ONLY: ClassVar[int] = 1

    seen_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.seen_at:%Y-%m-%d %H:%M:%S}"
