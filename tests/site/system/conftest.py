"""An administrator who asks for the checks, and a database that a test can break."""

from __future__ import annotations

import pytest

from platform_site.accounts.models import User
from platform_site.accounts.seeding import seed_accounts
from platform_site.site.system import health_checks


@pytest.fixture
def database(monkeypatch):
    """Return how a test says what is wrong with the database."""
    state = {"trouble": ""}
    monkeypatch.setattr(health_checks, "_database_check", lambda: state["trouble"])
    return state


@pytest.fixture
def admin(client, database, settings, tmp_path):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    seed_accounts()
    client.force_login(User.objects.get(username="admin"))
    return client
