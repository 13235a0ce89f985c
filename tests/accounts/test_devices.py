"""Known devices: they end with the tokens of the account and share one counter, and a
wrong password reveals nothing about them."""

from __future__ import annotations

from unittest import mock

import pytest
from django.test import Client

from platform_site.accounts.services import lock_user, set_password, unlock_user
from tests.accounts.sign_in_ways import (
    HOME,
    LOOKED_AT,
    OFFICE,
    REFUSED,
    SIGNED_IN,
    by_api,
    by_page,
    came_in,
    guesses,
    later,
    stopped,
)
from tests.site.api.callers import PASSWORD, a_user

pytestmark = pytest.mark.django_db
OTHER = "quite another phrase"


def _known():
    browser = Client()
    assert came_in(by_page(browser, "emma", address=HOME))
    return browser


def _asked_to_wait(browser, password=PASSWORD):
    return "Too many" in by_page(browser, "emma", password).content.decode()


@pytest.mark.parametrize("ended_by", ["password", "lock"])
def test_ending_the_tokens_of_an_account_ends_its_known_devices(emma, ended_by):
    browser = _known()
    guesses("emma", 6, OFFICE)
    if ended_by == "password":
        set_password(user=emma, password=OTHER)
    else:
        lock_user(user=emma)
        unlock_user(user=emma)
    assert _asked_to_wait(browser, OTHER if ended_by == "password" else PASSWORD)


def test_the_browser_that_changed_the_password_stays_known(emma):
    browser, elsewhere = _known(), _known()
    form = {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER}
    assert browser.post("/admin/password_change/", form).status_code == 302
    guesses("emma", 6, OFFICE)
    assert _asked_to_wait(elsewhere, OTHER)
    assert came_in(by_page(browser, "emma", OTHER))


def test_known_browsers_share_one_failure_counter(emma):
    browsers = [_known() for _ in range(7)]
    waits = [_asked_to_wait(browser, "wrong") for browser in browsers]
    assert waits == [False] * 5 + [True] * 2
    with later(seconds=31):
        assert came_in(by_page(browsers[-1], "emma"))


def test_wrong_passwords_do_not_reveal_who_signed_in_from_here(emma):
    with stopped():
        assert by_api("emma").status_code == SIGNED_IN
        for number in range(30):
            by_api(f"name{number}", "x")
        heard = {}
        for name in ("emma", "nobody"):
            answers = [by_api(name, f"guess {n}") for n in range(7)]
            heard[name] = [(a.status_code, int(a["Retry-After"])) for a in answers]
    assert heard["emma"] == heard["nobody"]
    assert {status for status, _seconds in heard["emma"]} == {REFUSED}


def test_failures_of_known_and_unknown_names_count_alike_for_a_network(emma):
    a_user("luke")
    assert by_api("luke").status_code == SIGNED_IN
    assert guesses("luke", 5, OFFICE) == [LOOKED_AT] * 5
    codes = [by_api(f"name{n}", "x").status_code for n in range(26)]
    assert codes == [LOOKED_AT] * 25 + [REFUSED]


@pytest.mark.parametrize("name", ["emma", "luke", "nobody"])
def test_while_strangers_wait_every_response_takes_the_same_work(emma, name):
    a_user("luke")
    by_api("emma")
    for number in range(30):
        by_api(f"name{number}", "x")
    with mock.patch(
        "django.contrib.auth.hashers.MD5PasswordHasher.encode",
        return_value="md5$salt$hash",
    ) as hashed:
        assert by_api(name, "x").status_code == REFUSED
    assert hashed.call_count == 1


def test_a_waiting_stranger_does_not_learn_that_a_password_is_right(emma):
    for number in range(30):
        by_api(f"name{number}", "x")
    right, wrong = by_api("emma"), by_api("nobody", "x")
    assert right.status_code == wrong.status_code == REFUSED
    assert right.json()["detail"] == wrong.json()["detail"]
