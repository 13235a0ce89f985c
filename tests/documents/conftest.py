"""The world documents live in."""

from __future__ import annotations

import pytest

from tests.documents.rows import World


@pytest.fixture
def world(db):
    return World()
