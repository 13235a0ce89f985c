"""Fixtures with the administrator and the admin pages."""

from __future__ import annotations

import pytest

from platform_site.accounts.models import User
from tests.accounts.users import everybody
from tests.site.api.callers import a_user


@pytest.fixture
def boss():
    return User.objects.get(username="admin")


@pytest.fixture
def pages(client, boss):
    client.force_login(boss)
    return client


@pytest.fixture
def people(db):
    return everybody()


@pytest.fixture
def emma():
    """Return an employee who signs in with the usual password."""
    return a_user("emma", "employee")
