"""API keys: created by the command and on the page, shown once, and valid until they
expire or are revoked."""

from __future__ import annotations

import io
import re
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from platform_site.accounts.api_keys import (
    create_api_key,
    recognised,
    revoke_api_key,
)
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.services import create_user, delete_user
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db

FORM = "/admin/accounts/apikey/add/"


@pytest.fixture
def owner():
    return create_user(user_name="emma", password="a long pass phrase")


@pytest.fixture
def boss(client):
    client.force_login(User.objects.get(username="admin"))
    return client


def command(*arguments):
    out = io.StringIO()
    call_command("create_api_key", *arguments, stdout=out)
    return out.getvalue()


def test_a_key_is_recognised_and_stored_as_a_digest_only(owner):
    """OPEN-61."""
    row, text = create_api_key(user=owner, name="shop")
    assert re.fullmatch(r"pk_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", text)
    assert recognised(text) == row
    stored = " ".join(str(v) for v in ApiKey.objects.values_list()[0])
    assert text.split("_", 2)[2] not in stored


def test_the_use_of_a_key_is_stored_once_a_minute(owner):
    _row, text = create_api_key(user=owner, name="shop")
    recognised(text)
    first = ApiKey.objects.get().last_used_at
    recognised(text)
    assert ApiKey.objects.get().last_used_at == first is not None


def test_a_key_ends_when_it_expires_or_is_revoked(owner):
    _row, text = create_api_key(
        user=owner, name="a", expires_at=timezone.now() + timedelta(days=1)
    )
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert recognised(text) is None
    other, text = create_api_key(user=owner, name="b")
    revoke_api_key(key=other)
    revoke_api_key(key=other)
    assert recognised(text) is None
    actions = ChangeEvent.objects.filter(model="ApiKeys", row_id=other.pk)
    assert sorted(event.action for event in actions) == ["created", "updated"]


@pytest.mark.parametrize("wrong", ["", "pk_", "x" * 60, "pk_00000000_" + "x" * 43])
def test_an_invalid_key_is_not_accepted(wrong):
    assert recognised(wrong) is None


def test_the_scheduler_has_no_keys():
    scheduler = User.objects.get(username="jobs-scheduler")
    with pytest.raises(ValidationError):
        create_api_key(user=scheduler, name="x")


def test_the_command_prints_a_key(owner):
    text = command("emma", "--expires", "30").strip()
    assert recognised(text).user == owner
    left = ApiKey.objects.get().expires_at - timezone.now()
    assert timedelta(days=29) < left <= timedelta(days=30)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "no user"),
        (["emma", "--expires", "0"], "days"),
        (["emma", "--expires", "999999999999"], "days"),
        (["jobs-scheduler"], "can't have API keys"),
        (["emma", "--name", "x" * 200], "100"),
    ],
)
def test_the_command_reports_wrong_arguments(owner, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        command(*arguments)


def test_the_page_shows_a_new_key_once(boss, owner):
    """OPEN-61."""
    body = {"user": owner.pk, "name": "shop", "expires_at_0": "", "expires_at_1": ""}
    answer = boss.post(FORM, body)
    assert answer.status_code == 200
    text = re.search(r"pk_[0-9a-f]{8}_[\w-]{43}", answer.content.decode())[0]
    assert recognised(text).user == owner
    assert "no-store" in answer["Cache-Control"]
    listed = boss.get("/admin/accounts/apikey/")
    assert text not in listed.content.decode()
    page = boss.get(f"/admin/accounts/apikey/{ApiKey.objects.get().pk}/change/")
    assert page.status_code == 200
    assert ChangeEvent.objects.filter(model="ApiKeys").count() == 1


def test_the_page_refuses_an_expiry_time_in_the_past(boss, owner):
    body = {
        "user": owner.pk,
        "name": "shop",
        "expires_at_0": "2020-01-01",
        "expires_at_1": "00:00",
    }
    answer = boss.post(FORM, body)
    assert "in the past" in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_the_page_revokes_and_deletes_keys(boss, owner):
    row, text = create_api_key(user=owner, name="shop")
    chosen = {"_selected_action": [row.pk], "action": "revoke"}
    boss.post("/admin/accounts/apikey/", chosen)
    assert recognised(text) is None
    delete = f"/admin/accounts/apikey/{row.pk}/delete/"
    assert f"Delete the API key “{row}”?" in boss.get(delete).content.decode()
    boss.post(delete, {"post": "yes"})
    assert not ApiKey.objects.exists()
    actions = ChangeEvent.objects.filter(model="ApiKeys").values_list("action")
    assert sorted(actions) == [("created",), ("deleted",), ("updated",)]


def test_deleting_a_user_deletes_the_keys_with_an_event_for_each(owner):
    keys = [create_api_key(user=owner, name=name)[0] for name in ("shop", "till")]
    delete_user(user=owner)
    gone = ChangeEvent.objects.filter(model="ApiKeys", action="deleted")
    assert {event.row for event in gone} == {str(key) for key in keys}


def test_the_list_of_keys_can_be_filtered_by_state(boss, owner):
    ended = timezone.now() - timedelta(seconds=1)
    for name in ("good", "expired", "revoked"):
        key, _text = create_api_key(user=owner, name=name)
        if name == "expired":
            ApiKey.objects.filter(pk=key.pk).update(expires_at=ended)
        if name == "revoked":
            revoke_api_key(key=key)
    url = reverse("admin:accounts_apikey_changelist")

    def shown(**choice):
        return {key.name for key in boss.get(url, choice).context["cl"].result_list}

    assert shown() == {"good", "expired", "revoked"}
    for state in ("good", "expired", "revoked"):
        assert shown(state=state) == {state}
