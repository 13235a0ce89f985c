"""A company whose catalogs were imported with a package."""

from __future__ import annotations

import pytest

from tests.importer.documents.packages import company


@pytest.fixture
def filled(run):
    assert not run(company()).has_errors
