"""A company whose catalogs came in through a package of their own."""

from __future__ import annotations

import pytest

from tests.importer.documents.packages import company


@pytest.fixture
def filled(run):
    assert not run(company()).has_errors
