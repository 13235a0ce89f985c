"""Who may sign in to the pages, and with which first password."""

from __future__ import annotations

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from platform_site.accounts.built_in import FOR_GOOD
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import (
    create_user,
    lock_user,
    set_one_time_password,
    set_password,
    update_user,
)
from tests.accounts.test_admin import role, the_form_of
from tests.accounts.users import rights

pytestmark = pytest.mark.django_db
ADD = reverse("admin:accounts_user_add")
INDEX = reverse("admin:index")
OWN = reverse("admin:password_change")
SOON = timezone.now() + dt.timedelta(days=2)
LOGIN = "/api/v1/Auth/login"


@pytest.fixture
def guests():
    return save_role(role=Role(name="guests"), permissions=rights("catalogs.view_item"))


@pytest.fixture
def anna():
    return create_user(user_name="anna", password="long-secret", roles=["employee"])


def form(**changed):
    plain = {"username": "newcomer", "first_password": "one-time"}
    return {**plain, **changed}


def signs_in(client, name, password):
    client.logout()
    page = reverse("admin:login")
    answer = client.post(page, {"username": name, "password": password})
    return answer.status_code == 302


# -- access follows from roles --------------------------------------------------------


def test_a_new_user_with_a_role_can_sign_in(pages, client, guests):
    answer = pages.post(ADD, form(groups=[guests.pk]))
    password = answer.context["password"]
    assert signs_in(client, "newcomer", password)


def test_the_role_for_the_api_alone_opens_no_pages(pages, client):
    answer = pages.post(ADD, form(groups=[role("user")]))
    assert not signs_in(client, "newcomer", answer.context["password"])


def test_a_program_never_uses_the_pages(guests):
    user = create_user(
        user_name="robot", password="p", roles=["guests"], is_service=True
    )
    assert not user.is_staff


def test_access_ends_with_the_last_role(anna):
    update_user(user=anna, roles=["user"])
    assert not User.objects.get(pk=anna.pk).is_staff


def test_an_account_keeps_its_access_while_its_roles_stay(guests):
    by_hand = create_user(user_name="old", password="p", roles=["user"], is_staff=True)
    without = create_user(user_name="api", password="p", roles=["guests"])
    User.objects.filter(pk=without.pk).update(is_staff=False)
    for user in (by_hand, User.objects.get(pk=without.pk)):
        user.first_name = "Kim"
        update_user(user=user, roles=list(user.groups.values_list("name", flat=True)))
    assert User.objects.get(username="old").is_staff
    assert not User.objects.get(username="api").is_staff


def test_the_form_asks_nothing_technical(pages, anna):
    page = pages.get(reverse("admin:accounts_user_change", args=[anna.pk]))
    text = page.content.decode()
    assert "is_staff" not in text
    assert "is_superuser" not in text
    assert "May sign in" in text
    assert "Enters, changes and posts the data of the business" in text


# -- who may sign in -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "is_active", "locked"),
    [("yes", True, None), ("locked", True, FOR_GOOD), ("disabled", False, SOON)],
)
def test_the_answer_decides_who_may_sign_in(pages, anna, answer, is_active, locked):
    lock_user(user=anna, until=SOON)
    url, data = the_form_of(pages, anna, sign_in=answer)
    assert pages.post(url, data).status_code == 302
    anna.refresh_from_db()
    assert (anna.is_active, anna.locked_until) == (is_active, locked)


def test_a_lock_until_a_time_ends_then(pages, anna):
    until = {"sign_in": "later", "not_before": "2999-05-04T12:00"}
    url, data = the_form_of(pages, anna, **until)
    assert pages.post(url, data).status_code == 302
    anna.refresh_from_db()
    assert anna.is_locked
    assert anna.locked_until.year == 2999
    shown = pages.get(url).context["adminform"].form
    assert shown["sign_in"].value() == "later"


@pytest.mark.parametrize("time", ["", "2001-01-01T00:00", "soon"])
def test_a_lock_needs_a_time_in_the_future(pages, anna, time):
    url, data = the_form_of(pages, anna, sign_in="later", not_before=time)
    answer = pages.post(url, data)
    assert "not_before" in answer.context["adminform"].form.errors
    assert not User.objects.get(pk=anna.pk).is_locked


def test_saving_other_fields_keeps_a_lock(pages, anna):
    until = timezone.now() + dt.timedelta(days=2)
    lock_user(user=anna, until=until)
    url, data = the_form_of(pages, anna, email="anna@example.com", not_before=None)
    data["not_before"] = timezone.localtime(until).strftime("%Y-%m-%dT%H:%M")
    assert pages.post(url, data).status_code == 302
    anna.refresh_from_db()
    assert anna.email == "anna@example.com"
    assert anna.is_locked


