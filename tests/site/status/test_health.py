"""The two health paths, as a probe sees them."""

from __future__ import annotations

import logging

import pytest
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError
from django.test import Client

from platform_site.site.status import health
from platform_site.site.status.shared_check import SharedCheck

PATHS = ["/health/live", "/health/ready"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PATHS)
def test_the_answer_is_one_word_and_nothing_else(path, monkeypatch):
    """HOST-092."""
    monkeypatch.setitem(health.PROBES, path, lambda: "")
    answer = Client().get(path, headers={"host": "not allowed!"})
    assert answer.status_code == 200
    assert answer.content == b"Healthy"
    assert answer["Content-Type"] == "text/plain"
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_a_failing_probe_answers_503_and_logs_the_reason(path, monkeypatch, caplog):
    """HOST-092, HOST-093, HOST-163."""

    def fail():
        raise OperationalError("the disk is on fire")

    monkeypatch.setitem(health.PROBES, path, fail)
    with caplog.at_level(logging.ERROR, logger="platform"):
        answer = Client().get(path)
    assert answer.status_code == 503
    assert answer.content == b"Unhealthy"
    assert "the disk is on fire" in caplog.text


@pytest.mark.parametrize("path", PATHS)
def test_head_is_allowed_and_other_methods_are_not(path, monkeypatch):
    """OPEN-120."""
    monkeypatch.setitem(health.PROBES, path, lambda: "")
    assert Client().head(path).status_code == 200
    answer = Client().post(path)
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/health/live/", "/health", "/health/other"])
def test_other_paths_are_not_answered_here(path):
    assert Client().get(path).status_code == 404


@pytest.mark.django_db
def test_a_pending_migration_makes_the_site_unready():
    assert "pending" not in health.database_trouble(connection)
    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    assert "sessions" in health.database_trouble(connection)


def test_a_reason_is_logged_once_and_so_is_its_end(monkeypatch, caplog):
    reasons = iter(["the disk is full", "the disk is full", "", ""])
    monkeypatch.setattr(health, "_ready", lambda: next(reasons))
    with caplog.at_level(logging.INFO, logger="platform.status"):
        answered = [Client().get("/health/ready").status_code for _ in range(4)]
    assert answered == [503, 503, 200, 200]
    told = [one for one in caplog.records if one.name == "platform.status"]
    first, second = (one.getMessage() for one in told)
    assert "the disk is full" in first
    assert "healthy again" in second


def test_liveness_asks_no_database():
    """HOST-125."""
    # Without the database mark, any query here would be an error.
    assert Client().get("/health/live").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_check_leaves_no_connection_open(monkeypatch):
    """A server gives a limited number, and a probe comes every few seconds."""
    look, opened = health.database_trouble, []

    def look_and_remember(connection):
        found = look(connection)
        opened.extend({connection, *connections.all(initialized_only=True)})
        return found

    monkeypatch.setattr(health, "database_trouble", look_and_remember)
    assert SharedCheck(health._check, late="late")() == ""
    assert opened
    assert all(one.connection is None for one in opened)
