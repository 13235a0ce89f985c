"""What webhooks are told of: what their users may see, once, in the order of what
happened."""

from __future__ import annotations

import datetime
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.utils import timezone

from importer.services import ImportOptions, import_package
from platform_site.accounts.models import User
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.services import create_user, delete_user
from platform_site.changes.services import ChangeEvent, record_change
from platform_site.scheduling.models import Job, JobExecution
from platform_site.webhooks import outbox
from platform_site.webhooks.models import Delivery, EventType, Webhook
from platform_site.webhooks.of_users import silent_webhooks
from platform_site.webhooks.services import retry, update_webhook
from tests.builders import stream, units
from tests.changes.feed_readers import an_event
from tests.site.api.callers import with_token

pytestmark = pytest.mark.django_db
CHANGED, POSTED, RUN, JOB = EventType.values


def told(webhook):
    """Write what is new, and return it."""
    before = set(Delivery.objects.values_list("pk", flat=True))
    outbox.fill(Webhook.objects.select_related("user").get(pk=webhook.pk))
    new = Delivery.objects.exclude(pk__in=before).order_by("pk")
    return [json.loads(one.body) for one in new.filter(webhook=webhook)]


def test_a_change_is_told_as_the_feed_has_it(hook):
    an_event("before")
    webhook = hook()
    event = an_event()
    (found,) = told(webhook)
    assert found["type"] == CHANGED
    answer = with_token("admin", DEFAULT_ADMIN_PASSWORD).get(
        f"/Changes?after={event - 1}"
    )
    assert found["data"] == answer.json()["results"][0]
    assert found["timestamp"] == found["data"]["at"]
    assert told(webhook) == []


def test_only_the_chosen_kinds_are_told(hook):
    webhook = hook(models=["Currencies"])
    an_event()
    assert told(webhook) == []
    record_change(
        action="created", model="Currencies", row_id=1, row="EUR Euro", changes={}
    )
    (found,) = told(webhook)
    assert found["data"]["model"] == "Currencies"


def test_only_what_the_user_may_view_is_told(hook):
    clerk = create_user(user_name="clerk", password="a long pass phrase")
    view = Permission.objects.get(codename="view_item")
    clerk.user_permissions.add(view)
    webhook = hook(user=User.objects.get(pk=clerk.pk))
    an_event()
    record_change(
        action="created", model="Currencies", row_id=1, row="EUR Euro", changes={}
    )
    (found,) = told(webhook)
    assert found["data"]["model"] == "Items"
    clerk.user_permissions.clear()
    an_event()
    assert told(webhook) == []


@pytest.mark.parametrize(
    ("action", "changes", "is_told"),
    [
        (ChangeEvent.Action.POSTED, {}, True),
        (ChangeEvent.Action.CREATED, {"isActive": [None, True]}, True),
        (ChangeEvent.Action.UPDATED, {"isActive": [False, True], "code": [1, 2]}, True),
        (ChangeEvent.Action.UPDATED, {"code": ["a", "b"]}, False),
        (ChangeEvent.Action.UNPOSTED, {"isActive": [True, False]}, False),
    ],
)
def test_a_posted_document_is_told(hook, action, changes, is_told):
    webhook = hook(POSTED)
    record_change(
        action=action, model="SalesOrders", row_id=1, row="SO-1", changes=changes
    )
    assert [found["type"] for found in told(webhook)] == [POSTED] * is_told


def test_an_import_is_told_after_its_changes(hook, boss):
    webhook = hook(CHANGED, RUN)
    report = import_package(stream(units("a", "b")), ImportOptions(), user=boss)
    found = told(webhook)
    assert [each["type"] for each in found[-3:]] == [CHANGED, CHANGED, RUN]
    run = found[-1]["data"]
    assert (run["runId"], run["status"]) == (str(report.run_id), "Completed")
    assert run["counts"]["Inserted"] == 2
    assert "report" not in run
    assert told(webhook) == []