def test_a_locked_account_is_unlocked_on_its_page(pages, anna):
    lock_user(user=anna)
    page = reverse("admin:accounts_user_change", args=[anna.pk])
    unlock = reverse("admin:accounts_user_unlock", args=[anna.pk])
    text = pages.get(page).content.decode()
    assert unlock in text
    assert "for good" in text
    answer = pages.post(unlock, follow=True)
    assert "1 user unlocked." in answer.content.decode()
    assert not User.objects.get(pk=anna.pk).is_locked
    assert unlock not in pages.get(page).content.decode()


# -- one-time passwords ----------------------------------------------------------------


def test_a_one_time_password_is_shown_once(pages, anna):
    url = reverse("admin:accounts_user_one_time_password", args=[anna.pk])
    password = pages.post(url).context["password"]
    stored = User.objects.get(pk=anna.pk)
    assert stored.check_password(password)
    assert stored.must_change_password
    page = reverse("admin:accounts_user_change", args=[anna.pk])
    assert password not in pages.get(page).content.decode()
    assert pages.get(url).status_code == 405


def test_it_leads_to_the_form_for_ones_own_and_nowhere_else(client, anna):
    password = set_one_time_password(user=anna)
    assert signs_in(client, "anna", password)
    for path in (INDEX, "/admin/catalogs/item/", "/admin/processors"):
        assert client.get(path).url == OWN
    assert client.post("/admin/catalogs/item/add/").url == OWN
    assert client.get(OWN).status_code == 200
    new = {"new_password1": "a long phrase 7", "new_password2": "a long phrase 7"}
    assert client.post(OWN, {"old_password": password, **new}).status_code == 302
    assert client.get(INDEX).status_code == 200
    assert not User.objects.get(pk=anna.pk).must_change_password


def test_the_api_does_nothing_until_the_password_is_changed(client, anna):
    password = set_one_time_password(user=anna)
    json = {"content_type": "application/json"}
    sent = {"userName": "anna", "password": password}
    token = client.post(LOGIN, sent, **json).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    refused = client.get("/api/v1/Account", headers=headers)
    assert refused.status_code == 403
    assert "a password of your own" in refused.content.decode()
    own = {"oldPassword": password, "newPassword": "a long phrase 7"}
    path = "/api/v1/Account/change-password"
    assert client.post(path, own, headers=headers, **json).status_code == 204
    sent["password"] = "a long phrase 7"
    token = client.post(LOGIN, sent, **json).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/Account", headers=headers).status_code == 200


def test_the_session_of_a_page_opens_no_api_either(client, anna):
    assert signs_in(client, "anna", set_one_time_password(user=anna))
    assert client.get("/api/v1/Account").status_code == 403


def test_another_password_set_by_an_administrator_is_no_one_time_password(anna):
    set_one_time_password(user=anna)
    anna.refresh_from_db()
    set_password(user=anna, password="a long phrase 7")
    assert not User.objects.get(pk=anna.pk).must_change_password


def test_a_password_is_typed_if_one_wants_to(pages, guests):
    typed = {"password1": "a long phrase 7", "password2": "a long phrase 7"}
    sent = form(first_password="typed", groups=[guests.pk], **typed)
    assert pages.post(ADD, sent).status_code == 302
    user = User.objects.get(username="newcomer")
    assert user.check_password("a long phrase 7")
    assert not user.must_change_password


def test_a_program_needs_no_password(pages):
    sent = form(first_password="none", is_service="on")
    assert pages.post(ADD, sent).status_code == 302
    assert not User.objects.get(username="newcomer").has_usable_password()


@pytest.mark.parametrize("page", ["unlock", "one_time_password"])
def test_nobody_does_this_to_accounts_with_more_rights(client, people, page):
    client.force_login(people["office"])
    url = reverse(f"admin:accounts_user_{page}", args=[people["admin"].pk])
    assert client.post(url).status_code == 403
    assert client.post(url.replace(str(people["admin"].pk), "4711")).status_code == 404


def test_the_scheduler_gets_no_password(pages):
    scheduler = User.objects.get(username="jobs-scheduler")
    url = reverse("admin:accounts_user_one_time_password", args=[scheduler.pk])
    answer = pages.post(url, follow=True)
    assert "is reserved for scheduled jobs" in answer.content.decode()
