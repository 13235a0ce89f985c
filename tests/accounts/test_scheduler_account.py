"""The scheduler's account is protected: it can't be renamed, unlocked, deleted or given
a password or key, no other account has a similar name, and it can never sign in."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.urls import reverse

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.built_in import FOR_GOOD
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.services import (
    create_user,
    delete_user,
    lock_user,
    set_password,
    unlock_user,
    update_user,
)
from tests.accounts.sign_in_ways import by_api, by_page, came_in
from tests.accounts.users import rights

pytestmark = pytest.mark.django_db
NAME = "jobs-scheduler"
# The same letters, some of them in their wide form.
WIDE = "\uff4aobs-scheduler"


@pytest.fixture
def scheduler():
    return User.objects.get(username=NAME)


@pytest.fixture
def office(client):
    user = create_user(user_name="office", password="p", is_staff=True)
    user.user_permissions.set(rights("accounts.view_user", "accounts.change_user"))
    client.force_login(user)
    return client


def test_account_editors_cannot_take_over_the_scheduler(office, scheduler):
    page = reverse("admin:auth_user_password_change", args=[scheduler.pk])
    form = {"password1": "a long phrase 7", "password2": "a long phrase 7"}
    assert "is reserved for scheduled jobs" in office.post(page, form).content.decode()
    page = reverse("admin:accounts_user_change", args=[scheduler.pk])
    shown = office.get(page).context["adminform"].form
    form = {name: shown[name].value() or "" for name in shown.fields}
    form |= {"username": "abc", "is_active": "on", "is_service": "on"}
    assert "is reserved for scheduled jobs" in office.post(page, form).content.decode()
    form |= {"username": NAME, "sign_in": "yes"}
    answer = office.post(page, form)
    assert "sign_in" in answer.context["adminform"].form.errors
    chosen = {"action": "unlock", "_selected_action": [scheduler.pk]}
    told = office.post(reverse("admin:accounts_user_changelist"), chosen, follow=True)
    assert "is reserved for scheduled jobs" in told.content.decode()
    stored = User.objects.get(pk=scheduler.pk)
    assert (stored.username, stored.is_staff, stored.is_locked) == (NAME, False, True)
    assert stored.password == scheduler.password


def _changed(column, value):
    def change(user):
        setattr(user, column, value)
        update_user(user=user)

    return change


@pytest.mark.parametrize(
    "change",
    [
        _changed("username", "abc"),
        _changed("username", "Jobs-Scheduler"),
        _changed("locked_until", None),
        _changed("is_staff", True),
        _changed("is_superuser", True),
        _changed("is_service", False),
        lambda user: lock_user(user=user, until=user.date_joined),
        lambda user: unlock_user(user=user),
        lambda user: set_password(user=user, password="long-secret"),
        lambda user: create_api_key(user=user, name="any"),
        lambda user: delete_user(user=user),
    ],
)
def test_the_services_refuse_changes_of_the_scheduler(scheduler, change):
    before = User.objects.filter(pk=scheduler.pk).values().get()
    with pytest.raises(ValidationError):
        change(scheduler)
    assert User.objects.filter(pk=before["id"]).values().get() == before
    assert not ApiKey.objects.exists()


def test_an_administrator_can_change_the_roles_of_the_scheduler(scheduler):
    update_user(user=scheduler, roles=["employee"])
    assert [each.name for each in scheduler.groups.all()] == ["employee"]
    assert not scheduler.is_staff
    scheduler.is_active = False
    update_user(user=scheduler, roles=[])
    assert not scheduler.groups.exists()


@pytest.mark.parametrize("name", ["Jobs-Scheduler", "JOBS-SCHEDULER", WIDE])
def test_names_similar_to_the_scheduler_are_refused(name):
    with pytest.raises(ValidationError):
        create_user(user_name=name, password="p")
    clerk = create_user(user_name="clerk", password="p")
    clerk.username = name
    with pytest.raises(ValidationError):
        update_user(user=clerk)


def test_the_name_of_a_missing_scheduler_cannot_be_taken(scheduler):
    scheduler.delete()
    clerk = create_user(user_name="clerk", password="p")
    clerk.username = NAME
    with pytest.raises(ValidationError, match="is easy to confuse with"):
        update_user(user=clerk)


def test_the_scheduler_cannot_sign_in_whatever_its_row_contains(client, scheduler):
    _key, text = create_api_key(user=create_user(user_name="x", password="p"), name="k")
    ApiKey.objects.update(user=scheduler)
    scheduler.set_password("long-secret")
    scheduler.is_staff, scheduler.locked_until = True, None
    scheduler.save()
    assert authenticate(username=NAME, password="long-secret") is None
    assert by_api(NAME, "long-secret").status_code == 401
    assert not came_in(by_page(client, NAME, "long-secret"))
    assert client.get("/api/v1/Account", headers={"X-Api-Key": text}).status_code == 401
    client.force_login(scheduler)
    assert client.get(reverse("admin:index")).status_code == 302
    scheduler.locked_until = FOR_GOOD
    update_user(user=scheduler)
    assert User.objects.get(pk=scheduler.pk).is_locked
