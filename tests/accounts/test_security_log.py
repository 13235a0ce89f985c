"""The security log: changes of accounts, roles and keys, and sign-ins."""

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
def logged(caplog, django_capture_on_commit_callbacks):
    """Return the security log of a function, after its transaction is committed."""

    def fields_of(work):
        caplog.clear()
        with (
            caplog.at_level(logging.INFO, "platform.security"),
            django_capture_on_commit_callbacks(execute=True),
        ):
            work()
        return [one.fields for one in caplog.records if one.name == "platform.security"]

    return fields_of


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["employee"])


def event_of(line):
    return ChangeEvent.objects.get(pk=line["change"])


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        # Access to the pages follows from the roles.
        (lambda user: update_user(user=user, roles=["user"]), "isStaff, roles"),
        (lambda user: lock_user(user=user), "lockedUntil"),
        (lambda user: set_password(user=user, password="another"), "password"),
    ],
)
def test_each_change_of_an_account_is_one_line_and_one_event(
    logged, boss, clerk, change, changed
):
    def work():
        with acting_as(boss, ChangeOrigin.USER):
            change(clerk)

    [line] = logged(work)
    assert (line["event"], line["result"], line["user"]) == (
        "change",
        "updated",
        "admin",
    )
    assert (line["kind"], line["row"]) == ("Users", "clerk")
    assert line["changed"] == changed
    event = event_of(line)
    assert (event.user_name, ", ".join(sorted(event.changes))) == ("admin", changed)
    assert "long-secret" not in json.dumps(event.changes)
    assert clerk.password not in json.dumps(event.changes)


@pytest.mark.parametrize("column", ["is_active", "is_staff", "is_superuser"])
def test_changed_flags_are_logged(logged, clerk, column):
    setattr(clerk, column, not getattr(clerk, column))
    [line] = logged(lambda: update_user(user=clerk))
    assert line["changed"].replace("is", "is_").casefold() == column
    assert line["via"] == "System"


def test_created_and_deleted_accounts_are_logged(logged, clerk):
    [line] = logged(lambda: create_user(user_name="new", password="p"))
    assert (line["result"], line["row"]) == ("created", "new")
    [line] = logged(lambda: delete_user(user=clerk))
    assert (line["result"], line["row"]) == ("deleted", "clerk")


def test_an_account_created_by_djangos_command_is_logged(logged):
    arguments = {"username": "second", "email": "", "interactive": False}
    [line] = logged(lambda: call_command("createsuperuser", verbosity=0, **arguments))
    assert (line["result"], line["row"]) == ("created", "second")
    assert event_of(line).changes["isSuperuser"] == [None, True]


def test_changed_rights_of_a_role_are_logged(logged):
    role = Role(name="office")
    [line] = logged(
        lambda: save_role(role=role, permissions=rights("accounts.view_user"))
    )
    assert (line["kind"], line["result"]) == ("Roles", "created")
    [line] = logged(lambda: save_role(role=role, permissions=[]))
    assert line["changed"] == "accounts.view_user"
    assert event_of(line).changes == {"accounts.view_user": [True, False]}
    [line] = logged(lambda: delete_role(role=role))
    assert line["result"] == "deleted"


def test_rights_given_by_seeding_are_logged():
    event = ChangeEvent.objects.get(model="Roles", row="employee")
    assert (event.action, event.origin) == ("created", "System")
    assert event.changes["catalogs.view_item"] == [False, True]


def test_keys_are_logged_without_the_secret(logged, clerk):
    made = []
    [line] = logged(lambda: made.append(create_api_key(user=clerk, name="shop")))
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
    [line] = logged(lambda: revoke_api_key(key=key))
    assert (line["result"], line["changed"]) == ("updated", "revokedAt")


def test_rolled_back_changes_are_not_logged(logged, clerk):
    def work():
        with transaction.atomic():
            lock_user(user=clerk)
            transaction.set_rollback(True)

    assert logged(work) == []


def test_a_change_on_a_page_is_logged_with_address_and_via(logged, client, boss):
    client.force_login(boss)
    page = reverse("admin:accounts_role_add")
    form = {"name": "night watch", "seen": ""}
    named = {"REMOTE_ADDR": "10.1.2.3", "headers": {"X-Request-ID": "r-40"}}
    [line] = logged(lambda: client.post(page, form, **named))
    assert event_of(line).request_id == "r-40"
    assert (line["row"], line["user"]) == ("night watch", "admin")
    assert (line["address"], line["via"]) == ("10.1.2.3", "page")


def test_a_change_over_the_api_is_logged_with_api_or_key(logged, client, clerk):
    token = sign_in(client, "clerk", "long-secret").json()["token"]
    for headers, via in (
        ({"Authorization": f"Bearer {token}"}, "API"),
        ({"X-Api-Key": create_api_key(user=clerk, name="shop")[1]}, "API key"),
    ):
        [line] = logged(
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


def test_the_end_of_a_session_is_logged(logged, client, boss):
    client.force_login(boss)
    [line] = logged(lambda: client.post(reverse("admin:logout")))
    assert (line["event"], line["user"], line["via"]) == ("sign-out", "admin", "page")


@pytest.mark.parametrize("outcome", SignIn)
def test_an_attempt_to_sign_in_is_one_line(logged, rf, outcome):
    create_user(user_name="eve", password="p")
    request = rf.get("/", REMOTE_ADDR="10.1.2.3")
    [line] = logged(
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


def test_a_name_cannot_forge_a_line_or_field(logged, caplog):
    User(username=HOSTILE).save()
    logged(
        lambda: note_sign_in(SignIn.FAILED, user_name=HOSTILE, request=None, via="page")
    )
    message = caplog.records[-1].getMessage()
    assert len(message.splitlines()) == 1
    assert message.count('result="') == 1
    assert 'user="eve\\" result=\\"succeeded\\n2026' in message


def test_the_last_sign_in_over_the_api_is_stored(client):
    assert User.objects.get(username="admin").last_login is None
    assert sign_in(client, "admin", DEFAULT_ADMIN_PASSWORD).status_code == 200
    assert User.objects.get(username="admin").last_login is not None
