"""Messages arrive signed and in their order, again and again until they are accepted, and
not after that."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from platform_site.notifications.models import Notification
from platform_site.webhooks import sending
from platform_site.webhooks.models import Delivery, Webhook
from platform_site.webhooks.services import update_webhook
from tests.changes.feed_readers import an_event
from tests.webhooks.receiver import receiving

pytestmark = pytest.mark.django_db


@pytest.fixture
def later(monkeypatch):
    """Return a function that moves the time of the sender."""
    moved = timedelta()

    def move(**by):
        nonlocal moved
        moved += timedelta(**by)

    real = timezone.now
    monkeypatch.setattr(sending.timezone, "now", lambda: real() + moved)
    return move


def test_messages_arrive_in_order_and_are_signed(hook, receiver):
    webhook = hook()
    events = [an_event() for _number in range(3)]
    assert sending.serve(webhook.pk) == 3
    assert receiver.ids == [f"change-{event}" for event in events]
    for message in receiver.messages:
        content = message.verify(webhook.secret)
        assert content == message.content
        assert set(content) == {"type", "timestamp", "data"}
        assert message.headers["content-type"] == "application/json"
    assert sending.serve(webhook.pk) == 0
    assert not Delivery.objects.filter(sent_at=None).exists()


def test_a_changed_message_is_noticed(hook, receiver):
    webhook = hook()
    an_event()
    sending.serve(webhook.pk)
    (message,) = receiver.messages
    forged = message._replace(body=message.body.replace(b"Items", b"Units"))
    with pytest.raises(Exception, match="No matching signature"):
        forged.verify(webhook.secret)


def test_a_refused_message_is_sent_again_before_later_ones(hook, receiver, later):
    webhook = hook()
    first, second = an_event(), an_event()
    receiver.answers = [503, 500]
    assert sending.serve(webhook.pk) == 0
    row = Delivery.objects.get(key=f"change-{first}")
    assert (row.status, row.attempts) == (503, 1)
    assert row.error == "localhost answered 503 Service Unavailable: busy"
    assert timezone.now() < row.due_at < timezone.now() + timedelta(minutes=2)
    assert sending.serve(webhook.pk) == 0
    later(seconds=61)
    assert sending.serve(webhook.pk) == 0
    later(minutes=6)
    assert sending.serve(webhook.pk) == 2
    assert receiver.ids == [f"change-{first}"] * 3 + [f"change-{second}"]
    timestamps = {message.headers["webhook-timestamp"] for message in receiver.messages}
    assert len(timestamps) == 3


def test_after_three_days_it_is_disabled_and_its_user_is_told(
    hook, receiver, later, boss
):
    webhook = hook(models=["Items"])
    event = an_event()
    receiver.answers = [500] * (1 + len(sending.PAUSES))
    for minutes in (0, *sending.PAUSES):
        later(minutes=minutes, seconds=1)
        sending.serve(webhook.pk)
    webhook.refresh_from_db()
    assert not webhook.enabled
    assert "500" in webhook.trouble
    assert 3 * 24 * 60 <= sum(sending.PAUSES) < 4 * 24 * 60
    told = Notification.objects.get(user=boss)
    assert (told.kind, told.subject) == ("WebhookDisabled", receiver.url)
    later(days=30)
    assert sending.send_due(timezone.now()) == 0
    # Nothing is lost: what happened meanwhile is sent when somebody enables it again.
    missed = an_event()
    update_webhook(webhook, {"enabled": True})
    assert sending.serve(webhook.pk) == 2
    assert receiver.ids[-2:] == [f"change-{event}", f"change-{missed}"]


def test_who_is_gone_is_not_asked_again(hook, receiver):
    webhook = hook()
    an_event()
    receiver.answers = [410]
    sending.serve(webhook.pk)
    webhook.refresh_from_db()
    assert not webhook.enabled


def test_redirects_are_not_followed(hook, receiver):
    webhook = hook()
    an_event()
    receiver.answers = [302]
    assert sending.serve(webhook.pk) == 0
    assert "302" in Delivery.objects.get().error


def test_private_addresses_are_refused_unless_allowed(hook, receiver, settings):
    webhook = hook()
    an_event()
    settings.PLATFORM_WEBHOOKS_ALLOW_PRIVATE = False
    assert sending.serve(webhook.pk) == 0
    assert "Webhooks:AllowPrivate" in Delivery.objects.get().error
    assert receiver.messages == []


def test_an_unknown_certificate_is_refused(hook, receiver, monkeypatch):
    webhook = hook()
    an_event()
    monkeypatch.delenv("SSL_CERT_FILE")
    assert sending.serve(webhook.pk) == 0
    assert "certificate of localhost" in Delivery.objects.get().error


def test_a_receiver_that_cannot_be_reached_is_said(hook, certificate, trusted):
    with receiving(certificate) as gone:
        url = gone.url
    webhook = hook(url=url)
    an_event()
    assert sending.serve(webhook.pk) == 0
    assert "localhost can't be reached" in Delivery.objects.get().error


def test_a_receiver_that_says_nothing_is_left(hook, receiver, monkeypatch):
    webhook = hook()
    an_event()
    monkeypatch.setattr(sending, "SECONDS", 0.0)
    assert sending.serve(webhook.pk) == 0
    assert "didn't answer within" in Delivery.objects.get().error


def test_two_processes_never_send_for_the_same_webhook(hook, receiver, later):
    webhook = hook()
    an_event()
    claimed = timezone.now() + timedelta(seconds=50)
    Webhook.objects.update(claimed_until=claimed)
    assert sending.serve(webhook.pk) == 0
    # The other process has died.
    later(seconds=60)
    assert sending.serve(webhook.pk) == 1


def test_a_message_whose_sender_died_comes_again(hook, receiver, later, monkeypatch):
    webhook = hook()
    event = an_event()

    def dies(*args):
        post(*args)
        raise SystemExit

    post = sending._post
    monkeypatch.setattr(sending, "_post", dies)
    with pytest.raises(SystemExit):
        sending.serve(webhook.pk)
    monkeypatch.setattr(sending, "_post", post)
    later(minutes=2)
    assert sending.serve(webhook.pk) == 1
    assert receiver.ids == [f"change-{event}"] * 2


def test_nothing_is_sent_for_a_user_who_may_not_sign_in(hook, receiver, boss):
    webhook = hook()
    an_event()
    boss.is_active = False
    boss.save(update_fields=["is_active"])
    assert not sending.is_due(timezone.now())
    assert sending.serve(webhook.pk) == 0
    assert receiver.messages == []


def test_all_webhooks_have_their_turn(hook, receiver):
    for _number in range(2):
        hook(models=["Items"])
    assert not sending.is_due(timezone.now())
    an_event()
    assert sending.is_due(timezone.now())
    assert sending.send_due(timezone.now()) == 2
    assert not sending.is_due(timezone.now())
