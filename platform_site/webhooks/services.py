"""The services that write webhooks, and have deliveries sent again. Each write of a
webhook records one change event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from importer import did_you_mean
from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.feed import end_of_feed
from platform_site.changes.labels import recorded_models
from platform_site.changes.services import ChangeEvent
from platform_site.notifications.models import Notification
from platform_site.notifications.services import forget_failures, notify_failure
from platform_site.processing.checked_connection import https_parts
from platform_site.webhooks.events import unseen_by
from platform_site.webhooks.models import Delivery, EventType, Webhook, waiting
from platform_site.webhooks.signing import new_secret

# The property as in change events, and the column.
_COLUMNS: Final = {
    "url": "url",
    "events": "events",
    "models": "kinds",
    "enabled": "enabled",
}


def create_webhook(*, user: Any, values: Mapping[str, Any]) -> Webhook:
    """Create a webhook of a user, which is told of what happens from now on; raise
    ValidationError by property. Its secret is known only now."""
    webhook = Webhook(user=user, secret=new_secret())
    _set(webhook, values)
    check(webhook)
    with transaction.atomic():
        webhook.save(force_insert=True)
        changes = {name: [None, value] for name, value in _described(webhook).items()}
        record_security_change(ChangeEvent.Action.CREATED, webhook, changes)
        webhook.position = end_of_feed()
        webhook.save(update_fields=["position"])
    return webhook


def update_webhook(webhook: Webhook, values: Mapping[str, Any]) -> Webhook:
    """Change some properties; raise ValidationError by property.

    A webhook that is enabled again gets all that has happened meanwhile.
    """
    refuse_beyond_own(webhook.user)
    with transaction.atomic():
        stored = _locked(webhook)
        before, were_wanted = _described(stored), stored.follows_changes
        _set(stored, values)
        changes = {
            name: [before[name], value]
            for name, value in _described(stored).items()
            if before[name] != value
        }
        if changes:
            # What it had before may have become wrong, and it can still be disabled.
            check(stored, only=changes)
            if stored.enabled:
                _begin_anew(stored)
            columns = [_COLUMNS[name] for name in changes]
            if stored.follows_changes and not were_wanted:
                # Nobody has asked for the changes until now.
                stored.position = end_of_feed()
                columns.append("position")
            stored.save(update_fields=[*columns, "trouble"])
            record_security_change(ChangeEvent.Action.UPDATED, stored, changes)
    return stored


def delete_webhook(webhook: Webhook) -> None:
    """Delete a webhook with its deliveries."""
    refuse_beyond_own(webhook.user)
    with transaction.atomic():
        changes = {name: [value, None] for name, value in _described(webhook).items()}
        record_security_change(ChangeEvent.Action.DELETED, webhook, changes)
        forget_failures(_key(webhook))
        webhook.delete()


def retry(delivery: Delivery) -> Delivery:
    """Have a delivery sent again, at once and before all later ones."""
    refuse_beyond_own(delivery.webhook.user)
    again = {"due_at": timezone.now(), "sent_at": None, "attempts": 0}
    # It may just have been deleted, or be on its way.
    Delivery.objects.filter(pk=delivery.pk).update(**again)
    for name, value in again.items():
        setattr(delivery, name, value)
    return delivery


def disable(webhook: Webhook, trouble: str) -> None:
    """Disable a webhook whose receiver doesn't take messages any more, and tell its
    user."""
    now = timezone.now()
    with transaction.atomic():
        stored = _locked(webhook)
        if not stored.enabled:
            return
        stored.enabled, stored.trouble = False, trouble
        stored.save(update_fields=["enabled", "trouble"])
        changes = {"enabled": [True, False]}
        record_security_change(ChangeEvent.Action.UPDATED, stored, changes)
        notification = Notification(
            kind=Notification.Kind.WEBHOOK_DISABLED,
            subject=str(stored)[:150],
            reason=trouble,
            target_id=stored.pk,
            at=now,
        )
        notify_failure(_key(stored), notification, owners=[stored.user_id])


def _set(webhook: Webhook, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(webhook, _COLUMNS[name], value)


def _begin_anew(webhook: Webhook) -> None:
    """Forget the trouble, so that what waits is sent at once."""
    webhook.trouble = ""
    waiting(webhook).update(due_at=timezone.now(), attempts=0)
    forget_failures(_key(webhook))


def _locked(webhook: Webhook) -> Webhook:
    locked = Webhook.objects.select_for_update(of=("self",)).select_related("user")
    return locked.get(pk=webhook.pk)


def _key(webhook: Webhook) -> str:
    return f"webhook:{webhook.pk}"


def _described(webhook: Webhook) -> dict[str, Any]:
    return {name: getattr(webhook, column) for name, column in _COLUMNS.items()}


def check(webhook: Webhook, only: Collection[str] = tuple(_COLUMNS)) -> None:
    """Raise ValidationError by property for what can't be sent, or not be seen."""
    wrong: dict[str, Any] = {}
    parts = https_parts(webhook.url)
    if parts is None:
        wrong["url"] = _("The address must begin with https://.")
    elif parts.username is not None or parts.password is not None:
        wrong["url"] = _("The address must not contain a user name or password.")
    webhook.events = list(dict.fromkeys(webhook.events))
    webhook.kinds = list(dict.fromkeys(webhook.kinds))
    if not webhook.events:
        wrong["events"] = _("Choose at least one event.")
    elif unknown := _unknown(webhook.events, EventType.values):
        wrong["events"] = _("There is no event %(name)s.") % {"name": unknown}
    elif unseen := unseen_by(webhook.user, webhook.events):
        sentence = _("“%(user)s” may not see the events %(names)s.")
        words = {"user": webhook.user, "names": ", ".join(unseen)}
        wrong["events"] = sentence % words
    if unknown := _unknown(webhook.kinds, recorded_models()):
        sentence = _("There are no rows %(name)s.") % {"name": unknown}
        wrong["models"] = sentence + did_you_mean(
            unknown, recorded_models(), sentence=True
        )
    wrong = {name: sentence for name, sentence in wrong.items() if name in only}
    if wrong:
        raise ValidationError(wrong)


def _unknown(given: Iterable[str], known: Iterable[str]) -> str:
    known = set(known)
    return next((each for each in given if each not in known), "")
