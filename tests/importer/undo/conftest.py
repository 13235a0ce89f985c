"""A function that undoes a run."""

from __future__ import annotations

import pytest

from importer import services
from importer.services import ImportOptions


@pytest.fixture
def undo(admin):
    """Return a function that undoes the run of a report as the administrator."""

    def undo_it(report, *, user=None, cancellation=None, **options):
        return services.undo_run(
            report.run_id,
            ImportOptions(**options),
            user=user or admin,
            cancellation=cancellation,
        )

    return undo_it
