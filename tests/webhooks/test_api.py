"""Webhooks over HTTP: a secret is shown once, and nobody is told more than they may see."""

from __future__ import annotations

import pytest

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User
from platform_site.changes.models import ChangeEvent
from platform_site.webhooks.models import Delivery, EventType, Webhook
from platform_site.webhooks.sending import serve
from tests.accounts.users import rights
from tests.changes.feed_readers import an_event
from tests.site.api.callers import Caller, a_user, with_token

pytestmark = pytest.mark.django_db
CHANGED, POSTED, RUN, JOB = EventType.values
URL = "https://shop.example/events"


def test_the_secret_of_a_webhook_is_shown_once(admin):
    made = admin.made("/Webhooks", url=URL, events=[CHANGED], models=["Items"])
    assert made["secret"].startswith("whsec_")
    assert (made["enabled"], made["userName"], made["waiting"]) == (True, "admin", 0)
    row = admin.get(f"/Webhooks/{made['id']}").json()
    assert row == {name: made[name] for name in made if name != "secret"}
    assert admin.get("/Webhooks").json()["results"] == [row]
    assert made["secret"] not in admin.get("/Changes?model=Webhooks").content.decode()


def test_a_webhook_is_changed_and_deleted(admin):
    made = admin.made("/Webhooks", url=URL, events=[CHANGED])
    path = f"/Webhooks/{made['id']}"
    row = admin.patch(path, {"events": [RUN, JOB], "enabled": False}).json()
    assert (row["events"], row["enabled"], row["url"]) == ([RUN, JOB], False, URL)
    assert admin.get("/Webhooks?enabled=true").json()["count"] == 0
    assert admin.delete(path).status_code == 204
    assert admin.get(path).status_code == 404
    events = ChangeEvent.objects.filter(model="Webhooks").order_by("pk")
    assert [event.action for event in events] == ["created", "updated", "deleted"]
    assert events[1].changes == {
        "events": [[CHANGED], [RUN, JOB]],
        "enabled": [True, False],
    }


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"url": "http://shop.example/"}, "url"),
        ({"url": "https://user:password@shop.example/"}, "url"),
        ({"url": "https:///events"}, "url"),
        ({"url": ""}, "url"),
        ({"url": "https://shop.example/" + 500 * "a"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["row.changed"]}, "events[0]"),
        ({"events": CHANGED}, "events"),
        ({"models": ["Things"]}, "models"),
        ({"enabled": "yes"}, "enabled"),
        ({"secret": "whsec_eA=="}, "secret"),
    ],
)
def test_what_is_wrong_is_refused_by_its_property(admin, given, named):
    answer = admin.post("/Webhooks", {"url": URL, "events": [CHANGED]} | given)
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [named]
    made = admin.made("/Webhooks", url=URL, events=[CHANGED])
    answer = admin.patch(f"/Webhooks/{made['id']}", given)
    assert list(answer.json()["errors"]) == [named]


def test_a_misspelled_kind_of_rows_is_suggested(admin):
    given = {"url": URL, "events": [CHANGED], "models": ["Item"]}
    (sentence,) = admin.post("/Webhooks", given).json()["errors"]["models"]
    assert sentence.startswith("There are no rows Item. Did you mean")
    assert "Items" in sentence


def test_nobody_else_sees_webhooks(admin, reader):
    made = admin.made("/Webhooks", url=URL, events=[CHANGED])
    path = f"/Webhooks/{made['id']}"
    for answer in (
        reader.get("/Webhooks"),
        reader.get(path),
        reader.post("/Webhooks", {"url": URL, "events": [CHANGED]}),
        reader.patch(path, {"enabled": False}),
        reader.delete(path),
        reader.get(f"{path}/Deliveries"),
        reader.post(f"{path}/Deliveries/1/retry"),
    ):
        assert answer.status_code == 403
    assert Caller().get("/Webhooks").status_code == 401


@pytest.fixture
def clerk(db):
    user = a_user("clara")
    verbs = ("view", "add", "change", "delete")
    user.user_permissions.add(*rights(*(f"webhooks.{verb}_webhook" for verb in verbs)))
    return with_token("clara")


def test_nobody_is_told_what_they_may_not_see(clerk):
    answer = clerk.post("/Webhooks", {"url": URL, "events": [CHANGED, RUN, JOB]})
    (sentence,) = answer.json()["errors"]["events"]
    assert sentence == f"“clara” may not see the events {RUN}, {JOB}."
    assert clerk.made("/Webhooks", url=URL, events=[CHANGED])["userName"] == "clara"


def test_nobody_turns_the_webhook_of_an_administrator_to_themselves(admin, clerk):
    made = admin.made("/Webhooks", url=URL, events=[CHANGED])
    path = f"/Webhooks/{made['id']}"
    answer = clerk.patch(path, {"url": "https://elsewhere.example/"})
    assert answer.status_code == 403
    assert clerk.delete(path).status_code == 403
    assert Webhook.objects.get().url == URL


def test_a_key_with_scopes_makes_no_webhook_that_is_told_more(admin):
    user = User.objects.get(username="admin")
    _row, text = create_api_key(user=user, name="few", scopes=["write", "Items"])
    few = Caller(**{"X-Api-Key": text})
    answer = few.post("/Webhooks", {"url": URL, "events": [CHANGED]})
    assert answer.status_code == 403


def test_deliveries_are_listed_and_sent_again(admin, hook, receiver):
    webhook = hook(models=["Items"])
    first, second = an_event(), an_event()
    path = f"/Webhooks/{webhook.pk}/Deliveries"
    receiver.answers = [200, 500]
    serve(webhook.pk)
    newest, oldest = admin.get(path).json()["results"]
    assert oldest["messageId"].startswith(f"change-{first}-")
    assert (oldest["state"], oldest["status"]) == ("sent", 200)
    assert oldest["nextAttemptAt"] is None
    assert (newest["state"], newest["status"]) == ("waiting", 500)
    assert newest["error"] == "localhost answered 500 Internal Server Error: busy"
    (waits,) = admin.get(f"{path}?state=waiting").json()["results"]
    assert waits == newest
    assert admin.get(f"{path}?state=sent&type={RUN}").json()["count"] == 0
    assert admin.get(f"/Webhooks/{webhook.pk}").json()["waiting"] == 1
    for row in (newest, oldest):
        again = admin.post(f"{path}/{row['id']}/retry").json()
        assert (again["state"], again["attempts"]) == ("waiting", 0)
    assert serve(webhook.pk).sent == 2
    assert receiver.changes == [first, second, first, second]
    assert Delivery.objects.filter(sent_at=None).count() == 0


def test_messages_are_for_those_who_may_see_what_is_in_them(admin):
    made = admin.made("/Webhooks", url=URL, events=[CHANGED])
    a_user("vera").user_permissions.add(
        *rights("webhooks.view_webhook", "webhooks.view_delivery")
    )
    vera = with_token("vera")
    assert vera.get(f"/Webhooks/{made['id']}").status_code == 200
    assert vera.get(f"/Webhooks/{made['id']}/Deliveries").status_code == 403


def test_what_there_is_not_is_said(admin, hook, receiver):
    webhook = hook()
    assert admin.get("/Webhooks/99/Deliveries").status_code == 404
    path = f"/Webhooks/{webhook.pk}/Deliveries"
    for number in (99, 10**20):
        assert admin.post(f"{path}/{number}/retry").status_code == 404
        answer = admin.post(f"/Webhooks/{number}/Deliveries/1/retry")
        assert answer.status_code == 404
    assert admin.get(f"{path}?state=lost").status_code == 400
