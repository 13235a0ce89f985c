"""What is answered while the database or a disk cannot serve: a true sentence with the
right status, one line in the log, and nothing half-written."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from contextlib import closing, contextmanager

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client

from catalogs.models import UnitOfMeasure
from importer.models import ImportRun
from importer.runs import history
from platform_site import notices
from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.models import User
from platform_site.files.models import StoredFile
from tests.builders import units
from tests.importer import background
from tests.site.api.callers import with_token

pytestmark = pytest.mark.django_db
WRITES = ("INSERT", "UPDATE", "DELETE")
UNIT = {"code": "kg", "name": "Kilo"}
SIGN_IN = {"username": "admin", "password": DEFAULT_ADMIN_PASSWORD}


def full_sqlite():
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    return cause


def missing_column():
    cause = sqlite3.OperationalError("no such column: colour")
    cause.sqlite_errorcode = sqlite3.SQLITE_ERROR
    return cause


FULL = [full_sqlite(), psycopg.errors.DiskFull("could not extend file")]
AWAY = [
    sqlite3.OperationalError("database is locked"),
    psycopg.errors.LockNotAvailable("canceling statement due to lock timeout"),
    psycopg.errors.QueryCanceled("canceling statement due to statement timeout"),
    psycopg.OperationalError("the server did not answer within 35 s"),
]
WORDS = {507: "disk", 503: "database is busy"}
EACH_FAILURE = pytest.mark.parametrize(
    ("cause", "status"),
    [*((one, 507) for one in FULL), *((one, 503) for one in AWAY)],
    ids=lambda value: str(value)[:20],
)


@contextmanager
def failing(cause, statements=WRITES):
    """Let each statement of some kinds fail, as the database's driver would."""

    def refuse(execute, sql, params, many, context):
        if sql.startswith(statements):
            raise OperationalError(str(cause)) from cause
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


@pytest.fixture
def browser():
    one = Client(raise_request_exception=False)
    one.force_login(User.objects.get(username="admin"))
    return one


@pytest.fixture
def program():
    return with_token("admin", DEFAULT_ADMIN_PASSWORD)


@pytest.fixture
def log(caplog):
    """Return the lines of errors since the last look; none may have a traceback."""

    def lines():
        found = [one for one in caplog.records if one.levelno >= logging.ERROR]
        assert not any(one.exc_info for one in found)
        caplog.clear()
        return [one.getMessage() for one in found]

    return lines


def told(answer, status):
    """Check that a page says what is wrong."""
    assert answer.status_code == status
    text = answer.content.decode()
    assert "<h1>" in text
    assert "Traceback" not in text
    assert WORDS[status] in text
    assert ("Retry-After" in answer) == (status == 503)


@EACH_FAILURE
def test_a_page_that_cannot_save_says_so(browser, log, cause, status):
    with failing(cause):
        answer = browser.post("/admin/catalogs/unitofmeasure/add/", UNIT)
    told(answer, status)
    assert not UnitOfMeasure.objects.exists()
    (line,) = log()
    assert str(cause) in line
    assert "/admin/catalogs/unitofmeasure/add/" in line


@EACH_FAILURE
def test_the_api_answers_with_the_problem(program, log, cause, status):
    with failing(cause):
        answer = program.post("/UnitsOfMeasure", UNIT)
    assert answer.status_code == status
    assert WORDS[status] in answer.json()["detail"]
    assert ("Retry-After" in answer) == (status == 503)
    assert not UnitOfMeasure.objects.exists()
    (line,) = log()
    assert str(cause) in line


@EACH_FAILURE
def test_a_sign_in_that_cannot_be_kept_says_so(log, cause, status):
    visitor = Client(raise_request_exception=False)
    with failing(cause):
        told(visitor.post("/admin/login/", SIGN_IN), status)
        assert len(log()) == 1
    assert visitor.post("/admin/login/", SIGN_IN).status_code == 302


@EACH_FAILURE
def test_a_session_that_cannot_be_saved_is_not_called_gone(
    browser, settings, cause, status
):
    """Django would answer that the user may have signed out."""
    settings.SESSION_SAVE_EVERY_REQUEST = True
    with failing(cause):
        told(browser.get("/admin/"), status)


