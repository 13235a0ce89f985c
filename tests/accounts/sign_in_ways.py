"""Helpers that sign in by page or API, with a chosen address, browser and time."""

from __future__ import annotations

import datetime
from unittest import mock

from django.test import Client
from django.utils import timezone

from tests.site.api.callers import PASSWORD

OFFICE = "198.51.100.7"
STRANGER = "203.0.113.9"
HOME = "192.0.2.44"
LOOKED_AT, REFUSED, SIGNED_IN = 401, 429, 200


def by_api(name, password=PASSWORD, address=OFFICE, **more):
    """Return the response of the API."""
    return Client(raise_request_exception=False).post(
        "/api/v1/Auth/login",
        {"userName": name, "password": password},
        content_type="application/json",
        REMOTE_ADDR=address,
        **more,
    )


def guesses(name, count, address=STRANGER):
    """Send this many wrong passwords and return the statuses."""
    return [by_api(name, f"guess {n}", address).status_code for n in range(count)]


def by_page(browser, name, password=PASSWORD, address=OFFICE, **more):
    """Return the response to the sign-in form in this browser."""
    form = {"username": name, "password": password, "next": "/admin/"}
    return browser.post("/admin/login/", form, REMOTE_ADDR=address, **more)


def came_in(page):
    """Return whether the sign-in succeeded."""
    return page.status_code == 302


def later(**span):
    """Shift the clock inside the block."""
    now = timezone.now
    moved = datetime.timedelta(**span)

    def then():
        return now() + moved

    return mock.patch("django.utils.timezone.now", then)


def stopped():
    """Stop the clock inside the block: the hashing of passwords takes no time."""
    return mock.patch("django.utils.timezone.now", return_value=timezone.now())
