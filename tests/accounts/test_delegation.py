"""Nobody can give rights they don't have: every operation on accounts, roles, keys and
jobs, for four kinds of users."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from platform_site.accounts.api_keys import (
    create_api_key,
    delete_api_key,
    revoke_api_key,
)
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import delete_role, save_role
from platform_site.accounts.services import (
    add_user,
    delete_user,
    lock_user,
    set_password,
    unlock_user,
    update_user,
)
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import create_job, update_job
from tests.accounts.users import rights

pytestmark = pytest.mark.django_db


def _added(people, **said):
    roles = said.pop("roles", ())
    user = User(username="fresh", **said)
    user.set_password("long-secret")
    add_user(user=user, roles=roles)


def _changed(user, roles=None, **columns):
    for name, value in columns.items():
        setattr(user, name, value)
    update_user(user=user, roles=roles)


def _a_key(people, name):
    with acting_as(None, ChangeOrigin.SYSTEM):
        return create_api_key(user=people[name], name="k")[0]


def _a_job(people, name):
    return Job(
        name="j", processor="RecalculateCosts", run_as=people[name], cron="0 2 * * *"
    )


def _with_role(changed, name="guest", had=()):
    role = Role.objects.filter(name=name).first()
    if role is None:
        role = Role.objects.create(name=name)
        role.permissions.set(rights(*had))
    save_role(role=role, permissions=rights(*changed))


# What is tried, and who may do it: a(dministrator), o(ffice), c(lerk), n(ewcomer).
OPERATIONS = {
    "create an account without roles": ("aocn", lambda p: _added(p)),
    "create an administrator": ("a", lambda p: _added(p, roles=["admin"])),
    "create an employee": ("ac", lambda p: _added(p, roles=["employee"])),
    "create a superuser": ("a", lambda p: _added(p, is_superuser=True)),
    "create staff": ("aoc", lambda p: _added(p, is_staff=True)),
    "rename the administrator": ("a", lambda p: _changed(p["admin"], username="x")),
    "rename a newcomer": ("aocn", lambda p: _changed(p["newcomer"], username="x")),
    "make a newcomer administrator": (
        "a",
        lambda p: _changed(p["newcomer"], ["admin"]),
    ),
    "make a newcomer superuser": (
        "a",
        lambda p: _changed(p["newcomer"], is_superuser=True),
    ),
    "make a newcomer staff": ("aoc", lambda p: _changed(p["newcomer"], is_staff=True)),
    "give the clerk a role": (
        "a",
        lambda p: _changed(p["clerk"], ["employee", "office"]),
    ),
    "take the clerk's roles": ("ac", lambda p: _changed(p["clerk"], [])),
    "set the administrator's password": (
        "a",
        lambda p: set_password(user=p["admin"], password="long-secret"),
    ),
    "set the clerk's password": (
        "ac",
        lambda p: set_password(user=p["clerk"], password="long-secret"),
    ),
    "set a newcomer's password": (
        "aocn",
        lambda p: set_password(user=p["newcomer"], password="long-secret"),
    ),
    "deactivate the administrator": (
        "a",
        lambda p: _changed(p["admin"], is_active=False),
    ),
    "lock the administrator": ("a", lambda p: lock_user(user=p["admin"])),
    "unlock the clerk": ("ac", lambda p: unlock_user(user=p["clerk"])),
    "delete the administrator": ("a", lambda p: delete_user(user=p["admin"])),
    "delete a newcomer": ("aocn", lambda p: delete_user(user=p["newcomer"])),
    "a key of the administrator": (
        "a",
        lambda p: create_api_key(user=p["admin"], name="k"),
    ),
    "a key of the clerk": ("ac", lambda p: create_api_key(user=p["clerk"], name="k")),
    "a key of a newcomer": (
        "an",
        lambda p: create_api_key(user=p["newcomer"], name="k"),
    ),
    "revoke a key of the administrator": (
        "a",
        lambda p: revoke_api_key(key=_a_key(p, "admin")),
    ),
    "delete a key of the clerk": (
        "ac",
        lambda p: delete_api_key(key=_a_key(p, "clerk")),
    ),
    "give a role the right to post": (
        "ac",
        lambda p: _with_role(["documents.post_goodsissue"]),
    ),
    "give a role the right to add keys": (
        "ao",
        lambda p: _with_role(["accounts.add_apikey"]),
    ),
    "take the right to post from a role": (
        "ac",
        lambda p: _with_role([], had=["documents.post_goodsissue"]),
    ),
    "change the role of administrators": (
        "a",
        lambda p: _with_role(["accounts.add_apikey"], name="admin"),
    ),
    "delete a role that may post": (
        "ac",
        lambda p: delete_role(role=_held(rights("documents.post_goodsissue"))),
    ),
    "a job that runs as the administrator": (
        "a",
        lambda p: create_job(job=_a_job(p, "admin")),
    ),
    "a job that runs as the clerk": (
        "ac",
        lambda p: create_job(job=_a_job(p, "clerk")),
    ),
    "another input for the administrator's job": ("a", lambda p: _another_input(p)),
}
PEOPLE = {"a": "admin", "o": "office", "c": "clerk", "n": "newcomer"}


def _held(permissions):
    role = Role.objects.create(name="posters")
    role.permissions.set(permissions)
    return role


def _another_input(people):
    with acting_as(None, ChangeOrigin.SYSTEM):
        job = create_job(job=_a_job(people, "admin"))
    job.input = {"from": "2026-01-01"}
    update_job(job=job)


@pytest.mark.parametrize("who", PEOPLE.values())
@pytest.mark.parametrize("what", OPERATIONS)
def test_the_services_give_only_what_the_actor_has(people, who, what):
    allowed, attempt = OPERATIONS[what]
    may = who in {PEOPLE[letter] for letter in allowed}
    actor = User.objects.get(username=who)
    with acting_as(actor, ChangeOrigin.USER):
        if may:
            attempt(people)
        else:
            with pytest.raises(PermissionDenied, match=who):
                attempt(people)


@pytest.mark.parametrize("what", OPERATIONS)
def test_the_platform_itself_may_do_everything(people, what):
    OPERATIONS[what][1](people)


def test_a_deactivated_account_counts_with_the_rights_it_would_have(people):
    """Otherwise it could get a password now and be activated by somebody else later."""
    User.objects.filter(username="admin").update(is_active=False, is_superuser=False)
    with (
        acting_as(people["office"], ChangeOrigin.USER),
        pytest.raises(PermissionDenied),
    ):
        set_password(user=User.objects.get(username="admin"), password="long-secret")


def test_a_deactivated_actor_may_give_nothing(people):
    people["admin"].is_active = False
    with acting_as(people["admin"], ChangeOrigin.USER), pytest.raises(PermissionDenied):
        set_password(user=people["clerk"], password="long-secret")
