"""Callers with the standard roles."""

from __future__ import annotations

import pytest

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.site.api.callers import Caller, a_user, with_token


@pytest.fixture
def admin(db):
    return with_token("admin", DEFAULT_ADMIN_PASSWORD)


@pytest.fixture
def employee(db):
    a_user("emma", "employee")
    return with_token("emma")


@pytest.fixture
def reader(db):
    a_user("rita", "user")
    return with_token("rita")


@pytest.fixture
def anonymous(db):
    return Caller()
