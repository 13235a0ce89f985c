"""Calls every operation with what its own description allows and what it does not: no
failure, no status and no answer that the description does not know.

An administrator tries the bounds of each parameter and property, too: hundreds of calls
for a list. Whoever may see less gets no other check of them.
"""

from __future__ import annotations

import uuid

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from schemathesis.checks import positive_data_acceptance

from importer import services
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.wsgi import application as site
from tests.drill import effort
from tests.site.api.callers import Caller, a_user, with_token

pytestmark = pytest.mark.django_db


def application(environ, start_response):
    """Serve a request without closing the connection of the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    return site(environ, start_response)


def described(*, with_bounds):
    """Return the description to call by, with or without the bounds of each value."""
    found = schemathesis.openapi.from_wsgi("/swagger/v1/swagger.json", application)
    found.config.phases.coverage.enabled = with_bounds
    return found


EXCLUDED = [
    # A well-formed body may name a row that is not there.
    positive_data_acceptance,
]


@pytest.fixture(params=["admin", "user", "nobody"])
def caller(request, db):
    if request.param == "admin":
        return with_token("admin", DEFAULT_ADMIN_PASSWORD)
    if request.param == "user":
        a_user("rita", "user")
        return with_token("rita")
    return Caller()


@pytest.fixture(autouse=True)
def no_run_begins(monkeypatch):
    """Let starts end before the thread of the run, which could not write beside us."""
    monkeypatch.setattr(services, "start_run", lambda *args, **options: uuid.uuid4())


@described(with_bounds=False).parametrize()
@effort(4)
def test_every_answer_is_as_described(case, caller):
    validate(case, caller)


@pytest.mark.parametrize("caller", ["admin"], indirect=True)
@described(with_bounds=True).parametrize()
@effort(1)
def test_every_answer_at_the_bounds_is_as_described(case, caller):
    validate(case, caller)


def validate(case, caller):
    # Its client asks for compressed answers, and doesn't decompress them.
    headers = {**caller.headers, "Accept-Encoding": "identity"}
    case.call_and_validate(headers=headers, excluded_checks=EXCLUDED)
