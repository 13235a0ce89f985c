"""Throttling: guessing takes ever longer waits, but the owner and others in the network
don't have to wait."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from platform_site.accounts import throttling
from platform_site.accounts.models import SignInCounter
from platform_site.accounts.services import set_password
from platform_site.accounts.throttling import wait_sentence
from tests.accounts.sign_in_ways import (
    HOME,
    LOOKED_AT,
    OFFICE,
    REFUSED,
    SIGNED_IN,
    STRANGER,
    by_api,
    by_page,
    came_in,
    guesses,
    later,
)
from tests.site.api.callers import PASSWORD, a_user

pytestmark = pytest.mark.django_db
# The letters of emma in their wide form.
WIDE = "\uff45\uff4d\uff4d\uff41"


def test_a_stranger_who_guesses_waits_and_the_owner_does_not(emma):
    assert guesses("emma", 40) == [LOOKED_AT] * 5 + [REFUSED] * 35
    assert by_api("emma", address=STRANGER).status_code == REFUSED
    assert by_api("emma", address=HOME).status_code == SIGNED_IN
    assert came_in(by_page(Client(), "emma", address=HOME))


def test_an_untrusted_forwarded_address_does_not_bypass_throttling(emma):
    codes = [
        by_api("emma", "wrong", HTTP_X_FORWARDED_FOR=f"10.0.0.{n}").status_code
        for n in range(10)
    ]
    assert codes == [LOOKED_AT] * 5 + [REFUSED] * 5


def test_the_wait_doubles_up_to_a_quarter_of_an_hour(emma):
    guesses("emma", 4)
    waits = [_wait_after_one_more(minutes) for minutes in (0, 1, 3, 6, 11, 20, 36, 52)]
    assert waits == [30, 60, 120, 240, 480, 900, 900, 900]


def _wait_after_one_more(minutes):
    with later(minutes=minutes):
        assert guesses("emma", 1) == [LOOKED_AT]
        # Asked at once, but a second may have begun.
        seconds = int(by_api("emma", "x", STRANGER)["Retry-After"])
        return -(-seconds // 30) * 30


def test_old_failures_expire(emma):
    guesses("emma", 6)
    with later(hours=2):
        assert guesses("emma", 6) == [LOOKED_AT] * 5 + [REFUSED]


def test_failures_of_a_clock_that_was_ahead_lock_nobody_out(emma):
    with later(days=365):
        assert guesses("emma", 6, OFFICE)[-1] == REFUSED
    assert by_api("emma").status_code == SIGNED_IN


def test_the_right_password_resets_the_failures(emma):
    for _ in range(3):
        assert guesses("emma", 4, OFFICE) == [LOOKED_AT] * 4
        assert by_api("emma").status_code == SIGNED_IN


def test_guessing_many_names_does_not_delay_others_in_the_network(emma):
    a_user("luke")
    assert by_api("luke").status_code == SIGNED_IN
    browser = Client()
    assert came_in(by_page(browser, "emma", address=HOME))
    codes = [by_api(f"name{n}", "x").status_code for n in range(35)]
    assert codes == [LOOKED_AT] * 30 + [REFUSED] * 5
    # He signed in from here before, and her browser is known.
    assert by_api("luke").status_code == SIGNED_IN
    assert came_in(by_page(browser, "emma"))
    # Somebody whom nobody knows here has to wait, but not for long.
    refused = by_api("admin", "Admin123!")
    assert refused.status_code == REFUSED
    assert int(refused["Retry-After"]) <= 15
    with later(seconds=16):
        assert by_api("admin", "Admin123!").status_code == SIGNED_IN


def test_distributed_guesses_at_one_name_delay_only_strangers(emma):
    browser = Client()
    assert came_in(by_page(browser, "emma"))
    spread = [by_api("emma", "x", f"203.0.113.{n}").status_code for n in range(105)]
    assert spread == [LOOKED_AT] * 100 + [REFUSED] * 5
    assert by_api("emma", address=HOME).status_code == REFUSED
    assert by_api("emma", address=OFFICE).status_code == SIGNED_IN
    assert came_in(by_page(browser, "emma", address=HOME))


def test_a_known_browser_is_not_delayed_by_failures_of_its_network(emma):
    browser = Client()
    assert came_in(by_page(browser, "emma"))
    guesses("emma", 9, OFFICE)
    assert "Too many" in by_page(Client(), "emma").content.decode()
    assert came_in(by_page(browser, "emma"))


def test_guesses_in_a_known_browser_have_their_own_counter(emma):
    browser = Client()
    by_page(browser, "emma")
    told = [by_page(browser, "emma", "wrong").content.decode() for _ in range(6)]
    assert ["Too many" in page for page in told] == [False] * 5 + [True]
    assert "Too many" in by_page(browser, "emma", address=HOME).content.decode()
    assert by_api("emma").status_code == SIGNED_IN


def test_a_browser_is_known_for_one_account_only(emma):
    a_user("luke", "employee")
    browser = Client()
    by_page(browser, "luke")
    (of_luke,) = [c for c in browser.cookies if c.startswith("device-")]
    by_page(Client(), "emma")
    guesses("emma", 6, OFFICE)
    with mock.patch("platform_site.accounts.devices._cookie", return_value=of_luke):
        assert "Too many" in by_page(browser, "emma").content.decode()


def test_the_device_cookie_is_http_only_and_signed(emma):
    browser = Client()
    page = by_page(browser, "emma")
    (cookie,) = [c for name, c in page.cookies.items() if name.startswith("device-")]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    assert cookie["path"] == "/admin/login/"
    assert "emma" not in f"{cookie.key}{cookie.value}"
    guesses("emma", 6, OFFICE)
    browser.cookies[cookie.key] = re.sub(r"^.", "~", cookie.value)
    assert "Too many" in by_page(browser, "emma").content.decode()


def test_a_failed_sign_in_makes_no_device_known(emma):
    refused = by_page(Client(), "emma", "wrong")
    assert not [name for name in refused.cookies if name.startswith("device-")]


def test_an_ipv6_address_counts_by_its_64_bit_network(emma):
    near = [by_api("emma", "x", f"2001:db8:0:1::{n}").status_code for n in range(7)]
    assert near == [LOOKED_AT] * 5 + [REFUSED] * 2
    assert by_api("emma", address="2001:db8:0:2::1").status_code == SIGNED_IN
    assert guesses("emma", 5, STRANGER) == [LOOKED_AT] * 5
    assert by_api("emma", address=f"::ffff:{STRANGER}").status_code == REFUSED


def test_other_spellings_of_the_name_do_not_bypass_throttling(emma):
    names = ["emma", "EMMA", " emma", "Emma ", WIDE]
    codes = [by_api(name, "x").status_code for name in names]
    assert codes == [LOOKED_AT] * 5
    assert by_api("eMMa", "x").status_code == REFUSED


def test_an_unknown_name_is_counted_like_a_known_one(emma):
    for name in ("emma", "nobody"):
        answers = [by_api(name, "x") for _ in range(6)]
        assert [a.status_code for a in answers] == [LOOKED_AT] * 5 + [REFUSED]
        assert 25 <= int(answers[-1]["Retry-After"]) <= 30
    assert b"nobody" not in answers[-1].content


def test_an_unknown_name_takes_as_much_work_as_a_wrong_password(emma):
    for name in ("emma", "nobody"):
        with mock.patch(
            "django.contrib.auth.hashers.MD5PasswordHasher.encode",
            return_value="md5$salt$hash",
        ) as hashed:
            by_api(name, "x")
        assert hashed.call_count == 1, name


def test_typed_names_are_not_stored(emma):
    by_api("my-secret-by-mistake", "x")
    rows = list(SignInCounter.objects.values_list("key", flat=True))
    assert len(rows) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in rows)


def test_a_sign_in_from_a_known_network_writes_nothing(
    emma, django_assert_max_num_queries
):
    by_api("emma")
    with django_assert_max_num_queries(1) as asked:
        throttling.attempt(_request(OFFICE), "emma").succeeded()
    assert "SELECT" in asked.captured_queries[0]["sql"]


def _request(address):
    return mock.Mock(META={"REMOTE_ADDR": address}, COOKIES={})


@pytest.mark.parametrize("failure", [OperationalError, InterfaceError])
def test_unavailable_counters_neither_admit_nor_break_sign_ins(emma, failure):
    with mock.patch.object(
        SignInCounter.objects, "filter", side_effect=failure("gone")
    ):
        answer = by_api("emma")
        page = by_page(Client(raise_request_exception=False), "emma")
    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert page.status_code == 503
    assert "try again in a moment" in page.content.decode()


def test_the_page_says_how_long_to_wait(emma):
    guesses("emma", 5, OFFICE)
    page = by_page(Client(), "emma", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert re.search(r"try again in \d\d seconds", page)
    for minutes in (1, 2, 4, 8):
        with later(minutes=minutes):
            guesses("emma", 1, OFFICE)
    with later(minutes=8):
        page = by_page(Client(), "emma", HTTP_ACCEPT_LANGUAGE="en").content.decode()
    assert re.search(r"try again in \d minutes", page)


@pytest.mark.parametrize(
    ("seconds", "wait"), [(1, "1 second."), (60, "60 seconds."), (121, "3 minutes.")]
)
def test_the_wait_is_told_in_seconds_or_minutes(seconds, wait):
    assert wait_sentence(seconds).endswith(f"try again in {wait}")


def test_guesses_at_ones_own_password_have_their_own_counter(emma):
    browser = Client()
    browser.force_login(emma)
    told = [_other_password(browser, "wrong") for _ in range(6)]
    assert ["Too many" in page for page in told] == [False] * 5 + [True]
    # Strangers have no part in it, and she isn't held up where they come in.
    assert by_api("emma").status_code == SIGNED_IN
    with later(seconds=31):
        assert _other_password(browser, PASSWORD) == ""


def test_strangers_cannot_block_a_password_change(emma):
    browser = Client()
    browser.force_login(emma)
    guesses("emma", 9, "127.0.0.1")
    assert _other_password(browser, PASSWORD) == ""


def _other_password(browser, old):
    new = "quite another phrase"
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/admin/password_change/", form).content.decode()


def test_counters_that_no_longer_matter_are_removed(emma):
    guesses("emma", 2)
    by_api("emma", address=HOME)
    assert SignInCounter.objects.count() == 5
    with later(days=2):
        throttling.forget_old()
        # That she signed in from home is still known, and nothing else.
        assert SignInCounter.objects.get().succeeded_at
    with later(days=40):
        throttling.forget_old()
    assert not SignInCounter.objects.exists()


def test_the_table_of_counters_is_bounded(monkeypatch):
    monkeypatch.setattr(throttling, "_MOST_KEPT", 6)
    for number in range(4):
        by_api(f"name{number}", "x", STRANGER)
    throttling.forget_old()
    assert SignInCounter.objects.count() <= 6
    # Those that failed last are still counted.
    newest = SignInCounter.objects.order_by("-failed_at")[0]
    assert newest.failures


def test_changing_the_password_does_not_reset_the_failures(emma):
    guesses("emma", 5)
    set_password(user=emma, password="quite another phrase")
    assert by_api("emma", "x", STRANGER).status_code == REFUSED
