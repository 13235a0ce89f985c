"""Dates and tokens, tested in a separate project: the catalogs have no dates to
import."""

from __future__ import annotations

import subprocess
import sys

from tests.environment import inherited


def test_dates_are_read_in_the_zone_of_the_run():
    checks = [sys.executable, "-m", "django", "test", "tests.importer.zones"]
    options = ["--settings", "tests.importer_alone.settings", "-p", "checks.py"]
    done = subprocess.run(
        [*checks, *options], env=inherited(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 0 tests" not in done.stderr, "the checks were not found"
