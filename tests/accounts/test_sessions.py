"""Sessions of pages: they end without use, at a maximum age and with the account, and
are then removed."""

from __future__ import annotations

import datetime
from unittest import mock

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from platform_site.accounts.cleaning import forget_old_sign_ins
from platform_site.accounts.models import EndedTokenFamily, UsedRefreshToken, User
from platform_site.accounts.services import (
    lock_user,
    set_password,
    unlock_user,
    update_user,
)
from tests.accounts.sign_in_ways import by_page, later
from tests.site.api.callers import PASSWORD, refreshed, sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(emma):
    browser = Client()
    by_page(browser, "emma")
    return browser


def is_in(browser):
    return browser.get("/admin/").status_code == 200


def test_a_session_ends_after_half_a_day_without_use(browser):
    with later(hours=11, minutes=59):
        assert is_in(browser)
    with later(hours=23):
        assert is_in(browser)
    with later(hours=35, minutes=1):
        assert not is_in(browser)


def test_a_session_ends_two_weeks_after_the_sign_in_despite_use(browser):
    for hours in range(11, 14 * 24, 11):
        with later(hours=hours):
            assert is_in(browser)
    with later(days=14, minutes=1):
        assert not is_in(browser)


def test_both_session_limits_are_settings(browser, settings):
    settings.PLATFORM_SESSION_IDLE = datetime.timedelta(minutes=10)
    assert is_in(browser)
    with later(minutes=9):
        assert is_in(browser)
    with later(minutes=20):
        assert not is_in(browser)


def test_few_requests_extend_the_stored_session(browser):
    ends = []
    for minutes in (4, 6, 7):
        with later(minutes=minutes):
            assert is_in(browser)
            ends.append(Session.objects.get().expire_date)
    assert ends[0] < ends[1] == ends[2]


def test_pages_can_be_read_while_the_database_is_read_only(browser):
    with (
        later(hours=6),
        mock.patch(
            "django.db.models.query.QuerySet.update", side_effect=OperationalError
        ),
    ):
        assert is_in(browser)


def test_a_clock_that_was_ahead_does_not_extend_a_session(browser):
    with later(days=13 * 30):
        ahead = Client()
        by_page(ahead, "emma")
        assert is_in(ahead)
    assert is_in(ahead)
    with later(hours=13):
        assert not is_in(ahead)


def test_a_session_of_the_previous_version_keeps_its_end(emma):
    browser = Client()
    with mock.patch("platform_site.accounts.sessions._BEGAN", "another_name"):
        by_page(browser, "emma")
    row = Session.objects.get()
    row.expire_date = timezone.now() + datetime.timedelta(days=14)
    row.save()
    with later(days=13):
        assert is_in(browser)
    with later(days=15):
        assert not is_in(browser)


def another_password(user):
    set_password(user=user, password="quite another phrase")


def locked_and_unlocked(user):
    lock_user(user=user)
    unlock_user(user=user)


def disabled_and_enabled(user):
    user.is_active = False
    update_user(user=user)
    user.is_active = True
    update_user(user=user)


@pytest.mark.parametrize(
    "end", [another_password, locked_and_unlocked, disabled_and_enabled]
)
def test_a_session_ended_with_the_account_stays_ended(browser, emma, end):
    assert is_in(browser)
    end(User.objects.get(pk=emma.pk))
    assert not is_in(browser)


def test_changing_ones_own_password_keeps_only_the_current_session(browser):
    elsewhere = Client()
    by_page(elsewhere, "emma")
    new = "quite another phrase"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    browser.post("/admin/password_change/", form)
    assert is_in(browser)
    assert not is_in(elsewhere)


def test_signing_out_on_the_page_ends_the_session(browser):
    key = browser.cookies["sessionid"].value
    browser.post("/admin/logout/")
    thief = Client()
    thief.cookies["sessionid"] = key
    assert not is_in(thief)
    assert not Session.objects.exists()


def test_only_expired_sessions_are_removed(browser):
    first = sign_in("emma").json()["refreshToken"]
    refreshed(first)
    refreshed(first)
    tables = (Session, UsedRefreshToken, EndedTokenFamily)
    forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == [1, 1, 1]
    with later(days=15):
        forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == [0, 0, 0]
