"""Fixtures that start packages in the background."""

from __future__ import annotations

import pytest

from importer import services
from importer.services import ImportOptions
from tests.builders import stream
from tests.importer import background


@pytest.fixture
def start(admin):
    """Return a function that starts a package in the background."""

    def start_it(package, *, user=None, **options):
        options = ImportOptions(**options)
        return services.start_run(stream(package), options, user=user or admin)

    yield start_it
    background.finish_runs()
