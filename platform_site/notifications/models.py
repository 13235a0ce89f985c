"""The models of notifications and of the failures that last, which decide when the
next notification is due."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Notification(models.Model):
    """A message to one user; its sentence is made in the language of its reader."""

    class Kind(models.TextChoices):
        """What a notification says."""

        JOB_FAILED = "JobFailed", _("Job failed")
        JOB_HAD_ERRORS = "JobHadErrors", _("Import of a job had errors")
        JOB_RECOVERED = "JobRecovered", _("Job works again")
        BACKUP_FAILED = "BackupFailed", _("Backup failed")
        BACKUP_RECOVERED = "BackupRecovered", _("Backup works again")
        WEBHOOK_DISABLED = "WebhookDisabled", _("Webhook disabled")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user account"),
        on_delete=models.CASCADE,
        related_name="+",
        # The indexes below begin with it.
        db_index=False,
    )
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    # What it is about as it was called then: it may be renamed or deleted.
    subject = models.CharField(_("subject"), max_length=150)
    # The number of failures in a row up to now, or before the recovery.
    failures = models.PositiveIntegerField(_("failures in a row"))
    reason = models.TextField(_("reason"), blank=True)
    # The number of the row that the link shows.
    target_id = models.BigIntegerField(_("row number"), null=True)
    at = models.DateTimeField(_("time"), default=timezone.now)
    read_at = models.DateTimeField(_("read"), null=True)

    class Meta:
        verbose_name = _("notification")
        verbose_name_plural = _("notifications")
        ordering = ("-pk",)
        # Everybody reads their own and nobody any others, so there is no permission.
        default_permissions = ()
        indexes = (
            models.Index(fields=("user", "-id"), name="notification_of_user"),
            models.Index(
                fields=("user",),
                condition=Q(read_at__isnull=True),
                name="notification_unread",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"


class LastingFailure(models.Model):
    """Something that has failed at every attempt since it last worked."""

    key = models.CharField(max_length=100, unique=True)
    failures = models.PositiveIntegerField(default=0)
    notified_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.key}: {self.failures}"


class OutgoingMail(models.Model):
    """A notification to be sent by e-mail, written in the transaction of the
    notification and sent afterwards."""

    notification = models.OneToOneField(
        Notification, on_delete=models.CASCADE, related_name="mail"
    )
    address = models.EmailField(_("e-mail address"))
    attempts = models.PositiveSmallIntegerField(default=0)
    # The next attempt; null once it is sent or given up.
    due_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    # What the mail server said at the last attempt that failed.
    error = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        indexes = (
            models.Index(
                fields=("due_at",),
                condition=Q(due_at__isnull=False),
                name="mail_due",
            ),
        )

    def __str__(self) -> str:
        return self.address

    @property
    def has_failed(self) -> bool:
        """Return whether the last attempt failed."""
        return bool(self.error) and self.sent_at is None
