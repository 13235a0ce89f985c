"""The account services: writes, refusals and change events."""

from __future__ import annotations

import datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.utils import timezone

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User
from platform_site.accounts.services import (
    create_user,
    default_password_is_unchanged,
    delete_user,
    is_administrator,
    lock_user,
    set_password,
    unlock_user,
    update_user,
)
from platform_site.changes.services import ChangeEvent, ChangeOrigin, acting_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["user"])


def events_since(number):
    return list(ChangeEvent.objects.order_by("pk")[number:])


@pytest.fixture
def new_events():
    """Return the events written since the test began."""
    before = ChangeEvent.objects.count()
    return lambda: events_since(before)


def test_a_new_account_has_the_given_values(new_events):
    user = create_user(
        user_name="clerk",
        password="long-secret",
        email="clerk@example.com",
        roles=["user"],
        first_name="Kim",
        time_zone="Europe/Berlin",
        is_service=True,
    )
    stored = User.objects.get(pk=user.pk)
    assert stored.check_password("long-secret")
    assert (stored.email, stored.first_name) == ("clerk@example.com", "Kim")
    assert (stored.time_zone, stored.is_service) == ("Europe/Berlin", True)
    assert [role.name for role in stored.groups.all()] == ["user"]
    (event,) = new_events()
    assert (event.action, event.model, event.row) == ("created", "Users", "clerk")
    assert event.changes["roles"] == [None, ["user"]]
    assert event.changes["timeZone"] == [None, "Europe/Berlin"]


def test_no_event_contains_a_password_or_its_hash(clerk, new_events):
    set_password(user=clerk, password="another-secret")
    delete_user(user=clerk)
    for event in ChangeEvent.objects.filter(row="clerk"):
        text = str(event.changes)
        assert "secret" not in text
        assert "md5" not in text
        assert "pbkdf2" not in text


@pytest.mark.parametrize(
    ("roles", "staff"),
    [
        (["admin"], True),
        (["employee"], True),
        (["user", "employee"], True),
        (["user"], False),
        ([], False),
    ],
    ids=str,
)
def test_roles_for_the_admin_pages_give_access_to_them(roles, staff):
    user = create_user(user_name="clerk", password="p", roles=roles)
    assert User.objects.get(pk=user.pk).is_staff is staff


def test_an_unknown_role_is_refused_with_the_known_ones(new_events):
    with pytest.raises(ValidationError) as refused:
        create_user(user_name="clerk", password="p", roles=["clark"])
    (sentence,) = refused.value.message_dict["roles"]
    assert "no role “clark”" in sentence
    assert "admin, employee, user" in sentence
    assert not User.objects.filter(username="clerk").exists()
    assert new_events() == []


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"user_name": "admin"}, "username", "already exists"),
        ({"user_name": "a b/c"}, "username", "valid username"),
        ({"password": ""}, "password", "Enter a password; it can't be empty"),
        ({"time_zone": "Berlin"}, "time_zone", "“Berlin” isn't a known time zone"),
        ({"time_zone": "../etc"}, "time_zone", "isn't a known time zone"),
        ({"email": "nonsense"}, "email", "valid email"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_wrong_account_is_refused_by_field(given, field, words, new_events):
    with pytest.raises(ValidationError) as refused:
        create_user(**{"user_name": "clerk", "password": "p", **given})
    assert words in str(refused.value.message_dict[field])
    assert new_events() == []


def test_an_event_names_who_created_the_account(clerk):
    with acting_as(clerk, ChangeOrigin.USER):
        create_user(user_name="other", password="p")
    event = ChangeEvent.objects.get(row="other")
    assert (event.user, event.origin) == (clerk, "User")


def test_an_update_writes_one_event_with_what_changed(clerk, new_events):
    clerk.email = "new@example.com"
    update_user(user=clerk, roles=["employee"])
    (event,) = new_events()
    assert event.changes == {
        "email": ["", "new@example.com"],
        "isStaff": [False, True],
        "roles": [["user"], ["employee"]],
    }
    clerk.refresh_from_db()
    assert (clerk.email, clerk.is_staff) == ("new@example.com", True)


def test_an_update_that_changes_nothing_writes_nothing(clerk, new_events):
    update_user(user=clerk, roles=["user"])
    assert new_events() == []


def test_an_update_without_roles_leaves_them(clerk):
    clerk.first_name = "Kim"
    update_user(user=clerk)
    assert [role.name for role in clerk.groups.all()] == ["user"]


def test_a_new_password_works_and_records_one_event(clerk, new_events):
    set_password(user=clerk, password="another-secret")
    assert User.objects.get(pk=clerk.pk).check_password("another-secret")
    (event,) = new_events()
    assert (event.action, event.row) == ("updated", "clerk")
    assert event.changes == {"password": ["not shown", "not shown"]}


def test_an_empty_password_is_refused(clerk, new_events):
    with pytest.raises(ValidationError, match="Enter a password; it can't be empty"):
        set_password(user=clerk, password="")
    assert new_events() == []


def test_signing_in_writes_no_event(clerk, client, new_events):
    assert client.login(username="clerk", password="long-secret")
    assert new_events() == []


def test_a_renewed_hash_is_not_a_changed_password(clerk, settings, new_events):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]
    before = clerk.password
    assert clerk.check_password("long-secret")
    assert User.objects.get(pk=clerk.pk).password != before
    assert new_events() == []


