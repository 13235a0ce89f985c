"""The administrator who searches."""

from __future__ import annotations

import pytest

from tests.catalogs.rows import boss
from tests.site.search.searcher import Searcher


@pytest.fixture
def admin(db):
    return Searcher(boss())
