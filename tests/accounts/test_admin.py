"""The admin pages of users, which write through the services."""

from __future__ import annotations

import datetime

import pytest
from django.urls import reverse

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, lock_user
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
LIST = "admin:accounts_user_changelist"


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["user"])


def role(name):
    return User.groups.rel.model.objects.get(name=name).pk


def the_form_of(pages, user, **changed):
    url = reverse("admin:accounts_user_change", args=[user.pk])
    form = pages.get(url).context["adminform"].form
    data = {}
    for name, field in form.fields.items():
        value = form.get_initial_for_field(field, name)
        if name == "groups":
            value = [group.pk for group in value]
        if name == "password" or value in (None, False):
            continue
        data[name] = value
    return url, {**data, **changed}


def events_of(row):
    return ChangeEvent.objects.filter(row=row).order_by("pk")


def test_the_list_shows_roles_and_locks(pages, clerk):
    lock_user(user=clerk)
    page = pages.get(reverse(LIST)).content.decode()
    assert "clerk" in page
    assert ">user</td>" in page
    assert ">for good</td>" in page


def test_the_page_of_a_user_mentions_the_password_but_not_its_hash(pages, clerk):
    page = pages.get(reverse("admin:accounts_user_change", args=[clerk.pk]))
    text = page.content.decode()
    assert "A password is set." in text
    assert "pbkdf2" not in text
    assert "md5" not in text
    assert ">None<" not in text


def test_users_without_a_role_can_be_filtered(pages, clerk):
    text = pages.get(reverse(LIST)).content.decode()
    assert '<a href="?groups__isnull=True">no role</a>' in text


def test_a_lock_that_ends_shows_when(pages, clerk):
    lock_user(user=clerk, until=datetime.datetime(2999, 5, 4, 12, tzinfo=datetime.UTC))
    page = pages.get(reverse("admin:accounts_user_change", args=[clerk.pk]))
    assert "4 May 2999" in page.content.decode()


@pytest.mark.counts
def test_the_list_loads_all_roles_with_one_query(
    pages, licensed, django_assert_max_num_queries
):
    for number in range(20):
        create_user(user_name=f"clerk{number}", password="p", roles=["user"])
    with django_assert_max_num_queries(10):
        pages.get(reverse(LIST))


def test_adding_a_user_with_roles_records_one_event(pages, boss):
    answer = pages.post(
        reverse("admin:accounts_user_add"),
        {
            "username": "newcomer",
            "usable_password": "true",
            "password1": "a-long-secret-7",
            "password2": "a-long-secret-7",
            "email": "newcomer@example.com",
            "groups": [role("employee")],
            "time_zone": "Europe/Berlin",
            "language": "de",
        },
    )
    user = User.objects.get(username="newcomer")
    assert answer["Location"] == reverse("admin:accounts_user_change", args=[user.pk])
    assert user.check_password("a-long-secret-7")
    assert (user.is_staff, user.time_zone, user.language) == (
        True,
        "Europe/Berlin",
        "de",
    )
    event = events_of("newcomer").get()
    assert (event.action, event.user, event.origin) == ("created", boss, "User")
    assert event.changes["roles"] == [None, ["employee"]]


def test_an_unknown_time_zone_is_a_form_error(pages, clerk):
    url, data = the_form_of(pages, clerk, time_zone="Europe/Nowhere")
    answer = pages.post(url, data)
    assert answer.status_code == 200
    assert "time_zone" in answer.context["adminform"].form.errors
    assert events_of("clerk").count() == 1


def test_changing_a_user_records_one_event(pages, clerk):
    url, data = the_form_of(
        pages, clerk, email="clerk@example.com", groups=[role("employee")]
    )
    assert pages.post(url, data).status_code == 302
    clerk.refresh_from_db()
    assert (clerk.email, clerk.is_staff) == ("clerk@example.com", True)
    assert [each.name for each in clerk.groups.all()] == ["employee"]
    event = events_of("clerk").last()
    assert set(event.changes) == {"email", "roles", "isStaff"}
    assert events_of("clerk").count() == 2


def test_saving_without_a_change_writes_nothing(pages, clerk):
    url, data = the_form_of(pages, clerk)
    assert pages.post(url, data).status_code == 302
    assert events_of("clerk").count() == 1
    assert User.objects.get(pk=clerk.pk).check_password("long-secret")


def test_the_form_offers_neither_superuser_nor_single_rights(pages, clerk):
    url, data = the_form_of(pages, clerk, is_superuser="on")
    pages.post(url, data)
    assert not User.objects.get(pk=clerk.pk).is_superuser
    assert b"user_permissions" not in pages.get(url).content


