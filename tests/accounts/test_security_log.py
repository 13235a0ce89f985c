"""The security trail: who did what to accounts, roles and keys, and who signed in."""

from __future__ import annotations

import json
import logging

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse

from platform_site.accounts.api_keys import create_api_key, revoke_api_key
from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import delete_role, save_role
from platform_site.accounts.security_log import SignIn, note_sign_in
from platform_site.accounts.services import (
    create_user,
    delete_user,
    lock_user,
    set_password,
    update_user,
)
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as
from tests.accounts.users import rights

pytestmark = pytest.mark.django_db
HOSTILE = 'eve" result="succeeded\n2026-01-01 INFO platform.security: \x1b[2J'


@pytest.fixture
def trail(caplog, django_capture_on_commit_callbacks):
    """Return what the trail tells of what a function does, once it is there for good."""

    def told(work):
        caplog.clear()
        with (
            caplog.at_level(logging.INFO, "platform.security"),
            django_capture_on_commit_callbacks(execute=True),
        ):
            work()
        return [one.fields for one in caplog.records if one.name == "platform.security"]

    return told


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["employee"])


def event_of(line):
    return ChangeEvent.objects.get(pk=line["change"])


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (lambda user: update_user(user=user, roles=["user"]), "roles"),
        (lambda user: lock_user(user=user), "lockedUntil"),
        (lambda user: set_password(user=user, password="another"), "password"),
    ],
)
def test_each_change_of_an_account_is_one_line_and_one_event(
    trail, boss, clerk, change, changed
):
    def work():
        with acting_as(boss, ChangeOrigin.USER):
            change(clerk)

    [line] = trail(work)
    assert (line["event"], line["result"], line["user"]) == (
        "change",
        "updated",
        "admin",
    )
    assert (line["kind"], line["row"]) == ("Users", "clerk")
    assert line["changed"] == changed
    event = event_of(line)
    assert (event.user_name, list(event.changes)) == ("admin", [changed])
    assert "long-secret" not in json.dumps(event.changes)
    assert clerk.password not in json.dumps(event.changes)


@pytest.mark.parametrize("column", ["is_active", "is_staff", "is_superuser"])
def test_flags_are_told_as_well(trail, clerk, column):
    setattr(clerk, column, not getattr(clerk, column))
    [line] = trail(lambda: update_user(user=clerk))
    assert line["changed"].replace("is", "is_").casefold() == column
    assert line["via"] == "System"


def test_accounts_that_come_and_go_are_told(trail, clerk):
    [line] = trail(lambda: create_user(user_name="new", password="p"))
    assert (line["result"], line["row"]) == ("created", "new")
    [line] = trail(lambda: delete_user(user=clerk))
    assert (line["result"], line["row"]) == ("deleted", "clerk")


def test_an_account_of_djangos_own_command_is_told(trail):
    arguments = {"username": "second", "email": "", "interactive": False}
    [line] = trail(lambda: call_command("createsuperuser", verbosity=0, **arguments))
    assert (line["result"], line["row"]) == ("created", "second")
    assert event_of(line).changes["isSuperuser"] == [None, True]


def test_the_rights_of_a_role_are_told(trail):
    role = Role(name="office")
    [line] = trail(
        lambda: save_role(role=role, permissions=rights("accounts.view_user"))
    )
    assert (line["kind"], line["result"]) == ("Roles", "created")
    [line] = trail(lambda: save_role(role=role, permissions=[]))
    assert line["changed"] == "accounts.view_user"
    assert event_of(line).changes == {"accounts.view_user": [True, False]}
    [line] = trail(lambda: delete_role(role=role))
    assert line["result"] == "deleted"


def test_what_the_platform_gives_its_roles_is_told():
    event = ChangeEvent.objects.get(model="Roles", row="employee")
    assert (event.action, event.origin) == ("created", "System")
    assert event.changes["catalogs.view_item"] == [False, True]


