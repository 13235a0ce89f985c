"""The models of webhooks and of what is delivered to them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

LONGEST_URL = 500
LONGEST_ERROR = 500


class EventType(models.TextChoices):
    """What other programs can be told; the values are part of the API."""

    RECORD_CHANGED = "record.changed", _("a row was changed")
    DOCUMENT_POSTED = "document.posted", _("a document was posted")
    RUN_FINISHED = "run.finished", _("an import ended")
    JOB_FAILED = "job.failed", _("a job failed")


# The events that come from the change history.
OF_CHANGES = (EventType.RECORD_CHANGED, EventType.DOCUMENT_POSTED)


class Webhook(models.Model):
    """An address that is told what happens, with the rights of one user."""

    catalog_name: ClassVar[str] = "Webhooks"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user account"),
        on_delete=models.CASCADE,
        related_name="+",
        help_text=_("It is told of what this user may see."),
    )
    url = models.CharField(
        _("address"),
        max_length=LONGEST_URL,
        help_text=_("Where the events are sent; it begins with https://."),
    )
    events = models.JSONField(_("events"), default=list)
    # Names of kinds of rows, such as Items; empty for all that the user may see.
    kinds = models.JSONField(_("kinds of rows"), default=list, blank=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    # Whoever knows it can sign; it is shown once.
    secret = models.CharField(max_length=100, editable=False)
    created_at = models.DateTimeField(
        _("created"), default=timezone.now, editable=False
    )
    # Up to which change deliveries have been written.
    position = models.BigIntegerField(default=0, editable=False)
    # Up to which time other sources have been asked.
    seen_at = models.DateTimeField(default=timezone.now, editable=False)
    # Until when one process sends for it.
    claimed_until = models.DateTimeField(null=True, editable=False)
    # Why it was disabled; empty if nobody but a person did it.
    trouble = models.TextField(_("trouble"), blank=True, editable=False)

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ("-pk",)

    def __str__(self) -> str:
        return str(self.url)

    def wants(self, kind: str) -> bool:
        """Return whether it is told of this type of events."""
        return kind in self.events

    @property
    def follows_changes(self) -> bool:
        """Return whether it is told of changes at all."""
        return any(self.wants(kind) for kind in OF_CHANGES)


class Delivery(models.Model):
    """An event for one webhook: what is sent, and what became of it."""

    class State(models.TextChoices):
        """The states of a delivery."""

        WAITING = "waiting", _("waiting")
        SENT = "sent", _("sent")

    webhook = models.ForeignKey(
        Webhook,
        verbose_name=_("webhook"),
        on_delete=models.CASCADE,
        related_name="deliveries",
        db_index=False,
    )
    # The same for the same event however often it is written: its receivers know by it
    # what they have already.
    key = models.CharField(_("message"), max_length=60)
    type = models.CharField(_("event"), max_length=30, choices=EventType.choices)
    body = models.TextField(_("content"))
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    # The next attempt; null once it is sent.
    due_at = models.DateTimeField(_("next attempt"), null=True)
    sent_at = models.DateTimeField(_("sent"), null=True)
    # What the receiver answered last, null if it didn't.
    status = models.PositiveSmallIntegerField(_("response"), null=True)
    error = models.TextField(_("error"), blank=True)

    class Meta:
        verbose_name = pgettext_lazy("of a message", "delivery")
        verbose_name_plural = _("deliveries")
        ordering = ("-pk",)
        # They are written by the installation alone, and sent again by those who may
        # change the webhook.
        default_permissions = ("view",)
        constraints = (
            models.UniqueConstraint(
                fields=("webhook", "key"), name="delivery_once_for_a_webhook"
            ),
        )
        indexes = (
            models.Index(fields=("webhook", "id"), name="delivery_of_webhook"),
            models.Index(
                fields=("webhook", "id"),
                condition=Q(sent_at__isnull=True),
                name="delivery_waiting",
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.key}"

    @property
    def state(self) -> str:
        """Return the state."""
        return self.State.WAITING if self.sent_at is None else self.State.SENT


def waiting(webhook: Any) -> models.QuerySet[Delivery]:
    """Return the deliveries of a webhook that aren't sent yet, in their order."""
    return Delivery.objects.filter(webhook=webhook, sent_at=None).order_by("pk")
