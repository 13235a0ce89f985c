"""The upgrade from 0.1 while users are signed in: ended tokens and sessions stay ended,
and all others continue."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from platform_site.accounts.models import User
from platform_site.accounts.tokens import LoginToken
from tests.site.api.callers import Caller, a_user

pytestmark = pytest.mark.django_db(transaction=True)


def migrate_back():
    """Go back to the accounts of 0.1."""
    call_command("migrate", "accounts", "0003", verbosity=0)


def migrate():
    """Upgrade everything: other apps had to go back, too."""
    call_command("migrate", verbosity=0)


def test_tokens_and_sessions_survive_the_upgrade(licensed):
    kept, ended = a_user("emma", "employee"), a_user("luke", "employee")
    browser = Client()
    browser.force_login(kept)
    tokens = {user.username: str(LoginToken.for_user(user)) for user in (kept, ended)}
    try:
        migrate_back()
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE accounts_user SET tokens_since = date_joined"
                " WHERE username = 'luke'"
            )
    finally:
        migrate()
    called = {
        name: Caller(Authorization=f"Bearer {token}").get("/Account").status_code
        for name, token in tokens.items()
    }
    assert called == {"emma": 200, "luke": 401}
    assert browser.get("/admin/").status_code == 200


def test_reversing_the_migration_keeps_ended_tokens_ended():
    ended = a_user("luke", "employee")
    ended.end_tokens()
    ended.save()
    try:
        migrate_back()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT username FROM accounts_user WHERE tokens_since IS NOT NULL"
            )
            assert cursor.fetchall() == [("luke",)]
    finally:
        migrate()
    assert User.objects.get(username="luke").token_stamp
