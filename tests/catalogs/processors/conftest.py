"""Fixtures with a web server as source of packages."""

from __future__ import annotations

import pytest

from tests.builders import units
from tests.catalogs.processors.source import configure, serving, write_certificate


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
