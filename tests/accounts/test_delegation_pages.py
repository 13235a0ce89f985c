"""Nobody can give rights they don't have: what the pages offer and refuse."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import ApiKey, Role, User
from platform_site.scheduling.models import Job
from tests.accounts.users import OFFICE, rights

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(people):
    browser = Client(raise_request_exception=False)
    browser.force_login(people["office"])
    return browser


def test_the_page_of_an_administrator_is_read_only_for_others(office, people):
    url = reverse("admin:accounts_user_change", args=[people["admin"].pk])
    page = office.get(url)
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert office.post(url, {"username": "admin", "groups": []}).status_code == 403
    assert User.objects.get(pk=people["admin"].pk).groups.count() == 1


def test_others_cannot_open_the_password_page_of_an_administrator(office, people):
    url = reverse("admin:auth_user_password_change", args=[people["admin"].pk])
    new = {
        "password1": "long-secret-1",
        "password2": "long-secret-1",
        "usable_password": "true",
    }
    assert office.post(url, new).status_code == 403
    assert not User.objects.get(username="admin").check_password("long-secret-1")


def test_the_form_of_a_user_offers_only_roles_within_ones_rights(office):
    form = office.get(reverse("admin:accounts_user_add")).context["adminform"].form
    assert [role.name for role in form.fields["groups"].queryset] == ["office"]
    typed = {
        "username": "mine",
        "usable_password": "true",
        "password1": "long-secret-1",
        "password2": "long-secret-1",
        "groups": [Group.objects.get(name="admin").pk],
    }
    answer = office.post(reverse("admin:accounts_user_add"), typed)
    assert "groups" in answer.context["adminform"].form.errors
    assert not User.objects.filter(username="mine").exists()


def test_the_form_of_a_role_offers_only_ones_own_rights(office):
    form = office.get(reverse("admin:accounts_role_add")).context["adminform"].form
    offered = {each.codename for each in form.fields["permissions"].queryset}
    assert offered == {name.partition(".")[2] for name in OFFICE}
    typed = {"name": "guest", "permissions": [rights("catalogs.add_item")[0].pk]}
    answer = office.post(reverse("admin:accounts_role_add"), typed)
    assert "permissions" in answer.context["adminform"].form.errors
    assert not Role.objects.filter(name="guest").exists()


def test_the_form_of_a_key_offers_only_ones_own_account(office, people):
    url = reverse("admin:accounts_apikey_add")
    form = office.get(url).context["adminform"].form
    assert list(form.fields["user"].queryset) == [people["office"]]
    answer = office.post(url, {"user": people["admin"].pk, "name": "k"})
    assert "user" in answer.context["adminform"].form.errors
    assert not ApiKey.objects.exists()


def test_bulk_actions_skip_accounts_with_more_rights(office, people):
    key = create_api_key(user=people["admin"], name="k")[0]
    chosen = {"action": "lock", "_selected_action": [u.pk for u in people.values()]}
    office.post(reverse("admin:accounts_user_changelist"), chosen)
    locked = {u.username for u in User.objects.all() if u.is_locked}
    assert locked == {"newcomer", "jobs-scheduler"}
    chosen = {"action": "revoke", "_selected_action": [key.pk]}
    answer = office.post(
        reverse("admin:accounts_apikey_changelist"), chosen, follow=True
    )
    assert "has more rights" in answer.content.decode()
    assert ApiKey.objects.get().is_good


def test_the_form_of_a_job_refuses_users_with_more_rights(office, people):
    typed = {
        "name": "nightly",
        "processor": "RecalculateCosts",
        "input": "{}",
        "run_as": people["admin"].pk,
        "enabled": "on",
        "cron": "0 2 * * *",
    }
    answer = office.post(reverse("admin:scheduling_job_add"), typed)
    assert "run_as" in answer.context["adminform"].form.errors
    assert not Job.objects.exists()


def test_the_command_creates_keys_for_any_user(people, capsys):
    call_command("create_api_key", "admin")
    assert capsys.readouterr().out.strip().startswith("pk_")
