"""Fixtures with a web server and with a folder as sources."""

from __future__ import annotations

import pytest

from importer.services import create_source
from tests.builders import make_row, units
from tests.catalogs.processors.folders import Folder
from tests.catalogs.processors.source import configure, serving, write_certificate
from tests.catalogs.processors.test_table_sources import PRICES
from tests.catalogs.rows import boss


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return write_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def source(db, certificate, settings, monkeypatch):
    with serving(certificate) as served:
        served.content = units("a", "b").as_bytes()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        configure(settings, served.url())
        settings.PLATFORM_IMPORT_ALLOW_PRIVATE = True
        yield served


@pytest.fixture
def folder(db, settings, tmp_path):
    """Save a source that watches a folder, and return the folder."""
    settings.PLATFORM_INBOX_FOLDER = tmp_path / "inbox"
    make_row("UnitsOfMeasure", actor=boss(), code="pcs", name="pieces")
    origin = {"folder": "prices", "pattern": "*.csv", "user": boss().username}
    create_source({**PRICES, "name": "watched", "origin": origin})
    return Folder(tmp_path / "inbox" / "prices")
