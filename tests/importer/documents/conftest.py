"""A company whose catalogs were imported with a package, and runs that must agree."""

from __future__ import annotations

import pytest

from tests.builders import messages, outcomes
from tests.importer.documents.packages import company


@pytest.fixture
def filled(run):
    assert not run(company()).has_errors


@pytest.fixture
def agreeing(run, filled):
    """Return a function that runs a package dry and then really, which must agree, and
    returns outcomes and messages."""

    def both(package, **options):
        planned = run(package, dry_run=True, **options)
        done = run(package, continue_on_error=True, **options)
        assert outcomes(planned) == outcomes(done)
        assert messages(planned) == messages(done)
        assert not [d for d in planned.diagnostics if d.severity == "Warning"]
        return outcomes(planned), messages(planned)

    return both