def test_an_import_is_told_after_all_of_many_changes(hook, boss, monkeypatch):
    monkeypatch.setattr(outbox, "MOST_WAITING", 3)
    webhook = hook(CHANGED, RUN)
    codes = [f"u{number}" for number in range(10)]
    import_package(stream(units(*codes)), ImportOptions(), user=boss)
    found = []
    for _turn in range(8):
        found += told(webhook)
        Delivery.objects.update(sent_at=timezone.now(), due_at=None)
        webhook.refresh_from_db()
    assert [each["type"] for each in found] == [CHANGED] * 10 + [RUN]


def test_who_begins_to_follow_changes_is_told_of_none_before(hook):
    webhook = hook(RUN)
    an_event("before")
    told(webhook)
    webhook = update_webhook(webhook, {"events": [CHANGED], "models": ["Items"]})
    event = an_event()
    assert [each["data"]["id"] for each in told(webhook)] == [event]


def test_a_webhook_can_be_disabled_whatever_it_names(hook):
    webhook = hook(models=["Items"])
    type(webhook).objects.update(kinds=["Things"], events=["thing.changed"])
    webhook.refresh_from_db()
    assert not update_webhook(webhook, {"enabled": False}).enabled
    with pytest.raises(ValidationError):
        update_webhook(webhook, {"models": ["Things", "Items"]})


def test_webhooks_end_with_their_user_and_are_in_the_history(hook):
    clerk = create_user(user_name="clerk", password="a long pass phrase")
    hook(user=clerk)
    assert list(silent_webhooks([clerk])) == []
    clerk.is_active = False
    (sentence,) = silent_webhooks([clerk])
    assert "“clerk” is inactive" in sentence
    delete_user(user=clerk)
    last = ChangeEvent.objects.filter(model="Webhooks").order_by("-pk").first()
    assert last.action == "deleted"


def test_a_dry_run_is_not_told(hook, boss):
    webhook = hook(RUN)
    import_package(stream(units("a")), ImportOptions(dry_run=True), user=boss)
    assert told(webhook) == []


def test_a_failed_job_is_told(hook):
    webhook = hook(JOB)
    job = Job.objects.create(
        name="Nightly", processor="RecalculateCosts", cron="0 2 * * *"
    )
    now = timezone.now()
    values = {"job": job, "processor": job.processor, "due_at": now}
    JobExecution.objects.create(**values, status="Completed", finished_at=now)
    failed = JobExecution.objects.create(
        **values, status="Failed", finished_at=now, message="No stock."
    )
    (found,) = told(webhook)
    assert (found["data"]["id"], found["data"]["jobName"]) == (failed.pk, "Nightly")
    assert found["data"]["message"] == "No stock."
    assert told(webhook) == []


def test_a_run_that_was_written_late_is_told_all_the_same(hook, boss):
    webhook = hook(RUN)
    told(webhook)
    import_package(stream(units("a")), ImportOptions(), user=boss)
    webhook.refresh_from_db()
    webhook.seen_at = timezone.now() + timedelta(minutes=5)
    webhook.save()
    assert len(told(webhook)) == 1


def test_few_are_written_ahead_of_what_is_sent(hook, monkeypatch):
    monkeypatch.setattr(outbox, "MOST_WAITING", 3)
    webhook = hook()
    events = [an_event() for _number in range(5)]
    assert len(told(webhook)) == 3
    assert told(webhook) == []
    Delivery.objects.update(sent_at=timezone.now(), due_at=None)
    told(webhook)
    keys = Delivery.objects.order_by("pk").values_list("key", flat=True)
    assert [int(key.split("-")[1]) for key in keys] == events


def test_what_was_sent_is_deleted_after_some_time(hook, monkeypatch):
    monkeypatch.setattr(outbox, "MOST_KEPT", 2)
    webhook = hook()
    events = [an_event() for _number in range(5)]
    told(webhook)
    rows = Delivery.objects.order_by("pk")
    rows.update(sent_at=timezone.now(), due_at=None)
    waits = rows.last()
    retry(waits)
    outbox.delete_old()
    left = [int(row.key.split("-")[1]) for row in rows.all()]
    assert left == events[2:]
    rows.update(sent_at=timezone.now() - datetime.timedelta(days=8))
    outbox.delete_old()
    assert not rows.all().exists()
