"""The account of an administrator, its key, its role and its job: what changes them,
in every way, by everybody. Only administrators may; there is no other way."""

from __future__ import annotations

import pytest

from importer import registry
from platform_site.settings.apps import added_labels
from tests.authorization.identities import IDENTITIES
from tests.authorization.test_api import operations

pytestmark = pytest.mark.django_db
_PASSWORD = "another long phrase"
# What is sent to which page; `{...}` are the keys of the rows of the victim.
OPERATIONS = {
    "lock": ("user/", {"action": "lock", "_selected_action": "{user}"}),
    "delete": (
        "user/",
        {"action": "delete_selected", "_selected_action": "{user}", "post": "yes"},
    ),
    "delete on its page": ("user/{user}/delete/", {"post": "yes"}),
    "rename and deactivate": (
        "user/{user}/change/",
        {"username": "renamed", "sign_in": "disabled"},
    ),
    "set the password": (
        "user/{user}/password/",
        {"password1": _PASSWORD, "password2": _PASSWORD, "usable_password": "true"},
    ),
    "make a key": ("apikey/add/", {"user": "{user}", "name": "mine now"}),
    "revoke the key": ("apikey/", {"action": "revoke", "_selected_action": "{apikey}"}),
    "delete the key": (
        "apikey/",
        {"action": "delete_selected", "_selected_action": "{apikey}", "post": "yes"},
    ),
    "take every right of the role": ("role/{role}/change/", {"name": "every"}),
    "delete the role": ("role/{role}/delete/", {"post": "yes"}),
    "another job": (
        "../scheduling/job/add/",
        {
            "name": "mine",
            "processor": "RecalculateCosts",
            "input": "{{}}",
            "run_as": "{user}",
            "enabled": "on",
            "cron": "0 2 * * *",
        },
    ),
    "another schedule": (
        "../scheduling/job/{job}/change/",
        {
            "name": "nightly",
            "processor": "RecalculateCosts",
            "input": "{{}}",
            "run_as": "{user}",
            "enabled": "on",
            "cron": "0 3 * * *",
        },
    ),
    "run the job": ("../scheduling/job/{job}/run/", {}),
}


def _keys(scene):
    named = ("accounts.user", "accounts.role", "accounts.apikey", "scheduling.job")
    return {name.partition(".")[2]: scene.rows[name].pk for name in named}


@pytest.mark.parametrize("what", OPERATIONS)
def test_only_administrators_change_what_belongs_to_one(scene, what):
    path, form = OPERATIONS[what]
    keys = _keys(scene)
    sent = {name: value.format(**keys) for name, value in form.items()}
    url = f"/admin/accounts/{path.format(**keys)}".replace("accounts/../", "")
    wrong = {}
    for name, who in IDENTITIES.items():
        answer, left = scene.visit(name, "POST", url, sent)
        may = (who.administrator or who.role == "admin") and who.on_pages
        if bool(left) != may or answer.status_code >= 500:
            wrong[name] = (answer.status_code, left)
    assert wrong == {}


@pytest.mark.parametrize(
    "said",
    [
        {"roles": ["admin", "employee"]},
        {"isSuperuser": True},
        {"is_superuser": True},
        {"isStaff": True},
        {"isActive": True},
        {"lockedUntil": None},
        {"userName": "admin"},
        {"password": _PASSWORD},
        {"id": 1},
        {"groups": [1]},
        {"tokensSince": None},
    ],
)
def test_nobody_gives_oneself_anything_with_ones_own_account(scene, said):
    for name, who in IDENTITIES.items():
        answer, left = scene.call(name, "PATCH", "/api/v1/Account", said)
        assert (answer.status_code, left) == (400 if who.in_api else 401, {}), name


def test_the_api_writes_accounts_and_keys_by_few_operations():
    writing = {
        thing
        for thing in operations()
        if not thing.startswith("GET")
        and thing.split()[1].split("/")[0]
        in ("Auth", "Account", "Users", "Roles", "ApiKeys", "Jobs", "Permissions")
    }
    assert writing == {
        "POST Auth/login",
        "POST Auth/refresh",
        "POST Auth/logout",
        "PATCH Account",
        "POST Account/change-password",
        # By the rules of delegation, see `tests/site/api/test_accounts.py`.
        "PATCH Users/{id}",
        "POST ApiKeys",
        "POST ApiKeys/{id}/revoke",
        "DELETE ApiKeys/{id}",
    }


def test_no_package_writes_an_account_a_role_a_key_or_a_job():
    apps = {
        target.model._meta.app_label
        for target in registry.targets().values()
        if hasattr(target, "model")
    }
    assert apps - set(added_labels()) == {"catalogs", "documents", "processing"}


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-Method-Override"])
def test_no_header_turns_one_method_into_another(scene, header):
    path = f"/api/v1/Items/{scene.rows['catalogs.item'].pk}"
    for name in ("a reader", "an administrator"):
        asked = scene.call(name, "GET", path, None, **{header: "DELETE"})
        assert (asked[0].status_code, asked[1]) == (200, {})
        sent = scene.call(
            name, "POST", path, {"_method": "DELETE"}, **{header: "DELETE"}
        )
        assert (sent[0].status_code, sent[1]) == (405, {})


@pytest.mark.parametrize(
    "said", [{"isActive": True}, {"isPosted": True}, {"id": 1}, {"version": 99}]
)
def test_posting_and_keys_are_not_properties_to_send(scene, said):
    path = f"/api/v1/GoodsIssues/{scene.rows['documents.goodsissue'].pk}"
    for name in ("a clerk", "an administrator"):
        answer, left = scene.call(name, "PATCH", path, said)
        assert (answer.status_code, left) == (400, {})