@EACH_FAILURE
def test_who_signed_in_is_not_known_without_a_database(browser, log, cause, status):
    """It fails in a middleware, before any view."""
    with failing(cause, "SELECT"):
        told(browser.get("/admin/"), status)
        assert len(log()) == 1
        answer = browser.get("/api/v1/UnitsOfMeasure")
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"


def test_the_start_page_waits_for_a_lost_database_once(browser, monkeypatch):
    """Each part of it would wait for as long as the first did."""
    asked = []

    def lost(user):
        asked.append(user)
        raise OperationalError("the server did not answer within 35 s")

    sources = [(lost, lambda user: True)] * 8
    monkeypatch.setattr(notices, "_sources", sources)
    told(browser.get("/admin/"), 503)
    assert len(asked) == 1


def test_a_mistake_in_a_statement_stays_a_failure_with_a_traceback(browser, caplog):
    with failing(missing_column()):
        answer = browser.post("/admin/catalogs/unitofmeasure/add/", UNIT)
    assert answer.status_code == 500
    assert "no such column" in caplog.text


@pytest.fixture
def full_disk(monkeypatch, settings, tmp_path):
    settings.PLATFORM_BLOBS_FOLDER = tmp_path / "blobs"

    def refuse(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.usefixtures("full_disk")
def test_an_upload_without_room_is_no_fault_of_the_file(browser, log, tmp_path):
    file = SimpleUploadedFile("list.csv", b"bytes", "text/csv")
    answer = browser.post("/api/v1/Files", {"file": file})
    assert answer.status_code == 507
    assert answer.json()["code"] == "out-of-space"
    assert len(log()) == 1
    assert not StoredFile.objects.exists()
    assert not [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]


@pytest.mark.usefixtures("full_disk")
def test_a_page_with_an_upload_without_room_says_so(browser):
    file = SimpleUploadedFile("list.csv", b"code;name\n1;Trowel\n", "text/csv")
    given = {"fileId": file, "timeZone": ""}
    told(browser.post("/admin/processors/ImportItemsFromCsv", given), 507)
    assert not StoredFile.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("cause", FULL, ids=str)
def test_an_import_that_cannot_be_noted_does_not_begin(browser, monkeypatch, cause):
    def package():
        return {"file": SimpleUploadedFile("garden.json", units("kg").as_bytes())}

    def refuse(record):
        raise OperationalError(str(cause)) from cause

    browser.post("/admin/import", {**package(), "action": "dry-run"})
    background.finish_runs()
    monkeypatch.setattr(history.RunRecord, "_begin", refuse)
    answer = browser.post("/api/v1/Import/run", package())
    page = browser.post("/admin/import", {**package(), "action": "import"})
    assert (answer.status_code, page.status_code) == (507, 507)
    assert answer.json()["code"] == "out-of-space"
    assert "disk of the server is full" in page.content.decode()
    assert not ImportRun.objects.real().exists()
    assert not UnitOfMeasure.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_while_somebody_holds_the_file_for_long_a_request_gives_up(browser, log):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no one file to hold: tests/database has its locks.")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")  # 20,000 otherwise
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as holder:
        holder.execute("BEGIN IMMEDIATE")
        answer = browser.post("/admin/catalogs/unitofmeasure/add/", UNIT)
        told(answer, 503)
        assert len(log()) == 1
    assert browser.post("/admin/catalogs/unitofmeasure/add/", UNIT).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_database_file_that_cannot_grow_is_usable_again_once_there_is_room(program):
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite can be told how large its database may be.")

    def pages(most):
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {most}")

    pages(1)  # no more than it has already
    codes = (f"u{number}" for number in range(10_000))
    answers = (program.post("/UnitsOfMeasure", {**UNIT, "code": one}) for one in codes)
    try:
        refused = next(one for one in answers if one.status_code != 201)
        written = UnitOfMeasure.objects.count()
    finally:
        pages(1_000_000_000)
    assert refused.status_code == 507
    assert refused.json()["code"] == "out-of-space"
    program.made("/UnitsOfMeasure", code="kg", name="Kilo")
    assert UnitOfMeasure.objects.count() == written + 1