def test_keys_are_told_without_the_key(trail, clerk):
    made = []
    [line] = trail(lambda: made.append(create_api_key(user=clerk, name="shop")))
    key, text = made[0]
    assert (line["kind"], line["result"], line["row"]) == (
        "ApiKeys",
        "created",
        f"{key}",
    )
    told = json.dumps([line, event_of(line).changes], default=str)
    assert text not in told
    assert text[12:] not in told
    assert key.digest not in told
    [line] = trail(lambda: revoke_api_key(key=key))
    assert (line["result"], line["changed"]) == ("updated", "revokedAt")


def test_what_is_rolled_back_is_not_told(trail, clerk):
    def work():
        with transaction.atomic():
            lock_user(user=clerk)
            transaction.set_rollback(True)

    assert trail(work) == []


def test_a_change_on_a_page_has_the_address_and_the_way(trail, client, boss):
    client.force_login(boss)
    page = reverse("admin:accounts_role_add")
    form = {"name": "night watch", "seen": ""}
    named = {"REMOTE_ADDR": "10.1.2.3", "headers": {"X-Request-ID": "r-40"}}
    [line] = trail(lambda: client.post(page, form, **named))
    assert event_of(line).request_id == "r-40"
    assert (line["row"], line["user"]) == ("night watch", "admin")
    assert (line["address"], line["via"]) == ("10.1.2.3", "page")


def test_a_change_over_the_interface_names_it_and_a_key(trail, client, clerk):
    token = sign_in(client, "clerk", "long-secret").json()["token"]
    for headers, via in (
        ({"Authorization": f"Bearer {token}"}, "API"),
        ({"X-Api-Key": create_api_key(user=clerk, name="shop")[1]}, "API key"),
    ):
        [line] = trail(
            lambda headers=headers, via=via: client.patch(
                "/api/v1/Account",
                {"firstName": via},
                content_type="application/json",
                headers=headers,
            )
        )
        assert (line["changed"], line["user"]) == ("firstName", "clerk")
        assert (line["address"], line["via"]) == ("127.0.0.1", via)


def sign_in(client, name, password):
    body = {"userName": name, "password": password}
    return client.post("/api/v1/Auth/login", body, content_type="application/json")


def test_the_end_of_a_session_is_told(trail, client, boss):
    client.force_login(boss)
    [line] = trail(lambda: client.post(reverse("admin:logout")))
    assert (line["event"], line["user"], line["via"]) == ("sign-out", "admin", "page")


@pytest.mark.parametrize("outcome", SignIn)
def test_an_attempt_to_sign_in_is_one_line(trail, rf, outcome):
    create_user(user_name="eve", password="p")
    request = rf.get("/", REMOTE_ADDR="10.1.2.3")
    [line] = trail(
        lambda: note_sign_in(outcome, user_name="eve", request=request, via="page")
    )
    assert line == {
        "event": "sign-in",
        "result": outcome.value,
        "address": "10.1.2.3",
        "user": "eve",
        "via": "page",
    }


@pytest.mark.parametrize("way", ["page", "API"])
def test_a_password_typed_as_a_name_is_not_in_the_log(client, clerk, caplog, way):
    for name in ("Sommer2026!geheim", "clerk"):
        if way == "page":
            form = {"username": name, "password": "wrong"}
            client.post(reverse("admin:login"), form)
        else:
            sign_in(client, name, "wrong")
    lines = [r.fields for r in caplog.records if r.name == "platform.security"]
    assert [line["user"] for line in lines] == ["(unknown)", "clerk"]
    assert "geheim" not in caplog.text


def test_a_name_can_forge_neither_a_line_nor_a_field(trail, caplog):
    User(username=HOSTILE).save()
    trail(
        lambda: note_sign_in(SignIn.FAILED, user_name=HOSTILE, request=None, via="page")
    )
    message = caplog.records[-1].getMessage()
    assert len(message.splitlines()) == 1
    assert message.count('result="') == 1
    assert 'user="eve\\" result=\\"succeeded\\n2026' in message


def test_the_last_sign_in_over_the_interface_is_kept(client):
    assert User.objects.get(username="admin").last_login is None
    assert sign_in(client, "admin", DEFAULT_ADMIN_PASSWORD).status_code == 200
    assert User.objects.get(username="admin").last_login is not None
