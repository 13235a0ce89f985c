"""What every test run needs: a database server that answers, or a sentence why not,
and a vendor of licences."""

from __future__ import annotations

import shutil
import time

import psycopg
import pytest
from django.conf import settings
from django.test import TransactionTestCase
from django.utils import translation

from licensing import services as licensing
from platform_site.site.publishing.languages import compile_all
from tests import first_start
from tests.environment import in_ci
from tests.licensing.signing import Vendor
from tests.seeded_rows import SeededRows


@pytest.fixture(autouse=True)
def no_other_language():
    """Go back to the language of the settings, whatever a test's browser asked for."""
    yield
    translation.deactivate()


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput")
    # A checkout changes them more often than it is installed.
    compile_all()
    # In CI a skipped test would pass for a good one.
    if in_ci() and not is_worker:
        trouble = _server_trouble()
        if trouble:
            raise pytest.UsageError(trouble)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        # Whatever is tried on random examples is tried on more of them in a drill.
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.drill)
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        # What asks no database of this process ran in the pass on SQLite already.
        again = [item for item in items if _asks_the_database(item)]
        config.hook.pytest_deselected(items=[i for i in items if i not in set(again)])
        items[:] = again
    trouble = _server_trouble()
    if trouble:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=trouble))


def pytest_unconfigure(config):
    # Worker processes end without running what was registered for the exit.
    first_start.forget()
    if settings.configured and "platform-tests-" in str(settings.PLATFORM_DATA_FOLDER):
        shutil.rmtree(settings.PLATFORM_DATA_FOLDER, ignore_errors=True)


def _asks_the_database(item):
    fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    marked = item.get_closest_marker("django_db") is not None
    once = any(item.get_closest_marker(name) for name in ("process", "once"))
    return (bool(fixtures) or marked) and not once


def _server_trouble():
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("postgresql"):
        return ""
    try:
        psycopg.connect(
            host=database["HOST"],
            port=database.get("PORT") or 5432,
            dbname=database["NAME"],
            user=database.get("USER") or None,
            password=database.get("PASSWORD") or None,
            connect_timeout=5,
        ).close()
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split())
        return f"PostgreSQL was asked for, but does not answer: {reason}"
    return ""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Undo tests with transactions of their own by the rows that were seeded."""
    with django_db_blocker.unblock():
        seeded = SeededRows()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            TransactionTestCase, "_fixture_teardown", lambda case: seeded.restore()
        )
        yield


@pytest.fixture(scope="session")
def vendor():
    return Vendor()


@pytest.fixture
def configure(settings, tmp_path, vendor):
    """Return how a test says where the licence is; the key is the vendor's."""
    (tmp_path / "public.pem").write_bytes(vendor.public_pem)

    def configured(**given):
        settings.LICENSING = {"PUBLIC_KEY_FILE": tmp_path / "public.pem", **given}
        licensing.reload()

    yield configured
    licensing.reload()


@pytest.fixture
def licensed(configure, vendor):
    """Return how a test gets a licence that is good now, without limits but those named.

    Without a call there is none: a test that needs many rows only names the fixture.
    """

    def allow(**limits):
        now = int(time.time())
        claims = {"iat": now - 60, "exp": now + 3600, "users": None}
        claims |= {"documentsPerMonth": None, "linesPerDocument": None, **limits}
        configure(TOKEN=vendor.licence(**claims))

    allow()
    return allow
