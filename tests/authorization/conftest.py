"""The one installation that all cells of a module are tried in."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.authorization.scene import Scene


@pytest.fixture(scope="module")
def scene(django_db_setup, django_db_blocker):
    """Return rows of every kind and everybody who asks; made once for a module."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield Scene()
        transaction.set_rollback(True)
