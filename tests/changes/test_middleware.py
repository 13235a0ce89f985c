"""The middleware: requests act as whoever is signed in, and cost nothing otherwise."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils.functional import SimpleLazyObject

from platform_site.changes.context import ChangeOrigin, current
from platform_site.changes.middleware import ActingMiddleware


class Clerk:
    is_authenticated = True


def handle(user, view):
    request = RequestFactory().get("/")
    request.user = SimpleLazyObject(user)
    return ActingMiddleware(view)(request)


def test_a_request_acts_as_the_person_signed_in():
    seen = []

    def view(_):
        seen.append(current())
        return HttpResponse()

    handle(Clerk, view)
    assert seen[0].origin is ChangeOrigin.USER
    assert isinstance(seen[0].user, Clerk)
    assert current().user is None


def test_an_anonymous_request_acts_as_system():
    seen = []

    def view(_):
        seen.append(current())
        return HttpResponse()

    handle(AnonymousUser, view)
    assert (seen[0].user, seen[0].origin) == (None, ChangeOrigin.SYSTEM)


def test_a_request_that_changes_nothing_never_looks_for_its_user():
    def nobody_may_ask():
        pytest.fail("the user was looked up")

    assert handle(nobody_may_ask, lambda _: HttpResponse()).status_code == 200


def test_the_person_stops_acting_when_the_view_fails():
    def view(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        handle(Clerk, view)
    assert current().user is None
