"""Fixtures for tests of documents."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.documents.rows import World


@pytest.fixture
def world(db):
    return World()


@pytest.fixture
def connection_queries():
    """Return a function that counts the queries of a call."""

    def count(call):
        with CaptureQueriesContext(connection) as queries:
            call()
        return len(queries)

    return count
