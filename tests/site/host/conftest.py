"""Data folders of installations that were started once, for tests of what comes next."""

from __future__ import annotations

import pytest

from tests.first_start import started_once


@pytest.fixture
def data(tmp_path):
    return started_once(tmp_path / "data")