def test_the_command_of_django_changes_a_password_with_an_event(
    clerk, monkeypatch, new_events
):
    monkeypatch.setattr("getpass.getpass", lambda *_, **__: "another-secret")
    call_command("changepassword", "clerk", verbosity=0)
    assert len(new_events()) == 1


def test_locking_and_unlocking_write_one_event_each(clerk, new_events):
    lock_user(user=clerk)
    assert clerk.is_locked
    lock_user(user=clerk)
    unlock_user(user=clerk)
    assert not clerk.is_locked
    assert [set(event.changes) for event in new_events()] == [{"lockedUntil"}] * 2


def test_a_lock_ends_at_its_time(clerk):
    lock_user(user=clerk, until=timezone.now() - datetime.timedelta(seconds=1))
    assert not clerk.is_locked
    lock_user(user=clerk, until=timezone.now() + datetime.timedelta(hours=1))
    assert clerk.is_locked


def test_the_scheduler_cannot_be_unlocked(new_events):
    """HOST-089."""
    scheduler = User.objects.get(username="jobs-scheduler")
    with pytest.raises(ValidationError, match="can't be renamed or unlocked"):
        unlock_user(user=scheduler)
    assert User.objects.get(pk=scheduler.pk).is_locked
    assert new_events() == []


def test_deleting_a_user_is_permanent_and_records_an_event(clerk, new_events):
    number = clerk.pk
    delete_user(user=clerk)
    assert not User.objects.filter(username="clerk").exists()
    (event,) = new_events()
    assert (event.action, event.row, event.row_id) == ("deleted", "clerk", number)
    assert event.changes["roles"] == [["user"], None]


def test_users_may_delete_their_own_account(clerk):
    with acting_as(clerk, ChangeOrigin.USER):
        delete_user(user=clerk)
    event = ChangeEvent.objects.get(row="clerk", action="deleted")
    assert (event.user, event.user_name) == (None, "clerk")


@pytest.mark.parametrize(
    ("attributes", "roles", "expected"),
    [
        ({}, ["admin"], True),
        ({"is_superuser": True}, [], True),
        ({}, ["employee", "user"], False),
        ({"is_staff": True}, [], False),
        ({"is_active": False}, ["admin"], False),
        ({"is_active": False, "is_superuser": True}, [], False),
    ],
    ids=str,
)
def test_an_administrator_is_an_active_superuser_or_admin(attributes, roles, expected):
    """OPEN-59."""
    user = create_user(user_name="x", password="p", roles=roles, **attributes)
    assert is_administrator(user) is expected


def test_an_anonymous_user_is_not_an_administrator():
    assert is_administrator(AnonymousUser()) is False


def test_the_default_password_is_recognised_until_it_is_changed():
    admin = User.objects.get(username="admin")
    set_password(user=admin, password=DEFAULT_ADMIN_PASSWORD)
    assert default_password_is_unchanged()
    set_password(user=admin, password="something-else")
    assert not default_password_is_unchanged()
    delete_user(user=admin)
    assert not default_password_is_unchanged()
