"""Messages arrive signed and in their order, again and again until they are accepted, and
not after that."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from platform_site.notifications.models import Notification
from platform_site.webhooks import outbox, sending
from platform_site.webhooks.models import Delivery, Webhook
from platform_site.webhooks.posting import ReceiverConnection
from platform_site.webhooks.services import update_webhook
from tests.changes.feed_readers import an_event
from tests.webhooks.sender import serve

pytestmark = pytest.mark.django_db


@pytest.fixture
def meanwhile(monkeypatch):
    """Return a function that has something happen once, after a message was sent."""
    post = ReceiverConnection.post

    def happen(what):
        left = [what]

        def posted(self, *given):
            answer = post(self, *given)
            if left:
                left.pop()()
            return answer

        monkeypatch.setattr(ReceiverConnection, "post", posted)

    return happen


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
    assert serve(webhook) == 3
    assert receiver.changes == events
    for message in receiver.messages:
        content = message.verify(webhook.secret)
        assert content == message.content
        assert set(content) == {"type", "timestamp", "data"}
        assert message.headers["content-type"] == "application/json"
    assert serve(webhook) == 0
    assert not Delivery.objects.filter(sent_at=None).exists()


def test_a_changed_message_is_noticed(hook, receiver):
    webhook = hook()
    an_event()
    serve(webhook)
    (message,) = receiver.messages
    forged = message._replace(body=message.body.replace(b"Items", b"Units"))
    with pytest.raises(Exception, match="No matching signature"):
        forged.verify(webhook.secret)


def test_a_refused_message_is_sent_again_before_later_ones(hook, receiver, later):
    webhook = hook()
    first, second = an_event(), an_event()
    receiver.answers = [503, 500]
    assert serve(webhook) == 0
    row = Delivery.objects.order_by("pk").first()
    assert (row.status, row.attempts) == (503, 1)
    assert row.error == "localhost answered 503 Service Unavailable: busy"
    assert timezone.now() < row.due_at < timezone.now() + timedelta(minutes=2)
    assert serve(webhook) == 0
    later(seconds=61)
    assert serve(webhook) == 0
    later(minutes=6)
    assert serve(webhook) == 2
    assert receiver.changes == [first, first, first, second]
    # Each attempt has a time of its own.
    attempts = receiver.messages[:3]
    assert len({message.headers["webhook-timestamp"] for message in attempts}) == 3


def test_after_three_days_it_is_disabled_and_its_user_is_told(
    hook, receiver, later, boss
):
    webhook = hook(models=["Items"])
    event = an_event()
    receiver.answers = [500] * (1 + len(sending.PAUSES))
    for minutes in (0, *sending.PAUSES):
        later(minutes=minutes, seconds=1)
        serve(webhook)
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
    assert serve(webhook) == 2
    assert receiver.changes[-2:] == [event, missed]


def test_who_is_gone_is_not_asked_again(hook, receiver):
    webhook = hook()
    an_event()
    receiver.answers = [410]
    serve(webhook)
    webhook.refresh_from_db()
    assert not webhook.enabled


@pytest.mark.parametrize("change", [{"enabled": False}, {"url": "https://a.example/"}])
def test_what_is_changed_meanwhile_counts_for_the_next_message(
    hook, receiver, meanwhile, change
):
    webhook = hook()
    an_event()
    an_event()
    meanwhile(lambda: Webhook.objects.update(**change))
    assert serve(webhook) == 1
    assert len(receiver.messages) == 1


def test_a_webhook_that_is_deleted_meanwhile_stops_no_other(hook, receiver, meanwhile):
    doomed, other = hook(models=["Items"]), hook(models=["Items"])
    an_event()
    meanwhile(lambda: Webhook.objects.filter(pk=doomed.pk).delete())
    assert sending.send_due(timezone.now()) == 2
    assert Delivery.objects.get().webhook == other


def test_trouble_with_one_webhook_stops_no_other(hook, receiver, monkeypatch):
    broken, _other = hook(models=["Items"]), hook(models=["Items"])
    an_event()
    Webhook.objects.filter(pk=broken.pk).update(secret="whsec_é")
    assert sending.send_due(timezone.now()) == 1


def test_an_attempt_of_a_clock_that_was_ahead_is_made_now(hook, receiver):
    webhook = hook()
    an_event()
    outbox.fill(webhook)
    Delivery.objects.update(due_at=timezone.now() + timedelta(days=400))
    assert sending.is_due(timezone.now())
    assert serve(webhook) == 1


def test_two_processes_never_send_for_the_same_webhook(hook, receiver, later):
    webhook = hook()
    an_event()
    claimed = timezone.now() + timedelta(seconds=50)
    Webhook.objects.update(claimed_until=claimed)
    assert serve(webhook) == 0
    # The other process has died.
    later(seconds=60)
    assert serve(webhook) == 1


def test_a_message_whose_sender_died_comes_again(hook, receiver, later, meanwhile):
    webhook = hook()
    event = an_event()

    def die():
        raise SystemExit

    meanwhile(die)
    with pytest.raises(SystemExit):
        serve(webhook)
    # Nobody has released what the dead process had claimed.
    Webhook.objects.update(claimed_until=timezone.now() + timedelta(seconds=60))
    meanwhile(lambda: None)
    assert serve(webhook) == 0
    later(minutes=2)
    assert serve(webhook) == 1
    assert receiver.changes == [event, event]


def test_nothing_is_sent_for_a_user_who_may_not_sign_in(hook, receiver, boss):
    webhook = hook()
    an_event()
    boss.is_active = False
    boss.save(update_fields=["is_active"])
    assert not sending.is_due(timezone.now())
    assert serve(webhook) == 0
    assert receiver.messages == []


def test_nothing_is_sent_while_webhooks_are_switched_off(hook, receiver, settings):
    webhook = hook()
    an_event()
    settings.PLATFORM_WEBHOOKS_ENABLED = False
    assert not sending.is_due(timezone.now())
    assert serve(webhook) == 0
    settings.PLATFORM_WEBHOOKS_ENABLED = True
    assert serve(webhook) == 1


def test_all_webhooks_have_their_turn(hook, receiver):
    for _number in range(2):
        hook(models=["Items"])
    assert sending.send_due(timezone.now()) == 0
    assert not sending.is_due(timezone.now())
    an_event()
    assert sending.is_due(timezone.now())
    assert sending.send_due(timezone.now()) == 2
    assert not sending.is_due(timezone.now())