def test_a_password_set_by_an_administrator_records_one_event(pages, clerk):
    pages.post(
        reverse("admin:auth_user_password_change", args=[clerk.pk]),
        {
            "usable_password": "true",
            "password1": "another-long-secret",
            "password2": "another-long-secret",
            "set-password": "1",
        },
    )
    assert User.objects.get(pk=clerk.pk).check_password("another-long-secret")
    assert events_of("clerk").count() == 2


def test_changing_ones_own_password_records_one_event_and_keeps_the_session(client):
    create_user(user_name="chief", password="long-secret", roles=["admin"])
    client.login(username="chief", password="long-secret")
    client.post(
        reverse("admin:password_change"),
        {
            "old_password": "long-secret",
            "new_password1": "another-long-secret",
            "new_password2": "another-long-secret",
        },
    )
    assert User.objects.get(username="chief").check_password("another-long-secret")
    assert set(events_of("chief").last().changes) == {"password"}
    assert client.get(reverse("admin:index")).status_code == 200


def test_disabling_a_password_records_an_event(pages, clerk):
    pages.post(
        reverse("admin:auth_user_password_change", args=[clerk.pk]),
        {"usable_password": "false", "unset-password": "1"},
    )
    assert not User.objects.get(pk=clerk.pk).has_usable_password()
    assert events_of("clerk").count() == 2


def act(pages, action, *users):
    data = {"action": action, "_selected_action": [user.pk for user in users]}
    return pages.post(reverse(LIST), data, follow=True).content.decode()


def test_selected_users_are_locked_and_unlocked(pages, clerk):
    assert "1 user locked." in act(pages, "lock", clerk)
    assert User.objects.get(pk=clerk.pk).is_locked
    assert "1 user unlocked." in act(pages, "unlock", clerk)
    assert not User.objects.get(pk=clerk.pk).is_locked


def test_users_cannot_lock_their_own_account(pages, boss, clerk):
    page = act(pages, "lock", boss, clerk)
    assert "You cannot lock the account you are signed in with" in page
    assert "1 user locked." in page
    assert not User.objects.get(pk=boss.pk).is_locked


def test_the_scheduler_stays_locked(pages):
    scheduler = User.objects.get(username="jobs-scheduler")
    assert "is reserved for scheduled jobs" in act(pages, "unlock", scheduler)
    assert User.objects.get(pk=scheduler.pk).is_locked


def test_the_confirmation_page_lists_what_is_deleted_with_a_user(pages, clerk):
    url = reverse("admin:accounts_user_delete", args=[clerk.pk])
    chosen = {"_selected_action": [clerk.pk], "action": "delete_selected"}
    one = pages.get(url).content.decode()
    many = pages.post(reverse(LIST), chosen).content.decode()
    assert "Delete the user “clerk”?" in one
    assert "its API keys are deleted" in one
    assert "Delete the selected user?" in many
    assert "<li>clerk</li>" in many
    assert "relationship" not in one + many
    assert User.objects.filter(pk=clerk.pk).exists()


def test_deleting_a_user_records_an_event(pages, clerk):
    pages.post(reverse("admin:accounts_user_delete", args=[clerk.pk]), {"post": "yes"})
    assert not User.objects.filter(pk=clerk.pk).exists()
    assert events_of("clerk").last().action == "deleted"


def test_deleting_several_users_records_an_event_for_each(pages, clerk):
    other = create_user(user_name="other", password="p")
    data = {"_selected_action": [clerk.pk, other.pk], "post": "yes"}
    pages.post(reverse(LIST), {"action": "delete_selected", **data})
    assert [events_of(name).last().action for name in ("clerk", "other")] == [
        "deleted",
        "deleted",
    ]


def test_an_employee_has_access_to_the_admin_but_not_to_users(client):
    client.force_login(create_user(user_name="e", password="p", roles=["employee"]))
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.get(reverse(LIST)).status_code == 403


def test_the_history_of_a_user_shows_what_the_services_recorded(pages, clerk):
    url, data = the_form_of(pages, clerk, email="clerk@example.com")
    pages.post(url, data)
    lock_user(user=clerk, until=datetime.datetime(2999, 5, 4, 12, tzinfo=datetime.UTC))
    page = pages.get(reverse("admin:accounts_user_history", args=[clerk.pk]))
    told = " ".join(page.content.decode().split())
    assert "<strong>Email address</strong>: — → clerk@example.com" in told
    assert "4 May 2999" in told
    assert told.count('<th scope="row">') == events_of("clerk").count() == 3
