"""The page of one's own account, and what the person menu saves."""

from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
PASSWORD = "a long pass phrase"


@pytest.fixture
def anna():
    return create_user(user_name="anna", password=PASSWORD, roles=["employee"])


@pytest.fixture
def page(client, anna):
    client.force_login(anna)
    return client


def form(**values):
    empty = dict.fromkeys(("first_name", "last_name", "email"), "")
    return {**empty, "language": "", "time_zone": "", **values}


def test_people_change_their_own_data(page, anna):
    given = form(first_name="Anna", email="anna@example.com", time_zone="Asia/Tokyo")
    answer = page.post("/admin/account/", given, follow=True)
    assert "Your account is saved." in answer.content.decode()
    anna.refresh_from_db()
    assert (anna.first_name, anna.time_zone) == ("Anna", "Asia/Tokyo")
    (event,) = ChangeEvent.objects.filter(action="updated", row="anna")
    assert set(event.changes) == {"firstName", "email", "timeZone"}


def test_rights_cannot_be_changed_here(page, anna):
    page.post("/admin/account/", form(is_superuser="on", username="boss"))
    anna.refresh_from_db()
    assert (anna.username, anna.is_superuser) == ("anna", False)


def test_a_wrong_address_is_refused_and_stays_typed(page, anna):
    answer = page.post("/admin/account/", form(email="nowhere"))
    assert 'value="nowhere"' in answer.content.decode()
    anna.refresh_from_db()
    assert anna.email == ""


def test_the_person_menu_changes_the_language_and_returns(page, anna):
    given = {"language": "de", "next": "/admin/catalogs/item/"}
    answer = page.post("/admin/account/preference/", given)
    assert answer["Location"] == "/admin/catalogs/item/"
    anna.refresh_from_db()
    assert anna.language == "de"
    assert '<html lang="de"' in page.get("/admin/account/").content.decode()


@pytest.mark.parametrize("wrong", [{"language": "xx"}, {"time_zone": "Nowhere/Land"}])
def test_an_unknown_preference_is_refused(page, anna, wrong):
    page.post("/admin/account/preference/", wrong)
    anna.refresh_from_db()
    assert (anna.language, anna.time_zone) == ("", "")


def test_the_menu_leads_to_no_other_site(page):
    given = {"language": "de", "next": "https://elsewhere.example/"}
    answer = page.post("/admin/account/preference/", given)
    assert answer["Location"] == "/admin/account/"


def test_pages_show_times_in_the_zone_of_the_person(page, anna):
    User.objects.filter(pk=anna.pk).update(time_zone="Asia/Tokyo")
    expires = dt.datetime(2099, 3, 1, 20, tzinfo=dt.UTC)
    create_api_key(user=anna, name="till", expires_at=expires)
    text = page.get("/admin/account/").content.decode()
    assert "05:00" in text
    assert "20:00" not in text
    assert timezone.get_current_timezone_name() == "UTC"


def test_people_revoke_their_own_keys_and_no_others(page, anna):
    mine, _text = create_api_key(user=anna, name="till")
    foreign, _text = create_api_key(user=User.objects.get(username="admin"), name="x")
    listed = page.get("/admin/account/").content.decode()
    assert str(mine) in listed
    assert str(foreign) not in listed
    page.post(f"/admin/account/keys/{mine.pk}/revoke/")
    assert page.post(f"/admin/account/keys/{foreign.pk}/revoke/").status_code == 404
    mine.refresh_from_db()
    foreign.refresh_from_db()
    assert mine.revoked_at is not None
    assert foreign.revoked_at is None


def test_signing_out_elsewhere_ends_every_other_session(page, anna):
    other = Client()
    other.force_login(anna)
    key, _text = create_api_key(user=anna, name="till")
    page.post("/admin/account/sign-out-elsewhere/")
    assert page.get("/admin/account/").status_code == 200
    assert other.get("/admin/account/").status_code == 302
    key.refresh_from_db()
    assert key.is_good


def test_only_those_who_are_signed_in_have_the_page(client):
    answer = client.get("/admin/account/")
    assert answer["Location"] == "/admin/login/?next=/admin/account/"


def test_a_changed_password_keeps_the_person_menu(page):
    text = page.get("/admin/password_change/").content.decode()
    assert 'class="person-menu"' in text
    assert text.count('id="logout-form"') == 1
