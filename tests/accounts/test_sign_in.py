"""Sign-in: locked accounts can't sign in and lose their session, but keep their
rights."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Permission
from django.urls import reverse

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User
from platform_site.accounts.services import (
    create_user,
    lock_user,
    unlock_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["employee"])


def test_the_seeded_administrator_signs_in_with_the_default_password():
    assert authenticate(username="admin", password=DEFAULT_ADMIN_PASSWORD) is not None


def test_the_right_password_signs_in_and_a_wrong_one_does_not(clerk):
    assert authenticate(username="clerk", password="long-secret") == clerk
    assert authenticate(username="clerk", password="wrong") is None


def test_a_locked_account_cannot_sign_in_until_it_is_unlocked(clerk):
    lock_user(user=clerk)
    assert authenticate(username="clerk", password="long-secret") is None
    unlock_user(user=clerk)
    assert authenticate(username="clerk", password="long-secret") == clerk


def test_a_disabled_account_cannot_sign_in(clerk):
    User.objects.filter(pk=clerk.pk).update(is_active=False)
    assert authenticate(username="clerk", password="long-secret") is None


def test_the_open_session_of_a_locked_account_ends(client, clerk):
    client.force_login(clerk)
    index = reverse("admin:index")
    assert client.get(index).status_code == 200
    lock_user(user=clerk)
    answer = client.get(index)
    assert answer.status_code == 302
    assert reverse("admin:login") in answer["Location"]


def test_a_locked_account_keeps_its_rights(clerk):
    permission = Permission.objects.get(codename="view_changeevent")
    clerk.user_permissions.add(permission)
    lock_user(user=clerk)
    assert User.objects.get(pk=clerk.pk).has_perm("changes.view_changeevent")


def test_the_scheduler_cannot_sign_in_even_with_a_password_set_for_it():
    """HOST-089."""
    scheduler = User.objects.get(username="jobs-scheduler")
    scheduler.set_password("long-secret")
    scheduler.save()
    assert authenticate(username="jobs-scheduler", password="long-secret") is None


def test_a_locked_account_is_refused_like_a_wrong_password(client, clerk):
    lock_user(user=clerk)
    login = reverse("admin:login")
    locked = client.post(login, {"username": "clerk", "password": "long-secret"})
    wrong = client.post(login, {"username": "clerk", "password": "wrong"})
    assert locked.status_code == wrong.status_code == 200
    form_errors = [answer.context["form"].errors for answer in (locked, wrong)]
    assert form_errors[0] == form_errors[1]


def test_the_sign_in_page_explains_refusals(client):
    create_user(user_name="visitor", password="long-secret")
    login = reverse("admin:login")
    told = {}
    for password in ("wrong", "long-secret"):
        form = {"username": "visitor", "password": password}
        answer = client.post(login, form, headers={"Accept-Language": "en"})
        (told[password],) = answer.context["form"].non_field_errors()
        assert "_auth_user_id" not in client.session
    assert told["wrong"] == "The user name or the password is wrong."
    assert "no access to these pages" in told["long-secret"]
