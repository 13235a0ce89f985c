"""The importer works in a project that has none of the product's other packages."""

from __future__ import annotations

import subprocess
import sys

from tests.environment import inherited


def test_the_importer_stands_alone():
    checks = [sys.executable, "-m", "django", "test", "tests.importer_alone"]
    options = ["--settings", "tests.importer_alone.settings", "-p", "checks.py"]
    done = subprocess.run(
        [*checks, *options], env=inherited(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 0 tests" not in done.stderr, "the checks were not found"
