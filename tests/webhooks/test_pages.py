"""The pages of webhooks: made, changed, looked after."""

from __future__ import annotations

import re

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.webhooks.models import Delivery, EventType, Webhook
from platform_site.webhooks.sending import serve
from tests.accounts.users import rights
from tests.changes.feed_readers import an_event

pytestmark = pytest.mark.django_db
LIST, DELIVERIES = "/admin/webhooks/webhook/", "/admin/webhooks/delivery/"
URL = "https://shop.example/events"
FORM = {"url": URL, "events": [EventType.RECORD_CHANGED.value], "enabled": "on"}


@pytest.fixture
def page(client):
    client.force_login(User.objects.get(username="admin"))
    return client


def test_a_new_webhook_shows_its_secret_once(page):
    empty = page.get(LIST).content.decode()
    assert "tells another program at once" in empty
    text = page.post(f"{LIST}add/", {**FORM, "kinds": ["Items"]}).content.decode()
    webhook = Webhook.objects.get()
    assert (webhook.kinds, webhook.user.username) == (["Items"], "admin")
    assert re.search(r'value="(whsec_[^"]+)"', text)[1] == webhook.secret
    for path in (LIST, f"{LIST}{webhook.pk}/change/", f"{LIST}{webhook.pk}/history/"):
        shown = page.get(path)
        assert shown.status_code == 200
        assert webhook.secret not in shown.content.decode()


def test_a_webhook_is_changed_and_deleted(page, boss, hook, receiver):
    webhook = hook()
    path = f"{LIST}{webhook.pk}/"
    form = {**FORM, "events": [EventType.JOB_FAILED.value]}
    answer = page.post(f"{path}change/", form, follow=True)
    assert "was changed successfully" in answer.content.decode()
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events) == (URL, ["job.failed"])
    page.post(f"{path}delete/", {"post": "yes"})
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"url": "http://shop.example/"}, "must begin with https://"),
        ({"events": []}, "This field is required"),
        ({"kinds": ["Things"]}, "Things is not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(page, given, sentence):
    answer = page.post(f"{LIST}add/", {**FORM, **given})
    assert sentence in answer.content.decode()
    assert not Webhook.objects.exists()


def test_deliveries_are_shown_and_sent_again(page, hook, receiver):
    webhook = hook(models=["Items"])
    an_event()
    receiver.answers = [500]
    serve(webhook.pk)
    assert "state=waiting" in page.get(LIST).content.decode()
    text = page.get(DELIVERIES).content.decode()
    assert "500 Internal Server Error" in text
    row = Delivery.objects.get()
    assert page.get(f"{DELIVERIES}{row.pk}/change/").status_code == 200
    for query, count in (("waiting", 1), ("sent", 0)):
        found = page.get(f"{DELIVERIES}?state={query}")
        assert found.context["cl"].result_count == count
    chosen = {"action": "send_again", "_selected_action": [row.pk]}
    one = page.get(f"{DELIVERIES}?webhook__id__exact={webhook.pk + 1}")
    assert one.context["cl"].result_count == 0
    answer = page.post(DELIVERIES, chosen, follow=True)
    assert "1 delivery is sent again" in answer.content.decode()
    assert serve(webhook.pk).sent == 1
    assert len(receiver.messages) == 2


def test_a_kind_that_no_longer_exists_stays_chosen(page, hook, receiver):
    webhook = hook(models=["Items"])
    Webhook.objects.update(kinds=["Things"])
    path = f"{LIST}{webhook.pk}/change/"
    assert "Things (no longer exists)" in page.get(path).content.decode()
    page.post(path, {**FORM, "kinds": ["Things"]})
    webhook.refresh_from_db()
    assert (webhook.url, webhook.kinds) == (URL, ["Things"])


def test_messages_are_for_those_who_may_see_what_is_in_them(client, hook, receiver):
    webhook = hook(models=["Items"])
    an_event()
    serve(webhook.pk)
    vera = create_user(user_name="vera", password="a long pass phrase", is_staff=True)
    vera.user_permissions.add(*rights("webhooks.view_delivery"))
    client.force_login(User.objects.get(pk=vera.pk))
    assert client.get(DELIVERIES).context["cl"].result_count == 0
