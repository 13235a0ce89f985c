"""Connections to the local PostgreSQL server, whatever database the suite runs on."""

from __future__ import annotations

import pytest
from django.db import connections

from platform_site.database.postgresql import base
from tests.database.silent_server import SilentServer
from tests.journeys.installation import require_server


@pytest.fixture(scope="session")
def server():
    require_server()


@pytest.fixture
def way(server):
    """Return a way to the server that can fall silent."""
    one = SilentServer()
    yield one
    one.close()


@pytest.fixture
def connect(server, settings, django_db_blocker, monkeypatch):
    """Return how a test opens a connection, directly or by another way."""
    monkeypatch.setattr(base, "_silence", base._Silence())
    entry = {
        **settings.DATABASES["default"],
        "ENGINE": "platform_site.database.postgresql",
        "NAME": "postgres",
        "HOST": "127.0.0.1",
        "USER": "root",
        "PASSWORD": "",
        "PORT": "5432",
        "OPTIONS": {},
        "AUTOCOMMIT": True,
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "TIME_ZONE": None,
    }
    opened = []

    def connected(way=None):
        port = entry["PORT"] if way is None else str(way.port)
        opened.append(base.DatabaseWrapper({**entry, "PORT": port}, "other"))
        connections["other"] = opened[-1]
        opened[-1].ensure_connection()
        return opened[-1]

    with django_db_blocker.unblock():
        yield connected
        for one in opened:
            one.close()
        if opened:
            del connections["other"]
